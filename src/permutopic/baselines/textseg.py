"""TextSeg: the segmentation that is the most probable by itself (Utiyama and Isahara, 2001).

M. Utiyama, H. Isahara: A statistical model for domain-independent text segmentation, ACL 2001.

A segment of n tokens, n_w of them the word w, costs
    log N + Σ_w n_w · log((n + V) / (n_w + 1)),
N being the tokens and V the different words of the document: its words cost what they would
under its own smoothed frequencies, and each segment costs log N for being there. The best
segmentation has the least total. It is found exactly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from permutopic.baselines.segment_counts import counts_unless_auto
from permutopic.baselines.segment_kernels import Costs, Text, best_any, best_given
from permutopic.baselines.segment_text import texts_of
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
    """Cut every document at the least cost; `by_document["cost"]` tells it.

    Parameters
    ----------
    auto
        Choose the number of segments as well: the one at which the total is least.
    n_segments, reference
        Otherwise how many segments documents get: see `segment_counts`.

    >>> from permutopic.corpus import Corpus
    >>> corpus = Corpus.from_paragraphs([["sea salt sea", "salt salt", "snow hill", "hill snow"]])
    >>> predict(corpus, n_segments=2).ends(0).tolist()
    [2, 4]
    """
    counts = counts_unless_auto(corpus, auto, n_segments, reference)
    ends, cost = [], np.empty(corpus.n_documents)
    for document, text in enumerate(texts_of(corpus)):
        costs = segment_costs(text)
        if counts is None:
            found, cost[document] = best_any(text, costs)
        else:
            found, cost[document] = best_given(text, costs, int(counts[document]))
        ends.append(found)
    return Prediction.from_ends(ends, corpus.document_offsets, by_document={"cost": cost})


def segment_costs(text: Text) -> Costs:
    """Put the cost of a segment into tables, with Σ n_w log(n_w + 1) in steps of one token."""
    numbers = np.arange(text.tokens.size + 1)
    repeated = numbers * np.log(numbers + 1)
    return Costs(
        gains=np.diff(repeated),
        by_tokens=np.log(text.tokens.size) + numbers * np.log(numbers + text.n_words),
        by_units=np.zeros(text.offsets.size),
    )
