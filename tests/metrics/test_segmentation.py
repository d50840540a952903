from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from permutopic.errors import InputError
from permutopic.metrics import score_segmentation
from permutopic.metrics.segmentation import ends_in_words, window

CASES = json.loads((Path(__file__).parents[1] / "data/metrics.json").read_text())["segmentation"]

segmentations = st.integers(3, 40).flatmap(
    lambda n: st.tuples(*[st.sets(st.integers(1, n - 1)).map(lambda s: [*sorted(s), n])] * 2)
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_figures_of_the_reference_programs(case):
    true, found = (np.cumsum(case[f"{side}_lengths"]) for side in ("reference", "hypothesis"))
    words, units = case["words_convention"], case["segeval"]
    assert window(true, "words") == words["k"]
    assert window(true, "units") == units["k_default"]
    for convention, figures in (("words", words), ("units", units)):
        score = score_segmentation(true, found, convention)
        assert tuple(score) == pytest.approx((figures["pk"], figures["wd"]))


@given(segmentations, st.sampled_from(["words", "units"]))
def test_scores_are_what_the_definition_counts(pair, convention):
    true, found = pair
    n_items, k = true[-1], window(true, convention)
    pk = wd = 0
    for i in range(n_items - k):
        inside = [
            sum(i <= o <= i + k if convention == "words" else i < o <= i + k for o in ends[:-1])
            for ends in pair
        ]
        pk += (inside[0] > 0) != (inside[1] > 0)
        wd += inside[0] != inside[1]
    score = score_segmentation(true, found, convention)
    assert tuple(score) == pytest.approx((pk / (n_items - k), wd / (n_items - k)))
    assert score.pk <= score.windowdiff


@given(segmentations, st.sampled_from(["words", "units"]))
def test_the_reference_itself_makes_no_error(pair, convention):
    assert score_segmentation(pair[0], pair[0], convention) == (0, 0)


@pytest.mark.parametrize("convention", ["words", "units"])
@pytest.mark.parametrize("n_items", [1, 2, 3])
def test_very_short_documents_have_a_score(n_items, convention):
    whole, cut = [n_items], list(range(1, n_items + 1))
    wrong = 1 if n_items > 1 else 0
    assert score_segmentation(whole, cut, convention) == (wrong, wrong)
    assert score_segmentation(cut, cut, convention) == (0, 0)


def test_ends_of_units_become_ends_of_words():
    assert ends_in_words([1, 3], [10, 4, 6]).tolist() == [10, 20]


def test_a_segment_without_words_is_none():
    assert ends_in_words([1, 2, 3, 4], [0, 8, 0, 5]).tolist() == [8, 13]


@pytest.mark.parametrize(
    ("true", "found", "message"),
    [
        ([], [1], "must increase"),
        ([2, 1], [1], "must increase"),
        ([0, 3], [3], "must increase"),
        ([2, 2, 3], [3], "must increase"),
        ([3], [4], "end alike, not at 3 and 4"),
    ],
)
def test_what_is_no_pair_of_segmentations_is_refused(true, found, message):
    with pytest.raises(InputError, match=message):
        score_segmentation(true, found)


def test_an_unknown_convention_is_refused():
    with pytest.raises(InputError, match="words, units, not 'chars'"):
        score_segmentation([3], [3], "chars")
