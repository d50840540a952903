"""The command line as a user runs it, in a process of its own where exit codes matter."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import click
import pytest

from permutopic import InputError, cli

from by_hand import run_on_terminal

RUN = [sys.executable, "-c", "from permutopic.cli import main; main()"]


def run(*arguments, **options):
    command = [*RUN, *map(str, arguments)]
    done = subprocess.run(
        command, capture_output=True, check=False, text=True, timeout=240, **options
    )
    # The first fit on a machine says that it compiles; which test that is depends on the order.
    lines = done.stderr.splitlines(keepends=True)
    done.stderr = "".join(line for line in lines if "note: compiling " not in line)
    return done


def document(title, *sections):
    return {
        "title": title,
        "sections": [{"heading": h, "paragraphs": list(p)} for h, *p in sections],
    }


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    path = tmp_path_factory.mktemp("corpus") / "places.jsonl"
    beach, hill = "Salt sea waves, sand.", "Hills: snow, rocks & ice."
    documents = [
        document(str(n), ("Coast", beach, beach), ("Interior", hill + " Snow" * n))
        for n in range(6)
    ] + [document("only", ("Interior", hill, hill))]
    path.write_text("\n".join(map(json.dumps, documents)), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def model(corpus, tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "m"
    done = run("fit", corpus, "-k", 2, "--sweeps", 30, "-o", path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "7 documents, 20 units" in done.stdout
    return path


def test_outline_shows_the_topics(model):
    done = run("outline", model)
    assert (done.returncode, done.stderr) == (0, "")
    assert "salt" in done.stdout
    assert "rocks" in done.stdout
    assert "100%" in done.stdout


def test_outline_as_json(model):
    entries = json.loads(run("outline", model, "--json", "--words", 2).stdout)["topics"]
    assert [entry["topic"] for entry in entries] == [0, 1]
    assert all(len(entry["words"]) == 2 for entry in entries)
    assert entries[-1]["dispersion"] is None


def test_evaluate_prints_one_json_object(corpus):
    done = run("evaluate", corpus, "-k", 2, "--sweeps", 30, "--seed", 1, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    result = json.loads(done.stdout)
    assert result["alignment"] == {"recall": 1.0, "precision": 1.0, "f": 1.0}
    assert result["segmentation"]["pk"] == 0
    assert result["segmentation"]["convention"] == "words"
    assert result["sweeps"] == 30
    assert result["seconds"] > 0
    assert result["log_joint"] < 0
    assert result["settings"]["tokens"]["split"] == "words"
    assert result["settings"]["units"]["kind"] == "paragraph"
    assert result["corpus"] == str(corpus)


def test_evaluate_for_people(corpus):
    done = run("evaluate", corpus, "-k", 2, "--sweeps", 30, "--convention", "units")
    assert "F 1.000" in done.stdout
    assert "counted over units" in done.stdout


@pytest.mark.parametrize("variant", ["full", "constrained", "uniform"])
def test_evaluate_takes_every_variant(corpus, variant):
    done = run("evaluate", corpus, "-k", 2, "--sweeps", 2, "--variant", variant, "--sampler",
               "paper", "--json")  # fmt: skip
    assert json.loads(done.stdout)["settings"]["variant"] == variant


@pytest.mark.parametrize(("tokens", "word"), [("words", "salt"), ("whitespace", "sand.")])
def test_text_is_split_as_asked(corpus, tmp_path, tokens, word):
    run("fit", corpus, "-k", 2, "--sweeps", 2, "--tokens", tokens, "-o", tmp_path / "m")
    description = json.loads((tmp_path / "m" / "model.json").read_text())
    assert word in description["vocabulary"]
    assert description["corpus"]["tokens"]["split"] == tokens
    done = run("evaluate", corpus, "-k", 2, "--sweeps", 2, "--tokens", tokens, "--json")
    settings = json.loads(done.stdout)["settings"]
    assert settings["tokens"]["split"] == tokens
    assert settings["corpus_fingerprint"] == description["corpus"]["fingerprint"]


def test_labels_are_scored_where_asked(tmp_path):
    record = document("x", ("A", "one two one"), ("B", "one two two"))
    for section in record["sections"]:
        section["label"] = "same"
    path = tmp_path / "c.jsonl"
    path.write_text("\n".join([json.dumps(record)] * 3))
    found = {
        reference: json.loads(
            run("evaluate", path, "-k", 2, "--sweeps", 2, "--json", "--reference", reference).stdout
        )["segmentation"]["reference_segments"]
        for reference in ("heading", "label")
    }
    assert found == {"heading": 2.0, "label": 1.0}


def test_the_outline_shows_share_and_length(tmp_path):
    path = tmp_path / "c.jsonl"
    records = [document(str(n), ("A", "one", "one", "one")) for n in range(3)]
    path.write_text("\n".join(map(json.dumps, records)))
    run("fit", path, "-k", 2, "--topic-prior", 1e-6, "-o", tmp_path / "m")
    shown = run("outline", tmp_path / "m").stdout
    assert re.search(r"100%\s+3\.0\s", shown)
    assert "1 of 2 topics are not used" in shown


def test_words_that_look_like_markup_are_shown_as_they_are(tmp_path):
    path = tmp_path / "c.jsonl"
    words = "[/nope] [edit] :smile: bell\x07bell"
    path.write_text("\n".join([json.dumps(document("x", ("A", words)))] * 2))
    run("fit", path, "-k", 2, "--sweeps", 2, "--tokens", "whitespace", "-o", tmp_path / "m")
    done = run("outline", tmp_path / "m")
    assert (done.returncode, done.stderr) == (0, "")
    for word in ("[/nope]", "[edit]", ":smile:", "bell\\x07bell"):
        assert word in done.stdout
    ascii_only = run("outline", tmp_path / "m", env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert (ascii_only.returncode, ascii_only.stderr) == (0, "")


def test_the_command_line_gives_what_python_gives(corpus, model):
    from permutopic import ContentModel, read_corpus

    in_python = ContentModel(2, n_sweeps=30, random_state=0).fit(read_corpus(corpus))
    saved = ContentModel.load(model)
    assert saved.log_joint_trace_.tolist() == in_python.log_joint_trace_.tolist()
    assert saved.bags_.tolist() == in_python.bags_.tolist()


def test_demo_shows_outline_map_and_score():
    done = run("demo")
    assert (done.returncode, done.stderr) == (0, "")
    for part in (
        "distinctive words",
        "Discovery",
        "topics, unit by unit",
        "Held against the headings",
    ):
        assert part in done.stdout


BAD_CALLS = [
    (
        ["evaluate", "CORPUS", "-k", "1"],
        "--topics (K) must be a whole number of at least 2 and at most 10000, not 1",
    ),
    (["evaluate", "CORPUS", "-k", "two"], "'two' is not a valid integer"),
    (["evaluate", "CORPUS", "-k", "21"], "--topics (K) must be at most the number of units to fit"),
    (["fit", "CORPUS", "-k", "21", "-o", "m"], "units to fit: 20 paragraphs, not 21"),
    (
        ["choose-k", "CORPUS", "-k", "2,21", "--held-out", "0.3"],
        "--topics (K) must be at most the number of units to fit",
    ),
    (["run", "full", "CORPUS", "-k", "21"], "--topics (K) must be at most the number of units"),
    (["evaluate", "CORPUS"], "Missing option '-k'"),
    (["evaluate", "nowhere.jsonl", "-k", "2"], "nowhere.jsonl: cannot be read"),
    (["evaluate", "CORPUS", "-k", "2", "--word-prior", "nan"], "--word-prior (β0) must be"),
    (["evaluate", "CORPUS", "-k", "2", "--topic-prior", "-1"], "--topic-prior (θ0) must lie"),
    (["evaluate", "CORPUS", "-k", "2", "--sweeps", "0"], "--sweeps must be"),
    (["evaluate", "CORPUS", "-k", "2", "--seed", "-1"], "--seed (the seed) must be"),
    (["evaluate", "CORPUS", "-k", "2", "--variant", "loose"], "'loose' is not one of"),
    (["fit", "CORPUS", "-k", "2", "-o", "CORPUS"], "exists and is not a model"),
    (["outline", "nowhere"], "nowhere is not a model folder"),
    (["fly"], "No such command 'fly'"),
]


@pytest.mark.parametrize(("arguments", "message"), BAD_CALLS, ids=lambda value: str(value)[:40])
def test_bad_input_is_one_line_and_exit_code_2(corpus, arguments, message):
    done = run(*[corpus if a == "CORPUS" else a for a in arguments], cwd=corpus.parent)
    assert done.returncode == 2
    assert done.stdout == ""
    assert message in done.stderr
    assert done.stderr.startswith("permutopic: error: ")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "no document was found; left out: empty file (1)"),
        (b'{"title": "x"}', ":1: the document has neither 'text' nor 'sections'"),
        (b'{"title"', ":1: this line cannot be read as JSON"),
        (b"\xff\xff", ":1: byte 0 (0xff) is not UTF-8"),
        (b'{"title": "x", "sections": []}', "no document was found; left out: no text (1)"),
    ],
)
def test_a_bad_corpus_is_one_line_and_leaves_no_model(tmp_path, content, message):
    (tmp_path / "c.jsonl").write_bytes(content)
    done = run("fit", "c.jsonl", "-k", 2, "-o", "m", cwd=tmp_path)
    assert done.returncode == 2
    assert f"permutopic: error: c.jsonl{'' if message[0] == ':' else ': '}{message}" in done.stderr
    assert done.stderr.count("\n") == 1
    assert [p.name for p in tmp_path.iterdir()] == ["c.jsonl"]


def test_one_document_is_a_warning_in_one_line(tmp_path):
    path = tmp_path / "c.jsonl"
    path.write_text(json.dumps(document("x", ("A", "one two", "three"), ("B", "four"))))
    done = run("evaluate", path, "-k", 2, "--sweeps", 2, "--json")
    assert done.returncode == 0
    assert done.stderr.startswith("permutopic: warning: one document has no order to share")
    assert json.loads(done.stdout)["sweeps"] == 2


def test_no_command_shows_help():
    done = run()
    assert done.returncode == 2
    assert "Commands:" in done.stderr


def test_a_reader_that_goes_away_is_no_error(model):
    with subprocess.Popen(
        [*RUN, "outline", str(model)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(30) in {0, 1}  # 0: all was written before the reader went


def test_a_full_disk_is_one_line(model):
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*RUN, "outline", str(model)], stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert done.returncode == 2
    assert done.stderr == b"permutopic: error: cannot write the output (No space left on device)\n"


def wait_until_it_samples(process):
    """Wait for 6 s of the process's own time: starting takes half of that, on a busy machine too.

    An interrupt while libraries are imported or code is loaded can get lost in these.
    """
    times = Path(f"/proc/{process.pid}/stat")
    for _ in range(600):
        time.sleep(0.1)
        if not times.exists():
            time.sleep(8)
            return
        used = sum(map(int, times.read_text().rpartition(")")[2].split()[11:13]))
        if used / os.sysconf("SC_CLK_TCK") > 6:
            return


@pytest.mark.usefixtures("model")  # a fit before this one, so that nothing is left to compile
def test_an_interrupted_fit_says_so_and_leaves_nothing(corpus, tmp_path):
    # Started in the background of a script, these tests and what they start ignore interrupts.
    heed = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    heeding = [*RUN[:2], heed + RUN[2]]
    with subprocess.Popen(
        [*heeding, "fit", str(corpus), "-k", "2", "--sweeps", "10000000", "-o", "m"],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            wait_until_it_samples(process)
            assert process.poll() is None
            process.send_signal(signal.SIGINT)
            assert process.wait(30) == 130
        finally:
            process.kill()
        said = process.stderr.read().strip()  # after the line that the terminal's ^C stands on
        assert said == "permutopic: stopped: interrupted; nothing was written"
    assert list(tmp_path.iterdir()) == []


def test_progress_is_shown_on_a_terminal_and_changes_nothing(corpus):
    arguments = ["evaluate", corpus, "-k", 2, "--sweeps", 30, "--json"]
    quiet = json.loads(run(*arguments).stdout)
    _, printed, shown = run_on_terminal([*RUN, *arguments], 120)
    watched = json.loads(printed)
    for part in (
        rb"sweep",
        rb"30/30",
        rb"log joint -[\d,]+, \d topics in use",
        rb"\d:\d\d:\d\d left",
    ):
        assert re.search(part, re.sub(rb"\x1b\[[0-9;?]*[A-Za-z]", b"", shown)), part
    assert watched["log_joint"] == quiet["log_joint"]
    assert watched["alignment"] == quiet["alignment"]


@pytest.mark.parametrize(
    ("raised", "code", "said"),
    [
        (MemoryError(), 2, "error: not enough memory: take a smaller K, or shorter documents"),
        (KeyboardInterrupt(), 130, "stopped: interrupted; nothing was written"),
        (click.Abort(), 130, "stopped: interrupted; nothing was written"),
        (InputError("two\n  lines"), 2, "error: two lines"),
        (click.UsageError("no such option"), 2, "error: no such option"),
    ],
)
def test_what_ends_a_command_is_one_line_and_its_exit_code(monkeypatch, capsys, raised, code, said):
    def fail(**_):
        raise raised

    monkeypatch.setattr(cli.command_line, "main", fail)
    assert cli._run() == code
    assert capsys.readouterr() == ("", f"permutopic: {said}\n")
