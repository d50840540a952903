"""What all commands with a table share: --json, --csv, -o FILE, or a table for people."""

from __future__ import annotations

import io
import json
import sys

import click
import pytest
from click.testing import CliRunner
from pyarrow import parquet

from permutopic.cli.results import check_output, result_options, write_or_show
from permutopic.errors import InputError

ROWS = [{"n": 1, "name": "水\x1b[2J"}, {"n": None, "name": 'a "b"\nc'}]
COLUMNS = {"n": int, "name": str}


@click.command()
@result_options
def command(**targets):
    check_output(targets["output"])
    write_or_show(iter(ROWS), COLUMNS, lambda rows: click.echo(f"{rows!r}"), **targets)


def run(*arguments):
    done = CliRunner().invoke(command, list(map(str, arguments)), standalone_mode=False)
    if done.exception is not None:
        raise done.exception
    return done.stdout_bytes


def test_people_are_shown_a_list():
    assert run().decode() == f"{ROWS!r}\n"


def test_json_is_one_object_a_line_that_no_terminal_obeys():
    printed = run("--json")
    assert printed.isascii()
    assert b"\x1b" not in printed
    assert [json.loads(line) for line in printed.splitlines()] == ROWS


def test_csv_is_utf_8_with_its_own_line_ends():
    expected = 'n,name\r\n1,水\x1b[2J\r\n,"a ""b""\nc"\r\n'
    assert run("--csv") == expected.encode()


def test_csv_on_a_terminal_spells_out_what_it_would_obey(monkeypatch):
    class Terminal(io.TextIOWrapper):
        def isatty(self):
            return True

    screen = Terminal(io.BytesIO(), encoding="utf-8")
    monkeypatch.setattr(sys, "stdout", screen)
    write_or_show(ROWS, COLUMNS, print, as_json=False, as_csv=True, output=None)
    assert screen.buffer.getvalue().decode() == 'n,name\r\n1,水\\x1b[2J\r\n,"a ""b""\\nc"\r\n'


@pytest.mark.parametrize("name", ["t.csv", "t.jsonl", "t.json", "t.parquet"])
def test_a_file_is_written_in_the_format_of_its_name(tmp_path, name):
    path = tmp_path / name
    assert run("-o", path).decode() == f"{path}: 2 rows\n"
    if name == "t.parquet":
        assert parquet.read_table(path).to_pylist() == ROWS
    else:
        assert path.read_bytes() == run("--csv" if name == "t.csv" else "--json")


def test_one_row_is_not_rows(tmp_path, capsys):
    targets = {"as_json": False, "as_csv": False, "output": str(tmp_path / "t.csv")}
    write_or_show(ROWS[:1], COLUMNS, print, **targets)
    assert capsys.readouterr().out.endswith("t.csv: 1 row\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--json", "--csv"), "--json and --csv do not go together"),
        (("--csv", "--json"), "--csv and --json do not go together"),
        (("--json", "-o", "t.csv"), "--json and -o do not go together"),
        (("-o", "t.csv", "--csv"), "-o and --csv do not go together"),
    ],
)
def test_two_targets_are_refused_before_any_work(arguments, message):
    with pytest.raises(click.UsageError, match=message):
        run(*arguments)


def test_a_bad_target_is_refused_before_any_work(tmp_path):
    check_output(None)
    for name in ("t.txt", "t"):
        with pytest.raises(InputError, match="a table's name ends in"):
            check_output(str(tmp_path / name))
    (tmp_path / "f.csv").mkdir()
    with pytest.raises(InputError, match="is a folder"):
        check_output(str(tmp_path / "f.csv"))


def test_rows_for_machines_are_never_held_together(tmp_path):
    alive = set()

    class Row(dict):
        def __init__(self, n):
            super().__init__(n=n, name="x")
            alive.add(n)

        def __del__(self):
            alive.discard(self["n"])

    def rows():
        for n in range(50_000):
            yield Row(n)
            assert len(alive) < 40_000

    for name in ("t.csv", "t.jsonl", "t.parquet"):
        output = str(tmp_path / name)
        write_or_show(rows(), COLUMNS, print, as_json=False, as_csv=False, output=output)


def test_what_is_read_is_never_written_over(tmp_path):
    (tmp_path / "in").mkdir()
    for name in ("in/a.jsonl", "b.jsonl"):
        (tmp_path / name).write_text("{}")
    inside, beside = str(tmp_path / "in" / "a.jsonl"), str(tmp_path / "b.jsonl")
    for given in (inside, str(tmp_path / "in"), str(tmp_path / "in" / "*.jsonl"), str(tmp_path)):
        with pytest.raises(InputError, match="is among the files to be read"):
            check_output(inside, None, "-", given)
    check_output(beside, None, "-", str(tmp_path / "in"), inside)
    check_output(str(tmp_path / "in" / "new.jsonl"), str(tmp_path / "in"))  # nothing is lost
