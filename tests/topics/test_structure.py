from __future__ import annotations

import numpy as np
import pytest

from permutopic.topics import structure_of


@pytest.mark.parametrize(
    ("topics", "swaps", "segments"),
    [
        ([0, 0, 1, 3], 0, (0, 1, 3)),
        ([3, 3, 1], 1, (3, 1)),
        ([5, 2, 0], 3, (5, 2, 0)),
        ([4], 0, (4,)),
        ([0, 1, 0], 0, (0, 1, 0)),  # merged topics may come twice: the first counts
    ],
)
def test_swaps_count_pairs_of_topics_out_of_canonical_order(topics, swaps, segments):
    found = structure_of("x", np.array(topics))
    assert (found.swaps, found.segments, found.topics) == (swaps, segments, tuple(topics))
