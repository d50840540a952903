"""BayesSeg's two steps in turn: cut all documents; fit the prior to the segments."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.special import gammaln, xlogy

from permutopic.baselines.segment_kernels import Costs, Text, best_given

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import ArrayLike, NDArray

FIRST_PRIOR, FIRST_DISPERSION = 0.2, 1.0
# Where the likelihood has no peak (no word comes twice, or all lengths are alike) a bound is met.
_PRIOR_BOUNDS, _DISPERSION_BOUNDS = (1e-4, 1e4), (1e-2, 1e5)


class Learned(NamedTuple):
    """Segments of all documents, and what they were scored with.

    `trace` is the log likelihood after each step: segments, prior, segments, …
    """

    ends: list[NDArray[np.int64]]
    log_likelihoods: NDArray[np.float64]
    prior: float
    dispersion: float | None
    trace: list[float]
    iterations: int


class Segments(NamedTuple):
    """What the likelihood of given segments depends on.

    One entry a segment: its tokens, the words of its document, its units, and the mean of units
    a segment in its document. `repeats[c]` counts the words that a segment has c times.
    """

    tokens: NDArray[np.int64]
    words: NDArray[np.int64]
    units: NDArray[np.int64]
    mean_units: NDArray[np.float64]
    repeats: NDArray[np.int64]

    def of_words(self, prior: float) -> float:
        """Give the log likelihood of the words of all segments."""
        whole = self.words * prior
        counts = np.flatnonzero(self.repeats)
        by_word = self.repeats[counts] * (gammaln(counts + prior) - gammaln(prior))
        return float(np.sum(gammaln(whole) - gammaln(self.tokens + whole)) + np.sum(by_word))

    def of_lengths(self, dispersion: float) -> float:
        """Give the log probability of the lengths of all segments."""
        return float(np.sum(log_duration(self.units, self.mean_units, dispersion)))


def learn(
    texts: Sequence[Text],
    n_segments: NDArray[np.int64],
    prior: float,
    dispersion: float | None,
    *,
    learn_prior: bool,
    learn_dispersion: bool,
) -> Learned:
    """Cut all documents, and fit what is to be learned, in turn until nothing changes.

    No step lowers the likelihood: the cuts are the best for a prior, and a prior that is no better
    for the cuts is not taken. As there are finitely many cuts, it comes to an end.
    """
    ends, scores = cut_all(texts, n_segments, prior, dispersion)
    trace, iterations = [float(np.sum(scores))], 1
    while learn_prior or learn_dispersion:
        segments = gather(texts, ends)
        if learn_prior:
            prior = _fit(segments.of_words, prior, _PRIOR_BOUNDS)
        if learn_dispersion and dispersion is not None:
            dispersion = _fit(segments.of_lengths, dispersion, _DISPERSION_BOUNDS)
        fitted = segments.of_words(prior)
        if dispersion is not None:
            fitted += segments.of_lengths(dispersion)
        before = ends
        ends, scores = cut_all(texts, n_segments, prior, dispersion)
        trace += [fitted, float(np.sum(scores))]
        iterations += 1
        same = all(np.array_equal(old, new) for old, new in zip(before, ends, strict=True))
        # Other cuts that are exactly as good could otherwise take turns for ever.
        if same or trace[-1] <= trace[-3]:
            break
    return Learned(ends, scores, prior, dispersion, trace, iterations)


def cut_all(
    texts: Sequence[Text],
    n_segments: NDArray[np.int64],
    prior: float,
    dispersion: float | None,
) -> tuple[list[NDArray[np.int64]], NDArray[np.float64]]:
    """Find the most likely segments of every document, and their log likelihood."""
    most = max(text.tokens.size for text in texts)
    gains = np.log(np.arange(most) + prior)  # logΓ(c + 1 + p) − logΓ(c + p)
    ends, scores = [], np.empty(len(texts))
    for document, text in enumerate(texts):
        costs = segment_costs(text, int(n_segments[document]), prior, dispersion, gains)
        found, cost = best_given(text, costs, int(n_segments[document]))
        ends.append(found)
        scores[document] = -cost
    return ends, scores


def segment_costs(
    text: Text,
    n_segments: int,
    prior: float,
    dispersion: float | None,
    gains: NDArray[np.float64],
) -> Costs:
    """Put minus the score of a segment into tables."""
    whole = text.n_words * prior
    by_tokens = gammaln(np.arange(text.tokens.size + 1) + whole) - gammaln(whole)
    n_units = text.offsets.size - 1
    by_units = np.zeros(n_units + 1)
    if dispersion is not None:
        by_units[1:] = -log_duration(np.arange(1, n_units + 1), n_units / n_segments, dispersion)
    return Costs(gains, by_tokens, by_units)


def log_duration(units: ArrayLike, mean_units: ArrayLike, dispersion: float) -> NDArray[np.float64]:
    """Compute the log probability of segments of so many units: negative binomial, from 1 on.

    >>> np.exp(log_duration([1, 2, 3], 2.0, 1.0)).round(3).tolist()  # geometric
    [0.5, 0.25, 0.125]
    """
    more, mean = np.asarray(units) - 1, np.asarray(mean_units) - 1
    ways = gammaln(more + dispersion) - gammaln(dispersion) - gammaln(more + 1)
    shares = -dispersion * np.log1p(mean / dispersion) + xlogy(more, mean / (dispersion + mean))
    found: NDArray[np.float64] = ways + shares
    return found


def gather(texts: Sequence[Text], ends: Sequence[NDArray[np.int64]]) -> Segments:
    """Put together what the likelihood of these segments depends on."""
    most = max(text.tokens.size for text in texts)
    repeats = np.zeros(most + 1, dtype=np.int64)
    tokens, words, units, mean_units = [], [], [], []
    for text, found in zip(texts, ends, strict=True):
        sizes = np.diff(text.offsets[found], prepend=0)
        owner = np.repeat(np.arange(found.size), sizes)
        _, counts = np.unique(owner * text.n_words + text.tokens, return_counts=True)
        repeats += np.bincount(counts, minlength=most + 1)
        tokens.append(sizes)
        words.append(np.full(found.size, text.n_words))
        units.append(np.diff(found, prepend=0))
        mean_units.append(np.full(found.size, found[-1] / found.size))
    return Segments(
        np.concatenate(tokens),
        np.concatenate(words),
        np.concatenate(units),
        np.concatenate(mean_units),
        repeats,
    )


def _fit(score: Callable[[float], float], present: float, bounds: tuple[float, float]) -> float:
    """Find the positive number with the greatest score, on the scale of logarithms."""
    from scipy.optimize import minimize_scalar  # noqa: PLC0415 (slow to import)

    found = minimize_scalar(
        lambda log: -score(float(np.exp(log))),
        bounds=np.log(bounds),
        method="bounded",
        options={"xatol": 1e-8},
    )
    best = float(np.exp(found.x))
    return best if score(best) > score(present) else present
