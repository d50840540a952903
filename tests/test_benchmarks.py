"""What benchmarks compare is the same work, and what they report is what they measured."""

from __future__ import annotations

import gzip
import json
import shutil
from functools import partial
from importlib.util import find_spec

import cost
import numpy as np
import pytest

from permutopic import read_corpus
from permutopic.ingest import parallel
from permutopic.model.cost import Cost
from permutopic.model.generate import generate
from permutopic.model.paper.moves import ResampleStructures
from permutopic.model.priors import Priors
from permutopic.streams import Streams

import compiling
import formats
import inference
import measuring
import reading
from audit import check_state
from plain import PlainSweep


def test_plain_and_compiled_sweeps_agree(drawn):
    corpus, state, priors = drawn
    compiled, plain = state.copy(), state.copy()
    for sweep in range(10):
        at = partial(Streams(3).at, sweep, 0)
        ResampleStructures(corpus, 4, priors)(compiled, at)
        PlainSweep(corpus, priors)(plain, at)
    check_state(corpus, plain)
    assert np.array_equal(plain.bag, compiled.bag)
    assert np.array_equal(plain.inversions, compiled.inversions)
    assert not np.array_equal(plain.bag, state.bag)


def table_work(n_topics):
    """The table of a document whose units are longer than a product may be."""
    priors = Priors.for_documents(3)
    sizes = {"n_documents": 3, "units": [5, 22, 9], "unit_words": 200, "n_words": 300}
    corpus, _ = generate(n_topics, priors, np.random.default_rng(0), **sizes)
    work = inference.table_work(corpus, n_topics, 1)
    assert work.scores.shape[:2] == (n_topics, 22)
    assert work.factors.block < 200
    return work


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    if shutil.which("g++") is None:
        pytest.skip("NO g++: the span table in C++ is not checked")
    return inference.compile_yardstick(tmp_path_factory.mktemp("yardstick"))


@pytest.mark.parametrize("n_topics", [3, 8, 10, 20])
def test_the_table_in_cpp_is_the_same(n_topics, library):
    work = table_work(n_topics)
    for shape in ("plain", "vectors"):
        other = inference.yardstick(library, f"fill_spans_{shape}", work)
        inference.check_same_table(work, other)


def test_another_table_is_noticed():
    work = table_work(3)

    def almost():
        work.fill()
        work.scores[2, 20, 21] += 1e-6

    inference.check_same_table(work, work.fill)
    with pytest.raises(AssertionError, match="another"):
        inference.check_same_table(work, almost)


def test_the_table_is_taken_to_pieces(capsys):
    work, report = table_work(10), measuring.Report()
    inference.what_bounds(work, report, "table", repeats=2)
    shares = report.facts["table: shares of the time"]
    assert sum(shares.values()) == pytest.approx(1, abs=0.01)
    assert set(report.facts["table: multiplications a nanosecond"]) >= {"table", "inner loop"}
    # 22 units of 200 words; the four starts of a walk go from the first one's cut to the end
    walked = 200 * sum(22 - first for first in range(0, 22, 4))
    assert work.multiplications() == walked * 4 * 16
    assert "shares of the time" in capsys.readouterr().out


def test_walking_partly_with_all_parts_is_walking():
    work = table_work(10)
    work.fill()
    # The last block is of the last two topics and of starts 4 to 7, with 18 cuts behind the first
    # of these. All four starts run from its cut here: only its own logarithms can be compared.
    of_first_start = [4 * lane * 18 + cut for lane in range(2) for cut in range(18)]
    whole = work.scratch.logs[of_first_start]
    work.scratch.logs[:] = 0
    inference.walk_partly(work, work.text.tokens, True, True)
    assert np.array_equal(work.scratch.logs[of_first_start], whole)
    assert whole.all()


def test_lda_gets_every_paragraph(drawn):
    if find_spec("tomotopy") is None:
        pytest.skip("NO tomotopy: pip install 'permutopic[lda]'")
    corpus, _, _ = drawn
    lda = inference.lda_of(corpus, 4)
    assert (len(lda.docs), lda.num_words, lda.k) == (corpus.n_units, corpus.n_tokens, 4)


def test_fits_are_timed_in_turns(drawn):
    spent = inference.time_fits(drawn[0], rounds=2)
    assert {"fit", "paper"} <= set(spent) <= {"fit", "paper", "lda"}
    assert min(spent.values()) > 0


