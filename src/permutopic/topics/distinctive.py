"""Distinctive words: words that distinguish a topic from the others.

A word's z-score is the difference between its log odds in a topic and outside it, over the
standard error of that difference, with the corpus as prior (Monroe, Colaresi & Quinn 2008,
"Fightin' Words"). It is computed twice: over tokens, which favours words that are frequent in the
topic, and over segments, which favours words of many documents. The geometric mean requires both: a
word that one document repeats is not distinctive. The square root of a third factor is included,
the exclusiveness of the word: the topic's share of it when every topic has the same weight. It
ranks "crust" before "where".

Function words of the language have the weight 0, numbers and single letters a small one.

Chosen by inspection of six corpora: the z-score over tokens alone ranks names of single documents
first, lift and FREX rank rare words first, and without exclusiveness function words remain.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from permutopic.text.languages import function_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

PRIOR_SHARE = 0.01
"""The prior counts are the corpus counts times this."""
MAX_SEGMENT_SHARE = 0.5
"""A word in more than this share of all segments is not distinctive."""
NUMBER_WEIGHT = 0.3
"""Weight of numbers and single letters; words have the weight 1, function words 0."""


def z_scores(here: NDArray[np.integer], everywhere: NDArray[np.integer]) -> NDArray[np.float64]:
    """Compute the z-score of each word's log odds in a topic against the other topics: (W,).

    `here` has the counts in the topic, `everywhere` those in all topics.

    >>> z_scores(np.array([9, 1, 10]), np.array([10, 10, 20])).round(1).tolist()
    [2.6, -2.6, 0.0]
    """
    prior = PRIOR_SHARE * everywhere
    inside, outside = here + prior, everywhere - here + prior
    with np.errstate(divide="ignore", invalid="ignore"):
        odds = np.log(inside / (inside.sum() - inside))
        other_odds = np.log(outside / (outside.sum() - outside))
        scores = (odds - other_odds) / np.sqrt(1 / inside + 1 / outside)
    # The odds of the only word are infinite, those of a word without tokens are undefined.
    finite: NDArray[np.float64] = np.nan_to_num(scores, nan=0.0, posinf=0.0, neginf=0.0)
    return finite


def rank_words(
    word_counts: NDArray[np.integer],
    word_segments: NDArray[np.integer],
    segments: NDArray[np.integer],
    weights: NDArray[np.float64],
) -> list[NDArray[np.int64]]:
    """Rank the words of each topic, the most distinctive first.

    Parameters
    ----------
    word_counts, word_segments
        (W, K): tokens of each word in each topic, and segments of each topic that have it.
    segments
        (K,): number of segments of each topic.
    weights
        (W,): weight of each word.

    Returns
    -------
    list of arrays
        For each topic, the words with a token in it. Words that are not distinctive come last, the
        most frequent first; ties keep the order of the vocabulary.
    """
    all_counts, all_segments = word_counts.sum(axis=1), word_segments.sum(axis=1)
    common = all_segments > MAX_SEGMENT_SHARE * segments.sum()
    all_rates = word_segments @ (1 / np.maximum(segments, 1))
    ranked = []
    for topic, n_segments in enumerate(segments):  # one at a time: the vocabulary may be large
        counts, with_word = word_counts[:, topic], word_segments[:, topic]
        product = np.maximum(z_scores(counts, all_counts), 0)
        product *= np.maximum(z_scores(with_word, all_segments), 0)
        present = np.flatnonzero(counts)
        exclusiveness = with_word[present] / (max(n_segments, 1) * all_rates[present])
        score = np.sqrt(product[present] * exclusiveness) * weights[present]
        score[common[present]] = 0
        ranked.append(present[np.lexsort((-counts[present], -score))])
    return ranked


def word_weights(vocabulary: Sequence[str], totals: NDArray[np.integer]) -> NDArray[np.float64]:
    """Compute the weight of each word in the ranking of distinctive words: (W,).

    `totals` has the number of tokens of each word, by which the language is guessed.

    >>> totals = np.array([40, 30, 9, 5, 4])
    >>> word_weights(["the", "of", "and", "1984", "crust"], totals).tolist()
    [0.0, 0.0, 0.0, 0.3, 1.0]
    """
    excluded = function_words(dict(zip(vocabulary, totals.tolist(), strict=True)))
    return np.array([0.0 if word in excluded else _weight(word) for word in vocabulary])


def _weight(word: str) -> float:
    """Return the weight of a number or, in a script with capitals, a single letter; else 1."""
    letters = sum(map(str.isalpha, word))
    single_letter = letters == 1 and word.upper() != word.lower()
    return NUMBER_WEIGHT if letters == 0 or single_letter else 1.0
