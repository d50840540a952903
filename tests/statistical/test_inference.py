"""Rung 6 and 8 for the inference: a visit leaves the posterior of a document as it is.

Each replicate starts at an exact draw of the structure of a tiny document, all others being given,
with the document's words in the counts, as for one that was in the fit. What comes out of its
visits must be such a draw again, though places and topics are left out of them at random.
"""

from __future__ import annotations

import importlib
import itertools

import numba
import numpy as np
import pytest
from scipy.special import gammaln

import oracle_inference
from permutopic.corpus import DocumentTokens
from permutopic.model.inference import sampling
from permutopic.model.inference.preparing import (
    FittedCounts,
    InferenceInput,
    InferenceSettings,
    PosteriorSummary,
    prepare_document,
)
from permutopic.model.priors import Variant

import oracle
from exact import pooled_chi_square
from kernel_source import MODULES, load_modules

pytestmark = pytest.mark.statistical

UNITS = [[0, 0, 3], [1], [], [0, 1, 2], [3, 1]]
HELD = [[9, 1, 0, 2], [1, 7, 2, 0], [2, 0, 1, 8]]  # of each word, by topic, in other documents
BETA, CONCENTRATION, SHARES = 0.7, [2.6, 0.9, 1.7], [0.5, 0.2, 0.3]
DISPERSION = {
    Variant.FULL: [0.9, 0.4],
    Variant.UNIFORM: [0.0, 0.0],
    Variant.CONSTRAINED: [np.inf] * 2,
}
N_TOPICS, N_UNITS, N_WORDS = 3, len(UNITS), 4

# About two places of four looked at, and topics not in use active four times in ten.
VISIT = InferenceSettings(1, 1, 2, 2, 2, 10.0, 0.4, False)


class Setting:
    """All structures of the document with their probabilities, each ready to start from."""

    def __init__(self, variant, work):
        self.work, dispersion, orders = work, DISPERSION[variant], variant != "constrained"
        document = oracle_inference.LoneDocument(
            UNITS, HELD, BETA, dispersion, fast=work.fast, orders=orders
        )
        self.structures = list(itertools.product(document.orders, document.bags))
        logs = np.array([document.log_posterior(*one, CONCENTRATION) for one in self.structures])
        self.probabilities = np.exp(logs - oracle.log_sum(logs.tolist()))
        layouts = [self._layout(*one) for one in self.structures]
        self.index = {layout: n for n, layout in enumerate(dict.fromkeys(layouts))}
        places = [self.index[layout] for layout in layouts]
        self.expected = np.bincount(places, self.probabilities)
        self.dispersion, self.orders = np.array(dispersion), orders
        self.known = [self._known(layout) for layout in layouts]
        self.seen = [
            (np.array(layout), np.array(oracle.inversions_by_order(N_TOPICS)[order]))
            for layout, (order, _) in zip(layouts, self.structures, strict=True)
        ]

    def _layout(self, order, bag):
        return tuple(topic for topic in order for _ in range(bag[topic]))

    def _known(self, layout):
        counts = np.array(HELD, dtype=np.int32).T.copy()
        for words, topic in zip(UNITS, layout, strict=False):  # of none, where it is new
            np.add.at(counts, (words, topic), 1)
        most = 2 * counts.sum()  # one bug looks further up the table of logΓ than there is
        return FittedCounts(
            counts,
            counts.sum(axis=0, dtype=np.int64),
            np.array(SHARES),
            self.dispersion,
            0.15,
            np.zeros(N_WORDS),
            gammaln(np.arange(most) + N_WORDS * BETA),
            gammaln(np.arange(N_UNITS + 2) + 1.0),
            BETA,
            N_WORDS * BETA,
            20,
            self.orders,
        )

    def p_value(self, n_replicates, infer=sampling.infer_structure, *, new=False, seed=0):
        """Start at exact draws, or anew each time, and compare what comes out of all visits."""
        rng, work = np.random.default_rng(seed), self.work
        visits, n_samples = work.visits, work.visits * work.rounds
        each = N_UNITS + 1 + N_TOPICS + work.rounds * (2 * work.placements + N_TOPICS)
        words = np.array([word for unit in UNITS for word in unit], dtype=np.int32)
        offsets, nothing = np.cumsum([0, *map(len, UNITS)]), np.empty(0, dtype=np.int64)
        summary = PosteriorSummary(
            np.empty(N_UNITS, dtype=np.int64),
            np.empty((N_UNITS, N_TOPICS)),
            np.empty(N_UNITS),
            np.empty((n_samples, N_UNITS), dtype=np.int64),
            np.empty(1),
            np.empty((N_UNITS, N_TOPICS)),
            np.empty(N_UNITS),
        )
        numbers, counted = np.full(N_WORDS, -1, dtype=np.int32), np.zeros(len(self.index))
        without = self._known(()) if new else None
        starts = rng.choice(len(self.structures), n_replicates, p=self.probabilities)
        for start in starts.tolist():
            given = InferenceInput(
                DocumentTokens(words, offsets),
                *((nothing, nothing) if new else self.seen[start]),
                rng.random(visits * each),
                rng.standard_gamma(CONCENTRATION, (visits, N_TOPICS)),
                rng.standard_exponential((visits, N_UNITS)),
            )
            infer(given, without if new else self.known[start], work, numbers, summary)
            counted[self.index[tuple(summary.samples[-1].tolist())]] += 1
        return pooled_chi_square(counted, n_replicates * self.expected)


