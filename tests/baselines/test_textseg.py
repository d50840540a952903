"""Utiyama and Isahara's segmentation against its definition, and against their program."""

from __future__ import annotations

import json
from collections import Counter
from itertools import combinations
from math import log

import numpy as np
import pytest

from permutopic.baselines import textseg
from permutopic.baselines.local_tokens import local_tokens
from permutopic.baselines.segment_kernels import best_segmentation, segment_costs_from
from permutopic.corpus import Corpus
from permutopic.errors import InputError
from permutopic.ingest.pipeline import read_corpus


def tiny(seed, n_units=6):
    """A document of a few words, some units without any."""
    random = np.random.default_rng(seed)
    units = [" ".join(random.choice(list("abcde"), random.integers(0, 5))) for _ in range(n_units)]
    return ["a b", *units[1:]]


def cost_of(units, begin, end):
    """A segment's cost, as its authors write it."""
    document = " ".join(units).split()
    counts = Counter(" ".join(units[begin:end]).split())
    n, v = sum(counts.values()), len(set(document))
    return log(len(document)) + sum(c * log((n + v) / (c + 1)) for c in counts.values())


def by_brute_force(units, n_segments=None):
    """The least cost over all segmentations, and all that reach it."""
    costs = {}
    for n_cuts in range(len(units)) if n_segments is None else [n_segments - 1]:
        for cuts in combinations(range(1, len(units)), n_cuts):
            ends = (*cuts, len(units))
            costs[ends] = sum(
                cost_of(units, begin, end) for begin, end in zip((0, *cuts), ends, strict=True)
            )
    least = min(costs.values())
    return least, [list(ends) for ends, cost in costs.items() if cost < least + 1e-9]


@pytest.mark.parametrize("seed", range(4))
def test_it_finds_the_best_of_all_segmentations_into_so_many(seed):
    units = tiny(seed)
    corpus = Corpus.from_paragraphs([units], tokens="whitespace")
    for n_segments in range(1, len(units) + 1):
        found = textseg.predict(corpus, n_segments=n_segments)
        least, best = by_brute_force(units, n_segments)
        assert found.by_document["cost"] == pytest.approx([least], rel=1e-12)
        assert found.ends(0).tolist() in best


@pytest.mark.parametrize("seed", range(4))
def test_it_finds_the_best_of_all_segmentations_when_it_may_choose(seed):
    units = [unit * 6 for unit in tiny(seed, 7)]  # long enough for more than one segment
    corpus = Corpus.from_paragraphs([units], tokens="whitespace")
    found = textseg.predict(corpus, auto=True)
    least, best = by_brute_force(units)
    assert found.by_document["cost"] == pytest.approx([least], rel=1e-12)
    assert found.ends(0).tolist() in best


def test_one_pass_gives_every_segment_the_cost_of_its_definition():
    units = tiny(5)
    tokens = local_tokens(Corpus.from_paragraphs([units], tokens="whitespace"), 0)
    costs, seen = textseg.segment_costs(tokens), np.zeros(tokens.n_words, dtype=np.int64)
    for begin in range(len(units)):
        row = np.full(len(units) + 1, np.nan)
        segment_costs_from(tokens, costs, begin, seen, row)
        assert not seen.any()
        for end in range(begin + 1, len(units) + 1):
            assert row[end] == pytest.approx(cost_of(units, begin, end), rel=1e-12)


def test_a_wordless_unit_goes_with_what_follows():
    # Either side costs the same to the last bit; the later segment begins as early as it can.
    corpus = Corpus.from_paragraphs([["a a a", "", "b b b"]], tokens="whitespace")
    assert textseg.predict(corpus, n_segments=2).ends(0).tolist() == [1, 3]
    longer = ["a a a a a a a a", "", "b b b b b b b b"]
    corpus = Corpus.from_paragraphs([longer], tokens="whitespace")
    assert textseg.predict(corpus, auto=True).ends(0).tolist() == [1, 3]


def test_documents_are_cut_one_by_one():
    one, other = tiny(1), tiny(2, 4)
    both = textseg.predict(Corpus.from_paragraphs([one, other], tokens="whitespace"), n_segments=3)
    for document, units in enumerate((one, other)):
        alone = textseg.predict(Corpus.from_paragraphs([units], tokens="whitespace"), n_segments=3)
        assert both.ends(document).tolist() == alone.ends(0).tolist()
        assert both.by_document["cost"][document] == alone.by_document["cost"][0]


def test_a_document_of_one_unit_is_one_segment():
    corpus = Corpus.from_paragraphs([["a"], ["b c d"]])
    assert textseg.predict(corpus, auto=True).topics.tolist() == [0, 1]
    assert textseg.predict(corpus, n_segments=5).topics.tolist() == [0, 1]


def test_the_number_is_given_or_chosen_and_not_both():
    corpus = Corpus.from_paragraphs([["a", "b"]])
    with pytest.raises(InputError, match="give auto=False with it"):
        textseg.predict(corpus, auto=True, n_segments=2)
    with pytest.raises(InputError, match=r"has to be given \(n_segments\)"):
        textseg.predict(corpus)


@pytest.mark.parametrize("name", ["cities_paper", "elements_paper"])
def test_ends_and_costs_are_those_of_the_original_program(data, name):
    stored = json.loads((data / "reference/segmentations.json").read_text(encoding="utf-8"))[name]
    corpus = read_corpus(data / f"corpora/{name}.jsonl.gz", "whitespace")
    assert len(stored) == {"cities_paper": 50, "elements_paper": 59}[name]
    for mode, auto in (("textseg_given", False), ("textseg_auto", True)):
        ours = textseg.predict(corpus, auto=auto)
        for title, theirs in stored.items():
            document = corpus.titles.index(title)
            assert ours.ends(document).tolist() == theirs[mode]["ends"]
            cost = ours.by_document["cost"][document]
            assert cost == pytest.approx(theirs[mode]["cost"], rel=1e-6)


def test_of_equally_good_segmentations_it_takes_the_one_whose_last_segment_begins_first():
    tokens = local_tokens(Corpus.from_paragraphs([["a", "a", "a", "a"]]), 0)
    nothing = textseg.segment_costs(tokens)._replace(
        gains=np.zeros(4), by_tokens=np.zeros(5), by_units=np.zeros(5)
    )
    ends, cost = best_segmentation(tokens, nothing, 3)
    assert (ends.tolist(), cost) == ([1, 2, 4], 0.0)
