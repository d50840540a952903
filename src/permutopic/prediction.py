"""What every method gives for a corpus: one topic for each unit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Prediction:
    """Topics of all units of a corpus, flat, and where the documents end.

    The one format of an alignment: units with the same number belong together. The one format
    of a segmentation follows from it: `ends(document)`.
    """

    topics: NDArray[np.int64]
    document_offsets: NDArray[np.int64]

    def ends(self, document: int) -> NDArray[np.int64]:
        """Give the number of the last unit of each segment of a document, counted from 1."""
        first, last = self.document_offsets[document : document + 2]
        return segment_ends(self.topics[first:last])


def number_labels(labels: Sequence[object] | NDArray[np.int64]) -> NDArray[np.int64]:
    """Give equal labels equal numbers, in the order in which they first occur.

    >>> number_labels(["b", "a", "b"]).tolist()
    [0, 1, 0]
    """
    numbers: dict[object, int] = {}
    return np.array([numbers.setdefault(label, len(numbers)) for label in labels], dtype=np.int64)


def segment_ends(labels: Sequence[object] | NDArray[np.int64]) -> NDArray[np.int64]:
    """Cut where the label changes: the number of each segment's last unit, counted from 1.

    >>> segment_ends(["a", "a", "b", "a"])
    array([2, 3, 4])
    """
    values = number_labels(labels)
    return np.append(np.flatnonzero(values[1:] != values[:-1]) + 1, values.size)
