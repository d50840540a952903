"""Pk and WindowDiff, in the two conventions that tables are made with.

A segmentation is given by its ends: the number of the last item of each segment, counted from 1,
so that the last end is the number of items. Items are words or units, as the convention says.

`words` (behind the paper's Table 3): items are the white-space words of the source. The window
is k = floor(items / (2 · reference segments)); it stands at i = 0 … items−k−1 and sees the
boundaries o (the offset of a segment's first item) with i ≤ o ≤ i+k.

`units` (the textbook's, as segeval has it): items are units. The window is half the mean
reference segment, rounded half to even, at least 2; it sees boundaries with i < o ≤ i+k.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from permutopic.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

CONVENTIONS = ("words", "units")


class SegmentationScore(NamedTuple):
    """Two error rates of one segmentation; lower is better."""

    pk: float
    """Share of windows in which one segmentation has a boundary and the other has none."""
    windowdiff: float
    """Share of windows in which the two have different numbers of boundaries."""


def score_segmentation(
    reference: ArrayLike, hypothesis: ArrayLike, convention: str = "words"
) -> SegmentationScore:
    """Score a segmentation of one document against its reference, both given by their ends.

    >>> score_segmentation([5, 10, 15, 20], [10, 15, 20], "units")
    SegmentationScore(pk=0.1111111111111111, windowdiff=0.1111111111111111)
    """
    true, found = _checked(reference), _checked(hypothesis)
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

    A document too short for one window of the `units` convention gets one window over all of
    it; a single unit gets none, and scores 0: there is nothing to get wrong.
    """
    check_convention(convention)
    ends = np.asarray(reference)
    n_items, n_segments = int(ends[-1]), ends.size
    if convention == "words":
        return n_items // (2 * n_segments)
    return min(max(2, round(n_items / n_segments / 2)), max(n_items - 1, 1))


def check_convention(convention: object) -> None:
    """Refuse a convention that is none of ours."""
    if convention not in CONVENTIONS:
        raise InputError(f"the convention is one of {', '.join(CONVENTIONS)}, not {convention!r}")


def ends_in_words(ends: ArrayLike, unit_words: ArrayLike) -> NDArray[np.int64]:
    """Turn ends counted in units into ends counted in words; a wordless segment is none.

    >>> ends_in_words([1, 2, 3], [0, 5, 4]).tolist()
    [5, 9]
    """
    in_words: NDArray[np.int64] = np.cumsum(np.asarray(unit_words))[np.asarray(ends) - 1]
    distinct: NDArray[np.int64] = np.unique(in_words)
    return distinct[distinct > 0]


def _checked(ends: ArrayLike) -> NDArray[np.int64]:
    array = np.asarray(ends, dtype=np.int64)
    if array.ndim != 1 or array.size == 0 or array[0] < 1 or np.any(np.diff(array) < 1):
        raise InputError(f"segment ends must climb from 1 to the number of items: {ends!r}")
    return array


def _boundaries_in_windows(
    ends: NDArray[np.int64], width: int, both_sides: bool
) -> NDArray[np.int64]:
    n_items = int(ends[-1])
    boundaries = np.bincount(ends[:-1], minlength=n_items + 1)
    up_to = np.cumsum(boundaries)
    first = np.arange(n_items - width)
    seen = up_to[first + width] - up_to[first]
    return seen + boundaries[first] if both_sides else seen
