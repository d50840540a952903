from __future__ import annotations

from permutopic.experiments.demo import N_CHAINS, N_SWEEPS, N_TOPICS, run_demo


def test_the_demo_recovers_what_was_drawn():
    seen = []
    result = run_demo(seed=0, on_sweep=seen.append)
    assert result.agreement > 0.97
    assert result.distance <= 3  # of 15; the paper's moves seldom renumber topics
    assert sorted(place.found_topic for place in result.places) == list(range(N_TOPICS))
    assert [info.sweep for info in seen] == list(range(1, N_CHAINS * N_SWEEPS + 1))
