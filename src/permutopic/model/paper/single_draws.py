"""The paper's moves on one document, compiled: one draw, one inversion count at a time.

Everything rests on span scores: S[i, j, k] is the log probability of the document's units
i … j−1 under topic k (eq. 7 and 9), the document's own tokens taken out of the counts. Each
conditional of the document (eq. 10 and 11) is a sum of at most K of them. These moves look few of
them up, so a score is computed when it is first needed.

Random numbers are arguments, uniform on [0, 1), so a kernel is a function of its arguments alone.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from permutopic.jit import borrowing, compiled
from permutopic.model.kernels.categorical import draw_index
from permutopic.model.kernels.orders import (
    fill_order,
    list_slots,
    move_forward,
    swap_changes_layout,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from permutopic.corpus import DocumentTokens


class TopicCounts(NamedTuple):
    """What the topics hold: (W, K) tokens of each word, (K,) tokens, (K,) units."""

    word_counts: NDArray[np.int32]
    topic_tokens: NDArray[np.int64]
    topic_units: NDArray[np.int64]


class SpanScores(NamedTuple):
    """The span scores of one document at a time, and what is needed to compute them.

    `scores[i, j, k]` is known for j ≤ `reach[i, k]`. `log_gamma[n]` is logΓ(n + Wβ0); `seen` is
    all zeros between calls. A product of `block` factors stays within the floats.
    """

    scores: NDArray[np.float64]
    reach: NDArray[np.int64]
    seen: NDArray[np.int32]
    log_gamma: NDArray[np.float64]
    word_prior: float
    block: int


@borrowing
def add_tokens(
    document: DocumentTokens,
    order: NDArray[np.int64],
    bag: NDArray[np.int64],
    counts: TopicCounts,
    sign: int,
) -> None:
    """Add a document's tokens to the counts (sign 1) or subtract them (sign −1)."""
    unit = 0
    for topic in order:
        first, last = document.offsets[unit], document.offsets[unit + bag[topic]]
        for token in range(first, last):
            counts.word_counts[document.words[token], topic] += sign
        counts.topic_tokens[topic] += sign * (last - first)
        unit += bag[topic]


@borrowing
def score_spans(
    spans: SpanScores,
    document: DocumentTokens,
    counts: TopicCounts,
    start: int,
    end: int,
    topic: int,
) -> None:
    """Score one topic's spans from unit `start` on, up to the one that ends at `end`."""
    first = document.offsets[start]
    held = counts.topic_tokens[topic]
    total, product, factors = 0.0, 1.0, 0
    for unit in range(start, end):
        for token in range(document.offsets[unit], document.offsets[unit + 1]):
            word = document.words[token]
            product *= counts.word_counts[word, topic] + spans.seen[word] + spans.word_prior
            spans.seen[word] += 1
            factors += 1
            if factors == spans.block:
                total += math.log(product)
                product, factors = 1.0, 0
        after = held + document.offsets[unit + 1] - first
        below = spans.log_gamma[after] - spans.log_gamma[held]
        spans.scores[start, unit + 1, topic] = total + math.log(product) - below
    for token in range(first, document.offsets[end]):
        spans.seen[document.words[token]] = 0
    spans.reach[start, topic] = end


@compiled
def score_all_spans(spans: SpanScores, document: DocumentTokens, counts: TopicCounts) -> None:
    """Score every span under every topic: for each start, all topics side by side."""
    n_units, n_topics = document.offsets.size - 1, counts.topic_tokens.size
    product, total = np.empty(n_topics), np.empty(n_topics)
    for start in range(n_units):
        first = document.offsets[start]
        product[:] = 1.0
        total[:] = 0.0
        factors = 0
        for unit in range(start, n_units):
            for token in range(document.offsets[unit], document.offsets[unit + 1]):
                word = document.words[token]
                prior = spans.seen[word] + spans.word_prior
                for topic in range(n_topics):
                    product[topic] *= counts.word_counts[word, topic] + prior
                spans.seen[word] += 1
                factors += 1
                if factors == spans.block:
                    for topic in range(n_topics):
                        total[topic] += math.log(product[topic])
                        product[topic] = 1.0
                    factors = 0
            length = document.offsets[unit + 1] - first
            for topic in range(n_topics):
                held = counts.topic_tokens[topic]
                below = spans.log_gamma[held + length] - spans.log_gamma[held]
                above = total[topic] + math.log(product[topic])
                spans.scores[start, unit + 1, topic] = above - below
        for token in range(first, document.offsets[n_units]):
            spans.seen[document.words[token]] = 0
        spans.reach[start, :] = n_units


@borrowing
def span_score(
    spans: SpanScores,
    document: DocumentTokens,
    counts: TopicCounts,
    start: int,
    end: int,
    topic: int,
) -> float:
    """Return S[start, end, topic], computing it if it is not known yet."""
    if end > spans.reach[start, topic]:
        score_spans(spans, document, counts, start, end, topic)
    return spans.scores[start, end, topic]  # type: ignore[no-any-return]


@borrowing
def layout_score(
    spans: SpanScores,
    document: DocumentTokens,
    counts: TopicCounts,
    order: NDArray[np.int64],
    bag: NDArray[np.int64],
) -> float:
    """Compute the log probability of the document's words given its structure (eq. 7)."""
    total, start = 0.0, 0
    for topic in order:
        if bag[topic] > 0:
            end = start + bag[topic]
            total += span_score(spans, document, counts, start, end, topic)
            start = end
    return total


