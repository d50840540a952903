"""Rung 8: bugs planted in the sampler, which rungs 6 and 7 have to catch.

Each is caught by a case of rung 6 that `make test` runs as well (`SHARE`), and most by rung 7.

The source of the kernels is loaded anew with one line changed; the package keeps its own. First
the paper's moves, then the blocked ones; `test_planted_classes.py` has the classes of words.
"""

from __future__ import annotations

import dataclasses
import itertools
from typing import NamedTuple

import numpy as np
import pytest
from scipy.special import gammaln

from permutopic.dirichlet import draw_log_dirichlet
from permutopic.model.blocked import moves as block_moves
from permutopic.model.blocked import relabelling
from permutopic.model.paper import moves
from permutopic.model.paper.moves import make_span_scores
from permutopic.slice_sampling import slice_sample

from exact import p_values_after_one_sweep
from kernel_source import load_kernels, load_modules, put_in_place
from statistical import cases
from statistical.cases import MOVES, TWO_DOCUMENTS, posterior_of
from statistical.catching import (
    assert_enumeration_catches,
    assert_geweke_catches,
    assert_make_test_catches,
)
from statistical.geweke import many_short_chains

pytestmark = [pytest.mark.statistical, pytest.mark.ladder]

KERNEL_BUGS = {
    "a dropped Mallows factor": [
        ("log_weights[count] = score - dispersion * count", "log_weights[count] = score")
    ],
    "inversions off by one": [
        (
            "inversions[topic] = draw_index(log_weights, n_values, uniforms[topic])",
            "inversions[topic] = "
            "(draw_index(log_weights, n_values, uniforms[topic]) + 1) % n_values",
        )
    ],
    "the largest inversion count never tried": [
        (
            "draw_index(log_weights, n_values, uniforms[topic])",
            "draw_index(log_weights, n_values - 1, uniforms[topic])",
        )
    ],
    "a draw not put back into the topic's units": [("        counts.topic_units[new] += 1\n", "")],
    "a forgotten decrement of the document's words": [
        (
            "    add_tokens(document, order, bag, counts, -1)\n",
            "    old_order, old_bag = order.copy(), bag.copy()\n",
        ),
        (
            "    add_tokens(document, order, bag, counts, 1)\n",
            "    add_tokens(document, old_order, old_bag, counts, -1)\n"
            "    add_tokens(document, order, bag, counts, 1)\n",
        ),
    ],
    "draws walked topic by topic, as if sequences were counts": [
        ("picked = step + int(uniforms[step] * (n_draws - step))", "picked = step")
    ],
    "the prior of the topics left out": [
        ("prior = math.log(counts.topic_units[topic] + topic_prior)", "prior = 0.0")
    ],
    "topics behind the draw not moved along": [
        (
            "after += span_score(spans, document, counts, start + 1, start + 1 + size, topic)",
            "after += span_score(spans, document, counts, start, start + size, topic)",
        )
    ],
    "a word's earlier occurrences in the span not counted": [
        (
            "product *= counts.word_counts[word, topic] + spans.seen[word] + spans.word_prior",
            "product *= counts.word_counts[word, topic] + spans.word_prior",
        )
    ],
    "stale span scores from the last document": [
        ("    spans.reach[: document.offsets.size - 1, :] = 0\n", "")
    ],
}


class NoPriorOrders(moves.ResampleDispersion):
    """Resamples ρ as if nothing were known before the corpus."""

    def __init__(self, priors):
        super().__init__(dataclasses.replace(priors, strength=1e-6))


def slice_at_the_point(log_density, current, width, rng):
    """Take the slice at the density of the point itself, not at a height drawn below it."""

    class HeightForgotten:
        numbers = itertools.chain([0.0], iter(rng.random, None))

        def random(self):
            return next(self.numbers)

    return slice_sample(log_density, current, width, HeightForgotten())


@pytest.fixture
def room_for_a_document_twice(monkeypatch):
    """A bug that counts a document twice looks further up the table of logΓ than there is."""

    def roomy(corpus, n_topics, priors):
        spans = make_span_scores(corpus, n_topics, priors)
        counts = np.arange(2 * corpus.n_tokens + 1)
        return spans._replace(log_gamma=gammaln(counts + corpus.n_words * priors.word))

    monkeypatch.setattr(moves, "make_span_scores", roomy)


