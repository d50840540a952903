"""Segments of a document, as the model has them or with bounds on their words, for retrieval."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from permutopic.checks import check_integer
from permutopic.errors import InputError, Parameter
from permutopic.results.prediction import segment_ends
from permutopic.text.sentences import sentence_spans
from permutopic.text.splitting import source_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from permutopic.documents import Unit
    from permutopic.results.inferred import Inferred

SEGMENT_COLUMNS: dict[str, type] = {
    "document": int,
    "title": str,
    "location": str,
    "segment": int,
    "first_unit": int,
    "last_unit": int,
    "start": int,
    "end": int,
    "words": int,
    "topic": int,
    "name": str,
    "probability": float,
    "topic_probability": float,
    "text": str,
}
"""Columns of a table of segments, with their kinds."""

# No probability from some draws is nearer to 0 or 1 than this; a cut within a unit is less likely
# than any between units.
_LEAST, _WITHIN_UNIT = 1e-3, 1e-6
# Whole numbers make sums exact, so that ties are ties.
_SCALE = 1 << 32


@dataclass(frozen=True)
class Segment:
    """A run of units with one topic.

    Attributes
    ----------
    document, title, location
        The document's number, from 1, its title, and where it was read.
    number
        The segment's number in its document, from 1.
    first_unit, last_unit
        Its first and its last unit, counted from 1, both belonging to it. A unit that was too long
        and had to be cut belongs to more than one segment.
    start, end
        Where it is in the source: characters `source[start:end]`; −1 where that is not known.
        Headings between its units are within, and not counted in `words`.
    words
        Its white-space words. In scripts that write no spaces every character is one.
    topic, name
        Its topic: the number and the name.
    probability
        The probability of the boundary before it: None for the first segment of a document and
        where there are no draws; 0 if it begins within a unit.
    topic_probability
        The probability of its topic, the mean over its units; None if that is not known.
    text
        Its text, units a blank line apart; None unless asked for.
    """

    document: int
    title: str
    location: str
    number: int
    first_unit: int
    last_unit: int
    start: int
    end: int
    words: int
    topic: int
    name: str
    probability: float | None
    topic_probability: float | None
    text: str | None = None

    def as_row(self) -> dict[str, object]:
        """Return the segment as a row of a table with `SEGMENT_COLUMNS`."""
        row = {name: getattr(self, name, None) for name in SEGMENT_COLUMNS}
        return {**row, "segment": self.number}


class _Part(NamedTuple):
    """What is not divided further: a unit, or a part of one that is too long.

    `text[begin:end]` of the unit is `source[start:stop]`. `weight` is its share of the unit,
    `before` the probability of a boundary before it, and `likely` the same, never 0 or 1.
    """

    unit: int
    begin: int
    end: int
    start: int
    stop: int
    words: int
    weight: float
    before: float | None
    likely: float


def segments(
    inferred: Inferred,
    names: Sequence[str],
    *,
    document: int = 1,
    min_words: int | None = None,
    max_words: int | None = None,
    with_text: bool = False,
) -> tuple[Segment, ...]:
    """Return the segments of a document.

    Without sizes they are the runs of units with one topic in the most probable structure. With
    sizes they are the most probable segmentation under the boundary probabilities b (the greatest
    Σ log b over boundaries + Σ log(1 − b) over other positions) in which every segment has from
    `min_words` to `max_words` words; among equals, the one with the most even sizes. A segment's
    topic is then the one with the highest sum of probabilities over its units.

    Only units with more than `max_words` words are cut themselves: where sentences end, and where
    a sentence alone is too long, into equal parts of it. Where `min_words` and `max_words` cannot
    both be had, the maximum holds, and as few segments as possible are too short; a document with
    fewer than `min_words` words is one segment.

    Parameters
    ----------
    inferred
        What the model makes of the document.
    names
        The topics' names.
    document
        The number that its segments carry.
    min_words, max_words
        White-space words of a segment at least and at most; None sets no bound.
    with_text
        Whether segments carry their text.
    """
    _check(inferred, names, min_words, max_words)
    parts = _divide(inferred, max_words)
    words = np.array([part.words for part in parts], dtype=np.int64)
    by_run = min_words is None and max_words is None
    if by_run:
        ends = segment_ends(inferred.topics) if parts else words
    else:
        odds = np.array([part.likely for part in parts])
        ends = best_ends(words, np.log(odds / (1 - odds)), min_words or 0, max_words)
    # Where there are no probabilities, the structure alone tells.
    certain = np.eye(len(names))[inferred.topics]
    known = not np.isnan(inferred.probabilities).any()
    probabilities = inferred.probabilities if known else certain
    found: list[Segment] = []
    first = 0
    for number, last in enumerate(ends.tolist(), 1):
        own_parts = parts[first:last]
        weights = np.array([part.weight for part in own_parts])
        shares = weights @ probabilities[[part.unit for part in own_parts]]
        topic = int(inferred.topics[own_parts[0].unit] if by_run else shares.argmax())
        found.append(
            Segment(
                document=document,
                title=inferred.title,
                location=inferred.location,
                number=number,
                first_unit=own_parts[0].unit + 1,
                last_unit=own_parts[-1].unit + 1,
                start=own_parts[0].start,
                end=own_parts[-1].stop,
                words=int(words[first:last].sum()),
                topic=topic,
                name=names[topic],
                probability=own_parts[0].before,
                topic_probability=float(shares[topic] / weights.sum()) if known else None,
                text=_text(inferred, own_parts) if with_text and inferred.texts else None,
            )
        )
        first = last
    return tuple(found)


def best_ends(
    words: NDArray[np.int64], gains: NDArray[np.float64], least: int, most: int | None
) -> NDArray[np.int64]:
    """Divide parts into the best segments of `least` to `most` words.

    Parameters
    ----------
    words
        (parts,): how many words each part has.
    gains
        (parts,): what a boundary before each part gains, log b − log(1 − b); the first is not used.
    least, most
        Bounds of a segment's words; a single part may have more.

    Returns
    -------
    The number of the last part of each segment, counted from 1. As few segments as possible have
    less than `least` words; then they gain most; then the sum of their squared sizes is smallest.

    Examples
    --------
    >>> best_ends(np.array([50, 60, 70, 80]), np.array([0.0, -1, 2, -3]), 100, 200)
    array([2, 4])
    """
    n_parts = words.size
    total = np.concatenate([[0], np.cumsum(words)])
    most = None if most is None else min(most, int(total[-1]))
    least = min(least, int(total[-1]) + 1)
    exact = np.rint(gains * _SCALE).astype(np.int64)
    exact[:1] = 0
    short, gain, squares = (np.zeros(n_parts + 1, dtype=np.int64) for _ in range(3))
    begins = np.zeros(n_parts + 1, dtype=np.int64)
    for end in range(1, n_parts + 1):
        low = 0 if most is None else int(np.searchsorted(total, total[end] - most))
        low = min(low, end - 1)
        sizes = total[end] - total[low:end]
        shorter = short[low:end] + (sizes < least)
        gained = gain[low:end] + exact[low:end]
        uneven = squares[low:end] + sizes**2
        best = np.flatnonzero(shorter == shorter.min())
        best = best[gained[best] == gained[best].max()]
        begin = best[uneven[best].argmin()]
        short[end], gain[end], squares[end] = shorter[begin], gained[begin], uneven[begin]
        begins[end] = low + begin
    ends = [n_parts] if n_parts else []
    while ends and begins[ends[-1]] > 0:
        ends.append(int(begins[ends[-1]]))
    return np.array(ends[::-1], dtype=np.int64)


def _check(
    inferred: Inferred,
    names: Sequence[str],
    min_words: int | None,
    max_words: int | None,
) -> None:
    if len(names) < inferred.probabilities.shape[1]:
        raise InputError(
            f"{inferred.probabilities.shape[1]} topics need as many names, not {len(names)}"
        )
    check_bounds(min_words, max_words)


def check_bounds(min_words: int | None, max_words: int | None) -> None:
    """Refuse bounds on a segment's words that no segment can meet."""
    for name, value in (("min_words", min_words), ("max_words", max_words)):
        if value is not None:
            check_integer(value, name, 1)
    if min_words is not None and max_words is not None and min_words > max_words:
        raise InputError(
            Parameter("min_words"),
            f" ({min_words}) must not be more than ",
            Parameter("max_words"),
            f" ({max_words})",
        )


