"""A document by itself, as segmenters look at it: words numbered within the document."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from permutopic.baselines.segment_kernels import Text

if TYPE_CHECKING:
    from permutopic.corpus import Corpus


def text_of(corpus: Corpus, document: int) -> Text:
    """Take one document out of a corpus.

    >>> from permutopic.corpus import Corpus
    >>> text = text_of(Corpus.from_paragraphs([["a"], ["z c", "z"]]), 1)
    >>> text.tokens.tolist(), text.offsets.tolist(), text.n_words
    ([1, 0, 1], [0, 2, 3], 2)
    """
    first, last = corpus.document_offsets[document : document + 2]
    offsets = corpus.unit_offsets[first : last + 1]
    words, tokens = np.unique(corpus.words[offsets[0] : offsets[-1]], return_inverse=True)
    return Text(tokens.astype(np.int64), offsets - offsets[0], words.size)


def texts_of(corpus: Corpus) -> list[Text]:
    """Take all documents out of a corpus."""
    return [text_of(corpus, document) for document in range(corpus.n_documents)]
