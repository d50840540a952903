from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from permutopic.results.prediction import Prediction, segment_ends


def test_ends_of_one_document():
    prediction = Prediction(np.array([2, 2, 0, 0, 1]), np.array([0, 3, 5]))
    assert prediction.ends(0).tolist() == [2, 3]
    assert prediction.ends(1).tolist() == [1, 2]


@given(st.lists(st.sampled_from("ab"), min_size=1))
def test_segments_are_runs(labels):
    ends = segment_ends(labels).tolist()
    starts = [0, *ends[:-1]]
    runs = [set(labels[a:b]) for a, b in zip(starts, ends, strict=True)]
    assert all(len(run) == 1 for run in runs)
    assert all(left != right for left, right in itertools.pairwise(runs))
    assert ends[-1] == len(labels)


def test_a_table_has_a_row_for_each_document_with_its_own_units_and_numbers():
    prediction = Prediction(
        np.array([2, 2, 0, 0, 1]), np.array([0, 3, 5]), {"cost": np.array([1.5, 2.5])}
    )
    table = prediction.table(["Oslo", "Bern"])
    rows = [(r["title"], r["topics"].tolist(), r["ends"].tolist(), r["cost"]) for r in table]
    assert rows == [("Oslo", [2, 2, 0], [2, 3], 1.5), ("Bern", [0, 1], [1, 2], 2.5)]
    assert table.columns == {"title": str, "topics": list[int], "ends": list[int], "cost": float}
