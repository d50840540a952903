"""The structure of one document, given what a model has learned and will not unlearn.

A first structure comes from the table of eq. 14, where a span's score is a difference of prefix
sums. Then the document is visited: a visit chooses cuts and topics to hear, fills the table of
their spans (eq. 7, or the quick one if that is wanted), and draws order and bag on it in rounds, as
in a fit; but the counts stay as they are. From the last draw it is not far to the most probable
structure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from permutopic.jit import compiled
from permutopic.model.kernels.linear_filters import find_potentials
from permutopic.model.kernels.log_filters import NEVER, Filters, weigh_spans
from permutopic.model.kernels.placement import (
    Sheet,
    choose_heard,
    draw_from_sums,
    draw_units,
    loud_order,
    make_sheet,
    place_topic,
    room_for_filters,
    scale,
)
from permutopic.model.kernels.preparation import (
    choose_cuts,
    discount,
    fill_exact,
    fill_quick,
    leave_out,
    number_words,
    pack_rows,
    score_units,
)
from permutopic.model.kernels.screening import choose_chances, first_order, look_through
from permutopic.model.kernels.span_table import LANES, Factors, Text, take_rows
from permutopic.model.kernels.viterbi import best_bag, best_place, climb, flip
from permutopic.model.paper.single_draws import fill_order

if TYPE_CHECKING:
    from numpy.typing import NDArray

# For the first structure, which is a start and no draw: places and topics to look at, passes.
_CERTAIN, _PRESENT, _MOST, _FIRST_PASSES = 0.5, 0.3, 0.7, 2
# For the last one: what draws hardly ever used is left out.
_UNLIKELY, _LAST_PASSES, _MOST_CUTS = 1e-3, 10, 4
_SHARED = 2  # bags drawn for each order


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

    `visits` of `rounds` rounds with `placements` each, on the quick table if `quick`. About `cuts`
    places are looked at in a visit, and `first_cuts` before the first. A topic that has less than
    `faint` units' worth of the document at first sight is heard at a visit with chance `seldom`.
    """

    visits: int
    rounds: int
    placements: int
    cuts: int
    first_cuts: int
    faint: float
    seldom: float
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


class Desk(NamedTuple):
    """A document made ready: its words by numbers of its own, and what the topics hold of them.

    `chances[p]` is how likely place p is to become a cut, `hearing[k]` topic k to be heard.
    """

    tokens: NDArray[np.int32]
    words: NDArray[np.int64]
    reach: NDArray[np.int64]
    rows: NDArray[np.float64]
    held: NDArray[np.int64]
    chances: NDArray[np.float64]
    hearing: NDArray[np.float64]


