"""A rival: the HMM content model (Barzilay and Lee, 2004, "Catching the Drift", HLT-NAACL).

States are topics. Each unit is emitted by one state, by a bigram model of its own; a document is a
walk through the states. States begin as clusters of units (`content_hmm_states.py`), and are
estimated again from the most probable walks until these stay as they are.

- Emissions: p_s(w'|w) = (f_s(w w') + δ₁) / (f_s(w) + δ₁ V), f_s the counts in the units of s; every
  unit begins after a start symbol. The last state, for insertions, takes what no other state
  expects: p(w'|w) ∝ 1 − max_s p_s(w'|w).
- Transitions: p(t|s) ∝ D(s, t) + δ₂, with D(s, t) the documents in which a unit of s stands
  directly before one of t. The paper divides by D(s) + δ₂ m, with D(s) the documents that hold s
  and m the number of states; such rows need not sum to one. Ours are divided by their sum.
- The first state, of which the paper says nothing: p(s) = (documents that begin in s + δ₂) /
  (documents + δ₂ m).

A state that loses all its units stays, with an even distribution; it may win some back.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from permutopic.baselines.content_hmm_kernels import (
    count_pairs,
    decode_all,
    emission_logs,
    score_piece,
    score_units,
)
from permutopic.baselines.content_hmm_states import first_states, histories_of
from permutopic.baselines.order_search import Searched, best_order
from permutopic.checks import check_number, check_whole
from permutopic.corpus.arrays import offsets_from_sizes
from permutopic.prediction import Prediction

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from permutopic.corpus import Corpus

SMALLEST = 4
# Of .1, .03, .01, .003 and .001, the one with the highest log probability on a fifth of the
# documents, held out, for both corpora tried. Between .01 and 1 the second hardly matters.
WORD_SMOOTHING = 0.003
TRANSITION_SMOOTHING = 0.1


@dataclass(frozen=True, eq=False)
class ContentHmm:
    """A content model with m states, of which the last is the insertion state; log probabilities.

    Attributes
    ----------
    n_words
        V: the size of the vocabulary.
    pairs
        (P,): pairs of words that the model has seen, as (word before · V + word), sorted; V stands
        for the start of a unit.
    seen, unseen
        (P, m) of those pairs, and (V + 1, m) of any other word after a word.
    initial, transitions
        (m,) and (m, m).
    """

    n_words: int
    pairs: NDArray[np.int64]
    seen: NDArray[np.float64]
    unseen: NDArray[np.float64]
    initial: NDArray[np.float64]
    transitions: NDArray[np.float64]

    def unit_scores(
        self, words: NDArray[np.integer], unit_offsets: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Give the log probability of units in each state: (units, m). A unit may be empty."""
        histories = histories_of(words, unit_offsets, self.n_words)
        keys = histories * self.n_words + words
        places = np.minimum(np.searchsorted(self.pairs, keys), self.pairs.size - 1)
        known = np.where(self.pairs[places] == keys, places, -1)
        scores = np.empty((unit_offsets.size - 1, self.initial.size))
        score_units(known, histories, unit_offsets, self.seen, self.unseen, scores)
        return scores

    def decode(
        self,
        words: NDArray[np.integer],
        unit_offsets: NDArray[np.int64],
        document_offsets: NDArray[np.int64],
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Find the most probable walk through each document: states, and log probabilities."""
        scores = self.unit_scores(words, unit_offsets)
        states = np.empty(unit_offsets.size - 1, dtype=np.int64)
        totals = np.empty(document_offsets.size - 1)
        decode_all(scores, document_offsets, self.initial, self.transitions, states, totals)
        return states, totals

    def piece_scores(self, pieces: Sequence[Sequence[NDArray[np.integer]]]) -> NDArray[np.float64]:
        """Score pieces, each a list of units, from every first to every last state: (n, m, m).

        A piece without a unit is one with an empty unit.
        """
        n_states = self.initial.size
        found = np.empty((len(pieces), n_states, n_states))
        for piece, score in zip(pieces, found, strict=True):
            units = [np.asarray(unit, dtype=np.int64) for unit in piece] or [np.empty(0, np.int64)]
            offsets = offsets_from_sizes([unit.size for unit in units])
            score_piece(self.unit_scores(np.concatenate(units), offsets), self.transitions, score)
        return found

    def order(
        self,
        pieces: Sequence[Sequence[NDArray[np.integer]]],
        random: np.random.Generator,
        *,
        budget: int = 100_000,
        width: int = 100,
    ) -> Searched:
        """Put pieces in the order whose best walk through the states is the most probable.

        Orders are often equally probable: pieces that stay in one state can change places. So the
        pieces are shuffled before the search, and the order they came in decides nothing.
        """
        shuffled = random.permutation(len(pieces))
        scores = self.piece_scores([pieces[piece] for piece in shuffled])
        found = best_order(scores, self.initial, self.transitions, budget=budget, width=width)
        return found._replace(order=shuffled[found.order])


@dataclass(frozen=True, eq=False)
class Learned:
    """A content model, the states of the units it was learned from, and how the learning went.

    `log_probabilities` are the documents', with their states; `settled` is whether the model gives
    the very states that it was estimated from.
    """

    model: ContentHmm
    states: NDArray[np.int64]
    log_probabilities: NDArray[np.float64]
    iterations: int
    settled: bool


def predict(
    corpus: Corpus,
    n_topics: int,
    seed: int = 0,
    *,
    smallest: int = SMALLEST,
    word_smoothing: float = WORD_SMOOTHING,
    transition_smoothing: float = TRANSITION_SMOOTHING,
    iterations: int = 100,
) -> Prediction:
    """Give each unit its state in the most probable walk through its document.

    Parameters
    ----------
    n_topics
        States, the insertion state among them; fewer where fewer clusters are large enough.
    seed
        Chooses the units that are clustered where they are too many.
    smallest
        Units that a cluster must have to become a state.
    word_smoothing, transition_smoothing
        δ₁ and δ₂, added to every count.
    iterations
        Rounds of estimating and decoding, at most.

    Examples
    --------
    >>> from permutopic.corpus import Corpus
    >>> corpus = Corpus.from_paragraphs([["salt sea", "salt sea", "deep snow"]] * 3)
    >>> predict(corpus, 3, smallest=2).topics.tolist()
    [0, 0, 1, 0, 0, 1, 0, 0, 1]
    """
    learned = learn_content_hmm(
        corpus,
        n_topics,
        np.random.default_rng(check_whole(seed, "seed", 0)),
        smallest=smallest,
        word_smoothing=word_smoothing,
        transition_smoothing=transition_smoothing,
        iterations=iterations,
    )
    return Prediction(
        learned.states,
        corpus.document_offsets,
        by_document={"log_probability": learned.log_probabilities},
        measures={
            "log_probability": float(learned.log_probabilities.sum()),
            "iterations": learned.iterations,
            "states": learned.model.initial.size,
            "settled": float(learned.settled),
        },
    )


def learn_content_hmm(
    corpus: Corpus,
    n_topics: int,
    random: np.random.Generator,
    *,
    smallest: int = SMALLEST,
    word_smoothing: float = WORD_SMOOTHING,
    transition_smoothing: float = TRANSITION_SMOOTHING,
    iterations: int = 100,
) -> Learned:
    """Estimate and decode in turn, until the states stay as they are; settings as in `predict`.

    They may also come round in a circle, or the iterations may be spent: then the model is the one
    with the highest log probability on the way.
    """
    check_whole(n_topics, "n_topics", 2)
    check_whole(smallest, "smallest", 1)
    check_whole(iterations, "iterations", 1)
    check_number(word_smoothing, "word_smoothing", 1e-9, 1e9)
    check_number(transition_smoothing, "transition_smoothing", 1e-9, 1e9)
    histories = histories_of(corpus.words, corpus.unit_offsets, corpus.n_words)
    pairs, token_pairs = np.unique(histories * corpus.n_words + corpus.words, return_inverse=True)
    states, insertion = first_states(
        token_pairs, corpus.unit_offsets, n_topics - 1, smallest, random
    )

    def estimate(states: NDArray[np.int64]) -> ContentHmm:
        counts = np.empty((pairs.size, insertion), dtype=np.int64)
        count_pairs(token_pairs, corpus.unit_offsets, states, counts)
        seen = np.empty((pairs.size, insertion + 1))
        unseen = np.empty((corpus.n_words + 1, insertion + 1))
        emission_logs(pairs // corpus.n_words, counts, corpus.n_words, word_smoothing, seen, unseen)
        moves = transition_logs(
            states, corpus.document_offsets, insertion + 1, transition_smoothing
        )
        return ContentHmm(corpus.n_words, pairs, seen, unseen, *moves)

    best: Learned | None = None
    met = set[bytes]()
    for iteration in range(1, iterations + 1):
        met.add(states.tobytes())
        model = estimate(states)
        found, totals = model.decode(corpus.words, corpus.unit_offsets, corpus.document_offsets)
        settled = np.array_equal(found, states)
        if settled or best is None or totals.sum() > best.log_probabilities.sum():
            best = Learned(model, found, totals, iteration, settled)
        if found.tobytes() in met:
            break
        states = found
    assert best is not None  # noqa: S101 (there is one iteration at least)
    return replace(best, iterations=iteration)


def transition_logs(
    states: NDArray[np.int64],
    document_offsets: NDArray[np.int64],
    n_states: int,
    smoothing: float,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Estimate log p(first state) and log p(next state | state) from documents' states.

    >>> initial, moves = transition_logs(np.array([0, 0, 0, 1, 0]), np.array([0, 4, 5]), 2, 1.0)
    >>> np.exp(initial).round(2).tolist(), np.exp(moves).round(2).tolist()
    ([0.75, 0.25], [[0.5, 0.5], [0.5, 0.5]])
    """
    document = np.repeat(np.arange(document_offsets.size - 1), np.diff(document_offsets))
    within = document[1:] == document[:-1]
    steps = np.unique(
        np.stack([document[1:][within], states[:-1][within], states[1:][within]]), axis=1
    )
    moves = np.full((n_states, n_states), smoothing)
    np.add.at(moves, (steps[1], steps[2]), 1)
    begin = np.full(n_states, smoothing)
    np.add.at(begin, states[document_offsets[:-1]], 1)
    return np.log(begin / begin.sum()), np.log(moves / moves.sum(axis=1, keepdims=True))
