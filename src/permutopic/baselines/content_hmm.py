"""A rival: the HMM content model (Barzilay and Lee, 2004, "Catching the Drift", HLT-NAACL).

States are topics. Each unit is emitted by one state, by a bigram model of its own; a document is a
walk through the states. States begin as clusters of units (`content_hmm_states.py`), and are
estimated again from the most probable walks until these stay as they are.

- Emissions with back-off: a state's pairs, the corpus's pairs, a state's words, the corpus's words,

      p_s(w'|w) = (f_s(w w') + μ r_s(w'|w)) / (f_s(w) + μ)
      r_s(w'|w) = (F(w w') + κ q_s(w')) / (F(w) + κ)
      q_s(w') = (f_s(w') + ν g(w')) / (n_s + ν),      g(w') = (F(w') + 1) / (n + V)

  with f_s the counts in the units of s, F and n those of the corpus; every unit begins after a
  start symbol. The last state, for insertions, takes what no other state expects; the complement
  is that of words: p(w'|w) ∝ 1 − max_s q_s(w').
- Emissions of the paper (`smoothing="additive"`): p_s(w'|w) = (f_s(w w') + δ₁) / (f_s(w) + δ₁ V),
  and p(w'|w) ∝ 1 − max_s p_s(w'|w) for insertions. On long units and a large vocabulary the state
  with most units smooths best, and swallows most units.
- Transitions: p(t|s) ∝ D(s, t) + δ₂, with D(s, t) the documents in which a unit of s stands
  directly before one of t. The paper divides by D(s) + δ₂ m, with D(s) the documents that hold s
  and m the number of states; such rows need not sum to one. Ours are divided by their sum.
- Where documents begin and end, of which the paper says nothing. The end is one more thing that
  can follow a state; the first state has p(s) = (documents that begin in s + δ₂) / (documents +
  δ₂ m).

With back-off a document's words are scored without its own counts (transitions and the insertion
state have them). Else a unit is tied to its
first state by its own pairs of words, which no other unit has, and units put anywhere stay there.

A state that loses all its units stays, without counts; it may win some back.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from permutopic.baselines.content_hmm_emissions import (
    additive_tables,
    backoff_tables,
    scores_left_out,
    tokens_of,
)
from permutopic.baselines.content_hmm_kernels import decode_all, score_piece, score_units
from permutopic.baselines.content_hmm_states import first_states, histories_of
from permutopic.baselines.order_search import Searched, best_order
from permutopic.checks import check_integer, check_real
from permutopic.corpus.arrays import offsets_from_sizes
from permutopic.errors import InputError
from permutopic.results.prediction import Prediction

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from permutopic.corpus import Corpus

SMALLEST = 4
SMOOTHINGS = ("backoff", "additive")
# Both chosen by the log probability of a fifth of the documents, held out, on two corpora; δ₁ of
# .1, .03, .01, .003 and .001. Between .01 and 5 the smoothing of transitions hardly matters.
STRENGTHS = (0.01, 0.001, 0.067)
"""μ, κ and ν, as shares of the tokens of the corpus."""
WORD_SMOOTHING = 0.003
TRANSITION_SMOOTHING = 0.1
_NEVER = -1e6
"""A log probability so low that no order with it is the best; the search wants finite ones."""


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
    seen
        (P, m): of those pairs.
    unseen, words
        (V + 1, m) and (V, m): any other pair has the sum of what its first word has in the one and
        its second in the other.
    initial, transitions, final
        (m,), (m, m) and (m,): the first state, the next state, and the end after a state.
    """

    n_words: int
    pairs: NDArray[np.int64]
    seen: NDArray[np.float64]
    unseen: NDArray[np.float64]
    words: NDArray[np.float64]
    initial: NDArray[np.float64]
    transitions: NDArray[np.float64]
    final: NDArray[np.float64]

    def unit_scores(
        self, words: NDArray[np.integer], unit_offsets: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Give the log probability of units in each state: (units, m). A unit may be empty."""
        second = words.astype(np.int64)
        histories = histories_of(second, unit_offsets, self.n_words)
        keys = histories * self.n_words + second
        places = np.minimum(np.searchsorted(self.pairs, keys), self.pairs.size - 1)
        known = np.where(self.pairs[places] == keys, places, -1)
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
        """Find the most probable walk through each document: states, and log probabilities."""
        return self.decode_scores(self.unit_scores(words, unit_offsets), document_offsets)

    def decode_scores(
        self, scores: NDArray[np.float64], document_offsets: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Do the same with the log probability of each unit in each state."""
        states = np.empty(scores.shape[0], dtype=np.int64)
        totals = np.empty(document_offsets.size - 1)
        moves = self.initial, self.transitions, self.final
        decode_all(scores, document_offsets, *moves, states, totals)
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
        if not pieces:
            return Searched(np.empty(0, dtype=np.int64), 0.0, True, 0)
        shuffled = random.permutation(len(pieces))
        n_pieces, end = len(pieces), self.initial.size
        # The end is a piece with a state of its own, which nothing can follow.
        scores = np.full((n_pieces + 1, end + 1, end + 1), -np.inf)
        scores[:-1, :end, :end] = self.piece_scores([pieces[piece] for piece in shuffled])
        scores[n_pieces, end, end] = 0
        moves = np.full((end + 1, end + 1), _NEVER)
        moves[:end, :end], moves[:end, end] = self.transitions, self.final
        begin = np.append(self.initial, _NEVER)
        found = best_order(scores, begin, moves, budget=budget, width=width)
        return found._replace(order=shuffled[found.order[found.order < n_pieces]])


@dataclass(frozen=True, eq=False)
class Learned:
    """A content model, the states of the units it was learned from, and how the learning went.

    `log_probabilities` are the documents', with their states, each by the model without its counts
    if there is back-off; `settled` is whether the states are the very ones that the model was
    estimated from.
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
    smoothing: str = "backoff",
    strengths: Sequence[float] = STRENGTHS,
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
        Taken as by all rivals, and of no effect: nothing here goes by chance.
    smallest
        Units that a cluster must have to become a state.
    smoothing
        "backoff", or "additive" as in the paper.
    strengths
        Of back-off: μ, κ and ν, as shares of the tokens of the corpus.
    word_smoothing
        Of additive smoothing: δ₁, added to the count of every pair.
    transition_smoothing
        δ₂, added to the count of every transition.
    iterations
        Rounds of estimating and decoding, at most.

    Examples
    --------
    >>> from permutopic.corpus import Corpus
    >>> corpus = Corpus.from_paragraphs([["salt sea", "salt sea", "deep snow"]] * 3)
    >>> predict(corpus, 3, smallest=2).topics.tolist()
    [0, 0, 1, 0, 0, 1, 0, 0, 1]
    """
    check_integer(seed, "seed", 0)
    learned = learn_content_hmm(
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
    *,
    smallest: int = SMALLEST,
    smoothing: str = "backoff",
    strengths: Sequence[float] = STRENGTHS,
    word_smoothing: float = WORD_SMOOTHING,
    transition_smoothing: float = TRANSITION_SMOOTHING,
    iterations: int = 100,
) -> Learned:
    """Estimate and decode in turn, until the states stay as they are; settings as in `predict`.

    They may also come round in a circle, or the iterations may be spent: then the model is the one
    with the highest log probability on the way.
    """
    check_integer(n_topics, "n_topics", 2)
    check_integer(smallest, "smallest", 1)
    check_integer(iterations, "iterations", 1)
    if smoothing not in SMOOTHINGS:
        raise InputError(f"smoothing must be one of {', '.join(SMOOTHINGS)}, not {smoothing!r}")
    if len(strengths) != len(STRENGTHS):
        raise InputError(f"strengths must be {len(STRENGTHS)} numbers, not {len(strengths)}")
    shares = np.array([check_real(share, "strengths", 1e-9, 1e9) for share in strengths])
    check_real(word_smoothing, "word_smoothing", 1e-9, 1e9)
    check_real(transition_smoothing, "transition_smoothing", 1e-9, 1e9)
    tokens = tokens_of(corpus)
    states, insertion = first_states(
        tokens.token_pairs, corpus.unit_offsets, n_topics - 1, smallest
    )

    strength = shares * tokens.words.size
    nothing = (np.empty((0, insertion + 1)),) * 3

    def estimate_and_decode(
        states: NDArray[np.int64],
    ) -> tuple[ContentHmm, NDArray[np.int64], NDArray[np.float64]]:
        moves = move_logs(states, corpus.document_offsets, insertion + 1, transition_smoothing)
        if smoothing == "additive":
            tables = additive_tables(tokens, states, insertion, word_smoothing)
            model = ContentHmm(corpus.n_words, tokens.pairs, *tables, *moves)
            decoded = model.decode(corpus.words, corpus.unit_offsets, corpus.document_offsets)
        else:  # with tables in the end, once
            model = ContentHmm(corpus.n_words, tokens.pairs, *nothing, *moves)
            scores = scores_left_out(tokens, states, insertion, strength)
            decoded = model.decode_scores(scores, corpus.document_offsets)
        return model, *decoded

    best: Learned | None = None
    source = states
    met = set[bytes]()
    for iteration in range(1, iterations + 1):
        met.add(states.tobytes())
        model, found, totals = estimate_and_decode(states)
        settled = np.array_equal(found, states)
        if settled or best is None or totals.sum() > best.log_probabilities.sum():
            best, source = Learned(model, found, totals, iteration, settled), states
        if found.tobytes() in met:
            break
        states = found
    assert best is not None  # noqa: S101 (there is one iteration at least)
    model = best.model
    if smoothing == "backoff":
        seen, unseen, words = backoff_tables(tokens, source, insertion, strength)
        model = replace(model, seen=seen, unseen=unseen, words=words)
    return replace(best, model=model, iterations=iteration)


def move_logs(
    states: NDArray[np.int64],
    document_offsets: NDArray[np.int64],
    n_states: int,
    smoothing: float,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Estimate log p of the first state, the next state and the end from documents' states.

    >>> moves = move_logs(np.array([0, 0, 0, 1, 0]), np.array([0, 4, 5]), 2, 1.0)
    >>> [np.exp(table).round(2).tolist() for table in moves]
    [[0.75, 0.25], [[0.33, 0.33], [0.25, 0.25]], [0.33, 0.5]]
    """
    document = np.repeat(np.arange(document_offsets.size - 1), np.diff(document_offsets))
    within = document[1:] == document[:-1]
    steps = np.unique(
        np.stack([document[1:][within], states[:-1][within], states[1:][within]]), axis=1
    )
    moves = np.full((n_states, n_states + 1), smoothing)
    np.add.at(moves, (steps[1], steps[2]), 1)
    np.add.at(moves[:, n_states], states[document_offsets[1:] - 1], 1)
    begin = np.full(n_states, smoothing)
    np.add.at(begin, states[document_offsets[:-1]], 1)
    logs = np.log(moves / moves.sum(axis=1, keepdims=True))
    return np.log(begin / begin.sum()), np.ascontiguousarray(logs[:, :-1]), logs[:, -1].copy()
