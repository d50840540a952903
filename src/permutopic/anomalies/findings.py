"""What may be found in a document, each kind with what it says in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from permutopic.anomalies.wording import chance, listed, named, percent

QUOTED = 60
"""Characters of a passage that are quoted."""
NOTED = 0.1
"""A smaller difference between all documents and those of a document's length is not told."""


@dataclass(frozen=True)
class Missing:
    """A topic that a document lacks and most others have.

    Attributes
    ----------
    topic, name
        Which; `topic` is None where several topics of the model make up an entry of a template.
    share
        Share of the fitted documents that have it.
    expected
        The same for documents cut down to the length of this one.
    certainty
        The posterior probability that the document lacks it; None if nothing was sampled.
    """

    topic: int | None
    name: str
    share: float
    expected: float
    certainty: float | None
    kind: str = "missing"

    def says(self) -> str:
        """Say it in words.

        >>> Missing(2, "Uses", 0.94, 0.81, 0.98).says()
        'has no Uses: 94% of the documents have it (81% if none were longer than this one)'
        """
        shorter = (
            f" ({percent(self.expected)} if none were longer than this one)"
            if self.share - self.expected >= NOTED
            else ""
        )
        return f"has no {named(self.name)}: {percent(self.share)} of the documents have it{shorter}"

    def row(self) -> dict[str, Any]:
        """Give the finding as a row of a table."""
        chance = {"probability": 1 - self.expected, "certainty": self.certainty}
        return {"topic": self.topic, "name": self.name, **chance}


@dataclass(frozen=True)
class Misplaced:
    """A topic that stands where it does not belong.

    Attributes
    ----------
    topic, name, first_unit, last_unit
        Which, and its units, counted from 1.
    early
        Whether it stands before topics that should come first, or behind ones that should follow.
    past
        Names of those topics.
    place, usual
        Its place among the topics of the document, and where it should be, counted from 1.
    probability
        How likely a document with the same topics is to have it that far off: with so many of the
        topics on the wrong side, or more.
    worst, pair_probability
        The topic that it is least likely to have passed, and how likely that is.
    certainty
        The posterior probability that it has passed that topic; None if nothing was sampled.
    """

    topic: int
    name: str
    first_unit: int
    last_unit: int
    early: bool
    past: tuple[str, ...]
    place: int
    usual: int
    probability: float
    worst: str
    pair_probability: float
    certainty: float | None
    kind: str = "misplaced"

    def says(self) -> str:
        """Say it in words."""
        side = "before" if self.early else "after"
        far = "that early" if self.early else "that late"
        here = f"{named(self.name)} stands {side} {listed(self.past)}"
        return f"{here}: {chance(self.probability)} of documents with these topics have it {far}"

    def row(self) -> dict[str, Any]:
        """Give the finding as a row of a table."""
        names = ("topic", "name", "first_unit", "last_unit", "probability", "certainty")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True)
class Extra:
    """A topic that a document has and that has no place in the outline or the template."""

    topic: int
    name: str
    first_unit: int
    last_unit: int
    share: float
    certainty: float | None
    kind: str = "extra"

    def says(self) -> str:
        """Say it in words."""
        return f"has {named(self.name)}, which has no place here"

    def row(self) -> dict[str, Any]:
        """Give the finding as a row of a table."""
        names = ("topic", "name", "first_unit", "last_unit", "certainty")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True)
class Passage:
    """Units one after another that do not fit where they are.

    Attributes
    ----------
    kind
        "no topic": no topic explains them; "unknown words": most of their words are unknown;
        "other topic": another topic explains them far better than the one that has them.
    topic, name
        The topic that has them.
    first_unit, last_unit, start, end
        Which units, counted from 1, and their characters in the source (−1 where it is unknown).
    words, unknown
        Tokens in them, and the share that the model does not know.
    score
        "no topic": nats a word by which they fit worse than the document's median unit. "unknown
        words": the share. "other topic": log odds of the better topic.
    better
        Name of the topic that fits better, for "other topic".
    text
        The text, where it is known.
    """

    kind: str
    topic: int
    name: str
    first_unit: int
    last_unit: int
    start: int
    end: int
    words: int
    unknown: float
    score: float
    better: str | None
    text: str

    def says(self) -> str:
        """Say it in words."""
        where = f"unit {self.first_unit}"
        one = self.last_unit == self.first_unit
        if not one:
            where = f"units {self.first_unit}–{self.last_unit}"
        if self.kind == "other topic":
            better, name = named(self.better or ""), named(self.name)
            says = (
                f"{'reads' if one else 'read'} like {better} and {'is' if one else 'are'} in {name}"
            )
        elif self.kind == "unknown words":
            says = f"{self.unknown:.0%} of the words are unknown to the model"
            return f"{where}: {says}{self._quoted()}"
        else:
            says = f"{'fits' if one else 'fit'} no topic ({self.unknown:.0%} of the words unknown)"
        return f"{where} {says}{self._quoted()}"

    def _quoted(self) -> str:
        text = " ".join(self.text.split())
        if not text:
            return ""
        return f": “{text}”" if len(text) <= QUOTED else f": “{text[:QUOTED].rstrip()} …”"

    def row(self) -> dict[str, Any]:
        """Give the finding as a row of a table."""
        names = ("topic", "name", "first_unit", "last_unit", "start", "end", "score", "text")
        return {name: getattr(self, name) for name in names}


Finding = Missing | Misplaced | Extra | Passage
