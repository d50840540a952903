"""All that was found in one document, and the table that findings go into."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from permutopic.anomalies.findings import Extra, Finding, Misplaced, Missing, Passage

COLUMNS: dict[str, Any] = {
    "document": int,
    "title": str,
    "location": str,
    "kind": str,
    "topic": int,
    "name": str,
    "first_unit": int,
    "last_unit": int,
    "start": int,
    "end": int,
    "probability": float,
    "certainty": float,
    "score": float,
    "says": str,
    "text": str,
}
"""Columns of a table of findings, with their kinds."""
ORDINARY = 0.04
"""Passages for each unit that ordinary documents have."""
LEAST = 1e-3
"""What is less probable is as odd as this."""


@dataclass(frozen=True)
class Neighbour:
    """Another document, and how far its structure is: 0 if it is the same, 1 if nothing is."""

    number: int
    title: str
    distance: float


@dataclass(frozen=True)
class DocumentCheck:
    """All that is odd in one document.

    Attributes
    ----------
    title, location
        Which document.
    topics
        The topic of each of its units.
    same
        Numbers of the fitted documents that it is itself.
    missing, misplaced, extra, passages
        What was found. `passages` is None where no text was looked at.
    swaps, expected_swaps
        Pairs of its topics in the wrong order, and how many documents with these topics have on
        average.
    nearest, farthest
        Fitted documents of the most and the least similar structure.
    """

    title: str
    location: str
    topics: tuple[int, ...]
    same: tuple[int, ...]
    missing: tuple[Missing, ...]
    misplaced: tuple[Misplaced, ...]
    extra: tuple[Extra, ...]
    passages: tuple[Passage, ...] | None
    swaps: int
    expected_swaps: float
    nearest: tuple[Neighbour, ...] = ()
    farthest: tuple[Neighbour, ...] = ()

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All findings, one after another."""
        return (*self.missing, *self.misplaced, *self.extra, *(self.passages or ()))

    @property
    def oddness(self) -> float:
        """What documents are sorted by: the surprise of all findings together, in nats.

        −log of how likely each is, 7 at most. A passage counts as 3, but ordinary documents have
        one in 25 units, and only what goes beyond counts.
        """
        chances = [1 - each.expected for each in self.missing]
        chances += [each.probability for each in self.misplaced]
        chances += [1 - each.certainty if each.certainty else 0.5 for each in self.extra]
        surprise = sum(-math.log(max(chance, LEAST)) for chance in chances)
        beyond = len(self.passages or ()) - ORDINARY * len(self.topics)
        return surprise + 3 * max(beyond, 0.0)

    def as_dict(self) -> dict[str, Any]:
        """Give everything as plain values."""
        return asdict(self)

    def rows(self, number: int) -> list[dict[str, Any]]:
        """Give one row a finding, and one for each near and far document."""
        front = {"document": number, "title": self.title, "location": self.location}
        found = [
            {**front, "kind": each.kind, **each.row(), "says": each.says()}
            for each in self.findings
        ]
        for kind, others in (("nearest", self.nearest), ("farthest", self.farthest)):
            found += [
                {**front, "kind": kind, "name": other.title, "score": other.distance,
                 "says": f"{'most' if kind == 'nearest' else 'least'} like {other.title}"}
                for other in others
            ]  # fmt: skip
        return found
