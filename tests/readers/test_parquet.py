from __future__ import annotations

import gzip
import io
import os
import sys
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from permutopic.errors import InputError
from permutopic.readers import Fields, ReadError, ReadLog, ReadOptions, read_documents
from permutopic.readers.parquet import read
from permutopic.readers.source import Source

from invariant import check

arrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

SECTIONS = arrow.list_(
    arrow.struct(
        [
            ("heading", arrow.string()),
            ("label", arrow.string()),
            ("paragraphs", arrow.list_(arrow.string())),
        ]
    )
)


def packed(columns, **settings):
    stream = io.BytesIO()
    parquet.write_table(arrow.table(columns), stream, **settings)
    return stream.getvalue()


def read_file(path, log=None, **settings):
    source = Source(path, str(path), "table")
    documents = list(read(source, ReadOptions(**settings), ReadLog() if log is None else log))
    for document in documents:
        check(document)
    return documents


def read_columns(folder, columns, log=None, **settings):
    path = folder / "t.parquet"
    path.write_bytes(packed(columns, row_group_size=2))
    return read_file(path, log, **settings)


def parts(document):
    return [(unit.text, unit.heading, unit.label) for unit in document.units]


def test_each_row_is_a_document(tmp_path):
    columns = {
        "title": ["Iron", None, "Zinc"],
        "text": ["One.\n\n Two.", "Three.", "Four."],
        "heading": ["h", None, ""],
        "label": [1, 2, 3],
        "other": [b"x", None, b"y"],
    }
    first, second, third = read_columns(tmp_path, columns)
    assert (first.title, first.location) == ("Iron", f"{tmp_path / 't.parquet'}:1")
    assert [(u.text, u.start, u.end) for u in first.units] == [("One.", 0, 4), ("Two.", 7, 11)]
    assert parts(first) == [("One.", "h", "1"), ("Two.", "h", "1")]
    assert (second.title, parts(second)) == ("table:2", [("Three.", None, "2")])
    assert (third.location[-2:], parts(third)) == (":3", [("Four.", None, "3")])


@pytest.mark.parametrize(
    "text",
    [
        arrow.array(["One.", "Two.", "One."], arrow.large_string()),
        arrow.array(["One.", "Two.", "One."]).dictionary_encode(),
        arrow.array([["One."], ["Two."], ["One."]]),
        arrow.array([["One."], ["Two."], ["One."]], arrow.large_list(arrow.large_string())),
        arrow.array([["One."], ["Two."], ["One."]], arrow.list_(arrow.string(), 1)),
    ],
    ids=lambda array: str(array.type),
)
def test_text_may_be_kept_in_many_ways(tmp_path, text):
    documents = read_columns(tmp_path, {"text": text})
    assert [document.source for document in documents] == ["One.", "Two.", "One."]


def test_sections_are_a_list_of_structs(tmp_path):
    sections = [
        {"heading": "h", "label": "l", "paragraphs": ["One.", "Two."]},
        {"heading": None, "label": None, "paragraphs": []},
        {"heading": "i", "label": None, "paragraphs": ["Three."]},
    ]
    columns = {"title": ["x"], "sections": arrow.array([sections], SECTIONS), "text": ["not read"]}
    [document] = read_columns(tmp_path, columns)
    assert document.title == "x"
    assert parts(document) == [("One.", "h", "l"), ("Two.", "h", "l"), ("Three.", "i", None)]
    assert document.source == "One.\n\nTwo.\n\nThree."


def test_rows_of_one_document_are_put_together_across_row_groups(tmp_path):
    columns = {"id": [1.0, 1.0, 1.0, 2.0], "text": ["One.", None, "Two.", "Three."]}
    log = ReadLog()
    first, second = read_columns(tmp_path, columns, log, fields=Fields(document="id"))
    assert (first.title, first.source) == ("1.0", "One.\n\nTwo.")
    assert (second.title, second.location[-2:]) == ("2.0", ":4")
    assert log.skipped == {"no text": 1}


