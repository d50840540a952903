"""Topics out of place: which ones moved, and how unlikely that is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from permutopic.anomalies.findings import Misplaced

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from permutopic.anomalies.habits import Habits
    from permutopic.anomalies.limits import Limits
    from permutopic.anomalies.standard import Standard


def find_misplaced(
    topics: NDArray[np.int64],
    standard: Standard,
    limits: Limits,
    samples: NDArray[np.int64] | None = None,
) -> tuple[Misplaced, ...]:
    """Find the fewest topics that would have to move for the rest to be in order.

    Of those, the ones that are unlikely to stand where they do: as far off, or farther, under the
    model's orders of the document's topics.
    """
    slots, met = _placed(topics, standard)
    wrong = wrong_pairs(slots, met, standard.habits)
    found = []
    for index in moved(slots, wrong.sum(axis=1)):
        each = _describe(index, slots, met, wrong, topics, standard, samples)
        unsure = each.certainty is not None and each.certainty < limits.sure
        if each.probability <= limits.unlikely and not unsure:
            found.append(each)
    return tuple(found)


def count_swaps(topics: NDArray[np.int64], standard: Standard) -> tuple[int, float, list[int]]:
    """Count pairs of topics in the wrong order: here, and on average; and name those that moved.

    The mean is that of documents with the same topics, which is a sum over pairs.
    """
    slots, met = _placed(topics, standard)
    wrong = wrong_pairs(slots, met, standard.habits)
    places = np.array(slots)
    swaps = int(np.triu(places[:, None] > places[None, :], k=1).sum())
    shifted = [met[index] for index in moved(slots, wrong.sum(axis=1))]
    return swaps, float(wrong.sum() / 2), shifted


def _placed(topics: NDArray[np.int64], standard: Standard) -> tuple[list[int], list[int]]:
    """List the slots in the order of the document, and the topic that fills each."""
    filled = standard.first_topics(topics)
    return list(filled), list(filled.values())


def wrong_pairs(slots: Sequence[int], met: Sequence[int], habits: Habits) -> NDArray[np.float64]:
    """Give the probability that two topics stand in the wrong order, for all pairs."""
    places = np.array(slots, dtype=np.int64)
    before = habits.before[np.ix_(met, met)] if met else np.zeros((0, 0))
    should_follow = places[:, None] > places[None, :]
    wrong: NDArray[np.float64] = np.where(should_follow, before, before.T)
    np.fill_diagonal(wrong, 0)
    return wrong


def moved(slots: Sequence[int], restless: Sequence[float] | NDArray[np.float64]) -> list[int]:
    """List the fewest positions to take out so that the rest rise; of several choices, one.

    The one that takes the most restless items out: those which are more often on the wrong side.

    >>> moved([0, 3, 1, 2], [1, 1, 1, 1]), moved([1, 0], [0.2, 0.1])
    ([1], [0])
    """
    best: list[tuple[int, float]] = []  # the longest rising row that ends here, and its unrest
    back: list[int] = []
    for index, slot in enumerate(slots):
        length, unrest, source = 0, 0.0, -1
        for earlier in range(index):
            if slots[earlier] < slot and (best[earlier][0], best[earlier][1]) > (length, unrest):
                (length, unrest), source = best[earlier], earlier
        best.append((length + 1, unrest - float(restless[index])))
        back.append(source)
    kept = set()
    at = max(range(len(best)), key=best.__getitem__, default=-1)
    while at >= 0:
        kept.add(at)
        at = back[at]
    return [index for index in range(len(slots)) if index not in kept]


def _describe(
    index: int,
    slots: list[int],
    met: list[int],
    wrong: NDArray[np.float64],
    topics: NDArray[np.int64],
    standard: Standard,
    samples: NDArray[np.int64] | None,
) -> Misplaced:
    slot, topic, habits = slots[index], met[index], standard.habits
    ahead = [i for i, other in enumerate(slots) if other < slot]  # should stand before it
    behind = [i for i, other in enumerate(slots) if other > slot]
    passed = [i for i in ahead if i > index], [i for i in behind if i < index]
    early = len(passed[0]) > len(passed[1])
    if len(passed[0]) == len(passed[1]):
        early = wrong[index, passed[0]].sum() < wrong[index, passed[1]].sum()
    if early:  # at most all but so many of those ahead are before it
        past, n_ahead = passed[0], habits.n_before(topic, [met[i] for i in ahead])
        probability = float(n_ahead[: len(ahead) - len(past) + 1].sum())
    else:  # at least so many of those behind are
        past, n_behind = passed[1], habits.n_before(topic, [met[i] for i in behind])
        probability = float(n_behind[len(past) :].sum())
    worst = min(past, key=lambda i: wrong[index, i])
    units = np.flatnonzero(standard.slots[topics] == slot)
    pair = (slot, slots[worst]) if early else (slots[worst], slot)
    return Misplaced(
        topic=topic,
        name=standard.names[slot],
        first_unit=int(units[0]) + 1,
        last_unit=_end_of_run(units) + 1,
        early=early,
        past=tuple(standard.names[slots[i]] for i in past),
        place=index + 1,
        usual=len(ahead) + 1,
        probability=min(max(probability, 0.0), 1.0),
        worst=standard.names[slots[worst]],
        pair_probability=float(wrong[index, worst]),
        certainty=None if samples is None else share_in_order(samples, standard, *pair),
    )


def _end_of_run(units: NDArray[np.int64]) -> int:
    """Give the last of the units that follow each other without a gap from the first."""
    gaps = np.flatnonzero(np.diff(units) > 1)
    return int(units[gaps[0]] if gaps.size else units[-1])


def share_in_order(
    samples: NDArray[np.int64], standard: Standard, first: int, second: int
) -> float:
    """Give the share of samples that have two slots, the first one first."""
    slots = standard.slots[samples]
    is_first, is_second = slots == first, slots == second
    both = is_first.any(axis=1) & is_second.any(axis=1)
    return float((both & (is_first.argmax(axis=1) < is_second.argmax(axis=1))).mean())
