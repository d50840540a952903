"""A template as a model sees it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from permutopic.anomalies.standard import Standard
from permutopic.anomalies.wording import named

if TYPE_CHECKING:
    from collections.abc import Sequence

    from permutopic.anomalies.habits import Habits

FITS = 0.4
"""Least fit, in nats a word: seed words are half as frequent again as in the whole corpus."""


@dataclass(frozen=True)
class MatchedEntry:
    """An entry of a template, and the topics that go with it.

    Attributes
    ----------
    name
        The entry's.
    topics
        The topics, the best first; empty if none fits.
    by
        "name", "heading", "words", or "nothing".
    fit
        How well the first topic fits, or the closest one, in nats a seed word; nan if no seed
        word is known.
    closest
        The topic that fits best, whether or not it goes with this entry; None if no seed is known.
    owner
        The entry that the closest topic goes with; None if that is none.
    known, unknown
        Seed words as tokens of the model, by whether it knows them.
    """

    name: str
    topics: tuple[int, ...]
    by: str
    fit: float
    closest: int | None
    owner: str | None
    known: tuple[str, ...]
    unknown: tuple[str, ...]

    def says(self, names: Sequence[str]) -> str:
        """Say it in words, given the names of the topics."""
        if self.topics:
            return f"{self.name} is {' + '.join(named(names[topic]) for topic in self.topics)}"
        says = f"no topic of the model is for {named(self.name)}"
        if self.closest is None:
            return f"{says}: its words are unknown to the model"
        closest = named(names[self.closest])
        if self.owner is not None and self.fit >= FITS:
            return f"{says} alone: {closest} fits, and goes with {named(self.owner)}"
        return f"{says}: the closest is {closest}, with {self.fit:+.1f} nats a word"


@dataclass(frozen=True)
class Match:
    """A template as a model sees it."""

    entries: tuple[MatchedEntry, ...]
    left: tuple[int, ...]
    """Topics in use that are not in the template."""

    def standard(self, habits: Habits) -> Standard:
        """Hold documents to the template."""
        slots = np.full(habits.n_topics, -1)
        for slot, entry in enumerate(self.entries):
            slots[list(entry.topics)] = slot
        return Standard(tuple(entry.name for entry in self.entries), slots, habits, True)

    def as_dict(self) -> dict[str, Any]:
        """Give everything as plain values."""
        return asdict(self)

    def rows(self, habits: Habits) -> list[dict[str, Any]]:
        """Give one row for each entry that no topic fits, and each topic that it does not have."""
        found: list[dict[str, Any]] = [
            {"kind": "no topic fits", "name": entry.name, "score": entry.fit,
             "says": entry.says(habits.names)}
            for entry in self.entries
            if not entry.topics
        ]  # fmt: skip
        for topic in self.left:
            name = habits.names[topic]
            says = f"{named(name)} is not in the template"
            found.append({"kind": "not in template", "topic": topic, "name": name, "says": says})
        return found
