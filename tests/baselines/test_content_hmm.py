"""The HMM content model: emissions, transitions, paths, learning, and pieces in order."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise, permutations, product

import numpy as np
import pytest
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import pdist

from permutopic import read_corpus
from permutopic.baselines import content_hmm
from permutopic.baselines.content_hmm import (
    ContentHmm,
    estimate_transitions,
    fit_content_hmm,
    predict,
)
from permutopic.baselines.content_hmm_emissions import EmissionCounts, backoff_logs
from permutopic.baselines.content_hmm_kernels import add_counts, additive_logs, leave_one_out_scores
from permutopic.baselines.content_hmm_states import histories_of, initial_states
from permutopic.corpus import Corpus
from permutopic.errors import InputError
from permutopic.metrics.alignment import score_alignment


def bigrams_of(corpus):
    histories = histories_of(corpus.words, corpus.unit_offsets, corpus.n_words)
    return np.unique(histories * corpus.n_words + corpus.words, return_inverse=True)


def drawn_model(random, n_words=5, insertion=2, smoothing=0.1):
    """A model of arbitrary counts, and the counts as one dense table (history, word, state)."""
    dense = random.integers(0, 4, size=(n_words + 1, n_words, insertion))
    known = random.random(dense.shape[:2]) < 0.5
    known[0, 0] = True
    dense[~known] = 0
    bigrams = np.flatnonzero(known)
    seen = np.empty((bigrams.size, insertion + 1))
    unseen = np.empty((n_words + 1, insertion + 1))
    counts = dense[known]
    additive_logs(bigrams // n_words, counts, n_words, smoothing, seen, unseen)
    initial = np.log(random.dirichlet(np.ones(insertion + 1)))
    moves = np.log(random.dirichlet(np.ones(insertion + 2), size=insertion + 1))
    transitions, final = np.ascontiguousarray(moves[:, :-1]), moves[:, -1].copy()
    words = np.zeros((n_words, insertion + 1))
    return ContentHmm(n_words, bigrams, seen, unseen, words, initial, transitions, final), dense


def emissions_slowly(dense, smoothing):
    """(history, word, state), written as in the paper; the insertion state last."""
    n_words = dense.shape[1]
    others = (dense + smoothing) / (dense.sum(axis=1, keepdims=True) + smoothing * n_words)
    rest = 1 - others.max(axis=2, initial=0.0)
    return np.concatenate([others, (rest / rest.sum(axis=1, keepdims=True))[:, :, None]], axis=2)


@pytest.mark.parametrize("insertion", [0, 1, 3])
@pytest.mark.parametrize(("smoothing", "n_words"), [(0.001, 6), (0.5, 6), (2.0, 25)])
def test_emissions_are_the_papers_and_sum_to_one(insertion, smoothing, n_words):
    # Of many words and much smoothing none is probable.
    model, dense = drawn_model(np.random.default_rng(insertion), n_words, insertion, smoothing)
    expected = emissions_slowly(dense, smoothing)
    found = emissions_of(model)
    assert found == pytest.approx(expected)
    assert found.sum(axis=1) == pytest.approx(np.ones((n_words + 1, insertion + 1)))


def emissions_of(model):
    """(history, word, state), as scores of units tell them."""
    n_words = model.n_words
    found = np.empty((n_words + 1, n_words, model.initial.size))
    # One unit of one word after the start, and one of two words for each history and word.
    for history, word in sorted(product(range(n_words + 1), range(n_words)), reverse=True):
        unit = np.array([word] if history == n_words else [history, word])
        score = model.unit_scores(unit, np.array([0, unit.size]))[0]
        before = 1 if history == n_words else found[n_words, history]
        found[history, word] = np.exp(score) / before
    return found


def backoff_slowly(units, n_words, insertion, strengths):
    """(history, word, state) from (state, words) of units, step by step; no insertion state."""
    mu, kappa, nu = strengths
    bigrams = np.zeros((n_words + 1, n_words, insertion + 1))
    for state, words in units:
        for history, word in pairwise([n_words, *words]):
            bigrams[history, word, insertion] += 1
            if state < insertion:
                bigrams[history, word, state] += 1
    found = np.empty((n_words + 1, n_words, insertion))
    everything = bigrams[:, :, insertion]
    for history, word, state in np.ndindex(found.shape):
        own = bigrams[:, :, state]
        g = (everything[:, word].sum() + 1) / (everything.sum() + n_words)
        q = (own[:, word].sum() + nu * g) / (own.sum() + nu)
        r = everything[history, word] + kappa * q
        r /= everything[history].sum() + kappa
        p = own[history, word] + mu * r
        found[history, word, state] = p / (own[history].sum() + mu)
    return found


STRENGTHS = (2.0, 0.5, 3.0)


def drawn_units(random, n_words, insertion):
    """Twelve short units with states in three documents, and their counts."""
    units = [
        (int(random.integers(insertion + 1)), random.integers(n_words, size=size))
        for size in (3, 0, 4, 2, 5, 1, 3, 3, 2, 4, 1, 2)
    ]
    words = np.concatenate([unit for _, unit in units])
    unit_offsets = np.cumsum([0, *(unit.size for _, unit in units)])
    states = np.array([state for state, _ in units])
    histories = histories_of(words, unit_offsets, n_words)
    bigrams, token_bigrams = np.unique(histories * n_words + words, return_inverse=True)
    sizes = (bigrams.size, insertion + 1), (n_words + 1, insertion + 1), (n_words, insertion + 1)
    tables = [np.zeros(size, dtype=np.int64) for size in (*sizes, insertion + 1)]
    counts = EmissionCounts(*tables)
    tokens = words, histories, token_bigrams, unit_offsets
    add_counts(*tokens, states, 0, states.size, 1, *counts)
    return units, tokens, states, bigrams, counts


@pytest.mark.parametrize("insertion", [0, 1, 3])
def test_emissions_back_off_step_by_step_and_sum_to_one(insertion):
    random = np.random.default_rng(insertion)
    units, _, _, bigrams, counts = drawn_units(random, 6, insertion)
    tables = backoff_logs(bigrams, counts, np.array(STRENGTHS))
    zeros = np.zeros(insertion + 1)
    found = emissions_of(ContentHmm(6, bigrams, *tables, zeros, np.diag(zeros), zeros))
    assert found[:, :, :-1] == pytest.approx(backoff_slowly(units, 6, insertion, STRENGTHS))
    assert found.sum(axis=1) == pytest.approx(np.ones((7, insertion + 1)))
    words = np.exp(tables[2])
    rest = 1 - words[:, :-1].max(axis=1, initial=0)
    assert found[:, :, -1] == pytest.approx(np.tile(rest / rest.sum(), (7, 1)))


def test_a_document_is_scored_by_the_counts_of_the_others():
    units, tokens, states, _, counts = drawn_units(np.random.default_rng(4), 6, 3)
    documents = np.array([0, 5, 6, 12])
    before = [table.copy() for table in counts]
    scores = np.full((12, 4), 7.0)
    leave_one_out_scores(*tokens, documents, states, np.array(STRENGTHS), *counts, scores)
    for first, last in pairwise(documents):
        emissions = backoff_slowly(units[:first] + units[last:], 6, 3, STRENGTHS)
        for number in range(first, last):
            steps = pairwise([6, *units[number][1]])
            expected = sum((np.log(emissions[step]) for step in steps), np.zeros(3))
            assert scores[number, :3] == pytest.approx(expected)
    assert np.all(scores[:, 3] == 7)
    assert all(np.array_equal(one, two) for one, two in zip(before, counts, strict=True))


def test_long_units_lose_no_probability():
    words = np.arange(4000) % 50
    counts = [np.zeros((size, 2), dtype=np.int64) for size in (100, 51, 50)]
    totals, scores = np.zeros(2, dtype=np.int64), np.empty((1, 2))
    histories = histories_of(words, np.array([0, 4000]), 50)
    tokens = words, histories, np.zeros(4000, dtype=np.int64), np.array([0, 4000])
    state, document = np.zeros(1, dtype=np.int64), np.array([0, 1])
    add_counts(*tokens, state, 0, 1, 1, *counts, totals)
    leave_one_out_scores(*tokens, document, state, np.ones(3), *counts, totals, scores)
    assert scores[0, 0] == pytest.approx(-4000 * np.log(50))  # without any other, all are even


def test_a_single_word_is_certain():
    model, _ = drawn_model(np.random.default_rng(0), 1, 2)
    assert model.unit_scores(np.zeros(3, dtype=np.int64), np.array([0, 3])) == pytest.approx(0)


def test_transitions_count_documents_not_units():
    states, offsets = np.array([0, 1, 0, 1, 2, 1, 1, 0]), np.array([0, 5, 7, 8])
    initial, transitions, final = estimate_transitions(states, offsets, 3, 0.5)
    assert np.exp(initial) == pytest.approx(np.array([2.5, 1.5, 0.5]) / 4.5)
    # 0 → 1 twice in one document is one; the last column is the end.
    smooth = np.array([[0, 1, 0, 1], [1, 1, 1, 1], [0, 0, 0, 1]]) + 0.5
    smooth /= smooth.sum(axis=1, keepdims=True)
    assert np.exp(transitions) == pytest.approx(smooth[:, :3])
    assert np.exp(final) == pytest.approx(smooth[:, 3])


def paths_slowly(model, scores):
    """Every path through one document's units and its log probability."""
    n_states = model.initial.size
    for path in product(range(n_states), repeat=len(scores)):
        total = model.initial[path[0]] + sum(scores[range(len(scores)), path])
        total += model.final[path[-1]]
        yield path, total + sum(model.transitions[one, two] for one, two in pairwise(path))


