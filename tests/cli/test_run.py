"""`permutopic run`: methods by name, and what they predict as lines of JSON."""

from __future__ import annotations

import json
import os
import stat

import numpy as np
import pytest

from permutopic import ContentModel, cli, read_corpus
from permutopic.cli.run import run_command
from permutopic.experiments import methods
from permutopic.results.prediction import Prediction, segment_ends


@pytest.fixture
def call(run, monkeypatch):
    monkeypatch.setitem(cli._COMMANDS, "run", "Let a method by name divide a corpus.")
    return lambda *arguments, **options: run("run", *arguments, **options)


@pytest.fixture
def counted(monkeypatch):
    """A method that counts how often it is run, and learns nothing."""
    seen = []

    def count(corpus, n_topics, seed, **settings):
        if corpus.locations[0] != "a trial":
            seen.append({"n_topics": n_topics, "seed": seed, **settings})
        topics = np.arange(corpus.n_units) % n_topics
        return Prediction(topics, corpus.document_offsets)

    method = methods.Method("counted", "Counts.", count, frozenset({"n_sweeps"}))
    monkeypatch.setitem(methods.METHODS, "counted", method)
    return seen


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "places.jsonl"
    lines = [
        {"title": "Île “1”", "text": "Salt sea waves, sand.\n\nSea salt.\n\nHills: snow, rocks."},
        {"title": "2", "text": "Salt sea waves, sand.\n\nHills: snow, rocks & ice."},
        {"title": "3", "text": "Rocks and snow, ice.\n\nMore snow."},
    ]
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return path


def lines_of(text):
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.parametrize("name", ["full", "constrained", "uniform"])
def test_each_document_is_one_line_and_what_python_gives(call, corpus, name):
    code, out, _ = call(name, corpus, "-k", 2, "--sweeps", 10, "--seed", 3)
    model = ContentModel(2, variant=name, n_sweeps=10, random_state=3).fit(read_corpus(corpus))
    found = lines_of(out)
    assert code == 0
    assert [list(line) for line in found] == [["title", "topics", "ends"]] * 3
    assert [line["title"] for line in found] == ["Île “1”", "2", "3"]
    assert [line["topics"] for line in found] == [topics.tolist() for topics in model.topics_]
    assert [line["ends"] for line in found] == [segment_ends(t).tolist() for t in model.topics_]


def test_a_file_holds_the_same_and_one_line_sums_it_up(call, corpus, tmp_path, counted):
    printed = call("counted", corpus, "-k", 2)[1]
    path = tmp_path / "p.jsonl"
    code, out, err = call("counted", corpus, "-k", 2, "-o", path)
    assert (code, err) == (0, "")
    assert path.read_text(encoding="utf-8") == printed
    assert lines_of(printed)[0] == {"title": "Île “1”", "topics": [0, 1, 0], "ends": [1, 2, 3]}
    assert out == (
        f"{path}: 3 documents, 7 units, 2 topics in use, 2.3 segments a document, by counted\n"
    )
    assert call("counted", corpus, "-k", 2, "-o", "-")[1] == printed
    assert sorted(p.name for p in tmp_path.iterdir()) == ["p.jsonl", "places.jsonl"]


def test_documents_come_from_standard_input_as_well(call, corpus, counted):
    expected = call("counted", corpus, "-k", 2)
    given = call("counted", "-", "--format", "jsonl", "-k", 2, stdin=corpus.read_bytes())
    assert given == expected


def test_a_method_is_told_what_was_asked_for_and_nothing_else(call, corpus, counted):
    call("counted", corpus, "-k", 4)
    call("counted", corpus, "-k", 5, "--seed", 7, "--sweeps", 3, "--tokens", "ascii")
    assert counted == [{"n_topics": 4, "seed": 0}, {"n_topics": 5, "seed": 7, "n_sweeps": 3}]


def test_the_method_takes_the_place_of_the_variant(call, corpus):
    code, _, err = call("full", corpus, "-k", 2, "--variant", "uniform")
    assert code == 2
    assert "No such option" in err
    assert "--variant" in err