def test_threads_are_timed_from_one_state(drawn):
    for disturbed in (False, True):
        best = inference.time_threads(drawn[0], 4, repeats=1, disturbed=disturbed)
        assert set(best) == {"one", "two"}


def test_a_busy_process_lasts_as_long_as_it_is_needed(monkeypatch):
    started, popen = [], measuring.subprocess.Popen

    def noted(command):
        started.append(popen(command))
        return started[0]

    monkeypatch.setattr(measuring.subprocess, "Popen", noted)
    with measuring.busy_process():
        assert started[0].poll() is None
    assert started[0].returncode is not None


def test_a_long_document_is_followed():
    found = inference.follow_long_document(200, 3, 10)
    assert found["share of units in the right topic, by sweep"][10] > 0.8
    assert len(found["units that changed topic in each sweep at τ = 1"]) == 3
    assert list(found["nats below the true structure, by sweep"]) == [1, 10]


def test_agreement_does_not_depend_on_numbers():
    assert inference.agreement(np.array([0, 0, 1, 2]), np.array([2, 2, 0, 0]), 3) == 3


def test_memory_is_measured_in_a_process_of_its_own():
    assert 0.01 < measuring.in_fresh_process(measuring.peak_gigabytes) < 10


def test_a_report_names_what_was_missed(capsys):
    report = measuring.Report()
    report.judge("ours / theirs", 0.5, 1.0, at_most=True)
    report.judge("one / two", 1.2, 1.6, at_most=False)
    report.tell("seconds", 3.25)
    report.leave_out("C++", "no g++")
    shown = capsys.readouterr().out.splitlines()
    assert [line.split()[-1] for line in shown[:2]] == ["ok", "MISSED"]
    assert report.summary().splitlines() == [
        "1 of 2 targets met",
        "MISSED: one / two",
        "NOT RUN: C++",
    ]
    stored = json.loads(json.dumps(report.as_dict()))
    assert [figure["ok"] for figure in stored["figures"]] == [True, False]
    assert stored["facts"] == {"seconds": 3.25}


def test_turns_keep_the_shortest_time():
    times = iter([3, 5, 3, 4.0, 2, 9])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(measuring, "seconds", lambda job: next(times))
        assert measuring.take_turns({"a": int, "b": int}, 3) == {"a": 2, "b": 4.0}
    times = iter([3, 5, 3, 4.0, 6, 9])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(measuring, "seconds", lambda job: next(times))
        assert measuring.take_turns({"a": int, "b": int}, 3, max) == {"a": 6, "b": 9}


RECORDS = [
    {
        "title": f"Place {n}",
        "sections": [
            {"heading": "Coast & sea", "paragraphs": ["Salt *waves* <here> \\\\ sand.", "Sea."]},
            {"heading": "Hills", "paragraphs": [f"Snow {n} & ice."]},
        ],
    }
    for n in range(3)
]


def test_every_format_of_the_reading_benchmark_holds_the_same_words(tmp_path):
    places = formats.write_all(RECORDS, tmp_path)
    read = {name: read_corpus(place) for name, place in places.items()}
    words = {name: [c.vocabulary[w] for w in c.words] for name, c in read.items()}
    assert words["text"] == [
        *("salt", "waves", "here", "sand", "sea", "snow", "0", "ice"),
        *("salt", "waves", "here", "sand", "sea", "snow", "1", "ice"),
        *("salt", "waves", "here", "sand", "sea", "snow", "2", "ice"),
    ]
    for name, found in words.items():
        assert found == words["text"], name
    headed = {name for name, c in read.items() if c.headings[0] == "Coast & sea"}
    assert set(places) - headed == {"text", "jsonl, flat", "csv", "parquet"}


def test_reading_is_measured_beside_a_bare_read(tmp_path, capsys):
    rows = reading.speeds(RECORDS, tmp_path, 1)
    assert {row["format"] for row in rows} >= {"text", "html", "docx", "parquet"}
    for row in rows:
        assert row["documents / bare"] == pytest.approx(row["bare"] / row["documents"])
        assert row["corpus"] > 0
    assert len(capsys.readouterr().out.splitlines()) == len(rows) + 1


