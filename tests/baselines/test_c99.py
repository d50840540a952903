"""C99: similarities, ranks, cuts and when to stop."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from permutopic.baselines import c99
from permutopic.baselines.c99_kernels import divide, local_ranks, squared_cosines
from permutopic.baselines.local_tokens import local_tokens
from permutopic.corpus import Corpus
from permutopic.errors import InputError


def test_similarities_are_squared_cosines_and_none_for_wordless_units():
    units = ["a a b", "b c", "", "a a b a a b", "d"]
    tokens = local_tokens(Corpus.from_paragraphs([units], tokens="whitespace"), 0)
    counts = np.array([[unit.split().count(word) for word in "abcd"] for unit in units])
    lengths = np.linalg.norm(counts, axis=1)
    lengths[2] = 1  # 0 / 1
    expected = (counts @ counts.T / lengths / lengths[:, None]) ** 2
    found = squared_cosines(*tokens)
    assert found == pytest.approx(expected)
    assert found[0, 1] == found[1, 3]  # equal to the last bit, for the ranks


@pytest.mark.parametrize("size", [1, 2, 7, 15])
@pytest.mark.parametrize("radius", [1, 5])
def test_a_rank_is_the_share_of_neighbours_that_are_less(size, radius):
    values = np.random.default_rng(size).integers(0, 5, (size, size)).astype(float)
    values += values.T
    ranks = local_ranks(values, radius)
    for row in range(size):
        for column in range(size):
            around = values[
                max(row - radius, 0) : row + radius + 1,
                max(column - radius, 0) : column + radius + 1,
            ]
            others = max(around.size - 1, 1)
            expected = np.count_nonzero(around < values[row, column]) / others
            assert ranks[row, column] == pytest.approx(expected)


def density(ranks, ends):
    edges = [0, *ends]
    blocks = [ranks[a:b, a:b] for a, b in pairwise(edges)]
    return sum(block.sum() for block in blocks) / sum(block.size for block in blocks)


@pytest.mark.parametrize("size", [1, 2, 3, 12])
def test_every_cut_is_the_one_that_leaves_segments_densest(size):
    ranks = np.random.default_rng(size).random((size, size))
    ranks += ranks.T
    order, densities = divide(ranks)
    assert sorted(order) == list(range(1, size))
    assert densities[0] == pytest.approx(ranks.mean())
    for step in range(size - 1):
        before = set(order[:step].tolist())
        possible = {
            cut: density(ranks, [*sorted(before | {cut}), size])
            for cut in set(range(1, size)) - before
        }
        assert order[step] == max(possible, key=possible.get)
        assert densities[step + 1] == pytest.approx(max(possible.values()))


def test_cutting_stops_where_growth_is_usual_again():
    growth = np.array([9.0, 7, 1, 1, 2, 1, 1, 1, 1, 1, 1, 1])
    weights = {-3: 1, -2: 2, -1: 4, 0: 8, 1: 4, 2: 2, 3: 1}
    smooth = []
    for place in range(growth.size):
        near = {shift: w for shift, w in weights.items() if 0 <= place + shift < growth.size}
        total = sum(w * growth[place + shift] for shift, w in near.items())
        smooth.append(total / sum(near.values()))
    limit = np.mean(smooth) + 1.2 * np.std(smooth)
    expected = next(n for n, value in enumerate(smooth) if value <= limit)
    assert c99.choose_n_cuts(np.concatenate([[0], np.cumsum(growth)])) == expected == 2


@pytest.mark.parametrize("densities", [[0.4], [0.4, 0.9], [0.1, 0.2, 0.3]])
def test_a_document_whose_density_grows_evenly_stays_whole(densities):
    assert c99.choose_n_cuts(np.array(densities)) == 0


def themes(n_themes, n_units=6):
    """A document that changes all its words every so many units."""
    random = np.random.default_rng(8)
    return [
        " ".join(f"t{theme}w{word}" for word in random.integers(0, 10, 15))
        for theme in range(n_themes)
        for _ in range(n_units)
    ]


def test_changes_of_all_words_are_found():
    corpus = Corpus.from_paragraphs([themes(4), themes(3)])
    told = c99.predict(corpus, auto=False, n_segments=[4, 3])
    assert told.ends(0).tolist() == [6, 12, 18, 24]
    assert told.ends(1).tolist() == [6, 12, 18]
    chosen = c99.predict(corpus)
    assert chosen.ends(0).size > 1
    assert set(chosen.ends(0).tolist()) <= {6, 12, 18, 24}
    assert (told.by_document["density"] >= chosen.by_document["density"]).all()


@pytest.mark.parametrize(("settings", "radius"), [({}, 5), ({"mask": 3}, 1)])
def test_similarities_are_ranked_in_the_square_around_them(settings, radius):
    corpus = Corpus.from_paragraphs([themes(3)])
    tokens = local_tokens(corpus, 0)
    ranks = local_ranks(squared_cosines(*tokens), radius)
    whole = c99.predict(corpus, auto=False, n_segments=1, **settings)
    assert whole.by_document["density"] == pytest.approx([ranks.mean()])


@pytest.mark.parametrize("units", [["a"], ["a", "b"], ["a", "", "", "b"]])
def test_a_short_document_has_as_many_segments_as_it_is_to_have(units):
    corpus = Corpus.from_paragraphs([units], tokens="whitespace")
    for wanted in (1, 2, 9):
        found = c99.predict(corpus, auto=False, n_segments=wanted)
        assert found.ends(0).size == min(wanted, len(units))
    assert c99.predict(corpus).ends(0)[-1] == len(units)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"mask": 1}, "mask must be a whole number of at least 3 and"),
        ({"mask": 10}, "mask must be odd, to have a middle, not 10"),
        ({"n_segments": 2}, "give auto=False with it"),
    ],
)
def test_a_wrong_setting_is_refused(settings, message):
    with pytest.raises(InputError, match=message):
        c99.predict(Corpus.from_paragraphs([["a", "b"]]), **settings)
