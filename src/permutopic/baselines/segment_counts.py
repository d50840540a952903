"""How many segments a document is to be cut into, for rivals that have to be told."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from permutopic.checks import check_integer
from permutopic.errors import InputError
from permutopic.results.prediction import segment_ends

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from permutopic.corpus import Corpus


def segment_counts(
    corpus: Corpus, n_segments: int | str | ArrayLike | None = None, reference: str = "heading"
) -> NDArray[np.int64]:
    """Say how many segments each document is to have, never more than it has units.

    Parameters
    ----------
    n_segments
        A number for all documents, or one for each. None or "reference": as many segments as the
        reference has, as in the paper; nothing else is taken from the reference.
    reference
        What the true segments are: "heading" or "label".

    >>> from permutopic.corpus import Corpus
    >>> corpus = Corpus.from_paragraphs([["One.", "Two.", "Three."], ["Four."]])
    >>> segment_counts(corpus, 2).tolist()
    [2, 1]
    """
    if n_segments is None or isinstance(n_segments, str):
        if n_segments not in {None, "reference"}:
            raise InputError(f"n_segments is a number or 'reference', not {n_segments!r}")
        return _reference_counts(corpus, reference)
    if np.ndim(n_segments) == 0:
        wanted = np.full(corpus.n_documents, check_integer(n_segments, "n_segments", 1))
    else:
        given = np.asarray(n_segments)
        if given.shape != (corpus.n_documents,):
            raise InputError(
                f"n_segments must be one number, or one for each of the {corpus.n_documents} "
                f"documents, not an array of shape {given.shape}"
            )
        wanted = np.array(
            [
                check_integer(count, f"n_segments[{document}]", 1)
                for document, count in enumerate(given)
            ]
        )
    possible: NDArray[np.int64] = np.minimum(wanted, corpus.document_sizes)
    return possible


def counts_unless_auto(
    corpus: Corpus, auto: bool, n_segments: int | str | ArrayLike | None, reference: str
) -> NDArray[np.int64] | None:
    """Say how many segments documents are to have, or None if the method itself is to choose."""
    if not isinstance(auto, bool):
        raise InputError(f"auto must be True or False, not {auto!r}")
    if not auto:
        return segment_counts(corpus, n_segments, reference)
    if n_segments is not None:
        raise InputError(
            f"auto=True lets the method choose, but n_segments is {n_segments!r}: "
            "give auto=False with it, or leave it out"
        )
    return None


def _reference_counts(corpus: Corpus, reference: str) -> NDArray[np.int64]:
    used = [corpus.headings, corpus.labels] if reference == "label" else [corpus.headings]
    if all(name is None for names in used for name in names):
        raise InputError(
            "these documents have no headings to take the number of segments from: "
            "it has to be given (n_segments)"
        )
    names = corpus.reference(reference)
    return np.array(
        [
            segment_ends(names[corpus.units_of(document)]).size
            for document in range(corpus.n_documents)
        ]
    )
