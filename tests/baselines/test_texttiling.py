"""TextTiling: gaps compared, smoothed, measured and chosen."""

from __future__ import annotations

import numpy as np
import pytest

from permutopic.baselines import texttiling
from permutopic.baselines.texttiling_kernels import gap_similarities
from permutopic.corpus import Corpus
from permutopic.errors import InputError


def similarities_slowly(tokens, width, block):
    """Cosines of counts of blocks, written out."""
    sentences = [tokens[first : first + width] for first in range(0, len(tokens), width)]
    found = []
    for gap in range(1, len(sentences)):
        reach = min(block, gap, len(sentences) - gap)
        left = np.bincount(np.concatenate(sentences[gap - reach : gap]), minlength=9)
        right = np.bincount(np.concatenate(sentences[gap : gap + reach]), minlength=9)
        found.append(left @ right / np.linalg.norm(left) / np.linalg.norm(right))
    return found


@pytest.mark.parametrize("n_tokens", [1, 4, 5, 23, 60])
def test_gaps_are_compared_by_the_cosine_of_the_blocks_at_their_sides(n_tokens):
    tokens = np.random.default_rng(n_tokens).integers(0, 9, n_tokens)
    found = gap_similarities(tokens, 9, 4, 3)
    assert found == pytest.approx(similarities_slowly(tokens, 4, 3), rel=1e-12)


def test_depth_is_measured_to_the_peaks_on_both_sides():
    values = np.random.default_rng(2).integers(0, 6, 40).astype(float)  # with plateaus
    slowly = []
    for place, value in enumerate(values):
        left = right = place
        while left > 0 and values[left - 1] >= values[left]:
            left -= 1
        while right < 39 and values[right + 1] >= values[right]:
            right += 1
        slowly.append(values[left] - value + values[right] - value)
    assert texttiling.gap_depths(values).tolist() == slowly


@pytest.mark.parametrize("size", [0, 1, 2, 9])
def test_smoothing_takes_the_mean_of_a_value_and_its_neighbours(size):
    values = np.random.default_rng(size).random(size)
    slowly = [np.mean(values[max(place - 1, 0) : place + 2]) for place in range(size)]
    assert texttiling.smooth(values) == pytest.approx(slowly)


def test_three_pseudo_sentences_lie_between_boundaries():
    depths = np.random.default_rng(1).random(50)
    gaps = texttiling.select_gaps(depths)
    assert np.diff(sorted(gaps)).min() >= 4
    assert depths[gaps].tolist() == sorted(depths[gaps], reverse=True)
    for gap in set(range(50)) - set(gaps):
        assert any(abs(gap - other) < 4 and depths[other] > depths[gap] for other in gaps)


def themes(n_themes, n_units=5, unit_words=20):
    """A document that changes all its words every so many units."""
    random = np.random.default_rng(8)
    return [
        " ".join(f"t{theme}w{word}" for word in random.integers(0, 10, unit_words))
        for theme in range(n_themes)
        for _ in range(n_units)
    ]


def test_changes_of_all_words_are_found():
    corpus = Corpus.from_paragraphs([themes(3), themes(2)])
    found = texttiling.predict(corpus, block=5, auto=False, n_segments=[3, 2])
    assert found.ends(0).tolist() == [5, 10, 15]
    assert found.ends(1).tolist() == [5, 10]
    chosen = texttiling.predict(corpus, block=5)
    assert {5, 10} <= set(chosen.ends(0).tolist())


def test_the_liberal_policy_takes_more_gaps():
    random = np.random.default_rng(3)
    corpus = Corpus.from_paragraphs(
        [[" ".join(map(str, random.integers(0, 60, 25))) for _ in range(60)]], tokens="whitespace"
    )
    strict = set(texttiling.predict(corpus).ends(0).tolist())
    liberal = set(texttiling.predict(corpus, policy="liberal").ends(0).tolist())
    assert strict < liberal


def test_only_valleys_deeper_than_the_limit_are_cut():
    depths = np.array([0.0, 9, 0, 0, 0, 2, 0, 0, 0, 4, 0])
    gaps = texttiling.select_gaps(depths)
    limit = depths.mean() - depths.std() / 2
    assert texttiling._above_threshold(depths, gaps, 0.5) == [1, 9, 5]
    assert 0 < limit < 2
    assert texttiling._above_threshold(depths, gaps, -1.0) == [1]


def test_a_gap_without_depth_is_no_boundary_however_low_the_limit():
    depths = np.array([0.0, 0, 0, 0, 0, 0, 0, 0, 5])
    assert depths.mean() - depths.std() < 0
    assert texttiling._above_threshold(depths, [8, 0, 4], 1.0) == [8]
    assert texttiling._above_threshold(np.zeros(9), [0, 4], 0.5) == []


def test_a_boundary_moves_to_the_nearest_end_of_a_unit():
    offsets = np.array([0, 3, 21, 38, 60])
    assert texttiling._cuts_at([0], 20, offsets, None) == [2]
    assert texttiling._cuts_at([1, 0], 20, offsets, None) == [2, 3]
    assert texttiling._cuts_at([1, 0], 20, offsets, 1) == [3]
    assert texttiling._cuts_at([0, 1], 20, np.array([0, 60]), None) == []


@pytest.mark.parametrize("units", [["a"], ["a", "b", "c"], ["a b", "", "c", ""], ["a " * 90, "b"]])
@pytest.mark.parametrize("wanted", [1, 2, 3, 9])
def test_a_short_text_has_as_many_segments_as_it_is_to_have(units, wanted):
    corpus = Corpus.from_paragraphs([units], tokens="whitespace")
    found = texttiling.predict(corpus, auto=False, n_segments=wanted)
    assert found.ends(0).size == min(wanted, len(units))
    assert texttiling.predict(corpus).ends(0).size <= len(units)


def test_where_gaps_are_wanting_the_longest_segment_is_halved():
    assert texttiling._add_cuts([], 8, 3) == [2, 4, 6]
    assert texttiling._add_cuts([1], 3, 2) == [1, 2]
    assert texttiling._add_cuts([1, 2], 3, 2) == [1, 2]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"width": 0}, "width must be a whole number of at least 1 and"),
        ({"block": 1.5}, "block must be a whole number"),
        ({"policy": "lax"}, "policy must be one of conservative, liberal, not 'lax'"),
        ({"n_segments": 2}, "give auto=False with it"),
    ],
)
def test_a_wrong_setting_is_refused(settings, message):
    with pytest.raises(InputError, match=message):
        texttiling.predict(Corpus.from_paragraphs([["a", "b"]]), **settings)