@borrowing
def draw_log_weights(
    spans: SpanScores,
    document: DocumentTokens,
    counts: TopicCounts,
    order: NDArray[np.int64],
    bag: NDArray[np.int64],
    topic_prior: float,
    log_weights: NDArray[np.float64],
) -> None:
    """Compute the log weight of every topic for one draw taken out of the bag (eq. 10).

    If the topic of a slot gets the draw, its span is one unit longer and those behind it shift by
    one; those before it stay. So prefix and suffix sums serve all K candidates.
    """
    before, start = 0.0, 0
    for topic in order:
        size = bag[topic]
        longer = span_score(spans, document, counts, start, start + size + 1, topic)
        prior = math.log(counts.topic_units[topic] + topic_prior)
        log_weights[topic] = before + longer + prior
        if size > 0:
            before += span_score(spans, document, counts, start, start + size, topic)
        start += size
    after = 0.0
    for slot in range(order.size - 1, -1, -1):
        topic = order[slot]
        size = bag[topic]
        log_weights[topic] += after
        start -= size
        if size > 0:
            after += span_score(spans, document, counts, start + 1, start + 1 + size, topic)


@compiled
def resample_bag(
    spans: SpanScores,
    document: DocumentTokens,
    counts: TopicCounts,
    order: NDArray[np.int64],
    bag: NDArray[np.int64],
    topic_prior: float,
    uniforms: NDArray[np.float64],
) -> None:
    """Resample each draw of the bag once, in random order (eq. 10).

    The random order matters: the state keeps counts, not a sequence of draws, and resampling
    them topic by topic would not leave the posterior invariant.
    """
    n_draws = document.offsets.size - 1
    draws = np.empty(n_draws, np.int64)
    filled = 0
    for topic in range(bag.size):
        draws[filled : filled + bag[topic]] = topic
        filled += bag[topic]
    log_weights = np.empty(bag.size)
    for step in range(n_draws):
        picked = step + int(uniforms[step] * (n_draws - step))
        old = draws[picked]
        draws[picked] = draws[step]
        bag[old] -= 1
        counts.topic_units[old] -= 1
        draw_log_weights(spans, document, counts, order, bag, topic_prior, log_weights)
        new = draw_index(log_weights, bag.size, uniforms[n_draws + step])
        bag[new] += 1
        counts.topic_units[new] += 1


@compiled
def inversion_log_weights(
    spans: SpanScores,
    document: DocumentTokens,
    counts: TopicCounts,
    order: NDArray[np.int64],
    bag: NDArray[np.int64],
    topic: int,
    dispersion: float,
    log_weights: NDArray[np.float64],
) -> int:
    """Compute the log weight of every inversion count of one topic, given the others (eq. 11).

    The lesser topics keep their slots, the greater ones their order in the remaining slots. So
    raising the count by one swaps the topic with the next greater one. Leaves the topic behind all
    greater ones in `order`, and returns the number of possible counts.
    """
    slots = np.empty(order.size, np.int64)
    n_values, current = list_slots(order, topic, slots)
    move_forward(order, topic, slots, current, 0)
    score = layout_score(spans, document, counts, order, bag)
    log_weights[0] = score
    for count in range(1, n_values):
        here, there = slots[count - 1], slots[count]
        changes = swap_changes_layout(order, bag, here, there)
        order[here], order[there] = order[there], order[here]
        if changes:
            score = layout_score(spans, document, counts, order, bag)
        log_weights[count] = score - dispersion * count
    return n_values


@compiled
def resample_inversions(
    spans: SpanScores,
    document: DocumentTokens,
    counts: TopicCounts,
    inversions: NDArray[np.int64],
    bag: NDArray[np.int64],
    dispersion: NDArray[np.float64],
    uniforms: NDArray[np.float64],
) -> None:
    """Resample each inversion count of a document once, from the first topic on (eq. 11)."""
    order = np.empty(bag.size, np.int64)
    log_weights = np.empty(bag.size)
    for topic in range(inversions.size):
        fill_order(order, inversions)
        n_values = inversion_log_weights(
            spans, document, counts, order, bag, topic, dispersion[topic], log_weights
        )
        inversions[topic] = draw_index(log_weights, n_values, uniforms[topic])


@compiled
def resample_structure(
    document: DocumentTokens,
    bag: NDArray[np.int64],
    inversions: NDArray[np.int64],
    counts: TopicCounts,
    spans: SpanScores,
    topic_prior: float,
    dispersion: NDArray[np.float64],
    bag_uniforms: NDArray[np.float64],
    inversion_uniforms: NDArray[np.float64],
    fill_first: bool,
) -> None:
    """Resample one document's structure in place, and update the counts.

    With empty `bag_uniforms` or `inversion_uniforms` that part of the structure stays.
    """
    order = np.empty(bag.size, np.int64)
    fill_order(order, inversions)
    add_tokens(document, order, bag, counts, -1)
    spans.reach[: document.offsets.size - 1, :] = 0
    if fill_first:
        score_all_spans(spans, document, counts)
    if bag_uniforms.size > 0:
        resample_bag(spans, document, counts, order, bag, topic_prior, bag_uniforms)
    if inversion_uniforms.size > 0:
        resample_inversions(
            spans, document, counts, inversions, bag, dispersion, inversion_uniforms
        )
        fill_order(order, inversions)
    add_tokens(document, order, bag, counts, 1)
