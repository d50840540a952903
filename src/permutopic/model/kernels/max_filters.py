"""The filters of `log_filters` with the maximum in place of the sum (Viterbi).

A fit takes the best structure of the present order from them, to which linear weights are relative;
inference, the most probable structure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permutopic.jit import borrowing
from permutopic.model.kernels.lanes import LANES
from permutopic.model.kernels.log_filters import LOG_ZERO

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from permutopic.model.kernels.log_filters import FilterWorkspace


@borrowing
def max_step_forward(
    table: NDArray[np.float64],
    topic: int,
    log_theta: float,
    cuts: NDArray[np.int64],
    slot: int,
    onto: int,
    filters: FilterWorkspace,
) -> None:
    """Let a slot take any span: new[j] = max_i old[i] + weight of i … j, or old[j]."""
    forward, n_cuts, width = filters.forward, cuts.size, table.shape[2]
    old, best = filters.shifted, filters.highest
    for cut in range(n_cuts):
        old[cut] = forward[slot, cut] - log_theta * cuts[cut]
    for cut in range(n_cuts, width):
        old[cut] = LOG_ZERO
    for cut in range(width):
        best[cut] = old[cut]
    for start in range(n_cuts - 1):
        here, first = old[start], (start + 1) // LANES * LANES
        if here > 0.5 * LOG_ZERO:
            for end in range(width - first):
                score = here + table[topic, start, first + end]
                highest = best[first + end]
                best[first + end] = score if score > highest else highest
    for cut in range(n_cuts):
        forward[onto, cut] = best[cut] + log_theta * cuts[cut]


@borrowing
def max_step_backward(
    transposed: NDArray[np.float64],
    topic: int,
    log_theta: float,
    cuts: NDArray[np.int64],
    slot: int,
    onto: int,
    filters: FilterWorkspace,
) -> None:
    """Do the same from the right: new[i] = max_j weight of i … j + old[j], or old[i]."""
    backward, n_cuts, width = filters.backward, cuts.size, transposed.shape[2]
    old, best = filters.shifted, filters.highest
    for cut in range(n_cuts):
        old[cut] = backward[slot, cut] + log_theta * cuts[cut]
    for cut in range(n_cuts, width):
        old[cut] = LOG_ZERO
    for cut in range(width):
        best[cut] = old[cut]
    for cut in range(1, n_cuts):
        here = old[cut]
        if here > 0.5 * LOG_ZERO:
            for start in range((cut + LANES - 1) // LANES * LANES):
                score = here + transposed[topic, cut - 1, start]
                highest = best[start]
                best[start] = score if score > highest else highest
    for cut in range(n_cuts):
        backward[onto, cut] = best[cut] - log_theta * cuts[cut]


@borrowing
def max_sums_forward(
    table: NDArray[np.float64],
    cuts: NDArray[np.int64],
    order: NDArray[np.int64],
    log_prevalence: NDArray[np.float64],
    filters: FilterWorkspace,
) -> None:
    """Find the highest log weight before each slot of an order and each cut."""
    forward = filters.forward
    forward[0, : cuts.size] = LOG_ZERO
    forward[0, 0] = 0.0
    for slot in range(order.size):
        n = order[slot]
        max_step_forward(table, n, log_prevalence[n], cuts, slot, slot + 1, filters)


@borrowing
def max_sums_backward(
    transposed: NDArray[np.float64],
    cuts: NDArray[np.int64],
    order: NDArray[np.int64],
    log_prevalence: NDArray[np.float64],
    filters: FilterWorkspace,
) -> None:
    """Find the highest log weight behind each slot of an order and each cut."""
    backward, n_slots = filters.backward, order.size
    backward[n_slots, : cuts.size] = LOG_ZERO
    backward[n_slots, cuts.size - 1] = 0.0
    for slot in range(n_slots - 1, -1, -1):
        n = order[slot]
        max_step_backward(transposed, n, log_prevalence[n], cuts, slot + 1, slot, filters)
