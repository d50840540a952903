"""Rows of the tables of an alignment. Documents and units are counted from 1, topics from 0."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from permutopic.results.prediction import segment_ends

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from permutopic.results.inferred import Inferred

RUN_COLUMNS: dict[str, type] = {
    "document": int,
    "title": str,
    "location": str,
    "topic": int,
    "name": str,
    "first_unit": int,
    "last_unit": int,
    "start": int,
    "end": int,
    "words": int,
    "probability": float,
}
PASSAGE_COLUMNS: dict[str, type] = {
    "document": int,
    "title": str,
    "location": str,
    "unit": int,
    "start": int,
    "end": int,
    "words": int,
    "topic": int,
    "name": str,
    "probability": float,
    "text": str,
}
COUNTERPART_COLUMNS: dict[str, type] = {
    **{name: kind for name, kind in PASSAGE_COLUMNS.items() if name != "text"},
    "score": float,
    "similarity": float,
    "same_topic": float,
    "text": str,
}


@dataclass(frozen=True)
class Run:
    """Neighbouring units of one document that have one topic.

    Attributes
    ----------
    document, title, location
        The document's number, from 1, its title, and where it was read.
    topic, name
        The topic's number and name.
    first_unit, last_unit
        The first and the last of the units, counted from 1, both belonging to it.
    start, end
        Where they are in the source, in characters; −1 where that is not known.
    words
        Their white-space words.
    probability
        How probable the topic is, the mean over the units; None if that is not known.
    """

    document: int
    title: str
    location: str
    topic: int
    name: str
    first_unit: int
    last_unit: int
    start: int
    end: int
    words: int
    probability: float | None


@dataclass(frozen=True, kw_only=True)
class Passage:
    """One unit (a paragraph, as a rule), with its topic. The attributes are those of `Run`."""

    document: int
    title: str
    location: str
    unit: int
    start: int
    end: int
    words: int
    topic: int
    name: str
    probability: float | None
    text: str | None


@dataclass(frozen=True, kw_only=True)
class Counterpart(Passage):
    """A unit that corresponds to one of another document.

    Attributes
    ----------
    score
        How well: `similarity` times `same_topic`.
    similarity
        How much the words are alike, from 0 to 1.
    same_topic
        How probable it is that both units have the same topic.
    """

    score: float
    similarity: float
    same_topic: float


def runs_of(inferred: Inferred, names: Sequence[str], document: int = 1) -> Iterator[Run]:
    """List the runs of one document, in its order. A topic that was merged may come twice."""
    first = 0
    for last in segment_ends(inferred.topics).tolist() if inferred.n_units else []:
        topic = int(inferred.topics[first])
        yield Run(
            document=document,
            title=inferred.title,
            location=inferred.location,
            topic=topic,
            name=names[topic],
            first_unit=first + 1,
            last_unit=last,
            start=int(inferred.source_spans[first, 0]),
            end=int(inferred.source_spans[last - 1, 1]),
            words=int(inferred.source_words[first:last].sum()),
            probability=known(float(inferred.probabilities[first:last, topic].mean())),
        )
        first = last


def passages_of(
    inferred: Inferred, names: Sequence[str], document: int = 1, topic: int | None = None
) -> Iterator[Passage]:
    """List the units of one document, all or those of one topic."""
    for unit, its_topic in enumerate(inferred.topics.tolist()):
        if topic is None or its_topic == topic:
            yield Passage(**passage_fields(inferred, names, document, unit))  # type: ignore[arg-type]


def passage_fields(
    inferred: Inferred, names: Sequence[str], document: int, unit: int
) -> dict[str, object]:
    """Return the fields of a `Passage` for a unit, here counted from 0."""
    topic = int(inferred.topics[unit])
    return {
        "document": document,
        "title": inferred.title,
        "location": inferred.location,
        "unit": unit + 1,
        "start": int(inferred.source_spans[unit, 0]),
        "end": int(inferred.source_spans[unit, 1]),
        "words": int(inferred.source_words[unit]),
        "topic": topic,
        "name": names[topic],
        "probability": known(float(inferred.probabilities[unit, topic])),
        "text": inferred.texts[unit] if inferred.texts else None,
    }


def known(value: float) -> float | None:
    """Return None for nan."""
    return None if math.isnan(value) else value
