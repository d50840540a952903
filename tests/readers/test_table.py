from __future__ import annotations

import contextlib
import csv
import gzip
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from permutopic.readers import Fields, ReadError, ReadLog, ReadOptions, read_documents
from permutopic.readers.source import Source
from permutopic.readers.table import read
from permutopic.readers.table_lines import TableLines

from invariant import check


def read_file(path, log=None, **settings):
    source = Source(path, str(path), "table")
    documents = list(read(source, ReadOptions(**settings), ReadLog() if log is None else log))
    for document in documents:
        check(document)
    return documents


def read_text(folder, text, name="t.csv", log=None, **settings):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_file(path, log, **settings)


def parts(document):
    return [(unit.text, unit.heading, unit.label) for unit in document.units]


def test_each_row_is_a_document(tmp_path):
    text = 'id,title,text,heading,label\n1,Iron,"One, two.",h,l\n2,,Three.,,\n'
    first, second = read_text(tmp_path, text)
    assert (first.title, first.location[-2:], parts(first)) == (
        "Iron",
        ":2",
        [("One, two.", "h", "l")],
    )
    assert (second.title, parts(second)) == ("table:3", [("Three.", None, None)])


def test_a_quoted_field_may_hold_lines_and_quotes(tmp_path):
    text = 'title,text\r\nx,"One ""two""\r\nlines.\r\n\r\n Three."\r\n\r\ny,z\r\n'
    first, second = read_text(tmp_path, text)
    assert first.source == 'One "two"\r\nlines.\r\n\r\n Three.'
    assert [(u.text, u.start, u.end) for u in first.units] == [
        ('One "two"\r\nlines.', 0, 17),
        ("Three.", 22, 28),
    ]
    assert (second.location[-2:], second.title) == (":7", "y")


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_what_the_header_has_most_of(tmp_path, delimiter):
    header = delimiter.join(['"a,,,;;;||| b"', "title", "text"])
    row = delimiter.join(["", "x", '"One; two, three | four."'])
    [document] = read_text(tmp_path, f"{header}\n{row}\n")
    assert (document.title, parts(document)[0][0]) == ("x", "One; two, three | four.")


@pytest.mark.parametrize("name", ["t.tsv", "t.TSV", "t.tsv.gz"])
def test_the_extension_tsv_means_tabs(tmp_path, name):
    content = b"a,b,c\ttext\nx\tOne, two.\n"
    packed = gzip.compress(content) if name.endswith("gz") else content
    [document] = read_text(tmp_path, packed, name=name)
    assert parts(document)[0][0] == "One, two."


def test_a_line_that_names_the_delimiter_for_spreadsheets_is_obeyed(tmp_path):
    [document] = read_text(tmp_path, "\ufeffsep=;\r\ntext;a,b,c\r\nOne.;2\r\n")
    assert (document.title, parts(document)[0][0]) == ("table:3", "One.")


def test_a_header_that_only_begins_like_such_a_line_is_a_header(tmp_path):
    [document] = read_text(tmp_path, "sep=,text\n1,One.\n")
    assert (document.title, parts(document)[0][0]) == ("table:2", "One.")


def test_a_single_column_needs_no_delimiter(tmp_path):
    documents = read_text(tmp_path, '\n"text"\nOne\n\n  \n"Two, three"\n""\n')
    assert [(d.location[-2:], parts(d)[0][0]) for d in documents] == [
        (":3", "One"),
        (":6", "Two, three"),
    ]


def test_names_are_stripped_and_a_byte_order_mark_does_not_count(tmp_path):
    [document] = read_text(tmp_path, "\ufeff text , title\nOne.,x\n")
    assert (document.title, parts(document)[0][0]) == ("x", "One.")


def test_columns_go_by_the_names_they_are_given(tmp_path):
    fields = Fields(title="name", text="body", heading="head", label="topic")
    [document] = read_text(tmp_path, "body,topic,head,name\na,t,h,n\n", fields=fields)
    assert (document.title, parts(document)) == ("n", [("a", "h", "t")])


