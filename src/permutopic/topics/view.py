"""The topics as a model shows them: those that were sampled, or fewer where some are merged.

Merging changes no sample. The merge map gives each sampled topic the shown topic that it is part
of, and everything shown follows from the state and the merge map. A merged topic takes the
canonical position of its largest part, and in each document that of the part with most units there.
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
    from permutopic.topics.evidence import Evidence

Kind = TypeVar("Kind", bound=np.integer)


@dataclass(frozen=True, eq=False, repr=False)
class TopicView:
    """Counts and orders of the shown topics, numbered in canonical order.

    `merge_map` has the shown topic of every sampled one; `segments` counts each
    one's segments, `weights` says what each word counts; the rest is as in `State` and `Evidence`.
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
        """Count the shown topics."""
        return int(self.bag.shape[1])

    @cached_property
    def ranked_words(self) -> list[NDArray[np.int64]]:
        """The words of each topic, the most telling first."""
        return rank_words(self.word_counts, self.word_segments, self.segments, self.weights)


def view_topics(
    state: State,
    evidence: Evidence,
    priors: Priors,
    merge_map: NDArray[np.int64],
    weights: NDArray[np.float64],
) -> TopicView:
    """Show the topics of a state, merged as `merge_map` says."""
    orders = np.array([state.order(document) for document in range(state.bag.shape[0])])
    inversions, dispersion = state.inversions, state.dispersion
    segments = np.count_nonzero(state.bag, axis=0)
    tables = state.bag, state.word_counts, evidence.word_segments, evidence.heading_counts
    n_topics = int(merge_map.max()) + 1
    if n_topics < state.n_topics:
        orders = _merged_orders(orders, state.bag, merge_map)
        inversions = np.array([order_to_inversions(order) for order in orders])
        dispersion = _dispersion(inversions, n_topics, priors)
        segments = _added(segments[np.newaxis], merge_map)[0]
        tables = tuple(_added(table, merge_map) for table in tables)  # type: ignore[assignment]
    bag, word_counts, word_segments, heading_counts = tables
    return TopicView(
        merge_map=merge_map,
        bag=bag,
        orders=orders,
        inversions=inversions,
        dispersion=dispersion,
        word_counts=word_counts,
        word_segments=word_segments,
        headings=evidence.headings,
        heading_counts=heading_counts,
        segments=segments,
        weights=weights,
    )


def merge_topics_of(
    merge_map: NDArray[np.int64], together: Sequence[int], sizes: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Make shown topics one, and number all anew by the place of each one's largest part.

    `sizes` has the units of every sampled topic.
    """
    merged = merge_map.copy()
    merged[np.isin(merge_map, together)] = min(together)
    return _numbered(merged, sizes)


def _numbered(merge_map: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Give merge_map new numbers, in the canonical order of each one's largest part."""
    labels, order = np.unique(merge_map, return_inverse=True)
    parts = [np.flatnonzero(merge_map == label) for label in labels]
    places = [part[sizes[part].argmax()] for part in parts]
    ranks = np.argsort(np.argsort(places))
    return ranks[order].astype(np.int64)


def check_merge_map(merge_map: object, n_topics: int) -> NDArray[np.int64]:
    """Raise ValueError unless merge_map are numbered from 0 by the place of some part of each.

    That was its largest part when topics were merged; documents that came later may have changed
    which one that is.
    """
    array = np.asarray(merge_map)
    if array.shape != (n_topics,) or array.dtype.kind != "i":
        raise ValueError("homes is not one number for each topic")
    place = -1
    for home in range(int(array.max()) + 1):
        later = np.flatnonzero(array == home)
        later = later[later > place]
        if later.size == 0:
            raise ValueError("homes are not numbered in canonical order")
        place = int(later[0])
    if array.min() < 0:
        raise ValueError("homes are not numbered in canonical order")
    return array.astype(np.int64)


def _added(table: NDArray[Kind], merge_map: NDArray[np.int64]) -> NDArray[Kind]:
    """Add up the columns of sampled topics that have the same home."""
    added = np.zeros((table.shape[0], int(merge_map.max()) + 1), dtype=table.dtype)
    for topic, home in enumerate(merge_map):
        added[:, home] += table[:, topic]
    return added


def _merged_orders(
    orders: NDArray[np.int64], bag: NDArray[np.int64], merge_map: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Order the shown topics of each document by the place of their largest part there.

    Where a document has none of a topic, the topic's largest part in the corpus has a place in
    the document's order all the same, and stands for it.
    """
    sizes = bag.sum(axis=0)
    merged = np.empty((orders.shape[0], int(merge_map.max()) + 1), dtype=np.int64)
    for document, order in enumerate(orders):
        place = np.argsort(order)
        best: dict[int, tuple[int, int, int]] = {}
        for topic, home in enumerate(merge_map):
            size = (int(bag[document, topic]), int(sizes[topic]), -topic)
            if home not in best or size > best[home]:
                best[int(home)] = size
        merged[document] = sorted(best, key=lambda home: place[-best[home][2]])
    return merged


def dispersion_in_use(view: TopicView, priors: Priors) -> dict[int, float]:
    """Give ρ of each topic that documents use and another follows: topics that none uses aside.

    Where all are used that is the sampled ρ. Where some are not, they stand anywhere in the orders
    and would make their neighbours seem to wander: so it is the most likely ρ of the others.
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
    """Give the most likely ρ of orders that were not sampled themselves."""
    fixed = priors.variant.fixed_dispersion
    if fixed is not None:
        return np.full(n_topics - 1, fixed)
    n_documents = inversions.shape[0]
    seen = inversions.sum(axis=0) + priors.strength * priors.mean_inversions(n_topics)
    means = seen / (n_documents + priors.strength)
    values = n_values(n_topics)
    modes = [mode_of_dispersion(int(m), float(v)) for m, v in zip(values, means, strict=True)]
    return np.array(modes)
