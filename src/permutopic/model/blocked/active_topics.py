"""The topics that a visit of a fit considers: where there are many, not all of them.

The document's own topics are active, and others by their inclusion probability h. A topic in use
then weighs 1/h, so that draws stay exact, as in inference: only the probabilities differ.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from permutopic.jit import compiled
from permutopic.model.blocked.packed import active_numbers_of
from permutopic.model.kernels.placement import draw_active, place_topic
from permutopic.model.kernels.preparation import weigh_inclusion

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from permutopic.model.blocked.packed import ActiveLimits, Batch
    from permutopic.model.kernels.log_filters import FilterWorkspace, MoveSettings
    from permutopic.model.kernels.span_table import SpanTable


@compiled
def inclusion_probabilities(
    topic_tokens: NDArray[np.int64], limits: ActiveLimits
) -> NDArray[np.float64]:
    """Return the inclusion probability of every topic, for a document that is out of the counts.

    A topic that no other document uses is *spare*; of both kinds, about so many are active as
    `limits` says. The probabilities depend on the other documents alone.
    """
    n_topics, n_spare = topic_tokens.size, 0
    for topic in range(n_topics):
        n_spare += topic_tokens[topic] == 0
    n_others = n_topics - n_spare
    spare = max(limits.spare, limits.fewest - n_others)
    inclusion = np.empty(n_topics)
    for topic in range(n_topics):
        if topic_tokens[topic] == 0:
            inclusion[topic] = spare / max(n_spare, spare)
        else:
            inclusion[topic] = limits.others / max(n_others, limits.others)
    return inclusion


@compiled
def write_active_topics(
    batch: Batch, n: int, bag: NDArray[np.int64], inclusion: NDArray[np.float64]
) -> None:
    """Draw the active topics of the n-th document of a batch."""
    active = draw_active(inclusion, bag, active_numbers_of(batch, n))
    batch.n_active[n] = active.size
    for topic in range(bag.size):
        batch.active_index[n, topic] = -1
    for index in range(active.size):
        batch.active[n, index] = active[index]
        batch.active_index[n, active[index]] = index


@compiled
def weigh_active_topics(spans: SpanTable, inclusion: NDArray[np.float64]) -> None:
    """Make a topic in use weigh 1/h, unless all are certain; boundaries weigh 1/p already."""
    certain = True
    for topic in range(inclusion.size):
        certain = certain and inclusion[topic] == 1.0
    if not certain:
        ones = np.ones(spans.cuts[spans.cuts.size - 1] + 1)
        weigh_inclusion(spans.log_weights, spans.cuts, ones, spans.active, inclusion, 1.0)


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
