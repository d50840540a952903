"""Tokens of single documents, with the words numbered within each document."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from permutopic.baselines.segment_kernels import LocalTokens

if TYPE_CHECKING:
    from permutopic.corpus import Corpus


def local_tokens(corpus: Corpus, document: int) -> LocalTokens:
    """Return the tokens of one document, its distinct words renumbered from 0.

    >>> from permutopic.corpus import Corpus
    >>> tokens = local_tokens(Corpus.from_paragraphs([["a"], ["z c", "z"]]), 1)
    >>> tokens.words.tolist(), tokens.unit_offsets.tolist(), tokens.n_words
    ([1, 0, 1], [0, 2, 3], 2)
    """
    tokens = corpus.document(document).tokens
    distinct, words = np.unique(tokens.words, return_inverse=True)
    return LocalTokens(words.astype(np.int64), tokens.offsets, distinct.size)


def all_local_tokens(corpus: Corpus) -> list[LocalTokens]:
    """Return `local_tokens` of every document."""
    return [local_tokens(corpus, document) for document in range(corpus.n_documents)]
