"""The structure of one document, given what a model has learned and will not unlearn.

A document is visited several times. A visit chooses cuts, fills the table of their spans, and
draws order and bag on it in rounds, as in a fit; but the counts stay as they are. The first visits
look at the table of eq. 14 alone, which is a difference of prefix sums, and find their way; those
that count look at the table of eq. 7, or go on with the quick one if that is wanted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from permutopic.model.best_kernels import climb
from permutopic.model.block_kernels import Draws, Filters, draw_bag, place_topic, weigh_spans
from permutopic.model.compile import compiled
from permutopic.model.elementary import fast_log
from permutopic.model.kernels import fill_order
from permutopic.model.place_kernels import choose_chances, first_order, look_through
from permutopic.model.scaled_kernels import (
    draw_bag_scaled,
    find_potentials,
    place_topic_scaled,
    scale_weights,
)
from permutopic.model.span_table import (
    LANES,
    STARTS,
    Factors,
    Scratch,
    Text,
    fill_spans,
    take_rows,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Known(NamedTuple):
    """What the model knows: counts, ρ, and what follows from them.

    `shares` is θ̂ (eq. 15), `switch` how often a unit begins a segment within a document,
    `background[w]` the log probability of a word in all topics together. `orders` is false where
    all documents keep the canonical order.
    """

    word_counts: NDArray[np.int32]
    topic_words: NDArray[np.int64]
    shares: NDArray[np.float64]
    dispersion: NDArray[np.float64]
    switch: float
    background: NDArray[np.float64]
    log_gamma: NDArray[np.float64]
    log_factorial: NDArray[np.float64]
    word_prior: float
    block: int
    orders: bool


class Effort(NamedTuple):
    """How much is done for a document.

    `warmups` visits to the quick table, one round with `tries` topics placed in each; then
    `visits` of `rounds` rounds with `placements` each, on the quick table if `quick`. About `cuts`
    places are looked at in a visit.
    """

    warmups: int
    tries: int
    visits: int
    rounds: int
    placements: int
    cuts: int
    quick: bool


class Page(NamedTuple):
    """One document: its words, where its units end, and its random numbers.

    `topics` are those that a seen document has in the fit, whose words are to be left out, and
    `inversions` their order; both are empty for a new one. `gammas[v, k]` and `exponentials[v, u]`
    make θ in visit v.
    """

    words: NDArray[np.int32]
    offsets: NDArray[np.int64]
    topics: NDArray[np.int64]
    inversions: NDArray[np.int64]
    uniforms: NDArray[np.float64]
    gammas: NDArray[np.float64]
    exponentials: NDArray[np.float64]


class Findings(NamedTuple):
    """Room for what is found out about a document.

    The most probable structure, probabilities of topics and boundaries, samples, the log
    probability of all words (in `total`), and of each unit's under each topic and all together.
    """

    topics: NDArray[np.int64]
    probabilities: NDArray[np.float64]
    boundaries: NDArray[np.float64]
    samples: NDArray[np.int64]
    total: NDArray[np.float64]
    scores: NDArray[np.float64]
    background: NDArray[np.float64]


@compiled
def number_words(
    words: NDArray[np.int32],
    offsets: NDArray[np.int64],
    numbers: NDArray[np.int32],
    tokens: NDArray[np.int32],
    found: NDArray[np.int64],
    reach: NDArray[np.int64],
) -> int:
    """Give a document's words numbers by where each is seen last, see `span_table.Text`.

    `numbers` has room for the whole vocabulary, all −1, and is left so. Tells how many there are.
    """
    n_found = 0
    unit = offsets.size - 1
    reach[unit] = 0
    for token in range(words.size - 1, -1, -1):
        while unit > 0 and offsets[unit - 1] > token:
            unit -= 1
            reach[unit] = n_found
        word = words[token]
        if numbers[word] < 0:
            numbers[word] = n_found
            found[n_found] = word
            n_found += 1
        tokens[token] = numbers[word]
    while unit > 0:
        unit -= 1
        reach[unit] = n_found
    for n in range(n_found):
        numbers[found[n]] = -1
    return n_found


@compiled
def leave_out(
    tokens: NDArray[np.int32],
    offsets: NDArray[np.int64],
    topics: NDArray[np.int64],
    rows: NDArray[np.float64],
    held: NDArray[np.int64],
) -> None:
    """Take a seen document's own words out of a copy of what the topics hold."""
    for unit in range(topics.size):
        topic = topics[unit]
        held[topic] -= offsets[unit + 1] - offsets[unit]
        for token in range(offsets[unit], offsets[unit + 1]):
            rows[topic // LANES, tokens[token], topic % LANES] -= 1.0


@compiled
def score_units(
    tokens: NDArray[np.int32],
    offsets: NDArray[np.int64],
    rows: NDArray[np.float64],
    log_held: NDArray[np.float64],
    scores: NDArray[np.float64],
) -> None:
    """Sum the log probabilities of each unit's words under each topic (eq. 14)."""
    n_topics = scores.shape[1]
    logs = np.empty((rows.shape[1], rows.shape[0] * LANES))
    for group in range(rows.shape[0]):
        for word in range(rows.shape[1]):
            for lane in range(LANES):
                logs[word, group * LANES + lane] = fast_log(rows[group, word, lane])
    sums = np.empty(logs.shape[1])
    for unit in range(offsets.size - 1):
        sums[:] = 0.0
        for token in range(offsets[unit], offsets[unit + 1]):
            word = tokens[token]
            for topic in range(sums.size):
                sums[topic] += logs[word, topic]
        size = offsets[unit + 1] - offsets[unit]
        for topic in range(n_topics):
            scores[unit, topic] = sums[topic] - size * log_held[topic]


@compiled
def choose_cuts(
    chances: NDArray[np.float64],
    bag: NDArray[np.int64],
    order: NDArray[np.int64],
    uniforms: NDArray[np.float64],
) -> NDArray[np.int64]:
    """Keep each place by its own chance, and every boundary of the structure."""
    n_units = chances.size - 1
    kept = np.zeros(n_units + 1, np.bool_)
    boundary = 0
    kept[0] = True
    for topic in order:
        boundary += bag[topic]
        kept[boundary] = True
    for place in range(n_units + 1):
        kept[place] = kept[place] or uniforms[place] < chances[place]
    return np.flatnonzero(kept)


@compiled
def fill_quick(
    table: NDArray[np.float64], cuts: NDArray[np.int64], scores: NDArray[np.float64]
) -> None:
    """Fill the table of eq. 14: a span's score is the difference of two sums."""
    n_topics, n_cuts = table.shape[0], cuts.size
    sums = np.zeros(n_cuts)
    for topic in range(n_topics):
        running = 0.0
        for cut in range(1, n_cuts):
            for unit in range(cuts[cut - 1], cuts[cut]):
                running += scores[unit, topic]
            sums[cut] = running
        for start in range(n_cuts - 1):
            for n in range(n_cuts - start - 1):
                cut = start + 1 + n
                table[topic, start, cut] = sums[cut] - sums[start]


@compiled
def discount_cuts(
    table: NDArray[np.float64], cuts: NDArray[np.int64], chances: NDArray[np.float64], sign: float
) -> None:
    """Let a boundary weigh 1/p (sign 1), where its place became a cut with probability p.

    Given a structure, a set of cuts that has its boundaries is as probable as the product of p or
    1 − p over all other places: see `block_kernels.weigh_spans`. Sign −1 takes it back.
    """
    for cut in range(1, cuts.size):
        if chances[cuts[cut]] < 1.0:
            weight = sign * fast_log(chances[cuts[cut]])
            for topic in range(table.shape[0]):
                for start in range(cut):
                    table[topic, start, cut] -= weight


@compiled
def draw_shares(
    log_shares: NDArray[np.float64],
    gammas: NDArray[np.float64],
    exponentials: NDArray[np.float64],
    bag: NDArray[np.int64],
) -> None:
    """Draw θ given the bag: a gamma variable of the fit's shape, and an exponential for each unit.

    Their sum over a topic has the shape that the fit and the bag have together.
    """
    unit, total = 0, 0.0
    for topic in range(bag.size):
        share = gammas[topic]
        for _ in range(bag[topic]):
            share += exponentials[unit]
            unit += 1
        log_shares[topic] = max(share, 1e-300)
        total += log_shares[topic]
    for topic in range(bag.size):
        log_shares[topic] = np.log(log_shares[topic] / total)


@compiled
def gather(
    findings: Findings, cuts: NDArray[np.int64], order: NDArray[np.int64], filters: Filters
) -> None:
    """Add up the probabilities of all bags given the order, from the sums of both sides.

    A topic starts at cut i with what comes before times what the slots from its own on make of
    the rest without staying empty; it ends at j likewise. Between them the unit has the topic.
    """
    before, after, n_cuts = filters.before, filters.after, cuts.size
    total = before[order.size, n_cuts - 1]
    for slot in range(order.size):
        topic = order[slot]
        inside = 0.0
        for cut in range(n_cuts - 1):
            starts = before[slot, cut] * max(after[slot, cut] - after[slot + 1, cut], 0.0) / total
            grown = max(before[slot + 1, cut] - before[slot, cut], 0.0)
            inside += starts - grown * after[slot + 1, cut] / total
            if cut > 0:
                findings.boundaries[cuts[cut]] += starts
            share = min(max(inside, 0.0), 1.0)
            if share > 1e-12:
                for unit in range(cuts[cut], cuts[cut + 1]):
                    findings.probabilities[unit, topic] += share


@compiled
def gather_sample(findings: Findings, order: NDArray[np.int64], bag: NDArray[np.int64]) -> None:
    """Count one sample, where the sums of both sides are not to be had."""
    unit = 0
    for topic in order:
        if bag[topic] > 0:
            if unit > 0:
                findings.boundaries[unit] += 1.0
            for _ in range(bag[topic]):
                findings.probabilities[unit, topic] += 1.0
                unit += 1


@compiled
def lay_topics(topics: NDArray[np.int64], order: NDArray[np.int64], bag: NDArray[np.int64]) -> None:
    """Write the topic of every unit."""
    unit = 0
    for topic in order:
        for _ in range(bag[topic]):
            topics[unit] = topic
            unit += 1


class Desk(NamedTuple):
    """A document made ready: its words by numbers of its own, and what the topics hold of them.

    `chances[p]` is how likely place p is to become a cut.
    """

    tokens: NDArray[np.int32]
    words: NDArray[np.int64]
    reach: NDArray[np.int64]
    rows: NDArray[np.float64]
    held: NDArray[np.int64]
    chances: NDArray[np.float64]


class Sheet(NamedTuple):
    """The tables of one visit: the cuts, log weights, and scaled ones lying both ways."""

    cuts: NDArray[np.int64]
    table: NDArray[np.float64]
    scaled: NDArray[np.float64]
    flipped: NDArray[np.float64]


@compiled
def make_ready(
    page: Page, known: Known, numbers: NDArray[np.int32], n_cuts: int, findings: Findings
) -> tuple[Desk, NDArray[np.int64], NDArray[np.int64]]:
    """Score the units and look where topics change; give a first order and bag as well."""
    n_units, n_topics = page.offsets.size - 1, known.shares.size
    tokens = np.empty(page.words.size, np.int32)
    found = np.empty(page.words.size, np.int64)
    reach = np.empty(n_units + 1, np.int64)
    n_words = number_words(page.words, page.offsets, numbers, tokens, found, reach)
    words = found[:n_words]
    rows = np.empty(((n_topics + LANES - 1) // LANES, n_words, LANES))
    take_rows(rows, words, known.word_counts, known.word_prior, 0, n_words)
    held = known.topic_words.copy()
    if page.topics.size > 0:
        leave_out(tokens, page.offsets, page.topics, rows, held)
    log_held = np.log(held + known.word_counts.shape[0] * known.word_prior)
    score_units(tokens, page.offsets, rows, log_held, findings.scores)
    for unit in range(n_units):
        findings.background[unit] = 0.0
        for token in range(page.offsets[unit], page.offsets[unit + 1]):
            findings.background[unit] += known.background[page.words[token]]
    changes, chances = np.empty(n_units), np.empty(n_units + 1)
    likely = np.empty((n_units, n_topics))
    look_through(findings.scores, known.shares, known.switch, changes, likely)
    choose_chances(changes, chances, n_cuts)
    order, bag = np.arange(n_topics), np.zeros(n_topics, np.int64)
    if page.topics.size > 0:
        fill_order(order, page.inversions)
        for topic in page.topics:
            bag[topic] += 1
    else:
        if known.orders:
            first_order(likely, order)
        bag[order[0]] = n_units
    return Desk(tokens, words, reach, rows, held, chances), order, bag


@compiled
def lay_sheet(
    page: Page,
    known: Known,
    desk: Desk,
    cuts: NDArray[np.int64],
    quick: bool,
    scores: NDArray[np.float64],
) -> Sheet:
    """Fill the table of a visit with the weights of all spans between its cuts."""
    n_topics, width = known.shares.size, (cuts.size + LANES - 1) // LANES * LANES
    shape = (n_topics, cuts.size - 1, width)
    table = np.empty(shape)
    if quick:
        fill_quick(table, cuts, scores)
    else:
        text = Text(desk.tokens, desk.words, page.offsets[cuts], desk.reach[cuts])
        factors = Factors(desk.rows, desk.held, known.log_gamma, known.block)
        scratch = Scratch(
            np.empty((desk.words.size, STARTS)),
            np.empty(STARTS * LANES),
            np.empty(STARTS * LANES),
            np.empty((cuts.size, STARTS * LANES)),
            np.empty((cuts.size, STARTS * LANES)),
        )
        fill_spans(table, text, factors, scratch, 0, 1)
    weigh_spans(table, cuts, known.log_factorial, 1.0, 0.0)
    return Sheet(cuts, table, np.empty(shape), np.empty(shape))


@compiled
def draw_round(
    sheet: Sheet,
    fits: bool,
    order: NDArray[np.int64],
    bag: NDArray[np.int64],
    how: Draws,
    filters: Filters,
    uniforms: NDArray[np.float64],
) -> bool:
    """Place some topics, then draw the bag; tell if `filters` have the sums of both sides."""
    used, cuts = 0, sheet.cuts
    for _ in range(how.placements):
        topic = int(uniforms[used] * order.size)
        if not fits or not place_topic_scaled(
            sheet.scaled,
            sheet.flipped,
            cuts.size,
            order,
            topic,
            how,
            filters,
            uniforms[used + 1],
        ):
            place_topic(sheet.table, cuts, order, topic, how, filters, uniforms[used + 1])
        used += 2
    if fits and draw_bag_scaled(
        sheet.scaled, sheet.flipped, cuts, order, filters, bag, uniforms[used:]
    ):
        return True
    draw_bag(sheet.table, cuts, order, how.log_shares, filters, bag, uniforms[used:])
    return False


@compiled
def conclude(
    sheet: Sheet,
    known: Known,
    order: NDArray[np.int64],
    bag: NDArray[np.int64],
    filters: Filters,
    findings: Findings,
) -> None:
    """Climb from the last sample to the most probable structure, with θ̂ for θ."""
    cuts, table, log_shares = sheet.cuts, sheet.table, np.log(known.shares)
    climb(table, cuts, order, log_shares, known.dispersion, known.orders, filters, bag)
    lay_topics(findings.topics, order, bag)
    total, start = 0.0, 0
    for topic in order:
        if bag[topic] > 0:
            end = start + 1
            while cuts[end] - cuts[start] < bag[topic]:
                end += 1
            total += table[topic, start, end] + known.log_factorial[bag[topic]]
            start = end
    findings.total[0] = total


@compiled
def infer(
    page: Page, known: Known, effort: Effort, numbers: NDArray[np.int32], findings: Findings
) -> None:
    """Find out all about one document."""
    n_units, n_topics = page.offsets.size - 1, known.shares.size
    desk, order, bag = make_ready(page, known, numbers, effort.cuts, findings)
    findings.probabilities[:] = 0.0
    findings.boundaries[:] = 0.0
    log_shares = np.empty(n_topics)
    n_drawn, used, n_visits = 0, 0, effort.warmups + effort.visits
    for visit in range(n_visits):
        warming = visit < effort.warmups
        cuts = choose_cuts(desk.chances, bag, order, page.uniforms[used:])
        used += n_units + 1
        quick = warming or effort.quick
        sheet = lay_sheet(page, known, desk, cuts, quick, findings.scores)
        discount_cuts(sheet.table, cuts, desk.chances, 1.0)
        filters = room_for_filters(n_topics, cuts.size)
        draw_shares(log_shares, page.gammas[visit], page.exponentials[visit], bag)
        find_potentials(sheet.table, cuts, order, log_shares, filters)
        fits = scale_weights(sheet.table, sheet.scaled, sheet.flipped, cuts, log_shares, filters)
        placements = (effort.tries if warming else effort.placements) if known.orders else 0
        how = Draws(log_shares, known.dispersion, 1.0, 1, placements, known.orders)
        for _ in range(1 if warming else effort.rounds):
            summed = draw_round(sheet, fits, order, bag, how, filters, page.uniforms[used:])
            used += 2 * placements + n_topics
            if not warming:
                if summed:
                    gather(findings, cuts, order, filters)
                else:
                    gather_sample(findings, order, bag)
                lay_topics(findings.samples[n_drawn], order, bag)
                n_drawn += 1
        if visit == n_visits - 1:
            discount_cuts(sheet.table, cuts, desk.chances, -1.0)
            conclude(sheet, known, order, bag, filters, findings)
    findings.probabilities[:] /= n_drawn
    findings.boundaries[:] /= n_drawn


@compiled
def room_for_filters(n_topics: int, n_cuts: int) -> Filters:
    """Make room, as `block_kernels.make_filters` does outside compiled code."""
    return Filters(
        np.empty((n_topics + 1, n_cuts + LANES)),
        np.empty((n_topics + 1, n_cuts + LANES)),
        np.empty(n_cuts + LANES),
        np.empty(n_cuts + LANES),
        np.empty(n_cuts + LANES),
        np.empty(max(n_topics, n_cuts) + 1),
        np.empty(n_cuts + LANES),
    )
