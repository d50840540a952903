"""`permutopic order`, as a user runs it."""

from __future__ import annotations

import csv
import io
import json

import pytest

from permutopic import ContentModel, InputError, InputWarning, read_corpus
from permutopic.cli.order import order_command
from permutopic.ordering import ORDER_COLUMNS

from by_hand import COAST, HILL, TOWN, call, rows_of, write_places


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("order")
    corpus = read_corpus(write_places(folder / "places"))
    ContentModel(3, n_sweeps=40, random_state=0).fit(corpus).save(folder / "model")
    return folder / "model"


PIECES = {"t": f"{TOWN}\n\n{TOWN}", "h": HILL, "c": COAST}


def as_lines(pieces):
    return "".join(json.dumps({"id": n, "text": text}) + "\n" for n, text in pieces.items())


@pytest.fixture
def pieces(tmp_path):
    path = tmp_path / "pieces.jsonl"
    path.write_text(as_lines(PIECES), encoding="utf-8")
    return path


def order(*arguments, **settings):
    return call(order_command, *arguments, **settings)


@pytest.mark.parametrize("method", ["pairs", "positions", "topics", "map"])
def test_pieces_come_back_in_order(model, pieces, method):
    rows = rows_of(order(model, pieces, "--method", method, "--json"))
    assert [row["id"] for row in rows] == ["c", "h", "t"]
    assert [row["position"] for row in rows] == [1, 2, 3]
    assert [row["topic"] for row in rows] == [0, 1, 2]
    assert [row["name"] for row in rows] == ["Coast", "Hills", "Town"]
    assert [row["text"] for row in rows] == [PIECES[row["id"]] for row in rows]
    assert not any(row["tied"] for row in rows)
    scores = [row["score"] for row in rows]
    assert scores == sorted(scores)
    assert list(rows[0]) == list(ORDER_COLUMNS)


def test_the_order_of_lines_plays_no_part(model, pieces):
    turned = as_lines(dict(reversed(PIECES.items())))
    assert order(model, "-", "--json", stdin=turned) == order(model, pieces, "--json")


def test_ties_are_marked(model):
    same = as_lines({"1": COAST, "2": COAST, "3": TOWN})
    rows = rows_of(order(model, "-", "--json", stdin=same))
    assert [row["tied"] for row in rows] == [True, True, False]
    shown = order(model, "-", stdin=same)
    assert "the order among them is arbitrary" in shown
    lines = [line.split() for line in shown.splitlines() if line.strip()]
    assert lines[0] == ["id", "score", "topic", "text"]
    assert [line[0] for line in lines[2:5]] == ["1", "2", "3"]
    assert [line[3] == "=" for line in lines[2:5]] == [True, True, False]


def test_a_table_is_shown(model, pieces):
    shown = order(model, pieces)
    columns = [shown.index(word) for word in ("Salt sea", "Hills: snow", "Town hall")]
    assert columns == sorted(columns)
    assert "arbitrary" not in shown


def test_what_a_terminal_would_obey_is_spelled_out(model):
    shown = order(model, "-", stdin=as_lines({"\x1b[31m": f"\x1b[0m{COAST}"}))
    assert "\x1b[31m" not in shown
    assert r"\x1b[31m" in shown


def test_rows_are_written_as_csv_and_to_files(model, pieces, tmp_path):
    rows = list(csv.DictReader(io.StringIO(order(model, pieces, "--csv"))))
    assert [row["id"] for row in rows] == ["c", "h", "t"]
    target = tmp_path / "ordered.jsonl"
    order(model, pieces, "-o", target)
    assert [row["id"] for row in rows_of(target.read_text())] == ["c", "h", "t"]


def test_the_table_of_the_library_has_the_rows_of_the_command(model, tmp_path):
    ids = ["t", 7, "c", "8"]
    texts = [PIECES["t"], HILL, COAST, COAST]
    lines = [json.dumps({"id": n, "text": text}) for n, text in zip(ids, texts, strict=True)]
    table = ContentModel.load(model).order(texts, ids=ids).table()
    assert table.columns == ORDER_COLUMNS
    assert list(table) == rows_of(order(model, "-", "--json", stdin="\n".join(lines)))
    assert list(table) == list(table)  # made anew at every pass
    assert sorted(map(str, table.to_pandas()["id"])) == ["7", "8", "c", "t"]
    assert table.to_pandas()["tied"].tolist() == [True, True, False, False]
    assert table.to_csv(tmp_path / "order.csv") == 4
    printed = order(model, "-", "--csv", stdin="\n".join(lines))
    written = (tmp_path / "order.csv").read_bytes().decode()
    assert written.splitlines() == printed.splitlines()


def test_without_ids_the_table_has_the_numbers_of_the_pieces(model):
    fitted = ContentModel.load(model)
    rows = list(fitted.order([[TOWN, TOWN], HILL, COAST]).table())
    assert [row["id"] for row in rows] == [2, 1, 0]
    assert rows[2]["text"] == f"{TOWN}\n\n{TOWN}"
    with pytest.raises(InputError, match="ids has 1 ids for 2 pieces: give one each"):
        fitted.order([HILL, COAST], ids=["a"])


def test_one_piece_is_in_order(model):
    rows = rows_of(order(model, "-", "--json", stdin=as_lines({"only": HILL})))
    assert [row["id"] for row in rows] == ["only"]


def test_a_piece_without_a_known_word_is_warned_of(model):
    with pytest.warns(InputWarning, match="1 piece has no word that the model knows"):
        rows = rows_of(order(model, "-", "--json", stdin=as_lines({"c": COAST, "?": "qqq"})))
    assert {row["id"] for row in rows} == {"c", "?"}


def test_merged_topics_are_named_as_they_are_shown(model, pieces, tmp_path):
    merged = tmp_path / "merged"
    ContentModel.load(model).merge_topics([1, 2], "Land").save(merged)
    rows = rows_of(order(merged, pieces, "--json"))
    assert [row["id"] for row in rows] == ["c", "h", "t"]
    assert [(row["topic"], row["name"]) for row in rows] == [(0, "Coast"), (1, "Land"), (1, "Land")]


def test_bad_input_is_one_line(model, pieces, tmp_path):
    bad = tmp_path / "bad.jsonl"
    bad.write_text('{"id": "a", "text": "x"}\n{"id": "a", "text": "y"}\n')
    with pytest.raises(InputError, match=r"bad.jsonl:2: the id 'a' is that of line 1"):
        order(model, bad)
    with pytest.raises(InputError, match="standard input: no piece"):
        order(model, "-", stdin="")
    with pytest.raises(InputError, match="is not a model folder"):
        order(tmp_path, pieces)
    with pytest.raises(InputError, match="method is one of pairs, positions, topics, map"):
        order(model, pieces, "--method", "best")
    with pytest.raises(InputError, match="a table's name ends in"):
        order(model, pieces, "-o", tmp_path / "x.txt")


def test_bytes_that_are_not_in_the_encoding_are_treated_as_asked(model, tmp_path):
    path = tmp_path / "latin.jsonl"
    path.write_bytes(b'{"id": "c", "text": "Salt sea caf\xe9"}\n')
    with pytest.raises(InputError, match="is not UTF-8"):
        order(model, path)
    (row,) = rows_of(order(model, path, "--json", "--errors", "replace"))
    assert row["text"] == "Salt sea caf\ufffd"
    (row,) = rows_of(order(model, path, "--json", "--encoding", "latin-1"))
    assert row["text"] == "Salt sea café"
