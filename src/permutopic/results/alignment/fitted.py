"""Fitted documents in the form of inferred ones: their structure, without their texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from permutopic.permutation import count_swaps
from permutopic.results.inferred import Inferred

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray


def fitted_documents(
    titles: Sequence[str],
    topics: Sequence[NDArray[np.int64]],
    n_topics: int,
    *,
    subjects: Sequence[tuple[str, ...]] | None = None,
    spans: NDArray[np.int64] | None = None,
    words: NDArray[np.int64] | None = None,
    probabilities: NDArray[np.float64] | None = None,
    boundaries: NDArray[np.float64] | None = None,
) -> Iterator[Inferred]:
    """Yield the documents of a fit as inferred documents, as far as a model keeps them.

    Unknown numbers are nan, and there is no text.

    Parameters
    ----------
    titles, topics
        For each document its title, and the topic of each of its units.
    n_topics
        How many topics there are.
    subjects
        For each document, what it is about.
    spans, words
        For the units of all documents, (units, 2): where they are in their sources; and
        (units,): their white-space words.
    probabilities
        (units, topics), for the units of all documents. None: one chain alone gives no probability.
    boundaries
        (units,), for the units of all documents: the probability of a boundary before each. The
        first of each document is not used.

    Examples
    --------
    >>> [oslo] = fitted_documents(["Oslo"], [np.array([0, 0, 2])], 3)
    >>> oslo.title, oslo.ends.tolist(), oslo.texts
    ('Oslo', [2, 3], ())
    """
    begin = 0
    about = [()] * len(titles) if subjects is None else subjects
    for title, own_topics, words_of_subject in zip(titles, topics, about, strict=True):
        size, end = own_topics.size, begin + own_topics.size
        unknown, none = np.full(size, np.nan), np.zeros(size, dtype=np.int64)
        unit_probabilities = (
            np.full((size, n_topics), np.nan) if probabilities is None else probabilities[begin:end]
        )
        yield Inferred(
            title=title,
            location="",
            seen=True,
            subjects=words_of_subject,
            topics=own_topics,
            probabilities=unit_probabilities,
            boundaries=unknown[1:] if boundaries is None else boundaries[begin + 1 : end],
            samples=own_topics[None, :0],
            log_likelihood=float("nan"),
            swaps=count_swaps(dict.fromkeys(own_topics.tolist())),
            known_words=none,
            unknown_words=none,
            topic_scores=np.full((size, n_topics), np.nan),
            background_scores=unknown,
            source_words=none if words is None else words[begin:end],
            source_spans=np.full((size, 2), -1) if spans is None else spans[begin:end],
            texts=(),
        )
        begin = end
