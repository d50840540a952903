"""A document at a glance: its topics, and how far their order is from the canonical one."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Structure:
    """One document's topics.

    Attributes
    ----------
    title
        The document's title.
    topics
        The topic of every unit.
    swaps
        Swaps of neighbouring topics between the canonical order and the order of first
        appearance: 0 if the document keeps to the outline.
    """

    title: str
    topics: tuple[int, ...]
    swaps: int

    @property
    def segments(self) -> tuple[int, ...]:
        """The topic of every run of units that have the same one."""
        return tuple(topic for topic, _ in groupby(self.topics))


def structure_of(title: str, topics: NDArray[np.int64] | Sequence[int]) -> Structure:
    """Describe a document by the topics of its units.

    >>> structure_of("Oslo", [2, 2, 0, 1]).swaps
    2
    """
    sequence = tuple(int(topic) for topic in topics)
    return Structure(title, sequence, count_swaps(dict.fromkeys(sequence)))


def count_swaps(topics: Iterable[int]) -> int:
    """Count the pairs of different topics that stand the other way round.

    >>> count_swaps([2, 0, 1])
    2
    """
    met: list[int] = []
    swaps = 0
    for topic in topics:
        swaps += sum(earlier > topic for earlier in met)
        met.append(topic)
    return swaps
