"""The span table: log probabilities of all spans of a document under all topics (eq. 7, 9).

A span goes from one cut of the document to a later one. Cuts are the positions where a boundary
may be: all positions between two units, or a random choice of them if the document is long. For a
fixed start the factors of all later tokens are multiplied up, for all topics at once; the cost is
tokens × starts / 2 × topics multiplications and one logarithm for each entry of the table.

Eight topics fill one vector register, and four starts are processed together: enough independent
products to hide the latency of a multiplication. Such blocks share only what they read, so threads
can split them, and the table is the same to the last bit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from permutopic.jit import borrowing, compiled, inlined
from permutopic.model.kernels.arrays import take_floats
from permutopic.model.kernels.elementary import (
    LN2,
    divide_by_power_of_two,
    exponent_of,
    fast_log,
)
from permutopic.model.kernels.lanes import (
    LANES,
    load_counts,
    load_lanes,
    multiply_lanes,
    store_lanes,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

STARTS = 4
_1, _2, _3 = np.uint64(1), np.uint64(2), np.uint64(3)
_A, _B, _C, _D = (np.uint64(LANES * start) for start in range(STARTS))


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
    """The topics' counts of tokens, without the document's own, and what belongs to them.

    `topic_tokens[k]` is N_k; `log_gamma[n]` is logΓ(n + Wβ0). A product of `block` factors stays
    within the floats. The factors of words are rows of their own (`gather_rows`).
    """

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

    `seen[4 w + s]` is how often word w occurred since start s of the four in work. A product is
    `products[8 s + lane]` × 2^`exponents[8 s + lane]`; `logs` and `log2_scales` hold both at
    every cut, those of one product side by side.
    """

    seen: NDArray[np.float64]
    products: NDArray[np.float64]
    exponents: NDArray[np.float64]
    logs: NDArray[np.float64]
    log2_scales: NDArray[np.float64]
    block: NDArray[np.float64]


