"""The HMM content model (Barzilay and Lee, 2004, "Catching the Drift", HLT-NAACL).

States are topics. Each state emits whole units by its own bigram model; a document is a sequence of
states. The initial states are clusters of units (`content_hmm_states.py`); the model is then
estimated from the most probable state sequences, alternately, until these no longer change.

- Emissions with back-off, from the bigrams of a state to those of the corpus, the words of the
  state and the words of the corpus:

      p_s(w'|w) = (f_s(w w') + μ r_s(w'|w)) / (f_s(w) + μ)
      r_s(w'|w) = (F(w w') + κ q_s(w')) / (F(w) + κ)
      q_s(w') = (f_s(w') + ν g(w')) / (n_s + ν),      g(w') = (F(w') + 1) / (n + V)

  with f_s the counts in the units of s, F and n those of the corpus; every unit begins after a
  start symbol. The last state, for insertions, has the complementary distribution over words,
  p(w'|w) ∝ 1 − max_s q_s(w').
- Emissions of the paper (`smoothing="additive"`): p_s(w'|w) = (f_s(w w') + δ₁) / (f_s(w) + δ₁ V),
  and p(w'|w) ∝ 1 − max_s p_s(w'|w) for insertions. With long units and a large vocabulary the state
  with most units has the best smoothed probabilities, and most units end in it.
- Transitions: p(t|s) ∝ D(s, t) + δ₂, with D(s, t) the documents in which a unit of s is directly
  before one of t. The paper divides by D(s) + δ₂ m, with D(s) the documents with a unit of s and m
  the number of states; such rows need not sum to one. Ours are divided by their sum.
- Initial and final probabilities, which the paper does not define. The end is one more successor of
  a state; the first state has p(s) = (documents that begin in s + δ₂) / (documents + δ₂ m).

With back-off the words of a document are scored without its own counts (transitions and the
insertion state include them). Otherwise the bigrams that occur in no other unit would keep every
unit in its initial state.

A state that loses all its units remains, without counts, and may get units again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from permutopic.baselines.content_hmm_emissions import (
    additive_tables,
    backoff_tables,
    encode_bigrams,
    score_units_leave_one_out,
)
from permutopic.baselines.content_hmm_kernels import score_piece, score_units, viterbi_all
from permutopic.baselines.content_hmm_states import histories_of, initial_states
from permutopic.baselines.order_search import SearchResult, best_order
from permutopic.checks import check_integer, check_real
from permutopic.corpus.arrays import offsets_from_sizes
from permutopic.errors import InputError, Parameter
from permutopic.results.prediction import Prediction

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from permutopic.corpus import Corpus

MIN_CLUSTER_SIZE = 4
SMOOTHINGS = ("backoff", "additive")
# Both chosen by the log probability of a fifth of the documents, held out, on two corpora; δ₁ of
# .1, .03, .01, .003 and .001. Between .01 and 5 the smoothing of transitions hardly matters.
STRENGTHS = (0.01, 0.001, 0.067)
"""μ, κ and ν, as shares of the tokens of the corpus."""
WORD_SMOOTHING = 0.003
TRANSITION_SMOOTHING = 0.1
_IMPOSSIBLE = -1e6
"""Log probability of an impossible transition; the search requires finite values."""


@dataclass(frozen=True, eq=False)
class ContentHmm:
    """A content model with m states, the last of them the insertion state, in log probabilities.

    Attributes
    ----------
    n_words
        V: the size of the vocabulary.
    bigrams
        (P,): the bigrams w w' of the training units as w · V + w', sorted; w = V is the start of a
        unit.
    seen
        (P, m): log p_s(w'|w) of those bigrams.
    unseen, words
        (V + 1, m) and (V, m): of any other bigram, log p_s(w'|w) = unseen[w, s] + words[w', s].
    initial, transitions, final
        (m,), (m, m) and (m,): of the first state, of the next state, and of the end after a state.
    """

    n_words: int
    bigrams: NDArray[np.int64]
    seen: NDArray[np.float64]
    unseen: NDArray[np.float64]
    words: NDArray[np.float64]
    initial: NDArray[np.float64]
    transitions: NDArray[np.float64]
    final: NDArray[np.float64]

    def unit_scores(
        self, words: NDArray[np.integer], unit_offsets: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Compute the log probability of units in each state: (units, m). A unit may be empty."""
        second = words.astype(np.int64)
        histories = histories_of(second, unit_offsets, self.n_words)
        keys = histories * self.n_words + second
        indices = np.minimum(np.searchsorted(self.bigrams, keys), self.bigrams.size - 1)
        known = np.where(self.bigrams[indices] == keys, indices, -1)
        scores = np.empty((unit_offsets.size - 1, self.initial.size))
        tables = self.seen, self.unseen, self.words
        score_units(second, histories, known, unit_offsets, *tables, scores)
        return scores

    def decode(
        self,
        words: NDArray[np.integer],
        unit_offsets: NDArray[np.int64],
        document_offsets: NDArray[np.int64],
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the most probable states of all units, and log probabilities of documents."""
        return self.decode_scores(self.unit_scores(words, unit_offsets), document_offsets)

    def decode_scores(
        self, scores: NDArray[np.float64], document_offsets: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Do the same given the log probabilities (units, m) of units in states."""
        states = np.empty(scores.shape[0], dtype=np.int64)
        totals = np.empty(document_offsets.size - 1)
        chain = self.initial, self.transitions, self.final
        viterbi_all(scores, document_offsets, *chain, states, totals)
        return states, totals

    def piece_scores(self, pieces: Sequence[Sequence[NDArray[np.integer]]]) -> NDArray[np.float64]:
        """Score pieces (lists of units) from every first to every last state: (n, m, m).

        A piece without units is scored as one with an empty unit.
        """
        n_states = self.initial.size
        scores = np.empty((len(pieces), n_states, n_states))
        for piece, score in zip(pieces, scores, strict=True):
            units = [np.asarray(unit, dtype=np.int64) for unit in piece] or [np.empty(0, np.int64)]
            offsets = offsets_from_sizes([unit.size for unit in units])
            score_piece(self.unit_scores(np.concatenate(units), offsets), self.transitions, score)
        return scores

    def order(
        self,
        pieces: Sequence[Sequence[NDArray[np.integer]]],
        random: np.random.Generator,
        *,
        budget: int = 100_000,
        width: int = 100,
    ) -> SearchResult:
        """Find the order of pieces whose best state sequence is the most probable.

        Orders are often equally probable: pieces in one state can be exchanged. So the pieces are
        shuffled before the search, and their given order has no influence.
        """
        if not pieces:
            return SearchResult(np.empty(0, dtype=np.int64), 0.0, True, 0)
        shuffled = random.permutation(len(pieces))
        n_pieces, end = len(pieces), self.initial.size
        # The end is one more piece with its own state, which has no successor.
        scores = np.full((n_pieces + 1, end + 1, end + 1), -np.inf)
        scores[:-1, :end, :end] = self.piece_scores([pieces[piece] for piece in shuffled])
        scores[n_pieces, end, end] = 0
        transitions = np.full((end + 1, end + 1), _IMPOSSIBLE)
        transitions[:end, :end], transitions[:end, end] = self.transitions, self.final
        initial = np.append(self.initial, _IMPOSSIBLE)
        result = best_order(scores, initial, transitions, budget=budget, width=width)
        return result._replace(order=shuffled[result.order[result.order < n_pieces]])


@dataclass(frozen=True, eq=False)
class FittedContentHmm:
    """A content model with the states of the training units.

    Attributes
    ----------
    log_probabilities
        (documents,): joint with their states; with back-off, without the document's own counts.
    converged
        Whether the model was estimated from these very states.
    """

    model: ContentHmm
    states: NDArray[np.int64]
    log_probabilities: NDArray[np.float64]
    iterations: int
    converged: bool


def predict(
    corpus: Corpus,
    n_topics: int,
    seed: int = 0,
    *,
    smallest: int = MIN_CLUSTER_SIZE,
    smoothing: str = "backoff",
    strengths: Sequence[float] = STRENGTHS,
    word_smoothing: float = WORD_SMOOTHING,
    transition_smoothing: float = TRANSITION_SMOOTHING,
    iterations: int = 100,
) -> Prediction:
    """Assign each unit its state in the most probable state sequence of its document.

    The method is deterministic; the seed is accepted for a uniform signature. Settings are those of
    `fit_content_hmm`.

    >>> from permutopic.corpus import Corpus
    >>> corpus = Corpus.from_paragraphs([["salt sea", "salt sea", "deep snow"]] * 3)
    >>> predict(corpus, 3, smallest=2).topics.tolist()
    [0, 0, 1, 0, 0, 1, 0, 0, 1]
    """
    check_integer(seed, "seed", 0)
    fitted = fit_content_hmm(
        corpus,
        n_topics,
        smallest=smallest,
        smoothing=smoothing,
        strengths=strengths,
        word_smoothing=word_smoothing,
        transition_smoothing=transition_smoothing,
        iterations=iterations,
    )
    return Prediction(
        fitted.states,
        corpus.document_offsets,
        by_document={"log_probability": fitted.log_probabilities},
        measures={
            "log_probability": float(fitted.log_probabilities.sum()),
            "iterations": fitted.iterations,
            "states": fitted.model.initial.size,
            "settled": float(fitted.converged),
        },
    )


def fit_content_hmm(
    corpus: Corpus,
    n_topics: int,
    *,
    smallest: int = MIN_CLUSTER_SIZE,
    smoothing: str = "backoff",
    strengths: Sequence[float] = STRENGTHS,
    word_smoothing: float = WORD_SMOOTHING,
    transition_smoothing: float = TRANSITION_SMOOTHING,
    iterations: int = 100,
) -> FittedContentHmm:
    """Estimate the model and decode the states, alternately, until the states no longer change.

    If the states repeat in a cycle, or after `iterations`, the result is the model with the highest
    log probability so far.

    Parameters
    ----------
    n_topics
        Number of states, including the insertion state; fewer if fewer clusters are large enough.
    smallest
        Minimum number of units of a cluster that becomes a state.
    smoothing
        "backoff", or "additive" as in the paper.
    strengths
        Of back-off: μ, κ and ν, as shares of the tokens of the corpus.
    word_smoothing
        Of additive smoothing: δ₁, added to the count of every bigram.
    transition_smoothing
        δ₂, added to the count of every transition.
    iterations
        Maximum number of iterations.
    """
    check_integer(n_topics, "n_topics", 2)
    check_integer(smallest, "smallest", 1)
    check_integer(iterations, "iterations", 1)
    if smoothing not in SMOOTHINGS:
        raise InputError(
            Parameter("smoothing"), f" must be one of {', '.join(SMOOTHINGS)}, not {smoothing!r}"
        )
    if len(strengths) != len(STRENGTHS):
        raise InputError(
            Parameter("strengths"), f" must be {len(STRENGTHS)} numbers, not {len(strengths)}"
        )
    shares = np.array([check_real(share, "strengths", 1e-9, 1e9) for share in strengths])
    check_real(word_smoothing, "word_smoothing", 1e-9, 1e9)
    check_real(transition_smoothing, "transition_smoothing", 1e-9, 1e9)
    encoded = encode_bigrams(corpus)
    states, insertion = initial_states(
        encoded.token_bigrams, corpus.unit_offsets, n_topics - 1, smallest
    )

    strength = shares * encoded.words.size
    no_tables = (np.empty((0, insertion + 1)),) * 3

    def estimate_and_decode(
        states: NDArray[np.int64],
    ) -> tuple[ContentHmm, NDArray[np.int64], NDArray[np.float64]]:
        chain = estimate_transitions(
            states, corpus.document_offsets, insertion + 1, transition_smoothing
        )
        if smoothing == "additive":
            tables = additive_tables(encoded, states, insertion, word_smoothing)
            model = ContentHmm(corpus.n_words, encoded.bigrams, *tables, *chain)
            decoded = model.decode(corpus.words, corpus.unit_offsets, corpus.document_offsets)
        else:  # leave-one-out scores need no tables: they are computed once, at the end
            model = ContentHmm(corpus.n_words, encoded.bigrams, *no_tables, *chain)
            scores = score_units_leave_one_out(encoded, states, insertion, strength)
            decoded = model.decode_scores(scores, corpus.document_offsets)
        return model, *decoded

    best: FittedContentHmm | None = None
    estimated_from = states
    visited = set[bytes]()
    for iteration in range(1, iterations + 1):
        visited.add(states.tobytes())
        model, decoded, totals = estimate_and_decode(states)
        converged = np.array_equal(decoded, states)
        if converged or best is None or totals.sum() > best.log_probabilities.sum():
            best = FittedContentHmm(model, decoded, totals, iteration, converged)
            estimated_from = states
        if decoded.tobytes() in visited:
            break
        states = decoded
    assert best is not None  # noqa: S101 (there is one iteration at least)
    model = best.model
    if smoothing == "backoff":
        seen, unseen, words = backoff_tables(encoded, estimated_from, insertion, strength)
        model = replace(model, seen=seen, unseen=unseen, words=words)
    return replace(best, model=model, iterations=iteration)


def estimate_transitions(
    states: NDArray[np.int64],
    document_offsets: NDArray[np.int64],
    n_states: int,
    smoothing: float,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Estimate log p of the first state, of the next state and of the end from the states of units.

    >>> tables = estimate_transitions(np.array([0, 0, 0, 1, 0]), np.array([0, 4, 5]), 2, 1.0)
    >>> [np.exp(table).round(2).tolist() for table in tables]
    [[0.75, 0.25], [[0.33, 0.33], [0.25, 0.25]], [0.33, 0.5]]
    """
    document = np.repeat(np.arange(document_offsets.size - 1), np.diff(document_offsets))
    within = document[1:] == document[:-1]
    steps = np.unique(
        np.stack([document[1:][within], states[:-1][within], states[1:][within]]), axis=1
    )
    counts = np.full((n_states, n_states + 1), smoothing)
    np.add.at(counts, (steps[1], steps[2]), 1)
    np.add.at(counts[:, n_states], states[document_offsets[1:] - 1], 1)
    initial = np.full(n_states, smoothing)
    np.add.at(initial, states[document_offsets[:-1]], 1)
    logs = np.log(counts / counts.sum(axis=1, keepdims=True))
    return np.log(initial / initial.sum()), np.ascontiguousarray(logs[:, :-1]), logs[:, -1].copy()