def test_decoding_finds_the_best_of_all_paths():
    random = np.random.default_rng(5)
    for _ in range(20):
        model, _ = drawn_model(random)
        words = random.integers(0, 5, size=14)
        units = np.array([0, 3, 3, 8, 9, 14])  # the second is empty
        states, totals = model.decode(words, units, np.array([0, 4, 5]))
        scores = model.unit_scores(words, units)
        for document, part in enumerate([slice(0, 4), slice(4, 5)]):
            paths = dict(paths_slowly(model, scores[part]))
            assert totals[document] == pytest.approx(max(paths.values()))
            assert paths[tuple(states[part])] == pytest.approx(max(paths.values()))


def test_a_piece_is_scored_by_its_best_path_between_two_states():
    random = np.random.default_rng(6)
    model, _ = drawn_model(random)
    piece = [random.integers(0, 5, size=n) for n in (2, 0, 3)]
    found = model.piece_scores([piece, [], piece[:1]])
    scores = model.unit_scores(np.concatenate(piece), np.array([0, 2, 2, 5]))
    best = np.full((3, 3), -np.inf)
    for path, total in paths_slowly(model, scores):
        ends = path[0], path[-1]
        best[ends] = max(best[ends], total - model.initial[path[0]] - model.final[path[-1]])
    assert found[0] == pytest.approx(best)
    assert np.array_equal(found[1], np.where(np.eye(3), 0, -np.inf))
    assert np.diag(found[2]) == pytest.approx(scores[0])


