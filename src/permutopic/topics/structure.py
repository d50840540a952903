"""The structure of a document: its topics, and the distance of their order to the canonical one."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from permutopic.permutation import count_swaps

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Structure:
    """The topics of one document.

    Attributes
    ----------
    title
        The document's title.
    topics
        The topic of every unit.
    swaps
        Kendall distance between the order in which topics first appear and the canonical one: 0 if
        the document has the canonical order.
    """

    title: str
    topics: tuple[int, ...]
    swaps: int

    @property
    def segments(self) -> tuple[int, ...]:
        """The topic of every segment."""
        return tuple(topic for topic, _ in groupby(self.topics))


def structure_of(title: str, topics: NDArray[np.int64] | Sequence[int]) -> Structure:
    """Return the structure of a document, given the topics of its units.

    >>> structure_of("Oslo", [2, 2, 0, 1]).swaps
    2
    """
    sequence = tuple(int(topic) for topic in topics)
    return Structure(title, sequence, count_swaps(dict.fromkeys(sequence)))