def test_rows_without_text_are_counted(tmp_path):
    (tmp_path / "t.parquet").write_bytes(packed({"text": ["a", None, ""]}))
    log = ReadLog()
    assert len(list(read_documents(tmp_path, log=log))) == 1
    assert log.skipped == {"no text": 2}
    assert (log.files, log.bytes) == (1, (tmp_path / "t.parquet").stat().st_size)


def test_a_number_that_is_missing_is_no_title(tmp_path):
    [document] = read_columns(tmp_path, {"text": ["a"], "title": [float("nan")]})
    assert document.title == "table:1"


def test_a_table_without_rows_is_counted(tmp_path):
    log = ReadLog()
    assert read_columns(tmp_path, {"text": arrow.array([], arrow.string())}, log) == []
    assert log.skipped == {"no rows": 1}


BAD = [
    ({"a": [1], "b": [2]}, Fields(), "the table has no 'text' (its columns: 'a', 'b'): name"),
    ({"text": [1]}, Fields(), "column 'text' is int64: it must hold text"),
    ({"text": [b"x"]}, Fields(), "column 'text' is binary: it must hold text"),
    ({"text": [["a"]], "t": [[1]]}, Fields(text="t"), "column 't' is list<element: int64>: it"),
    ({"text": ["a"], "title": [True]}, Fields(), "column 'title' is bool: it must hold text or"),
    ({"text": ["a"]}, Fields(label="topic"), "the table has no 'topic' (its columns: 'text')"),
    ({"text": ["a"]}, Fields(document="id"), "the table has no 'id' (its columns: 'text')"),
    ({"sections": [["a"]], "title": ["x"]}, Fields(), "column 'sections' is list<element: string>"),
    ({"sections": [["a"]]}, Fields(), "the table has no 'title' (its columns: 'sections'): name"),
]


@pytest.mark.parametrize(("columns", "fields", "message"), BAD)
def test_columns_that_do_not_fit_are_named(tmp_path, columns, fields, message):
    with pytest.raises(ReadError) as caught:
        read_columns(tmp_path, columns, fields=fields)
    assert str(caught.value).startswith(f"{tmp_path / 't.parquet'}: {message}")


def test_two_columns_of_one_name_are_refused(tmp_path):
    path = tmp_path / "t.parquet"
    table = arrow.Table.from_arrays([arrow.array(["a"]), arrow.array(["b"])], ["text", "text"])
    parquet.write_table(table, path)
    with pytest.raises(ReadError, match="2 columns are called 'text': rename them"):
        read_file(path)


def test_a_bad_row_is_named_or_skipped(tmp_path):
    columns = {"text": [["a"], [None], ["b"]]}
    with pytest.raises(ReadError, match=r"t\.parquet:2: item 1 of 'text' is null"):
        read_columns(tmp_path, columns)
    log = ReadLog()
    documents = read_columns(tmp_path, columns, log, on_bad="skip")
    assert [document.source for document in documents] == ["a", "b"]
    assert log.skipped == {"wrong type": 1}


def test_text_that_is_not_utf8_is_named_by_row(tmp_path):
    raw = arrow.array([b"a", b"caf\xe9", b"b"])
    text = arrow.Array.from_buffers(arrow.string(), 3, raw.buffers())
    with pytest.raises(ReadError, match=r"t\.parquet:2: the text of this row is not UTF-8"):
        read_columns(tmp_path, {"text": text})
    documents = read_columns(tmp_path, {"text": text}, on_bad="skip")
    assert [document.source for document in documents] == ["a", "b"]


def test_a_row_that_is_too_long_is_named(tmp_path):
    columns = {"text": ["a", "b " * (1 << 20)]}
    with pytest.raises(ReadError, match=r"t\.parquet:2: longer than 1 MiB"):
        read_columns(tmp_path, columns, max_mb=1)


def test_a_row_that_is_too_long_leaves_the_other_documents_whole(tmp_path):
    columns = {"id": ["a", "b", "b"], "text": ["One.", "b " * (1 << 20), "Two."]}
    log = ReadLog()
    documents = read_columns(
        tmp_path, columns, log, fields=Fields(document="id"), max_mb=1, on_bad="skip"
    )
    assert [(d.title, d.source) for d in documents] == [("a", "One."), ("b", "Two.")]
    assert log.skipped == {"too long": 1}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_a_pipe_is_read_once(tmp_path):
    path = tmp_path / "t.parquet"
    os.mkfifo(path)
    content = packed({"text": ["One."]})
    writer = threading.Thread(target=path.write_bytes, args=(content,), daemon=True)
    writer.start()
    [document] = read_file(path)
    writer.join()
    assert document.source == "One."


