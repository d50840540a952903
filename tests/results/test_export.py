"""Tables as files: they read back as they were, and appear whole or not at all."""

from __future__ import annotations

import csv
import json
import os
import stat
import sys

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pyarrow import parquet

from permutopic.errors import InputError
from permutopic.results.export import check_table_target, plain, to_frame, write_rows

COLUMNS = {"n": int, "share": float, "name": str, "seen": bool, "units": list[int]}
ROWS = [
    {"n": 1, "share": 0.5, "name": '=SUM("a",\n1)', "seen": True, "units": [1, 2]},
    {"n": None, "share": float("nan"), "name": "水\r\x00", "seen": False, "units": []},
    {"n": np.int64(-3), "share": np.float32(2), "name": "", "units": (7,), "not asked for": 1},
]
READ = [
    {"n": 1, "share": 0.5, "name": '=SUM("a",\n1)', "seen": True, "units": [1, 2]},
    {"n": None, "share": None, "name": "水\r\x00", "seen": False, "units": []},
    {"n": -3, "share": 2.0, "name": "", "seen": None, "units": [7]},
]


def read_csv(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def read_json(path):
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def read_parquet(path):
    return parquet.read_table(path).to_pylist()


@pytest.mark.parametrize("given_rows", [list, iter])
@pytest.mark.parametrize("columns", [COLUMNS, list(COLUMNS)], ids=["kinds", "names"])
@pytest.mark.parametrize(
    ("name", "read"),
    [("t.jsonl", read_json), ("t.json", read_json), ("t.PARQUET", read_parquet)],
)
def test_rows_come_back_as_they_were(tmp_path, name, read, columns, given_rows):
    assert write_rows(given_rows(ROWS), columns, tmp_path / name) == 3
    assert read(tmp_path / name) == READ
    assert list(read(tmp_path / name)[0]) == list(COLUMNS)


def test_csv_keeps_to_rfc_4180(tmp_path):
    path = tmp_path / "t.csv"
    assert write_rows(iter(ROWS), COLUMNS, path) == 3
    assert read_csv(path) == [
        list(COLUMNS),
        ["1", "0.5", '=SUM("a",\n1)', "true", "[1, 2]"],
        ["", "", "水\r\x00", "false", "[]"],
        ["-3", "2.0", "", "", "[7]"],
    ]
    first = b'n,share,name,seen,units\r\n1,0.5,"=SUM(""a"",\n1)",true,"[1, 2]"\r\n'
    assert path.read_bytes().startswith(first)


def test_what_is_not_finite_in_a_list_is_null_in_csv_too(tmp_path):
    path = tmp_path / "t.csv"
    write_rows([{"shares": [0.5, float("inf"), float("nan")]}], {"shares": list[float]}, path)
    assert read_csv(path)[1] == ["[0.5, null, null]"]


TEXT = st.text(st.characters(exclude_categories=["Cs"]))


@example(rows=[("", float("inf")), ("", float("-inf"))])
@given(rows=st.lists(st.tuples(TEXT, st.floats(allow_nan=False)), min_size=1))
def test_any_text_and_number_comes_back_from_csv_and_json(tmp_path_factory, rows):
    folder = tmp_path_factory.mktemp("any")
    table = [{"text": text, "number": number} for text, number in rows]
    for name in ("t.csv", "t.jsonl"):
        write_rows(table, ["text", "number"], folder / name)
    assert [(text, float(number)) for text, number in read_csv(folder / "t.csv")[1:]] == rows
    finite = [(t, n if abs(n) < float("inf") else None) for t, n in rows]
    assert [(r["text"], r["number"]) for r in read_json(folder / "t.jsonl")] == finite


@pytest.mark.parametrize("name", ["t.csv", "t.jsonl", "t.parquet"])
def test_a_table_without_rows_has_its_columns(tmp_path, name):
    assert write_rows([], COLUMNS, tmp_path / name) == 0
    if name == "t.csv":
        assert read_csv(tmp_path / name) == [list(COLUMNS)]
    elif name == "t.parquet":
        assert parquet.read_schema(tmp_path / name).names == list(COLUMNS)
    else:
        assert (tmp_path / name).read_bytes() == b""


@pytest.mark.parametrize("name", ["t.csv", "t.jsonl", "t.parquet"])
def test_half_a_surrogate_pair_does_no_harm(tmp_path, name):
    write_rows([{"text": "a\ud800b"}], {"text": str}, tmp_path / name)
    assert b"a?b" in (tmp_path / name).read_bytes()


def test_parquet_goes_in_groups_with_kinds_fixed_from_the_start(tmp_path):
    rows = ({"n": None if n < 20_000 else n, "share": n} for n in range(40_000))
    assert write_rows(rows, {"n": int, "share": float}, tmp_path / "t.parquet") == 40_000
    file = parquet.ParquetFile(tmp_path / "t.parquet")
    assert [str(kind) for kind in file.schema_arrow.types] == ["int64", "double"]
    assert file.metadata.num_row_groups == 3
    assert file.read().column("n").null_count == 20_000


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([1, None], "int64"),
        ([1, 2.5], "double"),
        ([True, None], "bool"),
        ([True, 1], "string"),
        ([None], "string"),
        ([[], [1]], "list<element: int64>"),
        ([[1], [2.5]], "list<element: double>"),
        ([[], ["a"]], "list<element: string>"),
        ([[]], "list<element: string>"),
        ([{"a": 1}, 2], "string"),
        ([np.array([1, 2])], "list<element: int64>"),
    ],
)
def test_where_only_names_are_given_kinds_go_by_the_values(tmp_path, values, kind):
    write_rows([{"x": value} for value in values], ["x"], tmp_path / "t.parquet")
    assert str(parquet.read_schema(tmp_path / "t.parquet").types[0]) == kind


