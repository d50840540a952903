"""Reading in processes gives what reading in one gives: corpus, diagnostics, warnings, errors."""

from __future__ import annotations

import gzip
import multiprocessing
import subprocess
import sys
import warnings
from dataclasses import fields

import numpy as np
import pytest

from permutopic.corpus import Corpus, Encoder
from permutopic.errors import InputError
from permutopic.ingest import parallel, workers
from permutopic.ingest.pipeline import Ingest, read_corpus
from permutopic.readers import ReadOptions
from permutopic.text.tokens import Tokens
from permutopic.text.units import Units

from formats import write_all

RECORDS = [
    {
        "title": f"Place {n}",
        "sections": [
            {"heading": "Coast", "paragraphs": ["The salt of the sea, and waves at the cape."]},
            {"heading": f"Hills {n % 3}", "paragraphs": [f"Snow {n} in the hills & the ice."]},
        ],
    }
    for n in range(7)
]
FRENCH = "Le moulin est au bord de la rivière et il est dans la ville pour les gens du pays."


@pytest.fixture(autouse=True)
def small_tasks(monkeypatch):
    """Processes for any folder, tasks of few files, and files of many documents read here."""
    monkeypatch.setattr(parallel, "MIN_BYTES", 1)
    monkeypatch.setattr(parallel, "_TASK_BYTES", 3 << 12)
    monkeypatch.setattr(parallel, "_LARGE_BYTES", 1500)


@pytest.fixture
def started(monkeypatch):
    """The processes that are started."""
    processes = []

    def start(*arguments, **settings):
        processes.append(subprocess.Popen(*arguments, **settings))
        return processes[-1]

    monkeypatch.setattr(workers, "subprocess", type("Recorder", (), vars(subprocess)))
    monkeypatch.setattr(workers.subprocess, "Popen", start)
    return processes


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """All formats; files that are bad, empty, packed, foreign, hidden, unknown, or there twice."""
    top = tmp_path_factory.mktemp("parallel")
    places = write_all(RECORDS, top)
    text = (places["text"] / "0.txt").read_text()
    (top / "a_twice.txt").write_text(text)
    (top / "binary.txt").write_bytes(b"\0\1\2")
    (top / "empty.txt").write_text("")
    (top / "french.txt").write_text(FRENCH)
    (top / "wordless.txt").write_text("… ! …")
    (top / "short.txt").write_text("Hm.\n\nThe sea.")
    (top / "latin.txt").write_bytes("Où est la mer ?".encode("latin-1"))
    (top / "packed.txt.gz").write_bytes(gzip.compress(text.encode()))
    (top / "damaged.md.gz").write_bytes(gzip.compress(text.encode())[:-9])
    (top / ".hidden.txt").write_text("Hidden.")
    (top / "table.xyz").write_text("x")
    (top / "z_alias.7").write_text(".so man7/other.7")
    (top / "z_link.txt").symlink_to(top / "french.txt")
    return top


def outcome(paths, n_jobs, options=None, **settings):
    """Everything that a user can see of a reading, errors too."""
    ingest = Ingest(paths, options, n_jobs)
    encoder = Encoder(**{"skip_empty": True, **settings})
    try:
        corpus = ingest.corpus(encoder)
    except InputError as error:
        found = (type(error), str(error), error.message.parts, vars(error).get("kind"))
    else:
        found = {each.name: getattr(corpus, each.name) for each in fields(corpus)}
        found |= {
            name: (value.dtype, value.shape, value.flags.writeable, value.tobytes())
            for name, value in found.items()
            if isinstance(value, np.ndarray)
        }
        found["warnings"] = ingest.diagnostics.warnings(corpus, encoder)
    counted = ("short_units", "empty", "too_short", "unknown", "excluded_words")
    log = vars(ingest.diagnostics.log)
    return (
        found,
        {name: getattr(encoder, name) for name in counted},
        # Counts in their order too: it breaks ties.
        {name: list(v.items()) if isinstance(v, dict) else v for name, v in log.items()},
        list(ingest.diagnostics.languages.items()),
        list(ingest.diagnostics.headings.items()),
        ingest.diagnostics.replaced,
    )


@pytest.mark.parametrize(
    ("options", "settings"),
    [
        ({}, {}),
        ({"errors": "replace", "on_bad": "skip"}, {"keep_texts": True, "units": Units("window")}),
        (
            {"exclude": ("*.csv",)},
            {
                "tokens": Tokens(language="en", stem=True, stop=("the",), min_df=2, max_df=0.9),
                "units": Units("sentence", min_words=3, short="drop"),
            },
        ),
        ({"title": "[0-3]"}, {"units": Units(min_words=9)}),
        ({}, {"vocabulary": ("salt", "sea", "snow")}),
        ({"category": "x"}, {}),
    ],
)
def test_processes_change_nothing(folder, monkeypatch, started, options, settings):
    read_here = []
    monkeypatch.setattr(parallel, "_read", lambda task, *_: read_here.append(task))
    given = ReadOptions(**options)
    assert outcome(folder, 2, given, **settings) == outcome(folder, 1, given, **settings)
    assert read_here == []
    assert [process.returncode is None for process in started] == [False, False]


