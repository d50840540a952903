"""The ordering task (section 6.4): whole sections of documents that no fit has seen, put in order.

A section is a run of units under one heading. The model is fitted to documents without their
headings and is given the sections as loose pieces; an order is scored by τ, in expectation over
ties, and documents average with equal weight.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from permutopic.baselines.content_hmm import fit_content_hmm
from permutopic.baselines.ridge_position import fit_ridge_positions
from permutopic.checks import check_integer
from permutopic.errors import InputError
from permutopic.metrics.ordering import kendall_tau
from permutopic.ordering import METHODS, learn_places, order_pieces
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
    """What stands under one heading: its label, or its heading where it has none, and its text."""

    name: str | None
    paragraphs: list[str]


def sections_of(document: Document) -> list[Section]:
    """Put the units under one heading together.

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
    """Let a model that was fitted to `corpus` order the sections of documents; τ of each document.

    Documents with one section are left out.
    """
    state, priors = model.state_, model.priors_
    places = learn_places(corpus, state.all_topics(), state.n_topics)
    encoded = _encoded(documents, corpus)
    found: dict[str, list[float]] = {}
    for method in methods:
        orderings = (
            order_pieces(pieces, state, priors, places, method=method) for pieces in encoded
        )
        found[method] = [_tau(ordering.scores) for ordering in orderings]
    return found


def ridge_taus(corpus: Corpus, documents: Iterable[Document]) -> list[float]:
    """Score the rival that is told the training documents' sections (`baselines`)."""
    learned = fit_ridge_positions(corpus)
    return [_tau(learned.scores(pieces)) for pieces in _encoded(documents, corpus)]


def hmm_orders(
    corpus: Corpus,
    documents: Iterable[Document],
    n_topics: int,
    seed: int = 0,
    *,
    budget: int = 100_000,
    width: int = 100,
) -> list[SearchResult]:
    """Let the HMM content model (`baselines`) order sections; it is not told the training ones.

    Documents with one section are left out. The seed decides between orders that are equally
    probable, which are many, never the order in which the sections came.
    """
    random = np.random.default_rng(check_integer(seed, "seed", 0))
    model = fit_content_hmm(corpus, n_topics).model
    return [
        model.order(pieces, random, budget=budget, width=width)
        for pieces in _encoded(documents, corpus)
    ]


def order_tau(order: NDArray[np.int64]) -> float:
    """Score an order of sections, given by their true places: the first, the second, and so on.

    >>> order_tau(np.array([1, 2, 0]))
    -0.3333333333333333
    """
    return _tau(np.argsort(order).astype(np.float64))


def label_taus(training: Iterable[Document], documents: Iterable[Document]) -> list[float]:
    """Score what the true labels would do: sections sorted by their label's mean training place.

    Nobody has those labels: this is about how far any method can get that goes by topics. Labels
    that no training document has stand in the middle.
    """
    places: dict[str | None, list[float]] = {}
    for document in training:
        sections = sections_of(document)
        for number, section in enumerate(sections):
            places.setdefault(section.name, []).append(number / max(len(sections) - 1, 1))
    means = {name: float(np.mean(found)) for name, found in places.items()}
    ordered = [[means.get(s.name, 0.5) for s in sections_of(document)] for document in documents]
    return [_tau(np.array(scores)) for scores in ordered if len(scores) > 1]


def cross_validated(
    documents: Sequence[Document],
    fit: Callable[[list[Document]], tuple[Corpus, ContentModel]],
    n_folds: int = 5,
    seed: int = 1,
) -> dict[str, list[float]]:
    """Let models order the sections of documents that were held out, each of them once.

    `fit` makes a corpus of the others and fits a model to it. Besides our methods there is "ridge".
    """
    if not 2 <= n_folds <= len(documents):
        raise InputError(f"{len(documents)} documents make 2 to {len(documents)} folds: {n_folds}")
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
