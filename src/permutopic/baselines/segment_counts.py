"""The number of segments per document, for segmenters that need it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from permutopic.checks import check_integer
from permutopic.errors import InputError, Parameter
from permutopic.results.prediction import segment_ends

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from permutopic.corpus import Corpus


def segment_counts(
    corpus: Corpus, n_segments: int | str | ArrayLike | None = None, reference: str = "heading"
) -> NDArray[np.int64]:
    """Return the number of segments of each document: (documents,), at most its units.

    Parameters
    ----------
    n_segments
        A number for all documents, or one for each. None or "reference": the number of segments
        of the reference, as in the paper; nothing else of the reference is used.
    reference
        "heading" or "label".

    >>> from permutopic.corpus import Corpus
    >>> corpus = Corpus.from_paragraphs([["One.", "Two.", "Three."], ["Four."]])
    >>> segment_counts(corpus, 2).tolist()
    [2, 1]
    """
    if n_segments is None or isinstance(n_segments, str):
        if n_segments not in {None, "reference"}:
            raise InputError(
                Parameter("n_segments"), f" must be a number or 'reference', not {n_segments!r}"
            )
        return _checked_reference_counts(corpus, reference)
    if np.ndim(n_segments) == 0:
        counts = np.full(corpus.n_documents, check_integer(n_segments, "n_segments", 1))
    else:
        given = np.asarray(n_segments)
        if given.shape != (corpus.n_documents,):
            raise InputError(
                Parameter("n_segments"),
                f" must be one number, or one for each of the {corpus.n_documents} documents, not "
                f"an array of shape {given.shape}",
            )
        counts = np.array(
            [
                check_integer(count, "n_segments", 1, note=f"document {document}")
                for document, count in enumerate(given)
            ]
        )
    feasible: NDArray[np.int64] = np.minimum(counts, corpus.document_sizes)
    return feasible


def counts_unless_auto(
    corpus: Corpus, auto: bool, n_segments: int | str | ArrayLike | None, reference: str
) -> NDArray[np.int64] | None:
    """Return `segment_counts`, or None if `auto`: the method chooses the number itself."""
    if not isinstance(auto, bool):
        raise InputError(Parameter("auto"), f" must be True or False, not {auto!r}")
    if not auto:
        return segment_counts(corpus, n_segments, reference)
    if n_segments is not None:
        raise InputError(
            Parameter("auto", True),
            " lets the method choose, but ",
            Parameter("n_segments"),
            f" is {n_segments!r}: give ",
            Parameter("auto", False),
            " with it, or leave it out",
        )
    return None


def _checked_reference_counts(corpus: Corpus, reference: str) -> NDArray[np.int64]:
    used = [corpus.headings, corpus.labels] if reference == "label" else [corpus.headings]
    if all(name is None for names in used for name in names):
        raise InputError(
            "these documents have no headings to take the number of segments from: "
            "it has to be given (",
            Parameter("n_segments"),
            ")",
        )
    return reference_counts(corpus, corpus.reference(reference))


def reference_counts(corpus: Corpus, names: Sequence[str]) -> NDArray[np.int64]:
    """Count the runs of equal names of units in each document: (documents,)."""
    return np.array(
        [
            segment_ends(names[corpus.units_of(document)]).size
            for document in range(corpus.n_documents)
        ]
    )
