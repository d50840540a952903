"""The single most probable structure of a document, on the table of a visit.

Given an order of the topics, the best bag is found exactly. Orders are tried by putting one topic
after the other to its best place, the best bag going along, until none gains. Silent topics take no
units; they are put where the order is most probable.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from permutopic.jit import compiled
from permutopic.model.kernels.log_filters import NEVER, Filters
from permutopic.model.kernels.placement import Sheet, loud_order, take_gap, without
from permutopic.model.kernels.span_table import LANES

if TYPE_CHECKING:
    from numpy.typing import NDArray

_GAIN = 1e-9  # less is rounding


@compiled
def flip(sheet: Sheet) -> None:
    """Lay the starts of spans side by side: flipped[k, j − 1, i] = table[k, i, j]."""
    for n in range(sheet.heard.size):
        for cut in range(1, sheet.cuts.size):
            for start in range(cut):
                sheet.flipped[n, cut - 1, start] = sheet.table[n, start, cut]
            for start in range(cut, (cut + LANES - 1) // LANES * LANES):
                sheet.flipped[n, cut - 1, start] = NEVER


@compiled
def reach_forward(sheet: Sheet, n: int, slot: int, onto: int, filters: Filters) -> None:
    """Let a slot take any span: new[j] = max_i old[i] + weight of i … j, or old[j]."""
    cuts, table, log_share, before = sheet.cuts, sheet.table, sheet.log_shares[n], filters.before
    n_cuts, width = cuts.size, table.shape[2]
    old, best = filters.shifted, filters.highest
    for cut in range(n_cuts):
        old[cut] = before[slot, cut] - log_share * cuts[cut]
    for cut in range(n_cuts, width):
        old[cut] = NEVER
    for cut in range(width):
        best[cut] = old[cut]
    for start in range(n_cuts - 1):
        here, first = old[start], (start + 1) // LANES * LANES
        if here > 0.5 * NEVER:
            for end in range(width - first):
                score = here + table[n, start, first + end]
                highest = best[first + end]
                best[first + end] = score if score > highest else highest
    for cut in range(n_cuts):
        before[onto, cut] = best[cut] + log_share * cuts[cut]


@compiled
def reach_backward(sheet: Sheet, n: int, slot: int, onto: int, filters: Filters) -> None:
    """Do the same from the right: new[i] = max_j weight of i … j + old[j], or old[i]."""
    cuts, flipped, log_share, after = sheet.cuts, sheet.flipped, sheet.log_shares[n], filters.after
    n_cuts, width = cuts.size, flipped.shape[2]
    old, best = filters.shifted, filters.highest
    for cut in range(n_cuts):
        old[cut] = after[slot, cut] + log_share * cuts[cut]
    for cut in range(n_cuts, width):
        old[cut] = NEVER
    for cut in range(width):
        best[cut] = old[cut]
    for cut in range(1, n_cuts):
        here = old[cut]
        if here > 0.5 * NEVER:
            for start in range((cut + LANES - 1) // LANES * LANES):
                score = here + flipped[n, cut - 1, start]
                highest = best[start]
                best[start] = score if score > highest else highest
    for cut in range(n_cuts):
        after[onto, cut] = best[cut] - log_share * cuts[cut]


@compiled
def best_bag(
    sheet: Sheet, order: NDArray[np.int64], filters: Filters, bag: NDArray[np.int64]
) -> float:
    """Find the best bag of an order and give its log weight."""
    cuts, before, table = sheet.cuts, filters.before, sheet.table
    loud = loud_order(order, sheet.among)
    bag[:] = 0
    before[0, : cuts.size] = NEVER
    before[0, 0] = 0.0
    for slot in range(loud.size):
        reach_forward(sheet, loud[slot], slot, slot + 1, filters)
    end = cuts.size - 1
    for slot in range(loud.size - 1, -1, -1):
        n = loud[slot]
        chosen, best = end, before[slot, end]
        for start in range(end):
            size = cuts[end] - cuts[start]
            score = before[slot, start] + table[n, start, end] + size * sheet.log_shares[n]
            if score > best:
                chosen, best = start, score
        bag[sheet.heard[n]] = cuts[end] - cuts[chosen]
        end = chosen
    return float(before[loud.size, cuts.size - 1])


@compiled
def best_at_gaps(
    sheet: Sheet, others: NDArray[np.int64], n: int, filters: Filters
) -> NDArray[np.float64]:
    """Give the best log weight with the n-th heard topic in each gap between the others."""
    before, after, n_cuts = filters.before, filters.after, sheet.cuts.size
    loud = loud_order(others, sheet.among)
    last, through = loud.size, before.shape[0] - 1
    before[0, :n_cuts] = NEVER
    before[0, 0] = 0.0
    after[last, :n_cuts] = NEVER
    after[last, n_cuts - 1] = 0.0
    for slot in range(last):
        reach_forward(sheet, loud[slot], slot, slot + 1, filters)
        back = last - 1 - slot
        reach_backward(sheet, loud[back], back + 1, back, filters)
    scores = np.full(last + 1, NEVER)
    for gap in range(last + 1):
        reach_forward(sheet, n, gap, through, filters)
        for cut in range(n_cuts):
            scores[gap] = max(scores[gap], before[through, cut] + after[gap, cut])
    return scores


@compiled
def best_place(
    sheet: Sheet,
    order: NDArray[np.int64],
    topic: int,
    dispersion: NDArray[np.float64],
    filters: Filters,
) -> bool:
    """Put a topic to its best place; tell if that is better than the place it had."""
    n_topics, n = order.size, sheet.among[topic]
    others = without(order, topic)
    scores = np.zeros(n_topics)
    if n >= 0:
        scores = best_at_gaps(sheet, others, n, filters)
    log_prior, best, chosen, had, passed_loud = 0.0, NEVER, 0, NEVER, 0
    for gap in range(n_topics):
        if gap > 0:  # the topic has moved behind one more: an inversion more, or one fewer
            passed = others[gap - 1]
            log_prior += -dispersion[topic] if passed > topic else dispersion[passed]
            passed_loud += sheet.among[passed] >= 0
        score = log_prior + scores[passed_loud if n >= 0 else 0]
        if order[gap] == topic:
            had = score
        if score > best:
            best, chosen = score, gap
    if best <= had + _GAIN:
        return False
    take_gap(order, topic, others, chosen)
    return True


@compiled
def climb(
    sheet: Sheet,
    order: NDArray[np.int64],
    bag: NDArray[np.int64],
    dispersion: NDArray[np.float64],
    orders: bool,
    filters: Filters,
    passes: int,
) -> None:
    """Find a structure that no move of one topic betters, or look for one in so many passes.

    Heard topics that the best bag leaves empty are tried in the first pass only.
    """
    best_bag(sheet, order, filters, bag)
    if not orders:
        return
    flip(sheet)
    for passed in range(passes):
        gained = False
        for topic in range(order.size):
            heard = sheet.among[topic] >= 0
            if (passed == 0 or bag[topic] > 0 or not heard) and best_place(
                sheet, order, topic, dispersion, filters
            ):
                gained = True
                if heard:
                    best_bag(sheet, order, filters, bag)
        if not gained:
            break