def test_a_column_may_have_two_uses_and_others_any_names(tmp_path):
    fields = Fields(title="text")
    [document] = read_text(tmp_path, ",x,x,sections,text\n1,2,3,4,One.\n", fields=fields)
    assert (document.title, parts(document)[0][0]) == ("One.", "One.")


def test_rows_of_one_document_are_put_together(tmp_path):
    text = "doc,heading,text\na,h,One.\na,,\na,i,Two.\nb,h,Three.\n"
    log = ReadLog()
    first, second = read_text(tmp_path, text, log=log, fields=Fields(document="doc"))
    assert (first.title, parts(first)) == ("a", [("One.", "h", None), ("Two.", "i", None)])
    assert (second.title, second.location[-2:]) == ("b", ":5")
    assert log.skipped == {"no text": 1}
    with pytest.raises(ReadError, match=":6: rows of document 'a' are not together: sort them"):
        read_text(tmp_path, text + "a,,Four.\n", fields=Fields(document="doc"))


def test_the_first_title_among_the_rows_of_a_document_is_its_title(tmp_path):
    text = "doc,title,text\na,,One.\na, First ,Two.\na,Last,Three.\nb,,Four.\n"
    first, second = read_text(tmp_path, text, fields=Fields(document="doc"))
    assert (first.title, first.location[-2:]) == ("First", ":2")
    assert (second.title, second.location[-2:]) == ("b", ":5")


BAD = [
    ("a,b\n1,2\n", ":1: the table has no 'text' (its columns: 'a', 'b'): name the right one"),
    ("text,a,text\n1,2,3\n", ":1: 2 columns are called 'text': rename them"),
    ("text,a\n1,2\n1\n", ":3: this row has 1 field, the header 2: quote"),
    ('text,a\n1,2\n"x\ny",2\n1,2,3\n', ":5: this row has 3 fields, the header 2: quote"),
    ('text,a\n1,2\n"x"y,2\n', ":3: this row cannot be read (',' expected after '\"'): double"),
    ('text,a\n1,2\n3,"x\n4,5\n', ":3: a quote is opened in this row and never closed"),
    ('text,"a\n1,2\n', ":1: a quote is opened in this row and never closed"),
    ("text,a\r1,2\r", ":1: a CR stands alone outside quotes: save the file with ordinary ends"),
    ("text,a\n1,\0\n", ":2: a character is NUL: is this UTF-16"),
    ("text,a\n1,2\n".encode("utf-16-le"), ":1: a character is NUL: is this UTF-16"),
    (b"text,a\n1,caf\xe9\n", ":2: byte 12 (0xe9) is not UTF-8"),
    (b"text,caf\xe9\n1,2\n", ":1: byte 8 (0xe9) is not UTF-8"),
]


