"""The rival that bisects again and again, against its criterion written out."""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise, product

import numpy as np
import pytest

from permutopic import read_corpus
from permutopic.baselines import bisection_kernels as kernels
from permutopic.baselines.clustering import (
    MIN_GAIN,
    bisect,
    bisect_repeatedly,
    predict,
    unit_vectors,
)
from permutopic.baselines.wordless import fill_wordless
from permutopic.corpus import Corpus
from permutopic.errors import InputError
from permutopic.metrics import score_alignment


def i2(table, labels):
    """The criterion by its definition, on a dense table."""
    labels = np.asarray(labels)
    return sum(np.linalg.norm(table[labels == label].sum(axis=0)) for label in set(labels.tolist()))


def dense(vectors):
    table = np.zeros((vectors.offsets.size - 1, vectors.columns.max() + 1))
    for row, (first, last) in enumerate(pairwise(vectors.offsets)):
        table[row, vectors.columns[first:last]] = vectors.values[first:last]
    return table


def random_vectors(n_vectors, seed, n_columns=12):
    """SparseVectors of one to five columns."""
    random = np.random.default_rng(seed)
    sizes = random.integers(1, 6, size=n_vectors)
    columns = [np.sort(random.choice(n_columns, size, replace=False)) for size in sizes]
    values = [random.random(size) + 0.1 for size in sizes]
    return kernels.SparseVectors(
        np.concatenate([[0], np.cumsum(sizes)]),
        np.concatenate(columns),
        np.concatenate([each / np.linalg.norm(each) for each in values]),
    )


def empty_clusters(vectors, n_clusters):
    return kernels.Clusters(
        np.zeros((vectors.columns.max() + 1, n_clusters)),
        np.zeros(n_clusters),
        np.zeros(n_clusters, dtype=np.int64),
    )


def refine_slowly(table, order, labels):
    """One pass of greedy moves, each judged by the whole criterion; I2 after each visit."""
    labels, totals = labels.copy(), []
    n_clusters = labels.max() + 1
    for n in order:
        if np.count_nonzero(labels == labels[n]) > 1:
            tried = [np.where(np.arange(labels.size) == n, c, labels) for c in range(n_clusters)]
            worth = [i2(table, each) for each in tried]
            if max(worth) > worth[labels[n]] + MIN_GAIN:
                labels = tried[int(np.argmax(worth))]
        totals.append(i2(table, labels))
    return labels, totals


PARAGRAPHS = [
    ["sea salt sea the", "iron ore the iron", "!", "unique the sea"],
    ["salt the", "the"],
    ["alone"],
    ["ore ore iron salt the", "the sea iron"],
]


def test_vectors_are_tf_idf_of_words_that_two_units_hold():
    corpus = Corpus.from_paragraphs(PARAGRAPHS)
    bags = [Counter(text.replace("!", "").split()) for units in PARAGRAPHS for text in units]
    holding = Counter(word for bag in bags for word in bag)
    expected = {}
    for unit, bag in enumerate(bags):
        weights = {
            word: count * math.log(len(bags) / holding[word])
            for word, count in bag.items()
            if holding[word] > 1
        }
        length = math.sqrt(sum(weight**2 for weight in weights.values()))
        expected |= {(unit, word): weight / length for word, weight in weights.items()}
    vectors, units = unit_vectors(corpus)
    found = {
        (units[row], corpus.vocabulary[vectors.columns[place]]): vectors.values[place]
        for row in range(units.size)
        for place in range(vectors.offsets[row], vectors.offsets[row + 1])
    }
    assert units.tolist() == [0, 1, 3, 4, 5, 7, 8]
    assert found == pytest.approx(expected)


@pytest.mark.parametrize("n_clusters", [2, 5])
def test_a_recount_is_the_criterion_by_its_definition(n_clusters):
    vectors = random_vectors(40, 1)
    labels = np.random.default_rng(1).integers(n_clusters, size=40)
    clusters = empty_clusters(vectors, n_clusters)
    for _ in range(2):  # whatever they held before
        assert kernels.recount(vectors, labels, clusters) == pytest.approx(
            i2(dense(vectors), labels)
        )
    assert clusters.sizes.tolist() == np.bincount(labels).tolist()


