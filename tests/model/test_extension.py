"""More documents for a state: where they start, and what stays as it was."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from permutopic.corpus import take_documents
from permutopic.model import extension
from permutopic.model.mcmc.schedule import POSTERIOR
from permutopic.model.priors import Variant
from permutopic.model.state import make_state
from permutopic.streams import Streams

from audit import check_state

OLD, NEW = [0, 1, 3], [2, 4, 5]


@pytest.fixture
def halves(drawn):
    """The state of some documents, and the corpus of the others."""
    corpus, state, priors = drawn
    old = take_documents(corpus, np.array(OLD))
    known = make_state(old, state.bag[OLD], state.inversions[OLD], state.dispersion)
    return known, take_documents(corpus, np.array(NEW)), priors


def test_new_documents_start_at_their_most_probable_structures(halves, monkeypatch):
    state, new, priors = halves
    best = [[3, 3, 1, 1, 1, 0, 0], [2, 2, 2, 0, 0, 0], [1, 1, 1]]

    class Inference:
        def __init__(self, given, *_, n_samples):
            assert given is state
            self.left = iter(best)

        def infer(self, document):
            return SimpleNamespace(topics=np.array(next(self.left)))

    monkeypatch.setattr(extension, "StructureInference", Inference)
    started = extension._initial_structures(state, new, priors)
    check_state(new, started)
    assert [started.topics(number).tolist() for number in range(3)] == best
    assert started.dispersion.tolist() == state.dispersion.tolist()


def test_where_orders_are_fixed_new_documents_start_in_the_canonical_one(halves):
    state, new, priors = halves
    fixed = replace(state, inversions=0 * state.inversions, dispersion=np.full(3, np.inf))
    started = extension._initial_structures(
        fixed, new, replace(priors, variant=Variant.CONSTRAINED)
    )
    check_state(new, started)
    assert not started.inversions.any()


def test_earlier_documents_stay_and_all_words_are_counted(halves, drawn):
    state, new, priors = halves
    before = state.copy()
    whole = extension.extend_state(state, new, priors, n_sweeps=3, streams=Streams(1))
    check_state(take_documents(drawn[0], np.array(OLD + NEW)), whole)
    assert whole.bag[: len(OLD)].tolist() == before.bag.tolist()
    assert whole.inversions[: len(OLD)].tolist() == before.inversions.tolist()
    for name, array in vars(before).items():
        assert np.array_equal(getattr(state, name), array), name


@pytest.mark.parametrize("variant", list(Variant))
def test_sweeps_are_as_many_as_asked_at_inverse_temperature_one(halves, monkeypatch, variant):
    state, new, priors = halves
    if variant != Variant.FULL:
        state.dispersion[:] = variant.fixed_dispersion
        state.inversions[:] = 0
    seen = []

    def note(name):
        def move(self, state, random_at, stage=POSTERIOR):
            seen.append((name, stage))

        return move

    for kind in (extension.ResampleBlocks, extension.ResampleDispersion):
        monkeypatch.setattr(kind, "__call__", note(kind.__name__))
    priors = replace(priors, variant=variant)
    extension.extend_state(state, new, priors, n_sweeps=4, streams=Streams(1))
    sweep = [("ResampleBlocks", POSTERIOR)]
    if variant == Variant.FULL:
        sweep.append(("ResampleDispersion", POSTERIOR))
    assert seen == sweep * 4
