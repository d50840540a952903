"""`permutopic inspect`, in this process: what it prints, and how it ends."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys

import pytest

from permutopic.cli import inspect


@pytest.fixture
def folder(tmp_path):
    for n, metal in enumerate(("Iron", "Tin", "Lead")):
        (tmp_path / f"{n}.md").write_text(
            f"# {metal}\n\n{metal} is a metal, and it was known in the old ages.\n\n"
            f"## Uses\n\nIt is used for the making of {n} things.\n\n"
            f"## History {n % 2}\n\nThe people of the town were the first to find {n} of it.\n"
        )
    return tmp_path


def test_the_report_is_for_people(run, folder):
    (folder / "x.jpg").touch()
    (folder / "y.txt").write_bytes(b"\0")
    code, out, err = run("inspect", folder, "-k", 4)
    assert (code, err) == (0, "")
    lines = [line.rstrip() for line in out.splitlines()]
    size = sum(path.stat().st_size for path in folder.iterdir())
    assert lines[:-2] == [
        f"read          4 files, {size} bytes: 3 documents, 9 paragraphs, 102 words",
        "format        markdown (3), text (1)",
        "vocabulary    28 words",
        "a document    3 paragraphs at the median, 3 to 3",
        "a paragraph   12 words at the median, 9 to 13",
        "language      English (3)",
        "headings      3, 2 of them in more than one document; 67% of the units stand under one",
        "                   3  100%  Uses",
        "                   2   67%  History 0",
        "                   1   33%  History 1",
        "left out      2",
        "                   1 unknown extension '.jpg'",
        f"                     {folder / 'x.jpg'}",
        "                   1 binary",
        f"                     {folder / 'y.txt'}: character 0 is NUL, so this looks binary: give "
        "text, or name its encoding (--encoding utf-16, perhaps)",
    ]
    assert lines[-2].startswith("a fit         with K = 4: about 1 s a chain on one core, ")
    assert lines[-1] == (
        f"warning       1 left out (binary), {folder / 'y.txt'} for one: `inspect` lists them"
    )


def test_nothing_left_out_and_no_headings_are_said(run, folder):
    code, out, _ = run("inspect", folder, "--format", "text")
    assert code == 0
    assert "headings      none" in out
    assert "left out      nothing" in out


def test_the_report_is_json_on_request(run, folder):
    code, out, err = run("inspect", folder, "--json", "--unit", "section", "-k", 7)
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert (found["documents"], found["units"], found["n_topics"]) == (3, 9, 7)
    assert found["headings"]["Uses"] == 3
    assert found["settings"]["units"]["kind"] == "section"
    assert found["settings"]["reading"]["on_bad"] == "auto"
    assert found["languages"] == {"en": 3}


def test_only_some_headings_and_examples_are_named_unless_asked_for(run, folder):
    for n in range(5):
        (folder / f"{n}.jpg").touch()
    _, few, _ = run("inspect", folder, "--headings", 1)
    assert "History" not in few
    assert few.count(".jpg\n") == 3
    assert "and 2 more (--all-skipped names them)" in few
    _, all_, _ = run("inspect", folder, "--all-skipped")
    assert all_.count(".jpg\n") == 5
    assert "more (" not in all_


def test_what_was_not_kept_cannot_be_named(run, folder):
    for n in range(1100):
        (folder / f"{n}.jpg").touch()
    _, out, _ = run("inspect", folder, "--all-skipped")
    assert out.count(".jpg\n") == 1000
    assert "and 100 more (not kept)" in out


def test_headings_are_shown_in_one_line(run, tmp_path):
    record = {"title": "t", "text": "One two.", "heading": "a\nb\x1b[2J " + "x" * 100}
    (tmp_path / "a.jsonl").write_text(json.dumps(record))
    _, out, _ = run("inspect", tmp_path)
    assert "100%  a b\ufffd[2J " + "x" * 52 + "\n" in out


def test_standard_input_is_inspected(run):
    code, out, _ = run("inspect", "-", stdin=b"One two.\n\nThree.")
    assert code == 0
    assert out.startswith("read          1 file, 16 bytes: 1 document, 2 paragraphs, 3 words\n")
    packed = gzip.compress(b'{"title": "x", "text": "One."}\n')
    _, out, _ = run("inspect", "-", "--format", "jsonl", "--json", stdin=packed)
    assert json.loads(out)["documents"] == 1
    code, out, err = run("inspect", "-", stdin=packed)
    assert (code, out) == (2, "")
    assert err == (
        "permutopic: error: standard input is packed: name the format of what is in it (--format)\n"
    )


def test_names_that_cannot_be_printed_are_shown_all_the_same(run, folder):
    path = os.fsencode(folder) + b"/caf\xe9\n.txt"
    with open(path, "wb") as file:
        file.write(b"\0")
    for arguments in ([folder], [os.fsdecode(path), "--on-bad", "skip", folder]):
        code, out, _ = run("inspect", *arguments)
        assert code == 0
        assert "caf\ufffd\ufffd.txt: character 0 is NUL" in out
        code, out, _ = run("inspect", *arguments, "--json")
        assert "caf\ufffd\ufffd.txt" in json.dumps(json.loads(out), ensure_ascii=False)
    code, out, err = run("inspect", os.fsdecode(path))
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "caf\ufffd\ufffd.txt: character 0 is NUL" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere"], "nowhere: cannot be read (No such file or directory)"),
        (["nowhere*"], "nowhere*: no file to read: is the folder, or the pattern, the right one?"),
        (["EMPTY"], "no file to read: is the folder, or the pattern, the right one?"),
        ([""], "a path is the name of a file or folder, a glob or '-', not ''"),
        ([], "Missing argument 'PATHS...'"),
        (["FOLDER", "-k", "1"], "--topics (K) must be a whole number of at least 2"),
        (["FOLDER", "--headings", "-1"], "Invalid value for '--headings'"),
        (["FOLDER", "--title", "Gold"], "left out: title not asked for (3)"),
    ],
)
def test_bad_input_is_one_line(run, folder, tmp_path_factory, monkeypatch, arguments, message):
    monkeypatch.chdir(folder)
    named = {"FOLDER": folder, "EMPTY": tmp_path_factory.mktemp("empty")}
    code, out, err = run("inspect", *(named.get(a, a) for a in arguments))
    assert (code, out) == (2, "")
    assert err.startswith("permutopic: error: ")
    assert message in err
    assert err.count("\n") == 1


def test_a_folder_that_cannot_be_read_is_one_line(run, folder, monkeypatch):
    def forbidden(path):
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr(os, "scandir", forbidden)
    code, out, err = run("inspect", folder)
    assert (code, out) == (2, "")
    assert err == f"permutopic: error: {folder}: cannot be read (Permission denied)\n"


def test_a_narrow_terminal_is_no_reason_to_fail(folder):
    with open(os.fsencode(folder) + b"/\xd0\xb6\xe9\n.txt", "wb") as file:
        file.write(b"\0")
    done = subprocess.run(
        [sys.executable, "-c", "from permutopic.cli import main; main()", "inspect", folder],
        env={**os.environ, "PYTHONIOENCODING": "latin-1", "LC_ALL": "C"},
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert b".txt: character 0 is NUL" in done.stdout


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(0, "1 s"), (1.4, "1 s"), (119, "119 s"), (120, "2 min"), (7199, "120 min"), (7200, "2 h")],
)
def test_times_are_in_the_largest_unit_that_has_two_of_it(seconds, shown):
    assert inspect._time(seconds) == shown


@pytest.mark.parametrize(
    ("size", "shown"),
    [
        (5, "5 bytes"),
        (999, "999 bytes"),
        (1000, "1.0 kB"),
        (9_940, "9.9 kB"),
        (10_000, "10 kB"),
        (2_500_000, "2.5 MB"),
        (3.2e9, "3.2 GB"),
        (4e13, "40,000 GB"),
    ],
)
def test_sizes_have_two_digits_at_least(size, shown):
    assert inspect._bytes(size) == shown


def test_fifteen_headings_are_shown_unless_asked_for(run, tmp_path):
    text = "\n\n".join(f"## Part {n}\n\nWords of the text." for n in range(20))
    (tmp_path / "a.md").write_text(f"# Title\n\n{text}\n")
    assert run("inspect", tmp_path)[1].count("100%  Part ") == 15
