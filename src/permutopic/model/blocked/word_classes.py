"""Classes of words: whether a word follows the topics or the documents, drawn within the chain."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from permutopic import dirichlet
from permutopic.model.blocked import word_classes_kernels
from permutopic.model.joint import SubjectTerm
from permutopic.model.mcmc.schedule import POSTERIOR

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from permutopic.corpus import Corpus
    from permutopic.model.mcmc.sampler import RandomAt
    from permutopic.model.mcmc.schedule import Stage
    from permutopic.model.priors import Priors
    from permutopic.model.state import State

SHARE = 0.2
"""The share of the words whose classes are drawn in a sweep."""


class ResampleClasses:
    """Draw the classes of a share of the words, each given the structures and all other classes.

    The documents' total concentration changes in every document when one word changes its class,
    which auxiliary variables account for (`draw_log_auxiliary`).

    Parameters
    ----------
    share
        The share of the words, drawn at random in every sweep.
    """

    def __init__(self, corpus: Corpus, priors: Priors, *, share: float = SHARE) -> None:
        if priors.subject is None:
            raise ValueError("the paper's model has no classes of words")
        self.subject, self.share = priors.subject, share
        self.index = corpus.word_index
        self.of_documents = SubjectTerm(corpus, priors.subject)
        self.unit_topics = np.empty(corpus.n_units, dtype=np.int64)
        self.section_tokens = np.empty(corpus.n_documents, dtype=np.int64)
        self.word_prior = priors.word
        self.of_topics = dirichlet.log_rising(int(np.bincount(corpus.words).max()), priors.word)
        longest = int(self.of_documents.sizes.max())
        self.of_section = dirichlet.log_rising(longest, priors.subject.section)

    def __call__(self, state: State, random_at: RandomAt, stage: Stage = POSTERIOR) -> None:
        """Resample the classes of some words, where the stage draws classes."""
        if not stage.classes:
            return
        rng, of_documents = random_at(0), self.of_documents
        expected = of_documents.expected
        total = self.subject.section + expected[state.subject_words].sum()
        drawn = draw_log_auxiliary(total, of_documents.sizes, rng)
        words = np.flatnonzero(rng.random(expected.size) < self.share)
        word_classes_kernels.write_all_topics(state.bag, state.inversions, self.unit_topics)
        word_classes_kernels.resample_classes(
            words,
            rng.random(words.size),
            self.index,
            self.unit_topics,
            state.subject_words,
            state.word_counts,
            state.topic_tokens,
            self.section_tokens,
            word_classes_kernels.ClassTerms(
                self.word_prior,
                self.of_topics,
                of_documents.of_words + drawn * expected,
                self.of_section,
            ),
            stage.inverse_temperature,
        )


def draw_log_auxiliary(total: float, sizes: NDArray[np.int64], rng: np.random.Generator) -> float:
    """Draw x_d ~ Beta(A, N_d) for documents of N_d tokens, and return Σ_d log x_d.

    With x_d the factor Γ(A) / Γ(A + N_d) of the joint becomes x_d^A, a product over words. Small A
    would underflow: log x is that of a gamma variable less that of its sum with another one.
    """
    first = np.log(rng.gamma(total + 1, size=sizes.size))
    first += np.log(1.0 - rng.random(sizes.size)) / total  # a gamma variable of shape A
    with np.errstate(divide="ignore"):  # x is 1 for a document without a token
        second = np.log(rng.gamma(sizes))
    return float(-np.logaddexp(0.0, second - first).sum())
