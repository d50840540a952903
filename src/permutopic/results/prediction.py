"""The prediction of a method for a corpus: one topic for each unit."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from permutopic.results.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Prediction:
    """The topics of all units of a corpus, flat, with the offsets of the documents.

    The one format of an alignment: units with the same number belong together. The one format
    of a segmentation follows from it: `ends(document)`.

    Attributes
    ----------
    topics
        A number for each unit.
    document_offsets
        Document d holds units `document_offsets[d]` up to `document_offsets[d + 1]`.
    by_document
        Other numbers of a method for each document, such as the cost of its segmentation.
    measures
        Numbers for the whole corpus, such as a likelihood.
    """

    topics: NDArray[np.int64]
    document_offsets: NDArray[np.int64]
    by_document: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    measures: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def from_ends(
        cls,
        ends: Iterable[Sequence[int] | NDArray[np.int64]],
        document_offsets: NDArray[np.int64],
        **others: Any,
    ) -> Prediction:
        """Make a prediction of segments alone: each has a topic of its own.

        >>> found = Prediction.from_ends([[1, 3], [2]], np.array([0, 3, 5]))
        >>> found.topics.tolist(), found.ends(0).tolist(), found.ends(1).tolist()
        ([0, 1, 1, 2, 2], [1, 3], [2])
        """
        sizes = [np.diff(each, prepend=0) for each in ends]
        segments = np.concatenate(sizes)
        topics = np.repeat(np.arange(segments.size), segments)
        return cls(topics, document_offsets, **others)

    def table(self, titles: Sequence[str]) -> Table:
        """Make a table with a row for each document: topics, ends of segments, other numbers.

        >>> prediction = Prediction(np.array([4, 4, 2]), np.array([0, 2, 3]))
        >>> [row["ends"].tolist() for row in prediction.table(["Oslo", "Bern"])]
        [[2], [1]]
        """
        columns = {"title": str, "topics": list[int], "ends": list[int]}
        return Table(
            {**columns, **dict.fromkeys(self.by_document, float)}, lambda: self._rows(titles)
        )

    def _rows(self, titles: Sequence[str]) -> Iterator[dict[str, object]]:
        for number, title in enumerate(titles):
            first, last = self.document_offsets[number : number + 2]
            others = {name: values[number] for name, values in self.by_document.items()}
            topics = self.topics[first:last]
            yield {"title": title, "topics": topics, "ends": self.ends(number), **others}

    def ends(self, document: int) -> NDArray[np.int64]:
        """Return the number of the last unit of each segment of a document, counted from 1."""
        first, last = self.document_offsets[document : document + 2]
        return segment_ends(self.topics[first:last])


def number_labels(labels: Sequence[object] | NDArray[np.int64]) -> NDArray[np.int64]:
    """Return labels as numbers, in the order of their first occurrence.

    >>> number_labels(["b", "a", "b"]).tolist()
    [0, 1, 0]
    """
    numbers: dict[object, int] = {}
    return np.array([numbers.setdefault(label, len(numbers)) for label in labels], dtype=np.int64)


def segment_ends(labels: Sequence[object] | NDArray[np.int64]) -> NDArray[np.int64]:
    """Cut where the label changes; return the number of each segment's last unit, from 1.

    >>> segment_ends(["a", "a", "b", "a"])
    array([2, 3, 4])
    """
    values = number_labels(labels)
    return np.append(np.flatnonzero(values[1:] != values[:-1]) + 1, values.size)
