"""What documents of a corpus are used to: how much of each topic, and in which order."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import numpy as np

from permutopic.anomalies.precedence import count_before, precedence, tail_table
from permutopic.anomalies.presence import Presence
from permutopic.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import ArrayLike, NDArray


class Entry(Protocol):
    """What has to be known of a topic: an entry of a model's outline has it."""

    @property
    def topic(self) -> int: ...  # noqa: D102
    @property
    def name(self) -> str: ...  # noqa: D102
    @property
    def document_share(self) -> float: ...  # noqa: D102
    @property
    def dispersion(self) -> float | None: ...  # noqa: D102
    @property
    def in_place(self) -> float | None: ...  # noqa: D102
    @property
    def firmness(self) -> str | None: ...  # noqa: D102


@dataclass(frozen=True, eq=False, repr=False)
class Habits:
    """The fitted documents, as far as structure goes.

    Attributes
    ----------
    names
        What each topic is called; topics are numbered in canonical order.
    bags
        (D, K): how many units of each document each topic has.
    dispersion
        ρ of the topics in use, the last one aside. Topics that no document has are no part of the
        order: they could stand anywhere.

    Examples
    --------
    >>> habits = Habits(("a", "b", "c"), np.array([[1, 0, 1]]), np.array([np.log(3)]))
    >>> habits.before[2].round(2).tolist()
    [0.25, 0.0, 0.0]
    """

    names: tuple[str, ...]
    bags: NDArray[np.int64]
    dispersion: NDArray[np.float64]

    def __post_init__(self) -> None:
        if self.bags.ndim != 2 or self.bags.shape[1] != len(self.names):
            raise InputError(
                f"bags has a row a document and a column a topic, {len(self.names)} of them, and "
                f"not the shape {self.bags.shape}"
            )
        wanted = max(self.used.size - 1, 0)
        if self.dispersion.shape != (wanted,):
            raise InputError(
                f"dispersion has a number for each topic in use but the last, {wanted} of them, "
                f"and not {self.dispersion.size}"
            )

    @property
    def n_topics(self) -> int:
        """Count the topics, those included that no document has."""
        return len(self.names)

    @cached_property
    def used(self) -> NDArray[np.int64]:
        """The topics that documents have, in canonical order."""
        return np.flatnonzero(self.bags.any(axis=0))

    @cached_property
    def ranks(self) -> NDArray[np.int64]:
        """(K,): the place of each topic among those in use; −1 where it is not."""
        ranks = np.full(self.n_topics, -1)
        ranks[self.used] = np.arange(self.used.size)
        return ranks

    @cached_property
    def presence(self) -> Presence:
        """How many documents have each topic."""
        return Presence(self.bags)

    @cached_property
    def before(self) -> NDArray[np.float64]:
        """(K, K): the probability that one topic stands before another; 0 where one is unused."""
        table = np.zeros((self.n_topics, self.n_topics))
        if self.used.size:
            table[np.ix_(self.used, self.used)] = precedence(self._tails)
        return table

    @cached_property
    def _tails(self) -> NDArray[np.float64]:
        return tail_table(self.dispersion)

    def n_before(self, topic: int, others: Iterable[int]) -> NDArray[np.float64]:
        """Give the distribution of how many of other topics stand before a topic."""
        ranks = [int(self.ranks[other]) for other in others]
        return count_before(self._tails, int(self.ranks[topic]), ranks)


def habits_of(outline: Sequence[Entry], bags: ArrayLike, dispersion: ArrayLike) -> Habits:
    """Take what matters from a model's outline, `bags_` and `dispersion_`.

    Where the outline has no ρ (in the constrained and uniform variants) the model's is taken.
    """
    counts, rho = np.asarray(bags, dtype=np.int64), np.asarray(dispersion, dtype=np.float64)
    given = []
    for topic in np.flatnonzero(counts.any(axis=0))[:-1]:
        shown = outline[topic].dispersion
        given.append(float(rho[topic]) if shown is None else shown)
    names = tuple(entry.name for entry in outline)
    return Habits(names, counts, np.array(given, dtype=np.float64))