def _divide(inferred: Inferred, max_words: int | None) -> list[_Part]:
    """List the units, those with more than `max_words` words cut into parts."""
    changes = np.concatenate([[False], inferred.topics[1:] != inferred.topics[:-1]])
    parts = []
    for unit in range(inferred.n_units):
        before = None if unit == 0 else float(inferred.boundaries[unit - 1])
        if before is None or np.isnan(before):
            before, likely = None, float(changes[unit])
        else:
            likely = before
        likely = min(max(likely, _LEAST), 1 - _LEAST)
        words = int(inferred.source_words[unit])
        start, stop = inferred.source_spans[unit].tolist()
        if max_words is None or words <= max_words or not inferred.texts:
            end = len(inferred.texts[unit]) if inferred.texts else 0
            parts.append(_Part(unit, 0, end, start, stop, words, 1.0, before, likely))
            continue
        text = inferred.texts[unit]
        cut = list(_cut(text, max_words))
        spans = [(begin, end) for begin, end, _ in cut]
        offsets = _offsets(text, (start, stop), spans, inferred.units[unit : unit + 1])
        for n, ((begin, end, size), span) in enumerate(zip(cut, offsets, strict=True)):
            odds = (before, likely) if n == 0 else (0.0, _WITHIN_UNIT)
            parts.append(_Part(unit, begin, end, *span, size, size / words, *odds))
    return parts


