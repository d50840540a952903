"""C99: similarities of units as ranks among their neighbours, then cut after cut (Choi, 2000).

F. Choi: Advances in domain independent linear text segmentation, NAACL 2000.

Every two units are compared by the cosine of their word counts. A cosine of short texts says
little by itself, so it gives way to its rank: the share of the values around it, in a square of
11 by 11, that are less. Documents are then cut again and again where the mean rank within
segments becomes greatest. Where that mean stops growing unusually fast, it has enough segments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from permutopic.baselines.c99_kernels import divide, local_ranks, square_cosines
from permutopic.baselines.segment_counts import counts_unless_auto
from permutopic.baselines.segment_text import texts_of
from permutopic.checks import check_integer
from permutopic.errors import InputError
from permutopic.results.prediction import Prediction

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from permutopic.corpus import Corpus

DEVIATIONS = 1.2
"""How many standard deviations above the mean growth is unusual (the paper's c)."""
_WEIGHTS = np.array([1.0, 2.0, 4.0, 8.0, 4.0, 2.0, 1.0])


def predict(
    corpus: Corpus,
    *,
    mask: int = 11,
    auto: bool = True,
    n_segments: int | ArrayLike | None = None,
    reference: str = "heading",
) -> Prediction:
    """Cut every document where its segments become densest; `by_document["density"]` tells it.

    Parameters
    ----------
    mask
        How many rows and columns the square has in which similarities are ranked; odd.
    auto
        Choose the number of segments.
    n_segments, reference
        With auto=False, how many segments documents get: see `segment_counts`.

    >>> from permutopic.corpus import Corpus
    >>> corpus = Corpus.from_paragraphs([["sea salt sea", "salt salt", "snow hill", "hill snow"]])
    >>> predict(corpus, auto=False, n_segments=2).ends(0).tolist()
    [2, 4]
    """
    if check_integer(mask, "mask", 3, 10**6) % 2 == 0:
        raise InputError(f"mask must be odd, to have a middle, not {mask}")
    counts = counts_unless_auto(corpus, auto, n_segments, reference)
    ends, density = [], np.empty(corpus.n_documents)
    for document, text in enumerate(texts_of(corpus)):
        ranks = local_ranks(square_cosines(text.tokens, text.offsets, text.n_words), mask // 2)
        order, densities = divide(ranks)
        n_cuts = unusual_growth(densities) if counts is None else int(counts[document]) - 1
        ends.append(np.append(np.sort(order[:n_cuts]), text.offsets.size - 1))
        density[document] = densities[n_cuts]
    return Prediction.from_ends(ends, corpus.document_offsets, by_document={"density": density})


def unusual_growth(densities: NDArray[np.float64]) -> int:
    """Count the first cuts that raise the density by more than the mean and 1.2 deviations.

    The growth is smoothed first, with the weights 1 2 4 8 4 2 1 of Choi's program; at the edges
    with those that there are.

    >>> unusual_growth(np.array([0.1, 0.5, 0.7, 0.71, 0.72, 0.72, 0.73, 0.73, 0.74, 0.74, 0.74]))
    2
    """
    growth = np.diff(densities)
    if growth.size == 0:
        return 0
    half = _WEIGHTS.size // 2
    smooth = np.convolve(growth, _WEIGHTS)[half:-half]
    smooth /= np.convolve(np.ones(growth.size), _WEIGHTS)[half:-half]
    usual = smooth <= smooth.mean() + DEVIATIONS * smooth.std()
    return int(np.argmax(usual))
