"""Bursty words: those of fewer documents than they would be if their units were spread evenly.

A first guess at the subject words, where a chain starts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from permutopic.corpus import Corpus

THRESHOLD = 0.6  # docs/studies/subjects.md


def find_bursty_words(corpus: Corpus, threshold: float = THRESHOLD) -> NDArray[np.bool_]:
    """Mark the words in less than a share of the documents that a Poisson rate would give: (W,).

    A word in a share r of all units would be in Σ_d (1 − exp(−r N_d)) documents, N_d their numbers
    of units.

    >>> from permutopic import Corpus
    >>> documents = [["gold was", "gold is"], ["salt was", "salt is"]] * 5
    >>> find_bursty_words(Corpus.from_paragraphs([*documents, ["tin was", "tin is"]])).tolist()
    [False, False, False, True, False]
    """
    index, sizes = corpus.word_index, corpus.document_sizes
    in_units, in_documents = np.diff(index.unit_starts), np.diff(index.document_starts)
    numbers, which = np.unique(in_units, return_inverse=True)  # few, as sizes are
    lengths, multiplicity = np.unique(sizes, return_counts=True)
    rates = numbers / corpus.n_units
    expected = np.array([multiplicity @ -np.expm1(-rate * lengths) for rate in rates])
    bursty: NDArray[np.bool_] = in_documents < threshold * expected[which]
    return bursty if not bursty.all() else np.zeros_like(bursty)