def test_reading_in_processes_is_measured_beside_one(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(parallel, "MIN_BYTES", 1)
    rows = reading.in_processes(RECORDS, tmp_path, 0.002, 2, 1)
    assert [row["format"] for row in rows] == ["html", "markdown", "text", "one jsonl file"]
    for row in rows:
        assert row["ratio"] == pytest.approx(row["several"] / row["one"])
        assert 0.002 <= row["megabytes"] < 0.0025
    assert len(list((tmp_path / "many text").iterdir())) > 10
    assert len(capsys.readouterr().out.splitlines()) == 5


def test_memory_of_reading_is_measured_beside_the_arrays(tmp_path):
    path = tmp_path / "big.jsonl"
    reading.write_lines(RECORDS, path, 1)
    found = reading.measure_memory(path)
    assert 0.001 <= found["file"] < 0.0011
    assert 0 < found["tokens"] < found["arrays"] < found["peak"]


FAKE_COMMAND = """
import os, sys
from pathlib import Path
def main():
    needed = {"fit": "ab", "predict": "bc", "choose-k": "abc"}.get(sys.argv[1], "c")
    for function in needed if "paper" not in sys.argv else "p":
        folder = Path(os.environ["NUMBA_CACHE_DIR"]) / "deep"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{function}.nbc").touch()
    if not Path(sys.argv[2]).exists() and sys.argv[2] != "model":
        sys.exit("no such file")
"""


@pytest.fixture
def fake_checkout(tmp_path):
    """A checkout whose commands compile three functions, and a fourth for the paper's sampler."""
    package = tmp_path / "checkout" / "src" / "permutopic"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "cli.py").write_text(FAKE_COMMAND)
    return compiling.Commit(tmp_path / "checkout", tmp_path / "work")


def test_compiled_functions_are_counted_alone_after_a_fit_and_again(fake_checkout, capsys):
    names = ["fit", "predict", "choose-k", compiling.TOGETHER]
    found = compiling.compare({"this": fake_checkout}, names)
    counts = {
        name: {when: cost.compiled for when, cost in each["this"].items()}
        for name, each in found.items()
    }
    assert counts == {
        "fit": {"alone": 2, "after a fit": 0, "again": 0},
        "predict": {"alone": 2, "after a fit": 1, "again": 0},
        "choose-k": {"alone": 3, "after a fit": 1, "again": 0},
        "everything after a fit": {"after a fit": 2},
    }
    assert len(capsys.readouterr().out.splitlines()) == len(names)


def test_a_command_that_fails_is_not_measured(fake_checkout):
    with pytest.raises(RuntimeError, match="no such file"):
        fake_checkout.run("fit nothing", "cache")


def test_a_fit_is_held_against_what_was_expected(tmp_path, monkeypatch, capsys):
    text = "Salt sea waves.\n\nHills, snow "
    places = [{"title": str(n), "text": text + word} for n, word in enumerate("abcd")]
    lines = "\n".join(map(json.dumps, places))
    for name in ("some", "more"):
        (tmp_path / f"{name}.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    saved = tmp_path / "runs.jsonl"
    kept = {"corpus": "more", "n_topics": 3, "seconds": 7.0, "bytes": 2e9}
    saved.write_text(json.dumps(kept) + "\n", encoding="utf-8")
    arguments = [str(tmp_path), "--corpora", "some", "more", "--topics", "3", "--sweeps", "2"]
    monkeypatch.setattr("sys.argv", ["cost.py", *arguments, "--save", str(saved)])
    monkeypatch.setattr(cost, "in_fresh_process", lambda function, *given: function(*given))
    monkeypatch.setattr(cost, "expected_cost", lambda *_: Cost(14.0, int(1e9)))
    cost.main()
    *_, more, some, seconds, memory = capsys.readouterr().out.splitlines()
    assert more == "| more | 3 | 14.0 | 7.0 | 2.00 | 1,000 | 2,000 | 2.00 |"
    [fitted] = [json.loads(line) for line in saved.read_text().splitlines()[1:]]
    assert (fitted["corpus"], fitted["n_topics"]) == ("some", 3)
    assert 0 < fitted["seconds"] < 7
    assert fitted["bytes"] > 1e8
    assert some.startswith("| some | 3 | 14.0 | ")
    assert seconds.startswith("worst factor, seconds: ")
    assert seconds.endswith("(some, K = 3)")
    assert memory.startswith("worst factor, bytes: ")
