from __future__ import annotations

import pytest

from permutopic.experiments.demo import N_TOPICS, make_model, run_demo


@pytest.mark.parametrize("seed", range(3))
def test_the_demo_recovers_what_was_drawn(seed):
    seen = []
    result = run_demo(make_model(seed), seed, seen.append)
    assert result.agreement > 0.97
    assert result.distance <= 2  # of 15
    assert sorted(place.found_topic for place in result.places) == list(range(N_TOPICS))
    assert {info.chain for info in seen} == {0, 1}
