"""Scores as one row per document, for tests and intervals over documents.

A *table* of rows is (documents, columns); a *statistic* maps it to a number. The sum, or the mean,
of the rows gives the score of the corpus:

    alignment     units, recall hits, precision hits      alignment_f
    segmentation  Pk, WindowDiff                          mean_pk, mean_windowdiff
    ordering      τ                                       mean_tau

Why not swap or resample the documents' topics themselves, and score again? Topic numbers have a
meaning within one system only: topic 3 of one is unrelated to topic 3 of another, and a corpus with
documents of both would count them as one topic. Besides, the alignment of section 6.2.1 asks which
topic has most units of a heading in the whole corpus, so a document has no F of its own. It has
hits: what counts as a hit is decided once, for each system on its own whole corpus, so the row of a
document does not depend on the other rows.

The statistics here also take a stack of tables, (…, documents, columns), and return a number for
each, as `vectorized=True` of the test and of the interval requires.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from permutopic.checks import check_integer
from permutopic.errors import InputError, Parameter
from permutopic.metrics.ordering import kendall_tau
from permutopic.metrics.segmentation import check_convention, ends_in_words, score_segmentation
from permutopic.results.prediction import Prediction, number_labels, segment_ends

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from permutopic.corpus import Corpus

Statistic = Callable[[Any], Any]
"""A function from a table (documents, columns) to a number."""


def alignment_by_document(
    headings: Sequence[object] | NDArray[np.int64], prediction: Prediction
) -> NDArray[np.float64]:
    """Count each document's units, recall hits and precision hits: (documents, 3).

    A unit is a recall hit if it is in the topic with most units of its heading in the whole corpus,
    and a precision hit if its heading is the most frequent in its topic. Ties are broken by first
    occurrence in the corpus; the sums do not depend on that.

    >>> prediction = Prediction(np.array([1, 1, 1, 1]), np.array([0, 3, 4]))
    >>> alignment_by_document(["a", "a", "b", "b"], prediction)
    array([[3., 3., 2.],
           [1., 1., 0.]])
    """
    offsets = prediction.document_offsets
    if len(headings) != prediction.topics.size or len(headings) != offsets[-1]:
        raise InputError(
            f"as many headings as topics are needed, not {len(headings)} and "
            f"{prediction.topics.size} in documents that end at {offsets[-1]}"
        )
    if np.any(np.diff(offsets) < 1):
        raise InputError(f"document {np.argmin(np.diff(offsets))} of the prediction has no unit")
    rows, columns = number_labels(headings), number_labels(prediction.topics)
    contingency = np.zeros((rows.max() + 1, columns.max() + 1), dtype=np.int64)
    np.add.at(contingency, (rows, columns), 1)
    in_topic_of_heading = contingency.argmax(axis=1)[rows] == columns
    has_heading_of_topic = contingency.argmax(axis=0)[columns] == rows
    unit_hits = np.stack([np.ones(rows.size), in_topic_of_heading, has_heading_of_topic], axis=1)
    return np.add.reduceat(unit_hits, offsets[:-1], axis=0)


def alignment_f(rows: ArrayLike) -> Any:
    """Compute the alignment F from the sums of the rows of `alignment_by_document`.

    For the rows of one prediction this equals the F of `score_alignment` exactly. A resampled
    table without any hit has F = 0.

    >>> float(alignment_f([[3, 3, 2], [1, 1, 0]]))
    0.6666666666666666
    """
    units, recalled, precise = np.moveaxis(np.asarray(rows, dtype=np.float64).sum(axis=-2), -1, 0)
    recall, precision = recalled / units, precise / units
    total = recall + precision
    return 2 * recall * precision / np.where(total > 0, total, 1.0)


def segmentation_by_document(
    corpus: Corpus, prediction: Prediction, reference: str = "heading", convention: str = "words"
) -> NDArray[np.float64]:
    """Compute Pk and WindowDiff of every document: (documents, 2)."""
    check_convention(convention)
    if not np.array_equal(corpus.document_offsets, prediction.document_offsets):
        raise InputError(
            f"the prediction is not one for this corpus of {corpus.n_documents} documents and "
            f"{corpus.n_units} units: its documents end elsewhere"
        )
    headings = corpus.reference(reference)
    scores = []
    for document in range(corpus.n_documents):
        units = corpus.units_of(document)
        true, found = segment_ends(headings[units]), prediction.ends(document)
        if convention == "words":
            unit_words = corpus.source_words[units]
            true, found = ends_in_words(true, unit_words), ends_in_words(found, unit_words)
        scores.append(score_segmentation(true, found, convention))
    return np.array(scores)


def mean_pk(rows: ArrayLike) -> Any:
    """Average Pk over documents, each with equal weight.

    >>> float(mean_pk([[0.25, 0.5], [0.75, 1.0]]))
    0.5
    """
    return _mean_of_column(rows, 0)


def mean_windowdiff(rows: ArrayLike) -> Any:
    """Average WindowDiff over documents, each with equal weight.

    >>> float(mean_windowdiff([[0.25, 0.5], [0.75, 1.0]]))
    0.75
    """
    return _mean_of_column(rows, 1)


def ordering_by_document(
    references: Sequence[ArrayLike], scores: Sequence[ArrayLike]
) -> NDArray[np.float64]:
    """Compute Kendall's τ of every document that has two items or more: (those documents, 1).

    A document with one item has no pair and is left out. For two systems that order the same items
    these are the same documents, so their rows still correspond.

    >>> ordering_by_document([[0, 1, 2], [0], [0, 1]], [[5, 6, 7], [5], [6, 5]])
    array([[ 1.],
           [-1.]])
    """
    if len(references) != len(scores):
        raise InputError(
            f"as many references as documents with scores are needed, "
            f"not {len(references)} and {len(scores)}"
        )
    taus = [kendall_tau(true, found) for true, found in zip(references, scores, strict=True)]
    rows = np.array([tau for tau in taus if not np.isnan(tau)]).reshape(-1, 1)
    if not rows.size:
        raise InputError("no document has two items: there is no order to score")
    return rows


def mean_tau(rows: ArrayLike) -> Any:
    """Average τ over documents, each with equal weight.

    >>> float(mean_tau([[1.0], [0.5]]))
    0.75
    """
    return _mean_of_column(rows, 0)


def _mean_of_column(rows: ArrayLike, column: int) -> Any:
    means = np.asarray(rows).mean(axis=-2)
    return means[..., column][()]  # a scalar for a single table


def check_table(rows: ArrayLike, name: str) -> NDArray[np.float64]:
    """Return rows as a table; refuse empty ones and values that are not finite."""
    try:
        table = np.asarray(rows, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(
            Parameter(name), " must be a table of numbers, one row per document"
        ) from None
    if table.ndim != 2 or table.size == 0:
        raise InputError(
            Parameter(name),
            f" must be a table (documents, columns) that is not empty, not of shape {table.shape}",
        )
    if not np.isfinite(table).all():
        document = int(np.argmin(np.isfinite(table).all(axis=1)))
        raise InputError(
            Parameter(name), f" must be finite, and row {document} is {table[document].tolist()}"
        )
    return table


def statistics_of(
    tables: NDArray[np.float64], statistic: Statistic, *, vectorized: bool
) -> NDArray[np.float64]:
    """Compute the statistic of each table of a stack (tables, documents, columns)."""
    found = statistic(tables) if vectorized else [statistic(table) for table in tables]
    numbers = np.asarray(found, dtype=np.float64)
    if numbers.shape != tables.shape[:1]:
        raise InputError(
            "the statistic must give one number for each table (",
            Parameter("vectorized", vectorized),
            f"), and gave shape {numbers.shape} for {tables.shape[0]} tables",
        )
    if not np.isfinite(numbers).all():
        raise InputError(
            f"the statistic of a table of swapped or resampled rows is "
            f"{numbers[~np.isfinite(numbers)][0]}: it must be finite for any choice of rows"
        )
    return numbers


def generator(seed: int | np.random.Generator) -> np.random.Generator:
    """Return a generator as it is, or one made from a seed."""
    if isinstance(seed, np.random.Generator):
        return seed
    return np.random.default_rng(check_integer(seed, "seed", 0))