def test_pieces_are_put_in_the_most_probable_order_to_the_end():
    random = np.random.default_rng(7)
    ends_count = 0
    for _ in range(20):
        model, _ = drawn_model(random)
        pieces = [[random.integers(0, 5, size=2) for _ in range(n)] for n in (1, 2, 1, 1)]
        found = model.order(pieces, random)
        totals, without = {}, {}
        for order in permutations(range(4)):
            units = [unit for piece in order for unit in pieces[piece]]
            sizes = np.arange(len(units) + 1) * 2, np.array([0, len(units)])
            totals[order] = model.decode(np.concatenate(units), *sizes)[1][0]
            endless = replace(model, final=np.zeros(3))
            without[order] = endless.decode(np.concatenate(units), *sizes)[1][0]
        assert found.exact
        assert found.score == pytest.approx(max(totals.values()))
        assert totals[tuple(found.order.tolist())] == pytest.approx(found.score)
        ends_count += totals[max(without, key=without.get)] < found.score - 1e-6
    assert ends_count > 2  # it does make a difference


@pytest.mark.parametrize("n_clusters", [2, 5, 12])
def test_first_states_are_complete_link_clusters(n_clusters):
    random = np.random.default_rng(8)
    table = random.integers(0, 3, size=(30, 12))
    table[:, 0] += 1  # all share a bigram, so that no distance is 1
    bigrams = np.concatenate([np.repeat(np.arange(12), row) for row in table])
    offsets = np.concatenate([[0], np.cumsum(table.sum(axis=1))])
    states, insertion = initial_states(bigrams, offsets, n_clusters, 4)
    mergers = linkage(pdist(table, "cosine"), "complete")
    cuts = {t: fcluster(mergers, t, "maxclust") for t in range(1, 31)}
    sizes = {t: np.bincount(labels, minlength=31) for t, labels in cuts.items()}
    most = min(n_clusters, max(np.sum(each >= 4) for each in sizes.values()))
    chosen = min(t for t, each in sizes.items() if np.sum(each >= 4) >= most)
    labels = cuts[chosen]
    assert 0 < insertion == most
    assert np.bincount(states)[:insertion].tolist() == np.sort(sizes[chosen])[::-1][:most].tolist()
    for state in range(insertion):
        members = labels[states == state]
        assert np.all(members == members[0])
        assert members.size == np.sum(labels == members[0])
    assert np.all(np.diff(np.bincount(states)[:insertion]) <= 0)


