from __future__ import annotations

import json

from permutopic.results.table import Table

COLUMNS = {"topic": int, "name": str}
ROWS = [{"topic": 0, "name": "Uses"}, {"topic": 1, "name": None}]


def test_rows_are_made_anew_each_time_they_are_asked_for():
    table = Table(COLUMNS, lambda: iter(ROWS))
    assert list(table) == list(table) == ROWS
    assert repr(table) == "<Table: topic, name>"


def test_a_table_is_written_in_every_format_and_says_how_many_rows_it_has(tmp_path):
    table = Table(COLUMNS, ROWS)
    assert table.to_csv(tmp_path / "t.txt") == 2
    assert (tmp_path / "t.txt").read_bytes() == b"topic,name\r\n0,Uses\r\n1,\r\n"
    assert table.to_jsonl(tmp_path / "t.jsonl") == table.write(tmp_path / "u.json") == 2
    lines = (tmp_path / "t.jsonl").read_text().splitlines()
    assert [json.loads(line) for line in lines] == ROWS
    assert (tmp_path / "u.json").read_text() == (tmp_path / "t.jsonl").read_text()
    assert table.to_parquet(tmp_path / "t.parquet") == 2


def test_a_table_becomes_a_data_frame():
    frame = Table(COLUMNS, ROWS).to_pandas()
    assert frame.topic.tolist() == [0, 1]
    assert list(frame.columns) == ["topic", "name"]


def test_the_format_that_is_asked_for_is_written_whatever_the_extension(tmp_path):
    table = Table({"topic": int, "name": str}, [{"topic": 0, "name": "Uses"}])
    path = tmp_path / "rows.txt"
    assert table.to_csv(path) == 1
    assert path.read_text(encoding="utf-8").splitlines() == ["topic,name", "0,Uses"]
    assert table.to_jsonl(path) == 1
    assert path.read_text(encoding="utf-8") == '{"topic": 0, "name": "Uses"}\n'
    assert table.to_parquet(path) == 1
    assert path.read_bytes()[:4] == b"PAR1"
