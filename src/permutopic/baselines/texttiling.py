"""TextTiling: boundaries where the words on both sides differ most (Hearst, 1997).

M. Hearst: TextTiling: segmenting text into multi-paragraph subtopic passages, Computational
Linguistics 23(1), 1997.

The tokens are divided into pseudo-sentences of equal length. At each gap between two of them the
blocks on both sides are compared by the cosine of their word counts, and the cosines are smoothed.
A gap is as deep as the sum of how far the cosine rises on either side before it falls again.
Deep gaps are boundaries, moved to the nearest end of a unit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from permutopic.baselines.segment_counts import counts_unless_auto
from permutopic.baselines.segment_text import texts_of
from permutopic.baselines.texttiling_kernels import gap_similarities
from permutopic.checks import check_integer
from permutopic.errors import InputError
from permutopic.results.prediction import Prediction

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from permutopic.corpus import Corpus

POLICIES = {"conservative": 0.5, "liberal": 1.0}
"""How many standard deviations below the mean a depth may lie (HC and LC in the literature)."""
APART = 4
"""Pseudo-sentences from one boundary to the next: at least three lie between."""


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
    """Cut every document at its deepest gaps.

    Parameters
    ----------
    width, block
        Tokens of a pseudo-sentence, and pseudo-sentences of a block.
    policy
        How deep a gap must be: deeper than the mean less half a standard deviation
        ("conservative") or a whole one ("liberal").
    auto
        Choose the number of segments, by `policy`.
    n_segments, reference
        With auto=False, how many segments documents get: see `segment_counts`.

    >>> from permutopic.corpus import Corpus
    >>> paragraphs = ["sea salt sea salt", "salt sea", "snow hill", "hill snow snow hill"]
    >>> corpus = Corpus.from_paragraphs([paragraphs])
    >>> predict(corpus, width=2, block=2).ends(0).tolist()
    [2, 4]
    """
    width, block = check_integer(width, "width", 1, 10**6), check_integer(block, "block", 1, 10**6)
    if policy not in POLICIES:
        raise InputError(f"policy must be one of {', '.join(POLICIES)}, not {policy!r}")
    counts = counts_unless_auto(corpus, auto, n_segments, reference)
    ends = []
    for document, text in enumerate(texts_of(corpus)):
        similarities = gap_similarities(text.tokens, text.n_words, width, block)
        depths = gap_depths(smoothed(similarities))
        gaps = deepest_apart(depths)
        if counts is None:
            chosen = _deep_enough(depths, gaps, POLICIES[policy])
            cuts = _cuts_at(chosen, width, text.offsets, None)
        else:
            # Gaps too near to a deeper one come last; dict.fromkeys drops the repeats.
            ranked = list(dict.fromkeys(gaps + _by_depth(depths)))
            cuts = _cuts_at(ranked, width, text.offsets, int(counts[document]) - 1)
            cuts = _filled(cuts, text.offsets.size - 1, int(counts[document]) - 1)
        ends.append(np.array([*cuts, text.offsets.size - 1], dtype=np.int64))
    return Prediction.from_ends(ends, corpus.document_offsets)


def smoothed(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Put the mean of itself and its neighbours in the place of every value.

    >>> smoothed(np.array([0.0, 3.0, 6.0])).tolist()
    [1.5, 3.0, 4.5]
    """
    sums, seen = values.copy(), np.ones(values.size)
    sums[1:] += values[:-1]
    sums[:-1] += values[1:]
    seen[1:] += 1
    seen[:-1] += 1
    return sums / seen


def gap_depths(similarities: NDArray[np.float64]) -> NDArray[np.float64]:
    """Say how far below the peaks on its two sides each gap lies.

    >>> gap_depths(np.array([3.0, 1.0, 2.0, 2.0, 5.0, 4.0])).tolist()
    [0.0, 6.0, 3.0, 3.0, 0.0, 1.0]
    """
    return (_peaks_before(similarities) - similarities) + (
        _peaks_before(similarities[::-1])[::-1] - similarities
    )


def _peaks_before(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Walk back from each value while it does not fall, and say how high one gets."""
    peaks = values.copy()
    for place in range(1, values.size):
        if values[place - 1] >= values[place]:
            peaks[place] = peaks[place - 1]
    return peaks


def _by_depth(depths: NDArray[np.float64]) -> list[int]:
    return [int(gap) for gap in np.argsort(-depths, kind="stable")]


def deepest_apart(depths: NDArray[np.float64]) -> list[int]:
    """List gaps, the deepest first, without those that are too near to one listed before.

    >>> deepest_apart(np.array([0.0, 4.0, 5.0, 1.0, 1.0, 2.0, 3.0]))
    [2, 6]
    """
    taken: list[int] = []
    blocked = np.zeros(depths.size, dtype=bool)
    for gap in _by_depth(depths):
        if not blocked[gap]:
            taken.append(gap)
            blocked[max(gap - APART + 1, 0) : gap + APART] = True
    return taken


def _deep_enough(depths: NDArray[np.float64], gaps: Sequence[int], deviations: float) -> list[int]:
    """Keep the gaps that are deeper than the others are on the whole."""
    if depths.size == 0:
        return []
    # A gap of depth 0 is no valley, however low the limit.
    limit = max(float(depths.mean() - deviations * depths.std()), 0.0)
    return [gap for gap in gaps if depths[gap] > limit]


def _cuts_at(
    gaps: Sequence[int], width: int, offsets: NDArray[np.int64], most: int | None
) -> list[int]:
    """Move gaps to the nearest ends of units, one after the other; at most so many in all."""
    inner = offsets[1:-1]
    cuts: set[int] = set()
    for gap in gaps if inner.size else []:
        if len(cuts) == most:
            break
        cuts.add(int(np.argmin(np.abs(inner - (gap + 1) * width))) + 1)
    return sorted(cuts)


def _filled(cuts: Sequence[int], n_units: int, wanted: int) -> list[int]:
    """Halve the longest segment until there are enough, for a text with too few gaps."""
    found = list(cuts)
    while len(found) < wanted:
        edges = [0, *found, n_units]
        longest = int(np.argmax(np.diff(edges)))
        found.insert(longest, (edges[longest] + edges[longest + 1]) // 2)
    return found
