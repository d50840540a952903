"""`permutopic predict`, as a user runs it."""

from __future__ import annotations

import csv
import importlib
import io

import numpy as np
import pytest
from pyarrow import parquet

from permutopic import ContentModel, InputError, InputWarning, Units, read_corpus, read_documents
from permutopic.cli.predict import predict_command
from permutopic.cli.reading_options import FEW_SAMPLES, MANY_SAMPLES
from permutopic.estimator import new_documents
from permutopic.results.tables import UNIT_COLUMNS

from by_hand import COAST, HILL, TOWN, Alive, call, make_inferred, rows_of, write_places


@pytest.fixture
def model(places_model):
    return places_model


@pytest.fixture
def places(places_folder):
    return places_folder


@pytest.fixture
def new(tmp_path):
    """Two documents of the same title, the second of them another way round."""
    folder = tmp_path / "new"
    folder.mkdir()
    (folder / "a.txt").write_text(f"{COAST}\n\n{HILL}\n\n{HILL}\n\n{TOWN}")
    (folder / "b.md").write_text(f"# a\n\n{TOWN}\n\n{COAST}\n\nUnheard *and* unseen: {HILL}")
    return folder


def predict(*arguments, **settings):
    return call(predict_command, *arguments, **settings)


def test_there_is_a_row_for_every_unit(model, new):
    rows = rows_of(predict(model, new, "--json"))
    assert [list(row) for row in rows] == [list(UNIT_COLUMNS)] * 7
    assert [(row["document"], row["title"], row["unit"]) for row in rows] == [
        (1, "a", 1), (1, "a", 2), (1, "a", 3), (1, "a", 4), (2, "a", 1), (2, "a", 2), (2, "a", 3),
    ]  # fmt: skip
    names = ["Coast", "Hills", "Hills", "Town", "Town", "Coast", "Hills"]
    assert [row["name"] for row in rows] == names
    documents = list(read_documents([new]))
    for row in rows:
        document = documents[row["document"] - 1]
        unit = document.units[row["unit"] - 1]
        assert (row["start"], row["end"]) == (unit.start, unit.end)
        assert row["words"] == len(unit.text.split())
        assert row["location"] == document.location
        assert (row["boundary"] is None) == (row["unit"] == 1)


def test_the_rows_say_what_the_model_infers(model, new):
    fitted = ContentModel.load(model)
    rows = rows_of(predict(model, new, "--json", "--samples", 5, "--seed", 3, "--fast"))
    expected = fitted.infer(read_documents([new]), n_samples=5, random_state=3, fast=True)
    for number, inferred in enumerate(expected, 1):
        mine = [row for row in rows if row["document"] == number]
        assert [row["topic"] for row in mine] == inferred.topics.tolist()
        own = inferred.probabilities[np.arange(inferred.n_units), inferred.topics]
        assert [row["probability"] for row in mine] == own.tolist()
        assert [row["boundary"] for row in mine[1:]] == inferred.boundaries.tolist()


def test_all_forms_hold_the_same(model, new, tmp_path):
    rows = rows_of(predict(model, new, "--json"))
    printed = list(csv.DictReader(io.StringIO(predict(model, new, "--csv"))))
    assert [row["name"] for row in printed] == [row["name"] for row in rows]
    assert [float(row["probability"]) for row in printed] == [row["probability"] for row in rows]
    assert [row["boundary"] == "" for row in printed] == [row["unit"] == 1 for row in rows]
    output = tmp_path / "t.parquet"
    assert predict(model, new, "-o", output) == f"{output}: 7 rows\n"
    assert parquet.read_table(output).to_pylist() == rows


def test_documents_come_from_standard_input_too(model):
    text = f"{HILL}\n\n{COAST}"
    rows = rows_of(predict(model, "-", "--format", "text", "--json", stdin=text))
    assert [row["name"] for row in rows] == ["Hills", "Coast"]


def test_people_see_a_line_for_every_document(model, new):
    (new / "c.txt").write_text("x" * 60)
    with pytest.warns(InputWarning, match="the model knows none of its words"):
        shown = predict(model, new)
    lines = [line.split() for line in shown.splitlines() if line.strip()]
    assert lines[2][:3] == ["a", "0112", "–"]
    assert lines[2][-1] == "100%"
    assert lines[3][:4] == ["a", "201", "2", "swaps"]
    assert lines[3][-1] == "79%"  # 11 of 14
    assert lines[4][-2:] == ["–", "0%"]
    assert lines[5] == ["0", "Coast", "1", "Hills", "2", "Town"]


def test_a_long_document_has_a_mark_a_segment(model, tmp_path):
    (tmp_path / "long.txt").write_text("\n\n".join([HILL] * 80 + [TOWN]))
    shown = predict(model, tmp_path / "long.txt")
    assert "topics, segment by segment" in shown
    assert ["long", "12"] in [line.split()[:2] for line in shown.splitlines()]


