"""What is learned of places, against a count by hand and by plain loops."""

from __future__ import annotations

import numpy as np
import pytest

from permutopic.corpus import Corpus
from permutopic.ordering.places import N_PLACES, Places, learn_places, place_of_units


def count_plainly(corpus, topics, n_topics):
    """The same tables, unit by unit and word by word."""
    words = np.zeros((corpus.n_words, N_PLACES), dtype=int)
    units = np.zeros((n_topics, N_PLACES), dtype=int)
    pairs = np.zeros((n_topics, n_topics), dtype=int)
    for document in range(corpus.n_documents):
        first, last = corpus.document_offsets[document : document + 2]
        for unit in range(first, last):
            place = int((unit - first + 0.5) / (last - first) * N_PLACES)
            units[topics[unit], place] += 1
            held = corpus.words[corpus.unit_offsets[unit] : corpus.unit_offsets[unit + 1]]
            for word in set(held.tolist()):
                words[word, place] += 1
        mine = topics[first:last].tolist()
        for a in set(mine):
            for b in set(mine) - {a}:
                pairs[a, b] += mine.index(a) < mine.index(b)
    return words, units, pairs


def test_tables_are_those_of_plain_loops(drawn):
    corpus, state, _ = drawn
    topics = state.all_topics()
    places = learn_places(corpus, topics, 4)
    words, units, pairs = count_plainly(corpus, topics, 4)
    assert np.array_equal(places.word_places, words)
    assert np.array_equal(places.topic_places, units)
    assert np.array_equal(places.topic_pairs, pairs)
    assert pairs.any()


def test_two_halves_of_a_corpus_joined_are_the_whole():
    half = [["a b", "b"], ["b", "a", "b"]]
    topics = np.array([0, 1, 1, 0, 0])
    part = learn_places(Corpus.from_paragraphs(half), topics, 2)
    whole = learn_places(Corpus.from_paragraphs(half * 2), np.tile(topics, 2), 2)
    for name, table in part.joined(part).arrays().items():
        assert np.array_equal(table, whole.arrays()[name])
        assert table.dtype == whole.arrays()[name].dtype


def test_a_word_counts_once_for_each_unit_and_an_empty_unit_keeps_its_place():
    corpus = Corpus.from_paragraphs([["a a", "!", "a b", "b"]])
    places = learn_places(corpus, np.array([0, 0, 0, 0]), 1)
    assert places.word_places[:, [2, 7, 12, 17]].tolist() == [[1, 0, 1, 0], [0, 0, 1, 1]]
    assert places.word_places.sum() == 4
    assert places.topic_places[0, [2, 7, 12, 17]].tolist() == [1, 1, 1, 1]


def test_a_single_unit_stands_in_the_middle():
    assert place_of_units(1).tolist() == [N_PLACES // 2]


def test_places_go_from_the_first_to_the_last_in_long_documents():
    places = place_of_units(1000)
    assert np.array_equal(np.bincount(places), np.full(N_PLACES, 50))
    assert np.all(np.diff(places) >= 0)


def tables(n_words=3, n_topics=2):
    return {
        "places.word_places": np.ones((n_words, N_PLACES), dtype=np.int32),
        "places.topic_places": np.ones((n_topics, N_PLACES), dtype=np.int64),
        "places.topic_pairs": np.ones((n_topics, n_topics), dtype=np.int64),
    }


def test_tables_come_back_from_arrays(drawn):
    corpus, state, _ = drawn
    places = learn_places(corpus, state.all_topics(), 4)
    again = Places.from_arrays(places.arrays(), corpus.n_words, 4)
    for name, table in places.arrays().items():
        assert np.array_equal(again.arrays()[name], table)


@pytest.mark.parametrize(
    ("name", "table", "message"),
    [
        ("word_places", np.ones((3, 19), dtype=np.int32), "word_places is int32"),
        ("word_places", np.ones((3, N_PLACES)), "word_places is float64"),
        ("word_places", np.full((3, N_PLACES), -1, dtype=np.int32), "word_places has a count"),
        ("word_places", np.zeros((3, N_PLACES), dtype=np.int32), "need a count above 0"),
        ("word_places", np.ones((4, N_PLACES), dtype=np.int32), "not those of 3 words"),
        ("topic_places", np.zeros((2, N_PLACES), dtype=np.int64), "need a count above 0"),
        ("topic_places", np.ones(2, dtype=np.int64), "topic_places is int64"),
        ("topic_pairs", np.ones((2, 3), dtype=np.int64), "topic_pairs is int64"),
    ],
)
def test_damaged_tables_are_refused(name, table, message):
    Places.from_arrays(tables(), 3, 2)
    with pytest.raises(ValueError, match=message):
        Places.from_arrays({**tables(), f"places.{name}": table}, 3, 2)


def test_a_missing_table_is_refused():
    arrays = tables()
    del arrays["places.topic_pairs"]
    with pytest.raises(KeyError, match="topic_pairs"):
        Places.from_arrays(arrays, 3, 2)
