"""The study of priors: its log joint is one that can be compared, and no run is made twice."""

from __future__ import annotations

import json
import math

import numpy as np
import priors
import pytest
from priors import DEFAULTS, VALUES, compare, log_joint_without_dispersion, run_study, show
from scipy.integrate import quad

from permutopic import ContentModel, Corpus
from permutopic.documents import Document, Unit
from permutopic.mallows import log_pmf
from permutopic.model.joint import joint_terms

CORPUS = Corpus.from_documents(
    [
        Document(str(n), (Unit("a b" + " a" * n, "x"), Unit("c d", "y"), Unit("e", "x")), str(n))
        for n in range(5)
    ]
)


@pytest.mark.parametrize("dispersion_prior", [0.3, 1.0, 3.0])
@pytest.mark.parametrize("strength", [0.5, 5.0])
def test_the_dispersion_is_integrated_out(dispersion_prior, strength):
    model = ContentModel(
        3, dispersion_prior=dispersion_prior, dispersion_strength=strength, random_state=0
    ).fit(CORPUS)
    state, priors_ = model.state_, model.priors_
    expected = sum(joint_terms(state, priors_)[:3])
    for j, (values, mean) in enumerate(zip((3, 2), priors_.mean_inversions(3), strict=True)):

        def prior(rho, values=values, mean=mean):
            normalizer = math.log(sum(math.exp(-rho * v) for v in range(values)))
            return math.exp(strength * (-rho * mean - normalizer))

        def joint(rho, j=j, prior=prior):
            counts = np.zeros((5, 2), dtype=np.int64)
            counts[:, j] = state.inversions[:, j]
            # The other topic's factor is that of ρ = ∞, where no inversion has probability one.
            rhos = [rho, math.inf] if j == 0 else [math.inf, rho]
            return prior(rho) * math.exp(log_pmf(counts, rhos).sum())

        whole, seen = (quad(f, 0, math.inf, limit=500, epsabs=0)[0] for f in (prior, joint))
        expected += math.log(seen / whole)
    assert log_joint_without_dispersion(model) == pytest.approx(expected, abs=1e-5)


def test_a_run_is_compared_with_other_seeds_alone():
    first, second = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    found = compare(first, {0: second, 1: first}, seed=0)
    assert (found["agreement"], found["order_agreement"]) == (1, 1)
    assert compare(first, {0: first, 1: second}, seed=0)["agreement"] < 0.1
    assert compare(np.zeros(4, dtype=np.int64), {1: first}, seed=0)["order_agreement"] is None


def test_no_run_is_made_twice(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(priors, "load", lambda *_: CORPUS)
    monkeypatch.setattr(priors, "STUDIES", (("some", 2),))
    path, runs = tmp_path / "runs.jsonl", []
    run_study(tmp_path, "some", 2, [0, 1], runs, path)
    kept = path.read_text()
    assert [json.loads(line) for line in kept.splitlines()] == runs
    n_settings = 1 + sum(len(values) - 1 for values in VALUES.values())
    assert len(runs) == 2 * n_settings
    run_study(tmp_path, "some", 2, [0, 1], runs, path)
    assert path.read_text() == kept
    show(runs)
    printed = capsys.readouterr().out
    for symbol, value in zip(("β0", "θ0", "ρ0", "ν0 / D"), DEFAULTS.values(), strict=True):
        assert f"**{symbol}**" in printed
        assert f"| **{value:g}** |" in printed
