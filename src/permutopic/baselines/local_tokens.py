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
    first, last = corpus.document_offsets[document : document + 2]
    offsets = corpus.unit_offsets[first : last + 1]
    distinct, words = np.unique(corpus.words[offsets[0] : offsets[-1]], return_inverse=True)
    return LocalTokens(words.astype(np.int64), offsets - offsets[0], distinct.size)


def all_local_tokens(corpus: Corpus) -> list[LocalTokens]:
    """Return `local_tokens` of every document."""
    return [local_tokens(corpus, document) for document in range(corpus.n_documents)]