def test_what_documents_say_to_a_terminal_is_spelt_out(model, new, monkeypatch):
    spelt = make_inferred(["salt"], [0], title="a\x1b[2Jb")
    monkeypatch.setattr(ContentModel, "infer", lambda *_, **__: iter([spelt]))
    shown = predict(model, new)
    assert "\x1b" not in shown
    assert r"a\x1b[2Jb" in shown


def test_what_cannot_be_read_is_said_when_the_rest_is_done(model, new):
    (new / "bad.txt").write_bytes(b"\xff\xff")
    with pytest.warns(InputWarning, match=r"1 left out \(not UTF-8\), .*bad.txt for one"):
        rows = rows_of(predict(model, new, "--json"))
    assert len(rows) == 7


def test_a_document_whose_units_are_all_dropped_is_left_out(places, new, tmp_path):
    corpus = read_corpus(places, units=Units(min_words=3, short="drop"))
    ContentModel(3, n_sweeps=5, random_state=0).fit(corpus).save(tmp_path / "m")
    (new / "a.txt").write_text("Few words.")
    with pytest.warns(InputWarning, match=r"1 left out without a unit to be cut, .*a.txt for one"):
        rows = rows_of(predict(tmp_path / "m", new, "--json"))
    assert {row["document"] for row in rows} == {1}


def test_a_function_of_ones_own_is_named_again(places, new, tmp_path, monkeypatch):
    (tmp_path / "murmuring.py").write_text("def split(text): return text.upper().split()\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    murmuring = importlib.import_module("murmuring")
    corpus = read_corpus(places, murmuring.split)
    ContentModel(3, n_sweeps=5, random_state=0).fit(corpus).save("m")
    with pytest.raises(InputError, match="split by murmuring:split: give that function again"):
        predict("m", new, "--json")
    assert len(rows_of(predict("m", new, "--json", "--tokens", "murmuring:split"))) == 7
    with pytest.raises(InputError, match="as module:name, not 'words'"):
        predict("m", new, "--tokens", "words")


@pytest.mark.parametrize("form", ["--json", "--csv", "-o"])
def test_a_million_documents_are_not_held_at_a_time(model, new, tmp_path, monkeypatch, form):
    alive = Alive(500)
    monkeypatch.setattr(ContentModel, "infer", lambda _, *a, **k: alive.infer([0], **k))
    target = [form, tmp_path / "t.csv"] if form == "-o" else [form]
    predict(model, new, *target)
    assert 1 <= alive.most <= 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nowhere", "NEW"), "nowhere is not a model folder"),
        (("MODEL", "nowhere.txt"), "nowhere.txt"),
        (("MODEL", "NEW", "-o", "t.txt"), "t.txt: a table's name ends in"),
        (("MODEL", "NEW", "--samples", "0"), "n_samples must be a whole number of at least 1"),
        (("MODEL", "NEW", "--jobs", "0"), "n_jobs .* must be a whole number"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(model, new, arguments, message):
    places = {"MODEL": model, "NEW": new}
    with pytest.raises(InputError, match=message) as raised:
        predict(*(places.get(each, each) for each in arguments))
    assert "\n" not in str(raised.value)


def test_as_many_draws_are_made_as_the_library_makes():
    assert (FEW_SAMPLES, MANY_SAMPLES) == (
        new_documents.N_SAMPLES,
        new_documents.MANY_SAMPLES,
    )


def test_a_row_a_document_says_all_of_it(tmp_path):
    write_places(tmp_path / "places")
    ContentModel(3, n_sweeps=20, random_state=0).fit(read_corpus(tmp_path / "places")).save(
        tmp_path / "m"
    )
    rows = rows_of(predict(tmp_path / "m", tmp_path / "places", "--documents", "--json"))
    model = ContentModel.load(tmp_path / "m")
    for row, found in zip(rows, model.infer(read_documents(tmp_path / "places")), strict=True):
        assert (row["topics"], row["ends"]) == (found.topics.tolist(), found.ends.tolist())
        assert (row["swaps"], row["seen"]) == (found.swaps, True)
        assert row["log_likelihood"] == found.log_likelihood
    units = rows_of(predict(tmp_path / "m", tmp_path / "places", "--probabilities", "--json"))
    assert all(abs(sum(row["probabilities"]) - 1) < 1e-9 for row in units)
    with pytest.raises(InputError, match="--probabilities are those of units"):
        predict(tmp_path / "m", tmp_path / "places", "--documents", "--probabilities")


def test_what_is_read_is_never_written_over(model, new):
    table = new / "c.csv"
    table.write_text("title,text\nx,y\n")
    model_file = model / "model.json"
    before = model_file.read_bytes()
    for target, paths in ((table, [new]), (table, [new / "*.csv"]), (model_file, [new / "a.txt"])):
        with pytest.raises(InputError, match="is among the files to be read"):
            predict(model, *paths, "-o", target)
    assert table.read_text() == "title,text\nx,y\n"
    assert model_file.read_bytes() == before
