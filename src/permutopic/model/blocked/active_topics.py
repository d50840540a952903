"""The topics that a visit of a fit considers: where there are many, not all of them.

The document's own topics are active, and others by their inclusion probability h. A topic in use
then weighs 1/h, so that draws stay exact.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from permutopic.jit import compiled
from permutopic.model.kernels.placement import place_topic

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from permutopic.model.blocked.packed import ActiveLimits, Batch
    from permutopic.model.kernels.log_filters import FilterWorkspace, MoveSettings
    from permutopic.model.kernels.span_table import SpanTable


@compiled
def draw_active_topics(
    batch: Batch,
    n: int,
    bag: NDArray[np.int64],
    topic_tokens: NDArray[np.int64],
    limits: ActiveLimits,
) -> tuple[float, float]:
    """Draw the active topics of a document that is out of the counts; return log h of both kinds.

    A topic that no other document uses is *spare*. Those that this document uses are active, and
    of the rest about so many as `limits` says. Which topics are spare, and so the inclusion
    probabilities, depends on the other documents alone.
    """
    n_spare, n_active = 0, 0
    for topic in range(bag.size):
        n_spare += topic_tokens[topic] == 0
    n_others = bag.size - n_spare
    spare = max(limits.spare, limits.fewest - n_others)
    of_spare = spare / max(n_spare, spare)
    of_others = limits.others / max(n_others, limits.others)
    for topic in range(bag.size):
        inclusion = of_spare if topic_tokens[topic] == 0 else of_others
        batch.active_index[n, topic] = -1
        if bag[topic] > 0 or batch.active_uniforms[n, topic] < inclusion:
            batch.active[n, n_active] = topic
            batch.active_index[n, topic] = n_active
            n_active += 1
    batch.n_active[n] = n_active
    return float(np.log(of_spare)), float(np.log(of_others))


@compiled
def weigh_active_topics(
    spans: SpanTable, topic_tokens: NDArray[np.int64], log_inclusion: tuple[float, float]
) -> None:
    """Make a topic in use weigh 1/h, as in `preparation.weigh_inclusion`."""
    for n in range(spans.active.size):
        log_h = log_inclusion[0] if topic_tokens[n] == 0 else log_inclusion[1]
        if log_h < 0.0:
            for start in range(spans.cuts.size - 1):
                for cut in range(start + 1, spans.cuts.size):
                    spans.log_weights[n, start, cut] -= log_h


@compiled
def place_inactive(
    spans: SpanTable,
    order: NDArray[np.int64],
    settings: MoveSettings,
    filters: FilterWorkspace,
    uniforms: NDArray[np.float64],
    first: int,
) -> None:
    """Place as many inactive topics, drawn at random, as active ones."""
    n_inactive = order.size - spans.active.size
    for used in range(first, first + 2 * settings.placements * (n_inactive > 0), 2):
        rank = int(uniforms[used] * n_inactive)
        topic = 0
        while rank > 0 or spans.active_index[topic] >= 0:
            rank -= spans.active_index[topic] < 0
            topic += 1
        place_topic(spans, True, order, topic, settings.dispersion, filters, uniforms[used + 1])
