"""Alignment recall, precision and F (section 6.2.1), over all units of a corpus."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from permutopic.errors import InputError
from permutopic.results.prediction import number_labels

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


class AlignmentScore(NamedTuple):
    """How well topics and headings agree on which units belong together."""

    recall: float
    """Share of units in the topic that has most units of their heading."""
    precision: float
    """Share of units whose heading is the most frequent in their topic."""
    f: float
    """Harmonic mean of recall and precision."""


def score_alignment(
    headings: Sequence[object] | NDArray[np.int64], topics: Sequence[object] | NDArray[np.int64]
) -> AlignmentScore:
    """Score topics against headings, one of each per unit.

    >>> score_alignment(["a", "a", "b", "b"], [1, 1, 1, 1])
    AlignmentScore(recall=1.0, precision=0.5, f=0.6666666666666666)
    """
    if len(headings) != len(topics) or len(headings) == 0:
        raise InputError(
            f"as many headings as topics are needed, at least one, "
            f"not {len(headings)} and {len(topics)}"
        )
    rows, columns = number_labels(headings), number_labels(topics)
    contingency = np.zeros((rows.max() + 1, columns.max() + 1), dtype=np.int64)
    np.add.at(contingency, (rows, columns), 1)
    recall = float(contingency.max(axis=1).sum() / rows.size)
    precision = float(contingency.max(axis=0).sum() / rows.size)
    return AlignmentScore(recall, precision, 2 * recall * precision / (recall + precision))
