"""Units that do not fit where they are.

How badly a unit fits is said in nats a word: what the words of the whole corpus gain over the best
topic, and a charge for every unknown word. Fit differs from corpus to corpus and from document to
document much more than any one threshold could hold, so a unit is compared with its own document.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from permutopic.anomalies.findings import Passage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from permutopic.anomalies.limits import Limits
    from permutopic.results.inferred import Inferred

CHARGE = 3.0
"""Nats that an unknown word counts as."""
HIGHEST = 0.5
"""A document's median is taken to be at most this: one that is strange throughout is no measure."""
FEWEST = 5
"""With fewer units that are long enough, there is no median: it is taken to be `HIGHEST`."""


def misfits(inferred: Inferred, used: NDArray[np.int64]) -> NDArray[np.float64]:
    """Say how badly each unit fits every topic in use, in nats a word; −∞ if it has no word."""
    words = inferred.known_words + inferred.unknown_words
    best = inferred.topic_scores[:, used].max(axis=1)
    total = inferred.background_scores - best + CHARGE * inferred.unknown_words
    return np.where(words > 0, total / np.maximum(words, 1), -np.inf)


def usual_misfit(misfit: NDArray[np.float64], long: NDArray[np.bool_]) -> float:
    """Say what misfit the units of a document have in general."""
    if np.count_nonzero(long) < FEWEST:
        return HIGHEST
    return min(float(np.median(misfit[long])), HIGHEST)


def find_passages(
    inferred: Inferred, used: NDArray[np.int64], names: Sequence[str], limits: Limits
) -> tuple[Passage, ...]:
    """Find units that fit no topic, have few known words, or belong to another topic.

    Units with the same trouble one after another are one passage. `used` are the topics that
    documents of the corpus have.
    """
    words = inferred.known_words + inferred.unknown_words
    long = words >= limits.words
    misfit = misfits(inferred, used)
    excess = misfit - usual_misfit(misfit, long)
    unknown = inferred.unknown_words / np.maximum(words, 1)
    better, gain = _better_topics(inferred, used)
    kinds: list[tuple[str, int, int] | None] = []
    for unit, topic in enumerate(inferred.topics.tolist()):
        found_kind: tuple[str, int, int] | None = None
        if long[unit] and unknown[unit] >= limits.unknown:
            found_kind = ("unknown words", -1, -1)
        elif long[unit] and excess[unit] >= limits.misfit and misfit[unit] > 0:
            found_kind = ("no topic", -1, -1)
        elif long[unit] and gain[unit] >= max(limits.odds, limits.rate * words[unit]):
            found_kind = ("other topic", topic, int(better[unit]))
        kinds.append(found_kind)
    scores = {"unknown words": unknown, "no topic": excess, "other topic": gain}
    found = []
    for key, run in groupby(range(len(kinds)), key=kinds.__getitem__):
        if key is not None:
            kind, _, other = key
            better_name = names[other] if other >= 0 else None
            found.append(_passage(kind, list(run), inferred, scores[kind], names, better_name))
    return tuple(found)


def unread(inferred: Inferred, names: Sequence[str], limits: Limits) -> tuple[Passage, ...]:
    """Give the whole document as one passage if too few of its words are known to say more."""
    words = inferred.known_words + inferred.unknown_words
    if not words.sum() or 1 - inferred.known_share < limits.unknown:
        return ()
    unknown = inferred.unknown_words / np.maximum(words, 1)
    units = list(range(inferred.n_units))
    return (_passage("unknown words", units, inferred, unknown, names, None),)


def _better_topics(
    inferred: Inferred, used: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Give the topic that explains each unit best, and by how many nats more than its own does."""
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
) -> Passage:
    first, last = run[0], run[-1]
    words = inferred.known_words[run] + inferred.unknown_words[run]
    # Log odds add up, what is said of a word is averaged over words.
    weighed = (scores[run] * words).sum() / words.sum()
    score = scores[run].sum() if kind == "other topic" else weighed
    start, end = int(inferred.spans[first, 0]), int(inferred.spans[last, 1])
    known = bool((inferred.spans[run] >= 0).all())
    topic = int(inferred.topics[first])
    return Passage(
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
