"""What documents are held to: the model's own outline, or a template."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from permutopic.anomalies.presence import Presence

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from permutopic.anomalies.habits import Habits


@dataclass(frozen=True, eq=False, repr=False)
class Standard:
    """Slots in an expected order, and which topics go into which.

    Attributes
    ----------
    names
        What each slot is called.
    slots
        (K,): the slot of every topic; −1 if there is none for it. Topics that no fitted document
        has never have one: nobody knows where they belong.
    habits
        What documents do.
    all_wanted
        Whether a document should have them all (a template), or only those that most have.
    """

    names: tuple[str, ...]
    slots: NDArray[np.int64]
    habits: Habits
    all_wanted: bool = False

    def topics(self, slot: int) -> NDArray[np.int64]:
        """Give the topics that go into a slot."""
        return np.flatnonzero(self.slots == slot)

    @cached_property
    def presence(self) -> Presence:
        """How many documents fill each slot."""
        bags = self.habits.bags
        filled = [bags[:, self.topics(slot)].sum(axis=1) for slot in range(len(self.names))]
        return Presence(np.array(filled, dtype=np.int64).reshape(-1, len(bags)).T, bags.sum(axis=1))

    def first_topics(self, topics: NDArray[np.int64]) -> dict[int, int]:
        """List the slots that a document fills, in the order in which it does, with the topic."""
        met: dict[int, int] = {}
        for topic in dict.fromkeys(topics.tolist()):
            slot = int(self.slots[topic])
            if slot >= 0:
                met.setdefault(slot, topic)
        return met


def canonical(habits: Habits) -> Standard:
    """Hold documents to the model's own outline: a slot for every topic in use."""
    slots = np.full(habits.n_topics, -1)
    slots[habits.used] = habits.used
    return Standard(habits.names, slots, habits)
