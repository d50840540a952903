from __future__ import annotations

import gzip
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from permutopic.errors import InputError
from permutopic.readers.sections import read_corpus, read_sections

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


def test_sections_become_units_with_heading_and_label(tmp_path):
    [document] = read_sections(write(tmp_path / "c.jsonl", GOOD))
    assert document.title == "Iron"
    assert [(u.text, u.heading, u.label) for u in document.units] == [
        ("Old news.", "History", "past"),
        ("More.", "History", "past"),
        ("Steel.", "Uses", None),
    ]


def test_gzip_blank_lines_and_a_byte_order_mark_are_read(tmp_path):
    plain = b"\xef\xbb\xbf" + json.dumps(GOOD).encode() + b"\n\n  \n" + json.dumps(GOOD).encode()
    path = tmp_path / "c.jsonl.gz"
    path.write_bytes(gzip.compress(plain))
    assert read_corpus(path).n_documents == 2


def without(key, where):
    record = json.loads(json.dumps(GOOD))
    del where(record)[key]
    return record


BAD = [
    (b'{"title": "x", ', r":2: this line cannot be read as JSON at column \d+"),
    (b"[" * 100_000, ":2: this line cannot be read as JSON"),
    (b'{"title": "x", "n": ' + b"9" * 5000 + b"}", ":2: this line cannot be read as JSON"),
    (b'{"title": "\\ud800", "sections": []}', r":2: \\ud800 is half a character"),
    (["no", "object"], ":2: a document is a list: it must be an object"),
    (without("title", lambda r: r), r":2: the document has no 'title' \(its keys: 'sections'\)"),
    (without("sections", lambda r: r), ":2: the document has no 'sections'"),
    (without("heading", lambda r: r["sections"][1]), ":2: section 2 has no 'heading'"),
    (without("paragraphs", lambda r: r["sections"][0]), ":2: section 1 has no 'paragraphs'"),
    ({"title": 5, "sections": []}, ":2: 'title' is int: it must be a string"),
    ({"title": "x", "sections": {}}, ":2: 'sections' is an object: it must be a list"),
    ({"title": "x", "sections": ["y"]}, ":2: section 1 is a string: it must be an object"),
    (
        {"title": "x", "sections": [{"heading": 1, "paragraphs": []}]},
        ":2: the heading of section 1 is int: it must be a string",
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
    ({"title": "x", "sections": []}, ":2: 'x' has no paragraph"),
    (
        {"title": "x", "sections": [{"heading": "h", "paragraphs": ["…"]}]},
        ":2: 'x' has no word with tokens='words'",
    ),
    (b'{"title": "caf\xe9"}', r":2: byte 14 \(0xe9\) is not UTF-8"),
]


@pytest.mark.parametrize(("line", "message"), BAD)
def test_a_bad_line_is_named_by_file_and_number(tmp_path, line, message):
    path = write(tmp_path / "c.jsonl", GOOD, line)
    with pytest.raises(InputError, match=message) as caught:
        read_corpus(path)
    assert str(caught.value).startswith(f"{path}:2: ")


def test_whole_characters_in_two_halves_are_read(tmp_path):
    path = write(tmp_path / "c.jsonl", {**GOOD, "title": "\U0001f600 \\ud"})
    assert read_corpus(path).titles == ("\U0001f600 \\ud",)


def test_a_missing_heading_is_named_by_file_and_line_when_scores_need_it(tmp_path):
    unknown = {"title": "x", "sections": [{"heading": None, "paragraphs": ["one"]}]}
    path = write(tmp_path / "c.jsonl", GOOD, unknown)
    with pytest.raises(InputError, match=r"c.jsonl:2: document 'x' has a unit without a heading"):
        read_corpus(path).reference("heading")


def test_a_path_that_no_system_has_is_refused():
    with pytest.raises(InputError, match="cannot be read"):
        read_corpus("a\0b")


def test_an_empty_file_is_named(tmp_path):
    path = write(tmp_path / "c.jsonl", b"\n")
    with pytest.raises(InputError, match="the file has no document"):
        read_corpus(path)


def test_a_missing_file_a_folder_and_cut_gzip_are_named(tmp_path):
    with pytest.raises(InputError, match=r"none.jsonl: cannot be read \(No such file"):
        read_corpus(tmp_path / "none.jsonl")
    with pytest.raises(InputError, match=r"cannot be read \(Is a directory"):
        read_corpus(tmp_path)
    for content in (b"not gzip", gzip.compress(json.dumps(GOOD).encode() * 50)[:-20]):
        path = tmp_path / "c.jsonl.gz"
        path.write_bytes(content)
        with pytest.raises(InputError, match="not whole gzip data"):
            read_corpus(path)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["title", "sections", "heading", "label", "paragraphs", "x"]),
            inner,
            max_size=5,
        )
    ),
)


@given(st.lists(st.binary(max_size=40) | json_values.map(lambda v: json.dumps(v).encode())))
def test_whatever_the_file_holds_it_is_read_or_refused(tmp_path_factory, lines):
    path = tmp_path_factory.mktemp("fuzz") / "c.jsonl"
    path.write_bytes(b"\n".join(lines))
    try:
        corpus = read_corpus(path)
    except InputError as error:
        assert str(error).startswith(str(path))  # noqa: PT017 (most files are refused, not all)
    else:
        assert corpus.n_tokens > 0
