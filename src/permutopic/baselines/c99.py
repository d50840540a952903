"""C99: divisive segmentation by local ranks of unit similarities (Choi, 2000).

F. Choi: Advances in domain independent linear text segmentation, NAACL 2000.

Every two units are compared by the cosine of their word counts. The value of a cosine of short
texts is unreliable, so it is replaced by its rank: the share of the values around it, in a square
of 11 by 11, that are smaller. A document is then cut repeatedly, each time where the mean rank
within segments (the density) becomes greatest, until the growth of the density falls to its usual
level.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from permutopic.baselines.c99_kernels import divide, local_ranks, squared_cosines
from permutopic.baselines.local_tokens import all_local_tokens
from permutopic.baselines.segment_counts import counts_unless_auto
from permutopic.checks import check_integer
from permutopic.errors import InputError, Parameter
from permutopic.results.prediction import Prediction

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from permutopic.corpus import Corpus

DEVIATIONS = 1.2
"""Standard deviations above the mean beyond which growth is unusual (c in the paper)."""
_SMOOTHING_WEIGHTS = np.array([1.0, 2.0, 4.0, 8.0, 4.0, 2.0, 1.0])


def predict(
    corpus: Corpus,
    *,
    mask: int = 11,
    auto: bool = True,
    n_segments: int | ArrayLike | None = None,
    reference: str = "heading",
) -> Prediction:
    """Segment every document by maximum density, which is `by_document["density"]`.

    Parameters
    ----------
    mask
        Rows and columns of the square in which similarities are ranked; odd.
    auto
        Choose the number of segments.
    n_segments, reference
        With auto=False, the number of segments per document: see `segment_counts`.

    >>> from permutopic.corpus import Corpus
    >>> corpus = Corpus.from_paragraphs([["sea salt sea", "salt salt", "snow hill", "hill snow"]])
    >>> predict(corpus, auto=False, n_segments=2).ends(0).tolist()
    [2, 4]
    """
    if check_integer(mask, "mask", 3, 10**6) % 2 == 0:
        raise InputError(Parameter("mask"), f" must be odd, to have a middle, not {mask}")
    counts = counts_unless_auto(corpus, auto, n_segments, reference)
    ends, density = [], np.empty(corpus.n_documents)
    for document, tokens in enumerate(all_local_tokens(corpus)):
        ranks = local_ranks(squared_cosines(*tokens), mask // 2)
        order, densities = divide(ranks)
        n_cuts = choose_n_cuts(densities) if counts is None else int(counts[document]) - 1
        ends.append(np.append(np.sort(order[:n_cuts]), tokens.unit_offsets.size - 1))
        density[document] = densities[n_cuts]
    return Prediction.from_ends(ends, corpus.document_offsets, by_document={"density": density})


def choose_n_cuts(densities: NDArray[np.float64]) -> int:
    """Count the first cuts whose smoothed growth of density is above mean + 1.2 deviations.

    The growth is smoothed with the weights 1 2 4 8 4 2 1 of Choi's program, renormalised at the
    edges.

    >>> choose_n_cuts(np.array([0.1, 0.5, 0.7, 0.71, 0.72, 0.72, 0.73, 0.73, 0.74, 0.74, 0.74]))
    2
    """
    growth = np.diff(densities)
    if growth.size == 0:
        return 0
    half = _SMOOTHING_WEIGHTS.size // 2
    smooth = np.convolve(growth, _SMOOTHING_WEIGHTS)[half:-half]
    smooth /= np.convolve(np.ones(growth.size), _SMOOTHING_WEIGHTS)[half:-half]
    usual = smooth <= smooth.mean() + DEVIATIONS * smooth.std()
    return int(np.argmax(usual))