def test_units_that_share_nothing_are_not_merged():
    # Pairs 0, 1, 2: three clusters that nothing joins, of which the two largest are asked for.
    bigrams, offsets = np.array([0, 0, 0, 1, 1, 2]), np.arange(7)
    states, insertion = initial_states(bigrams, offsets, 2, 1)
    assert (states.tolist(), insertion) == ([0, 0, 0, 1, 1, 2], 2)


def test_a_sample_is_clustered_and_the_others_wait_in_the_insertion_state():
    bigrams, offsets = np.repeat([0, 1], 50), np.arange(101)
    states, insertion = initial_states(bigrams, offsets, 2, 2, max_units=20)
    assert insertion == 2
    assert np.sum(states < 2) == 20
    assert len(set(states[:50]) - {2}) == len(set(states[50:]) - {2}) == 1


def planted(random, n_documents=20):
    """Three topics in order, each with a bigram habit of its own over the same twelve words."""
    habits = [random.permutation(12) for _ in range(3)]
    documents, truth = [], []
    for _ in range(n_documents):
        topics = np.sort(random.integers(0, 3, size=6))
        truth += topics.tolist()
        units = []
        for topic in topics:
            word, text = random.integers(12), []
            for _ in range(15):
                text.append(f"w{word:02}")
                word = habits[topic][word] if random.random() < 0.9 else random.integers(12)
            units.append(" ".join(text))
        documents.append(units)
    return documents, truth


@pytest.mark.parametrize("smoothing", ["backoff", "additive"])
def test_planted_states_are_recovered_by_the_order_of_words_alone(smoothing):
    documents, truth = planted(np.random.default_rng(1))
    corpus = Corpus.from_paragraphs(documents)
    found = predict(corpus, 4, smoothing=smoothing, word_smoothing=0.1)
    assert score_alignment(truth, found.topics).f > 0.97
    assert found.measures["settled"] == 1
    assert found.measures["states"] == 4


