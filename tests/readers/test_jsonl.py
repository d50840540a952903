from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from permutopic.errors import InputError
from permutopic.readers import Fields, ReadError, ReadLog, ReadOptions, read_documents
from permutopic.readers.jsonl import read
from permutopic.readers.source import Source

from invariant import check

GOOD = {
    "title": "Iron",
    "sections": [
        {"heading": "History", "label": "past", "paragraphs": ["Old news.", "More."]},
        {"heading": "Uses", "paragraphs": ["Steel."]},
    ],
}


def write(path, *lines):
    path.write_bytes(
        b"\n".join(x if isinstance(x, bytes) else json.dumps(x).encode() for x in lines)
    )
    return path


def read_file(path, log=None, **settings):
    source = Source(path, str(path), "corpus")
    documents = list(read(source, ReadOptions(**settings), ReadLog() if log is None else log))
    for document in documents:
        check(document)
    return documents


def read_lines(folder, *lines, log=None, **settings):
    return read_file(write(folder / "c.jsonl", *lines), log, **settings)


def parts(document):
    return [(unit.text, unit.heading, unit.label) for unit in document.units]


def test_sections_become_units_with_heading_and_label(tmp_path):
    [document] = read_lines(tmp_path, GOOD)
    assert document.title == "Iron"
    assert document.location == f"{tmp_path / 'c.jsonl'}:1"
    assert parts(document) == [
        ("Old news.", "History", "past"),
        ("More.", "History", "past"),
        ("Steel.", "Uses", None),
    ]


def test_the_source_of_sections_is_their_paragraphs_with_blank_lines_between(tmp_path):
    section = {"heading": None, "paragraphs": [" One\n\ntwo. ", "", "Three."]}
    [document] = read_lines(tmp_path, {"title": "x", "sections": [section]})
    assert document.source == " One\n\ntwo. \n\n\n\nThree."
    assert [(u.text, u.start, u.end) for u in document.units] == [
        ("One\n\ntwo.", 1, 10),
        ("Three.", 15, 21),
    ]


def test_a_flat_text_is_divided_at_blank_lines(tmp_path):
    text = "  One\r\nline.\r\n\r\nTwo.\n \n\nThree."
    [document] = read_lines(tmp_path, {"title": "x", "text": text, "heading": "h", "label": "l"})
    assert document.source == text
    assert parts(document) == [
        ("One\r\nline.", "h", "l"),
        ("Two.", "h", "l"),
        ("Three.", "h", "l"),
    ]
    assert [(u.start, u.end) for u in document.units] == [(2, 12), (16, 20), (24, 30)]


def test_a_list_of_texts_is_one_paragraph_an_item(tmp_path):
    [document] = read_lines(tmp_path, {"text": ["One\n\ntwo.", " ", "Three."]})
    assert parts(document) == [("One\n\ntwo.", None, None), ("Three.", None, None)]


def test_a_flat_record_without_a_title_is_called_by_file_and_line(tmp_path):
    lines = [b"", {"text": "a"}, {"text": "b", "title": None}, {"text": "c", "title": " "}]
    titles = [document.title for document in read_lines(tmp_path, *lines)]
    assert titles == ["corpus:2", "corpus:3", "corpus:4"]


def test_numbers_that_name_something_are_taken_as_texts(tmp_path):
    [document] = read_lines(tmp_path, {"text": "a", "title": 7, "heading": 1.5, "label": 0})
    assert (document.title, parts(document)) == ("7", [("a", "1.5", "0")])


def test_numbers_that_name_something_are_taken_as_texts_in_sections_too(tmp_path):
    section = {"heading": 1.5, "label": 0, "paragraphs": ["a"]}
    [document] = read_lines(tmp_path, {"title": 7, "sections": [section]})
    assert (document.title, parts(document)) == ("7", [("a", "1.5", "0")])


def test_the_title_of_sections_may_be_null_but_must_be_there(tmp_path):
    [document] = read_lines(tmp_path, {**GOOD, "title": None})
    assert document.title == "corpus:1"