@compiled
def make_ready(
    page: Page, known: Known, numbers: NDArray[np.int32], effort: Effort, findings: Findings
) -> tuple[Desk, NDArray[np.int64], NDArray[np.int64]]:
    """Score the units and look where topics change; give a first order and bag as well."""
    n_units, n_topics = page.offsets.size - 1, known.shares.size
    tokens = np.empty(page.words.size, np.int32)
    found = np.empty(page.words.size, np.int64)
    reach = np.empty(n_units + 1, np.int64)
    n_words = number_words(page.words, page.offsets, numbers, tokens, found, reach)
    words = found[:n_words].copy()
    rows = np.empty(((n_topics + LANES - 1) // LANES, n_words, LANES))
    take_rows(rows, words, known.word_counts, 0.0, 0, n_words)
    held = known.topic_words.copy()
    if page.topics.size > 0:
        leave_out(tokens, page.offsets, page.topics, rows, held)
    rows += known.word_prior  # last: a small β0 would be lost in a difference of large counts
    log_held = np.log(held + known.word_counts.shape[0] * known.word_prior)
    score_units(tokens, page.offsets, rows, log_held, findings.scores)
    for unit in range(n_units):
        findings.background[unit] = 0.0
        for token in range(page.offsets[unit], page.offsets[unit + 1]):
            findings.background[unit] += known.background[page.words[token]]
    changes, chances = np.empty(n_units), np.empty(n_units + 1)
    likely, hearing = np.empty((n_units, n_topics)), np.empty(n_topics)
    look_through(findings.scores, known.shares, known.switch, changes, likely)
    for topic in range(n_topics):
        hearing[topic] = 1.0 if likely[:, topic].sum() >= effort.faint else effort.seldom
    desk = Desk(tokens, words, reach, rows, held, chances, hearing)
    order, bag = np.arange(n_topics), np.zeros(n_topics, np.int64)
    if page.topics.size > 0:
        fill_order(order, page.inversions)
        for topic in page.topics:
            bag[topic] += 1
    else:
        choose_chances(changes, chances, effort.first_cuts)
        begin(page, known, desk, likely, order, bag, findings)
    choose_chances(changes, chances, effort.cuts)
    return desk, order, bag


@compiled
def begin(
    page: Page,
    known: Known,
    desk: Desk,
    likely: NDArray[np.float64],
    order: NDArray[np.int64],
    bag: NDArray[np.int64],
    findings: Findings,
) -> None:
    """Find a good first structure: the best of the quick table, as far as few cuts tell."""
    cuts = np.flatnonzero(desk.chances >= _CERTAIN)
    present = np.empty(order.size, np.bool_)
    for topic in range(order.size):
        present[topic] = likely[:, topic].sum() >= _PRESENT
    if not present.any():
        present[:] = True
    sheet = make_sheet(cuts, np.flatnonzero(present), np.log(known.shares))
    fill_table(sheet, page, known, desk, True, findings.scores)
    filters = room_for_filters(order.size, cuts.size)
    if known.orders:
        first_order(likely, order)
        flip(sheet)
    best_bag(sheet, order, filters, bag)
    for _ in range(_FIRST_PASSES if known.orders else 0):
        for topic in sheet.heard:
            # Most topics have found their units at once; one that has not may have to move.
            if not has_its_units(likely, order, bag, topic) and best_place(
                sheet, order, topic, known.dispersion, filters
            ):
                best_bag(sheet, order, filters, bag)
    for topic in range(order.size if known.orders else 0):
        if sheet.among[topic] < 0:
            best_place(sheet, order, topic, known.dispersion, filters)


@compiled
def has_its_units(
    likely: NDArray[np.float64], order: NDArray[np.int64], bag: NDArray[np.int64], topic: int
) -> bool:
    """Tell whether a topic has got most of the units that are likely to have it."""
    first = 0
    for other in order:
        if other == topic:
            break
        first += bag[other]
    inside = likely[first : first + bag[topic], topic].sum()
    return bool(inside >= _MOST * likely[:, topic].sum())


@compiled
def fill_table(
    sheet: Sheet,
    page: Page,
    known: Known,
    desk: Desk,
    quick: bool,
    scores: NDArray[np.float64],
) -> None:
    """Fill the table of a visit with the weights of all spans between its cuts."""
    cuts = sheet.cuts
    if quick:
        fill_quick(sheet.table, cuts, sheet.heard, scores)
    else:
        text = Text(desk.tokens, desk.words, page.offsets[cuts], desk.reach[cuts])
        rows = pack_rows(desk.rows, sheet.heard)
        factors = Factors(rows, desk.held[sheet.heard], known.log_gamma, known.block)
        fill_exact(sheet.table, text, factors)
    weigh_spans(sheet.table, cuts, known.log_factorial, 1.0, 0.0)


@compiled
def draw_shares(
    gammas: NDArray[np.float64], exponentials: NDArray[np.float64], bag: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Draw log θ given the bag: a gamma variable of the fit's shape, an exponential for each unit.

    Their sum over a topic has the shape that the fit and the bag have together.
    """
    shares = gammas.copy()
    unit = 0
    for topic in range(bag.size):
        for _ in range(bag[topic]):
            shares[topic] += exponentials[unit]
            unit += 1
    log_shares: NDArray[np.float64] = np.log(np.maximum(shares / shares.sum(), 1e-300))
    return log_shares


@compiled
def gather(findings: Findings, sheet: Sheet, order: NDArray[np.int64], filters: Filters) -> None:
    """Add up the probabilities of all bags given the order, from the sums of both sides.

    A topic starts at cut i with what comes before times what the slots from its own on make of
    the rest without leaving it empty; it ends at j likewise. Between them the unit has the topic.
    """
    before, after, cuts = filters.before, filters.after, sheet.cuts
    loud = loud_order(order, sheet.among)
    total = before[loud.size, cuts.size - 1]
    for slot in range(loud.size):
        topic, inside = sheet.heard[loud[slot]], 0.0
        for cut in range(cuts.size - 1):
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


@compiled
def draw_rounds(
    sheet: Sheet,
    known: Known,
    order: NDArray[np.int64],
    bag: NDArray[np.int64],
    effort: Effort,
    filters: Filters,
    uniforms: NDArray[np.float64],
    findings: Findings,
    first: int,
) -> None:
    """Draw order and bag again and again, and gather what comes of it from sample `first` on.

    Every order is good for two bags: sums over all bags are dear, draws from them are not.
    """
    loud = loud_order(order, sheet.among)
    find_potentials(sheet.table, sheet.cuts, loud, sheet.log_shares, filters)
    fits = scale(sheet, filters)
    used, summed = 0, False
    for n in range(effort.rounds):
        again = n % _SHARED > 0
        for _ in range(effort.placements if known.orders else 0):
            if not again:
                topic = int(uniforms[used] * order.size)
                place_topic(
                    sheet, fits, order, topic, known.dispersion, filters, uniforms[used + 1]
                )
            used += 2
        if again and summed:
            draw_from_sums(sheet, order, bag, filters, uniforms[used:])
        else:
            summed = draw_units(sheet, fits, order, bag, filters, uniforms[used:])
        if summed:
            gather(findings, sheet, order, filters)
        else:
            gather_sample(findings, order, bag)
        used += order.size
        lay_topics(findings.samples[first + n], order, bag)


@compiled
def likely_part(sheet: Sheet, known: Known, bag: NDArray[np.int64], findings: Findings) -> Sheet:
    """Take the cuts and topics out of a table that draws have used, with θ̂ for θ."""
    cuts = sheet.cuts
    kept = np.zeros(cuts.size, np.bool_)
    kept[0] = True
    kept[cuts.size - 1] = True
    last = findings.samples[findings.samples.shape[0] - 1]
    for n in range(1, cuts.size - 1):
        unit = cuts[n]
        kept[n] = findings.boundaries[unit] > _UNLIKELY or last[unit] != last[unit - 1]
    places = np.flatnonzero(kept)
    wanted = np.zeros(sheet.heard.size, np.bool_)
    for n in range(sheet.heard.size):
        topic = sheet.heard[n]
        wanted[n] = bag[topic] > 0 or findings.probabilities[:, topic].sum() > _UNLIKELY
    ours = np.flatnonzero(wanted)
    part = make_sheet(cuts[places], sheet.heard[ours], np.log(known.shares))
    part.table[:] = NEVER
    for n in range(ours.size):
        for start in range(places.size - 1):
            for cut in range(start + 1, places.size):
                part.table[n, start, cut] = sheet.table[ours[n], places[start], places[cut]]
    return part


@compiled
def look_back(
    page: Page,
    known: Known,
    desk: Desk,
    effort: Effort,
    bag: NDArray[np.int64],
    findings: Findings,
) -> Sheet:
    """Fill a table of the likely places and topics of all visits, for the last structure."""
    n_units, n_topics = page.offsets.size - 1, known.shares.size
    last = findings.samples[findings.samples.shape[0] - 1]
    kept = desk.chances >= _CERTAIN
    for unit in range(1, n_units):
        drawn = findings.boundaries[unit] > _UNLIKELY or last[unit] != last[unit - 1]
        kept[unit] = drawn or (kept[unit] and n_units <= effort.cuts)
    present = np.empty(n_topics, np.bool_)
    for topic in range(n_topics):
        present[topic] = bag[topic] > 0 or findings.probabilities[:, topic].sum() > _UNLIKELY
    if np.count_nonzero(kept) > _MOST_CUTS * effort.cuts:  # then the likeliest
        least = np.sort(findings.boundaries)[n_units - _MOST_CUTS * effort.cuts]
        for unit in range(1, n_units):
            drawn = last[unit] != last[unit - 1]
            kept[unit] = kept[unit] and (drawn or findings.boundaries[unit] > least)
    sheet = make_sheet(np.flatnonzero(kept), np.flatnonzero(present), np.log(known.shares))
    fill_table(sheet, page, known, desk, effort.quick, findings.scores)
    return sheet


@compiled
def conclude(
    whole: Sheet,
    known: Known,
    order: NDArray[np.int64],
    bag: NDArray[np.int64],
    filters: Filters,
    findings: Findings,
) -> None:
    """Climb from the last sample to the most probable structure."""
    sheet = likely_part(whole, known, bag, findings)
    climb(sheet, order, bag, known.dispersion, known.orders, filters, _LAST_PASSES)
    lay_topics(findings.topics, order, bag)
    cuts, total, start = sheet.cuts, 0.0, 0
    for topic in order:
        if bag[topic] > 0:
            end = start + 1
            while cuts[end] - cuts[start] < bag[topic]:
                end += 1
            total += sheet.table[sheet.among[topic], start, end]
            total += known.log_factorial[bag[topic]]
            start = end
    findings.total[0] = total


@compiled
def infer(
    page: Page, known: Known, effort: Effort, numbers: NDArray[np.int32], findings: Findings
) -> None:
    """Find out all about one document."""
    n_units, n_topics = page.offsets.size - 1, known.shares.size
    desk, order, bag = make_ready(page, known, numbers, effort, findings)
    findings.probabilities[:] = 0.0
    findings.boundaries[:] = 0.0
    each = page.uniforms.size // effort.visits
    for visit in range(effort.visits):
        uniforms = page.uniforms[visit * each : (visit + 1) * each]
        cuts = choose_cuts(desk.chances, bag, order, uniforms)
        heard = choose_heard(desk.hearing, bag, uniforms[n_units + 1 :])
        log_shares = draw_shares(page.gammas[visit], page.exponentials[visit], bag)
        sheet = make_sheet(cuts, heard, log_shares)
        fill_table(sheet, page, known, desk, effort.quick, findings.scores)
        discount(sheet.table, cuts, desk.chances, heard, desk.hearing, 1.0)
        filters = room_for_filters(n_topics, cuts.size)
        drawn, first = uniforms[n_units + 1 + n_topics :], visit * effort.rounds
        draw_rounds(sheet, known, order, bag, effort, filters, drawn, findings, first)
        if visit == effort.visits - 1:
            n_drawn = effort.visits * effort.rounds
            findings.probabilities[:] /= n_drawn
            findings.boundaries[:] /= n_drawn
            if effort.visits == 1:
                discount(sheet.table, cuts, desk.chances, heard, desk.hearing, -1.0)
            else:
                sheet = look_back(page, known, desk, effort, bag, findings)
                filters = room_for_filters(n_topics, sheet.cuts.size)
            conclude(sheet, known, order, bag, filters, findings)