def test_units_are_not_tied_to_the_state_they_begin_in(monkeypatch):
    documents, truth = planted(np.random.default_rng(1))
    corpus = Corpus.from_paragraphs(documents)
    drawn = np.random.default_rng(0).integers(3, size=corpus.n_units)
    monkeypatch.setattr(content_hmm, "initial_states", lambda *_: (drawn, 3))
    assert score_alignment(truth, predict(corpus, 4).topics).f > 0.9


@pytest.mark.parametrize("smoothing", ["backoff", "additive"])
def test_what_fits_no_state_goes_to_the_insertion_state(smoothing):
    random = np.random.default_rng(2)
    documents, _ = planted(random)
    for units in documents[:6]:
        words = random.permutation([f"w{n:02}" for n in range(12)])
        units[3] = " ".join(words)
    corpus = Corpus.from_paragraphs(documents)
    found = predict(corpus, 4, smoothing=smoothing, word_smoothing=0.1)
    odd = corpus.document_offsets[:6] + 3
    others = np.delete(np.arange(corpus.n_units), odd)
    assert np.mean(found.topics[odd] == 3) > 0.6
    assert np.mean(found.topics[others] == 3) < 0.1


def test_what_is_told_is_the_paths_probability():
    documents, _ = planted(np.random.default_rng(3), 8)
    corpus = Corpus.from_paragraphs(documents)
    additive = {"smoothing": "additive"}
    learned = fit_content_hmm(corpus, 4, **additive)
    states, totals = learned.model.decode(
        corpus.words, corpus.unit_offsets, corpus.document_offsets
    )
    found = predict(corpus, 4, **additive)
    assert learned.converged
    assert np.array_equal(found.topics, states)
    assert np.array_equal(found.by_document["log_probability"], totals)
    assert found.measures["log_probability"] == pytest.approx(totals.sum())
    again = estimate_transitions(states, corpus.document_offsets, learned.model.initial.size, 0.1)
    assert np.array_equal(again[1], learned.model.transitions)


def test_with_back_off_words_are_scored_without_the_document():
    documents, _ = planted(np.random.default_rng(3), 8)
    corpus = Corpus.from_paragraphs(documents)
    shares = (0.02, 0.01, 0.1)
    learned = fit_content_hmm(corpus, 4, strengths=shares)
    assert learned.converged  # so the model was estimated from these very states
    model, strengths = learned.model, np.array(shares) * corpus.words.size
    texts = np.split(corpus.words, corpus.unit_offsets[1:-1])
    units = list(zip(learned.states.tolist(), texts, strict=True))
    for number, (first, last) in enumerate(pairwise(corpus.document_offsets)):
        emissions = backoff_slowly(units[:first] + units[last:], corpus.n_words, 3, strengths)
        scores = model.unit_scores(np.concatenate(texts[first:last]), np.arange(7) * 15)
        for unit, text in enumerate(texts[first:last]):
            steps = pairwise([corpus.n_words, *text])
            scores[unit, :3] = sum(np.log(emissions[step]) for step in steps)
        paths = dict(paths_slowly(model, scores))
        assert learned.log_probabilities[number] == pytest.approx(max(paths.values()))
        told = tuple(learned.states[first:last].tolist())
        assert paths[told] == pytest.approx(max(paths.values()))


def decoding_in_a_cycle(monkeypatch, corpus, n_different):
    """Have decoding give `n_different` paths in turn, the second the most probable of them."""
    asked = []

    def decode_scores(self, scores, document_offsets):
        turn = len(asked) % n_different
        asked.append(self)
        states = np.zeros(corpus.n_units, dtype=np.int64)
        states[turn] = 1
        return states, np.full(corpus.n_documents, -1.0 if turn == 1 else -2.0)

    monkeypatch.setattr(ContentHmm, "decode_scores", decode_scores)
    return asked


