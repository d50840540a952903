"""The span table: log probabilities of all spans of a document under all topics.

A span goes from one cut of the document to a later one. Cuts are where a boundary may be: every
place between two units, or some of them if the document is long. For a fixed start the factors
of all tokens behind it are multiplied up, topic beside topic; the cost is tokens × starts / 2 ×
topics multiplications and one logarithm for each entry of the table.

Eight topics are one vector, and four starts go along together: enough independent products for
the processor never to wait for one. Starts share nothing but what they read, so threads may
split them and the table is the same to the last bit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from permutopic.jit import compiled
from permutopic.model.kernels.elementary import LN2, exponent_of, fast_log, scaled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Lanes = tuple[float, float, float, float, float, float, float, float]

LANES, STARTS = 8, 4
_ONES = (1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0)


class Text(NamedTuple):
    """One document between its cuts.

    `tokens` are numbers of the document's own vocabulary, `words` the corpus's numbers for it.
    That vocabulary is numbered by where each word is seen last, from the end of the document: the
    words that a walk from some place on can meet are the first so many. `cut_tokens[c]` is the
    first token behind cut c, and `reach[c]` how many different words there are from it on.
    """

    tokens: NDArray[np.int32]
    words: NDArray[np.int64]
    cut_tokens: NDArray[np.int64]
    reach: NDArray[np.int64]


class Factors(NamedTuple):
    """What the topics hold of the document's words, the document's own taken out.

    `rows[g, w, lane]` is N_kw + β0 for topic k = 8 g + lane; `held[k]` counts all of a topic's
    tokens. `log_gamma[n]` is logΓ(n + Wβ0). A product of `block` factors stays within the floats.
    """

    rows: NDArray[np.float64]
    held: NDArray[np.int64]
    log_gamma: NDArray[np.float64]
    block: int


class Scratch(NamedTuple):
    """Room to work in, one for each thread.

    `seen[w, s]` is how often word w was met since start s of the four at work.
    """

    seen: NDArray[np.float64]
    products: NDArray[np.float64]
    exponents: NDArray[np.float64]
    logs: NDArray[np.float64]
    powers: NDArray[np.float64]


def make_scratch(n_words: int, n_cuts: int) -> Scratch:
    """Make room for a document of so many different words and cuts."""
    return Scratch(
        seen=np.empty((n_words, STARTS)),
        products=np.empty(STARTS * LANES),
        exponents=np.empty(STARTS * LANES),
        logs=np.empty((n_cuts, STARTS * LANES)),
        powers=np.empty((n_cuts, STARTS * LANES)),
    )


@compiled
def take_rows(
    rows: NDArray[np.float64],
    words: NDArray[np.int64],
    word_counts: NDArray[np.int32],
    word_prior: float,
    first_word: int,
    last_word: int,
) -> None:
    """Copy the counts of some of a document's words, eight topics side by side."""
    n_topics = word_counts.shape[1]
    for group in range(rows.shape[0]):
        first = group * LANES
        width = min(LANES, n_topics - first)
        for w in range(first_word, last_word):
            word = words[w]
            for lane in range(width):
                rows[group, w, lane] = word_counts[word, first + lane] + word_prior
            for lane in range(width, LANES):
                rows[group, w, lane] = 1.0


