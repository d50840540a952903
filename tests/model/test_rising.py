from __future__ import annotations

import numpy as np
import pytest

from permutopic.model.kernels.rising import sum_over_counts


@pytest.mark.parametrize("shape", [(0, 3), (1, 1), (1, 3), (2, 2), (5, 3), (7, 8)])
def test_every_count_is_looked_up_once(shape):
    rng = np.random.default_rng(0)
    table, counts = rng.normal(size=10), rng.integers(10, size=shape, dtype=np.int32)
    expected = sum(table[count] for row in counts for count in row)
    assert sum_over_counts(table, counts) == pytest.approx(expected, abs=1e-12)
