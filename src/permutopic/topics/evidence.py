"""What topics are named after: the segments that hold each word, and the headings they stand under.

Headings are looked up when the fit is over. No sampler is given them.
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
# is, and so is the V of "V. cholerae": behind a Roman number stands no small letter.
_NUMBER = re.compile(r"^\(?\d{1,2}(?:\.\d{1,2})*[.)]?\s+(?=\S)")
_ROMAN = re.compile(r"^[IVX]+[.)]\s+(?=\S)")


@dataclass(frozen=True, eq=False)
class Evidence:
    """Counts for each topic of a state, additive over topics.

    Attributes
    ----------
    word_segments
        (W, K): in how many segments of each topic each word occurs. A segment is one document's
        units of one topic.
    headings
        Headings that more than one document has, the most frequent first.
    heading_counts
        (H, K): how many units of each topic stand under each of them.
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

    def joined(self, other: Evidence) -> Evidence:
        """Add the evidence of other documents, whose words are numbered alike."""
        known = {_key(heading) for heading in self.headings}
        new = [heading for heading in other.headings if _key(heading) not in known]
        headings = (*self.headings, *new)
        rows = {_key(heading): row for row, heading in enumerate(headings)}
        counts = np.zeros((len(headings), self.heading_counts.shape[1]), dtype=np.int64)
        counts[: len(self.headings)] = self.heading_counts
        for heading, line in zip(other.headings, other.heading_counts, strict=True):
            counts[rows[_key(heading)]] += line
        return Evidence(self.word_segments + other.word_segments, headings, counts)


def gather_evidence(corpus: Corpus, topics: NDArray[np.int64], n_topics: int) -> Evidence:
    """Count words by segments and headings by units, given the topic of every unit."""
    word_segments = np.zeros((corpus.n_words, n_topics), dtype=np.int32)
    for topic, first, last in _segments(corpus, topics):
        tokens = corpus.words[corpus.unit_offsets[first] : corpus.unit_offsets[last]]
        word_segments[np.unique(tokens), topic] += 1
    return Evidence(word_segments, *_count_headings(corpus, topics, n_topics))


def _segments(
    corpus: Corpus, topics: NDArray[np.int64]
) -> Iterator[tuple[np.int64, np.int64, np.int64]]:
    """Give topic, first unit and one past the last unit of every run within a document."""
    starts = np.zeros(corpus.n_units, dtype=bool)
    starts[1:] = topics[1:] != topics[:-1]
    starts[corpus.document_offsets[:-1]] = True
    firsts = np.flatnonzero(starts)
    yield from zip(topics[firsts], firsts, np.append(firsts[1:], corpus.n_units), strict=True)


def _count_headings(
    corpus: Corpus, topics: NDArray[np.int64], n_topics: int
) -> tuple[tuple[str, ...], NDArray[np.int64]]:
    keys: list[str | None] = []
    spellings: dict[str, Counter[str]] = {}
    holders: Counter[str] = Counter()
    for document in range(corpus.n_documents):
        headings = corpus.headings[corpus.units_of(document)]
        found = [_key(heading) for heading in with_lead(headings)]
        keys.extend(found)
        holders.update(key for key in set(found) if key is not None)
        for key, heading in zip(found, headings, strict=True):
            if key is not None:
                spellings.setdefault(key, Counter())[_spelling(heading or LEAD)] += 1
    shared = sorted((key for key in holders if holders[key] > 1), key=lambda k: (-holders[k], k))
    rows = {key: row for row, key in enumerate(shared)}
    counts = np.zeros((len(shared), n_topics), dtype=np.int64)
    for unit, key in enumerate(keys):
        if key in rows:
            counts[rows[key], topics[unit]] += 1
    return tuple(_commonest(spellings[key]) for key in shared), counts


def _commonest(spellings: Counter[str]) -> str:
    return min(spellings, key=lambda spelling: (-spellings[spelling], spelling))


def _spelling(heading: str) -> str:
    """Write a heading without its number, its colon and white space.

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
    """Tell which headings are one: spelling aside, the same letters in either case."""
    return None if heading is None else _spelling(heading).casefold() or None
