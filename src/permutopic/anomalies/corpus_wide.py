"""The corpus as a whole: which topics keep their place, which wander, which documents stray."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from permutopic.anomalies.places import count_swaps
from permutopic.anomalies.standard import canonical
from permutopic.anomalies.wording import named

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from permutopic.anomalies.document_check import DocumentCheck
    from permutopic.anomalies.habits import Entry, Habits

IN_WORDS = {
    "fixed": "keeps its place",
    "firm": "mostly keeps its place",
    "loose": "often gives way to later topics",
    "wanders": "wanders",
}
"""What is said of a topic, by the word that the outline has for its ρ."""


@dataclass(frozen=True)
class TopicPlace:
    """How a topic behaves in the corpus.

    Attributes
    ----------
    topic, name, document_share
        Which, and what share of the documents has it.
    dispersion, in_place, firmness
        ρ, the probability that none of the later topics comes before it, and ρ in a word, as the
        outline has them.
    moved
        Of the documents that have it, the share where it is among the fewest topics that would
        have to move for the rest to be in order.
    """

    topic: int
    name: str
    document_share: float
    dispersion: float | None
    in_place: float | None
    firmness: str | None
    moved: float

    def says(self) -> str:
        """Say it in words.

        >>> TopicPlace(0, "Uses", 0.9, 2.5, 0.91, "fixed", 0.04).says()
        'Uses keeps its place; it moved in 4% of the documents that have it'
        """
        habit = IN_WORDS.get(self.firmness or "", "")
        where = f"moved in {self.moved:.0%} of the documents that have it"
        name = named(self.name)
        return f"{name} {habit}; it {where}" if habit else f"{name} {where}"

    def row(self) -> dict[str, Any]:
        """Give it as a row of the table of findings, with no document."""
        front = {"kind": "place", "topic": self.topic, "name": self.name}
        return {**front, "probability": self.moved, "score": self.dispersion, "says": self.says()}


def topic_places(
    outline: Sequence[Entry], habits: Habits, topics: Iterable[NDArray[np.int64]]
) -> tuple[TopicPlace, ...]:
    """Say how each topic in use behaves, in canonical order.

    `topics` are those of the units of each fitted document.
    """
    standard = canonical(habits)
    strayed: Counter[int] = Counter()
    for each in topics:
        strayed.update(count_swaps(each, standard)[2])
    holders = np.count_nonzero(habits.bags, axis=0)
    return tuple(
        TopicPlace(
            topic=topic,
            name=habits.names[topic],
            document_share=outline[topic].document_share,
            dispersion=outline[topic].dispersion,
            in_place=outline[topic].in_place,
            firmness=outline[topic].firmness,
            moved=strayed[topic] / int(holders[topic]),
        )
        for topic in habits.used.tolist()
    )


@dataclass(frozen=True)
class CorpusCheck:
    """The documents that were checked, as a whole.

    Attributes
    ----------
    topics
        How each topic behaves in the fitted documents.
    n_documents, n_odd
        Documents checked, and those in which something was found.
    strays
        (title, swaps, swaps that its topics have on average): the documents with most swaps beyond
        the average, the farthest first.
    lacks
        (title, missing topics): the documents that lack most, the poorest first.
    """

    topics: tuple[TopicPlace, ...]
    n_documents: int
    n_odd: int
    strays: tuple[tuple[str, int, float], ...]
    lacks: tuple[tuple[str, int], ...]

    def as_dict(self) -> dict[str, Any]:
        """Give everything as plain values."""
        return asdict(self)


def check_corpus(
    topics: tuple[TopicPlace, ...], checks: Sequence[DocumentCheck], n_most: int = 3
) -> CorpusCheck:
    """Sum up checked documents; ties go by their order."""
    far = [each for each in checks if each.swaps > each.expected_swaps]
    far.sort(key=lambda each: each.expected_swaps - each.swaps)
    poor = sorted((each for each in checks if each.missing), key=lambda each: -len(each.missing))
    return CorpusCheck(
        topics=topics,
        n_documents=len(checks),
        n_odd=sum(bool(each.findings) for each in checks),
        strays=tuple((each.title, each.swaps, each.expected_swaps) for each in far[:n_most]),
        lacks=tuple((each.title, len(each.missing)) for each in poor[:n_most]),
    )