def test_a_name_with_a_dot_is_no_path(tmp_path):
    columns = {"a.b": ["One."], "a": [{"b": 1}]}
    [document] = read_columns(tmp_path, columns, fields=Fields(text="a.b"))
    assert document.source == "One."


def test_a_long_text_that_many_rows_share_is_read_a_few_rows_at_a_time(tmp_path, monkeypatch):
    monkeypatch.setattr("permutopic.readers.parquet._BATCH_BYTES", 4_000_000)
    path = tmp_path / "t.parquet"
    path.write_bytes(packed({"text": ["word " * 200_000] * 100}))
    before = arrow.total_allocated_bytes()
    held = [
        arrow.total_allocated_bytes() - before
        for _ in read(Source(path, "t", "t"), ReadOptions(), ReadLog())
    ]
    assert len(held) == 100
    assert max(held) < 30_000_000


def test_packed_files_and_streams_are_read_up_to_the_limit(tmp_path):
    content = packed({"text": ["One.", "Two."]})
    path = tmp_path / "t.parquet.gz"
    for name in ("t.parquet.gz", "t.parquet"):
        path = tmp_path / name
        path.write_bytes(gzip.compress(content))
        assert [document.source for document in read_file(path)] == ["One.", "Two."]
    source = Source(None, "standard input", "standard input", io.BytesIO(content))
    assert [d.source for d in read(source, ReadOptions(), ReadLog())] == ["One.", "Two."]
    path.write_bytes(gzip.compress(content + bytes(1 << 20)))
    with pytest.raises(ReadError, match=r"more than 1 MiB of Parquet, packed or from standard"):
        read_file(path, max_mb=1)


def test_what_is_not_parquet_or_not_whole_is_refused_in_one_line(tmp_path):
    path = tmp_path / "t.parquet"
    content = packed({"text": ["One."] * 9})
    cases = [b"", b"PAR1", b"text,title\n", content[:-30], content[:20] + content[40:]]
    for case in cases:
        path.write_bytes(case)
        with pytest.raises(ReadError, match=r"not (whole )?Parquet") as caught:
            read_file(path)
        assert caught.value.kind == "damaged"
        assert "\n" not in str(caught.value)
    with pytest.raises(ReadError, match=r"cannot be read \(No such file"):
        read_file(tmp_path / "none.parquet")
    with pytest.raises(ReadError, match=r"cannot be read \(Is a directory"):
        read_file(tmp_path)


def test_without_the_library_the_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(InputError, match=r"Parquet files need the extra 'parquet'"):
        read_file(tmp_path / "t.parquet")


FILES = [
    packed(columns, compression=compression, row_group_size=2)
    for compression in ("none", "snappy")
    for columns in (
        {"title": ["a", "b", None], "text": ["One.\n\nTwo.", "Three.", None], "label": [1, 2, 3]},
        {"text": [["One.", " "], None, ["Two."]]},
        {
            "title": ["x"],
            "sections": arrow.array([[{"heading": "h", "paragraphs": ["One."]}]], SECTIONS),
        },
    )
]


@st.composite
def damaged(draw):
    content = bytearray(draw(st.sampled_from(FILES)))
    for _ in range(draw(st.integers(0, 3))):
        content[draw(st.integers(0, len(content) - 1))] = draw(st.integers(0, 255))
    return bytes(content[: draw(st.just(len(content)) | st.integers(0, len(content)))])


@given(damaged() | st.binary(max_size=60).map(lambda tail: b"PAR1" + tail + b"PAR1"))
def test_whatever_the_file_holds_it_is_read_or_refused(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("fuzz") / "t.parquet"
    path.write_bytes(content)
    try:
        documents = read_file(path)
    except ReadError as error:
        assert str(error).startswith(str(path))  # noqa: PT017 (most files are refused, not all)
    else:
        assert len(documents) <= 3
