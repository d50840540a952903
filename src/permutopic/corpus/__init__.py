"""The corpus: documents as flat arrays, and how they become such."""

from __future__ import annotations

from permutopic.corpus.arrays import Corpus, documents_from_paragraphs, offsets_from_sizes
from permutopic.corpus.encoded import DocumentTokens, EncodedDocument
from permutopic.corpus.encoding import Encoder
from permutopic.corpus.parts import take_documents
from permutopic.corpus.word_index import WordIndex

__all__ = [
    "Corpus",
    "DocumentTokens",
    "EncodedDocument",
    "Encoder",
    "WordIndex",
    "documents_from_paragraphs",
    "offsets_from_sizes",
    "take_documents",
]
