"""Topics for units to which a method assigns none, because they have no known word."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

NO_TOPIC = -1


def fill_wordless(
    topics: NDArray[np.int64], document_offsets: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Replace missing topics (−1) by the topic of a neighbour.

    A unit gets the topic of the nearest unit before it in its document that has one; else of the
    nearest after it; else the most frequent topic of the corpus (the lowest number of several; 0
    if no unit has a topic).

    >>> fill_wordless(np.array([-1, 1, -1, 0, -1, 1]), np.array([0, 4, 5, 6])).tolist()
    [1, 1, 1, 0, 1, 1]
    """
    n_units = topics.size
    known = topics != NO_TOPIC
    if not known.any():
        return np.zeros(n_units, dtype=np.int64)
    units = np.arange(n_units)
    sizes = np.diff(document_offsets)
    first = np.repeat(document_offsets[:-1], sizes)
    last = np.repeat(document_offsets[1:], sizes) - 1
    before = np.maximum.accumulate(np.where(known, units, -1))
    after = np.minimum.accumulate(np.where(known, units, n_units)[::-1])[::-1]
    most_frequent = int(np.bincount(topics[known]).argmax())
    filled = np.where(after <= last, topics[np.minimum(after, n_units - 1)], most_frequent)
    return np.where(before >= first, topics[np.maximum(before, 0)], filled).astype(np.int64)
