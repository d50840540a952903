"""Pk and WindowDiff, in the two conventions of the literature.

A segmentation is given by its ends: the number of the last item of each segment, counted from 1,
so that the last end is the number of items. Items are words or units, depending on the convention.

`words` (of the paper's Table 3): items are the white-space words of the source. The window is
k = floor(items / (2 · reference segments)); at position i = 0 … items−k−1 it contains the
boundaries o (the offset of a segment's first item) with i ≤ o ≤ i+k.

`units` (the textbook's, as in segeval): items are units. The window is half the mean reference
segment, rounded half to even, at least 2; it contains boundaries with i < o ≤ i+k.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from permutopic.checks import check_choice
from permutopic.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

CONVENTIONS = ("words", "units")


class SegmentationScore(NamedTuple):
    """Two error rates of one segmentation; lower is better."""

    pk: float
    """Share of windows in which exactly one of the segmentations has a boundary."""
    windowdiff: float
    """Share of windows in which the numbers of boundaries differ."""


def score_segmentation(
    reference: ArrayLike, hypothesis: ArrayLike, convention: str = "words"
) -> SegmentationScore:
    """Score a segmentation of one document against its reference, both given by their ends.

    >>> score_segmentation([5, 10, 15, 20], [10, 15, 20], "units")
    SegmentationScore(pk=0.1111111111111111, windowdiff=0.1111111111111111)
    """
    true, found = _check_ends(reference), _check_ends(hypothesis)
    n_items = int(true[-1])
    if found[-1] != n_items:
        raise InputError(f"both segmentations must end alike, not at {n_items} and {found[-1]}")
    width = window(true, convention)
    n_windows = n_items - width
    if n_windows <= 0:
        return SegmentationScore(0.0, 0.0)
    seen_true, seen_found = (
        _boundaries_in_windows(ends, width, convention == "words") for ends in (true, found)
    )
    return SegmentationScore(
        pk=float(np.mean((seen_true > 0) != (seen_found > 0))),
        windowdiff=float(np.mean(seen_true != seen_found)),
    )


def window(reference: ArrayLike, convention: str) -> int:
    """Compute the window k of a reference segmentation.

    A document too short for a window of the `units` convention has one window over all its units;
    a single unit has none, and scores 0.
    """
    check_convention(convention)
    ends = np.asarray(reference)
    n_items, n_segments = int(ends[-1]), ends.size
    if convention == "words":
        return n_items // (2 * n_segments)
    return min(max(2, round(n_items / n_segments / 2)), max(n_items - 1, 1))


def check_convention(convention: object) -> None:
    """Refuse an unknown convention."""
    check_choice(convention, "convention", CONVENTIONS)


def ends_in_words(ends: ArrayLike, unit_words: ArrayLike) -> NDArray[np.int64]:
    """Convert ends counted in units to ends counted in words; empty segments are dropped.

    >>> ends_in_words([1, 2, 3], [0, 5, 4]).tolist()
    [5, 9]
    """
    in_words: NDArray[np.int64] = np.cumsum(np.asarray(unit_words))[np.asarray(ends) - 1]
    distinct: NDArray[np.int64] = np.unique(in_words)
    return distinct[distinct > 0]


def _check_ends(ends: ArrayLike) -> NDArray[np.int64]:
    array = np.asarray(ends, dtype=np.int64)
    if array.ndim != 1 or array.size == 0 or array[0] < 1 or np.any(np.diff(array) < 1):
        raise InputError(f"segment ends must increase from 1 to the number of items: {ends!r}")
    return array


def _boundaries_in_windows(
    ends: NDArray[np.int64], width: int, inclusive: bool
) -> NDArray[np.int64]:
    n_items = int(ends[-1])
    boundaries = np.bincount(ends[:-1], minlength=n_items + 1)
    up_to = np.cumsum(boundaries)
    first = np.arange(n_items - width)
    seen = up_to[first + width] - up_to[first]
    return seen + boundaries[first] if inclusive else seen
