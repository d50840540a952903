"""Shown topics: the sampled topics, some of them merged.

Merging changes no sample. The merge map has the shown topic of each sampled one, and everything
shown follows from the state and the merge map. A merged topic has the slot of its largest part in
the canonical order, and in each document that of the part with most units there.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from permutopic.mallows import mode_of_dispersion, n_values
from permutopic.permutation import order_to_inversions
from permutopic.topics.distinctive import rank_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from permutopic.model.priors import Priors
    from permutopic.model.state import State
    from permutopic.topics.naming_counts import NamingCounts

Integer = TypeVar("Integer", bound=np.integer)


@dataclass(frozen=True, eq=False, repr=False)
class TopicView:
    """Counts and orders of the shown topics, numbered in canonical order.

    Attributes
    ----------
    merge_map
        The shown topic of every sampled topic.
    segments
        (K,): number of segments of each shown topic.
    weights
        (W,): weight of each word in the ranking of distinctive words.
    bag, orders, inversions, dispersion, word_counts
        As in `State`, for shown topics.
    word_segments, headings, heading_counts
        As in `NamingCounts`, for shown topics.
    """

    merge_map: NDArray[np.int64]
    bag: NDArray[np.int64]
    orders: NDArray[np.int64]
    inversions: NDArray[np.int64]
    dispersion: NDArray[np.float64]
    word_counts: NDArray[np.int32]
    word_segments: NDArray[np.int32]
    headings: tuple[str, ...]
    heading_counts: NDArray[np.int64]
    segments: NDArray[np.int64]
    weights: NDArray[np.float64]

    @property
    def n_topics(self) -> int:
        """Number of shown topics."""
        return int(self.bag.shape[1])

    @cached_property
    def ranked_words(self) -> list[NDArray[np.int64]]:
        """The words of each topic, the most distinctive first."""
        return rank_words(self.word_counts, self.word_segments, self.segments, self.weights)


def view_topics(
    state: State,
    counts: NamingCounts,
    priors: Priors,
    merge_map: NDArray[np.int64],
    weights: NDArray[np.float64],
) -> TopicView:
    """Make the view of a state's topics, merged by `merge_map`."""
    orders = np.array([state.order(document) for document in range(state.bag.shape[0])])
    inversions, dispersion = state.inversions, state.dispersion
    segments = np.count_nonzero(state.bag, axis=0)
    tables = state.bag, state.word_counts, counts.word_segments, counts.heading_counts
    n_topics = int(merge_map.max()) + 1
    if n_topics < state.n_topics:
        orders = _merged_orders(orders, state.bag, merge_map)
        inversions = np.array([order_to_inversions(order) for order in orders])
        dispersion = _dispersion(inversions, n_topics, priors)
        segments = _sum_columns(segments[np.newaxis], merge_map)[0]
        tables = tuple(_sum_columns(table, merge_map) for table in tables)  # type: ignore[assignment]
    bag, word_counts, word_segments, heading_counts = tables
    return TopicView(
        merge_map=merge_map,
        bag=bag,
        orders=orders,
        inversions=inversions,
        dispersion=dispersion,
        word_counts=word_counts,
        word_segments=word_segments,
        headings=counts.headings,
        heading_counts=heading_counts,
        segments=segments,
        weights=weights,
    )


def merge_shown_topics(
    merge_map: NDArray[np.int64], together: Sequence[int], sizes: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return a merge map with some shown topics merged, numbered by each one's largest part.

    `sizes` has the number of units of every sampled topic.
    """
    merged = merge_map.copy()
    merged[np.isin(merge_map, together)] = min(together)
    return _renumber(merged, sizes)


def _renumber(merge_map: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Renumber the shown topics in the canonical order of each one's largest part."""
    labels, order = np.unique(merge_map, return_inverse=True)
    parts = [np.flatnonzero(merge_map == label) for label in labels]
    largest = [part[sizes[part].argmax()] for part in parts]
    ranks = np.argsort(np.argsort(largest))
    return ranks[order].astype(np.int64)


def check_merge_map(merge_map: object, n_topics: int) -> NDArray[np.int64]:
    """Return a stored merge map; raise ValueError unless it is numbered in canonical order.

    Shown topics are numbered from 0 by one part of each: by its largest part when topics were
    merged. Documents that were added later may have changed which part is the largest, so that any
    part is accepted here. Messages name the map by its key in a model folder, "homes".
    """
    array = np.asarray(merge_map)
    if array.shape != (n_topics,) or array.dtype.kind != "i":
        raise ValueError("homes is not one number for each topic")
    previous = -1
    for shown in range(int(array.max()) + 1):
        parts = np.flatnonzero(array == shown)
        later = parts[parts > previous]
        if later.size == 0:
            raise ValueError("homes are not numbered in canonical order")
        previous = int(later[0])
    if array.min() < 0:
        raise ValueError("homes are not numbered in canonical order")
    return array.astype(np.int64)


def _sum_columns(table: NDArray[Integer], merge_map: NDArray[np.int64]) -> NDArray[Integer]:
    """Sum the columns of the sampled topics that are merged into one."""
    summed = np.zeros((table.shape[0], int(merge_map.max()) + 1), dtype=table.dtype)
    for topic, shown in enumerate(merge_map):
        summed[:, shown] += table[:, topic]
    return summed


def _merged_orders(
    orders: NDArray[np.int64], bag: NDArray[np.int64], merge_map: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Order the shown topics of each document by the slot of their largest part there: (D, K).

    A topic without units in a document is ordered by its largest part in the corpus.
    """
    sizes = bag.sum(axis=0)
    merged = np.empty((orders.shape[0], int(merge_map.max()) + 1), dtype=np.int64)
    for document, order in enumerate(orders):
        slots = np.argsort(order)
        largest: dict[int, tuple[int, int, int]] = {}
        for topic, shown in enumerate(merge_map):
            size = (int(bag[document, topic]), int(sizes[topic]), -topic)
            if shown not in largest or size > largest[shown]:
                largest[int(shown)] = size
        merged[document] = sorted(largest, key=lambda shown: slots[-largest[shown][2]])
    return merged


def dispersion_in_use(view: TopicView, priors: Priors) -> dict[int, float]:
    """Return ρ of each topic in use except the last one.

    If all topics are in use, that is the sampled ρ. Unused topics have arbitrary slots in the
    orders, which would lower the ρ of the others: so it is the most probable ρ without them.
    """
    used = np.flatnonzero(view.bag.any(axis=0))
    if used.size == view.n_topics:
        return dict(enumerate(view.dispersion.tolist()))
    ranks = np.full(view.n_topics, -1)
    ranks[used] = np.arange(used.size)
    orders = [ranks[order][ranks[order] >= 0] for order in view.orders]
    inversions = np.array([order_to_inversions(order) for order in orders])
    found = _dispersion(inversions, used.size, priors)
    return dict(zip(used[:-1].tolist(), found.tolist(), strict=True))


def _dispersion(
    inversions: NDArray[np.int64], n_topics: int, priors: Priors
) -> NDArray[np.float64]:
    """Compute the most probable ρ given orders that follow from the sampled ones: (K − 1,)."""
    fixed = priors.variant.fixed_dispersion
    if fixed is not None:
        return np.full(n_topics - 1, fixed)
    n_documents = inversions.shape[0]
    seen = inversions.sum(axis=0) + priors.strength * priors.mean_inversions(n_topics)
    means = seen / (n_documents + priors.strength)
    values = n_values(n_topics)
    modes = [mode_of_dispersion(int(m), float(v)) for m, v in zip(values, means, strict=True)]
    return np.array(modes)
