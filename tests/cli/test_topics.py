"""The demo, and the commands that name and merge topics, as a user runs them."""

from __future__ import annotations

import json
import shutil

import pytest
from click.testing import CliRunner

from permutopic import ContentModel
from permutopic.cli import command_line
from permutopic.cli.tables import (
    colour,
    mark,
    print_map,
    print_outline,
    shortened,
    swaps_in_words,
)
from permutopic.errors import InputError
from permutopic.topics import structure_of

COAST, HILL, TOWN = "Salt sea waves, sand.", "Hills: snow, rocks & ice.", "Town hall, market."


def run(*arguments):
    """Run a command; the error that `main` would print in one line is raised."""
    done = CliRunner().invoke(
        command_line, list(map(str, arguments)), env={"COLUMNS": "100"}, standalone_mode=False
    )
    if done.exception is not None:
        raise done.exception
    return done.output


@pytest.fixture(scope="module")
def fitted(tmp_path_factory):
    folder = tmp_path_factory.mktemp("places")
    for n in range(8):
        sections = [("Coast", COAST), ("Hills", HILL), ("Town", TOWN)]
        text = "\n\n".join(f"## {heading}\n\n{text}" for heading, text in sections)
        (folder / f"{n}.md").write_text(f"# Place {n}\n\n{text} No {n}.\n", encoding="utf-8")
    said = run("fit", folder, "-k", 4, "--sweeps", 40, "-o", folder / "model")
    first, topics, verdict = said.splitlines()
    assert first.startswith(f"{folder / 'model'}: 8 documents, 24 units, log joint -")
    assert topics == "3 topics: Coast; Hills; Town"  # and not the one that is not used
    assert "--chains 4" in verdict
    return folder / "model"


@pytest.fixture
def model(fitted, tmp_path):
    return shutil.copytree(fitted, tmp_path / "model")


def names(folder):
    return list(ContentModel.load(folder).topic_names_)


def test_the_outline_has_names_from_headings(model):
    shown = run("outline", model)
    for name in ("Coast", "Hills", "Town"):
        assert name in shown
    topics = json.loads(run("outline", model, "--json"))["topics"]
    assert [entry["named_by"] for entry in topics] == ["heading"] * 3 + ["none"]
    assert "1 of 4 topics are not used" in shown


def test_the_map_has_a_line_for_every_document(model):
    shown = run("outline", model, "--map")
    rows = [line.split() for line in shown.splitlines() if line.split()[:1] == ["Place"]]
    assert len(rows) == 8
    assert {tuple(row[2:]) for row in rows} == {("012", "–")}
    whole = json.loads(run("outline", model, "--map", "--json"))
    first = {"title": "Place 0", "topics": [0, 1, 2], "swaps": 0, "subjects": []}
    assert whole["documents"][0] == first
    assert whole["no_order"] is None
    assert [entry["topic"] for entry in whole["topics"]] == [0, 1, 2, 3]


def test_topics_are_renamed_in_place(model):
    shown = run("rename", model, "0=By the sea", "hills=Up = high")
    assert "By the sea" in shown
    assert names(model)[:3] == ["By the sea", "Up = high", "Town"]
    run("rename", model, "By the sea= ", "up = HIGH=Up == higher")
    assert names(model)[:3] == ["Coast", "Up == higher", "Town"]


def test_a_renamed_model_can_go_elsewhere(model, tmp_path):
    run("rename", model, "0=Sea", "-o", tmp_path / "other")
    assert names(model)[0] == "Coast"
    assert names(tmp_path / "other")[0] == "Sea"


def test_a_fit_does_not_replace_names_given_by_hand(model, fitted):
    folder = fitted.parent
    run("fit", folder, "-k", 2, "--sweeps", 5, "-o", model, "--exclude", "model*")
    for change in (("rename", model, "0=Mine"), ("merge", model, 0, 1)):
        run(*change)
        with pytest.raises(InputError, match=r"names or merged topics of your own: --force"):
            run("fit", folder, "-k", 3, "--sweeps", 5, "-o", model)
        run("fit", folder, "-k", 3, "--sweeps", 5, "-o", model, "--force")
        assert len(names(model)) == 3