@compiled
def make_scratch(n_words: int, n_cuts: int) -> Scratch:
    """Allocate scratch memory for documents of at most so many different words and cuts."""
    return Scratch(
        np.empty(n_words * STARTS),
        np.empty(STARTS * LANES),
        np.empty(STARTS * LANES),
        np.empty(STARTS * LANES * n_cuts),
        np.empty(STARTS * LANES * n_cuts),
        np.empty((LANES, STARTS, n_cuts + LANES)),
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


@borrowing
def gather_group(
    rows: NDArray[np.float64],
    words: NDArray[np.int64],
    word_counts: NDArray[np.int32],
    active: NDArray[np.int64],
    first: int,
    width: int,
    word_prior: float,
    first_word: int,
    last_word: int,
) -> None:
    """Copy N_kw + β0 of some of a document's words and `width` active topics from one on.

    The eight numbers of a word are side by side; any positive ones where there is no topic.
    """
    flat, n_topics = word_counts.reshape(word_counts.size), word_counts.shape[1]
    lowest = active[first]
    neighbours = active[first + width - 1] == lowest + width - 1
    for w in range(first_word, last_word):
        counts = words[w] * n_topics
        if neighbours and counts + lowest + LANES <= flat.size:  # nearly always, and then a vector
            held = load_counts(flat, np.uint64(counts + lowest), word_prior)
            store_lanes(rows, np.uint64(w * LANES), held)
            continue
        for lane in range(width):
            rows[w * LANES + lane] = flat[counts + active[first + lane]] + word_prior
        for lane in range(width, LANES):
            rows[w * LANES + lane] = 1.0


@borrowing
def gather_rows(
    rows: NDArray[np.float64],
    words: NDArray[np.int64],
    word_counts: NDArray[np.int32],
    active: NDArray[np.int64],
    word_prior: float,
) -> None:
    """Do the same for all active topics: rows[g, w, lane] for topic k = 8 g + lane."""
    for group in range(rows.shape[0]):
        own, first = rows[group].reshape(words.size * LANES), group * LANES
        width = min(LANES, active.size - first)
        gather_group(own, words, word_counts, active, first, width, word_prior, 0, words.size)


@inlined
def multiply_tokens(
    tokens: NDArray[np.int32],
    first: int,
    last: int,
    rows: NDArray[np.float64],
    seen: NDArray[np.float64],
    products: NDArray[np.float64],
) -> None:
    """Multiply the factors of some tokens into the products of four starts and eight topics.

    The inner loop of a fit: for each token four vector additions and four multiplications. Indices
    are unsigned and arrays flat, so that the address of a row is a shift and an addition.
    """
    a, b = load_lanes(products, _A), load_lanes(products, _B)
    c, d = load_lanes(products, _C), load_lanes(products, _D)
    for token in range(np.uint64(first), np.uint64(last)):
        word = np.uint64(tokens[token])
        row, met = word << _3, word << _2
        a = multiply_lanes(a, rows, row, seen[met])
        b = multiply_lanes(b, rows, row, seen[met + _1])
        c = multiply_lanes(c, rows, row, seen[met + _2])
        d = multiply_lanes(d, rows, row, seen[met + _3])
        seen[met] += 1.0
        seen[met + _1] += 1.0
        seen[met + _2] += 1.0
        seen[met + _3] += 1.0
    store_lanes(products, _A, a)
    store_lanes(products, _B, b)
    store_lanes(products, _C, c)
    store_lanes(products, _D, d)


@borrowing
def extract_exponents(products: NDArray[np.float64], exponents: NDArray[np.float64]) -> None:
    """Move the powers of two of the products over to their exponents."""
    for n in range(STARTS * LANES):
        exponent = exponent_of(products[n])
        products[n] = divide_by_power_of_two(products[n], exponent)
        exponents[n] += exponent


@borrowing
def store_at_cut(scratch: Scratch, n: int, n_stored: int, width: int) -> None:
    """Store the products of the first `width` lanes as they are at the n-th of so many cuts."""
    products, exponents = scratch.products, scratch.exponents
    logs, log2_scales = scratch.logs, scratch.log2_scales
    row, step = np.uint64(n), np.uint64(n_stored)
    for lane in range(np.uint64(width)):
        for first in (_A, _B, _C, _D):
            logs[row] = products[first + lane]
            log2_scales[row] = exponents[first + lane]
            row += step


@borrowing
def take_logs(logs: NDArray[np.float64], log2_scales: NDArray[np.float64]) -> None:
    """Replace all stored products by their logarithms, in one long loop."""
    for n in range(logs.size):
        logs[n] = fast_log(logs[n]) + log2_scales[n] * LN2


@borrowing
def accumulate_products(
    document: CutDocument,
    rows: NDArray[np.float64],
    block: int,
    first: int,
    width: int,
    scratch: Scratch,
) -> None:
    """Multiply up eight topics for the starts first … first + 3, from cut to cut.

    A start's products are one, and its words unseen, until its own cut is reached.
    """
    n_cuts = document.cut_tokens.size
    products, exponents, seen = scratch.products, scratch.exponents, scratch.seen
    products[:] = 1.0
    exponents[:] = 0.0
    for n in range(document.reach[first] * STARTS):
        seen[n] = 0.0
    for cut in range(first + 1, n_cuts):
        here, end = document.cut_tokens[cut - 1], document.cut_tokens[cut]
        while here < end:
            stop = min(end, here + block)
            multiply_tokens(document.tokens, here, stop, rows, seen, products)
            extract_exponents(products, exponents)
            here = stop
        store_at_cut(scratch, cut - first - 1, n_cuts - first - 1, width)
        for start in range(cut - first, STARTS):  # those that begin here or later
            for lane in range(start * LANES, (start + 1) * LANES):
                products[lane] = 1.0
                exponents[lane] = 0.0
            for token in range(document.cut_tokens[cut - 1], end):
                seen[document.tokens[token] * STARTS + start] = 0.0


@borrowing
def count_blocks(n_cuts: int, n_topics: int) -> int:
    """Count the blocks of a table: four starts and eight topics each."""
    return (n_cuts + STARTS - 2) // STARTS * ((n_topics + LANES - 1) // LANES)


@borrowing
def group_size(n_topics: int) -> int:
    """Return how many topics go side by side where groups of up to eight are to be alike."""
    n_groups = (n_topics + LANES - 1) // LANES
    return (n_topics + n_groups - 1) // n_groups


@borrowing
def corner_of(number: int, n_cuts: int, size: int) -> tuple[int, int]:
    """Return the first topic and the first start of a block: group after group of `size` topics.

    Within a group the longest spans are at both ends, and the shortest where two threads meet that
    come from there.
    """
    n_blocks = count_blocks(n_cuts, 1)
    group, place = number // n_blocks, number % n_blocks
    rank = 2 * place if 2 * place < n_blocks else 2 * (n_blocks - place) - 1
    return group * size, rank * STARTS


@borrowing
def fill_block(
    scores: NDArray[np.float64],
    onto: tuple[int, int],
    document: CutDocument,
    rows: NDArray[np.float64],
    factors: TopicFactors,
    scratch: Scratch,
    corner: tuple[int, int],
    width: int,
) -> None:
    """Compute the scores of one block's spans; its first topic and start go to `onto`.

    `rows` are those of its topics, `width` their number.
    """
    n_cuts, (topic, first) = document.cut_tokens.size, corner
    log_gamma, cut_tokens, logs = factors.log_gamma, document.cut_tokens, scratch.logs
    accumulate_products(document, rows, factors.block, first, width, scratch)
    n_stored = n_cuts - first - 1
    n_logs = width * STARTS * n_stored
    take_logs(logs[:n_logs], scratch.log2_scales[:n_logs])
    for lane in range(width):
        held = factors.topic_tokens[topic + lane]
        for start in range(min(STARTS, n_stored)):
            row = np.uint64((lane * STARTS + start) * n_stored)
            behind, below = held - cut_tokens[first + start], log_gamma[held]
            for n in range(start, n_stored):
                cut = np.uint64(first + 1 + n)
                after = np.uint64(behind + cut_tokens[cut])
                span = logs[row + np.uint64(n)] - (log_gamma[after] - below)
                scores[onto[0] + lane, onto[1] + start, cut] = span


@borrowing
def copy_block(
    table: NDArray[np.float64],
    block: NDArray[np.float64],
    corner: tuple[int, int],
    width: int,
    n_cuts: int,
) -> None:
    """Copy a block into its table, the vectors of cuts that hold spans."""
    topic, first = corner
    for lane in range(width):
        for start in range(first, min(first + STARTS, n_cuts - 1)):
            row, onto = block[lane, start - first], table[topic + lane, start]
            for cut in range((start + 1) // LANES * LANES, n_cuts, LANES):
                store_lanes(onto, np.uint64(cut), load_lanes(row, np.uint64(cut)))


@borrowing
def fill_spans(
    scores: NDArray[np.float64],
    document: CutDocument,
    rows: NDArray[np.float64],
    factors: TopicFactors,
    scratch: Scratch,
    share: int,
    shares: int,
) -> None:
    """Fill scores[k, i, j] for one of `shares` parts of the blocks; all for share 0 of 1."""
    n_cuts = document.cut_tokens.size
    for number in range(share, count_blocks(n_cuts, scores.shape[0]), shares):
        corner = corner_of(number, n_cuts, LANES)
        width = min(LANES, scores.shape[0] - corner[0])
        of_topics = rows[corner[0] // LANES].reshape(rows.shape[1] * LANES)
        fill_block(scores, corner, document, of_topics, factors, scratch, corner, width)
