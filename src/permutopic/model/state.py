"""The state of a chain: one structure for each document, the dispersion, and the counts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from permutopic.mallows import draw_inversions
from permutopic.model.burstiness import find_bursty_words
from permutopic.permutation import inversions_to_order

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from permutopic.corpus import Corpus
    from permutopic.model.priors import Priors


@dataclass
class State:
    """The chain's variables, and the counts that follow from them and the words.

    Attributes
    ----------
    bag
        (D, K): how many units of each document each topic has. The paper's t_d is a sequence of
        draws, but they are exchangeable and the words depend on their counts alone.
    inversions
        (D, K−1): v_d, the inversion counts of each document's topic order.
    dispersion
        (K−1,): ρ. Zero in the uniform variant, infinite in the constrained one.
    word_counts
        (W, K): how many tokens of each section word each topic has. Follows from the rest.
    topic_tokens
        (K,): how many tokens each topic has. Follows from the rest.
    subject_words
        (W,): which words are subject words; the others are section words. None are in the paper's
        model.
    """

    bag: NDArray[np.int64]
    inversions: NDArray[np.int64]
    dispersion: NDArray[np.float64]
    word_counts: NDArray[np.int32]
    topic_tokens: NDArray[np.int64]
    subject_words: NDArray[np.bool_]

    @property
    def n_topics(self) -> int:
        """K: the number of topics."""
        return int(self.bag.shape[1])

    def order(self, document: int) -> NDArray[np.int64]:
        """π_d: the order of all topics in a document, those it does not use included."""
        return inversions_to_order(self.inversions[document])

    def topics(self, document: int) -> NDArray[np.int64]:
        """z_d: one topic for each unit, the bag sorted by the order (Compute-z)."""
        order = self.order(document)
        return np.repeat(order, self.bag[document, order])

    def all_topics(self) -> NDArray[np.int64]:
        """Return the topic of every unit of the corpus."""
        return np.concatenate([self.topics(d) for d in range(self.bag.shape[0])])

    def copy(self) -> State:
        """Return a copy that shares no array."""
        return replace(self, **{name: array.copy() for name, array in vars(self).items()})

    def tail(self, first: int) -> State:
        """Return the state of the documents from `first` on, sharing all arrays.

        Its counts are those of all documents, so resampling its documents updates the whole state.
        """
        return replace(self, bag=self.bag[first:], inversions=self.inversions[first:])


def make_state(
    corpus: Corpus,
    bag: NDArray[np.int64],
    inversions: NDArray[np.int64],
    dispersion: NDArray[np.float64],
    subject_words: NDArray[np.bool_] | None = None,
) -> State:
    """Make a state from its variables, counting the section words: all words by default."""
    n_topics = bag.shape[1]
    state = State(
        bag=np.array(bag, dtype=np.int64),
        inversions=np.array(inversions, dtype=np.int64),
        dispersion=np.array(dispersion, dtype=np.float64),
        word_counts=np.zeros((corpus.n_words, n_topics), dtype=np.int32),
        topic_tokens=np.zeros(n_topics, dtype=np.int64),
        subject_words=np.zeros(corpus.n_words, dtype=np.bool_),
    )
    token_topics, words = np.repeat(state.all_topics(), np.diff(corpus.unit_offsets)), corpus.words
    if subject_words is not None:
        state.subject_words[:] = subject_words
        of_section = ~state.subject_words[words]
        token_topics, words = token_topics[of_section], words[of_section]
    np.add.at(state.word_counts, (words, token_topics), 1)
    state.topic_tokens[:] = np.bincount(token_topics, minlength=n_topics)
    return state


def check_state_arrays(state: State, n_documents: int, n_topics: int, n_words: int) -> None:
    """Raise ValueError unless the arrays can be a state of this size."""
    for name, shape, kind in (
        ("bag", (n_documents, n_topics), np.int64),
        ("inversions", (n_documents, n_topics - 1), np.int64),
        ("dispersion", (n_topics - 1,), np.float64),
        ("word_counts", (n_words, n_topics), np.int32),
        ("topic_tokens", (n_topics,), np.int64),
        ("subject_words", (n_words,), np.bool_),
    ):
        array = getattr(state, name)
        if array.shape != shape or array.dtype != kind:
            raise ValueError(f"{name} is {array.dtype} {array.shape}, not {kind.__name__} {shape}")
        if not np.all(array >= 0):
            raise ValueError(f"{name} has a value that is no number from 0 up")
    if np.any(state.bag.sum(axis=1) == 0):
        raise ValueError("bag has a document without units")
    if not np.array_equal(state.word_counts.sum(axis=0), state.topic_tokens):
        raise ValueError("word_counts and topic_tokens disagree")
    if np.any(state.word_counts[state.subject_words]):
        raise ValueError("word_counts has a subject word")


def initial_state(corpus: Corpus, n_topics: int, priors: Priors, rng: np.random.Generator) -> State:
    """Draw an initial state: topics uniform, orders from the Mallows Model at ρ0.

    Where the model has subject words, the bursty words are.
    """
    first = priors.variant.fixed_dispersion
    if first is None:
        first = max(priors.dispersion, 1e-3)  # ρ is positive even where ρ0 is 0
    dispersion = np.full(n_topics - 1, first)
    inversions = draw_inversions(dispersion, rng, corpus.n_documents)
    draws = rng.multinomial(corpus.document_sizes, np.full(n_topics, 1 / n_topics))
    subject_words = None if priors.subject is None else find_bursty_words(corpus)
    return make_state(corpus, draws, inversions, dispersion, subject_words)