def _cut(text: str, most: int) -> Iterator[tuple[int, int, int]]:
    """Cut text where sentences end, and longer sentences into equal parts.

    Give begin and end of each part, and its words.
    """
    words = list(source_words(text))
    begins = {begin for begin, _ in sentence_spans(text)}
    # What ends within a word ends no part.
    firsts = [n for n, (begin, _) in enumerate(words) if n == 0 or begin in begins]
    for first, last in zip(firsts, [*firsts[1:], len(words)], strict=True):
        n_parts = -(-(last - first) // most)
        edges = [first + (last - first) * n // n_parts for n in range(n_parts + 1)]
        for low, high in pairwise(edges):
            yield words[low][0], words[high - 1][1], high - low


def _offsets(
    text: str, span: tuple[int, int], spans: list[tuple[int, int]], units: Sequence[Unit]
) -> list[tuple[int, int]]:
    """Return where parts of a unit's text are in the source, −1 where that is not known.

    `units` has the unit, if it is known. Its pieces tell where parts are if there is markup in it;
    otherwise only text that is in the source letter for letter can be located.
    """
    start, stop = span
    if units and units[0].pieces:
        return [(part.start, part.end) for part in units[0].parts(spans)]
    if start >= 0 and stop - start == len(text):
        return [(start + begin, start + end) for begin, end in spans]
    inner = [-1] * (len(spans) - 1)
    return list(zip([start, *inner], [*inner, stop], strict=True))


def _text(inferred: Inferred, parts: list[_Part]) -> str:
    """Put the text of a segment together; parts of one unit as they are in it."""
    texts: list[str] = []
    first = 0
    for n, part in enumerate(parts):
        if n + 1 == len(parts) or parts[n + 1].unit != part.unit:
            texts.append(inferred.texts[part.unit][parts[first].begin : part.end])
            first = n + 1
    return "\n\n".join(texts)
