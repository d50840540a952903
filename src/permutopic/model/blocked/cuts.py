"""The cuts of all documents of a batch.

A document's cuts depend on its own boundaries, which no other document changes: so they are drawn
before the first one is resampled.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from permutopic.jit import compiled
from permutopic.model.blocked.packed import BatchCuts
from permutopic.model.kernels.orders import fill_order
from permutopic.model.kernels.preparation import draw_cuts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from permutopic.model.blocked.packed import PackedCorpus


@compiled
def draw_batch_cuts(
    packed: PackedCorpus,
    documents: NDArray[np.int64],
    bags: NDArray[np.int64],
    inversions: NDArray[np.int64],
    cut_probabilities: NDArray[np.float64],
    numbers: NDArray[np.float64],
    number_offsets: NDArray[np.int64],
) -> BatchCuts:
    """Draw the cuts of documents, d with probability `cut_probabilities[d]` for each position.

    The n-th uses the numbers from `number_offsets[n]` on, one for each position; none with a
    probability of 1, for then all are cuts.
    """
    n_documents, n_positions = documents.size, 0
    for d in documents:
        n_positions += packed.unit_offsets[d + 1] - packed.unit_offsets[d] + 1
    positions = np.empty(n_positions, np.int64)
    tokens, reach = np.empty(n_positions, np.int64), np.empty(n_positions, np.int64)
    offsets, order = np.zeros(n_documents + 1, np.int64), np.empty(bags.shape[1], np.int64)
    for n in range(n_documents):
        d, filled = documents[n], offsets[n]
        first_unit, n_units = packed.unit_offsets[d], packed.unit_offsets[d + 1]
        n_units -= first_unit
        cuts = np.arange(n_units + 1)
        if cut_probabilities[d] < 1.0:
            fill_order(order, inversions[d])
            first = number_offsets[n]
            own_numbers, probabilities = numbers[first : first + n_units + 1], np.empty(n_units + 1)
            probabilities[:] = cut_probabilities[d]
            cuts = draw_cuts(probabilities, bags[d], order, own_numbers)
        for position in cuts:
            positions[filled] = position
            tokens[filled] = packed.unit_starts[first_unit + d + position]
            reach[filled] = packed.reach[first_unit + d + position]
            filled += 1
        offsets[n + 1] = filled
    n_cuts = offsets[n_documents]
    return BatchCuts(positions[:n_cuts], tokens[:n_cuts], reach[:n_cuts], offsets)
