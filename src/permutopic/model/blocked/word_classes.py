"""Classes of words: whether a word follows the topics or the documents, drawn within the chain."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from permutopic import dirichlet
from permutopic.model.blocked import word_classes_kernels as kernels
from permutopic.model.joint import SubjectTerm
from permutopic.model.mcmc.schedule import POSTERIOR

if TYPE_CHECKING:
    from permutopic.corpus import Corpus
    from permutopic.model.mcmc.sampler import RandomAt
    from permutopic.model.mcmc.schedule import Stage
    from permutopic.model.priors import Priors
    from permutopic.model.state import State

SHARE = 0.2
"""The share of the words whose classes are drawn in a sweep."""


class ResampleClasses:
    """Draw the classes of a share of the words, each given the structures and all other classes.

    The documents' total concentration A changes in every document when one word changes its class.
    So x_d ~ Beta(A, N_d) is drawn first, which turns Γ(A) / Γ(A + N_d) into x_d^A.

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
        drawn = np.log(rng.beta(total, of_documents.sizes)).sum()
        words = np.flatnonzero(rng.random(expected.size) < self.share)
        kernels.write_all_topics(state.bag, state.inversions, self.unit_topics)
        kernels.resample_classes(
            words,
            rng.random(words.size),
            self.index,
            self.unit_topics,
            state.subject_words,
            state.word_counts,
            state.topic_tokens,
            of_documents.section_tokens(state.subject_words),
            kernels.ClassTerms(
                self.word_prior,
                self.of_topics,
                of_documents.of_words + drawn * expected,
                self.of_section,
            ),
            stage.inverse_temperature,
        )
