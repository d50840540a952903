"""Geweke's joint test: two ways to draw words, structures and ρ together must agree.

One draws everything from the prior, independently. The other is a chain that alternates a sweep
given the words and a fresh draw of the words given the structures. Any function of the draws has
the same mean in both if, and nearly only if, the sweep leaves the posterior as it is.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache, partial

import numpy as np

from permutopic.dirichlet import log_rising
from permutopic.mallows import draw_dispersion, n_values
from permutopic.model.blocked.packing import localize_corpus, pack_documents
from permutopic.model.generate import generate, redraw_words
from permutopic.model.joint import SubjectTerm
from permutopic.model.priors import Priors, SubjectPriors, Variant
from permutopic.streams import Streams

from exact import split_variant

N_TOPICS, SHAPE = 3, {"n_documents": 2, "units": 3, "unit_words": 2, "n_words": 3}
N_BATCHES = 40


# Two settings, for no one setting shows every bug: where words say much, and where they say
# little and few topics are in use.
SETTINGS = {"distinctive words": (0.6, 0.4), "few topics": (0.2, 3.0)}


def priors_for(variant, setting="distinctive words"):
    topic, word = SETTINGS[setting]
    paper, subject = split_variant(variant)
    if subject:
        subject = SubjectPriors(np.array([0.5, 0.3, 0.2]), document=1.5, section=1.2)
    return Priors(topic, word, dispersion=0.9, strength=3.0, variant=paper, subject=subject or None)


def summaries(corpus, state, *, classes=False):
    """Functions of a joint draw, all bounded: the prior of ρ has a very long tail."""
    bag, inversions = state.bag, state.inversions
    words = corpus.words.reshape(2, 3, -1)
    first = np.array([state.topics(0), state.topics(1)])
    alike = words[0, :, 0] == words[1, :, 0]
    next_alike = words[:, 1:, 0] == words[:, :-1, 0]
    found = {
        "topic 0 in both": np.all(bag[:, 0] > 0),
        "topic 2 squared": np.sum(bag[:, 2] ** 2),
        "evenness": np.sum(bag**2),
        "bag agreement": np.sum(bag[0] * bag[1]),
        "one word in a unit": np.mean(words[:, :, 0] == words[:, :, 1]),
        "one word in neighbours": np.mean(next_alike),
        "neighbours alike within a topic": np.mean(next_alike & (first[:, 1:] == first[:, :-1])),
        "one word across documents": np.mean(alike),
        "alike where topics are": np.mean(alike & (first[0] == first[1])),
        "ends alike": first[0, -1] == first[1, -1],
        "first topic": np.mean(first[:, 0]),
        "last topic": np.mean(first[:, -1]),
    }
    if classes:
        found |= {
            "subject words": np.count_nonzero(state.subject_words),
            "tokens of subject words": np.mean(state.subject_words[words]),
            "subject words across documents": np.mean(alike & state.subject_words[words[0, :, 0]]),
            "the first word is a subject word": state.subject_words[0],
            "a subject word where topics are": np.mean(
                (first[:, 1:] == first[:, :-1]) & state.subject_words[words[:, 1:, 0]]
            ),
        }
    for j in range(N_TOPICS - 1):
        found[f"inversions {j}"] = np.mean(inversions[:, j])
        found[f"inversions {j} squared"] = np.mean(inversions[:, j] ** 2)
        found[f"inversions {j} shared"] = np.prod(inversions[:, j])
    if np.isfinite(state.dispersion).all():
        found["low dispersion"] = np.exp(-state.dispersion[0])
        found["high dispersion"] = state.dispersion[1] / (1 + state.dispersion[1])
        found["dispersion and order"] = np.exp(-state.dispersion[0]) * np.mean(inversions[:, 0])
    return found


def independent_draws(priors, n_draws, rng):
    """Draw everything from the prior, again and again."""
    if priors.variant == Variant.FULL:
        expected = priors.mean_inversions(N_TOPICS)
        dispersions = np.column_stack(
            [
                draw_dispersion(int(m), float(mean), priors.strength, rng, n_draws)
                for m, mean in zip(n_values(N_TOPICS), expected, strict=True)
            ]
        )
    else:
        fixed = 0.0 if priors.variant == Variant.UNIFORM else np.inf
        dispersions = np.full((n_draws, N_TOPICS - 1), fixed)
    for rho in dispersions:
        yield generate(N_TOPICS, priors, rng, **SHAPE, dispersion=rho)


def one_chain(priors, make_moves, n_draws, rng, seed):
    """Alternate a sweep given the words and fresh words given the structures."""
    [start] = independent_draws(priors, 1, rng)
    moves = moves_for(start, priors, make_moves)
    yield from _alternate(start, priors, moves, range(n_draws), rng, Streams(seed))


def many_short_chains(priors, make_moves, n_draws, rng, seed):
    """The same, from a new start every three sweeps: for moves that alone do not get around."""
    streams, moves = Streams(seed), None
    for number, start in enumerate(independent_draws(priors, n_draws, rng)):
        moves = moves or moves_for(start, priors, make_moves)
        sweeps = range(3 * number, 3 * number + 3)
        *_, last = _alternate(start, priors, moves, sweeps, rng, streams)
        yield last


def moves_for(start, priors, make_moves):
    """Make moves that have room for any words of a document: all occur in each."""
    corpus, _ = start
    words = np.arange(corpus.words.size, dtype=np.int32) % corpus.n_words
    return make_moves(replace(corpus, words=words), N_TOPICS, priors)


def give_words(moves, corpus):
    """Let moves that were made for one corpus go on with other words in the same units."""
    for move in moves:
        if hasattr(move, "documents"):
            move.documents = [document.tokens for document in corpus.documents()]
        if hasattr(move, "engine"):
            engine = move.engine
            engine.documents = localize_corpus(corpus)
            engine.all_words = engine.packed = pack_documents(engine.documents)
            engine.subject_words = None  # so that classes are taken anew
        if hasattr(move, "of_documents"):
            move.index = corpus.word_index
            move.of_documents = SubjectTerm(corpus, move.subject)
            move.of_topics = log_rising(corpus.n_tokens, move.word_prior)


def _alternate(start, priors, moves, sweeps, rng, streams):
    corpus, state = start
    for sweep in sweeps:
        give_words(moves, corpus)
        for number, move in enumerate(moves):
            move(state, partial(streams.at, sweep, number))
        yield corpus, state  # new structures with the words they were drawn for
        corpus, state = redraw_words(corpus, state, priors, rng)


@lru_cache
def prior_summaries(priors, n_draws, seed):
    """Summaries of draws from the prior, which all sets of moves are held against."""
    rng = np.random.default_rng([seed, 0])
    classes = priors.subject is not None
    return [summaries(*draw, classes=classes) for draw in independent_draws(priors, n_draws, rng)]


def geweke_scores(priors, make_moves, n_independent, n_chain, seed=0, draw_chain=one_chain):
    """The difference of means in standard errors, for every summary that varies.

    The chain's error comes from means of long batches, since its draws depend on each other.
    """
    prior, rng = prior_summaries(priors, n_independent, seed), np.random.default_rng([seed, 1])
    drawn = draw_chain(priors, make_moves, n_chain, rng, seed)
    chain = [summaries(*draw, classes=priors.subject is not None) for draw in drawn]
    scores = {}
    for name in prior[0]:
        expected = np.array([float(found[name]) for found in prior])
        along = np.array([float(found[name]) for found in chain])
        batches = along.reshape(N_BATCHES, -1).mean(axis=1)
        variance = expected.var() / n_independent + batches.var(ddof=1) / N_BATCHES
        if variance > 0:
            scores[name] = (batches.mean() - expected.mean()) / np.sqrt(variance)
        elif batches.mean() != expected.mean():
            scores[name] = np.inf
    return scores
