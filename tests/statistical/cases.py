"""Tiny corpora and sets of moves that the statistical tests share."""

from __future__ import annotations

from permutopic.corpus import Corpus
from permutopic.model.moves import ResampleDispersion, ResampleStructures, paper_moves
from permutopic.model.priors import Priors

from exact import ExactPosterior


def _corpus(documents):
    return Corpus.from_paragraphs(documents, tokens="whitespace")


ONE_DOCUMENT = _corpus([["a a", "b", "a b b"]])
TWO_DOCUMENTS = _corpus([["a a", "b", "a c"], ["a", "b b"]])


def posterior_of(corpus, n_topics, variant):
    priors = Priors(topic=0.7, word=0.4, dispersion=0.9, strength=1.5, variant=variant)
    return ExactPosterior(corpus, n_topics, priors)


def bag_alone(corpus, n_topics, priors):
    return [ResampleStructures(corpus, n_topics, priors, inversions=False)]


def inversions_alone(corpus, n_topics, priors):
    return [ResampleStructures(corpus, n_topics, priors, bag=False)]


def dispersion_alone(corpus, n_topics, priors):
    return [ResampleDispersion(priors)]


def everything_filled_first(corpus, n_topics, priors):
    return paper_moves(corpus, n_topics, priors, fill="full")


MOVES = {
    "bag": bag_alone,
    "inversions": inversions_alone,
    "dispersion": dispersion_alone,
    "all": paper_moves,
    "all, table filled first": everything_filled_first,
}
