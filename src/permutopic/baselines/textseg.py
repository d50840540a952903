"""TextSeg: the most probable segmentation of each document (Utiyama and Isahara, 2001).

M. Utiyama, H. Isahara: A statistical model for domain-independent text segmentation, ACL 2001.

A segment of n tokens, n_w of them the word w, costs
    log N + Σ_w n_w · log((n + V) / (n_w + 1)),
with N the tokens and V the distinct words of the document: minus the log probability of its words
under its own smoothed frequencies, plus a penalty of log N per segment. The segmentation of minimum
total cost is found exactly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from permutopic.baselines.local_tokens import all_local_tokens
from permutopic.baselines.segment_counts import counts_unless_auto
from permutopic.baselines.segment_kernels import (
    LocalTokens,
    SegmentCosts,
    best_segmentation,
    best_segmentation_any_number,
)
from permutopic.results.prediction import Prediction

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from permutopic.corpus import Corpus


def predict(
    corpus: Corpus,
    *,
    auto: bool = False,
    n_segments: int | ArrayLike | None = None,
    reference: str = "heading",
) -> Prediction:
    """Segment every document at minimum cost, which is `by_document["cost"]`.

    Parameters
    ----------
    auto
        Minimise over the number of segments as well.
    n_segments, reference
        The number of segments otherwise: see `segment_counts`.

    >>> from permutopic.corpus import Corpus
    >>> corpus = Corpus.from_paragraphs([["sea salt sea", "salt salt", "snow hill", "hill snow"]])
    >>> predict(corpus, n_segments=2).ends(0).tolist()
    [2, 4]
    """
    counts = counts_unless_auto(corpus, auto, n_segments, reference)
    ends, cost = [], np.empty(corpus.n_documents)
    for document, tokens in enumerate(all_local_tokens(corpus)):
        costs = segment_costs(tokens)
        if counts is None:
            best, cost[document] = best_segmentation_any_number(tokens, costs)
        else:
            best, cost[document] = best_segmentation(tokens, costs, int(counts[document]))
        ends.append(best)
    return Prediction.from_ends(ends, corpus.document_offsets, by_document={"cost": cost})


def segment_costs(tokens: LocalTokens) -> SegmentCosts:
    """Tabulate the cost of a segment, with Σ n_w log(n_w + 1) as a sum of one gain per token."""
    numbers = np.arange(tokens.words.size + 1)
    repeated = numbers * np.log(numbers + 1)
    return SegmentCosts(
        gains=np.diff(repeated),
        by_tokens=np.log(tokens.words.size) + numbers * np.log(numbers + tokens.n_words),
        by_units=np.zeros(tokens.unit_offsets.size),
    )
