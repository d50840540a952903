"""The outline that documents are compared with: the model's own, or a template."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from permutopic.anomalies.rarefaction import DocumentShares

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from permutopic.anomalies.usage import TopicUsage


@dataclass(frozen=True, eq=False, repr=False)
class ExpectedOutline:
    """Entries in an expected order, each with the topics that belong to it.

    Attributes
    ----------
    names
        Names of the entries.
    entry_of
        (K,): the entry of each topic; −1 if it has none. A topic of no fitted document never has
        one, as its position is undetermined.
    usage
        Usage of topics in the fitted documents.
    all_required
        Whether a document should have all entries (a template), or only those that most have.
    """

    names: tuple[str, ...]
    entry_of: NDArray[np.int64]
    usage: TopicUsage
    all_required: bool = False

    def topics(self, entry: int) -> NDArray[np.int64]:
        """Return the topics that belong to an entry."""
        return np.flatnonzero(self.entry_of == entry)

    @cached_property
    def document_shares(self) -> DocumentShares:
        """Shares of the documents that have each entry."""
        bags = self.usage.bags
        counts = [bags[:, self.topics(entry)].sum(axis=1) for entry in range(len(self.names))]
        table = np.array(counts, dtype=np.int64).reshape(-1, len(bags)).T
        return DocumentShares(table, bags.sum(axis=1))

    def first_topics(self, topics: NDArray[np.int64]) -> dict[int, int]:
        """Map each entry that a document has to its first topic there, in the document's order."""
        found: dict[int, int] = {}
        for topic in dict.fromkeys(topics.tolist()):
            entry = int(self.entry_of[topic])
            if entry >= 0:
                found.setdefault(entry, topic)
        return found


def canonical_outline(usage: TopicUsage) -> ExpectedOutline:
    """Make the model's own outline: one entry for every topic in use."""
    entry_of = np.full(usage.n_topics, -1)
    entry_of[usage.used] = usage.used
    return ExpectedOutline(usage.names, entry_of, usage)
