"""The span table: log probabilities of all spans of a document under all topics (eq. 7, 9).

A span goes from one cut of the document to a later one. Cuts are the positions where a boundary
may be: all positions between two units, or a random choice of them if the document is long. For a
fixed start the factors of all later tokens are multiplied up, for all topics at once; the cost is
tokens × starts / 2 × topics multiplications and one logarithm for each entry of the table.

Eight topics fill one vector register, and four starts are processed together: enough independent
products to hide the latency of a multiplication. Starts share only what they read, so threads can
split them, and the table is the same to the last bit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from permutopic.jit import compiled
from permutopic.model.kernels.arrays import take_floats
from permutopic.model.kernels.elementary import (
    LN2,
    divide_by_power_of_two,
    exponent_of,
    fast_log,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Lanes = tuple[float, float, float, float, float, float, float, float]

LANES, STARTS = 8, 4


class CutDocument(NamedTuple):
    """The tokens of one document, and its cuts.

    `tokens` are numbers of the document's own vocabulary, `words` that vocabulary as numbers of
    the corpus's. Own words are numbered by their last occurrence, from the end of the document: so
    those that occur behind some position are the first so many. `cut_tokens[c]` is the first token
    behind cut c, and `reach[c]` the number of different words from there on.
    """

    tokens: NDArray[np.int32]
    words: NDArray[np.int64]
    cut_tokens: NDArray[np.int64]
    reach: NDArray[np.int64]


class TopicFactors(NamedTuple):
    """The topics' counts of a document's words, without the document's own tokens.

    `rows[g, w, lane]` is N_kw + β0 for topic k = 8 g + lane; `topic_tokens[k]` is N_k.
    `log_gamma[n]` is logΓ(n + Wβ0). A product of `block` factors stays within the floats.
    """

    rows: NDArray[np.float64]
    topic_tokens: NDArray[np.int64]
    log_gamma: NDArray[np.float64]
    block: int


class SpanTable(NamedTuple):
    """The weights of all spans between the cuts of one visit.

    `active` lists the active topics, and `active_index` has the index of each topic among them, −1
    for an inactive one. `log_prevalence` and the tables are in that numbering: log weights, and
    linear ones with ends and with starts of spans side by side (`linear_filters`).
    """

    cuts: NDArray[np.int64]
    active: NDArray[np.int64]
    active_index: NDArray[np.int64]
    log_prevalence: NDArray[np.float64]
    log_weights: NDArray[np.float64]
    linear_weights: NDArray[np.float64]
    transposed: NDArray[np.float64]


class Scratch(NamedTuple):
    """Scratch memory of one thread.

    `seen[w, s]` is how often word w occurred since start s of the four in work. A product is
    `products` × 2^`exponents`; `logs` and `log2_scales` hold both at every cut.
    """

    seen: NDArray[np.float64]
    products: NDArray[np.float64]
    exponents: NDArray[np.float64]
    logs: NDArray[np.float64]
    log2_scales: NDArray[np.float64]


@compiled
def make_scratch(n_words: int, n_cuts: int) -> Scratch:
    """Allocate scratch memory for documents of at most so many different words and cuts."""
    return Scratch(
        np.empty((n_words, STARTS)),
        np.empty(STARTS * LANES),
        np.empty(STARTS * LANES),
        np.empty((n_cuts, STARTS * LANES)),
        np.empty((n_cuts, STARTS * LANES)),
    )


@compiled
def make_span_table(
    cuts: NDArray[np.int64], active: NDArray[np.int64], log_prevalence: NDArray[np.float64]
) -> SpanTable:
    """Allocate the table of a visit; `log_prevalence` has all topics."""
    index = np.empty(log_prevalence.size, np.int64)
    index[:] = -1
    for n in range(active.size):
        index[active[n]] = n
    shape = (active.size, cuts.size - 1, (cuts.size + LANES - 1) // LANES * LANES)
    tables = np.empty(shape), np.empty(shape), np.empty(shape)
    log_prevalence = take_floats(log_prevalence, active)
    return SpanTable(cuts, active, index, log_prevalence, tables[0], tables[1], tables[2])


@compiled
def gather_rows(
    rows: NDArray[np.float64],
    words: NDArray[np.int64],
    word_counts: NDArray[np.int32],
    active: NDArray[np.int64],
    word_prior: float,
    first_word: int,
    last_word: int,
) -> None:
    """Copy N_kw + β0 of some of a document's words and the active topics, eight side by side."""
    for group in range(rows.shape[0]):
        first = group * LANES
        width = min(LANES, active.size - first)
        for w in range(first_word, last_word):
            word = words[w]
            for lane in range(width):
                rows[group, w, lane] = word_counts[word, active[first + lane]] + word_prior
            for lane in range(width, LANES):
                rows[group, w, lane] = 1.0


@compiled
def multiply_lanes(
    product: Lanes, rows: NDArray[np.float64], word: np.uint64, seen: float
) -> Lanes:
    """Multiply eight products by one token's factors; written out, it becomes one vector."""
    return (
        product[0] * (rows[word, 0] + seen),
        product[1] * (rows[word, 1] + seen),
        product[2] * (rows[word, 2] + seen),
        product[3] * (rows[word, 3] + seen),
        product[4] * (rows[word, 4] + seen),
        product[5] * (rows[word, 5] + seen),
        product[6] * (rows[word, 6] + seen),
        product[7] * (rows[word, 7] + seen),
    )


@compiled
def load_lanes(products: NDArray[np.float64], start: int) -> Lanes:
    """Load the eight products of one start."""
    at = start * LANES
    return (
        products[at + 0],
        products[at + 1],
        products[at + 2],
        products[at + 3],
        products[at + 4],
        products[at + 5],
        products[at + 6],
        products[at + 7],
    )


