"""What is learned of positions, against a count by hand and by plain loops."""

from __future__ import annotations

import numpy as np
import pytest

from permutopic.corpus import Corpus
from permutopic.ordering.positions import (
    N_POSITIONS,
    PositionCounts,
    count_positions,
    unit_positions,
)


def count_plainly(corpus, topics, n_topics):
    """The same tables, unit by unit and word by word."""
    words = np.zeros((corpus.n_words, N_POSITIONS), dtype=int)
    units = np.zeros((n_topics, N_POSITIONS), dtype=int)
    pairs = np.zeros((n_topics, n_topics), dtype=int)
    for document in range(corpus.n_documents):
        first, last = corpus.document_offsets[document : document + 2]
        for unit in range(first, last):
            position = int((unit - first + 0.5) / (last - first) * N_POSITIONS)
            units[topics[unit], position] += 1
            held = corpus.words[corpus.unit_offsets[unit] : corpus.unit_offsets[unit + 1]]
            for word in set(held.tolist()):
                words[word, position] += 1
        mine = topics[first:last].tolist()
        for a in set(mine):
            for b in set(mine) - {a}:
                pairs[a, b] += mine.index(a) < mine.index(b)
    return words, units, pairs


def test_tables_are_those_of_plain_loops(drawn):
    corpus, state, _ = drawn
    topics = state.all_topics()
    positions = count_positions(corpus, topics, 4)
    words, units, pairs = count_plainly(corpus, topics, 4)
    assert np.array_equal(positions.word_positions, words)
    assert np.array_equal(positions.topic_positions, units)
    assert np.array_equal(positions.topic_pairs, pairs)
    assert pairs.any()


def test_counts_of_two_halves_of_a_corpus_add_up_to_the_whole():
    half = [["a b", "b"], ["b", "a", "b"]]
    topics = np.array([0, 1, 1, 0, 0])
    part = count_positions(Corpus.from_paragraphs(half), topics, 2)
    whole = count_positions(Corpus.from_paragraphs(half * 2), np.tile(topics, 2), 2)
    for name, table in (part + part).arrays().items():
        assert np.array_equal(table, whole.arrays()[name])
        assert table.dtype == whole.arrays()[name].dtype


def test_a_word_counts_once_for_each_unit_and_an_empty_unit_keeps_its_position():
    corpus = Corpus.from_paragraphs([["a a", "!", "a b", "b"]])
    positions = count_positions(corpus, np.array([0, 0, 0, 0]), 1)
    assert positions.word_positions[:, [2, 7, 12, 17]].tolist() == [[1, 0, 1, 0], [0, 0, 1, 1]]
    assert positions.word_positions.sum() == 4
    assert positions.topic_positions[0, [2, 7, 12, 17]].tolist() == [1, 1, 1, 1]


def test_a_single_unit_stands_in_the_middle():
    assert unit_positions(1).tolist() == [N_POSITIONS // 2]


def test_positions_go_from_the_first_to_the_last_in_long_documents():
    positions = unit_positions(1000)
    assert np.array_equal(np.bincount(positions), np.full(N_POSITIONS, 50))
    assert np.all(np.diff(positions) >= 0)


def tables(n_words=3, n_topics=2):
    return {
        "places.word_places": np.ones((n_words, N_POSITIONS), dtype=np.int32),
        "places.topic_places": np.ones((n_topics, N_POSITIONS), dtype=np.int64),
        "places.topic_pairs": np.ones((n_topics, n_topics), dtype=np.int64),
    }


def test_tables_come_back_from_arrays(drawn):
    corpus, state, _ = drawn
    positions = count_positions(corpus, state.all_topics(), 4)
    again = PositionCounts.from_arrays(positions.arrays(), corpus.n_words, 4)
    for name, table in positions.arrays().items():
        assert np.array_equal(again.arrays()[name], table)


@pytest.mark.parametrize(
    ("name", "table", "message"),
    [
        ("word_positions", np.ones((3, 19), dtype=np.int32), "word_positions is int32"),
        ("word_positions", np.ones((3, N_POSITIONS)), "word_positions is float64"),
        (
            "word_positions",
            np.full((3, N_POSITIONS), -1, dtype=np.int32),
            "word_positions has a count",
        ),
        ("word_positions", np.zeros((3, N_POSITIONS), dtype=np.int32), "need a count above 0"),
        ("word_positions", np.ones((4, N_POSITIONS), dtype=np.int32), "not those of 3 words"),
        ("topic_positions", np.zeros((2, N_POSITIONS), dtype=np.int64), "need a count above 0"),
        ("topic_positions", np.ones(2, dtype=np.int64), "topic_positions is int64"),
        ("topic_pairs", np.ones((2, 3), dtype=np.int64), "topic_pairs is int64"),
    ],
)
def test_damaged_tables_are_refused(name, table, message):
    PositionCounts.from_arrays(tables(), 3, 2)
    stored = f"places.{name.replace('positions', 'places')}"  # the name in a model folder
    with pytest.raises(ValueError, match=message):
        PositionCounts.from_arrays({**tables(), stored: table}, 3, 2)


def test_a_missing_table_is_refused():
    arrays = tables()
    del arrays["places.topic_pairs"]
    with pytest.raises(KeyError, match="topic_pairs"):
        PositionCounts.from_arrays(arrays, 3, 2)
