"""The plain sweep that benchmarks compare with makes the same draws as the compiled one."""

from __future__ import annotations

from functools import partial

import numpy as np

from permutopic.model.moves import ResampleStructures
from permutopic.model.state import check_state
from permutopic.streams import Streams

from plain import PlainSweep


def test_plain_and_compiled_sweeps_agree(drawn):
    corpus, state, priors = drawn
    compiled, plain = state.copy(), state.copy()
    for sweep in range(10):
        at = partial(Streams(3).at, sweep, 0)
        ResampleStructures(corpus, 4, priors)(compiled, at)
        PlainSweep(corpus, priors)(plain, at)
    check_state(corpus, plain)
    assert np.array_equal(plain.bag, compiled.bag)
    assert np.array_equal(plain.inversions, compiled.inversions)
    assert not np.array_equal(plain.bag, state.bag)
