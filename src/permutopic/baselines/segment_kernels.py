"""Exact segmentation of a document by dynamic programming, for a cost that sums over segments.

A segment costs
    by_tokens[its tokens] + by_units[its units] − Σ_w (gains[0] + … + gains[n_w − 1]),
where n_w is how often word w occurs in the segment. Utiyama and Isahara's cost and the likelihood
of Eisenstein and Barzilay both have this form. For a fixed first unit, the costs of all segments
are computed in one pass to the end of the document, each token once, and used immediately: no
table of all segments is stored.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from permutopic.jit import borrowing, compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray


class LocalTokens(NamedTuple):
    """One document: words numbered within it, 0 … n_words − 1, and offsets of its units."""

    words: NDArray[np.int64]
    unit_offsets: NDArray[np.int64]
    n_words: int


class SegmentCosts(NamedTuple):
    """Cost tables; `gains[c]` is subtracted for a token whose word occurred c times before."""

    gains: NDArray[np.float64]
    by_tokens: NDArray[np.float64]
    by_units: NDArray[np.float64]


@borrowing
def segment_costs_from(
    document: LocalTokens,
    costs: SegmentCosts,
    start: int,
    counts: NDArray[np.int64],
    row: NDArray[np.float64],
) -> None:
    """Write the cost of the segment of units start … end−1 to `row[end]`, for every end.

    `counts` (n_words,) is all zeros before and after the call.
    """
    n_units = document.unit_offsets.size - 1
    first = document.unit_offsets[start]
    gain = 0.0
    for unit in range(start, n_units):
        for token in range(document.unit_offsets[unit], document.unit_offsets[unit + 1]):
            word = document.words[token]
            gain += costs.gains[counts[word]]
            counts[word] += 1
        n_tokens = document.unit_offsets[unit + 1] - first
        row[unit + 1] = costs.by_tokens[n_tokens] + costs.by_units[unit + 1 - start] - gain
    for token in range(first, document.unit_offsets[n_units]):
        counts[document.words[token]] = 0


@compiled
def best_segmentation(
    document: LocalTokens, costs: SegmentCosts, n_segments: int
) -> tuple[NDArray[np.int64], float]:
    """Return the ends and the cost of the best segmentation into `n_segments` segments.

    `best[end, s]` is the minimum cost of the units before `end` in s segments. Of equally good
    segmentations it returns the one whose last segment begins first, and so on to the front.
    """
    n_units = document.unit_offsets.size - 1
    best = np.full((n_units + 1, n_segments + 1), np.inf)
    begins = np.zeros((n_units + 1, n_segments + 1), np.int64)
    counts = np.zeros(document.n_words, np.int64)
    row = np.empty(n_units + 1)
    best[0, 0] = 0.0
    for start in range(n_units):
        segment_costs_from(document, costs, start, counts, row)
        for end in range(start + 1, n_units + 1):
            for before in range(min(start + 1, n_segments)):
                cost = best[start, before] + row[end]
                if cost < best[end, before + 1]:
                    best[end, before + 1] = cost
                    begins[end, before + 1] = start
    ends = np.empty(n_segments, np.int64)
    end = n_units
    for segment in range(n_segments, 0, -1):
        ends[segment - 1] = end
        end = begins[end, segment]
    return ends, best[n_units, n_segments]


@compiled
def best_segmentation_any_number(
    document: LocalTokens, costs: SegmentCosts
) -> tuple[NDArray[np.int64], float]:
    """Return the ends and the cost of the best segmentation into any number of segments."""
    n_units = document.unit_offsets.size - 1
    best = np.full(n_units + 1, np.inf)
    begins = np.zeros(n_units + 1, np.int64)
    counts = np.zeros(document.n_words, np.int64)
    row = np.empty(n_units + 1)
    best[0] = 0.0
    for start in range(n_units):
        segment_costs_from(document, costs, start, counts, row)
        for end in range(start + 1, n_units + 1):
            cost = best[start] + row[end]
            if cost < best[end]:
                best[end] = cost
                begins[end] = start
    n_segments, end = 0, n_units
    while end > 0:
        n_segments += 1
        end = begins[end]
    ends = np.empty(n_segments, np.int64)
    end = n_units
    for segment in range(n_segments - 1, -1, -1):
        ends[segment] = end
        end = begins[end]
    return ends, best[n_units]
