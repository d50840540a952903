from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from permutopic.topics.distinctive import rank_words, word_weights, z_scores


def rank(counts, segments, n_segments):
    return rank_words(counts, segments, np.array(n_segments), np.ones(len(counts)))


def test_a_z_score_by_hand():
    here, everywhere = np.array([6, 4]), np.array([8, 12])
    inside, rest_inside = 6 + 0.01 * 8, 4 + 0.01 * 12
    outside, rest_outside = 2 + 0.01 * 8, 8 + 0.01 * 12
    difference = np.log(inside / rest_inside) - np.log(outside / rest_outside)
    expected = difference / np.sqrt(1 / inside + 1 / outside)
    assert z_scores(here, everywhere)[0] == pytest.approx(expected)


@given(arrays(np.int32, (5, 2), elements=st.integers(0, 50)))
def test_z_scores_are_numbers_and_swap_sign_between_two_topics(counts):
    first, second = (z_scores(counts[:, topic], counts.sum(axis=1)) for topic in (0, 1))
    assert np.isfinite(first).all()
    assert first == pytest.approx(-second, abs=1e-9)


def test_the_only_word_and_a_word_without_tokens_distinguish_nothing():
    assert z_scores(np.array([5]), np.array([9])).tolist() == [0.0]
    assert z_scores(np.array([5, 0, 1]), np.array([9, 0, 9]))[1] == 0.0


def test_a_word_that_one_document_repeats_is_less_distinctive_than_one_that_many_use():
    # Both topics have ten segments; "local" comes 30 times in one of them, "shared" in each.
    words = ["local", "shared", "other", "filler"]
    counts = np.array([[30, 0], [20, 0], [0, 40], [50, 60]])
    segments = np.array([[1, 0], [10, 0], [0, 10], [8, 8]])
    [first, second] = rank(counts, segments, [10, 10])
    assert [words[word] for word in first[:2]] == ["shared", "local"]
    assert words[second[0]] == "other"


def test_a_word_that_comes_in_more_segments_of_other_topics_is_not_distinctive():
    counts = np.array([[60, 6], [3, 0], [90, 90]])
    segments = np.array([[1, 6], [3, 0], [5, 5]])
    assert rank(counts, segments, [10, 10])[0].tolist() == [1, 2, 0]


def test_a_word_in_most_segments_is_not_distinctive_however_frequent():
    counts = np.array([[90, 10], [5, 0], [0, 50]])
    half = np.array([[10, 0], [4, 0], [0, 9]])
    assert rank(counts, half, [10, 10])[0].tolist() == [0, 1]
    more = np.array([[10, 1], [4, 0], [0, 9]])
    assert rank(counts, more, [10, 10])[0].tolist() == [1, 0]


def test_words_count_what_they_weigh():
    counts, segments = np.array([[9, 0], [8, 0], [0, 9]]), np.array([[9, 0], [8, 0], [0, 9]])
    for weights, first in (([1, 1, 1], [0, 1]), ([0.3, 1, 1], [1, 0]), ([0, 0, 1], [0, 1])):
        ranked = rank_words(counts, segments, np.array([10, 10]), np.array(weights))
        assert ranked[0].tolist() == first


def test_function_words_numbers_and_letters_weigh_little():
    words = ["the", "of", "and", "his", "c", "1984", "x2", "海", "crust", "é", "co"]
    totals = np.array([50, 30, 20, 5, 5, 5, 5, 5, 5, 5, 5])
    assert word_weights(words, totals).tolist() == [0, 0, 0, 0, 0.3, 0.3, 0.3, 1, 1, 0.3, 1]
    assert set(word_weights(["salt", "the"], np.array([50, 1]))) == {1.0}  # no language shows


def test_only_words_that_a_topic_holds_are_listed_and_ties_go_by_number():
    counts = np.array([[1, 0], [1, 0], [0, 3]])
    ranked = rank(counts, np.minimum(counts, 1), [2, 2])
    assert [words.tolist() for words in ranked] == [[0, 1], [2]]
    assert rank(np.zeros((2, 1), int), np.zeros((2, 1), int), [0])[0].size == 0


def test_one_topic_alone_has_its_words_by_frequency():
    counts = np.array([[1], [5], [3]])
    assert rank(counts, np.array([[1], [1], [1]]), [1])[0].tolist() == [1, 2, 0]


def test_of_two_words_the_more_exclusive_is_more_distinctive():
    # Both are in half of the first topic's segments; one comes in the other topic as well.
    counts = np.array([[60, 25], [50, 0], [900, 900]])
    segments = np.array([[50, 20], [45, 0], [50, 50]])
    assert rank(counts, segments, [100, 100])[0].tolist() == [1, 0, 2]


def test_exclusiveness_counts_each_topic_by_its_own_number_of_segments():
    # The first word has more tokens here, and comes in a tenth of the other topic's segments.
    counts = np.array([[6, 1], [3, 0], [10, 10]])
    segments = np.array([[3, 1], [3, 0], [5, 5]])
    assert rank(counts, segments, [20, 10])[0].tolist() == [1, 0, 2]


def test_a_weight_multiplies_the_root_of_the_score():
    counts = np.array([[9, 0], [15, 2], [15, 5]])
    segments = np.array([[3, 0], [5, 2], [5, 5]])
    number_first = np.array([0.3, 1, 1])
    assert rank_words(counts, segments, np.array([20, 10]), number_first)[0].tolist() == [1, 0, 2]


def test_a_word_that_comes_more_often_in_other_topics_is_not_distinctive():
    counts = np.array([[4, 30], [4, 1], [50, 50]])
    segments = np.array([[4, 1], [4, 1], [5, 5]])
    assert rank(counts, segments, [10, 10])[0][0] == 1