@pytest.mark.parametrize("lead", ["One\nline.\n\nTwo.", ["One\nline.", "Two."]])
def test_text_beside_sections_is_their_lead(tmp_path, lead):
    [document] = read_lines(tmp_path, {**GOOD, "text": lead, "heading": "h", "label": "l"})
    assert parts(document) == [
        ("One\nline.", None, None),
        ("Two.", None, None),
        ("Old news.", "History", "past"),
        ("More.", "History", "past"),
        ("Steel.", "Uses", None),
    ]
    assert document.source == "One\nline.\n\nTwo.\n\nOld news.\n\nMore.\n\nSteel."
    assert [(u.start, u.end) for u in document.units][1:3] == [(11, 15), (17, 26)]


@pytest.mark.parametrize("lead", [None, "", [], " \n"])
def test_a_lead_may_be_empty(tmp_path, lead):
    [document] = read_lines(tmp_path, {**GOOD, "text": lead})
    assert [unit.text for unit in document.units] == ["Old news.", "More.", "Steel."]


def test_a_record_without_text_is_given_without_units_to_be_counted(tmp_path):
    log = ReadLog()
    path = write(tmp_path / "c.jsonl", {"text": None}, {"text": " \n"}, {"text": []}, {"text": "a"})
    assert len(list(read_documents(path, log=log))) == 1
    assert log.skipped == {"no text": 3}


def test_fields_go_by_the_names_they_are_given(tmp_path):
    fields = Fields(
        title="name", sections="parts", heading="head", label="topic", paragraphs="texts"
    )
    record = {"name": "x", "parts": [{"head": "h", "topic": "t", "texts": ["One."]}]}
    [document] = read_lines(tmp_path, record, fields=fields)
    assert (document.title, parts(document)) == ("x", [("One.", "h", "t")])
    flat = {"name": "x", "body": "One.", "head": "h", "topic": "t", "sections": 3}
    fields = Fields(title="name", text="body", sections="-", heading="head", label="topic")
    [document] = read_lines(tmp_path, flat, fields=fields)
    assert (document.title, parts(document)) == ("x", [("One.", "h", "t")])


def test_text_counts_where_sections_are_null(tmp_path):
    [document] = read_lines(tmp_path, {"title": "x", "sections": None, "text": "a"})
    assert parts(document) == [("a", None, None)]


def test_an_optional_field_that_was_named_must_be_in_some_record(tmp_path):
    lines = [{"text": "a"}, {"text": "b", "topic": "t"}]
    documents = read_lines(tmp_path, *lines, fields=Fields(label="topic"))
    assert [parts(document)[0][2] for document in documents] == [None, "t"]
    with pytest.raises(ReadError, match=r"has no 'topc' \(its keys: 'text'\): .*fields\.label"):
        read_lines(tmp_path, *lines, fields=Fields(label="topc"))


def test_gzip_blank_lines_and_a_byte_order_mark_are_read(tmp_path):
    plain = b"\xef\xbb\xbf" + json.dumps(GOOD).encode() + b"\n\n  \n" + json.dumps(GOOD).encode()
    path = tmp_path / "c.jsonl.gz"
    path.write_bytes(gzip.compress(plain))
    assert [document.location for document in read_file(path)] == [f"{path}:1", f"{path}:4"]


def test_other_encodings_are_read_when_named(tmp_path):
    path = tmp_path / "c.jsonl"
    path.write_bytes('{"text": "Brot"}\n{"text": "Käse\u2028"}'.encode("utf-16-le"))
    with pytest.raises(ReadError, match=r":1: a character is NUL: is this UTF-16"):
        read_file(path)
    texts = [parts(document)[0][0] for document in read_file(path, encoding="utf-16-le")]
    assert texts == ["Brot", "Käse"]


def without(key, where):
    record = json.loads(json.dumps(GOOD))
    del where(record)[key]
    return record