def test_places_and_topics_are_left_out_of_these_visits():
    setting = Setting("full", VISIT)
    words = np.array([word for unit in UNITS for word in unit], dtype=np.int32)
    given = InferenceInput(
        DocumentTokens(words, np.cumsum([0, *map(len, UNITS)])),
        *setting.seen[0],
        *np.empty((3, 0)),
    )
    room = [np.empty((N_UNITS, N_TOPICS)), np.empty(N_UNITS)]
    summary = PosteriorSummary(np.empty(0), *room, np.empty((0, 0)), np.empty(1), *room)
    numbers = np.full(N_WORDS, -1, dtype=np.int32)
    prepare = prepare_document.py_func
    prepared, *_ = prepare(given, setting.known[0], numbers, VISIT, summary)
    assert prepared.inclusion.tolist() == [0.4, 0.4, 0.4]
    assert np.all(prepared.cut_probabilities[1:-1] < 0.9)
    assert np.ptp(prepared.cut_probabilities[1:-1]) > 0.1  # each place has a chance of its own


CASES = {
    "one visit": VISIT,
    "fast": VISIT._replace(fast=True),
    "three visits": VISIT._replace(visits=3, rounds=3, placements=1),
    "every place": VISIT._replace(cuts=9),
    "every topic": VISIT._replace(presence_threshold=0.0),
    "bags alone": VISIT._replace(placements=0),
}


# Every bug below is caught by the last of these, which `make test` runs.
SHARE = [("constrained", "one visit"), ("uniform", "fast"), ("full", "three visits")]
REST = [
    *(("full", case) for case in CASES if case != "three visits"),
    ("constrained", "fast"),
    ("uniform", "one visit"),
    ("uniform", "three visits"),
]


@pytest.mark.parametrize(
    ("variant", "case"), [*SHARE, *(pytest.param(*one, marks=pytest.mark.ladder) for one in REST)]
)
def test_visits_leave_the_posterior_as_it_is(variant, case):
    # 15 p-values in this file: one below 1e-4 by chance is a thing of one run in 600.
    assert Setting(variant, CASES[case]).p_value(20_000) > 1e-4


@pytest.mark.ladder
@pytest.mark.parametrize("variant", list(Variant))
def test_a_new_document_gets_to_the_posterior_from_its_first_structure(variant):
    work = VISIT._replace(visits=25, rounds=2)
    assert Setting(variant, work).p_value(6_000, new=True) > 1e-4


def interpreted(bugs):
    """Plant bugs and give `infer`, with what they touch left uncompiled: that would take long."""
    loaded = load_modules(bugs)
    for name in MODULES:
        mine, package = getattr(loaded, name), importlib.import_module(MODULES[name])
        for known, thing in list(vars(mine).items()):
            compiled = isinstance(thing, numba.core.dispatcher.Dispatcher)
            if compiled and thing is not getattr(package, known):
                setattr(mine, known, thing.py_func)
    return loaded.sampling.infer_structure


DISCOUNT = "sign * (weights[cut] + log_inclusion)"
BUGS = {
    "a boundary without 1/p": {"preparation": [(DISCOUNT, "sign * log_inclusion")]},
    "a topic in use without 1/h": {"preparation": [(DISCOUNT, "sign * weights[cut]")]},
    "cuts without the present boundaries": {
        "preparation": [("        kept[boundary] = True\n", "")]
    },
    "topics active more often than their chance says": {
        "placement": [("uniforms[topic] < inclusion[topic]", "uniforms[topic] < 0.7")]
    },
    "a dropped Mallows factor": {
        "placement": [
            ("log_weights[gap] = log_prior + log_totals", "log_weights[gap] = log_totals")
        ]
    },
    "θ drawn without the bag": {
        "sampling": [("weights[topic] += exponentials[unit]", "weights[topic] += 0.0")]
    },
    "the missing 1/l!": {
        "preparing": [
            (
                "cuts, fitted.log_factorial, 1.0, 0.0, 0)",
                "cuts, 0.0 * fitted.log_factorial, 1.0, 0.0, 0)",
            )
        ]
    },
    "own words not left out": {
        "preparing": [
            (
                "        remove_own_tokens(local.tokens, offsets, document.topics, rows, "
                "topic_tokens)\n",
                "        pass\n",
            )
        ]
    },
    "a bag drawn from the sums of an order that was": {
        "sampling": [("if same_order and summed:", "if summed:")]
    },
}


@pytest.mark.ladder
@pytest.mark.parametrize("bug", BUGS)
def test_a_bug_in_the_visits_is_caught(bug):
    # One visit hides what only makes structures stickier, and a second bag has to be drawn.
    infer, setting = interpreted(BUGS[bug]), Setting("full", CASES["three visits"])
    p_values = []
    for n_replicates in (1_000, 8_000):  # most bugs show in a fraction of what the test draws
        p_values.append(setting.p_value(n_replicates, infer))
        if p_values[-1] < 1e-6:
            return
    pytest.fail(f"not caught: {p_values}")


@pytest.mark.ladder
def test_visits_on_logarithms_pass_too():
    # As where scaled weights would leave the floats.
    infer = interpreted(
        {"sampling": [("fits = fill_linear_weights(spans, filters)", "fits = False")]}
    )
    assert Setting("full", CASES["three visits"]).p_value(4_000, infer) > 1e-4