@compiled
def grow(product: Lanes, rows: NDArray[np.float64], word: np.uint64, seen: float) -> Lanes:
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
def lanes_of(products: NDArray[np.float64], start: int) -> Lanes:
    """Take the eight products of one start."""
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
def put(products: NDArray[np.float64], start: int, product: Lanes) -> None:
    """Write the eight products of one start."""
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

    This is where the time goes: for each token four vector additions, four multiplications.
    """
    a, b = lanes_of(products, 0), lanes_of(products, 1)
    c, d = lanes_of(products, 2), lanes_of(products, 3)
    for token in range(first, last):
        word = np.uint64(tokens[token])
        a, b = grow(a, rows, word, seen[word, 0]), grow(b, rows, word, seen[word, 1])
        c, d = grow(c, rows, word, seen[word, 2]), grow(d, rows, word, seen[word, 3])
        seen[word, 0] += 1.0
        seen[word, 1] += 1.0
        seen[word, 2] += 1.0
        seen[word, 3] += 1.0
    put(products, 0, a)
    put(products, 1, b)
    put(products, 2, c)
    put(products, 3, d)


@compiled
def shed_exponents(products: NDArray[np.float64], exponents: NDArray[np.float64]) -> None:
    """Move the powers of two of the products over to their exponents."""
    for n in range(products.size):
        exponent = exponent_of(products[n])
        products[n] = scaled(products[n], exponent)
        exponents[n] += exponent


@compiled
def note(
    products: NDArray[np.float64],
    exponents: NDArray[np.float64],
    cut: int,
    logs: NDArray[np.float64],
    powers: NDArray[np.float64],
) -> None:
    """Note all products as they stand at a cut."""
    for n in range(STARTS * LANES):
        logs[cut, n] = products[n]
        powers[cut, n] = exponents[n]


@compiled
def take_logs(
    first: int, last: int, logs: NDArray[np.float64], powers: NDArray[np.float64]
) -> None:
    """Take the logarithms of all products that were noted, in one long loop."""
    flat_logs, flat_powers = logs[first:last].ravel(), powers[first:last].ravel()
    for n in range(flat_logs.size):
        flat_logs[n] = fast_log(flat_logs[n]) + flat_powers[n] * LN2


@compiled
def walk(text: Text, rows: NDArray[np.float64], block: int, first: int, scratch: Scratch) -> None:
    """Multiply up eight topics for the starts first … first + 3, cut after cut.

    A start's products are one, and its words unseen, until its own cut is reached.
    """
    n_cuts = text.cut_tokens.size
    products, exponents, seen = scratch.products, scratch.exponents, scratch.seen
    products[:] = 1.0
    exponents[:] = 0.0
    for word in range(text.reach[first]):
        for start in range(STARTS):
            seen[word, start] = 0.0
    for cut in range(first + 1, n_cuts):
        here, end = text.cut_tokens[cut - 1], text.cut_tokens[cut]
        while here < end:
            stop = min(end, here + block)
            multiply_tokens(text.tokens, here, stop, rows, seen, products)
            shed_exponents(products, exponents)
            here = stop
        note(products, exponents, cut, scratch.logs, scratch.powers)
        for start in range(cut - first, STARTS):  # those that begin here or later
            for lane in range(start * LANES, (start + 1) * LANES):
                products[lane] = 1.0
                exponents[lane] = 0.0
            for token in range(text.cut_tokens[cut - 1], end):
                seen[text.tokens[token], start] = 0.0
    take_logs(first + 1, n_cuts, scratch.logs, scratch.powers)


@compiled
def fill_spans(
    scores: NDArray[np.float64],
    text: Text,
    factors: Factors,
    scratch: Scratch,
    share: int,
    shares: int,
) -> None:
    """Fill scores[k, i, j] for one share of the starts i; all of them for share 0 of 1."""
    n_topics, n_starts, n_cuts = scores.shape[0], scores.shape[1], text.cut_tokens.size
    log_gamma, cut_tokens, logs = factors.log_gamma, text.cut_tokens, scratch.logs
    for first in range(share * STARTS, n_starts, shares * STARTS):
        for group in range(factors.rows.shape[0]):
            walk(text, factors.rows[group], factors.block, first, scratch)
            for lane in range(min(LANES, n_topics - group * LANES)):
                topic = group * LANES + lane
                held = factors.held[topic]
                for start in range(first, min(first + STARTS, n_starts)):
                    lane_here = np.uint64((start - first) * LANES + lane)
                    behind, below = held - cut_tokens[start], log_gamma[held]
                    for n in range(n_cuts - start - 1):
                        cut = np.uint64(start + 1 + n)
                        after = np.uint64(behind + cut_tokens[cut])
                        span = logs[cut, lane_here] - (log_gamma[after] - below)
                        scores[topic, start, cut] = span
