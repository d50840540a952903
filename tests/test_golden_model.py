"""A model folder written by an earlier version loads, and gives what it gave; so does a fit."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from permutopic import ContentModel, InputError, read_documents
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
    model.save(tmp_path / "again")
    old = load_file(DATA / "model_schema_5" / "model.safetensors")
    new = load_file(tmp_path / "again" / "model.safetensors")
    assert old.keys() == new.keys()
    assert all(old[name].tobytes() == new[name].tobytes() for name in old)


EXPECTED_6 = json.loads((DATA / "model_schema_6.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def with_classes():
    return ContentModel.load(DATA / "model_schema_6")


def test_a_model_of_schema_5_has_no_subject_words(model):
    assert not model.subject_words_.any()
    assert model.priors_.subject is None
    assert set(model.subjects_) == {()}
    assert model.get_params()["subject_words"] is False


def test_classes_and_subjects_are_those_that_were_saved(with_classes):
    model, expected = with_classes, EXPECTED_6
    assert np.flatnonzero(model.subject_words_).tolist() == expected["subject_words"]
    assert [list(words) for words in model.subjects_] == expected["subjects"]
    assert list(model.topic_names_) == expected["topic_names"]
    assert [list(entry.words) for entry in model.outline(3)] == expected["outline_words"]
    assert [topics.tolist() for topics in model.topics_] == expected["fitted_topics"]
    assert model.dispersion_.tolist() == pytest.approx(expected["dispersion"], rel=1e-12)
    assert model.log_joint_trace_[-1] == expected["log_joint"]
    assert model.priors_.word == expected["word_prior"]
    assert model.convergence_.verdict == expected["verdict"]
    assert model.convergence_.class_agreement == expected["class_agreement"]


def test_a_model_with_classes_infers_orders_and_checks_as_it_did(with_classes):
    documents = articles("copper", "zinc", "argon")
    for found, expected in zip(with_classes.infer(documents), EXPECTED_6["inferred"], strict=True):
        assert (found.title, found.seen) == (expected["title"], expected["seen"])
        assert found.topics.tolist() == expected["topics"]
        assert list(found.subjects) == expected["subjects"]
        assert found.log_likelihood == pytest.approx(expected["log_likelihood"], rel=1e-9)
        assert found.boundaries == pytest.approx(expected["boundaries"], abs=1e-6)
    units = [unit.text for unit in documents[0].units]
    assert with_classes.order(units).order.tolist() == EXPECTED_6["order"]
    scores = [check.anomaly_score for check in with_classes.check(documents)]
    assert scores == pytest.approx(EXPECTED_6["anomaly_scores"], rel=1e-6)


@pytest.mark.parametrize(
    ("name", "array", "message"),
    [
        ("subject.base_rates", None, "base rates are missing"),
        ("subject.base_rates", np.ones(3), "not one number for each word"),
        ("subject.base_rates", np.zeros(3), "not one positive number"),
        ("documents.subjects", np.zeros((2, 10), dtype=np.int32), r"subjects is int32 \(2, 10\)"),
        ("documents.subjects", np.full((12, 10), 10**6, dtype=np.int32), "no word's"),
        ("chain0.subject_words", None, "not whole"),
    ],
)
def test_damaged_classes_are_refused(name, array, message, tmp_path):
    shutil.copytree(DATA / "model_schema_6", tmp_path / "m")
    path = tmp_path / "m" / "model.safetensors"
    arrays = load_file(path)
    arrays.pop(name)
    if array is not None:
        arrays[name] = array
    if name.startswith("chain0"):  # then its words would all be section words, without a count
        arrays["chain0.subject_words"] = np.ones(len(arrays["chain0.word_counts"]), dtype=np.bool_)
    save_file(arrays, path)
    with pytest.raises(InputError, match=f"model folder is not whole .*{message}|{message}"):
        ContentModel.load(tmp_path / "m")


# Log joints of the last sweep of two chains, the topics of the first document in the better one,
# and all inversions by topic. A change of the samplers, of their settings or of their random
# streams changes these numbers: then they are written anew, on purpose.
FITS = [
    ("blocked", "full", (-31504.1662, -31520.8551), "111110023333", [7, 0, 0]),
    ("paper", "full", (-31626.1009, -31596.3731), "222000111333", [7, 7, 0]),
    ("blocked", "uniform", (-31494.9193, -31496.5591), "222333311100", [15, 10, 2]),
    ("blocked", "constrained", (-31542.5584, -31542.4729), "000001122233", [0, 0, 0]),
]


@pytest.mark.parametrize(("sampler", "variant", "joints", "topics", "inversions"), FITS)
def test_a_fit_with_a_seed_gives_what_it_gave(sampler, variant, joints, topics, inversions):
    documents = articles("copper", "zinc", "arsenic", "iron", "gold", "tin")
    fitted = ContentModel(
        4, sampler=sampler, variant=variant, n_sweeps=10, n_chains=2, random_state=7
    ).fit(documents)
    found = [chain.log_joints[-1] for chain in fitted.chains_]
    assert found == pytest.approx(list(joints), abs=1e-3)
    assert "".join(map(str, fitted.topics_[0])) == topics
    assert fitted.inversions_.sum(axis=0).tolist() == inversions


def test_more_documents_are_added_as_they_were():
    fitted = ContentModel(4, n_sweeps=10, random_state=7).fit(
        articles("copper", "zinc", "arsenic", "iron")
    )
    fitted.partial_fit(articles("gold", "tin"))
    assert ["".join(map(str, topics)) for topics in fitted.topics_[-2:]] == [
        "001111111111",
        "1111111111",
    ]
    assert fitted.dispersion_.tolist() == pytest.approx([1.016926, 5.285903, 1.21968], abs=1e-5)
