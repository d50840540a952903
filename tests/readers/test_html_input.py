"""Web pages: their encodings, XHTML, and whatever else may come."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from permutopic.readers import ReadError, read_documents
from permutopic.readers.web import structure

from sources import read_web_page


def texts(content, **reading):
    return [unit.text for unit in read_web_page(content, **reading).units]


@pytest.mark.parametrize(
    ("declaration", "encoding"),
    [
        ("<meta charset=iso-8859-2>", "iso-8859-2"),
        ("<META HTTP-EQUIV='Content-Type' CONTENT='text/html; charset=koi8-r'>", "koi8-r"),
        ("<?xml version='1.0' encoding='windows-1251'?><meta charset=koi8-r>", "cp1251"),
        ("<!-- <meta charset=koi8-r> --><meta charset='x-sjis'>", "cp932"),
        ("<p></p>" * 200 + "<meta charset=koi8-r>", "koi8-r"),
        ("<meta charset=utf-16>", "utf-8"),
        ("<meta charset=iso-8859-1>", "utf-8"),
        ("<meta charset=unicode_escape>", "utf-8"),
        ("<meta charset=hex>", "utf-8"),
        ("<meta charset=no-such>", "utf-8"),
        ("", "utf-8"),
    ],
)
def test_the_encoding_is_what_the_page_declares(declaration, encoding):
    word = {"iso-8859-2": "żółw", "utf-8": "żółw"}.get(encoding, "Жук")
    assert texts(f"{declaration}<p>{word}".encode(encoding)) == [word]


def test_latin_pages_are_read_as_browsers_do():
    assert texts(b"<meta charset=latin1><p>caf\xe9 \x80") == ["café €"]


@pytest.mark.parametrize(
    ("declared", "encoding", "word"),
    [
        ("gb2312", "gb18030", "镕"),
        ("shift_jis", "cp932", "①"),
        ("euc-kr", "cp949", "똠"),
        ("tis-620", "cp874", "ก€"),
        ("iso-8859-9", "cp1254", "ğ€"),
        ("ascii", "cp1252", "é€"),
    ],
)
def test_a_name_stands_for_the_encoding_that_browsers_take_it_for(declared, encoding, word):
    assert texts(f"<meta charset={declared}><p>{word}".encode(encoding)) == [word]


def test_a_chosen_encoding_counts_more_than_the_declared_one():
    assert texts(b"<meta charset=utf-8><p>\xe6", encoding="cp1251") == ["ж"]


def test_undecodable_pages_are_refused_in_one_line():
    with pytest.raises(ReadError, match=r"^page\.html: byte 4 \(0xe9\) in line 1 is not UTF-8: "):
        read_web_page(b"<p>a\xe9b")


def test_elements_may_be_closed_at_once_in_xhtml():
    page = "<html><head><title/><script src='x'/></head><body><a href='x'/><p>One</p><p/>two<div/>"
    assert texts(f"<?xml version='1.0'?>{page}") == ["One", "two"]
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "a.xhtml").write_text(page)
        [document] = read_documents(folder)
    assert [unit.text for unit in document.units] == ["One", "two"]


def test_pages_with_too_many_tags_are_refused(monkeypatch):
    monkeypatch.setattr(structure, "_MAX_TAGS", 1000)
    with pytest.raises(ReadError) as caught:
        read_web_page("<p>x" * 501)
    assert str(caught.value) == "page.html: has more than 1,000 tags: split it into documents"
    assert caught.value.kind == "too long"


@pytest.mark.parametrize(
    ("page", "n_units"),
    [
        ("<div>" * 10_000 + "x", 1),
        ("<div>x" * 5000, 5000),
        ("<table><tr><td>x" * 2000 + "</td></tr></table>" * 2000, 2000),
        ("<svg>" * 20_000 + "</svg>" * 20_000 + "x", 1),
        ("<b><p>x" * 3000, 3000),
        ("<a <a " * 50_000 + ">x", 1),
        ("&" * 100_000, 1),
        ("&#" + "9" * 100_000 + ";", 1),
        ("<" * 100_000, 1),
        (f"<p class='{'x ' * 100_000}'>x", 1),
        ("<h1>x" + "<span hidden>" * 10_000 + "<p>y", 0),
    ],
)
def test_hostile_pages_are_read_like_others(page, n_units):
    assert len(read_web_page(page).units) == n_units


WORDS = st.integers(0, 10_000).map("w{}".format)
BLOCKS = """p div ul li dl dt dd table tr td th caption pre blockquote section b i span center
ruby o:p"""
TAGS = [f"{start}{name}>" for name in BLOCKS.split() for start in ("<", "</")]
MORE = ["<br>", "<hr>", "<p class='x'>", " ", "\n", "&nbsp;", "<!-- x -->"]


@settings(max_examples=100, deadline=None)
@given(st.lists(st.one_of(WORDS, st.sampled_from([*TAGS, *MORE]))))
def test_every_word_is_kept_once_and_in_order_however_wrong_the_tags_are(tokens):
    units = read_web_page(" ".join(tokens)).units
    found = re.findall(r"w\d+", " ".join(unit.text for unit in units))
    assert found == [token for token in tokens if token.startswith("w")]


STRANGE = """<h1> </h1> <h3> <nav> </nav> <main> </main> <article> <header> <a_href=x> </a> <a < </
<! <!-- --> <![CDATA[ ]]> <?xml_ > <script> </script> <title> </title> <svg> </svg> <svg/> <math>
<mi> <template> </template> <select> <option> </select> <form> </form> <ruby> <rt> <table> <tr> <td>
</td> </table> <caption> <p> </p> <br> <span_hidden> </span> <div_class=menu> </div> <li> <pre>
</pre> <hr/> <object> </object> <frameset> <body> </body> <plaintext> <html> <col> <meta_charset=
&amp; & &# &#x41; &#0; &#13; &shy; &NotEqualTilde; &notit; &nbsp " ' = word é
<div_class=widget> <div_class=footer> A_long_sentence_that_some_would_take_for_prose."""
SPACES = [" ", "\n", "\r\n", "\f", "\x0b", "\x85", "\xa0", "\xad", "\u2028", "\ufeff"]
TOKENS = [*(token.replace("_", " ") for token in STRANGE.split()), *SPACES]


def is_read_or_refused(content):
    """Read a page; the error of one that cannot be read must name it."""
    try:
        read_web_page(content)
    except ReadError as error:
        return str(error).startswith("page.html: ")
    return True


@settings(max_examples=200, deadline=None)
@given(st.lists(st.one_of(st.sampled_from(TOKENS), st.text(max_size=3))).map("".join))
def test_any_text_is_read_as_a_page_or_refused(text):
    assert is_read_or_refused(text.encode("utf-8", "surrogatepass"))


@settings(max_examples=100, deadline=None)
@given(st.sampled_from([b"", b"<p>", b"<meta charset=big5>", b"\xff\xfe"]), st.binary(max_size=60))
def test_any_bytes_are_read_as_a_page_or_refused(start, content):
    assert is_read_or_refused(start + content)
