"""Pieces put in order: by every method, in whatever order they come."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from permutopic.corpus import Corpus
from permutopic.errors import InputError
from permutopic.metrics.ordering import kendall_tau
from permutopic.model.generate import generate
from permutopic.model.priors import Priors
from permutopic.model.state import make_state
from permutopic.ordering import DEFAULT_METHOD, METHODS, count_positions, order_pieces
from permutopic.ordering.order import _mean_positions


def as_arrays(*pieces):
    return [[np.array(part, dtype=np.int64) for part in piece] for piece in pieces]


def learned(n_topics=5, n_documents=30, seed=0, variant="full"):
    """A corpus drawn from the model, the true state, and what is learned of positions."""
    priors = Priors.for_documents(
        n_documents, topic=5.0, word=0.05, dispersion=3.0, variant=variant
    )
    corpus, state = generate(
        n_topics,
        priors,
        np.random.default_rng(seed),
        n_documents=n_documents,
        units=[10] * n_documents,
        unit_words=20,
        n_words=60,
    )
    return corpus, state, priors, count_positions(corpus, state.all_topics(), n_topics)


LEARNED = learned()


def order(pieces, method=DEFAULT_METHOD, keys=None):
    _, state, priors, positions = LEARNED
    return order_pieces(pieces, state, priors, positions, method=method, keys=keys)


def segments_of(document):
    """The segments of a drawn document, in its order, with their topics."""
    corpus, state = LEARNED[:2]
    units = corpus.units_of(document)
    pieces: dict[int, list] = {}
    for unit, topic in zip(range(units.start, units.stop), state.topics(document), strict=True):
        words = corpus.words[corpus.unit_offsets[unit] : corpus.unit_offsets[unit + 1]]
        pieces.setdefault(int(topic), []).append(words)
    return list(pieces.values()), list(pieces)


@pytest.mark.parametrize("method", METHODS)
def test_segments_of_documents_come_near_their_order(method):
    taus = []
    for document in range(30):
        pieces, topics = segments_of(document)
        if len(pieces) < 2:
            continue
        found = order(pieces, method)
        taus.append(kendall_tau(np.arange(len(pieces)), found.scores))
        assert np.mean(found.topics == topics) >= 0.5
    assert np.mean(taus) > 0.7


def test_map_sorts_by_the_number_of_the_most_probable_topic():
    pieces, topics = segments_of(3)
    found = order(pieces, "map")
    assert found.topics.tolist() == topics
    assert found.scores.tolist() == topics
    assert [topics[n] for n in found.order] == sorted(topics)


def test_words_of_one_topic_are_distinguished_by_their_position():
    # "early" and "late" words share a topic: only methods that know of positions can order them.
    documents = [["east early", "east late", "west"]] * 6 + [["east early", "east late"]]
    corpus = Corpus.from_paragraphs(documents)
    bag = np.array([[2, 1]] * 6 + [[2, 0]])
    state = make_state(corpus, bag, np.zeros((7, 1), dtype=np.int64), np.ones(1))
    positions = count_positions(corpus, state.all_topics(), 2)
    number = {word: n for n, word in enumerate(corpus.vocabulary)}
    pieces = as_arrays([[number["east"], number["late"]]], [[number["east"], number["early"]]])
    given = (pieces, state, Priors.for_documents(7), positions)
    for method in ("pairs", "positions"):
        assert order_pieces(*given, method=method).order.tolist() == [1, 0]
        assert order_pieces(*given, method=method).ties == ()
    assert order_pieces(*given, method="map").ties != ()


words = st.lists(st.integers(0, 59), max_size=6)
loose = st.lists(st.lists(words, max_size=2), min_size=1, max_size=7)


@given(loose, st.randoms(use_true_random=False), st.sampled_from(METHODS))
@settings(max_examples=150)
def test_the_order_in_which_pieces_come_plays_no_part(given_pieces, random, method):
    shuffled = list(range(len(given_pieces)))
    random.shuffle(shuffled)
    first = order(as_arrays(*given_pieces), method)
    second = order(as_arrays(*[given_pieces[n] for n in shuffled]), method)
    assert second.scores.tolist() == first.scores[shuffled].tolist()
    assert second.topics.tolist() == first.topics[shuffled].tolist()
    in_order = [given_pieces[n] for n in first.order]
    assert [given_pieces[shuffled[n]] for n in second.order] == in_order


@given(loose, st.sampled_from(METHODS))
@settings(max_examples=100)
def test_an_ordering_holds_together(given_pieces, method):
    found = order(as_arrays(*given_pieces), method)
    assert sorted(found.order) == list(range(len(given_pieces)))
    assert np.all(np.diff(found.scores[found.order]) >= 0)
    tied = [n for group in found.ties for n in group]
    assert len(tied) == len(set(tied))
    for group in found.ties:
        assert len(group) > 1
        assert len(set(found.scores[list(group)])) == 1
    alone = [score for n, score in enumerate(found.scores) if n not in tied]
    assert len(set(alone)) == len(alone)


@pytest.mark.parametrize("method", METHODS)
def test_pieces_with_the_same_words_are_tied_whatever_their_paragraphs(method):
    pieces = as_arrays([[1, 2]], [[40, 41, 42, 43]], [[2], [1]])
    found = order(pieces, method)
    assert found.scores[0] == found.scores[2]
    assert any({0, 2} <= set(group) for group in found.ties)


@pytest.mark.parametrize("method", METHODS)
def test_ties_are_broken_by_keys_and_not_by_what_comes_first(method):
    pieces = as_arrays([[1, 2]], [[1, 2]], [[1, 2]])
    keys = ["1. coast", "2. hills", "3. town"]
    named = [keys[n] for n in order(pieces, method, keys).order]
    turned = keys[::-1]
    assert [turned[n] for n in order(pieces, method, turned).order] == named
    # Digests are as good as random: of six triples of keys not all come out in their own order.
    orders = [order(pieces, method, [f"{n}{c}" for c in "abc"]).order.tolist() for n in range(6)]
    assert any(found != [0, 1, 2] for found in orders)


@pytest.mark.parametrize("method", METHODS)
def test_pieces_without_a_known_word_stand_where_just_any_text_does(method):
    state = LEARNED[1]
    found = order(as_arrays([], [[]], [[5, 6]]), method)
    assert found.scores[0] == found.scores[1]
    assert any({0, 1} <= set(group) for group in found.ties)
    if method == "map":
        assert found.scores[0] == state.bag.sum(axis=0).argmax()
    units, middles = LEARNED[3].topic_positions, (np.arange(20) + 0.5) / 20
    if method == "topics":
        means = units @ middles / units.sum(axis=1)
        prior = units.sum(axis=1) + 5.0  # the concentration of `learned`
        assert found.scores[0] == pytest.approx(prior @ means / prior.sum())
    if method == "positions":  # all units, smoothed, and half a unit of each topic everywhere
        bells = np.exp(-0.5 * ((middles[:, None] - middles) / 0.1) ** 2)
        prior = units.sum(axis=0) @ (bells / bells.sum(axis=1)[:, None]) + 0.5 * len(units)
        assert found.scores[0] == pytest.approx(prior @ middles / prior.sum())
    assert order(as_arrays([[]]), method).order.tolist() == [0]


@pytest.mark.parametrize("method", METHODS)
def test_one_piece_is_in_order(method):
    found = order(as_arrays([[3, 4]]), method)
    assert (found.order.tolist(), found.ties, found.method) == ([0], (), method)


@pytest.mark.parametrize("method", METHODS)
def test_topics_that_nothing_has_do_no_harm(method):
    corpus, state, priors, _ = LEARNED
    wide = make_state(
        corpus,
        np.hstack([state.bag, np.zeros((30, 2), dtype=np.int64)]),
        np.hstack([state.inversions, np.zeros((30, 2), dtype=np.int64)]),
        np.ones(6),
    )
    positions = count_positions(corpus, wide.all_topics(), 7)
    pieces = segments_of(3)[0]
    found = order_pieces(pieces, wide, priors, positions, method=method)
    assert np.isfinite(found.scores).all()
    assert kendall_tau(found.scores, order(pieces, method).scores) == 1


def test_a_topic_that_nothing_has_stands_where_all_units_do_on_average():
    corpus = Corpus.from_paragraphs([["a", "b", "b", "b"]])
    positions = count_positions(corpus, np.array([0, 2, 2, 2]), 3)  # at 2, 7, 12, 17 of 20
    expected = [2.5 / 20, (2.5 + 7.5 + 12.5 + 17.5) / 80, (7.5 + 12.5 + 17.5) / 60]
    assert _mean_positions(positions) == pytest.approx(expected)


def test_one_document_of_one_unit_orders_nothing():
    corpus = Corpus.from_paragraphs([["a b c"]])
    state = make_state(corpus, np.array([[1, 0]]), np.zeros((1, 1), dtype=np.int64), np.ones(1))
    positions = count_positions(corpus, state.all_topics(), 2)
    for method in METHODS:
        found = order_pieces(
            as_arrays([[0]], [[1]]), state, Priors.for_documents(1), positions, method=method
        )
        assert len(found.ties) == 1


def test_a_paragraph_without_words_may_be_an_empty_list_of_any_type():
    found = order([[np.array([]), np.array([5, 6])], [np.array([5, 6])]])
    assert found.scores[0] == found.scores[1]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([-1, 5], "piece 1 has the word number -1: words are 0 to 59"),
        ([5, 60], "piece 1 has the word number 60: words are 0 to 59"),
        ([0.5], "piece 1 has a paragraph that is no list of word numbers"),
        ([[1]], "piece 1 has a paragraph that is no list of word numbers"),
    ],
)
def test_numbers_that_are_no_words_are_refused(words, message):
    with pytest.raises(InputError, match=message):
        order([[np.array([0, 59])], [np.array(words)]])


def test_what_cannot_be_is_refused():
    pieces = as_arrays([[1]])
    with pytest.raises(InputError, match="method is one of pairs, positions, topics, map, not 'x'"):
        order(pieces, "x")
    with pytest.raises(InputError, match="1 pieces need as many keys, not 2"):
        order(pieces, keys=["a", "b"])
    with pytest.raises(InputError, match="no piece to order"):
        order([])
