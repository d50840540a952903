"""Parts of a corpus."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from permutopic.corpus.arrays import offsets_from_sizes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from permutopic.corpus.arrays import Corpus

T = TypeVar("T")


def take_documents(
    corpus: Corpus, documents: NDArray[np.int64], words: NDArray[Any] | None = None
) -> Corpus:
    """Make a corpus of some documents of another; tokens of other `words` are left out of it.

    `words` are numbers in its vocabulary, climbing; all of them when None.

    >>> from permutopic import Corpus
    >>> corpus = Corpus.from_paragraphs([["a b"], ["c"], ["b b d"]])
    >>> part = take_documents(corpus, np.array([2]), np.array([1, 2]))
    >>> part.titles, part.vocabulary, part.words.tolist()
    (('2',), ('b', 'c'), [0, 0])
    """
    kept = np.arange(corpus.n_words) if words is None else np.asarray(words, dtype=np.int64)
    number = np.full(corpus.n_words, -1, dtype=np.int32)
    number[kept] = np.arange(kept.size)
    units = within(corpus.document_offsets, documents)
    tokens = within(corpus.unit_offsets, units)
    renumbered = number[corpus.words[tokens]]
    known = renumbered >= 0
    ends = offsets_from_sizes(np.diff(corpus.unit_offsets)[units])
    vocabulary = corpus.vocabulary
    return replace(
        corpus,
        words=renumbered[known],
        unit_offsets=np.concatenate([[0], np.cumsum(known)])[ends],
        document_offsets=offsets_from_sizes(corpus.document_sizes[documents]),
        vocabulary=vocabulary if words is None else _at(vocabulary, kept),
        titles=_at(corpus.titles, documents),
        source_words=corpus.source_words[units],
        headings=_at(corpus.headings, units),
        labels=_at(corpus.labels, units),
        source_spans=corpus.source_spans[units]
        if len(corpus.source_spans)
        else corpus.source_spans,
        locations=_at(corpus.locations, documents) if corpus.locations else (),
        texts=_at(corpus.texts, units) if corpus.texts else (),
    )


def within(offsets: NDArray[np.int64], which: NDArray[np.int64]) -> NDArray[np.int64]:
    """List what lies within offsets[n] … offsets[n + 1], for every n of `which`.

    >>> within(np.array([0, 2, 5, 6]), np.array([2, 0])).tolist()
    [5, 0, 1]
    """
    sizes = np.diff(offsets)[which]
    starts = np.repeat(offsets[which] - offsets_from_sizes(sizes)[:-1], sizes)
    listed: NDArray[np.int64] = starts + np.arange(sizes.sum())
    return listed


def _at(values: Sequence[T], indices: NDArray[np.int64]) -> tuple[T, ...]:
    return tuple(values[index] for index in indices)