BAD = [
    (b'{"title": "x", ', r":2: this line cannot be read as JSON at column \d+: give one object"),
    (b"{} {}", ":2: this line cannot be read as JSON at column 4"),
    (b"[" * 100_000, ":2: this line cannot be read as JSON"),
    (b'{"a":' * 100_000, ":2: this line cannot be read as JSON"),
    (b'{"title": "x", "n": ' + b"9" * 5000 + b"}", ":2: this line cannot be read as JSON"),
    (b'{"title": "\\ud800", "sections": []}', r":2: \\ud800 is half a character"),
    (b'{"text": "\\uDE00"}', r":2: \\ude00 is half a character"),
    (b'{"text": "a", "n": NaN}', ":2: NaN is not JSON: write null"),
    (b'{"text": "a", "n": -Infinity}', ":2: -Infinity is not JSON: write null"),
    (b'{"text": "a", "n": {"k": 1, "k": 2}}', ":2: the key 'k' stands twice in one object"),
    (["no", "object"], ":2: a document is a list: it must be an object"),
    (without("title", lambda r: r), r":2: the document has no 'title' \(its keys: 'sections'\)"),
    (
        without("sections", lambda r: r),
        r":2: the document has neither 'text' nor 'sections' \(its keys: 'title'\): "
        r"name the right one \(fields\.text, fields\.sections\)",
    ),
    (
        without("heading", lambda r: r["sections"][1]),
        r":2: section 2 has no 'heading' \(its keys: 'paragraphs'\): .*\(fields\.heading\)",
    ),
    (without("paragraphs", lambda r: r["sections"][0]), ":2: section 1 has no 'paragraphs'"),
    ({"title": True, "sections": []}, ":2: 'title' is bool: it must be a string"),
    (
        {"title": "x", "text": 5, "sections": []},
        ":2: 'text' is int: it must be a string or a list of strings",
    ),
    ({"title": "x", "sections": {}}, ":2: 'sections' is an object: it must be a list"),
    ({"title": "x", "sections": None}, ":2: 'sections' is null: it must be a list"),
    ({"title": "x", "sections": ["y"]}, ":2: section 1 is a string: it must be an object"),
    (
        {"title": "x", "sections": [{"heading": {}, "paragraphs": []}]},
        ":2: the heading of section 1 is an object: it must be a string",
    ),
    (
        {"title": "x", "sections": [{"heading": "h", "label": [], "paragraphs": []}]},
        ":2: the label of section 1 is a list: it must be a string",
    ),
    (
        {"title": "x", "sections": [{"heading": "h", "paragraphs": "one"}]},
        ":2: 'paragraphs' of section 1 is a string: it must be a list",
    ),
    (
        {"title": "x", "sections": [{"heading": "h", "paragraphs": [None]}]},
        ":2: a paragraph of section 1 is null: it must be a string",
    ),
    ({"text": 5}, ":2: 'text' is int: it must be a string or a list of strings"),
    ({"text": 0}, ":2: 'text' is int: it must be a string or a list of strings"),
    ({"text": False}, ":2: 'text' is bool: it must be a string or a list of strings"),
    ({"text": ["a", None]}, ":2: item 2 of 'text' is null: it must be a string"),
    ({"text": "a", "title": []}, ":2: 'title' is a list: it must be a string"),
    ({"text": "a", "label": True}, ":2: 'label' is bool: it must be a string"),
    (b'{"title": "caf\xe9"}', r":2: byte \d+ \(0xe9\) is not UTF-8"),
]


@pytest.mark.parametrize(("line", "message"), BAD)
def test_a_bad_line_is_named_by_file_and_number(tmp_path, line, message):
    path = write(tmp_path / "c.jsonl", GOOD, line)
    with pytest.raises(ReadError, match=message) as caught:
        read_file(path)
    assert str(caught.value).startswith(f"{path}:2: ")
    assert caught.value.location == f"{path}:2"
    assert len(caught.value.kind) < 30
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("line", [line for line, _ in BAD])
def test_a_bad_line_is_skipped_and_counted_when_asked_to(tmp_path, line):
    log = ReadLog()
    lines = [GOOD, line, GOOD]
    documents = read_lines(tmp_path, *lines, log=log, on_bad="skip")
    assert [document.location[-2:] for document in documents] == [":1", ":3"]
    assert log.skipped.total() == 1
    assert log.examples[0][0].endswith(":2")


def test_a_line_that_is_too_long_is_refused_or_skipped(tmp_path):
    long = b'{"text": "' + b"a" * (1 << 20) + b'"}'
    with pytest.raises(ReadError, match=":2: longer than 1 MiB"):
        read_lines(tmp_path, GOOD, long, GOOD, max_mb=1)
    for number in (1, 2, 5):
        log = ReadLog()
        documents = read_lines(
            tmp_path, GOOD, long * number, GOOD, log=log, max_mb=1, on_bad="skip"
        )
        assert [document.location[-2:] for document in documents] == [":1", ":3"]
        assert log.skipped == {"too long": 1}