@pytest.mark.parametrize(("text", "message"), BAD)
def test_a_bad_table_is_named_by_file_and_line(tmp_path, text, message):
    with pytest.raises(ReadError) as caught:
        read_text(tmp_path, text)
    assert str(caught.value).startswith(f"{tmp_path / 't.csv'}{message}")
    assert str(caught.value).startswith(f"{caught.value.location}: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("field", ["title", "heading", "label", "document"])
def test_a_column_that_was_named_must_be_there(tmp_path, field):
    with pytest.raises(ReadError, match=rf":1: the table has no 'x' .*\(fields\.{field}\)"):
        read_text(tmp_path, "text\na\n", fields=Fields(**{field: "x"}))


BAD_ROWS = ["1\n", "1,2,3\n", '"x"y,2\n', "1,\0\n", "1,\xe9\n", '"1\n\xe9\n",2\n']


@pytest.mark.parametrize("row", BAD_ROWS)
def test_a_bad_row_is_skipped_and_counted_when_asked_to(tmp_path, row):
    log = ReadLog()
    content = f"title,text\na,b\n{row}c,d\n".encode("latin-1")
    documents = read_text(tmp_path, content, log=log, on_bad="skip")
    assert [document.title for document in documents] == ["a", "c"]
    assert log.skipped.total() == 1


def read_skipping(folder, text, **settings):
    """Read a table without its bad rows; return the rest, and line and error of each bad row."""
    log = ReadLog()
    documents = read_text(folder, text, log=log, on_bad="skip", **settings)
    left = [(int(d.location.rsplit(":", 1)[1]), parts(d)[0][0]) for d in documents]
    return left, [(location.rsplit(":", 1)[1], detail) for location, _, detail in log.examples]


def test_after_a_quote_that_is_never_closed_reading_goes_on_with_the_next_row(tmp_path):
    rows = "".join(f"{n},row {n}\n" for n in range(4, 50))
    left, skipped = read_skipping(tmp_path, f'id,text\n1,one\n2,"never closed\n{rows}')
    assert left == [(2, "one"), *((n, f"row {n}") for n in range(4, 50))]
    assert skipped == [("3", "a quote is opened in this row and never closed: close it")]


def test_an_unclosed_quote_that_meets_another_loses_its_own_row_alone(tmp_path):
    text = 'id,text\n1,one\n2,"unclosed\n3,three\n4,four\n5,"five, too"\n6,six\n'
    left, skipped = read_skipping(tmp_path, text)
    assert left == [(2, "one"), (4, "three"), (5, "four"), (6, "five, too"), (7, "six")]
    assert [location for location, _ in skipped] == ["3"]
    assert "lines" not in skipped[0][1]


CANNOT = (
    "this row cannot be read (',' expected after '\"'): double the quotes within a quoted field"
)
TAILS = {
    'a "bad" word\nand 3,4 more"\n': 4,
    'a ""multi\nline ""with"" a bad "one\nand 3,4 more"\n': 5,
    'a "bad" word\nprose with, a comma\nprose, again\n\nend"\n': 7,
    'a "bad" word\nand "quoted", it seems\nprose with, a comma\nend"\n': 6,
    'a "bad" word\nprose, the last of it\n"\n': 5,
    'a "bad" word\n""Well,"" he said\nprose, and the end"\n': 5,
    'a "bad" word\nx, the end","and another\n3,4 of it"\n': 5,
}


@pytest.mark.parametrize("tail", TAILS)
def test_the_tail_of_a_broken_row_is_no_row(tmp_path, tail):
    left, skipped = read_skipping(tmp_path, f'id,text\n1,one\n2,"{tail}8,eight\n9,"nine"\n')
    last = TAILS[tail]
    assert left == [(2, "one"), (last + 1, "eight"), (last + 2, "nine")]
    assert skipped == [("3", f"{CANNOT} (lines 3–{last} are left out)")]


def test_an_uneven_row_of_many_lines_is_left_out_as_a_whole(tmp_path):
    left, skipped = read_skipping(tmp_path, 'id,text\n1,"a\nb,c","d\ne,f"\n2,two\n')
    assert left == [(5, "two")]
    assert skipped[0][0] == "2"
    assert skipped[0][1].startswith("this row has 3 fields, the header 2")
    assert skipped[0][1].endswith("(lines 2–4 are left out)")


def test_each_bad_row_after_another_is_counted(tmp_path):
    left, skipped = read_skipping(tmp_path, 'id,text\n1,"a" b\n2,"c" d\n3\n4,"e\n5,f\n6,"g" h\n')
    assert left == [(6, "f")]
    assert [location for location, _ in skipped] == ["2", "3", "5", "7"]
    assert skipped[1][1] == f"{CANNOT} (lines 3–4 are left out)"


def test_a_quote_after_many_good_rows_does_not_make_a_tail_of_them(tmp_path):
    rows = "".join(f"{n},row {n}\n" for n in range(9))
    left, skipped = read_skipping(tmp_path, f'id,text\n1,"a" b\n{rows}9,a pipe of 5"\n')
    assert [text for _, text in left] == [*(f"row {n}" for n in range(9)), 'a pipe of 5"']
    assert [location for location, _ in skipped] == ["2"]


def test_an_unclosed_quote_in_a_long_table_costs_one_row(tmp_path):
    rows = "".join(f"{n},some words of text\n" for n in range(100_000))
    left, skipped = read_skipping(tmp_path, f'id,text\n1,"a\n{rows}', max_mb=1)
    assert len(left) == 100_000
    assert [location for location, _ in skipped] == ["2"]


def test_the_tail_of_a_line_that_is_too_long_is_no_row(tmp_path):
    text = f'id,text\n1,"{"x" * (1 << 20)}\nprose with, a comma\nend"\n2,two\n'
    left, skipped = read_skipping(tmp_path, text, max_mb=1)
    assert left == [(5, "two")]
    assert [location for location, _ in skipped] == ["2"]


def test_a_byte_that_is_not_in_the_encoding_costs_one_row(tmp_path):
    rows = [f"{n},row {n}\n".encode() for n in range(60_000)]
    rows[20_000] = b"20000,caf\x81\n"
    content = b"id,text\n" + b"".join(rows)
    left, skipped = read_skipping(tmp_path, content, encoding="cp1252")
    assert [number for number, _ in left] == [n + 2 for n in range(60_000) if n != 20_000]
    at = content.index(b"\x81")
    assert skipped[0][0] == "20002"
    assert skipped[0][1].startswith(f"byte {at} (0x81) is not cp1252")
    with pytest.raises(ReadError, match=rf":20002: byte {at} \(0x81\) is not cp1252"):
        read_text(tmp_path, content, encoding="cp1252")


def test_a_file_that_is_cut_while_a_tail_is_searched_is_reported(tmp_path):
    rows = "".join(f"{n},row {n * n * n}\n" for n in range(99_999)).encode()
    packed = gzip.compress(b'id,text\n1,"a" b\n' + rows)
    log = ReadLog()
    path = tmp_path / "t.csv.gz"
    path.write_bytes(packed[:-9])
    documents = read_documents(path, ReadOptions(on_bad="skip"), log)
    assert next(documents).location.endswith(":3")
    assert len(list(documents)) > 1000
    assert log.skipped == {"bad row": 1, "damaged": 1}


TSV = [
    ('1\t"Great" it is, he said\n2\ta 5" pipe\n', ['"Great" it is, he said', 'a 5" pipe']),
    ('1\t"Great" it is\t\n2\ttwo\n', None),
    ('1\t"Great\n2\ttwo\n', ['"Great', "two"]),
    ('1\t"Great\n2\t"two" it is\n', ['"Great', '"two" it is']),
    ('1\t"Great\n2\ttwo"\n', ['"Great', 'two"']),
    ('1\t"Great\ntwo"\n2\t"a\tb ""c"""\n', ["Great\ntwo", 'a\tb "c"']),
    ('"1"\t"Great" it is\r\n"2"\t"a ""b"""\r\n', ['"Great" it is', 'a "b"']),
]  # fmt: skip


@pytest.mark.parametrize("on_bad", ["stop", "skip"])
@pytest.mark.parametrize(("rows", "texts"), TSV)
def test_quotes_that_enclose_no_field_of_a_tsv_file_are_as_they_stand(
    tmp_path, rows, texts, on_bad
):
    if texts is None and on_bad == "stop":
        with pytest.raises(ReadError, match=r":2: this row cannot be read \('\\t' expected after"):
            read_text(tmp_path, f"id\ttext\n{rows}", name="t.tsv", on_bad=on_bad)
        return
    documents = read_text(tmp_path, f"id\ttext\n{rows}", name="t.tsv", on_bad=on_bad)
    assert [document.source for document in documents] == (texts or ["two"])


def test_quotes_of_a_tsv_file_are_taken_as_they_stand_for_good_when_they_make_no_sense(tmp_path):
    text = "id\ttext\n" + 'a"\t"b\n' * 5000
    documents = read_text(tmp_path, text, name="t.tsv")
    assert [document.source for document in documents] == ['"b'] * 5000


def test_quotes_around_a_whole_field_are_removed_where_others_stand_as_they_are(tmp_path):
    text = 'title\ttext\n"An ""iron"" age"\t"Great" it is\n'
    [document] = read_text(tmp_path, text, name="t.tsv")
    assert (document.title, document.source) == ('An "iron" age', '"Great" it is')


def test_quotes_of_a_csv_file_are_not_taken_as_they_stand(tmp_path):
    with pytest.raises(ReadError, match=r":2: this row cannot be read \('\\t' expected after '\"'"):
        read_text(tmp_path, 'id\ttext\n1\t"Great" it is\n')


@pytest.mark.parametrize("line", ['a","b\n', '1,""x\n', '1,"x\n', '1,"""x\n', '"\n', 'a"\t"b\n'])
@pytest.mark.parametrize("name", ["t.csv", "t.tsv"])
def test_lines_are_not_read_again_and_again(tmp_path, monkeypatch, line, name):
    fed = 0

    def count(lines, usual=TableLines.__next__):
        nonlocal fed
        fed += 1
        return usual(lines)

    monkeypatch.setattr(TableLines, "__next__", count)
    header = "id\ttext\n" if "\t" in line or name == "t.tsv" else "id,text\n"
    with contextlib.suppress(ReadError):
        read_text(tmp_path, header + line * 3000, name=name, on_bad="skip")
    assert fed < 10 * 3000


def test_what_cannot_begin_a_row_after_a_broken_one_is_left_out_with_it(tmp_path):
    log = ReadLog()
    text = 'id,text\n1,"x"y\n""x,5\n2,ok\n'
    [document] = read_text(tmp_path, text, log=log, on_bad="skip")
    assert document.source == "ok"
    assert log.skipped == {"bad row": 1}
    assert log.examples[0][2].endswith("(lines 2–3 are left out)")


def test_a_row_of_empty_fields_is_a_row_and_not_a_blank_line(tmp_path):
    empty, full = read_text(tmp_path, "title,text\n,\nx,One.\n")
    assert (empty.units, empty.location[-2:], full.title) == ((), ":2", "x")
    with pytest.raises(ReadError, match=":2: this row has 3 fields, the header 2"):
        read_text(tmp_path, "title,text\n,,\n")


def test_the_limit_of_fields_of_the_csv_module_is_left_as_it_was(tmp_path):
    usual = csv.field_size_limit()
    read_text(tmp_path, "text\nOne.\n", max_mb=1)
    assert csv.field_size_limit() == usual


def test_a_bad_header_is_never_skipped(tmp_path):
    with pytest.raises(ReadError, match=r":1: byte 4"):
        read_text(tmp_path, b"text\xe9,text\n1,2\n", on_bad="skip")


def test_a_row_that_is_too_long_is_refused_or_skipped(tmp_path):
    long = "x" * 400_000
    text = f'title,text\na,b\nc,"{long}\n{long}\n{long}\n"\n'
    with pytest.raises(ReadError, match=":3: longer than 1 MiB"):
        read_text(tmp_path, text, max_mb=1)
    log = ReadLog()
    documents = read_text(tmp_path, text + "e,f\n", log=log, max_mb=1, on_bad="skip")
    assert [document.title for document in documents] == ["a", "e"]
    assert log.skipped["too long"] == 1


def test_an_unclosed_quote_does_not_read_a_long_file_into_memory(tmp_path):
    log = ReadLog()
    text = 'text\n"' + "some words of text\n" * 200_000
    with pytest.raises(ReadError, match=":2: longer than 1 MiB"):
        read_text(tmp_path, text, log=log, max_mb=1)
    assert log.bytes < 2 << 20


def test_a_long_field_is_read_and_the_limit_of_the_csv_module_put_back(tmp_path):
    before = csv.field_size_limit()
    text = "word " * 100_000
    assert len(text) > before
    [document] = read_text(tmp_path, f"text,a\n{text},b\n")
    assert document.source == text
    with pytest.raises(ReadError):
        read_text(tmp_path, 'text,a\n"x"y,2\n')
    assert csv.field_size_limit() == before


def test_an_empty_file_is_counted_and_so_are_rows_without_text(tmp_path):
    log = ReadLog()
    assert read_text(tmp_path, " \n\n", log=log) == []
    assert log.skipped == {"empty file": 1}
    log = ReadLog()
    assert read_text(tmp_path, "a,text\n\n", log=log) == []
    assert log.skipped == {"no rows": 1}
    (tmp_path / "t.csv").write_text("a,text\n1,\n2, \n3,x\n")
    log = ReadLog()
    assert len(list(read_documents(tmp_path, log=log))) == 1
    assert log.skipped == {"no text": 2}


cells = st.text(st.sampled_from('ab,;"\t \r\né'), max_size=8)


@given(
    st.lists(st.tuples(cells, cells), max_size=5),
    st.sampled_from([",", ";", "\t", "|"]),
    st.sampled_from(["\n", "\r\n"]),
)
def test_what_the_csv_module_writes_comes_back(tmp_path_factory, rows, delimiter, end):
    text = io.StringIO()
    # With \n as its end of lines, the module would leave a lone \r without quotes.
    quoting = csv.QUOTE_ALL if end == "\n" else csv.QUOTE_MINIMAL
    writer = csv.writer(text, delimiter=delimiter, lineterminator=end, quoting=quoting)
    writer.writerows([("text", "label"), *rows])
    documents = read_text(tmp_path_factory.mktemp("csv"), text.getvalue())
    assert [document.source for document in documents] == [row[0] for row in rows]
    for document, (_, label) in zip(documents, rows, strict=True):
        assert {unit.label for unit in document.units} <= {label.strip() or None}


words = st.text(st.sampled_from('ab,"\n '), max_size=8).map("w{}".format)


@given(
    st.lists(words, max_size=6),
    st.integers(0, 6),
    st.sampled_from(['9,"oops" here\n', '9,"oops\n', '9,"a "bad"\nand, so\non"\n']),
)
def test_all_rows_but_the_broken_one_come_back(tmp_path_factory, texts, where, broken):
    rows = []
    for text in texts:
        line = io.StringIO()
        csv.writer(line, lineterminator="\n").writerow([1, text])
        rows.append(line.getvalue())
    rows.insert(where, broken)
    folder = tmp_path_factory.mktemp("broken")
    log = ReadLog()
    table = "id,text\n" + "".join(rows)
    documents = read_text(folder, table, log=log, on_bad="skip")
    assert [document.source for document in documents] == texts
    assert log.skipped == {"bad row": 1}


@st.composite
def damaged(draw):
    rows = draw(st.lists(st.lists(cells, min_size=1, max_size=3), max_size=5))
    text = io.StringIO()
    csv.writer(text).writerows([["x", "text", "title"], *rows])
    content = bytearray(text.getvalue().encode())
    for _ in range(draw(st.integers(0, 3))):
        content[draw(st.integers(0, len(content) - 1))] = draw(st.integers(0, 255))
    return bytes(content)


@given(
    st.binary(max_size=60) | damaged(),
    st.sampled_from(["stop", "skip"]),
    st.sampled_from([Fields(), Fields(document="x")]),
    st.sampled_from(["t.csv", "t.tsv"]),
    st.sampled_from([None, "cp1252", "utf-16", "iso2022_jp"]),
)
def test_whatever_the_file_holds_it_is_read_or_refused(
    tmp_path_factory, content, on_bad, fields, name, encoding
):
    path = tmp_path_factory.mktemp("fuzz") / name
    if name == "t.tsv":
        content = content.replace(b",", b"\t")
    path.write_bytes(content)
    try:
        documents = read_file(path, on_bad=on_bad, fields=fields, encoding=encoding)
    except ReadError as error:
        assert str(error).startswith(str(path))  # noqa: PT017 (some files are refused, not all)
    else:
        assert len(documents) <= content.count(b"\n") + 1
