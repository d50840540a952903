"""The compiled code of the model: one document's words and the counts in, its structure out.

Everything rests on span scores: S[i, j, k] is the log probability of the document's units
i … j−1 under topic k (eq. 7 and 9), the document's own words taken out of the counts. Each
conditional of the document (eq. 10 and 11) is a sum of at most K of them.

Randomness comes in as numbers in [0, 1), so that a kernel is a function of its arguments alone.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from permutopic.jit import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Words(NamedTuple):
    """One document: its tokens, and where its units begin and end among them."""

    tokens: NDArray[np.int32]
    offsets: NDArray[np.int64]


class Counts(NamedTuple):
    """What the topics hold: tokens of each word, tokens, units."""

    word_counts: NDArray[np.int32]
    topic_words: NDArray[np.int64]
    topic_units: NDArray[np.int64]


class Spans(NamedTuple):
    """Span scores of one document at a time, and what computing them takes.

    `scores[i, j, k]` is known for j ≤ `reach[i, k]`. `log_gamma[n]` is logΓ(n + Wβ0); `seen` is
    all zeros between calls. A product of `block` factors cannot leave the floats.
    """

    scores: NDArray[np.float64]
    reach: NDArray[np.int64]
    seen: NDArray[np.int32]
    log_gamma: NDArray[np.float64]
    word_prior: float
    block: int


@compiled
def fill_order(order: NDArray[np.int64], inversions: NDArray[np.int64]) -> None:
    """Write the order that these inversion counts encode, item after item from the last."""
    n_topics = order.size
    order[0] = n_topics - 1
    for topic in range(n_topics - 2, -1, -1):
        place = inversions[topic]
        for slot in range(n_topics - 1 - topic, place, -1):
            order[slot] = order[slot - 1]
        order[place] = topic


@compiled
def add_words(
    words: Words, order: NDArray[np.int64], bag: NDArray[np.int64], counts: Counts, sign: int
) -> None:
    """Add (sign 1) or take out (sign −1) a document's tokens."""
    unit = 0
    for topic in order:
        first, last = words.offsets[unit], words.offsets[unit + bag[topic]]
        for token in range(first, last):
            counts.word_counts[words.tokens[token], topic] += sign
        counts.topic_words[topic] += sign * (last - first)
        unit += bag[topic]


@compiled
def reach_spans(
    spans: Spans, words: Words, counts: Counts, start: int, end: int, topic: int
) -> None:
    """Score the spans of one topic that begin at `start`, up to the one that stops at `end`."""
    first = words.offsets[start]
    held = counts.topic_words[topic]
    total, product, factors = 0.0, 1.0, 0
    for unit in range(start, end):
        for token in range(words.offsets[unit], words.offsets[unit + 1]):
            word = words.tokens[token]
            product *= counts.word_counts[word, topic] + spans.seen[word] + spans.word_prior
            spans.seen[word] += 1
            factors += 1
            if factors == spans.block:
                total += math.log(product)
                product, factors = 1.0, 0
        after = held + words.offsets[unit + 1] - first
        below = spans.log_gamma[after] - spans.log_gamma[held]
        spans.scores[start, unit + 1, topic] = total + math.log(product) - below
    for token in range(first, words.offsets[end]):
        spans.seen[words.tokens[token]] = 0
    spans.reach[start, topic] = end


@compiled
def reach_all_spans(spans: Spans, words: Words, counts: Counts) -> None:
    """Score every span under every topic: for each start, all topics side by side."""
    n_units, n_topics = words.offsets.size - 1, counts.topic_words.size
    product, total = np.empty(n_topics), np.empty(n_topics)
    for start in range(n_units):
        first = words.offsets[start]
        product[:] = 1.0
        total[:] = 0.0
        factors = 0
        for unit in range(start, n_units):
            for token in range(words.offsets[unit], words.offsets[unit + 1]):
                word = words.tokens[token]
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
            length = words.offsets[unit + 1] - first
            for topic in range(n_topics):
                held = counts.topic_words[topic]
                below = spans.log_gamma[held + length] - spans.log_gamma[held]
                above = total[topic] + math.log(product[topic])
                spans.scores[start, unit + 1, topic] = above - below
        for token in range(first, words.offsets[n_units]):
            spans.seen[words.tokens[token]] = 0
        spans.reach[start, :] = n_units


@compiled
def span_score(
    spans: Spans, words: Words, counts: Counts, start: int, end: int, topic: int
) -> float:
    """Look S[start, end, topic] up, after computing it if this is the first time."""
    if end > spans.reach[start, topic]:
        reach_spans(spans, words, counts, start, end, topic)
    return spans.scores[start, end, topic]  # type: ignore[no-any-return]


@compiled
def layout_score(
    spans: Spans,
    words: Words,
    counts: Counts,
    order: NDArray[np.int64],
    bag: NDArray[np.int64],
) -> float:
    """Compute the log probability of the document's words under a whole structure (eq. 7)."""
    total, start = 0.0, 0
    for topic in order:
        if bag[topic] > 0:
            end = start + bag[topic]
            total += span_score(spans, words, counts, start, end, topic)
            start = end
    return total


@compiled
def choose(log_weights: NDArray[np.float64], n_values: int, uniform: float) -> int:
    """Pick one of the first `n_values` in proportion to exp(log_weights)."""
    highest = log_weights[0]
    for value in range(1, n_values):
        highest = max(highest, log_weights[value])
    total = 0.0
    for value in range(n_values):
        total += math.exp(log_weights[value] - highest)
    threshold = uniform * total
    running = 0.0
    for value in range(n_values):
        running += math.exp(log_weights[value] - highest)
        if running > threshold:
            return value
    return n_values - 1