@compiled
def store_lanes(products: NDArray[np.float64], start: int, product: Lanes) -> None:
    """Store the eight products of one start."""
    at = start * LANES
    products[at + 0] = product[0]
    products[at + 1] = product[1]
    products[at + 2] = product[2]
    products[at + 3] = product[3]
    products[at + 4] = product[4]
    products[at + 5] = product[5]
    products[at + 6] = product[6]
    products[at + 7] = product[7]


@compiled
def multiply_tokens(
    tokens: NDArray[np.int32],
    first: int,
    last: int,
    rows: NDArray[np.float64],
    seen: NDArray[np.float64],
    products: NDArray[np.float64],
) -> None:
    """Multiply the factors of some tokens into the products of four starts and eight topics.

    The inner loop of a fit: for each token four vector additions and four multiplications.
    """
    a, b = load_lanes(products, 0), load_lanes(products, 1)
    c, d = load_lanes(products, 2), load_lanes(products, 3)
    for token in range(first, last):
        word = np.uint64(tokens[token])
        a = multiply_lanes(a, rows, word, seen[word, 0])
        b = multiply_lanes(b, rows, word, seen[word, 1])
        c = multiply_lanes(c, rows, word, seen[word, 2])
        d = multiply_lanes(d, rows, word, seen[word, 3])
        seen[word, 0] += 1.0
        seen[word, 1] += 1.0
        seen[word, 2] += 1.0
        seen[word, 3] += 1.0
    store_lanes(products, 0, a)
    store_lanes(products, 1, b)
    store_lanes(products, 2, c)
    store_lanes(products, 3, d)


@compiled
def extract_exponents(products: NDArray[np.float64], exponents: NDArray[np.float64]) -> None:
    """Move the powers of two of the products over to their exponents."""
    for n in range(products.size):
        exponent = exponent_of(products[n])
        products[n] = divide_by_power_of_two(products[n], exponent)
        exponents[n] += exponent


@compiled
def store_at_cut(
    products: NDArray[np.float64],
    exponents: NDArray[np.float64],
    cut: int,
    logs: NDArray[np.float64],
    log2_scales: NDArray[np.float64],
) -> None:
    """Store all products as they are at a cut; `take_logs` comes later."""
    for n in range(STARTS * LANES):
        logs[cut, n] = products[n]
        log2_scales[cut, n] = exponents[n]


@compiled
def take_logs(
    first: int, last: int, logs: NDArray[np.float64], log2_scales: NDArray[np.float64]
) -> None:
    """Replace all stored products by their logarithms, in one long loop."""
    flat_logs, flat_scales = logs[first:last].ravel(), log2_scales[first:last].ravel()
    for n in range(flat_logs.size):
        flat_logs[n] = fast_log(flat_logs[n]) + flat_scales[n] * LN2


@compiled
def accumulate_products(
    document: CutDocument, rows: NDArray[np.float64], block: int, first: int, scratch: Scratch
) -> None:
    """Multiply up eight topics for the starts first … first + 3, from cut to cut.

    A start's products are one, and its words unseen, until its own cut is reached.
    """
    n_cuts = document.cut_tokens.size
    products, exponents, seen = scratch.products, scratch.exponents, scratch.seen
    products[:] = 1.0
    exponents[:] = 0.0
    for word in range(document.reach[first]):
        for start in range(STARTS):
            seen[word, start] = 0.0
    for cut in range(first + 1, n_cuts):
        here, end = document.cut_tokens[cut - 1], document.cut_tokens[cut]
        while here < end:
            stop = min(end, here + block)
            multiply_tokens(document.tokens, here, stop, rows, seen, products)
            extract_exponents(products, exponents)
            here = stop
        store_at_cut(products, exponents, cut, scratch.logs, scratch.log2_scales)
        for start in range(cut - first, STARTS):  # those that begin here or later
            for lane in range(start * LANES, (start + 1) * LANES):
                products[lane] = 1.0
                exponents[lane] = 0.0
            for token in range(document.cut_tokens[cut - 1], end):
                seen[document.tokens[token], start] = 0.0
    take_logs(first + 1, n_cuts, scratch.logs, scratch.log2_scales)


@compiled
def fill_spans(
    scores: NDArray[np.float64],
    document: CutDocument,
    factors: TopicFactors,
    scratch: Scratch,
    share: int,
    shares: int,
) -> None:
    """Fill scores[k, i, j] for one of `shares` parts of the starts i; all for share 0 of 1."""
    n_topics, n_starts, n_cuts = scores.shape[0], scores.shape[1], document.cut_tokens.size
    log_gamma, cut_tokens, logs = factors.log_gamma, document.cut_tokens, scratch.logs
    for first in range(share * STARTS, n_starts, shares * STARTS):
        for group in range(factors.rows.shape[0]):
            accumulate_products(document, factors.rows[group], factors.block, first, scratch)
            for lane in range(min(LANES, n_topics - group * LANES)):
                topic = group * LANES + lane
                held = factors.topic_tokens[topic]
                for start in range(first, min(first + STARTS, n_starts)):
                    lane_here = np.uint64((start - first) * LANES + lane)
                    behind, below = held - cut_tokens[start], log_gamma[held]
                    for n in range(n_cuts - start - 1):
                        cut = np.uint64(start + 1 + n)
                        after = np.uint64(behind + cut_tokens[cut])
                        span = logs[cut, lane_here] - (log_gamma[after] - below)
                        scores[topic, start, cut] = span