def test_paths_that_come_round_in_a_circle_end_it(monkeypatch):
    corpus = Corpus.from_paragraphs([["a b", "a b", "c d", "c d"]] * 2)
    asked = decoding_in_a_cycle(monkeypatch, corpus, 3)
    learned = fit_content_hmm(corpus, 3, smallest=2)
    assert learned.iterations == len(asked) == 4  # the fourth is the first again
    assert not learned.converged
    assert learned.states.tolist() == [0, 1, 0, 0, 0, 0, 0, 0]
    assert learned.model.transitions is asked[1].transitions
    assert learned.model.seen.shape[0] == learned.model.bigrams.size


def test_iterations_are_bounded(monkeypatch):
    corpus = Corpus.from_paragraphs([["a b", "a b", "c d", "c d"]] * 2)
    asked = decoding_in_a_cycle(monkeypatch, corpus, 8)
    found = predict(corpus, 3, smallest=2, iterations=5)
    assert found.measures["iterations"] == len(asked) == 5
    assert found.measures["settled"] == 0
    assert found.measures["log_probability"] == -2  # of both documents, in the second round


@pytest.mark.parametrize("smoothing", ["backoff", "additive"])
@pytest.mark.parametrize("n_topics", [2, 3, 50])
@pytest.mark.parametrize(
    "documents",
    [
        [["a"]],
        [["a b", "--", "a b", "--"], ["b"], ["a b a"]],
        [["a a a"], ["a"], ["--", "a"]],
    ],
)
def test_small_documents_and_empty_units_do(documents, n_topics, smoothing):
    corpus = Corpus.from_paragraphs(documents)
    found = predict(corpus, n_topics, smallest=1, smoothing=smoothing)
    assert found.topics.size == corpus.n_units
    assert found.topics.max() < n_topics
    assert np.isfinite(found.measures["log_probability"])
    alone = predict(corpus, n_topics, smallest=1000, smoothing=smoothing)
    assert set(alone.topics) == {0}


def test_it_comes_out_the_same_again_and_headings_are_not_looked_at():
    documents, _ = planted(np.random.default_rng(5), 6)
    corpus = Corpus.from_paragraphs(documents)
    headings = tuple(f"h{n % 3}" for n in range(corpus.n_units))
    first = predict(corpus, 4, 3)
    second = predict(replace(corpus, headings=headings), 4, 5)
    assert np.array_equal(first.topics, second.topics)
    assert first.measures == second.measures


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_topics": 1}, "n_topics must be a whole number of at least 2"),
        ({"seed": -1}, "seed must be a whole number"),
        ({"smallest": 0}, "smallest must be a whole number"),
        ({"iterations": 0}, "iterations must be a whole number"),
        ({"smoothing": "none"}, "smoothing must be one of backoff, additive, not 'none'"),
        ({"strengths": (1, 1)}, "strengths must be 3 numbers, not 2"),
        ({"strengths": (1, 0, 1)}, "strengths must lie between"),
        ({"word_smoothing": 0}, "word_smoothing must lie between"),
        ({"transition_smoothing": float("nan")}, "transition_smoothing must be a finite number"),
    ],
)
def test_wrong_settings_are_refused(settings, message):
    with pytest.raises(InputError, match=message):
        predict(Corpus.from_paragraphs([["a b", "b"]]), **({"n_topics": 2} | settings))


@pytest.mark.parametrize(
    ("smoothing", "expected", "largest"), [("backoff", 0.486, 0.147), ("additive", 0.354, 0.357)]
)
def test_elements_are_aligned_about_as_measured(data, smoothing, expected, largest):
    corpus = read_corpus(data / "corpora" / "elements_paper.jsonl.gz", tokens="whitespace")
    found = predict(corpus, 10, smoothing=smoothing, iterations=20)
    f = score_alignment(corpus.reference("heading"), found.topics).f
    assert f == pytest.approx(expected, abs=0.02)
    share = np.bincount(found.topics).max() / corpus.n_units
    assert share == pytest.approx(largest, abs=0.02)


def test_no_piece_is_no_order():
    model, _ = drawn_model(np.random.default_rng(1))
    found = model.order([], np.random.default_rng(0))
    assert (found.order.tolist(), found.score, found.exact) == ([], 0.0, True)