def test_help_names_every_method():
    for name in methods.METHODS:
        assert name in run_command.help


def test_earlier_predictions_are_replaced_and_keep_who_may_read_them(
    call, corpus, tmp_path, counted
):
    path, link = tmp_path / "p.jsonl", tmp_path / "link.jsonl"
    path.write_text("old")
    path.chmod(0o640)
    link.symlink_to(path)
    assert call("counted", corpus, "-k", 2, "-o", link)[0] == 0
    assert len(lines_of(path.read_text())) == 3
    assert link.is_symlink()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_if_a_method_fails_the_earlier_file_stays(call, corpus, tmp_path, monkeypatch):
    def fail(corpus, n_topics, seed):
        raise KeyboardInterrupt

    monkeypatch.setitem(methods.METHODS, "failing", methods.Method("failing", "Fails.", fail))
    path = tmp_path / "p.jsonl"
    path.write_text("old")
    code, out, err = call("failing", corpus, "-k", 2, "-o", path)
    assert (code, out) == (130, "")
    assert "nothing was written" in err
    assert path.read_text() == "old"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["p.jsonl", "places.jsonl"]


def test_if_writing_fails_the_earlier_file_stays(call, corpus, tmp_path, monkeypatch, counted):
    def break_off(documents, prediction):
        yield {"title": "1", "topics": [0], "ends": [1]}
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("permutopic.results.prediction.Prediction._rows", break_off)
    path = tmp_path / "p.jsonl"
    path.write_text("old")
    code, out, err = call("counted", corpus, "-k", 2, "-o", path)
    assert (code, out) == (2, "")
    assert err.endswith("cannot be written (No space left on device)\n")
    assert path.read_text() == "old"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["p.jsonl", "places.jsonl"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["htmm2", "CORPUS", "-k", 2], "the method is one of full, constrained, uniform"),
        (["counted", "CORPUS"], "the method counted needs a number of topics (--topics)"),
        (["counted", "-k", 2], "Missing argument 'PATHS...'"),
        (
            ["counted", "CORPUS", "-k", 2, "--chains", 4],
            "counted has no setting --chains; those it has: --sweeps",
        ),
        (["full", "CORPUS", "-k", 1], "--topics (K) must be a whole number of at least 2"),
        (["full", "CORPUS", "-k", 2, "--sweeps", 0], "--sweeps must be"),
        (["full", "CORPUS", "-k", 2, "--seed", -1], "--seed (the seed) must be"),
        (["counted", "nowhere.jsonl", "-k", 2], "nowhere.jsonl: cannot be read"),
        (["full", "nowhere.jsonl", "-k", 1], "--topics (K) must be"),
        (["textseg", "nowhere.jsonl", "-k", 1], "--topics (K) must be"),
        (["textseg", "nowhere.jsonl", "--segments", 0], "--segments must be a whole number"),
        (["textseg", "nowhere.jsonl", "--segments", "all"], "neither a whole number nor 'ref"),
        (["bayesseg", "nowhere.jsonl", "--prior", -1], "--prior must lie between"),
        (["bayesseg", "nowhere.jsonl", "--duration", "nan"], "--duration must be a finite number"),
        (["c99", "nowhere.jsonl", "--mask", 4], "--mask must be odd"),
        (["c99", "nowhere.jsonl", "--mask", 10**23], "--mask must be a whole number"),
        (["texttiling", "nowhere.jsonl", "--width", 10**23], "--width must be a whole number"),
        (["texttiling", "nowhere.jsonl", "--reference", "label"], "unless --segments is"),
        (["clustering", "nowhere.jsonl", "-k", 2, "--trials", 0], "--trials must be"),
        (["htmm", "nowhere.jsonl", "-k", 2, "--topic-prior", 0.1], "--topic-prior must lie"),
        (["htmm", "nowhere.jsonl", "-k", 2, "--iterations", 0], "--iterations must be"),
        (["hmm", "nowhere.jsonl", "-k", 2, "--smallest", 0], "--smallest must be"),
        (["embeddings", "nowhere.jsonl", "-k", 2, "--encoder", "os"], "--encoder is MODULE:NAME"),
        (
            ["embeddings", "nowhere.jsonl", "-k", 2, "--encoder", "sys:maxsize"],
            "--encoder must be a function from texts to an array",
        ),
        (["embeddings", "nowhere.jsonl", "-k", 2, "--encoder", "io:StringIO"], "is a class"),
        (["counted", "nowhere.jsonl", "-k", 2, "-o", "folder.jsonl"], "is a folder"),
        (["counted", "CORPUS", "-k", 2, "-o", "folder"], "folder"),
        (["counted", "CORPUS", "-k", 2, "-o", "folder.jsonl"], "folder.jsonl is a folder"),
        (["counted", "CORPUS", "-k", 2, "-o", "no/where.jsonl"], "no/where.jsonl"),
        (["counted", "CORPUS", "-k", 2, "-o", "pipe.jsonl"], "pipe.jsonl is no plain file"),
        (["counted", "CORPUS", "-k", 2, "-o", "CORPUS"], "is among the files to be read"),
        (["counted", ".", "-k", 2, "-o", "CORPUS"], "is among the files to be read"),
        (["counted", "CORPUS", "-k", 2, "-o", ""], "a table's name ends in"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_bad_input_is_one_line_before_any_work(
    call, corpus, tmp_path, monkeypatch, counted, arguments, message
):
    monkeypatch.chdir(tmp_path)
    os.mkdir("folder.jsonl")
    os.mkdir("folder")
    os.mkfifo("pipe.jsonl")
    before = corpus.read_bytes()
    code, out, err = call(*[corpus if a == "CORPUS" else a for a in arguments])
    assert (code, out) == (2, "")
    assert err.startswith("permutopic: error: ")
    assert message in err
    assert err.count("\n") == 1
    assert counted == []
    assert corpus.read_bytes() == before
    names = {"folder", "folder.jsonl", "pipe.jsonl", "places.jsonl"}
    assert {p.name for p in tmp_path.iterdir()} == names


@pytest.mark.parametrize("name", ["textseg", "bayesseg", "texttiling", "c99", "even-given"])
def test_segments_of_the_reference_can_be_asked_for_by_name(call, tmp_path, name):
    path = tmp_path / "parts.jsonl"
    texts = {"Coast": ["salt sea waves and sand"] * 3, "Hills": ["snow and ice on rocks here"] * 2}
    sections = [{"heading": h, "paragraphs": texts[h]} for h in texts]
    both = [{"title": "a", "sections": sections}, {"title": "b", "sections": sections[::-1]}]
    path.write_text("\n".join(map(json.dumps, both)))
    found = lines_of(call(name, path, "--segments", "reference")[1])
    assert [len(line["ends"]) for line in found] == [2, 2]
    assert [len(line["ends"]) for line in lines_of(call(name, path, "--segments", 3)[1])] == [3, 3]


def test_a_learned_prior_is_the_default_and_can_be_asked_for(call, corpus):
    told = ("bayesseg", corpus, "--segments", 2)
    assert call(*told, "--prior", "learned") == call(*told)
    fixed = lines_of(call(*told, "--prior", 5)[1])
    assert fixed[0]["log_likelihood"] != lines_of(call(*told)[1])[0]["log_likelihood"]


def test_without_headings_the_option_for_a_number_is_named(call, corpus):
    code, out, err = call("textseg", corpus)
    assert (code, out) == (2, "")
    assert err.endswith("it has to be given (--segments)\n")


def test_predictions_beside_the_documents_are_fine_the_first_time(call, corpus, tmp_path, counted):
    assert call("counted", tmp_path, "-k", 2, "-o", tmp_path / "p.jsonl")[0] == 0
    assert len(lines_of((tmp_path / "p.jsonl").read_text())) == 3
