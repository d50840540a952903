"""All findings in one document, and the columns of the table of findings."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from permutopic.anomalies.findings import Extra, Finding, Misplaced, Missing, UnusualPassage

FINDING_COLUMNS: dict[str, Any] = {
    "document": int,
    "title": str,
    "location": str,
    "subjects": list[str],
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
"""Columns of the table of findings, with their types."""
PASSAGE_RATE = 0.04
"""Unusual passages per unit in ordinary documents."""
PASSAGE_SCORE = 3
"""Anomaly score of a passage beyond that rate, in nats."""
MIN_PROBABILITY = 1e-3
"""Smaller probabilities count as this one in the anomaly score."""


@dataclass(frozen=True)
class Neighbour:
    """Another document and its distance in structure: 0 for the same, 1 without a common topic."""

    number: int
    title: str
    distance: float


@dataclass(frozen=True)
class DocumentCheck:
    """All findings in one document.

    Attributes
    ----------
    title, location
        Title of the document, and where it was read.
    topics
        The topic of each of its units.
    fitted_number
        Its number among the fitted documents; −1 for a new document.
    missing, misplaced, extra, passages
        The findings. `passages` is None where the text was not checked.
    swaps, expected_swaps
        Pairs of its topics in the wrong order, and their expected number given these topics.
    nearest, farthest
        Fitted documents with the most and the least similar structure.
    subjects
        What it is about, in up to ten words.
    """

    title: str
    location: str
    topics: tuple[int, ...]
    fitted_number: int
    missing: tuple[Missing, ...]
    misplaced: tuple[Misplaced, ...]
    extra: tuple[Extra, ...]
    passages: tuple[UnusualPassage, ...] | None
    swaps: int
    expected_swaps: float
    nearest: tuple[Neighbour, ...] = ()
    farthest: tuple[Neighbour, ...] = ()
    subjects: tuple[str, ...] = ()

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All findings: missing, misplaced, extra, passages."""
        return (*self.missing, *self.misplaced, *self.extra, *(self.passages or ()))

    @property
    def anomaly_score(self) -> float:
        """Surprisal of all findings together, in nats; documents are sorted by it.

        −log p for each finding about structure, 7 at most. A passage counts 3, but only passages
        beyond one in 25 units, which is the rate of ordinary documents.
        """
        probabilities = [each.probability for each in self.missing]
        probabilities += [each.probability for each in self.misplaced]
        probabilities += [1 - each.certainty if each.certainty else 0.5 for each in self.extra]
        surprisal = sum(-math.log(max(p, MIN_PROBABILITY)) for p in probabilities)
        excess = len(self.passages or ()) - PASSAGE_RATE * len(self.topics)
        return surprisal + PASSAGE_SCORE * max(excess, 0.0)

    def rows(self, number: int) -> list[dict[str, Any]]:
        """Return one row a finding, and one for each near and far document."""
        front = {
            "document": number,
            "title": self.title,
            "location": self.location,
            "subjects": list(self.subjects),
        }
        found = [
            {**front, "kind": each.kind, **each.row(), "says": each.describe()}
            for each in self.findings
        ]
        for kind, others in (("nearest", self.nearest), ("farthest", self.farthest)):
            found += [
                {**front, "kind": kind, "name": other.title, "score": other.distance,
                 "says": f"{'most' if kind == 'nearest' else 'least'} like {other.title}"}
                for other in others
            ]  # fmt: skip
        return found
