from __future__ import annotations

import itertools

import numpy as np
import pytest

from permutopic.errors import InputError
from permutopic.streams import Streams, seed_from


def test_a_place_has_its_numbers_whatever_came_before():
    first = Streams(5).at(2, 0, 7).random(3).tolist()
    streams = Streams(5)
    streams.at(0, 0).random(1000)
    streams.at(2, 0, 7).random()
    assert streams.at(2, 0, 7).random(3).tolist() == first


def test_places_and_chains_do_not_share_numbers():
    seen = set()
    for seed, chain, sweep, move, place in itertools.product(range(2), repeat=5):
        seen.update(Streams(seed, chain).at(sweep, move, place).random(50).tolist())
    assert len(seen) == 32 * 50


def test_neighbouring_places_look_independent():
    numbers = np.array([Streams(1).at(0, 0, place).random(4) for place in range(2000)])
    assert abs(numbers.mean() - 0.5) < 0.02
    correlation = np.corrcoef(numbers[:-1, 0], numbers[1:, 0])[0, 1]
    assert abs(correlation) < 0.1


def test_random_states_of_scikit_learn_become_seeds():
    assert seed_from(12) == 12
    assert seed_from(np.int64(3)) == 3
    assert seed_from(np.random.default_rng(1)) == seed_from(np.random.default_rng(1))
    assert seed_from(np.random.RandomState(1)) == seed_from(np.random.RandomState(1))
    assert seed_from(None) != seed_from(None)


@pytest.mark.parametrize("value", [-1, 1.5, "zero", True])
def test_what_is_no_random_state_is_refused(value):
    with pytest.raises(InputError, match=r"random_state \(the seed\) must be"):
        seed_from(value)