@pytest.mark.usefixtures("room_for_a_document_twice")
@pytest.mark.parametrize("bug", KERNEL_BUGS)
def test_a_bug_in_the_kernels_is_caught(bug, monkeypatch):
    monkeypatch.setattr(moves, "single_draws", load_kernels(KERNEL_BUGS[bug]))
    assert_make_test_catches("all")
    setting = "few topics" if bug.startswith("draws walked") else "distinctive words"
    assert_geweke_catches(MOVES["all"], setting=setting)


@pytest.mark.parametrize(
    ("variant", "bug"),
    [
        ("constrained", "the prior of the topics left out"),
        ("constrained", "topics behind the draw not moved along"),
        ("uniform", "the prior of the topics left out"),
        ("uniform", "inversions off by one"),
    ],
)
def test_a_bug_is_caught_in_the_other_variants_too(variant, bug, monkeypatch):
    monkeypatch.setattr(moves, "single_draws", load_kernels(KERNEL_BUGS[bug]))
    assert_enumeration_catches(MOVES["all"], variant)
    assert_geweke_catches(MOVES["all"], variant)


@pytest.mark.parametrize(
    ("alone", "bug"),
    [("bag", "the prior of the topics left out"), ("inversions", "a dropped Mallows factor")],
)
def test_a_bug_is_caught_in_a_move_alone(alone, bug, monkeypatch):
    monkeypatch.setattr(moves, "single_draws", load_kernels(KERNEL_BUGS[bug]))
    assert_enumeration_catches(MOVES[alone])
    assert_geweke_catches(MOVES[alone], draw_chain=many_short_chains)


def test_a_bug_in_the_conditional_of_the_dispersion_is_caught(monkeypatch):
    monkeypatch.setattr(cases, "ResampleDispersion", NoPriorOrders)
    assert_make_test_catches("dispersion")
    assert_geweke_catches(MOVES["dispersion"], draw_chain=many_short_chains)
    monkeypatch.setattr(moves, "ResampleDispersion", NoPriorOrders)
    assert_make_test_catches("all")
    assert_geweke_catches(MOVES["all"])


def test_a_bug_in_the_slice_sampler_is_caught(monkeypatch):
    monkeypatch.setattr(moves, "slice_sample", slice_at_the_point)
    assert_make_test_catches("all")
    assert_geweke_catches(MOVES["all"])


def test_a_forgotten_decrement_that_only_enumeration_sees(monkeypatch):
    # A draw still counted while it is resampled makes the chain stickier, and biases it through
    # the normaliser alone: too little for Geweke's test at this size.
    planted = [("        counts.topic_units[old] -= 1\n", "")]
    monkeypatch.setattr(moves, "single_draws", load_kernels(planted))
    assert_make_test_catches("all", "constrained")


def test_the_kernels_loaded_anew_without_a_bug_pass(monkeypatch):
    monkeypatch.setattr(moves, "single_draws", load_kernels())
    posterior = posterior_of(TWO_DOCUMENTS, 3, "full")
    p_values = p_values_after_one_sweep(posterior, MOVES["all"], n_replicates=20_000)
    assert min(p_values.values()) > 1e-4, p_values


# From here on: the blocked moves.

# Has every draw made on logarithms, as where scaled weights would leave the floats.
ON_LOGARITHMS = {
    "linear_filters": [
        (
            "            transposed[topic, cut - 1, start] = 0.0\n    return highest < HIGH",
            "            transposed[topic, cut - 1, start] = 0.0\n    return False",
        )
    ]
}


class Planted(NamedTuple):
    """A bug, and moves and a setting in which it shows.

    Where every place is a cut, exact draws of the inversion counts come after the placements and
    hide what is wrong with them; they are missing where a document has places without a cut.
    """

    bugs: dict
    moves: str = "blocked"
    setting: str = "distinctive words"


