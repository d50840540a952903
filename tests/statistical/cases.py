"""Tiny corpora and sets of moves that the statistical tests share."""

from __future__ import annotations

from functools import partial

import numpy as np

from permutopic.corpus import Corpus
from permutopic.model.blocked.engine import TableEngine, every_position
from permutopic.model.blocked.moves import ResampleBlocks, blocked_moves
from permutopic.model.blocked.packed import ActiveLimits
from permutopic.model.blocked.relabelling import RelabelTopics
from permutopic.model.blocked.word_classes import ResampleClasses
from permutopic.model.paper.moves import ResampleDispersion, ResampleStructures, paper_moves
from permutopic.model.priors import Priors, SubjectPriors

from exact import ExactPosterior, split_variant


def _corpus(documents):
    return Corpus.from_paragraphs(documents, tokens="whitespace")


ONE_DOCUMENT = _corpus([["a a", "b", "a b b"]])
TWO_DOCUMENTS = _corpus([["a a", "b", "a c"], ["a", "b b"]])


def posterior_of(corpus, n_topics, variant):
    paper, with_subjects = split_variant(variant)
    subject = None
    if with_subjects:
        rates = np.bincount(corpus.words) / corpus.n_tokens
        subject = SubjectPriors(rates, document=1.5, section=1.2)
    priors = Priors(0.7, 0.4, dispersion=0.9, strength=1.5, variant=paper, subject=subject)
    return ExactPosterior(corpus, n_topics, priors)


def bag_alone(corpus, n_topics, priors):
    return [ResampleStructures(corpus, n_topics, priors, inversions=False)]


def inversions_alone(corpus, n_topics, priors):
    return [ResampleStructures(corpus, n_topics, priors, bag=False)]


def dispersion_alone(corpus, n_topics, priors):
    return [ResampleDispersion(priors)]


def everything_filled_first(corpus, n_topics, priors):
    return paper_moves(corpus, n_topics, priors, fill="full")


def some_places(n_units):
    """Make four places in ten cuts: even tiny documents then lack some."""
    return 0.4


FEW = ActiveLimits(others=0.7, spare=0.4, fewest=0.0)
"""So that even of three or four topics not all are active."""


def blocks(corpus, n_topics, priors, *, rounds, placements, cut_probability=every_position):
    engine = TableEngine(corpus, n_topics, priors, cut_probability=cut_probability)
    return [ResampleBlocks(engine, priors, rounds=rounds, placements=placements)]


def relabelling_alone(corpus, n_topics, priors):
    return [RelabelTopics()]


def classes_alone(corpus, n_topics, priors, *, share=0.6):
    return [ResampleClasses(corpus, priors, share=share)]


def paper_and_blocked(corpus, n_topics, priors):
    return paper_moves(corpus, n_topics, priors) + blocked_moves(corpus, n_topics, priors)


MOVES = {
    "bag": bag_alone,
    "inversions": inversions_alone,
    "dispersion": dispersion_alone,
    "all": paper_moves,
    "all, table filled first": everything_filled_first,
    "blocked bag": partial(blocks, rounds=1, placements=0),
    "placements": partial(blocks, rounds=1, placements=2),
    "random cuts": partial(blocks, rounds=2, placements=1, cut_probability=some_places),
    "relabel": relabelling_alone,
    "classes": classes_alone,
    "blocked": blocked_moves,
    "blocked, random cuts": partial(blocked_moves, cut_probability=some_places),
    "blocked, few active": partial(blocked_moves, cut_probability=some_places, active=FEW),
    "paper and blocked": paper_and_blocked,
}

SHARE = [
    ("full", "all"),
    ("constrained", "all"),
    ("full", "dispersion"),
    ("full", "relabel"),
    ("full", "blocked"),
    ("constrained", "blocked"),
    ("full", "blocked, random cuts"),
    ("full", "blocked, few active"),
    ("subjects", "classes"),
    ("subjects", "blocked, random cuts"),
]
"""The cases that `make test` enumerates: each bug planted in a move is caught by one of them."""
