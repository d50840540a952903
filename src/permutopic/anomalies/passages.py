"""Find units whose words do not fit their topic.

The misfit of a unit, in nats per word, is the log likelihood that the words of the whole corpus
gain over the best topic, plus a cost for every unknown word. Its level differs from corpus to
corpus and from document to document more than any one threshold allows for, so that a unit is
compared with the median of its own document.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from permutopic.anomalies.findings import UnusualPassage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from permutopic.anomalies.thresholds import Thresholds
    from permutopic.results.inferred import Inferred

UNKNOWN_WORD_COST = 3.0
"""Nats that an unknown word adds to the misfit."""
MAX_MEDIAN = 0.5
"""Upper bound of a document's median misfit: a document of misfits is no reference for itself."""
MIN_UNITS = 5
"""With fewer units that are long enough, the median is taken as `MAX_MEDIAN`."""


def misfits(inferred: Inferred, used: NDArray[np.int64]) -> NDArray[np.float64]:
    """Compute (s_0 − max s_k + 3u) / n of each unit, in nats per word; −∞ for a unit without words.

    s_k is the log likelihood of its known words under topic k, s_0 that under the words of all
    topics together, u the number of unknown words, n that of all. `used` are the topics k.
    """
    words = inferred.known_words + inferred.unknown_words
    best = inferred.topic_scores[:, used].max(axis=1)
    total = inferred.background_scores - best + UNKNOWN_WORD_COST * inferred.unknown_words
    return np.where(words > 0, total / np.maximum(words, 1), -np.inf)


def median_misfit(misfit: NDArray[np.float64], long: NDArray[np.bool_]) -> float:
    """Compute the median misfit of the units that are long enough, bounded by `MAX_MEDIAN`."""
    if np.count_nonzero(long) < MIN_UNITS:
        return MAX_MEDIAN
    return min(float(np.median(misfit[long])), MAX_MEDIAN)


def find_passages(
    inferred: Inferred, used: NDArray[np.int64], names: Sequence[str], thresholds: Thresholds
) -> tuple[UnusualPassage, ...]:
    """Find units that fit no topic, have many unknown words, or fit another topic far better.

    Consecutive units of the same kind are one passage. `used` are the topics of at least one
    fitted document.
    """
    words = inferred.known_words + inferred.unknown_words
    long = words >= thresholds.words
    misfit = misfits(inferred, used)
    excess = misfit - median_misfit(misfit, long)
    unknown = inferred.unknown_words / np.maximum(words, 1)
    better, gain = _better_topics(inferred, used)
    kinds: list[tuple[str, int, int] | None] = []
    for unit, topic in enumerate(inferred.topics.tolist()):
        kind: tuple[str, int, int] | None = None
        if long[unit] and unknown[unit] >= thresholds.unknown:
            kind = ("unknown words", -1, -1)
        elif long[unit] and excess[unit] >= thresholds.misfit and misfit[unit] > 0:
            kind = ("no topic", -1, -1)
        elif long[unit] and gain[unit] >= max(thresholds.odds, thresholds.rate * words[unit]):
            kind = ("other topic", topic, int(better[unit]))
        kinds.append(kind)
    scores = {"unknown words": unknown, "no topic": excess, "other topic": gain}
    found = []
    for key, run in groupby(range(len(kinds)), key=kinds.__getitem__):
        if key is not None:
            name, _, other = key
            better_name = names[other] if other >= 0 else None
            found.append(_passage(name, list(run), inferred, scores[name], names, better_name))
    return tuple(found)


def unknown_document(
    inferred: Inferred, names: Sequence[str], thresholds: Thresholds
) -> tuple[UnusualPassage, ...]:
    """Return the whole document as one passage if too many of its words are unknown."""
    words = inferred.known_words + inferred.unknown_words
    if not words.sum() or 1 - inferred.known_share < thresholds.unknown:
        return ()
    unknown = inferred.unknown_words / np.maximum(words, 1)
    units = list(range(inferred.n_units))
    return (_passage("unknown words", units, inferred, unknown, names, None),)


def _better_topics(
    inferred: Inferred, used: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the topic that explains each unit best, and its log odds to the inferred topic."""
    better = used[inferred.topic_scores[:, used].argmax(axis=1)]
    units = np.arange(inferred.n_units)
    scores = inferred.topic_scores
    return better, scores[units, better] - scores[units, inferred.topics]


def _passage(
    kind: str,
    run: list[int],
    inferred: Inferred,
    scores: NDArray[np.float64],
    names: Sequence[str],
    better: str | None,
) -> UnusualPassage:
    """Combine a run of units into a passage."""
    first, last = run[0], run[-1]
    words = inferred.known_words[run] + inferred.unknown_words[run]
    # Log odds add up; scores per word are averaged over words.
    mean = (scores[run] * words).sum() / words.sum()
    score = scores[run].sum() if kind == "other topic" else mean
    start, end = int(inferred.source_spans[first, 0]), int(inferred.source_spans[last, 1])
    known = bool((inferred.source_spans[run] >= 0).all())
    topic = int(inferred.topics[first])
    return UnusualPassage(
        kind=kind,
        topic=topic,
        name=names[topic],
        first_unit=first + 1,
        last_unit=last + 1,
        start=start if known else -1,
        end=end if known else -1,
        words=int(words.sum()),
        unknown=float(inferred.unknown_words[run].sum() / words.sum()),
        score=float(score),
        better=better,
        text="\n\n".join(inferred.texts[first : last + 1]),
    )