@pytest.mark.parametrize(
    ("names", "options", "settings"),
    [
        (("text", "binary.txt", "damaged.md.gz"), {}, {}),
        (("text", "damaged.md.gz", "binary.txt"), {}, {}),
        (("text", "no such file"), {}, {}),
        (("html", "table.xyz", "binary.txt"), {}, {}),
        (("text", "half.jsonl", "binary.txt"), {}, {}),
        (("text", "many.jsonl"), {}, {}),
        (("",), {"on_bad": "stop"}, {}),
        (("empty.txt", "man/nothing*"), {}, {}),
        (("wordless.txt",), {}, {}),
        (("text", "wordless.txt"), {}, {"skip_empty": False}),
        (("text",), {}, {"tokens": Tokens(min_df=1000)}),
    ],
)
def test_errors_are_those_of_one_process(folder, tmp_path, started, names, options, settings):
    line = (folder / "flat.jsonl").read_text().splitlines()[0]
    for name, n_lines in (("half.jsonl", 1), ("many.jsonl", 20)):
        (tmp_path / name).write_text(f"{line}\n" * n_lines + "{\n")
    given = ReadOptions(**options)
    here = {"half.jsonl", "many.jsonl"}
    paths = [(tmp_path if name in here else folder) / name for name in names]
    alone = outcome(paths, 1, given, **settings)
    assert isinstance(alone[0], tuple)
    assert outcome(paths, 2, given, **settings) == alone
    assert all(process.returncode is not None for process in started)


def test_warnings_are_those_of_one_process(folder):
    said = []
    for n_jobs in (1, 2):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            read_corpus(folder, n_jobs=n_jobs)
        said.append([(str(each.message), each.category, each.filename) for each in caught])
    assert len(said[0]) >= 4
    assert said[1] == said[0]


DYING = """
import os, permutopic.ingest.parallel as parallel
read = parallel.read_file
parallel.read_file = lambda found, *rest: (
    os._exit(1) if "french" in found.source.name else read(found, *rest))
serve()
"""


@pytest.mark.parametrize("ending", [DYING, "sys.exit()"])
def test_what_a_dead_process_leaves_is_read_here(folder, monkeypatch, started, ending):
    code = workers._CODE.replace("serve()", ending.strip())
    code = code if ending != DYING else workers._CODE.replace("; serve()", DYING)
    monkeypatch.setattr(workers, "_CODE", code)
    assert outcome(folder, 2) == outcome(folder, 1)
    assert all(process.returncode is not None for process in started)


def test_without_any_process_all_is_read_here(folder, monkeypatch):
    def refuse(*_, **__):
        raise OSError("no more processes")

    alone = outcome(folder, 1)
    monkeypatch.setattr(workers._Worker, "__init__", refuse)
    assert outcome(folder, 2) == alone


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
def test_processes_are_stopped_when_reading_is(folder, monkeypatch, started, error):
    def stop(*_):
        raise error

    monkeypatch.setattr(Encoder, "merge", stop)
    with pytest.raises(error):
        Ingest(folder, n_jobs=2).corpus(Encoder(skip_empty=True))
    assert len(started) == 2
    assert all(process.returncode is not None for process in started)


def test_a_script_without_a_guard_runs_once(folder, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "from permutopic import read_corpus\n"
        "from permutopic.ingest import parallel\n"
        "parallel.MIN_BYTES = 1\n"
        f"print(read_corpus({str(folder / 'text')!r}, n_jobs=2).n_documents)\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("7\n", "")


def words_of(text):
    return text.split()


def test_processes_are_started_only_where_they_pay(folder, monkeypatch, started):
    def pays(*paths, tokens="words"):
        return parallel.pays(list(paths), ReadOptions(), Encoder(tokens))

    assert pays(folder)
    assert not pays(folder, "-")
    assert not pays("no such file", folder)
    assert not pays(folder, tokens=words_of)
    monkeypatch.setattr(parallel, "MIN_BYTES", 1 << 20)
    assert not pays(folder)
    monkeypatch.setattr(parallel, "MIN_BYTES", 1)
    read_corpus(folder / "text", words_of, n_jobs=2)
    read_corpus(folder / "text", n_jobs=1)
    assert started == []
    monkeypatch.setattr(multiprocessing, "parent_process", lambda: "a parent")
    assert not pays(folder)


def test_a_function_of_the_users_own_splits_text_here(folder):
    calls = []

    def split(text):
        calls.append(text)
        return text.split()

    corpus = read_corpus(folder / "text", split, n_jobs=2)
    assert isinstance(corpus, Corpus)
    assert len(calls) == corpus.n_units


def test_a_worker_answers_whatever_happens_to_a_task():
    with workers.WorkerPool(eval, 1) as pool:
        assert pool.submit("6 * 7").result() == 42
        assert pool.submit("1 / 0").result() is None
        assert pool.submit("__import__('os').write(1, b'noise')").result() == 5
        assert pool.submit("'numba' in __import__('sys').modules").result() is False
        assert pool.submit("__import__('os')._exit(1)").result() is None
        assert pool.submit("6 * 7").result() is None


def test_a_task_that_cannot_be_sent_has_no_answer():
    with workers.WorkerPool(eval, 2) as pool:
        assert pool.submit(lambda: 1).result() is None
        assert pool.submit("6 * 7").result() == 42


def test_workers_import_no_compiler():
    with workers.WorkerPool(eval, 1) as pool:
        heavy = "{'numba', 'scipy', 'sklearn', 'click'} & set(__import__('sys').modules)"
        task = f"(__import__('permutopic.ingest.parallel'), {heavy})[1]"
        assert pool.submit(task).result() == set()
