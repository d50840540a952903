"""The posteriors that pieces are ordered by, against the formulas written out word by word."""

from __future__ import annotations

import math

import numpy as np
import pytest

from permutopic.errors import InputError
from permutopic.ordering.bags import gather_bags
from permutopic.ordering.evidence import joint_posterior, topic_posterior
from permutopic.ordering.places import N_PLACES, learn_places

PIECES = [[[0, 1, 1, 5], [1]], [[2, 0]], [[]], [[0, 2]], [[7, 8, 9, 9, 9, 0]]]


def as_arrays(pieces):
    return [[np.array(part, dtype=np.int64) for part in piece] for piece in pieces]


def bags_of(pieces, n_words=20):
    return gather_bags(as_arrays(pieces), n_words)


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
    bags = bags_of(PIECES, corpus.n_words)
    found = topic_posterior(bags, state, priors)[bags.bag_of]
    for row, piece in zip(found, PIECES, strict=True):
        assert row == pytest.approx(eq_13(flattened(piece), state, priors))


def blurred(counts):
    """Spread each place's count by a normal curve of width 0.1 that keeps its mass."""
    middles = [(place + 0.5) / N_PLACES for place in range(N_PLACES)]
    spread = [0.0] * N_PLACES
    for source, count in enumerate(counts):
        curve = [math.exp(-((middle - middles[source]) ** 2) / 0.02) for middle in middles]
        for target, height in enumerate(curve):
            spread[target] += float(count) * height / sum(curve)
    return np.array(spread)


def joint_plainly(pieces, state, priors, places):
    """P(topic, place | piece) as docs/ordering.md has it, one word at a time."""
    n_words = state.word_counts.shape[0]
    flat = [flattened(piece) for piece in pieces]
    at_place = [blurred(row) for row in places.word_places]
    total_at_place = sum(at_place)
    units = sum(row.sum() for row in places.word_places)

    def by_topic(word):
        counts = state.word_counts
        return np.log((counts[word] + priors.word) / (counts.sum(axis=0) + n_words * priors.word))

    def by_place(word):
        prior = 0.2 * n_words
        share = places.word_places[word].sum() / units
        return np.log((at_place[word] + prior * share) / (total_at_place + prior))

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
        for score in (by_topic, by_place)
    ]
    prior = np.array([blurred(row) for row in places.topic_places]) + 0.5
    posteriors = []
    for found in weights:
        length = sum(found.values())
        scores = np.log(prior)
        if length:
            scale = math.sqrt(100 / length)
            topic, place = (
                scale * sum(weight * (score(word) - mean / 2) for word, weight in found.items())
                for score, mean in zip((by_topic, by_place), common, strict=True)
            )
            scores = scores + topic[:, None] + place
        scores = np.exp(scores - scores.max())
        posteriors.append(scores / scores.sum())
    return np.array(posteriors)


def test_the_posterior_over_topics_and_places_is_the_formula_of_the_docs(drawn):
    corpus, state, priors = drawn
    places = learn_places(corpus, state.all_topics(), 4)
    bags = bags_of(PIECES, corpus.n_words)
    found = joint_posterior(bags, state, priors, places)[bags.bag_of]
    assert found == pytest.approx(joint_plainly(PIECES, state, priors, places))
    assert found.std() > 0.001


def test_a_piece_without_words_has_the_prior(drawn):
    corpus, state, priors = drawn
    places = learn_places(corpus, state.all_topics(), 4)
    alone = joint_posterior(bags_of([[[]]], corpus.n_words), state, priors, places)[0]
    prior = np.array([blurred(row) for row in places.topic_places]) + 0.5
    assert alone == pytest.approx(prior / prior.sum())


def test_a_word_that_no_unit_holds_tells_no_place(drawn):
    corpus, state, priors = drawn
    places = learn_places(corpus, state.all_topics(), 4)
    word_places = places.word_places.copy()
    word_places[7] = 0
    damaged = type(places)(word_places, places.topic_places, places.topic_pairs)
    bags = bags_of([[[7]], [[7, 7]]], corpus.n_words)
    assert np.isfinite(joint_posterior(bags, state, priors, damaged)).all()


def test_equal_bags_are_one_whatever_their_paragraphs():
    bags = bags_of([[[3, 1]], [[1], [3]], [[2]], []])
    assert bags.sizes.tolist() == [1, 2, 1]
    assert bags.bag_of.tolist() == [1, 1, 2, 0]
    assert bags.words.tolist() == [1, 2, 3]
    assert bags.counts.toarray().tolist() == [[0, 0, 0], [1, 0, 1], [0, 1, 0]]


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
        bags_of(pieces)


def test_paragraphs_are_lists_of_whole_numbers():
    with pytest.raises(InputError, match="piece 0 has a paragraph"):
        gather_bags([[np.array([0.5])]], 20)
    with pytest.raises(InputError, match="piece 0 has a paragraph"):
        gather_bags([[np.array([[1]])]], 20)