def test_the_names_in_a_message_are_cut_to_what_fits(tmp_path):
    record = {f"field {n} {'x' * 99}\n": 1 for n in range(99)}
    with pytest.raises(ReadError) as caught:
        read_lines(tmp_path, record)
    assert len(str(caught.value)) < 1300
    assert ", …): name" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("on_bad", ["stop", "skip"])
@pytest.mark.parametrize("indent", [None, 2])
def test_a_file_that_is_one_array_or_object_is_named_as_such(tmp_path, indent, on_bad):
    path = tmp_path / "c.jsonl"
    path.write_text("\n" + json.dumps([GOOD, GOOD], indent=indent))
    with pytest.raises(ReadError, match="this file is one JSON array: give one object a line"):
        read_file(path, on_bad=on_bad)
    path.write_text(json.dumps(GOOD, indent=2))
    with pytest.raises(ReadError, match="this file is JSON over several lines: give one object"):
        read_file(path, on_bad=on_bad)


def test_whole_characters_in_two_halves_are_read(tmp_path):
    title = "\U0001f600 \\ud800 \ud558"
    [document] = read_lines(tmp_path, {**GOOD, "title": title})
    assert document.title == title


def test_rows_of_one_document_are_put_together(tmp_path):
    lines = [
        {"id": 1, "text": "One.\n\nTwo.", "heading": "a", "label": "x"},
        {"id": 1, "text": ["Three.", "Four."], "heading": "b", "title": "First"},
        {"id": "2", "text": " Five. ", "title": None},
    ]
    first, second = read_lines(tmp_path, *lines, fields=Fields(document="id"))
    assert (first.title, first.location[-2:]) == ("First", ":1")
    assert first.source == "One.\n\nTwo.\n\nThree.\n\nFour."
    assert parts(first) == [
        ("One.", "a", "x"),
        ("Two.", "a", "x"),
        ("Three.", "b", None),
        ("Four.", "b", None),
    ]
    assert [first.source[u.start : u.end] for u in first.units] == [u.text for u in first.units]
    assert (second.title, second.location[-2:], parts(second)) == (
        "2",
        ":3",
        [("Five.", None, None)],
    )
    assert (second.source, second.units[0].start) == (" Five. ", 1)


def test_rows_without_text_are_counted_and_no_document_is_made_of_them_alone(tmp_path):
    log = ReadLog()
    rows = [("a", None), ("b", "One."), ("b", " "), ("b", "Two."), ("c", "")]
    lines = [{"id": name, "text": text} for name, text in rows]
    [document] = read_lines(tmp_path, *lines, log=log, fields=Fields(document="id"))
    assert (document.title, [unit.text for unit in document.units]) == ("b", ["One.", "Two."])
    assert log.skipped == {"no text": 3}


def test_rows_of_a_document_that_are_apart_are_refused_or_skipped(tmp_path):
    lines = [{"id": name, "text": name + str(n)} for n, name in enumerate("aabab")]
    message = r":4: rows of document 'a' are not together: sort them"
    with pytest.raises(ReadError, match=message):
        read_lines(tmp_path, *lines, fields=Fields(document="id"))
    log = ReadLog()
    documents = read_lines(tmp_path, *lines, log=log, fields=Fields(document="id"), on_bad="skip")
    assert [(d.title, [u.text for u in d.units]) for d in documents] == [
        ("a", ["a0", "a1"]),
        ("b", ["b2", "b4"]),
    ]
    assert log.skipped == {"not together": 1}


def test_a_row_must_say_which_document_it_belongs_to(tmp_path):
    fields = Fields(document="id")
    with pytest.raises(ReadError, match=r":1: the row has no 'id' .*\(fields\.document\)"):
        read_lines(tmp_path, {"text": "a"}, fields=fields)
    with pytest.raises(ReadError, match=":1: 'id' is empty: it must say which document"):
        read_lines(tmp_path, {"text": "a", "id": ""}, fields=fields)
    with pytest.raises(ReadError, match=r":1: the row has no 'text' .*\(fields\.text\)"):
        read_lines(tmp_path, {"id": 1, "sections": []}, fields=fields)


