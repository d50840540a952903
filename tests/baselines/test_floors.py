"""Cuts at random, and at equal distances."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from permutopic.baselines import floors
from permutopic.corpus import Corpus
from permutopic.errors import InputError

CORPUS = Corpus.from_paragraphs([["a"] * 7, ["b"], ["c"] * 3])


def test_random_segments_are_as_many_as_wanted_and_each_differs_from_the_next():
    for seed in range(20):
        for n_topics in (2, 3, 10):
            found = floors.predict_random(CORPUS, n_topics, seed, n_segments=[4, 1, 3])
            assert [found.ends(document).size for document in range(3)] == [4, 1, 3]
            assert set(found.topics.tolist()) <= set(range(n_topics))


def test_the_same_seed_gives_the_same_topics():
    one, same, other = (floors.predict_random(CORPUS, 5, s, n_segments=3) for s in (1, 1, 2))
    assert one.topics.tolist() == same.topics.tolist() != other.topics.tolist()


def test_all_places_and_all_topics_are_equally_likely():
    corpus = Corpus.from_paragraphs([["a"] * 5] * 6000)
    found = floors.predict_random(corpus, 4, 3, n_segments=3)
    pairs = Counter(tuple(found.ends(d)[:-1].tolist()) for d in range(6000))
    assert len(pairs) == 6  # two of four places
    assert min(pairs.values()) > 850  # 1000 expected, 29 the standard deviation
    assert max(pairs.values()) < 1150
    topics = found.topics.reshape(6000, 5)
    for place in (0, -1):
        assert np.abs(np.bincount(topics[:, place]) - 1500).max() < 150
    changes = Counter((row[0], row[found.ends(d)[0]]) for d, row in enumerate(topics.tolist()))
    assert len(changes) == 12
    assert max(changes.values()) < 620  # 500 expected


def test_with_one_topic_there_is_nothing_to_draw():
    assert floors.predict_random(CORPUS, 1, n_segments=2).topics.tolist() == [0] * 11


@pytest.mark.parametrize("n_topics", [1, 2, 3, 7, 20])
def test_even_parts_differ_by_one_unit_at_most_and_come_in_order(n_topics):
    corpus = Corpus.from_paragraphs([["a"] * size for size in (1, 2, 7, 20, 31)])
    found = floors.predict_even(corpus, n_topics)
    for document, size in enumerate((1, 2, 7, 20, 31)):
        topics = found.topics[corpus.units_of(document)]
        counts = np.bincount(topics, minlength=n_topics)
        assert (np.diff(topics) >= 0).all()
        assert counts.size == n_topics
        assert counts.max() - counts.min() <= 1
        assert found.ends(document).size == min(n_topics, size)


def test_even_parts_may_be_as_many_as_the_reference_has():
    found = floors.predict_even_given(CORPUS, n_segments=[3, 5, 2])
    assert [found.ends(d).tolist() for d in range(3)] == [[2, 4, 7], [1], [1, 3]]
    assert found.topics.tolist() == [0, 0, 1, 1, 2, 2, 2, 3, 4, 5, 5]


def test_wrong_settings_are_refused():
    with pytest.raises(InputError, match="n_topics must be a whole number of at least 1"):
        floors.predict_even(CORPUS, 0)
    with pytest.raises(InputError, match="n_topics must be a whole number of at least 1"):
        floors.predict_random(CORPUS, 0, n_segments=2)
    with pytest.raises(InputError, match="seed must be a whole number of at least 0"):
        floors.predict_random(CORPUS, 3, -1, n_segments=2)
    with pytest.raises(InputError, match=r"has to be given \(n_segments\)"):
        floors.predict_even_given(CORPUS)