def test_what_has_no_kind_is_text_in_parquet(tmp_path):
    write_rows([{"x": {"a": [1]}}, {"x": 2}], ["x"], tmp_path / "t.parquet")
    assert read_parquet(tmp_path / "t.parquet") == [{"x": '{"a": [1]}'}, {"x": "2"}]


def test_a_value_of_the_wrong_kind_is_refused_in_one_line(tmp_path):
    path = tmp_path / "t.parquet"
    with pytest.raises(InputError, match=r"^column 'n', rows 1 to 2: not all are int64 \(.*\)$"):
        write_rows([{"n": 1}, {"n": "many"}], {"n": int}, path)
    with pytest.raises(InputError, match="column 'n' is of no kind that a table has: <class 'obj"):
        write_rows([], {"n": object}, path)
    with pytest.raises(InputError, match="not all are int64"):
        write_rows([{"n": 1 << 70}], {"n": int}, path)
    assert list(tmp_path.iterdir()) == []


def test_an_error_in_a_later_group_names_its_rows(tmp_path):
    rows = ({"n": "many" if n == 40_000 else n} for n in range(1, 40_001))
    with pytest.raises(InputError, match=r"^column 'n', rows 32769 to 40000: not all are int64"):
        write_rows(rows, {"n": int}, tmp_path / "t.parquet")


def failing(error):
    yield {"n": 1}
    raise error


@pytest.mark.parametrize("name", ["t.csv", "t.jsonl", "t.parquet"])
@pytest.mark.parametrize("error", [InputError("bad document"), KeyboardInterrupt()])
def test_what_fails_half_way_leaves_what_was_there(tmp_path, name, error):
    path = tmp_path / name
    for before in ((), (path,)):
        with pytest.raises(type(error)):
            write_rows(failing(error), {"n": int}, path)
        assert tuple(tmp_path.iterdir()) == before
        assert not before or path.read_text() == "mine"
        path.write_text("mine")


def test_a_replaced_file_keeps_its_permissions_and_its_links(tmp_path):
    path, link = tmp_path / "t.csv", tmp_path / "link.csv"
    path.write_text("old")
    path.chmod(0o640)
    link.symlink_to(path)
    write_rows([{"n": 1}], ["n"], link)
    assert link.is_symlink()
    assert path.read_bytes() == b"n\r\n1\r\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_bad_target_is_refused_before_any_row_is_made(tmp_path):
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "file").write_text("")
    (tmp_path / "loop.csv").symlink_to(tmp_path / "loop.csv")
    os.mkfifo(tmp_path / "pipe.csv")
    for name, reason in (
        ("t.xlsx", r"t.xlsx: a table's name ends in .csv, .jsonl, .json or .parquet"),
        ("t", "a table's name ends in"),
        ("folder.csv", "folder.csv is a folder: give a file"),
        ("pipe.csv", "pipe.csv is no plain file"),
        ("none/t.csv", "there is no folder"),
        ("file/t.csv", "there is no folder"),
        ("x" * 300 + ".csv", "cannot be written"),
        ("loop.csv", "cannot be written"),
        ("a\0b.csv", "is no name of a file: it has a NUL character"),
    ):
        with pytest.raises(InputError, match=reason):
            write_rows(failing(AssertionError), ["n"], tmp_path / name)
    assert len(list(tmp_path.iterdir())) == 4


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_may_not_be_written_is_refused(tmp_path):
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(InputError, match=r"cannot be written \(Permission denied\)"):
            check_table_target(tmp_path / "t.csv")
    finally:
        tmp_path.chmod(0o700)


@pytest.mark.parametrize(
    ("module", "extra", "use"),
    [
        ("pyarrow.parquet", "parquet", lambda folder: check_table_target(folder / "t.parquet")),
        ("pandas", "pandas", lambda _: to_frame([], ["n"])),
    ],
)
def test_a_missing_extra_is_named(tmp_path, monkeypatch, module, extra, use):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(InputError, match=rf"pip install 'permutopic\[{extra}\]'"):
        use(tmp_path)


def test_a_frame_has_the_rows_and_their_kinds():
    frame = to_frame(iter(ROWS), COLUMNS)
    assert frame.columns.tolist() == list(COLUMNS)
    assert [str(kind) for kind in frame.dtypes[["n", "share", "seen"]]] == [
        "Int64",
        "float64",
        "boolean",
    ]
    assert frame.units.tolist() == [[1, 2], [], [7]]
    assert frame.n.isna().tolist() == [False, True, False]
    whole = to_frame([{"n": 1, "seen": True}], {"n": int, "seen": bool})
    assert [str(kind) for kind in whole.dtypes] == ["int64", "bool"]
    assert to_frame([], COLUMNS).shape == (0, 5)


def test_values_become_plain():
    assert plain(np.array([[1.0, np.nan]])) == [[1.0, None]]
    assert plain({1: np.bool_(True), "b": None}) == {"1": True, "b": None}
    assert plain(os) == str(os)
