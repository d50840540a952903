"""Pieces of a stage: each is handed out once, to whoever asks, and waited for."""

from __future__ import annotations

import itertools
import threading

import numpy as np
import pytest

from permutopic.model.blocked import stages
from permutopic.model.kernels.span_table import corner_of, count_blocks, group_size

STAGES = (stages.GATHERING, stages.FILLING, stages.SCALING, stages.REMOVING, stages.ADDING)


def counters():
    return np.zeros(stages.N_COUNTERS, dtype=np.int64)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("n_pieces", [1, 2, 7])
def test_every_piece_is_handed_out_once_from_both_ends(n_pieces, seed):
    row, rng = counters(), np.random.default_rng(seed)
    of = {True: [], False: []}
    for _ in range(n_pieces):
        leads = bool(rng.random() < 0.5)
        of[leads].append(stages.next_piece(row, stages.FILLING, n_pieces, leads))
    assert of[False] == list(range(len(of[False])))
    assert of[True] == list(range(n_pieces - 1, len(of[False]) - 1, -1))
    for leads in (True, False, True):
        assert stages.next_piece(row, stages.FILLING, n_pieces, leads) == -1


@pytest.mark.parametrize("stage", STAGES)
def test_stages_have_counters_of_their_own(stage):
    row = counters()
    stages.next_piece(row, stage, 5, True)
    stages.set_done(row, stage, 3)
    stages.take_note(row, stage)
    for other in set(STAGES) - {stage}:
        assert stages.next_piece(row.copy(), other, 5, True) == 4
        assert stages.count_done(row, other) == 0
        assert not stages.noted(row, other)
    assert stages.next_piece(row, stage, 5, True) == 3
    assert stages.count_done(row, stage) == 3
    assert stages.noted(row, stage)


def test_threads_together_do_every_piece_and_the_leader_waits_for_all():
    n_pieces, row = 2000, counters()
    done = np.zeros(n_pieces, dtype=np.int64)
    seen_by_leader = []

    def work(leads):
        stages.enter_stage(row, 1, leads)
        own, piece = 0, stages.next_piece(row, 1, n_pieces, leads)
        while piece >= 0:
            done[piece] += 1
            own += 1
            piece = stages.next_piece(row, 1, n_pieces, leads)
        stages.leave_stage(row, 1, n_pieces, own, leads)
        if leads:
            seen_by_leader.extend(done.tolist())

    helpers = [threading.Thread(target=work, args=(False,)) for _ in range(3)]
    for helper in helpers:
        helper.start()
    work(True)
    for helper in helpers:
        helper.join()
    assert seen_by_leader == [1] * n_pieces


def test_helpers_that_are_released_find_nothing_to_do():
    rows = np.stack([counters(), counters()])
    stages.release_helpers(rows)
    for row, stage in itertools.product(rows, STAGES):
        stages.enter_stage(row, stage, False)  # would not return if it waited
        assert stages.next_piece(row, stage, 1000, False) == -1


@pytest.mark.parametrize("n_cuts", [2, 3, 5, 6, 9, 10, 24])
@pytest.mark.parametrize("n_topics", [1, 8, 9, 20, 33])
def test_blocks_cover_the_table_by_groups_with_long_spans_at_the_ends(n_cuts, n_topics):
    size, n_blocks = group_size(n_topics), count_blocks(n_cuts, n_topics)
    corners = [corner_of(number, n_cuts, size) for number in range(n_blocks)]
    starts = range(0, n_cuts - 1, 4)
    assert sorted(corners) == [*itertools.product(range(0, n_topics, size), starts)]
    for topic, group in itertools.groupby(corners, key=lambda corner: corner[0]):
        rows = [start for _, start in group]
        turn = rows.index(max(rows))
        assert rows[: turn + 1] == sorted(rows[: turn + 1]), topic
        assert rows[turn:] == sorted(rows[turn:], reverse=True), topic
        assert sorted([rows[0], rows[-1]])[: len(rows)] == sorted({*starts[:2], rows[0]})


@pytest.mark.parametrize(("n_topics", "expected"), [(1, 1), (8, 8), (9, 5), (10, 5), (20, 7)])
def test_groups_are_alike_in_size_and_no_more_than_needed(n_topics, expected):
    assert group_size(n_topics) == expected
    for n in range(1, 200):
        assert -(-n // group_size(n)) == -(-n // 8)
