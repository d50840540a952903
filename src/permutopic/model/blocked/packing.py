"""Packing a corpus for the blocked sampler."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from permutopic.corpus import offsets_from_sizes
from permutopic.model.blocked import postings
from permutopic.model.blocked.packed import PackedCorpus
from permutopic.model.kernels.preparation import localize

if TYPE_CHECKING:
    from collections.abc import Sequence

    from permutopic.corpus import Corpus
    from permutopic.model.kernels.preparation import LocalDocument


def localize_corpus(corpus: Corpus) -> list[LocalDocument]:
    """Give every document a vocabulary of its own."""
    numbers = np.full(corpus.n_words, -1, dtype=np.int32)
    return [localize(document.tokens, numbers) for document in corpus.documents()]


def pack_documents(documents: Sequence[LocalDocument]) -> PackedCorpus:
    """Concatenate documents and their postings."""
    made = [postings.make_postings(document) for document in documents]
    return PackedCorpus(
        np.concatenate([document.tokens for document in documents]),
        offsets_from_sizes([document.tokens.size for document in documents]),
        np.concatenate([each.words for each in made]),
        offsets_from_sizes([each.words.size for each in made]),
        np.concatenate([each.starts for each in made]),
        np.concatenate([each.units for each in made]),
        np.concatenate([each.counts for each in made]),
        offsets_from_sizes([each.units.size for each in made]),
        np.concatenate([document.offsets for document in documents]),
        np.concatenate([document.reach for document in documents]),
        offsets_from_sizes([document.offsets.size - 1 for document in documents]),
    )
