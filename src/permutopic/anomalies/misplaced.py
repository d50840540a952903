"""Find topics at improbable positions in the order of a document's topics."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from permutopic.anomalies.findings import Misplaced

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from permutopic.anomalies.expected_outline import ExpectedOutline
    from permutopic.anomalies.thresholds import Thresholds
    from permutopic.anomalies.usage import TopicUsage


class OrderStatistics(NamedTuple):
    """Deviation of a document's order of topics from the expected one.

    `swaps` counts the pairs of topics in the wrong order, `expected_swaps` is their expectation
    given the document's topics, and `moved` are the fewest topics that have to move for the others
    to be in order.
    """

    swaps: int
    expected_swaps: float
    moved: list[int]


def order_statistics(topics: NDArray[np.int64], expected: ExpectedOutline) -> OrderStatistics:
    """Compare the order of a document's topics with the expected one.

    The expectation is a sum of the probabilities of all pairs.
    """
    entries, firsts, wrong = _compare(topics, expected)
    ranks = np.array(entries)
    swaps = int(np.triu(ranks[:, None] > ranks[None, :], k=1).sum())
    moved = [firsts[index] for index in fewest_moves(entries, wrong.sum(axis=1))]
    return OrderStatistics(swaps, float(wrong.sum() / 2), moved)


def find_misplaced(
    topics: NDArray[np.int64],
    expected: ExpectedOutline,
    thresholds: Thresholds,
    samples: NDArray[np.int64] | None = None,
) -> tuple[Misplaced, ...]:
    """Find improbable positions among the fewest topics that have to move.

    The probability is that of a position as far off, or farther, under the model's distribution
    of the orders of the document's topics.
    """
    entries, firsts, wrong = _compare(topics, expected)
    found = []
    for index in fewest_moves(entries, wrong.sum(axis=1)):
        each = _misplaced_topic(index, entries, firsts, wrong, topics, expected, samples)
        unsure = each.certainty is not None and each.certainty < thresholds.sure
        if each.probability <= thresholds.unlikely and not unsure:
            found.append(each)
    return tuple(found)


def _compare(
    topics: NDArray[np.int64], expected: ExpectedOutline
) -> tuple[list[int], list[int], NDArray[np.float64]]:
    """Return the document's entries in its order, the first topic of each, and `wrong_pairs`."""
    found = expected.first_topics(topics)
    entries, firsts = list(found), list(found.values())
    return entries, firsts, wrong_pairs(entries, firsts, expected.usage)


def wrong_pairs(
    entries: Sequence[int], topics: Sequence[int], usage: TopicUsage
) -> NDArray[np.float64]:
    """Compute the probability of the wrong order for each pair of a document's entries: (n, n).

    `entries` are their ranks in the expected order, `topics` the topic of each.
    """
    ranks = np.array(entries, dtype=np.int64)
    before = usage.precedence[np.ix_(topics, topics)] if topics else np.zeros((0, 0))
    should_follow = ranks[:, None] > ranks[None, :]
    wrong: NDArray[np.float64] = np.where(should_follow, before, before.T)
    np.fill_diagonal(wrong, 0)
    return wrong


def fewest_moves(ranks: Sequence[int], weights: Sequence[float] | NDArray[np.float64]) -> list[int]:
    """Return the indices outside a longest increasing subsequence; among those, of greatest weight.

    The weight of a topic is its expected number of wrong pairs, so that of several smallest sets
    the one is chosen whose topics are displaced most often anyway.

    >>> fewest_moves([0, 3, 1, 2], [1, 1, 1, 1]), fewest_moves([1, 0], [0.2, 0.1])
    ([1], [0])
    """
    # For each index: length and negative weight of the best increasing subsequence that ends there.
    best: list[tuple[int, float]] = []
    previous: list[int] = []
    for index, rank in enumerate(ranks):
        length, value, source = 0, 0.0, -1
        for earlier in range(index):
            if ranks[earlier] < rank and best[earlier] > (length, value):
                (length, value), source = best[earlier], earlier
        best.append((length + 1, value - float(weights[index])))
        previous.append(source)
    kept = set()
    index = max(range(len(best)), key=best.__getitem__, default=-1)
    while index >= 0:
        kept.add(index)
        index = previous[index]
    return [index for index in range(len(ranks)) if index not in kept]


def _misplaced_topic(
    index: int,
    entries: list[int],
    firsts: list[int],
    wrong: NDArray[np.float64],
    topics: NDArray[np.int64],
    expected: ExpectedOutline,
    samples: NDArray[np.int64] | None,
) -> Misplaced:
    """Compute the probability of the position of one of a document's entries."""
    entry, topic, usage = entries[index], firsts[index], expected.usage
    earlier = [i for i, other in enumerate(entries) if other < entry]  # in the expected order
    later = [i for i, other in enumerate(entries) if other > entry]
    passed_earlier = [i for i in earlier if i > index]
    passed_later = [i for i in later if i < index]
    early = len(passed_earlier) > len(passed_later)
    if len(passed_earlier) == len(passed_later):
        early = wrong[index, passed_earlier].sum() < wrong[index, passed_later].sum()
    if early:  # P(at most so many of the earlier topics precede it)
        passed = passed_earlier
        distribution = usage.count_before(topic, [firsts[i] for i in earlier])
        probability = float(distribution[: len(earlier) - len(passed) + 1].sum())
    else:  # P(at least so many of the later topics precede it)
        passed = passed_later
        distribution = usage.count_before(topic, [firsts[i] for i in later])
        probability = float(distribution[len(passed) :].sum())
    least_likely = min(passed, key=lambda i: wrong[index, i])
    units = np.flatnonzero(expected.entry_of[topics] == entry)
    pair = (entry, entries[least_likely]) if early else (entries[least_likely], entry)
    return Misplaced(
        topic=topic,
        name=expected.names[entry],
        first_unit=int(units[0]) + 1,
        last_unit=_end_of_run(units) + 1,
        early=early,
        passed=tuple(expected.names[entries[i]] for i in passed),
        position=index + 1,
        expected_position=len(earlier) + 1,
        probability=min(max(probability, 0.0), 1.0),
        least_likely=expected.names[entries[least_likely]],
        pair_probability=float(wrong[index, least_likely]),
        certainty=None if samples is None else share_in_order(samples, expected, *pair),
    )


def _end_of_run(units: NDArray[np.int64]) -> int:
    """Return the last unit of the first run of consecutive units."""
    gaps = np.flatnonzero(np.diff(units) > 1)
    return int(units[gaps[0]] if gaps.size else units[-1])


def share_in_order(
    samples: NDArray[np.int64], expected: ExpectedOutline, first: int, second: int
) -> float:
    """Return the share of samples that have two entries, and the first one before the second."""
    entries = expected.entry_of[samples]
    is_first, is_second = entries == first, entries == second
    both = is_first.any(axis=1) & is_second.any(axis=1)
    return float((both & (is_first.argmax(axis=1) < is_second.argmax(axis=1))).mean())
