"""TextTiling: boundaries at minima of lexical similarity (Hearst, 1997).

M. Hearst: TextTiling: segmenting text into multi-paragraph subtopic passages, Computational
Linguistics 23(1), 1997.

The tokens are divided into pseudo-sentences of equal length. At each gap between two of them the
blocks on both sides are compared by the cosine of their word counts, and the cosines are smoothed.
The depth of a gap is the sum of the rises of the cosine from it to the nearest peak on each side.
Deep gaps become boundaries, moved to the nearest end of a unit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from permutopic.baselines.local_tokens import all_local_tokens
from permutopic.baselines.segment_counts import counts_unless_auto
from permutopic.baselines.texttiling_kernels import gap_similarities
from permutopic.checks import check_integer
from permutopic.errors import InputError, Parameter
from permutopic.results.prediction import Prediction

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from permutopic.corpus import Corpus

POLICIES = {"conservative": 0.5, "liberal": 1.0}
"""Standard deviations below the mean depth of the threshold (HC and LC in the literature)."""
MIN_DISTANCE = 4
"""Minimum distance of two boundaries in pseudo-sentences: at least three lie between."""


def predict(
    corpus: Corpus,
    *,
    width: int = 20,
    block: int = 10,
    policy: str = "conservative",
    auto: bool = True,
    n_segments: int | ArrayLike | None = None,
    reference: str = "heading",
) -> Prediction:
    """Segment every document at its deepest gaps.

    Parameters
    ----------
    width, block
        Tokens per pseudo-sentence, and pseudo-sentences per block.
    policy
        The threshold of the depth: the mean less half a standard deviation ("conservative") or
        a whole one ("liberal").
    auto
        Choose the number of segments, by `policy`.
    n_segments, reference
        With auto=False, the number of segments per document: see `segment_counts`.

    >>> from permutopic.corpus import Corpus
    >>> paragraphs = ["sea salt sea salt", "salt sea", "snow hill", "hill snow snow hill"]
    >>> corpus = Corpus.from_paragraphs([paragraphs])
    >>> predict(corpus, width=2, block=2).ends(0).tolist()
    [2, 4]
    """
    width, block = check_integer(width, "width", 1, 10**6), check_integer(block, "block", 1, 10**6)
    if policy not in POLICIES:
        raise InputError(
            Parameter("policy"), f" must be one of {', '.join(POLICIES)}, not {policy!r}"
        )
    counts = counts_unless_auto(corpus, auto, n_segments, reference)
    ends = []
    for document, tokens in enumerate(all_local_tokens(corpus)):
        similarities = gap_similarities(tokens.words, tokens.n_words, width, block)
        depths = gap_depths(smooth(similarities))
        gaps = select_gaps(depths)
        if counts is None:
            chosen = _above_threshold(depths, gaps, POLICIES[policy])
            cuts = _cuts_at(chosen, width, tokens.unit_offsets, None)
        else:
            # Gaps too close to a deeper one come last; dict.fromkeys drops duplicates.
            ranked = list(dict.fromkeys(gaps + _by_depth(depths)))
            cuts = _cuts_at(ranked, width, tokens.unit_offsets, int(counts[document]) - 1)
            cuts = _add_cuts(cuts, tokens.unit_offsets.size - 1, int(counts[document]) - 1)
        ends.append(np.array([*cuts, tokens.unit_offsets.size - 1], dtype=np.int64))
    return Prediction.from_ends(ends, corpus.document_offsets)


def smooth(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Replace every value by the mean of itself and its neighbours.

    >>> smooth(np.array([0.0, 3.0, 6.0])).tolist()
    [1.5, 3.0, 4.5]
    """
    sums, counts = values.copy(), np.ones(values.size)
    sums[1:] += values[:-1]
    sums[:-1] += values[1:]
    counts[1:] += 1
    counts[:-1] += 1
    return sums / counts


def gap_depths(similarities: NDArray[np.float64]) -> NDArray[np.float64]:
    """Compute the depth of each gap: Σ over both sides of (peak − similarity).

    >>> gap_depths(np.array([3.0, 1.0, 2.0, 2.0, 5.0, 4.0])).tolist()
    [0.0, 6.0, 3.0, 3.0, 0.0, 1.0]
    """
    return (_peaks_before(similarities) - similarities) + (
        _peaks_before(similarities[::-1])[::-1] - similarities
    )


def _peaks_before(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the last value of the non-decreasing run that leads left from each value."""
    peaks = values.copy()
    for gap in range(1, values.size):
        if values[gap - 1] >= values[gap]:
            peaks[gap] = peaks[gap - 1]
    return peaks


def _by_depth(depths: NDArray[np.float64]) -> list[int]:
    return [int(gap) for gap in np.argsort(-depths, kind="stable")]


def select_gaps(depths: NDArray[np.float64]) -> list[int]:
    """List gaps, the deepest first, without those closer than `MIN_DISTANCE` to a deeper one.

    >>> select_gaps(np.array([0.0, 4.0, 5.0, 1.0, 1.0, 2.0, 3.0]))
    [2, 6]
    """
    selected: list[int] = []
    excluded = np.zeros(depths.size, dtype=bool)
    for gap in _by_depth(depths):
        if not excluded[gap]:
            selected.append(gap)
            excluded[max(gap - MIN_DISTANCE + 1, 0) : gap + MIN_DISTANCE] = True
    return selected


def _above_threshold(
    depths: NDArray[np.float64], gaps: Sequence[int], deviations: float
) -> list[int]:
    """Keep the gaps with depth above mean − deviations · standard deviation."""
    if depths.size == 0:
        return []
    # A gap of depth 0 is no minimum, however low the threshold.
    threshold = max(float(depths.mean() - deviations * depths.std()), 0.0)
    return [gap for gap in gaps if depths[gap] > threshold]


def _cuts_at(
    gaps: Sequence[int], width: int, offsets: NDArray[np.int64], max_cuts: int | None
) -> list[int]:
    """Map gaps in order to the nearest ends of units, until there are `max_cuts` cuts."""
    inner = offsets[1:-1]
    cuts: set[int] = set()
    for gap in gaps if inner.size else []:
        if len(cuts) == max_cuts:
            break
        cuts.add(int(np.argmin(np.abs(inner - (gap + 1) * width))) + 1)
    return sorted(cuts)


def _add_cuts(cuts: Sequence[int], n_units: int, n_cuts: int) -> list[int]:
    """Halve the longest segment until there are `n_cuts`, for a document with too few gaps."""
    extended = list(cuts)
    while len(extended) < n_cuts:
        edges = [0, *extended, n_units]
        longest = int(np.argmax(np.diff(edges)))
        extended.insert(longest, (edges[longest] + edges[longest + 1]) // 2)
    return extended
