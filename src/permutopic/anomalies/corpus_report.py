"""The corpus as a whole: how firmly topics keep their positions, which documents deviate most."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from permutopic.anomalies.expected_outline import canonical_outline
from permutopic.anomalies.formatting import quote_name
from permutopic.anomalies.misplaced import order_statistics

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from permutopic.anomalies.document_check import DocumentCheck
    from permutopic.anomalies.usage import OutlineEntryLike, TopicUsage

FIRMNESS_PHRASES = {
    "fixed": "keeps its place",
    "firm": "mostly keeps its place",
    "loose": "often gives way to later topics",
    "wanders": "wanders",
}
"""From the firmness of a topic in the outline to the phrase for it in a sentence."""


@dataclass(frozen=True)
class TopicPosition:
    """How firmly a topic keeps its position in the fitted documents.

    Attributes
    ----------
    topic, name, document_share
        The topic, and the share of the documents that have it.
    dispersion, in_place, firmness
        ρ, the probability that none of the later topics precedes it, and ρ in a word, as in the
        outline.
    moved
        Of the documents that have it, the share where it is among the fewest topics that have to
        move for the others to be in order.
    """

    topic: int
    name: str
    document_share: float
    dispersion: float | None
    in_place: float | None
    firmness: str | None
    moved: float

    def describe(self) -> str:
        """Describe the topic in a sentence.

        >>> TopicPosition(0, "Uses", 0.9, 2.5, 0.91, "fixed", 0.04).describe()
        'Uses keeps its place; it moved in 4% of the documents that have it'
        """
        name, phrase = quote_name(self.name), FIRMNESS_PHRASES.get(self.firmness or "", "")
        moved = f"moved in {self.moved:.0%} of the documents that have it"
        return f"{name} {phrase}; it {moved}" if phrase else f"{name} {moved}"

    def row(self) -> dict[str, Any]:
        """Return a row of the table of findings, without a document."""
        front = {"kind": "place", "topic": self.topic, "name": self.name}
        values = {"probability": self.moved, "score": self.dispersion}
        return {**front, **values, "says": self.describe()}


def topic_positions(
    outline: Sequence[OutlineEntryLike], usage: TopicUsage, topics: Iterable[NDArray[np.int64]]
) -> tuple[TopicPosition, ...]:
    """Summarise the positions of each topic in use, in canonical order.

    `topics` has the topics of the units of each fitted document.
    """
    expected = canonical_outline(usage)
    moved: Counter[int] = Counter()
    for each in topics:
        moved.update(order_statistics(each, expected).moved)
    n_documents = np.count_nonzero(usage.bags, axis=0)
    return tuple(
        TopicPosition(
            topic=topic,
            name=usage.names[topic],
            document_share=outline[topic].document_share,
            dispersion=outline[topic].dispersion,
            in_place=outline[topic].in_place,
            firmness=outline[topic].firmness,
            moved=moved[topic] / int(n_documents[topic]),
        )
        for topic in usage.used.tolist()
    )


@dataclass(frozen=True)
class CorpusReport:
    """Summary of the checked documents.

    Attributes
    ----------
    topics
        Positions of each topic in the fitted documents.
    n_documents, n_anomalous
        Number of documents checked, and of those with a finding.
    most_swaps
        (title, swaps, expected swaps) of the documents with most swaps beyond the expectation, the
        greatest excess first.
    most_missing
        (title, missing topics) of the documents that lack most topics, the greatest number first.
    """

    topics: tuple[TopicPosition, ...]
    n_documents: int
    n_anomalous: int
    most_swaps: tuple[tuple[str, int, float], ...]
    most_missing: tuple[tuple[str, int], ...]


def summarize_checks(
    topics: tuple[TopicPosition, ...], checks: Sequence[DocumentCheck], n_most: int = 3
) -> CorpusReport:
    """Summarise checked documents; ties keep the order of the documents."""
    swapped = [each for each in checks if each.swaps > each.expected_swaps]
    swapped.sort(key=lambda each: each.expected_swaps - each.swaps)
    lacking = sorted((each for each in checks if each.missing), key=lambda each: -len(each.missing))
    return CorpusReport(
        topics=topics,
        n_documents=len(checks),
        n_anomalous=sum(bool(each.findings) for each in checks),
        most_swaps=tuple(
            (each.title, each.swaps, each.expected_swaps) for each in swapped[:n_most]
        ),
        most_missing=tuple((each.title, len(each.missing)) for each in lacking[:n_most]),
    )
