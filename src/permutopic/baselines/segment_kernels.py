"""The best segmentation of a document, exactly, where segments are scored one by one.

A segment costs
    by_tokens[its tokens] + by_units[its units] − Σ_words (gains[0] + … + gains[n_w − 1]),
n_w being how often the segment has the word. Utiyama and Isahara's cost and the likelihood of
Eisenstein and Barzilay both have this form. For a fixed first unit all segments are scored in one
walk to the end of the document, each token in one step, and handed on to the programme at once:
no table of all segments is kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from permutopic.jit import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Text(NamedTuple):
    """One document: its tokens as numbers of its own words, and where its units end among them."""

    tokens: NDArray[np.int64]
    offsets: NDArray[np.int64]
    n_words: int


class Costs(NamedTuple):
    """What segments cost; `gains[c]` is what a word's token saves after c of the same."""

    gains: NDArray[np.float64]
    by_tokens: NDArray[np.float64]
    by_units: NDArray[np.float64]


@compiled
def walk(
    text: Text, costs: Costs, start: int, seen: NDArray[np.int64], row: NDArray[np.float64]
) -> None:
    """Write into `row[end]` what the units start … end−1 cost as one segment.

    `seen` is all zeros before and after.
    """
    n_units = text.offsets.size - 1
    first = text.offsets[start]
    saved = 0.0
    for unit in range(start, n_units):
        for token in range(text.offsets[unit], text.offsets[unit + 1]):
            word = text.tokens[token]
            saved += costs.gains[seen[word]]
            seen[word] += 1
        n_tokens = text.offsets[unit + 1] - first
        row[unit + 1] = costs.by_tokens[n_tokens] + costs.by_units[unit + 1 - start] - saved
    for token in range(first, text.offsets[n_units]):
        seen[text.tokens[token]] = 0


@compiled
def best_given(text: Text, costs: Costs, n_segments: int) -> tuple[NDArray[np.int64], float]:
    """Find the ends and the cost of the best segmentation into so many segments.

    `best[end, s]` is the least cost of the units before `end` in s segments. Of equally good
    segmentations it takes the one whose last segment begins first, and so on to the front.
    """
    n_units = text.offsets.size - 1
    best = np.full((n_units + 1, n_segments + 1), np.inf)
    begins = np.zeros((n_units + 1, n_segments + 1), np.int64)
    seen = np.zeros(text.n_words, np.int64)
    row = np.empty(n_units + 1)
    best[0, 0] = 0.0
    for start in range(n_units):
        walk(text, costs, start, seen, row)
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
def best_any(text: Text, costs: Costs) -> tuple[NDArray[np.int64], float]:
    """Find the ends and the cost of the best segmentation into any number of segments."""
    n_units = text.offsets.size - 1
    best = np.full(n_units + 1, np.inf)
    begins = np.zeros(n_units + 1, np.int64)
    seen = np.zeros(text.n_words, np.int64)
    row = np.empty(n_units + 1)
    best[0] = 0.0
    for start in range(n_units):
        walk(text, costs, start, seen, row)
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