BLOCKED_BUGS = {
    "the missing 1/l!": Planted(
        {
            "log_filters": [
                (
                    "penalty[n] = log_factorial[size] + log_cut_probability",
                    "penalty[n] = log_cut_probability",
                )
            ]
        }
    ),
    "1/p forgotten where only some places are cuts": Planted(
        {
            "log_filters": [
                (
                    "penalty[n] = log_factorial[size] + log_cut_probability",
                    "penalty[n] = log_factorial[size]",
                )
            ]
        },
        moves="blocked, random cuts",
    ),
    "inversion counts drawn where they would need other cuts": Planted(
        {"resampling": [("            if all_cuts:\n", "            if spans.cuts.size > 0:\n")]},
        moves="blocked, random cuts",
    ),
    "a dropped Mallows factor of the inversion counts": Planted(
        {
            "log_filters": [
                (
                    "log_weights[count] = score - settings.dispersion[topic] * count",
                    "log_weights[count] = score",
                )
            ]
        }
    ),
    "a dropped Mallows factor of a topic's place": Planted(
        {
            "placement": [
                ("log_weights[gap] = log_prior + log_totals", "log_weights[gap] = log_totals")
            ]
        },
        moves="blocked, random cuts",
    ),
    "shares left out": Planted(
        {
            "linear_filters": [
                (
                    "shift[cut] = log_theta * cuts[cut] - filters.potentials[cut]",
                    "shift[cut] = -filters.potentials[cut]",
                )
            ]
        }
    ),
    "an empty slot forgotten in the draw": Planted(
        {
            "linear_filters": [
                (
                    "            if running > threshold:\n",
                    "            if running > threshold or start == end - 1:\n",
                )
            ]
        }
    ),
    "an empty slot forgotten in sums from the right": Planted(
        {
            "linear_filters": [
                (
                    "        for n in range(first, n_cuts - 1):\n",
                    "        sums = ZEROS\n        for n in range(first, n_cuts - 1):\n",
                ),
                ("import LANES, add_lanes", "import LANES, ZEROS, add_lanes"),
            ]
        },
        moves="blocked, random cuts",
    ),
    "on logarithms, a dropped Mallows factor of a topic's place": Planted(
        {
            **ON_LOGARITHMS,
            "placement": [
                ("log_weights[gap] = log_prior + log_totals", "log_weights[gap] = log_totals")
            ],
        },
        moves="blocked, random cuts",
    ),
    "on logarithms, shares left out of the draw": Planted(
        {
            **ON_LOGARITHMS,
            "log_filters": [
                (
                    "table[topic, start, end] + size * log_prevalence[topic]",
                    "table[topic, start, end]",
                )
            ],
        }
    ),
    "1/h forgotten of topics that are not always active": Planted(
        {"active_topics": [("if not certain:", "if certain:")]},
        moves="blocked, few active",
    ),
    "an inactive topic placed without its Mallows factor": Planted(
        {
            "placement": [
                ("log_prior += log_prior_step(", "log_prior += (n >= 0) * log_prior_step(")
            ]
        },
        moves="blocked, few active",
    ),
    "words seen before a start still counted behind it": Planted(
        {
            "span_table": [
                (
                    "seen[document.tokens[token] * STARTS + start] = 0.0",
                    "seen[document.tokens[token] * STARTS + start] += 0.0",
                )
            ]
        }
    ),
    "exponents shed and lost": Planted(
        {"span_table": [("exponents[n] += exponent", "exponents[n] = exponent")]}
    ),
    "a number's cost in inversions ignored": Planted(
        {"relabelling_kernels": [("log_weights[gap] = -cost", "log_weights[gap] = 0.0")]}
    ),
}


@pytest.mark.parametrize("bug", BLOCKED_BUGS)
def test_a_bug_in_the_blocked_moves_is_caught(bug, monkeypatch):
    planted = BLOCKED_BUGS[bug]
    put_in_place(monkeypatch, load_modules(planted.bugs))
    assert_make_test_catches(planted.moves)
    assert_geweke_catches(MOVES[planted.moves], setting=planted.setting)


