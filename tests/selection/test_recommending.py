"""The rule for K, on tables whose right answer was planted."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from permutopic.selection.recommending import Candidate, recommend

GRID = (4, 6, 8, 10, 14, 20, 28)


def table(scores, *, error=0.004, agreement=0.9, used=None, grid=GRID):
    """Candidates with these gains over one topic, which scores −7 nats per word."""
    best = max(scores)
    agreements = [agreement] * len(grid) if isinstance(agreement, float) else agreement
    return [
        Candidate(
            n_topics=k,
            held_out=-7 + score,
            behind=best - score,
            behind_error=0.0 if score == best else error,
            agreement=agreements[n],
            order_agreement=1.0,
            topics_used=k if used is None else used[n],
            seconds=1.0,
        )
        for n, (k, score) in enumerate(zip(grid, scores, strict=True))
    ]


def plateau(at, height=0.5, grid=GRID):
    """Scores that climb with log K up to a K, and stay."""
    return [height * math.log(min(k, at)) / math.log(at) for k in grid]


@pytest.mark.parametrize("at", [6, 8, 10, 14, 20])
def test_where_a_plateau_begins_is_the_answer(at):
    advice = recommend(table(plateau(at)), 0.5)
    assert advice.n_topics == at
    assert advice.notes == ()


@pytest.mark.parametrize("at", [6, 8, 10, 14])
def test_noise_within_its_error_hardly_moves_the_answer(at):
    rng = np.random.default_rng(at)
    error = 0.004
    answers = []
    for _ in range(200):
        scores = np.array(plateau(at)) + rng.normal(0, error / math.sqrt(2), len(GRID))
        answers.append(recommend(table(scores.tolist(), error=error), max(scores)).n_topics)
    near = {GRID[GRID.index(at) + step] for step in (-1, 0, 1)}
    assert np.mean([answer == at for answer in answers]) > 0.6
    assert np.mean([answer in near for answer in answers]) > 0.85
    assert min(answers) >= min(near)


@pytest.mark.parametrize("at", [6, 8, 10, 14])
def test_where_the_score_rises_for_ever_the_elbow_is_the_answer(at):
    # Beyond the elbow a doubling of K gains a tenth of what it gained before.
    scores = [
        0.5 * math.log(min(k, at)) / math.log(at) + 0.05 * math.log(max(k, at) / at) / math.log(at)
        for k in GRID
    ]
    advice = recommend(table(scores, error=0.0005), max(scores))
    assert advice.n_topics in {at, GRID[GRID.index(at) - 1]}
    assert "of what topics gain at K = 28" in advice.reason
    assert advice.reason.endswith(", and no smaller K has that much.")
    [note] = advice.notes
    assert "still rises at K = 28" in note
    assert "try larger K" in note


def test_a_score_that_rises_evenly_gives_a_large_k_and_says_so():
    advice = recommend(table([0.1 * math.log(k) for k in GRID], error=0.001), 0.1 * math.log(28))
    assert advice.n_topics in {20, 28}
    assert any("still rises" in note for note in advice.notes)


def test_a_best_k_within_the_range_is_no_rise():
    advice = recommend(table([0.1, 0.3, 0.5, 0.45, 0.4, 0.3, 0.2]), 0.5)
    assert (advice.n_topics, advice.notes) == (8, ())
    assert advice.reason == (
        "K = 8 predicts held-out words best (-6.500 nats per word), and every smaller K is behind "
        "by more than the error."
    )


def test_nearly_the_same_fits_are_the_same_however_sure_their_difference():
    scores = [0.3, 0.4999, 0.49995, 0.49996, 0.49997, 0.49998, 0.5]
    assert recommend(table(scores, error=1e-7), 0.5).n_topics == 6


def test_the_reason_gives_the_numbers():
    reason = recommend(table([0.1, 0.3, 0.497, 0.5, 0.4, 0.3, 0.2]), 0.5).reason
    assert reason == (
        "K = 8 predicts held-out words as well as any, within the error (-6.503 nats per word, "
        "0.003 ± 0.004 behind K = 10), and no smaller K does."
    )


def test_of_two_that_are_as_good_the_much_stabler_is_taken():
    scores = [0.1, 0.3, 0.498, 0.5, 0.4, 0.3, 0.2]
    advice = recommend(table(scores, agreement=[0.9, 0.9, 0.6, 0.85, 0.9, 0.9, 0.9]), 0.5)
    assert advice.n_topics == 10
    assert "taken before K = 8 (0.60)" in advice.reason
    assert "(0.85 of 1)" in advice.reason
    a_little = recommend(table(scores, agreement=[0.9, 0.9, 0.8, 0.85, 0.9, 0.9, 0.9]), 0.5)
    assert a_little.n_topics == 8


def test_a_stabler_k_that_is_not_as_good_is_named_and_not_taken():
    agreement = [0.9, 0.85, 0.6, 0.6, 0.6, 0.6, 0.6]
    advice = recommend(table(plateau(8), agreement=agreement), 0.5)
    assert advice.n_topics == 8
    [note] = advice.notes
    assert "agree only to 0.60" in note
    assert "0.85 at K = 6" in note
    assert f"costs {0.5 - plateau(8)[1]:.3f} nats" in note
    agreement[1] = 0.65
    [note] = recommend(table(plateau(8), agreement=agreement), 0.5).notes
    assert "coarser" not in note  # K = 6 is hardly stabler
    agreement[1] = 0.6
    [note] = recommend(table(plateau(8), agreement=agreement), 0.5).notes
    assert "coarser" not in note  # K = 4 loses a third of what topics gain


def test_topics_that_stay_unused_are_told():
    advice = recommend(table([0.3, 0.5, 0.5], grid=(4, 12, 20), used=[4, 8.3, 8.0]), 0.5)
    assert advice.n_topics == 12
    assert advice.notes == ("K = 12 uses 8 topics: about the same outline as K = 8.",)


def test_spare_topics_are_not_taken_along():
    grid, used = (4, 8, 10, 14), [4, 8.0, 8.3, 8.0]
    hardly = table([0.3, 0.494, 0.499, 0.5], grid=grid, used=used)
    advice = recommend(hardly, 0.5)
    assert advice.n_topics == 8
    assert advice.reason.startswith(
        "K = 8 uses as many topics as K = 10 (8) and is hardly behind (0.006 ± 0.004 nats per "
        "word). K = 10 predicts held-out words as well as any"
    )
    nearly = table([0.3, 0.494, 0.499, 0.5], grid=grid, used=[4, 7.6, 8.3, 8.0])
    assert recommend(nearly, 0.5).n_topics == 8
    less_stable = [0.9, 0.85, 0.9, 0.9]
    assert (
        recommend(
            table([0.3, 0.494, 0.499, 0.5], grid=grid, used=used, agreement=less_stable), 0.5
        ).n_topics
        == 8
    )
    surely = table([0.3, 0.48, 0.499, 0.5], grid=grid, used=used)
    assert recommend(surely, 0.5).n_topics == 10
    shaky = table([0.3, 0.494, 0.499, 0.5], grid=grid, used=used, agreement=[0.9, 0.5, 0.9, 0.9])
    assert recommend(shaky, 0.5).n_topics == 10


def test_a_smaller_k_with_fewer_topics_in_use_is_no_equal():
    scores = [0.1, 0.3, 0.494, 0.5, 0.4, 0.3, 0.2]  # K = 8 is behind by one and a half errors
    assert recommend(table(scores), 0.5).n_topics == 10


def test_the_smallest_that_was_tried_may_be_too_large():
    advice = recommend(table([0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5]), 0.5)
    assert advice.n_topics == 4
    assert advice.notes == ("K = 4 is the smallest that was tried: fewer topics may do.",)


@pytest.mark.parametrize("gain", [-0.1, 0.0, 0.003, 0.007])
def test_no_gain_over_one_topic_is_told(gain):
    scores = [gain - 0.01 * n for n in range(len(GRID))]
    advice = recommend(table(scores), gain, 0.004)
    assert advice.n_topics == 4
    told = "which may be chance" if gain > 0 else "better than one list of words"
    assert told in advice.notes[0]


def test_two_topics_in_use_may_gain_by_chance():
    advice = recommend(table([0.003] * len(GRID), used=[2.0] * len(GRID)), 0.003, 0.004)
    assert "Topics gain 0.003 ± 0.004 nats per word" in advice.notes[0]
    advice = recommend(table([0.003] * len(GRID), used=[1.4] * len(GRID)), 0.003, 0.004)
    assert "better than one list of words" in advice.notes[0]


def test_of_several_stabler_k_the_largest_is_named():
    scores, agreement = [0.42, 0.45, 0.5, 0.5, 0.5, 0.5, 0.5], [0.9, 0.85, 0.6, 0.6, 0.6, 0.6, 0.6]
    [note] = recommend(table(scores, agreement=agreement), 0.5).notes
    assert "0.85 at K = 6" in note


def test_a_k_exactly_as_far_less_stable_as_is_no_matter_is_taken():
    scores = [0.1, 0.3, 0.498, 0.5, 0.4, 0.3, 0.2]
    agreement = [0.9, 0.9, 0.8, 0.9, 0.9, 0.9, 0.9]
    assert recommend(table(scores, agreement=agreement), 0.5).n_topics == 8


def test_a_gain_beyond_its_error_is_one_unless_all_is_one_topic():
    scores = [0.009 - 0.01 * n for n in range(len(GRID))]
    for used, notes in ((GRID, 1), ([1.0] * len(GRID), 3), ([1.4] * len(GRID), 3)):
        advice = recommend(table(scores, used=used), 0.009, 0.004)
        assert len(advice.notes) == notes
        assert ("better than one list of words" in advice.notes[0]) == (notes == 3)


@given(
    st.lists(st.floats(-1, 1), min_size=2, max_size=7),
    st.lists(st.floats(-0.2, 1), min_size=7, max_size=7),
    st.floats(0, 0.5),
    st.floats(-1, 1),
    st.randoms(use_true_random=False),
)
def test_any_table_gets_an_answer_that_does_not_depend_on_its_order(
    scores, agreement, error, gain, random
):
    rows = table(scores, error=error, agreement=agreement, grid=GRID[: len(scores)])
    advice = recommend(rows, gain)
    assert advice.n_topics in {row.n_topics for row in rows}
    assert f"K = {advice.n_topics} " in advice.reason
    random.shuffle(rows)
    assert recommend(rows, gain) == advice
