"""Compiled code of TextTiling: similarities of blocks."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from permutopic.jit import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray


@compiled
def gap_similarities(
    words: NDArray[np.int64], n_words: int, width: int, block: int
) -> NDArray[np.float64]:
    """Compute the cosine of the word counts of the blocks on both sides of each gap.

    A pseudo-sentence has `width` tokens; the last may have fewer. A block has `block` of them, or
    as many as there are on the shorter side: both blocks of a gap have the same number.
    """
    n_sentences = -(-words.size // width)
    similarities = np.zeros(max(n_sentences - 1, 0))
    left, right = np.zeros(n_words, np.int64), np.zeros(n_words, np.int64)
    for gap in range(similarities.size):
        n_block = min(block, gap + 1, n_sentences - 1 - gap)
        middle = (gap + 1) * width
        first, last = middle - n_block * width, min(middle + n_block * width, words.size)
        left_square, right_square, product = 0, 0, 0
        for token in range(first, middle):
            word = words[token]
            left_square += 2 * left[word] + 1  # (c + 1)² − c²
            left[word] += 1
        for token in range(middle, last):
            word = words[token]
            right_square += 2 * right[word] + 1
            right[word] += 1
            product += left[word]
        similarities[gap] = product / math.sqrt(left_square * right_square)
        for token in range(first, middle):
            left[words[token]] = 0
        for token in range(middle, last):
            right[words[token]] = 0
    return similarities
