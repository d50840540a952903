from __future__ import annotations

from collections import Counter

import numpy as np

import oracle


def test_every_word_is_found_where_it_is(drawn):
    corpus, _, _ = drawn
    index, documents = corpus.word_index, oracle.documents_of(corpus)
    units = [Counter(unit) for each in documents for unit in each]
    wholes = [Counter(word for unit in each for word in unit) for each in documents]
    for word in range(corpus.n_words):
        for starts, places, counts, expected in (
            (index.unit_starts, index.units, index.unit_counts, units),
            (index.document_starts, index.documents, index.document_counts, wholes),
        ):
            own = slice(starts[word], starts[word + 1])
            found = dict(zip(places[own].tolist(), counts[own].tolist(), strict=True))
            assert found == {n: c[word] for n, c in enumerate(expected) if c[word]}
            assert np.all(np.diff(places[own]) > 0)
    assert np.bincount(index.words_of_documents()).tolist() == [
        sum(word in each for each in wholes) for word in range(corpus.n_words)
    ]
