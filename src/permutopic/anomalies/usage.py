"""Usage of topics in the fitted documents: how many units of each, and in which order."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol, Self

import numpy as np

from permutopic.anomalies.precedence import count_before, precedence, tail_table
from permutopic.anomalies.rarefaction import DocumentShares
from permutopic.errors import InputError, Parameter

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import ArrayLike, NDArray


class OutlineEntryLike(Protocol):
    """The attributes of an entry of a model's outline that are used here."""

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
class TopicUsage:
    """Topics in the fitted documents.

    Attributes
    ----------
    names
        (K,): names of the topics; topics are numbered in canonical order.
    bags
        (D, K): number of units of each topic in each document.
    dispersion
        ρ of the topics in use, except the last one. Topics of no document are left out of the
        order: their position is undetermined.

    Examples
    --------
    >>> usage = TopicUsage(("a", "b", "c"), np.array([[1, 0, 1]]), np.array([np.log(3)]))
    >>> usage.precedence[2].round(2).tolist()
    [0.25, 0.0, 0.0]
    """

    names: tuple[str, ...]
    bags: NDArray[np.int64]
    dispersion: NDArray[np.float64]

    @classmethod
    def from_outline(
        cls, outline: Sequence[OutlineEntryLike], bags: ArrayLike, dispersion: ArrayLike
    ) -> Self:
        """Take names and ρ from a model's outline, and counts from its `bags_`.

        Where the outline has no ρ (in the constrained and uniform variants) that of `dispersion`,
        the model's `dispersion_`, is used.
        """
        counts, rho = np.asarray(bags, dtype=np.int64), np.asarray(dispersion, dtype=np.float64)
        chosen = []
        for topic in np.flatnonzero(counts.any(axis=0))[:-1]:
            shown = outline[topic].dispersion
            chosen.append(float(rho[topic]) if shown is None else shown)
        names = tuple(entry.name for entry in outline)
        return cls(names, counts, np.array(chosen, dtype=np.float64))

    def __post_init__(self) -> None:
        if self.bags.ndim != 2 or self.bags.shape[1] != len(self.names):
            raise InputError(
                Parameter("bags"),
                f" has a row a document and a column a topic, {len(self.names)} of them, and "
                f"not the shape {self.bags.shape}",
            )
        wanted = max(self.used.size - 1, 0)
        if self.dispersion.shape != (wanted,):
            raise InputError(
                Parameter("dispersion"),
                f" has a number for each topic in use but the last, {wanted} of them, "
                f"and not {self.dispersion.size}",
            )

    @property
    def n_topics(self) -> int:
        """Number of topics, including those of no document."""
        return len(self.names)

    @cached_property
    def used(self) -> NDArray[np.int64]:
        """The topics of at least one document, in canonical order."""
        return np.flatnonzero(self.bags.any(axis=0))

    @cached_property
    def ranks(self) -> NDArray[np.int64]:
        """(K,): the index of each topic among those in use; −1 for the others."""
        ranks = np.full(self.n_topics, -1)
        ranks[self.used] = np.arange(self.used.size)
        return ranks

    @cached_property
    def document_shares(self) -> DocumentShares:
        """Shares of the documents that have each topic."""
        return DocumentShares(self.bags)

    @cached_property
    def precedence(self) -> NDArray[np.float64]:
        """(K, K): P(topic of the row precedes that of the column); 0 where one is unused."""
        table = np.zeros((self.n_topics, self.n_topics))
        if self.used.size:
            table[np.ix_(self.used, self.used)] = precedence(self._tails)
        return table

    @cached_property
    def _tails(self) -> NDArray[np.float64]:
        return tail_table(self.dispersion)

    def count_before(self, topic: int, others: Iterable[int]) -> NDArray[np.float64]:
        """Compute the distribution of the number of other topics that precede a topic."""
        ranks = [int(self.ranks[other]) for other in others]
        return count_before(self._tails, int(self.ranks[topic]), ranks)
