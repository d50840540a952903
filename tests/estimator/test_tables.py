"""The tables of the library are those that the commands print."""

from __future__ import annotations

import json

import pytest

from permutopic import ContentModel, InputError, read_documents
from permutopic.datasets import elements_folder


@pytest.fixture(scope="module")
def articles():
    names = ("argon", "barium", "boron", "copper", "gold", "iron", "lead", "zinc")
    return [
        document for name in names for document in read_documents(elements_folder() / f"{name}.md")
    ]


@pytest.fixture(scope="module")
def model(articles):
    return ContentModel(5, n_sweeps=20, random_state=2).fit(articles[:-2])


@pytest.fixture
def saved(model, tmp_path):
    model.save(tmp_path / "model")
    paths = [elements_folder() / "lead.md", elements_folder() / "zinc.md"]
    return [tmp_path / "model", *paths]


def rows_of(run, command, saved, *options):
    code, output, error = run(command, *saved, *options, "--json")
    assert (code, error) == (0, "")
    return [json.loads(line) for line in output.splitlines()]


@pytest.mark.parametrize("rows", ["units", "documents"])
def test_predict_prints_the_table_of_the_library(run, model, articles, saved, rows):
    table = model.predict_table(articles[-2:], rows=rows)
    printed = rows_of(run, "predict", saved, *(["--documents"] if rows == "documents" else []))
    assert printed == json.loads(json.dumps(list(table)))
    assert list(table) == list(table)
    frame = table.to_pandas()
    assert list(frame.columns) == list(table.columns)
    assert len(frame) == len(printed)


def test_probabilities_are_a_column_when_asked_for(run, model, articles, saved):
    table = model.predict_table(articles[-2:], probabilities=True)
    assert list(table.columns)[-1] == "probabilities"
    assert rows_of(run, "predict", saved, "--probabilities") == list(table)
    for row in table:
        assert sum(row["probabilities"]) == pytest.approx(1)
        assert row["probability"] == row["probabilities"][row["topic"]]


def test_segment_prints_the_table_of_the_library(run, model, articles, saved, tmp_path):
    table = model.segment_table(articles[-2:], max_words=120, with_text=True)
    assert rows_of(run, "segment", saved, "--max-words", 120, "--text") == list(table)
    assert all(row["words"] <= 120 for row in table)
    assert table.to_csv(tmp_path / "segments.csv") == len(list(table))
    segments = [
        each for document in model.segment(articles[-2:], max_words=120) for each in document
    ]
    assert [each.as_row() for each in segments] == list(table)


def test_segments_of_the_fit_that_cannot_be_cut_are_counted_in_a_warning(model):
    longest = max(row["words"] for row in model.segment_table())
    with pytest.warns(match=r"segments have more than 10 words: cutting a unit takes its text"):
        assert list(model.segment_table(max_words=10))
    assert list(model.segment_table(max_words=longest))  # exactly as long is not too long


def test_an_iterator_of_documents_is_read_once(model, articles):
    table = model.predict_table(iter(articles[-2:]))
    assert len(list(table)) == sum(len(document.units) for document in articles[-2:])
    with pytest.raises(InputError, match="can be read once: give a list"):
        list(table)


def test_a_wrong_kind_of_rows_is_refused(model):
    with pytest.raises(InputError, match="rows is one of units, documents, not 'words'"):
        model.predict_table([["a"]], rows="words")
