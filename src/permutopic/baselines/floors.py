"""Trivial baselines, which use no words: random segments, and segments of equal length."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from permutopic.baselines.segment_counts import segment_counts
from permutopic.checks import check_integer
from permutopic.results.prediction import Prediction

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from permutopic.corpus import Corpus


def predict_random(
    corpus: Corpus,
    n_topics: int,
    seed: int = 0,
    *,
    n_segments: int | ArrayLike | None = None,
    reference: str = "heading",
) -> Prediction:
    """Draw boundaries and the topics of segments at random.

    All boundaries are equally likely. Adjacent segments never get the same topic, which would make
    them one; with a single topic every document is one segment.

    Parameters
    ----------
    n_segments, reference
        The number of segments per document: see `segment_counts`.

    >>> from permutopic.corpus import Corpus
    >>> corpus = Corpus.from_paragraphs([["One.", "Two.", "Three.", "Four."]])
    >>> predict_random(corpus, 5, n_segments=3).ends(0).size
    3
    """
    check_integer(n_topics, "n_topics", 1)
    random = np.random.default_rng(check_integer(seed, "seed", 0))
    counts = segment_counts(corpus, n_segments, reference)
    topics = []
    for size, count in zip(corpus.document_sizes, counts, strict=True):
        cuts = np.sort(random.choice(size - 1, count - 1, replace=False)) + 1
        steps = random.integers(1, max(n_topics, 2), count)  # never 0: adjacent topics differ
        steps[0] = random.integers(n_topics)
        lengths = np.diff([0, *cuts, size])
        topics.append(np.repeat(np.cumsum(steps) % n_topics, lengths))
    return Prediction(np.concatenate(topics), corpus.document_offsets)


def predict_even(corpus: Corpus, n_topics: int) -> Prediction:
    """Divide every document into `n_topics` equal parts: unit i of n has topic ⌊i K / n⌋.

    Parts differ by at most one unit. A document of fewer than K units skips topics, evenly.

    >>> from permutopic.corpus import Corpus
    >>> corpus = Corpus.from_paragraphs([["One.", "Two.", "Three.", "Four.", "Five."], ["Six."]])
    >>> predict_even(corpus, 3).topics.tolist()
    [0, 0, 1, 1, 2, 0]
    """
    check_integer(n_topics, "n_topics", 1)
    topics = [np.arange(size) * n_topics // size for size in corpus.document_sizes]
    return Prediction(np.concatenate(topics), corpus.document_offsets)


def predict_even_given(
    corpus: Corpus, *, n_segments: int | ArrayLike | None = None, reference: str = "heading"
) -> Prediction:
    """Divide every document into equal parts; their number is that of `segment_counts`.

    >>> from permutopic.corpus import Corpus
    >>> corpus = Corpus.from_paragraphs([["One.", "Two.", "Three.", "Four.", "Five."]])
    >>> predict_even_given(corpus, n_segments=2).ends(0).tolist()
    [2, 5]
    """
    ends: list[NDArray[np.int64]] = [
        np.arange(1, count + 1) * size // count
        for size, count in zip(
            corpus.document_sizes, segment_counts(corpus, n_segments, reference), strict=True
        )
    ]
    return Prediction.from_ends(ends, corpus.document_offsets)
