from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from permutopic.errors import InputError
from permutopic.metrics import score_alignment

CASES = json.loads((Path(__file__).parents[1] / "data/metrics.json").read_text())["alignment"]
pairs = st.lists(st.tuples(st.sampled_from("abcd"), st.integers(0, 4)), min_size=1, max_size=30)


@pytest.mark.parametrize("case", CASES, ids=lambda case: "".join(case["headings"]))
def test_scores_worked_by_hand(case):
    score = score_alignment(case["headings"], case["topics"])
    assert tuple(score) == pytest.approx((case["recall"], case["precision"], case["f"]))


@given(pairs)
def test_recall_and_precision_change_places_with_the_arguments(pairs):
    headings, topics = zip(*pairs, strict=True)
    there, back = score_alignment(headings, topics), score_alignment(topics, headings)
    assert (there.recall, there.precision) == (back.precision, back.recall)
    assert 0 < there.f <= 1


@given(pairs)
def test_names_of_topics_do_not_matter(pairs):
    headings, topics = zip(*pairs, strict=True)
    assert score_alignment(headings, topics) == score_alignment(headings, [9 - t for t in topics])


def test_labels_of_any_kind_are_kept_apart():
    assert score_alignment([1, "1", None, "A", "A\0"], [0, 1, 2, 3, 4]).f == 1
    assert score_alignment([1, "1", None, "A", "A\0"], [0, 0, 0, 0, 0]).precision == 0.2


@pytest.mark.parametrize(("headings", "topics"), [([], []), (["a"], [1, 2])])
def test_lengths_that_differ_are_refused(headings, topics):
    with pytest.raises(InputError, match="as many headings as topics"):
        score_alignment(headings, topics)