@compiled
def draw_log_weights(
    spans: Spans,
    words: Words,
    counts: Counts,
    order: NDArray[np.int64],
    bag: NDArray[np.int64],
    topic_prior: float,
    log_weights: NDArray[np.float64],
) -> None:
    """Weigh every topic for one draw that has been taken out of the bag (eq. 10).

    Giving the draw to the topic in some slot makes that slot one unit longer and moves those
    behind it by one; those before it stay. So prefix and suffix sums serve all K candidates.
    """
    before, start = 0.0, 0
    for topic in order:
        size = bag[topic]
        longer = span_score(spans, words, counts, start, start + size + 1, topic)
        prior = math.log(counts.topic_units[topic] + topic_prior)
        log_weights[topic] = before + longer + prior
        if size > 0:
            before += span_score(spans, words, counts, start, start + size, topic)
        start += size
    after = 0.0
    for slot in range(order.size - 1, -1, -1):
        topic = order[slot]
        size = bag[topic]
        log_weights[topic] += after
        start -= size
        if size > 0:
            after += span_score(spans, words, counts, start + 1, start + 1 + size, topic)


@compiled
def resample_bag(
    spans: Spans,
    words: Words,
    counts: Counts,
    order: NDArray[np.int64],
    bag: NDArray[np.int64],
    topic_prior: float,
    uniforms: NDArray[np.float64],
) -> None:
    """Resample each draw of the bag once, in random order (eq. 10).

    The random order matters: the state keeps counts, not a sequence of draws, and going
    through the draws topic by topic would not leave the posterior as it is.
    """
    n_draws = words.offsets.size - 1
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
        draw_log_weights(spans, words, counts, order, bag, topic_prior, log_weights)
        new = choose(log_weights, bag.size, uniforms[n_draws + step])
        bag[new] += 1
        counts.topic_units[new] += 1


@compiled
def swap_changes_layout(
    order: NDArray[np.int64], bag: NDArray[np.int64], here: int, there: int
) -> bool:
    """Tell whether swapping the topics of two slots moves any unit to another topic.

    Most topics of a document are empty: swapping two of them changes nothing, and an empty one
    can be swapped with a full one unless a full one stands between them.
    """
    left_full, right_full = bag[order[here]] > 0, bag[order[there]] > 0
    if left_full == right_full:
        return bool(left_full)
    between = False
    for slot in range(here + 1, there):
        between = between or bag[order[slot]] > 0
    return bool(between)


@compiled
def inversion_log_weights(
    spans: Spans,
    words: Words,
    counts: Counts,
    order: NDArray[np.int64],
    bag: NDArray[np.int64],
    topic: int,
    dispersion: float,
    log_weights: NDArray[np.float64],
) -> int:
    """Weigh every inversion count of one topic, the others kept (eq. 11).

    The lesser topics hold their slots; the greater ones keep their own order in the rest. So
    raising the count by one swaps the topic with the next greater one. Leaves the topic behind
    all greater ones in `order`, and gives the number of counts.
    """
    slots = np.empty(order.size, np.int64)
    n_values, current = 0, 0
    for slot in range(order.size):
        if order[slot] >= topic:
            slots[n_values] = slot
            n_values += 1
            if order[slot] == topic:
                current = n_values - 1
    for place in range(current, 0, -1):
        order[slots[place]] = order[slots[place - 1]]
    order[slots[0]] = topic
    score = layout_score(spans, words, counts, order, bag)
    log_weights[0] = score
    for count in range(1, n_values):
        here, there = slots[count - 1], slots[count]
        changes = swap_changes_layout(order, bag, here, there)
        order[here], order[there] = order[there], order[here]
        if changes:
            score = layout_score(spans, words, counts, order, bag)
        log_weights[count] = score - dispersion * count
    return n_values


@compiled
def resample_inversions(
    spans: Spans,
    words: Words,
    counts: Counts,
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
            spans, words, counts, order, bag, topic, dispersion[topic], log_weights
        )
        inversions[topic] = choose(log_weights, n_values, uniforms[topic])


@compiled
def visit_document(
    words: Words,
    bag: NDArray[np.int64],
    inversions: NDArray[np.int64],
    counts: Counts,
    spans: Spans,
    topic_prior: float,
    dispersion: NDArray[np.float64],
    bag_uniforms: NDArray[np.float64],
    inversion_uniforms: NDArray[np.float64],
    fill_first: bool,
) -> None:
    """Resample one document's structure in place, and the counts with it.

    An empty `bag_uniforms` or `inversion_uniforms` leaves that part of the structure alone.
    """
    order = np.empty(bag.size, np.int64)
    fill_order(order, inversions)
    add_words(words, order, bag, counts, -1)
    spans.reach[: words.offsets.size - 1, :] = 0
    if fill_first:
        reach_all_spans(spans, words, counts)
    if bag_uniforms.size > 0:
        resample_bag(spans, words, counts, order, bag, topic_prior, bag_uniforms)
    if inversion_uniforms.size > 0:
        resample_inversions(spans, words, counts, inversions, bag, dispersion, inversion_uniforms)
        fill_order(order, inversions)
    add_words(words, order, bag, counts, 1)
