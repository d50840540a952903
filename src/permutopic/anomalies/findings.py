"""The kinds of findings in a document, each with its sentence and its values in a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from permutopic.anomalies.formatting import format_probability, join_names, quote_name

QUOTE_LENGTH = 60
"""Characters of a passage that are quoted."""
MIN_DIFFERENCE = 0.1
"""The rarefied share is mentioned if it is less than the plain share by at least this."""


class _TableRow:
    """A finding some of whose attributes are columns of a table."""

    columns: ClassVar[tuple[str, ...]]

    def row(self) -> dict[str, Any]:
        """Return the attributes that are columns of the table of findings."""
        return {name: getattr(self, name) for name in self.columns}


@dataclass(frozen=True)
class Missing(_TableRow):
    """A topic that most documents have and this one has not.

    Attributes
    ----------
    topic, name
        The topic; `topic` is None where an entry of a template has several topics.
    share
        Share of the fitted documents that have it.
    rarefied_share
        The same for documents cut down to the length of this one.
    certainty
        Posterior probability that the document lacks it; None without samples.
    """

    topic: int | None
    name: str
    share: float
    rarefied_share: float
    certainty: float | None
    kind: str = "missing"
    columns: ClassVar[tuple[str, ...]] = ("topic", "name", "probability", "certainty")

    @property
    def probability(self) -> float:
        """The share of documents, cut down to the length of this one, that lack the topic."""
        return 1 - self.rarefied_share

    def describe(self) -> str:
        """Describe the finding in a sentence.

        >>> Missing(2, "Uses", 0.94, 0.81, 0.98).describe()
        'has no Uses: 94% of the documents have it (81% if none were longer than this one)'
        """
        shorter = (
            f" ({self.rarefied_share:.0%} if none were longer than this one)"
            if self.share - self.rarefied_share >= MIN_DIFFERENCE
            else ""
        )
        return f"has no {quote_name(self.name)}: {self.share:.0%} of the documents have it{shorter}"


@dataclass(frozen=True)
class Misplaced(_TableRow):
    """A topic at an improbable position in the order of the document's topics.

    Attributes
    ----------
    topic, name, first_unit, last_unit
        The topic, and its units, counted from 1.
    early
        True if it precedes topics that should come first, False if it follows topics that should
        come later.
    passed
        Names of those topics.
    position, expected_position
        Its position among the topics of the document, and in the expected order, counted from 1.
    probability
        Probability of as many topics on the wrong side, or more, given the document's topics.
    least_likely, pair_probability
        The topic that it is least likely to have passed, and the probability of that pair.
    certainty
        Posterior probability that it has passed that topic; None without samples.
    """

    topic: int
    name: str
    first_unit: int
    last_unit: int
    early: bool
    passed: tuple[str, ...]
    position: int
    expected_position: int
    probability: float
    least_likely: str
    pair_probability: float
    certainty: float | None
    kind: str = "misplaced"
    columns: ClassVar[tuple[str, ...]] = (
        *("topic", "name", "first_unit", "last_unit", "probability", "certainty"),
    )

    def describe(self) -> str:
        """Describe the finding in a sentence."""
        side, extent = ("before", "that early") if self.early else ("after", "that late")
        found = f"{quote_name(self.name)} stands {side} {join_names(self.passed)}"
        share = format_probability(self.probability)
        return f"{found}: {share} of documents with these topics have it {extent}"


@dataclass(frozen=True)
class Extra(_TableRow):
    """A topic of the document that is not in the outline or the template.

    Attributes
    ----------
    topic, name, first_unit, last_unit
        The topic, and its first and last unit, counted from 1.
    share
        Share of the fitted documents that have it.
    certainty
        Posterior probability that the document has it; None without samples.
    """

    topic: int
    name: str
    first_unit: int
    last_unit: int
    share: float
    certainty: float | None
    kind: str = "extra"
    columns: ClassVar[tuple[str, ...]] = ("topic", "name", "first_unit", "last_unit", "certainty")

    def describe(self) -> str:
        """Describe the finding in a sentence."""
        return f"has {quote_name(self.name)}, which has no place here"


@dataclass(frozen=True)
class UnusualPassage(_TableRow):
    """Consecutive units whose words do not fit their topic.

    Attributes
    ----------
    kind
        "no topic": no topic explains them; "unknown words": most of their words are unknown;
        "other topic": another topic explains them far better than the inferred one.
    topic, name
        The inferred topic.
    first_unit, last_unit, start, end
        The units, counted from 1, and their characters in the source (−1 where it is unknown).
    words, unknown
        Number of tokens, and the share that the model does not know.
    score
        "no topic": misfit above the document's median, in nats per word. "unknown words": the
        share. "other topic": log odds of the better topic.
    better
        Name of the better topic, for "other topic".
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
    columns: ClassVar[tuple[str, ...]] = (
        *("topic", "name", "first_unit", "last_unit", "start", "end", "score", "text"),
    )

    def describe(self) -> str:
        """Describe the finding in a sentence, with the beginning of the text."""
        one = self.last_unit == self.first_unit
        units = f"unit {self.first_unit}" if one else f"units {self.first_unit}–{self.last_unit}"
        share = f"{self.unknown:.0%} of the words"
        if self.kind == "other topic":
            better, name = quote_name(self.better or ""), quote_name(self.name)
            reads, is_in = ("reads", "is in") if one else ("read", "are in")
            found = f"{units} {reads} like {better} and {is_in} {name}"
        elif self.kind == "unknown words":
            found = f"{units}: {share} are unknown to the model"
        else:
            found = f"{units} {'fits' if one else 'fit'} no topic ({share} unknown)"
        return f"{found}{self._quote()}"

    def _quote(self) -> str:
        text = " ".join(self.text.split())
        if not text:
            return ""
        shortened = text if len(text) <= QUOTE_LENGTH else f"{text[:QUOTE_LENGTH].rstrip()} …"
        return f": “{shortened}”"


Finding = Missing | Misplaced | Extra | UnusualPassage
