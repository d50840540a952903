"""Alternating maximisation of BayesSeg: segment all documents, then fit the prior."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.special import gammaln, xlogy

from permutopic.baselines.segment_kernels import LocalTokens, SegmentCosts, best_segmentation

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import ArrayLike, NDArray

INITIAL_PRIOR, INITIAL_DISPERSION = 0.2, 1.0
# The maximum lies on a bound if the likelihood is monotone: no word occurs twice, or all lengths
# are equal.
_PRIOR_BOUNDS, _DISPERSION_BOUNDS = (1e-4, 1e4), (1e-2, 1e5)


class FittedBayesSeg(NamedTuple):
    """Segment ends and log likelihood of every document, and the fitted parameters.

    `trace` is the total log likelihood after each step: segmentation, prior, segmentation, …
    """

    ends: list[NDArray[np.int64]]
    log_likelihoods: NDArray[np.float64]
    prior: float
    dispersion: float | None
    trace: list[float]
    iterations: int


class SegmentStatistics(NamedTuple):
    """Sufficient statistics of given segments for the prior and the dispersion.

    Attributes
    ----------
    n_tokens, n_units
        (segments,): tokens and units of each segment.
    n_words
        (segments,): distinct words of its document.
    mean_units
        (segments,): mean length in units of the segments of its document.
    count_frequencies
        Entry c is the number of (segment, word) pairs with count c.
    """

    n_tokens: NDArray[np.int64]
    n_words: NDArray[np.int64]
    n_units: NDArray[np.int64]
    mean_units: NDArray[np.float64]
    count_frequencies: NDArray[np.int64]

    def word_log_likelihood(self, prior: float) -> float:
        """Return the log likelihood of the words of all segments."""
        prior_sum = self.n_words * prior
        counts = np.flatnonzero(self.count_frequencies)
        by_word = self.count_frequencies[counts] * (gammaln(counts + prior) - gammaln(prior))
        by_segment = gammaln(prior_sum) - gammaln(self.n_tokens + prior_sum)
        return float(np.sum(by_segment) + np.sum(by_word))

    def length_log_probability(self, dispersion: float) -> float:
        """Return the log probability of the lengths of all segments."""
        return float(np.sum(log_duration(self.n_units, self.mean_units, dispersion)))


def fit_bayesseg(
    documents: Sequence[LocalTokens],
    n_segments: NDArray[np.int64],
    prior: float,
    dispersion: float | None,
    *,
    learn_prior: bool,
    learn_dispersion: bool,
) -> FittedBayesSeg:
    """Segment all documents and fit the parameters, alternately, until the segments are stable.

    No step lowers the likelihood: the segmentation is optimal for the prior, and a prior that is
    no better for the segmentation is rejected. There are finitely many segmentations, so it
    terminates.
    """
    ends, scores = segment_all(documents, n_segments, prior, dispersion)
    trace, iterations = [float(np.sum(scores))], 1
    while learn_prior or learn_dispersion:
        statistics = segment_statistics(documents, ends)
        if learn_prior:
            prior = _maximise(statistics.word_log_likelihood, prior, _PRIOR_BOUNDS)
        if learn_dispersion and dispersion is not None:
            dispersion = _maximise(
                statistics.length_log_probability, dispersion, _DISPERSION_BOUNDS
            )
        fitted = statistics.word_log_likelihood(prior)
        if dispersion is not None:
            fitted += statistics.length_log_probability(dispersion)
        old_ends = ends
        ends, scores = segment_all(documents, n_segments, prior, dispersion)
        trace += [fitted, float(np.sum(scores))]
        iterations += 1
        same = all(np.array_equal(old, new) for old, new in zip(old_ends, ends, strict=True))
        # Without the second condition, equally good segmentations could alternate for ever.
        if same or trace[-1] <= trace[-3]:
            break
    return FittedBayesSeg(ends, scores, prior, dispersion, trace, iterations)


def segment_all(
    documents: Sequence[LocalTokens],
    n_segments: NDArray[np.int64],
    prior: float,
    dispersion: float | None,
) -> tuple[list[NDArray[np.int64]], NDArray[np.float64]]:
    """Return the segment ends of maximum likelihood of every document, and that likelihood."""
    max_tokens = max(tokens.words.size for tokens in documents)
    gains = np.log(np.arange(max_tokens) + prior)  # logΓ(c + 1 + p) − logΓ(c + p)
    ends, scores = [], np.empty(len(documents))
    for document, tokens in enumerate(documents):
        costs = segment_costs(tokens, int(n_segments[document]), prior, dispersion, gains)
        best, cost = best_segmentation(tokens, costs, int(n_segments[document]))
        ends.append(best)
        scores[document] = -cost
    return ends, scores


def segment_costs(
    tokens: LocalTokens,
    n_segments: int,
    prior: float,
    dispersion: float | None,
    gains: NDArray[np.float64],
) -> SegmentCosts:
    """Tabulate minus the log likelihood of a segment."""
    prior_sum = tokens.n_words * prior
    by_tokens = gammaln(np.arange(tokens.words.size + 1) + prior_sum) - gammaln(prior_sum)
    n_units = tokens.unit_offsets.size - 1
    by_units = np.zeros(n_units + 1)
    if dispersion is not None:
        by_units[1:] = -log_duration(np.arange(1, n_units + 1), n_units / n_segments, dispersion)
    return SegmentCosts(gains, by_tokens, by_units)


def log_duration(units: ArrayLike, mean_units: ArrayLike, dispersion: float) -> NDArray[np.float64]:
    """Compute the log probability of segment lengths: negative binomial, shifted to start at 1.

    >>> np.exp(log_duration([1, 2, 3], 2.0, 1.0)).round(3).tolist()  # geometric
    [0.5, 0.25, 0.125]
    """
    extra, mean = np.asarray(units) - 1, np.asarray(mean_units) - 1
    log_coefficient = gammaln(extra + dispersion) - gammaln(dispersion) - gammaln(extra + 1)
    log_powers = -dispersion * np.log1p(mean / dispersion) + xlogy(
        extra, mean / (dispersion + mean)
    )
    log_probability: NDArray[np.float64] = log_coefficient + log_powers
    return log_probability


def segment_statistics(
    documents: Sequence[LocalTokens], ends: Sequence[NDArray[np.int64]]
) -> SegmentStatistics:
    """Compute the sufficient statistics of the segments with these ends."""
    max_tokens = max(tokens.words.size for tokens in documents)
    count_frequencies = np.zeros(max_tokens + 1, dtype=np.int64)
    n_tokens, n_words, n_units, mean_units = [], [], [], []
    for tokens, own_ends in zip(documents, ends, strict=True):
        sizes = np.diff(tokens.unit_offsets[own_ends], prepend=0)
        token_segments = np.repeat(np.arange(own_ends.size), sizes)
        _, counts = np.unique(token_segments * tokens.n_words + tokens.words, return_counts=True)
        count_frequencies += np.bincount(counts, minlength=max_tokens + 1)
        n_tokens.append(sizes)
        n_words.append(np.full(own_ends.size, tokens.n_words))
        n_units.append(np.diff(own_ends, prepend=0))
        mean_units.append(np.full(own_ends.size, own_ends[-1] / own_ends.size))
    return SegmentStatistics(
        np.concatenate(n_tokens),
        np.concatenate(n_words),
        np.concatenate(n_units),
        np.concatenate(mean_units),
        count_frequencies,
    )


def _maximise(score: Callable[[float], float], start: float, bounds: tuple[float, float]) -> float:
    """Maximise a function of a positive number over its logarithm; never below the start."""
    from scipy.optimize import minimize_scalar  # noqa: PLC0415 (slow to import)

    result = minimize_scalar(
        lambda log: -score(float(np.exp(log))),
        bounds=np.log(bounds),
        method="bounded",
        options={"xatol": 1e-8},
    )
    best = float(np.exp(result.x))
    return best if score(best) > score(start) else start
