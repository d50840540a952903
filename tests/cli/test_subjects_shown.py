"""Subject words on the command line: options, and what documents are about."""

from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner

from permutopic.cli import command_line
from permutopic.cli.tables import cut_to, make_console, print_map
from permutopic.errors import InputError, InputWarning
from permutopic.topics import structure_of

NAMES = ("gold", "iron", "zinc", "lead", "silver", "cobalt")


def run(*arguments):
    """Run a command; the error that `main` would print in one line is raised."""
    done = CliRunner().invoke(
        command_line, list(map(str, arguments)), env={"COLUMNS": "110"}, standalone_mode=False
    )
    if done.exception is not None:
        raise done.exception
    return done.output


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reports")
    sections = {
        "History": "found year chemist named",
        "Properties": "melts density hard shiny",
        "Uses": "used wire coins alloys",
    }
    for number in range(12):
        name = NAMES[number % 6]
        names = f"{name} {name} {name}"
        parts = [
            f"## {heading}\n\n"
            + "\n\n".join([f"{words} {names}" if number < 6 else f"{names} {words}"] * 2)
            for heading, words in sections.items()
        ]
        text = "\n\n".join([f"# {name} {number}", *parts])
        (folder / f"{number:02}-{name}.md").write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def model(folder, tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "m"
    said = run("fit", folder, "-k", 3, "-o", path)
    assert "3 topics: History; Properties; Uses" in said
    return path


def test_the_map_says_what_documents_are_about(model):
    lines = run("outline", model, "--map").splitlines()
    assert any(line.split()[-1] == "about" for line in lines if line.strip())
    rows = [line.split() for line in lines if line.split()[:1] and line.split()[0] in NAMES]
    assert [row[0] for row in rows] == [row[-1] for row in rows]
    assert len(rows) == 12
    documents = json.loads(run("outline", model, "--map", "--json"))["documents"]
    assert documents[0]["subjects"] == ["gold"]


def test_predict_says_what_a_new_document_is_about(model, tmp_path):
    (tmp_path / "new.txt").write_text("used wire zinc zinc\n\nfound chemist zinc\n")
    assert run("predict", model, tmp_path / "new.txt").count("zinc") == 1
    row = run("predict", model, tmp_path / "new.txt", "--documents", "--json")
    assert json.loads(row)["subjects"] == ["zinc"]


def test_check_says_it_too(model, folder):
    shown = run("check", model, folder / "00-gold.md")
    assert "about      gold" in shown
    assert "about      gold" in run("check", model, "--all")
    (folder.parent / "short.txt").write_text("found year gold\n\nfound chemist gold\n")
    rows = run("check", model, folder.parent / "short.txt", "--json").splitlines()
    subjects = {row["title"]: row["subjects"] for row in map(json.loads, rows)}
    assert subjects["short"] == ["gold"]


def test_without_subject_words_nothing_is_said_of_them(folder, tmp_path):
    run("fit", folder, "-k", 3, "--no-subject-words", "-o", tmp_path / "m")
    assert "about" not in run("outline", tmp_path / "m", "--map")
    assert "about" not in run("predict", tmp_path / "m", folder)
    assert "about  " not in run("check", tmp_path / "m", folder)


def test_evaluate_counts_them(folder):
    found = json.loads(run("evaluate", folder, "-k", 3, "--sweeps", 20, "--json"))
    assert found["settings"]["subject_words"] is True
    assert found["subject_words"]["types"] == 6
    assert found["subject_words"]["token_share"] == pytest.approx(3 / 7)
    assert "subject words 33% of words, 43% of tokens" in run(
        "evaluate", folder, "-k", 3, "--sweeps", 20
    )
    paper = json.loads(
        run("evaluate", folder, "-k", 3, "--sampler", "paper", "--sweeps", 5, "--json")
    )
    assert paper["settings"]["subject_words"] is False
    assert paper["subject_words"]["types"] == 0


def test_the_papers_sampler_takes_none(folder, tmp_path):
    with pytest.raises(InputError, match="paper's sampler has no subject words"):
        run("fit", folder, "-k", 3, "--sampler", "paper", "--subject-words", "-o", tmp_path / "m")


def test_documents_without_an_order_are_said_to_have_none(tmp_path):
    rng = np.random.default_rng(0)
    sections = ["salt sea waves", "hills snow rocks", "carts stones inns", "fish bread wine"]
    (tmp_path / "texts").mkdir()
    for number in range(60):
        units = [rng.permutation(sections[s].split() * 8) for s in rng.permutation(4)]
        text = "\n\n".join(" ".join(unit) for unit in units)
        (tmp_path / "texts" / f"{number}.txt").write_text(text)
    with pytest.warns(InputWarning, match="seem to share no order"):
        run("fit", tmp_path / "texts", "-k", 4, "--seed", 3, "-o", tmp_path / "m")
    shown = " ".join(run("outline", tmp_path / "m").split())
    assert "3 of 3 topics wander: these documents seem to share no order" in shown
    assert "Try fewer topics (--topics)" in shown
    found = json.loads(run("outline", tmp_path / "m", "--json"))
    assert "topics wander" in found["no_order"]


def test_long_lists_of_subjects_are_cut_to_the_terminal():
    assert cut_to("gold, silver", 20).plain == "gold, silver"
    assert cut_to("gold, silver", 7).plain == "gold…"
    console = make_console()
    with console.capture() as captured:
        words = ["antidisestablishmentarianism"] * 4
        print_map([structure_of("Oslo", [0, 1])], console, subjects=[words])
    assert max(map(len, captured.get().splitlines())) <= console.width
    assert "01" in captured.get()