def test_words_copied_before_the_document_is_out_of_the_counts(monkeypatch):
    of_first = "                update_word_counts(postings, topics, words, -1, 0, n_words)\n"
    process = "process_words(counters, REMOVING, next_postings, next_topics, words, -1, leads)"
    of_next = f"            {process}\n"
    copied = "        if leads:\n            inclusion = inclusion_probabilities(counts.topics, "
    too_late = "        update_word_counts(postings, topics, words, -1, 0, n_words)\n"
    planted = {
        "resampling": [
            (of_first, ""),
            (of_next, "            pass\n"),
            (copied, too_late + copied),
        ]
    }
    put_in_place(monkeypatch, load_modules(planted))
    assert_make_test_catches("blocked", "constrained")
    assert_geweke_catches(MOVES["blocked"], setting="few topics")


def shares_without_prior(concentration, rng):
    return draw_log_dirichlet(np.floor(concentration) + 1e-9, rng)


class FirstShares:
    """Draws θ once and for all."""

    shares = None

    def __call__(self, concentration, rng):
        if self.shares is None:
            self.shares = draw_log_dirichlet(concentration, rng)
        return self.shares


def relabel_all_but_the_bag(state, canon, relabel=relabelling.relabel):
    bag = state.bag.copy()
    relabel(state, canon)
    state.bag[:] = bag


@pytest.mark.parametrize("draw", [shares_without_prior, FirstShares()], ids=["no prior", "kept"])
def test_a_bug_in_the_draw_of_the_shares_is_caught(draw, monkeypatch):
    monkeypatch.setattr(block_moves, "draw_log_dirichlet", draw)
    assert_make_test_catches("blocked")
    assert_geweke_catches(MOVES["blocked"])


def test_cuts_without_the_present_boundaries_are_caught(monkeypatch):
    planted = {"preparation": [("kept[boundary] = True", "kept[n_units] = True")]}
    put_in_place(monkeypatch, load_modules(planted))
    assert_make_test_catches("blocked, random cuts")
    assert_geweke_catches(MOVES["blocked, random cuts"])


def test_a_bug_is_caught_in_a_blocked_move_alone(monkeypatch):
    planted = (
        BLOCKED_BUGS["the missing 1/l!"].bugs
        | BLOCKED_BUGS["a number's cost in inversions ignored"].bugs
    )
    put_in_place(monkeypatch, load_modules(planted))
    for alone, variant in (("blocked bag", "constrained"), ("placements", "uniform")):
        assert_enumeration_catches(MOVES[alone], variant)
        assert_geweke_catches(MOVES[alone], variant, draw_chain=many_short_chains)
    assert_make_test_catches("relabel")
    assert_geweke_catches(MOVES["relabel"], draw_chain=many_short_chains)


def test_bugs_that_only_enumeration_sees(monkeypatch):
    # Words in other topics than the structure says, until Geweke's test draws them anew: the
    # second of its two documents alone is drawn by wrong counts. Its score is 3 at 4,000 draws.
    back = (
        "            write_topics(topics, order, bag)\n"
        "            add_topic_tokens(counts.topics, offsets, order, bag, 1)\n"
    )
    then = "            find_potentials(spans.log_weights"
    planted = {"resampling": [(back, ""), (then, back + then)]}
    with monkeypatch.context() as put_back_where_they_were:
        put_in_place(put_back_where_they_were, load_modules(planted))
        assert_make_test_catches("blocked")
    monkeypatch.setattr(relabelling, "relabel", relabel_all_but_the_bag)
    assert_make_test_catches("relabel")


@pytest.mark.parametrize(
    ("bugs", "moves"),
    [(None, "blocked"), (ON_LOGARITHMS, "blocked, random cuts")],
    ids=["loaded anew", "on logarithms"],
)
def test_the_blocked_moves_without_a_bug_pass(bugs, moves, monkeypatch):
    put_in_place(monkeypatch, load_modules(bugs))
    posterior = posterior_of(TWO_DOCUMENTS, 3, "full")
    p_values = p_values_after_one_sweep(posterior, MOVES[moves], n_replicates=20_000)
    assert min(p_values.values()) > 1e-4, p_values
