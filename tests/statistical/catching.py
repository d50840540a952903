"""What rungs 6 and 7 have to do with a planted bug: reject it."""

from __future__ import annotations

import pytest

from exact import p_values_after_one_sweep
from statistical.cases import MOVES, SHARE, TWO_DOCUMENTS, posterior_of
from statistical.geweke import geweke_scores, one_chain, priors_for


def assert_enumeration_catches(make_moves, variant="full"):
    posterior = posterior_of(TWO_DOCUMENTS, 3, variant)
    for n_replicates in (2_000, 20_000):  # most bugs show in a tenth of what the test draws
        p_values = p_values_after_one_sweep(posterior, make_moves, n_replicates)
        if min(p_values.values()) < 1e-6:
            return
    pytest.fail(f"enumeration does not catch it: {p_values}")


def assert_make_test_catches(moves, variant="full"):
    assert (variant, moves) in SHARE
    assert_enumeration_catches(MOVES[moves], variant)


def assert_geweke_catches(
    make_moves, variant="full", setting="distinctive words", draw_chain=one_chain
):
    priors = priors_for(variant, setting)
    for n_independent, n_chain in ((1_000, 2_000), (2_000, 4_000), (8_000, 24_000)):
        scores = geweke_scores(priors, make_moves, n_independent, n_chain, draw_chain=draw_chain)
        if max(map(abs, scores.values())) > 6:
            return
    pytest.fail(f"Geweke's test does not catch it: {scores}")
