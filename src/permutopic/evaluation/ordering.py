"""The ordering task (section 6.4): to order the sections of held-out documents.

A section is a run of units under one heading. The model is fitted to documents without their
headings, and orders the sections as pieces; an order is scored by τ, in expectation over ties, and
documents have equal weight.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from permutopic.baselines.content_hmm import fit_content_hmm
from permutopic.baselines.ridge_position import fit_ridge_positions
from permutopic.checks import check_integer
from permutopic.errors import InputError, Parameter
from permutopic.metrics.ordering import kendall_tau
from permutopic.ordering import METHODS, count_positions, order_pieces
from permutopic.ordering.pieces import encode_pieces

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from permutopic.baselines.order_search import SearchResult
    from permutopic.corpus import Corpus
    from permutopic.documents import Document
    from permutopic.estimator import ContentModel

    Encoded = list[list[NDArray[np.int64]]]


class Section(NamedTuple):
    """The units under one heading; the name is the label, or else the heading."""

    name: str | None
    paragraphs: list[str]


def sections_of(document: Document) -> list[Section]:
    """Group adjacent units with the same heading and label.

    >>> from permutopic.documents import Document, Unit
    >>> units = (Unit("a", "Uses"), Unit("b", "Uses"), Unit("c", "History", "past"))
    >>> [(section.name, section.paragraphs) for section in sections_of(Document("Tin", units, ""))]
    [('Uses', ['a', 'b']), ('past', ['c'])]
    """
    runs = groupby(document.units, key=lambda unit: (unit.heading, unit.label))
    return [
        Section(heading if label is None else label, [unit.text for unit in units])
        for (heading, label), units in runs
    ]


def ordering_taus(
    corpus: Corpus,
    model: ContentModel,
    documents: Iterable[Document],
    methods: Sequence[str] = METHODS,
) -> dict[str, list[float]]:
    """Order the sections of documents by a model fitted to `corpus`; return τ of each by method.

    Documents with one section are left out.
    """
    state, priors = model.state_, model.priors_
    positions = count_positions(corpus, state.all_topics(), state.n_topics)
    encoded = _encoded(documents, corpus)
    found: dict[str, list[float]] = {}
    for method in methods:
        orderings = (
            order_pieces(pieces, state, priors, positions, method=method) for pieces in encoded
        )
        found[method] = [_tau(ordering.scores) for ordering in orderings]
    return found


def ridge_taus(corpus: Corpus, documents: Iterable[Document]) -> list[float]:
    """Return τ of each document for ridge regression, which uses the true training sections."""
    fitted = fit_ridge_positions(corpus)
    return [_tau(fitted.scores(pieces)) for pieces in _encoded(documents, corpus)]


def hmm_orders(
    corpus: Corpus,
    documents: Iterable[Document],
    n_topics: int,
    seed: int = 0,
    *,
    budget: int = 100_000,
    width: int = 100,
) -> list[SearchResult]:
    """Order the sections of documents by the HMM content model, fitted without headings.

    Documents with one section are left out. The seed decides among equally probable orders, of
    which there are many; the given order of sections has no influence.
    """
    random = np.random.default_rng(check_integer(seed, "seed", 0))
    model = fit_content_hmm(corpus, n_topics).model
    return [
        model.order(pieces, random, budget=budget, width=width)
        for pieces in _encoded(documents, corpus)
    ]


def order_tau(order: NDArray[np.int64]) -> float:
    """Return τ of an order of sections, given by their true positions.

    >>> order_tau(np.array([1, 2, 0]))
    -0.3333333333333333
    """
    return _tau(np.argsort(order).astype(np.float64))


def label_taus(training: Iterable[Document], documents: Iterable[Document]) -> list[float]:
    """Return τ of sections sorted by the mean training position of their true label.

    This is about the best that a method based on topics can reach. Labels that no training document
    has are put in the middle.
    """
    positions: dict[str | None, list[float]] = {}
    for document in training:
        sections = sections_of(document)
        for number, section in enumerate(sections):
            positions.setdefault(section.name, []).append(number / max(len(sections) - 1, 1))
    means = {name: float(np.mean(values)) for name, values in positions.items()}
    ordered = [[means.get(s.name, 0.5) for s in sections_of(document)] for document in documents]
    return [_tau(np.array(scores)) for scores in ordered if len(scores) > 1]


def cross_validated(
    documents: Sequence[Document],
    fit: Callable[[list[Document]], tuple[Corpus, ContentModel]],
    n_folds: int = 5,
    seed: int = 1,
) -> dict[str, list[float]]:
    """Order the sections of every document by cross-validation; return τ of each by method.

    `fit` encodes the training documents as a corpus and fits a model to it. Besides our methods
    there is "ridge".
    """
    if not 2 <= n_folds <= len(documents):
        raise InputError(
            Parameter("n_folds"),
            f" must lie between 2 and the number of documents, {len(documents)}, not {n_folds}",
        )
    shuffled = [documents[n] for n in np.random.default_rng(seed).permutation(len(documents))]
    found: dict[str, list[float]] = {name: [] for name in (*METHODS, "ridge")}
    for fold in range(n_folds):
        held_out = shuffled[fold::n_folds]
        training = [d for n, d in enumerate(shuffled) if n % n_folds != fold]
        corpus, model = fit(training)
        for method, taus in ordering_taus(corpus, model, held_out).items():
            found[method] += taus
        found["ridge"] += ridge_taus(corpus, held_out)
    return found


def _encoded(documents: Iterable[Document], corpus: Corpus) -> list[Encoded]:
    pieces = [[s.paragraphs for s in sections_of(document)] for document in documents]
    return [
        encode_pieces(texts, corpus.tokens, corpus.vocabulary) for texts in pieces if len(texts) > 1
    ]


def _tau(scores: NDArray[np.float64]) -> float:
    return kendall_tau(np.arange(scores.size), scores)
