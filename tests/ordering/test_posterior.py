"""The posteriors that pieces are ordered by, against the formulas written out word by word."""

from __future__ import annotations

import math

import numpy as np
import pytest

from permutopic.corpus import Corpus
from permutopic.errors import InputError
from permutopic.ordering.distinct_pieces import find_distinct
from permutopic.ordering.positions import N_POSITIONS, count_positions
from permutopic.ordering.posterior import (
    joint_posterior,
    log_position_probabilities,
    topic_posterior,
)

PIECES = [[[0, 1, 1, 5], [1]], [[2, 0]], [[]], [[0, 2]], [[7, 8, 9, 9, 9, 0]]]


def as_arrays(pieces):
    return [[np.array(part, dtype=np.int64) for part in piece] for piece in pieces]


def distinct_of(pieces, n_words=20):
    return find_distinct(as_arrays(pieces), n_words)


def flattened(piece):
    return [word for part in piece for word in part]


def normalized(weights):
    total = sum(weights)
    return [weight / total for weight in weights]


def eq_13(words, state, priors):
    n_words, n_topics = state.word_counts.shape
    units = state.bag.sum(axis=0)
    weights = []
    for k in range(n_topics):
        weight = (units[k] + priors.topic) / (units.sum() + n_topics * priors.topic)
        for word in words:
            counts = state.word_counts[:, k]
            weight *= (counts[word] + priors.word) / (counts.sum() + n_words * priors.word)
        weights.append(weight)
    return normalized(weights)


def test_the_posterior_over_topics_is_that_of_equation_13(drawn):
    corpus, state, priors = drawn
    distinct = distinct_of(PIECES, corpus.n_words)
    found = topic_posterior(distinct, state, priors)[distinct.inverse]
    for row, piece in zip(found, PIECES, strict=True):
        assert row == pytest.approx(eq_13(flattened(piece), state, priors))


def blurred(counts):
    """Spread each position's count by a normal curve of width 0.1 that keeps its mass."""
    middles = [(position + 0.5) / N_POSITIONS for position in range(N_POSITIONS)]
    spread = [0.0] * N_POSITIONS
    for source, count in enumerate(counts):
        curve = [math.exp(-((middle - middles[source]) ** 2) / 0.02) for middle in middles]
        for target, height in enumerate(curve):
            spread[target] += float(count) * height / sum(curve)
    return np.array(spread)


def joint_plainly(pieces, state, priors, positions):
    """P(topic, position | piece) as docs/guide/ordering.md has it, one word at a time."""
    n_words = state.word_counts.shape[0]
    flat = [flattened(piece) for piece in pieces]
    at_position = [blurred(row) for row in positions.word_positions]
    total_at_position = sum(at_position)
    units = sum(row.sum() for row in positions.word_positions)

    def by_topic(word):
        counts = state.word_counts
        return np.log((counts[word] + priors.word) / (counts.sum(axis=0) + n_words * priors.word))

    def by_position(word):
        prior = 0.2 * n_words
        share = positions.word_positions[word].sum() / units
        return np.log((at_position[word] + prior * share) / (total_at_position + prior))

    weights = []
    for words in flat:
        holding = {word: sum(word in other for other in flat) for word in words}
        weights.append(
            {
                word: math.log(1 + words.count(word))
                * (1 - math.log(holding[word]) / math.log(len(pieces) + 1))
                for word in words
            }
        )
    everything = sum(sum(found.values()) for found in weights)
    common = [
        sum(found[word] * score(word) for found in weights for word in found) / everything
        for score in (by_topic, by_position)
    ]
    prior = np.array([blurred(row) for row in positions.topic_positions]) + 0.5
    posteriors = []
    for found in weights:
        length = sum(found.values())
        scores = np.log(prior)
        if length:
            scale = math.sqrt(100 / length)
            topic, position = (
                scale * sum(weight * (score(word) - mean / 2) for word, weight in found.items())
                for score, mean in zip((by_topic, by_position), common, strict=True)
            )
            scores = scores + topic[:, None] + position
        scores = np.exp(scores - scores.max())
        posteriors.append(scores / scores.sum())
    return np.array(posteriors)


def test_the_posterior_over_topics_and_positions_is_the_formula_of_the_docs(drawn):
    corpus, state, priors = drawn
    positions = count_positions(corpus, state.all_topics(), 4)
    distinct = distinct_of(PIECES, corpus.n_words)
    found = joint_posterior(distinct, state, priors, positions)[distinct.inverse]
    assert found == pytest.approx(joint_plainly(PIECES, state, priors, positions))
    assert found.std() > 0.001


def test_a_piece_without_words_has_the_prior(drawn):
    corpus, state, priors = drawn
    positions = count_positions(corpus, state.all_topics(), 4)
    alone = joint_posterior(distinct_of([[[]]], corpus.n_words), state, priors, positions)[0]
    prior = np.array([blurred(row) for row in positions.topic_positions]) + 0.5
    assert alone == pytest.approx(prior / prior.sum())


def test_a_word_of_one_unit_counts_once():
    corpus = Corpus.from_paragraphs([["a b b", "b"]])
    positions = count_positions(corpus, np.array([0, 1]), 2)
    at_position = [blurred(row) for row in positions.word_positions]
    prior = 0.2 * 2
    for word, share in ((0, 1 / 3), (1, 2 / 3)):
        [found] = log_position_probabilities(np.array([word]), positions)
        expected = (at_position[word] + prior * share) / (sum(at_position) + prior)
        assert np.exp(found) == pytest.approx(expected)


def test_a_word_of_no_unit_has_finite_probabilities(drawn):
    corpus, state, priors = drawn
    positions = count_positions(corpus, state.all_topics(), 4)
    word_positions = positions.word_positions.copy()
    word_positions[7] = 0
    damaged = type(positions)(word_positions, positions.topic_positions, positions.topic_pairs)
    distinct = distinct_of([[[7]], [[7, 7]]], corpus.n_words)
    assert np.isfinite(joint_posterior(distinct, state, priors, damaged)).all()


def test_equal_bags_of_words_are_one_whatever_their_paragraphs():
    distinct = distinct_of([[[3, 1]], [[1], [3]], [[2]], []])
    assert distinct.multiplicity.tolist() == [1, 2, 1]
    assert distinct.inverse.tolist() == [1, 1, 2, 0]
    assert distinct.words.tolist() == [1, 2, 3]
    assert distinct.counts.toarray().tolist() == [[0, 0, 0], [1, 0, 1], [0, 1, 0]]


@pytest.mark.parametrize(
    ("pieces", "message"),
    [
        ([], "no piece to order"),
        ([[[1]], [[20]]], "piece 1 has the word number 20: words are 0 to 19"),
        ([[[-1]]], "piece 0 has the word number -1"),
    ],
)
def test_word_numbers_out_of_range_are_refused(pieces, message):
    with pytest.raises(InputError, match=message):
        distinct_of(pieces)


def test_paragraphs_are_lists_of_whole_numbers():
    with pytest.raises(InputError, match="piece 0 has a paragraph"):
        find_distinct([[np.array([0.5])]], 20)
    with pytest.raises(InputError, match="piece 0 has a paragraph"):
        find_distinct([[np.array([[1]])]], 20)