@pytest.mark.parametrize(("n_clusters", "seed"), [(2, 0), (2, 1), (4, 2), (7, 3)])
def test_a_pass_makes_the_moves_that_the_whole_criterion_would(n_clusters, seed):
    vectors, random = random_vectors(40, seed), np.random.default_rng(seed)
    table, clusters = dense(vectors), empty_clusters(vectors, n_clusters)
    labels = np.append(np.arange(n_clusters), random.integers(n_clusters, size=40 - n_clusters))
    kernels.recount(vectors, labels, clusters)
    moves = 1
    while moves:
        order = random.permutation(40)
        before = labels.copy()
        expected, totals = refine_slowly(table, order, labels)
        moves = kernels.refine_once(vectors, order, labels, clusters, MIN_GAIN)
        assert labels.tolist() == expected.tolist()
        assert moves >= np.count_nonzero(labels != before)
        assert np.all(np.diff([i2(table, before), *totals]) >= -1e-9)  # I2 never falls
        assert clusters.sizes.tolist() == np.bincount(labels).tolist()
        carried = np.sqrt(clusters.squares).sum()
        assert carried == pytest.approx(kernels.recount(vectors, labels, clusters), abs=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_no_pass_empties_a_cluster(seed):
    """The same vector ten times gains nothing anywhere, whatever rounding says."""
    values = np.random.default_rng(seed).random(7)
    values /= np.linalg.norm(values)
    vectors = kernels.SparseVectors(
        np.arange(0, 71, 7), np.tile(np.arange(7), 10), np.tile(values, 10)
    )
    labels = np.array([0, 1, 1, 1, 1, 1, 1, 1, 1, 1])
    clusters = empty_clusters(vectors, 2)
    kernels.recount(vectors, labels, clusters)
    kernels.refine_once(vectors, np.arange(10), labels, clusters, MIN_GAIN)
    assert labels[0] == 0


def test_each_joins_the_nearer_of_two():
    vectors = random_vectors(30, 5)
    table, labels = dense(vectors), np.full(30, 9)
    clusters = empty_clusters(vectors, 2)
    clusters.composites[:] = np.arange(clusters.composites.size).reshape(-1, 2)  # of an earlier try
    kernels.assign_nearest(vectors, 3, 8, labels, clusters)
    assert labels.tolist() == (table @ table[8] > table @ table[3]).astype(int).tolist()


def test_the_next_that_differs_is_found_going_round():
    vectors = kernels.SparseVectors(
        np.arange(6), np.array([2, 1, 2, 2, 0]), np.ones(5)
    )  # units 0, 2 and 3 are the same
    found = [kernels.find_distinct(vectors, 0, begin, 3) for begin in range(5)]
    assert found == [1, 1, 4, 4, 4]
    assert kernels.find_distinct(vectors, 4, 4, 3) == 0
    same = kernels.SparseVectors(np.arange(4), np.zeros(3, dtype=np.int64), np.ones(3))
    assert kernels.find_distinct(same, 1, 1, 1) == -1


def test_compiled_and_plain_code_do_the_same():
    vectors = random_vectors(25, 6)
    order = np.random.default_rng(6).permutation(25)
    results = []
    for form in (lambda kernel: kernel, lambda kernel: kernel.py_func):
        labels, clusters = np.zeros(25, dtype=np.int64), empty_clusters(vectors, 2)
        second = form(kernels.find_distinct)(vectors, 4, 11, clusters.composites.shape[0])
        form(kernels.assign_nearest)(vectors, 4, second, labels, clusters)
        total = form(kernels.recount)(vectors, labels, clusters)
        moves = form(kernels.refine_once)(vectors, order, labels, clusters, MIN_GAIN)
        results.append((second, total, moves, labels.tolist(), clusters.squares.tolist()))
    assert results[0][2] > 0
    assert results[0][:4] == results[1][:4]
    assert results[0][4] == pytest.approx(results[1][4], rel=1e-12)


def best_bipartition(table):
    ways = [np.array([0, *rest]) for rest in product([0, 1], repeat=len(table) - 1) if any(rest)]
    return max((i2(table, way), way.tolist()) for way in ways)


def test_the_best_of_ten_trials_is_nearly_always_the_best_there_is():
    hits = 0
    for seed in range(30):
        vectors = random_vectors(8, seed, n_columns=8)
        table = dense(vectors)
        best, _ = best_bipartition(table)
        found = bisect(vectors, np.arange(8), np.random.default_rng(seed), 10)
        reached = i2(table, found.sides)
        assert found.gain == pytest.approx(reached - i2(table, np.zeros(8)))
        assert reached <= best + 1e-9
        hits += reached > best - 1e-9
    assert hits >= 28


def test_the_cluster_that_gains_most_is_split_next():
    """Greedily, by brute force; forty trials find the best bisection of so few."""
    for seed in range(10):
        vectors = random_vectors(8, seed, n_columns=8)
        table = dense(vectors)
        parts = [np.arange(8)]
        for _ in range(2):
            gains, sides = [], []
            for part in parts:
                best, way = best_bipartition(table[part]) if part.size > 1 else (0.0, [0])
                gains.append(best - i2(table[part], np.zeros(part.size)))
                sides.append(np.array(way))
            chosen = int(np.argmax(gains))
            part, side = parts.pop(chosen), sides[chosen]
            parts += [part[side == 0], part[side == 1]]
        labels = bisect_repeatedly(vectors, 3, np.random.default_rng(seed), 40)
        found = {tuple(np.flatnonzero(labels == label)) for label in range(3)}
        assert found == {tuple(np.sort(part)) for part in parts}


def planted(n_documents=12, seed=0):
    """Four topics with ten words of their own each, and five words that all share."""
    random = np.random.default_rng(seed)
    texts, topics = [], []
    for _ in range(n_documents):
        order = random.permutation(4)
        topics += order.tolist()
        texts.append(
            [
                " ".join([*random.choice([f"w{t}x{n}" for n in range(10)], 8), f"any{t % 5}"])
                for t in order
            ]
        )
    return Corpus.from_paragraphs(texts), topics


@pytest.mark.parametrize("refined", [False, True])
def test_planted_clusters_are_found(refined):
    corpus, topics = planted()
    assert score_alignment(topics, predict(corpus, 4, refined=refined).topics).f == 1.0


def test_the_reported_criterion_is_that_of_the_topics():
    corpus, _ = planted()
    found = predict(corpus, 7, seed=3)
    vectors, units = unit_vectors(corpus)
    assert found.measures["i2"] == pytest.approx(i2(dense(vectors), found.topics[units]))
    assert set(found.topics.tolist()) == set(range(7))


def test_refined_no_single_move_gains():
    corpus, _ = planted(seed=2)
    rough, fine = (predict(corpus, 9, refined=refined) for refined in (False, True))
    assert fine.measures["i2"] > rough.measures["i2"]
    table = dense(unit_vectors(corpus)[0])
    labels, _ = refine_slowly(table, np.arange(corpus.n_units), fine.topics)
    assert labels.tolist() == fine.topics.tolist()


def test_the_seed_settles_the_result():
    corpus, _ = planted()
    first, again, other = (predict(corpus, 9, seed).topics.tolist() for seed in (5, 5, 6))
    assert first == again
    assert first != other


def fill_slowly(topics, offsets):
    """The rule for units without a topic as it is written down, unit by unit."""
    known = [topic for topic in topics if topic >= 0]
    largest = max(sorted(set(known)), key=known.count) if known else 0
    filled = []
    for first, last in pairwise(offsets):
        for unit in range(first, last):
            before = [t for t in topics[first : unit + 1] if t >= 0]
            after = [t for t in topics[unit:last] if t >= 0]
            filled.append(before[-1] if before else after[0] if after else largest)
    return filled


@pytest.mark.parametrize(
    ("topics", "filled"),
    [
        ([-1, 4, -1, -1, 2, -1], [4, 4, 4, 2, 2, 2]),
        ([3, -1, -1, -1, -1, 5], [3, 3, 3, 3, 3, 5]),
        ([5, 5, 3, -1, -1, -1], [5, 5, 3, 5, 5, 5]),
        ([-1, -1, -1, 7, -1, 1], [1, 1, 1, 7, 7, 1]),
        ([-1] * 6, [0] * 6),
    ],
)
def test_the_unit_before_then_the_one_after_then_the_largest_topic(topics, filled):
    assert fill_wordless(np.array(topics), np.array([0, 3, 5, 6])).tolist() == filled


def test_every_unit_without_a_topic_gets_what_the_rule_says():
    random = np.random.default_rng(0)
    for _ in range(100):
        offsets = np.cumsum([0, *random.integers(1, 5, size=4)])
        topics = random.integers(-1, 3, size=offsets[-1])
        topics[random.random(topics.size) < 0.5] = -1
        assert fill_wordless(topics, offsets).tolist() == fill_slowly(topics, offsets)


def test_units_without_a_vector_follow_their_neighbours():
    corpus = Corpus.from_paragraphs(
        [["!", "sea salt", "once", "iron ore", "!"], ["lone"], ["ore iron", "iron"], ["salt"]]
    )
    topics = predict(corpus, 2).topics
    sea, iron = topics[1], topics[3]
    assert sea != iron
    assert topics.tolist() == [sea, sea, sea, iron, iron, iron, iron, iron, sea]


@pytest.mark.parametrize(
    ("texts", "n_clusters"),
    [
        ([["a b", "a b"], ["c d", "c d", "a c"]], 3),
        ([["a b", "a b"], ["a b"]], 1),  # every unit has every word: none tells anything
        ([["a"]], 1),
        ([["a b", "c"], ["d", "e"]], 1),  # no word is in two units
    ],
)
def test_there_are_no_more_clusters_than_units_that_differ(texts, n_clusters):
    found = predict(Corpus.from_paragraphs(texts), 50, refined=True)
    assert sorted(set(found.topics.tolist())) == list(range(n_clusters))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"n_topics": 0}, "n_topics must be a whole number of at least 1, not 0"),
        ({"trials": 0}, "trials must be a whole number of at least 1 and"),
        ({"seed": -1}, "seed must be a whole number of at least 0, not -1"),
    ],
)
def test_wrong_settings_are_named(wrong, message):
    with pytest.raises(InputError, match=message):
        predict(planted(2)[0], **{"n_topics": 2, **wrong})


def test_the_original_is_matched(data):
    """CLUTO reaches I2 562 and F .409 on this corpus, with these tokens."""
    corpus = read_corpus(data / "corpora/elements_paper.jsonl.gz", "whitespace")
    found = [predict(corpus, 10, seed) for seed in range(2)]
    headings = corpus.reference("heading")
    assert min(each.measures["i2"] for each in found) >= 0.99 * 562
    assert np.mean([score_alignment(headings, each.topics).f for each in found]) >= 0.409 - 0.02