def test_topics_are_merged_and_unmerged(model, tmp_path):
    shown = run("merge", model, "coast", 1, "--name", "Nature", "-o", tmp_path / "other")
    assert "Nature" in shown
    assert "Coast" not in shown
    assert names(model)[:3] == ["Coast", "Hills", "Town"]
    assert names(tmp_path / "other")[:2] == ["Nature", "Town"]
    run("merge", tmp_path / "other", "--undo")
    assert names(tmp_path / "other")[:3] == ["Coast", "Hills", "Town"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("rename", "MODEL", "Coast"), "a new name is given as TOPIC=NAME"),
        (("rename", "MODEL", "=Coast"), "a new name is given as TOPIC=NAME"),
        (("rename", "MODEL", "0=A", "0=B"), "topic '0' is given two names"),
        (("rename", "MODEL", "0=A", "coast=B"), "topic 0 is given two names"),
        (("rename", "MODEL", "0=town"), "would both be called 'town'"),
        (("rename", "MODEL", "9=A"), "a topic is a number from 0 to 3 or a name, not '9'"),
        (("rename", "nowhere", "0=A"), "nowhere is not a model folder"),
        (("merge", "MODEL", "0"), "two different topics or more"),
        (("merge", "MODEL", "0", "--undo"), "--undo undoes all merging"),
        (("merge", "MODEL", "0", "Nobody"), "no topic is called 'Nobody'"),
        (("merge", "MODEL", "0", "1", "--name", "7"), "is no number: not '7'"),
        (("merge", "MODEL", "0", "9" * 5000), "a topic is a number from 0 to 3"),
    ],
)
def test_what_cannot_be_done_is_said_and_changes_nothing(model, arguments, message):
    before = {path.name: path.read_bytes() for path in model.iterdir()}
    with pytest.raises(InputError, match=message):
        run(*(model if each == "MODEL" else each for each in arguments))
    assert {path.name: path.read_bytes() for path in model.iterdir()} == before


def test_a_map_of_long_documents_has_a_mark_a_segment(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    print_map([structure_of("long\x1b", [1] * 90 + [0] * 5), structure_of("short", [0])])
    shown = capsys.readouterr().out
    assert "topics, segment by segment" in shown
    assert r"long\x1b  10" in shown
    assert "1 swap" in shown


def test_a_map_counts_columns_not_characters(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    print_map([structure_of("水" * 40, [1] * 45), structure_of("x/" * 40 + "end", [11])])
    shown = capsys.readouterr().out
    assert "1" * 45 in shown
    assert "水水水水水水水…水水水水水水水 " in shown
    assert "x/x/x/x/x/x/x/…x/x/x/x/x/x/end" in shown
    assert "a is topic 10, b is 11, and so on up to b" in shown


def test_marks_and_swaps():
    assert [mark(topic) for topic in (0, 9, 10, 36, 61, 62)] == ["0", "9", "a", "A", "Z", "·"]
    assert [swaps_in_words(swaps) for swaps in (0, 1, 2)] == ["–", "1 swap", "2 swaps"]


def test_the_demo_copies_its_articles(tmp_path):
    assert run("demo", "--copy", tmp_path / "articles").endswith("articles: 64 articles\n")
    with pytest.raises(InputError, match="exists and is not empty"):
        run("demo", "--copy", tmp_path / "articles")


@pytest.mark.parametrize(("columns", "wide"), [(89, False), (90, True)])
def test_a_narrow_outline_leaves_the_dispersions_out(model, capsys, monkeypatch, columns, wide):
    monkeypatch.setenv("COLUMNS", str(columns))
    print_outline(ContentModel.load(model).outline(2))
    shown = capsys.readouterr().out
    assert ("ρ" in shown) == wide
    assert "Coast" in shown
    assert "1 of 4 topics are not used" in shown
    assert max(map(len, shown.splitlines())) <= columns


def test_titles_of_thirty_columns_are_whole_and_longer_ones_lose_their_middle():
    assert shortened("x" * 30) == "x" * 30
    assert shortened("a" * 15 + "b" * 16) == "a" * 14 + "…" + "b" * 15
    assert shortened("水" * 15) == "水" * 15
    assert shortened("one two three   four five six seven") == "one two three…five six seven"


def test_colours_begin_again_after_the_last():
    assert len({colour(topic) for topic in range(8)}) == 8
    assert colour(8) == colour(0)
