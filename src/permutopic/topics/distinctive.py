"""Which words tell a topic from the others.

A word's z-score is the difference between its log odds in a topic and outside it, over the
standard error of that difference, with the corpus as prior (Monroe, Colaresi & Quinn 2008,
"Fightin' Words"). It is taken twice: over tokens, which favours what a topic speaks of at length,
and over segments, which favours what it speaks of in many documents. The geometric mean of the
two wants both: a word that one document repeats is not telling. The square root of a third factor
goes in as well, how exclusive the word is: the topic's share when every topic counts alike. It
puts "crust" before "where".

The little words of the language count nothing, numbers and single letters little.

Chosen by looking at six corpora: the z-score over tokens alone brings the names of single
documents, lift and FREX bring rare words, and without the last factor little words come in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from permutopic.text.languages import function_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

PRIOR = 0.01
"""The corpus counts as prior with this share of its own size."""
COMMON = 0.5
"""A word in more than this share of all segments tells nothing."""
FAINT = 0.3
"""What numbers and single letters weigh, where words weigh 1 and little words nothing."""


def z_scores(here: NDArray[np.integer], everywhere: NDArray[np.integer]) -> NDArray[np.float64]:
    """Compute the z-score of each word's log odds in a topic against all others.

    >>> z_scores(np.array([9, 1, 10]), np.array([10, 10, 20])).round(1).tolist()
    [2.6, -2.6, 0.0]
    """
    prior = PRIOR * everywhere
    inside, outside = here + prior, everywhere - here + prior
    with np.errstate(divide="ignore", invalid="ignore"):
        odds = np.log(inside / (inside.sum() - inside))
        other_odds = np.log(outside / (outside.sum() - outside))
        scores = (odds - other_odds) / np.sqrt(1 / inside + 1 / outside)
    # Where a word is all there is, its odds are infinite; where it is nowhere, there are none.
    finite: NDArray[np.float64] = np.nan_to_num(scores, nan=0.0, posinf=0.0, neginf=0.0)
    return finite


def rank_words(
    word_counts: NDArray[np.integer],
    word_segments: NDArray[np.integer],
    segments: NDArray[np.integer],
    weights: NDArray[np.float64],
) -> list[NDArray[np.int64]]:
    """List for each topic the words it holds, the most telling first.

    `segments` has the number of segments of each topic, `weights` what each word counts. Words
    that tell nothing follow, the most frequent first; ties go by the vocabulary's order.
    """
    all_counts, all_segments = word_counts.sum(axis=1), word_segments.sum(axis=1)
    common = all_segments > COMMON * segments.sum()
    all_rates = word_segments @ (1 / np.maximum(segments, 1))
    ranked = []
    for topic, n_segments in enumerate(segments):  # one at a time: the vocabulary may be large
        counts, mine = word_counts[:, topic], word_segments[:, topic]
        telling = np.maximum(z_scores(counts, all_counts), 0)
        telling *= np.maximum(z_scores(mine, all_segments), 0)
        present = np.flatnonzero(counts)
        exclusive = mine[present] / (max(n_segments, 1) * all_rates[present])
        weight = np.sqrt(telling[present] * exclusive) * weights[present]
        weight[common[present]] = 0
        ranked.append(present[np.lexsort((-counts[present], -weight))])
    return ranked


def weigh_words(vocabulary: Sequence[str], totals: NDArray[np.integer]) -> NDArray[np.float64]:
    """Say what each word of a vocabulary counts when telling ones are looked for.

    >>> totals = np.array([40, 30, 9, 5, 4])
    >>> weigh_words(["the", "of", "and", "1984", "crust"], totals).tolist()
    [0.0, 0.0, 0.0, 0.3, 1.0]
    """
    little = function_words(dict(zip(vocabulary, totals.tolist(), strict=True)))
    weights = [0.0 if word in little else FAINT if _is_faint(word) else 1.0 for word in vocabulary]
    return np.array(weights)


def _is_faint(word: str) -> bool:
    """Tell numbers, and single letters where the script has capitals."""
    letters = sum(map(str.isalpha, word))
    return letters == 0 or (letters == 1 and word.upper() != word.lower())
