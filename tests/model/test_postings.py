from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from permutopic.corpus import Corpus
from permutopic.model.blocked.packing import localize_corpus
from permutopic.model.blocked.postings import make_postings


@pytest.mark.parametrize("seed", range(5))
def test_each_word_is_counted_in_each_of_its_units_and_in_no_other(seed):
    rng = np.random.default_rng(seed)
    units = [rng.choice(list("abcdef"), size=rng.integers(1, 12)).tolist() for _ in range(7)]
    corpus = Corpus.from_paragraphs([["z"], [" ".join(unit) for unit in units]])
    postings = make_postings(localize_corpus(corpus)[1])
    words = [corpus.vocabulary[word] for word in postings.words]
    assert sorted(words) == sorted({word for unit in units for word in unit})
    assert postings.starts[0] == 0
    assert postings.starts[-1] == postings.units.size == postings.counts.size
    for number, word in enumerate(words):
        own = slice(postings.starts[number], postings.starts[number + 1])
        found = list(zip(postings.units[own].tolist(), postings.counts[own].tolist(), strict=True))
        counts = [Counter(unit)[word] for unit in units]
        assert found == [(unit, count) for unit, count in enumerate(counts) if count]
