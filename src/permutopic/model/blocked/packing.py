"""Packing a corpus for the blocked sampler."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from permutopic.corpus import offsets_from_sizes
from permutopic.model.blocked.packed import PackedCorpus, Postings
from permutopic.model.kernels.preparation import localize

if TYPE_CHECKING:
    from collections.abc import Sequence

    from permutopic.corpus import Corpus
    from permutopic.model.kernels.preparation import LocalDocument


def localize_corpus(corpus: Corpus) -> list[LocalDocument]:
    """Give every document a vocabulary of its own."""
    numbers = np.full(corpus.n_words, -1, dtype=np.int32)
    return [localize(document.tokens, numbers) for document in corpus.documents()]


def make_postings(document: LocalDocument) -> Postings:
    """Count each word of a document in each of its units."""
    n_units, n_words = document.offsets.size - 1, document.words.size
    unit_of = np.repeat(np.arange(n_units), np.diff(document.offsets))
    keys, counts = np.unique(
        document.tokens.astype(np.int64) * n_units + unit_of, return_counts=True
    )
    return Postings(
        words=document.words,
        starts=np.searchsorted(keys, np.arange(n_words + 1) * n_units),
        units=(keys % n_units).astype(np.int32),
        counts=counts.astype(np.int32),
    )


def pack_documents(documents: Sequence[LocalDocument]) -> PackedCorpus:
    """Concatenate documents and their postings."""
    postings = [make_postings(document) for document in documents]
    return PackedCorpus(
        np.concatenate([document.tokens for document in documents]),
        offsets_from_sizes([document.tokens.size for document in documents]),
        np.concatenate([each.words for each in postings]),
        offsets_from_sizes([each.words.size for each in postings]),
        np.concatenate([each.starts for each in postings]),
        np.concatenate([each.units for each in postings]),
        np.concatenate([each.counts for each in postings]),
        offsets_from_sizes([each.units.size for each in postings]),
        np.concatenate([document.offsets for document in documents]),
        np.concatenate([document.reach for document in documents]),
        offsets_from_sizes([document.offsets.size - 1 for document in documents]),
    )
