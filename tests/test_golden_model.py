"""A model folder written by an earlier version loads, and gives what it gave then."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from permutopic import ContentModel, read_documents
from permutopic.datasets import elements_folder

DATA = Path(__file__).parent / "data"
EXPECTED = json.loads((DATA / "model_schema_5.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def model():
    return ContentModel.load(DATA / "model_schema_5")


def articles(*names):
    return [doc for name in names for doc in read_documents(elements_folder() / f"{name}.md")]


def test_its_outline_and_fit_are_those_that_were_saved(model):
    assert list(model.topic_names_) == EXPECTED["topic_names"]
    assert [list(entry.words) for entry in model.outline(3)] == EXPECTED["outline_words"]
    assert [topics.tolist() for topics in model.topics_] == EXPECTED["fitted_topics"]
    assert model.dispersion_.tolist() == pytest.approx(EXPECTED["dispersion"], rel=1e-12)
    assert model.log_joint_trace_[-1] == EXPECTED["log_joint"]
    assert model.inverse_temperature_trace_[:3].tolist() == EXPECTED["anneal"]
    assert model.convergence_.verdict == EXPECTED["verdict"]


def test_it_infers_new_and_fitted_documents_as_it_did(model):
    documents = articles("copper", "zinc", "arsenic")
    for found, expected in zip(model.infer(documents), EXPECTED["inferred"], strict=True):
        assert (found.title, found.seen) == (expected["title"], expected["seen"])
        assert found.topics.tolist() == expected["topics"]
        assert found.log_likelihood == pytest.approx(expected["log_likelihood"], rel=1e-9)
        assert found.boundaries == pytest.approx(expected["boundaries"], abs=1e-6)


def test_it_orders_and_checks_as_it_did(model):
    copper, zinc = articles("copper", "zinc")
    assert model.order([unit.text for unit in copper.units]).order.tolist() == EXPECTED["order"]
    scores = [check.anomaly_score for check in model.check([copper, zinc])]
    assert scores == pytest.approx(EXPECTED["oddness"], rel=1e-6)


def test_saving_it_again_gives_the_same_arrays(model, tmp_path):
    from safetensors.numpy import load_file

    model.save(tmp_path / "again")
    old = load_file(DATA / "model_schema_5" / "model.safetensors")
    new = load_file(tmp_path / "again" / "model.safetensors")
    assert old.keys() == new.keys()
    assert all(old[name].tobytes() == new[name].tobytes() for name in old)
