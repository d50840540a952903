"""Counts that topics are named by: segments of each topic that have a word, units under a heading.

They are counted after the fit. The sampler does not use headings.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from permutopic.checks import is_plain
from permutopic.corpus.arrays import LEAD, with_lead

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from permutopic.corpus import Corpus

# "2.3 Methods", "(4) Methods", "IV. Methods": a number at the front is not part of a name. A year
# is, and so is the V of "V. cholerae": no lower-case letter follows a Roman number.
_NUMBER = re.compile(r"^\(?\d{1,2}(?:\.\d{1,2})*[.)]?\s+(?=\S)")
_ROMAN = re.compile(r"^[IVX]+[.)]\s+(?=\S)")


@dataclass(frozen=True, eq=False)
class NamingCounts:
    """Counts for each topic of a state, additive over topics.

    Attributes
    ----------
    word_segments
        (W, K): number of segments of each topic that have each word. A segment is the units of one
        topic in one document.
    headings
        (H,): headings of more than one document, the most frequent first.
    heading_counts
        (H, K): number of units of each topic under each heading.
    """

    word_segments: NDArray[np.int32]
    headings: tuple[str, ...]
    heading_counts: NDArray[np.int64]

    def __post_init__(self) -> None:
        for name, kind in (("word_segments", np.int32), ("heading_counts", np.int64)):
            table = getattr(self, name)
            if table.ndim != 2 or table.dtype != kind:
                raise ValueError(f"{name} is no table of whole numbers")
            if np.any(table < 0):
                raise ValueError(f"{name} has a count below 0")
        if self.heading_counts.shape != (len(self.headings), self.word_segments.shape[1]):
            raise ValueError("heading_counts and headings disagree")

    def __add__(self, other: NamingCounts) -> NamingCounts:
        """Add the counts of other documents that have the same vocabulary and topics."""
        known = {_key(heading) for heading in self.headings}
        new = [heading for heading in other.headings if _key(heading) not in known]
        headings = (*self.headings, *new)
        rows = {_key(heading): number for number, heading in enumerate(headings)}
        counts = np.zeros((len(headings), self.heading_counts.shape[1]), dtype=np.int64)
        counts[: len(self.headings)] = self.heading_counts
        for heading, row in zip(other.headings, other.heading_counts, strict=True):
            counts[rows[_key(heading)]] += row
        return NamingCounts(self.word_segments + other.word_segments, headings, counts)


def count_words_and_headings(
    corpus: Corpus, topics: NDArray[np.int64], n_topics: int
) -> NamingCounts:
    """Count the segments that have each word and the units under each heading, for each topic.

    `topics` has the topic of every unit.
    """
    word_segments = np.zeros((corpus.n_words, n_topics), dtype=np.int32)
    for topic, first, last in _segments(corpus, topics):
        tokens = corpus.words[corpus.unit_offsets[first] : corpus.unit_offsets[last]]
        word_segments[np.unique(tokens), topic] += 1
    return NamingCounts(word_segments, *_count_headings(corpus, topics, n_topics))


def _segments(
    corpus: Corpus, topics: NDArray[np.int64]
) -> Iterator[tuple[np.int64, np.int64, np.int64]]:
    """Yield topic, first unit and one past the last unit of every run within a document."""
    starts = np.zeros(corpus.n_units, dtype=bool)
    starts[1:] = topics[1:] != topics[:-1]
    starts[corpus.document_offsets[:-1]] = True
    firsts = np.flatnonzero(starts)
    yield from zip(topics[firsts], firsts, np.append(firsts[1:], corpus.n_units), strict=True)


def _count_headings(
    corpus: Corpus, topics: NDArray[np.int64], n_topics: int
) -> tuple[tuple[str, ...], NDArray[np.int64]]:
    """Return the headings of more than one document, and the (H, K) counts of their units."""
    keys: list[str | None] = []
    spellings: dict[str, Counter[str]] = {}
    n_documents: Counter[str] = Counter()
    for document in range(corpus.n_documents):
        headings = corpus.headings[corpus.units_of(document)]
        found = [_key(heading) for heading in with_lead(headings)]
        keys.extend(found)
        n_documents.update(key for key in set(found) if key is not None)
        for key, heading in zip(found, headings, strict=True):
            if key is not None:
                spellings.setdefault(key, Counter())[_spelling(heading or LEAD)] += 1
    shared = sorted(
        (key for key in n_documents if n_documents[key] > 1), key=lambda k: (-n_documents[k], k)
    )
    rows = {key: row for row, key in enumerate(shared)}
    counts = np.zeros((len(shared), n_topics), dtype=np.int64)
    for unit, key in enumerate(keys):
        if key in rows:
            counts[rows[key], topics[unit]] += 1
    return tuple(_most_common(spellings[key]) for key in shared), counts


def _most_common(spellings: Counter[str]) -> str:
    return min(spellings, key=lambda spelling: (-spellings[spelling], spelling))


def _spelling(heading: str) -> str:
    """Return a heading without its number, a final colon and extra white space.

    >>> _spelling(" 2.3  Case   reports: ")
    'Case reports'
    """
    shown = "".join(character if is_plain(character) else " " for character in heading)
    plain = " ".join(shown.split())
    bare = _NUMBER.sub("", plain)
    rest = _ROMAN.sub("", bare)
    bare = (bare if rest[:1].islower() else rest).rstrip(" :")
    if bare.count(".") == 1:
        bare = bare.rstrip(".")
    return bare or plain


def _key(heading: str | None) -> str | None:
    """Return the case-folded spelling, by which headings are compared."""
    return None if heading is None else _spelling(heading).casefold() or None