def test_a_document_of_many_rows_is_bounded_too(tmp_path):
    rows = [{"id": "a", "text": "x" * 400_000}] * 4 + [{"id": "b", "text": "y"}]
    fields = Fields(document="id")
    with pytest.raises(ReadError, match=":1: longer than 1 MiB"):
        read_lines(tmp_path, *rows, fields=fields, max_mb=1)
    log = ReadLog()
    [document] = read_lines(tmp_path, *rows, log=log, fields=fields, max_mb=1, on_bad="skip")
    assert document.title == "b"
    assert log.skipped == {"too long": 1}


def test_a_file_of_bad_lines_alone_is_not_empty(tmp_path):
    log = ReadLog()
    assert read_lines(tmp_path, b"\xe9", log=log, on_bad="skip") == []
    assert log.skipped == {"not UTF-8": 1}


def test_a_key_that_stands_twice_is_found_among_very_many(tmp_path):
    keys = b", ".join(b'"k%d": 1' % n for n in range(100_000))
    with pytest.raises(ReadError, match="the key 'k0' stands twice"):
        read_lines(tmp_path, b"{" + keys + b', "k0": 1}')


def test_a_path_that_no_system_has_is_refused():
    with pytest.raises(InputError, match="cannot be read"):
        read_file(Path("a\0b"))


def test_an_empty_file_is_counted(tmp_path):
    log = ReadLog()
    assert read_lines(tmp_path, b"\n", log=log) == []
    assert log.skipped == {"empty file": 1}
    with pytest.raises(InputError, match=r"no document was found; left out: empty file \(1\)"):
        list(read_documents(tmp_path / "c.jsonl"))


def test_a_missing_file_a_folder_and_cut_gzip_are_named(tmp_path):
    with pytest.raises(ReadError, match=r"none.jsonl: cannot be read \(No such file"):
        read_file(tmp_path / "none.jsonl")
    with pytest.raises(ReadError, match=r"cannot be read \(Is a directory"):
        read_file(tmp_path)
    path = tmp_path / "c.jsonl.gz"
    path.write_bytes(gzip.compress(json.dumps(GOOD).encode() * 50)[:-20])
    with pytest.raises(ReadError, match="not whole gzip data"):
        read_file(path)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["title", "sections", "heading", "label", "paragraphs", "text", "x"]),
            inner,
            max_size=5,
        )
    ),
)
texts = st.text(st.sampled_from("ab \r\n\u2028é"), max_size=12)
records = st.fixed_dictionaries(
    {"text": texts | st.lists(texts, max_size=3)},
    optional={"title": texts, "x": st.integers(0, 2), "label": texts},
)


@st.composite
def damaged(draw):
    line = bytearray(json.dumps(draw(json_values | records)).encode())
    for _ in range(draw(st.integers(0, 2))):
        line[draw(st.integers(0, len(line) - 1))] = draw(st.integers(0, 255))
    return bytes(line)


@given(
    st.lists(st.binary(max_size=40) | damaged(), max_size=6),
    st.sampled_from(["stop", "skip"]),
    st.sampled_from([Fields(), Fields(document="x"), Fields(title="x")]),
)
def test_whatever_the_file_holds_it_is_read_or_refused(tmp_path_factory, lines, on_bad, fields):
    path = tmp_path_factory.mktemp("fuzz") / "c.jsonl"
    path.write_bytes(b"\n".join(lines))
    try:
        documents = read_file(path, on_bad=on_bad, fields=fields)
    except ReadError as error:
        assert str(error).startswith(str(path))  # noqa: PT017 (most files are refused, not all)
    else:
        assert len(documents) <= sum(line.count(b"\n") + 1 for line in lines)


@given(st.lists(records, max_size=5))
def test_all_words_of_a_record_come_back_in_order(tmp_path_factory, rows):
    path = write(tmp_path_factory.mktemp("words") / "c.jsonl", *rows)
    for document, row in zip(read_file(path), rows, strict=True):
        text = row["text"] if isinstance(row["text"], str) else " ".join(row["text"])
        assert " ".join(unit.text for unit in document.units).split() == text.split()
