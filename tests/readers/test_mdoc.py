from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sources import check_any_manual_page, read_manual_page

HEAD = ".Dd May 1, 2024\n.Dt GREP 1\n.Os\n.Sh NAME\n"


@pytest.fixture
def page_of(tmp_path):
    return lambda content, **reading: read_manual_page(tmp_path / "grep.1", content, **reading)


@pytest.fixture
def texts_of(page_of):
    return lambda body: [unit.text for unit in page_of(HEAD + body).units]


def test_a_page_has_its_name_sections_and_paragraphs(page_of):
    document = page_of(
        HEAD
        + ".Nm grep\n.Nd find lines\n.Sh DESCRIPTION\n.Nm\nfinds.\n.Pp\nMore.\n.Ss Part\nEnd.\n"
    )
    assert document.title == "grep(1)"
    assert [(unit.heading, unit.text) for unit in document.units] == [
        ("NAME", "grep\n– find lines"),
        ("DESCRIPTION", "grep\nfinds."),
        ("DESCRIPTION", "More."),
        ("DESCRIPTION", "End."),
    ]


def test_a_page_from_elsewhere_is_spelled_as_it_spells_itself(tmp_path):
    content = HEAD.replace("GREP", "XGREP") + ".Nm Xgrep\n"
    assert read_manual_page(tmp_path / "page.txt", content).title == "Xgrep(1)"


def test_a_list_ends_before_the_text_that_follows_it(texts_of):
    assert texts_of(".Bl -bullet\n.It\nOne\n.El\nTwo\n") == ["One", "Two"]


def test_the_systems_have_their_names(texts_of):
    body = "".join(f".{name}\n" for name in ["At", "Bx", "Bsx", "Dx", "Fx", "Nx", "Ox", "Ux"])
    names = "AT&T UNIX,BSD,BSD/OS,DragonFly,FreeBSD,NetBSD,OpenBSD,UNIX"
    assert texts_of(body) == [names.replace(",", "\n")]


@pytest.mark.parametrize("sign", ".,:;)]?!")
def test_no_blank_stands_before_closing_punctuation(texts_of, sign):
    assert texts_of(f".Ar a {sign}\n") == [f"a{sign}"]


def test_blanks_are_turned_off_and_on_again_without_saying_which(texts_of):
    assert texts_of(".Sm\n.Ar a b\n.Sm\n.Ar c d\n") == ["ab\nc d"]


def test_words_have_their_offsets(page_of):
    document = page_of(HEAD + "See\n.Op Fl v Ar file .\n")
    [unit] = document.units
    assert [(piece.text, document.source[piece.start : piece.end]) for piece in unit.pieces] == [
        ("See\n", "See\n"),
        ("[", "Op"),
        ("-", "Fl"),
        ("v", "v"),
        (" ", " Ar "),
        ("file", "file"),
        ("]", ""),
        (".", "."),
    ]


@pytest.mark.parametrize(
    ("line", "text"),
    [
        (".Fl v", "-v"),
        (".Fl a b", "-a -b"),
        (".Fl a | b", "-a | -b"),
        (".Fl Fl long", "--long"),
        (".Fl", "-"),
        (".Fl o Ns Ar file", "-ofile"),
        (".Ar", "file ..."),
        (".Ar a b ,", "a b,"),
        (".Op Fl v Oo Ar x Oc", "[-v [x]]"),
        (".Pq see Xr ls 1 .", "(see ls(1))."),
        (".Xr open 2 , Xr close 2", "open(2), close(2)"),
        (".Xr open", "open"),
        (".Fn open path flags ;", "open(path, flags);"),
        (".Fn close", "close()"),
        ('.Fn f "int a" "char *b"', "f(int a, char *b)"),
        (".Fo open\n.Fa path\n.Fc .\nx", "open(path).\nx"),
        (".Dq a Sq b", "“a ‘b’”"),
        (".Qq a , Ql b .", '"a, ‘b’".'),
        (".Aq a\n.Brq b\n.Bq c", "<a>\n{b}\n[c]"),
        (".Do\na\n.Dc .", "“a”."),
        (".Po a\n.Pc", "(a)"),
        (".Pf ( Ar x )", "(x)"),
        (".Ar file Ap s", "file's"),
        (".Pa /etc/passwd : x", "/etc/passwd: x"),
        (".Em a ( b ) .", "a (b)."),
        ('.Em "Xr" \\&Ar', "Xr Ar"),
        ("a\n.Ns b", "ab"),
        (".Sm off\n.Ar a : b\n.Ar c\n.Sm on\nd", "a:bc\nd"),
        (".In stdio.h", "<stdio.h>"),
        (".Lk https://x.org words\n.Lk https://y.org", "words\nhttps://y.org"),
        (".An -nosplit\n.An Ann Other Aq Mt a@x.org", "Ann Other <a@x.org>"),
        (".Ux and\n.Nx 9", "UNIX and\nNetBSD 9"),
        (".St -p1003.1-2008 .", "p1003.1-2008."),
        (".Nm", ""),
        (".Nm a\n.Nm\n.Nm , b", "a\na\na, b"),
        (".Xo\na\n.Xc", "a"),
        ("\\*(Lta\\*(Gt \\*[Ba]", "<a> |"),
        (".No a \\(em b", "a — b"),
    ],
)
def test_macros_among_the_words_are_carried_out(texts_of, line, text):
    assert texts_of(line + "\n") == ([text] if text else [])


def test_items_are_paragraphs_with_their_tags(texts_of):
    body = (
        "The options:\n.Bl -tag -width x\n.It Fl a\nAll.\n"
        ".It Xo\n.Fl b\n.Xc\n.It Fl c\nBoth.\n.Pp\nMore.\n.El\n"
        ".Bl -bullet\n.It\nOne.\n.It\nTwo.\n.El\nEnd.\n"
    )
    assert texts_of(body) == [
        "The options:",
        "-a\nAll.",
        "-b\n-c\nBoth.",
        "More.",
        "One.",
        "Two.",
        "End.",
    ]


@pytest.mark.parametrize(
    "display",
    [
        ".Bd -literal -offset indent\nint x;\n\n.Ar y\n.Ed\n",
        ".Bd -unfilled\nx\n.Bd -filled\ny\n.Ed\nz\n.Ed\n",
        ".Dl grep x\n.D1 y\n",
        ".Tg x\n.Bk -words\n.Ek\n",
    ],
)
def test_code_is_left_out(texts_of, display):
    assert texts_of(f"Before\n{display}after.\n") == ["Before\nafter."]


def test_lists_in_columns_are_tables_and_left_out(texts_of):
    assert texts_of("a\n.Bl -column x y\n.It b Ta c\n.Bd -literal\nd\n.Ed\ne\n.El\nf\n") == [
        "a",
        "f",
    ]


def test_filled_displays_are_paragraphs(texts_of):
    assert texts_of("a\n.Bd -ragged\nb\n.Ed\nc\n") == ["a", "b", "c"]


def test_a_heading_ends_displays_and_lists(page_of):
    document = page_of(HEAD + ".Bd -literal\nx\n.Bl -column\n.Sh NEXT Ar y\na\n")
    assert [(unit.heading, unit.text) for unit in document.units] == [("NEXT y", "a")]


def test_references_and_standard_sentences_are_text(texts_of):
    assert texts_of(".Rs\n.%A Ann Other\n.%T A Book\n.Re\n") == ["Ann Other\nA Book"]
    [returns] = texts_of(".Rv -std open\n")
    assert returns.startswith("On success open() returns 0; otherwise it returns -1")
    [exits] = texts_of(".Ex -std\n")
    assert exits == "The grep utility exits 0 on success, and >0 if an error occurs."


def test_names_and_sentences_cannot_outgrow_the_page(page_of):
    document = page_of(HEAD + f".Nm {'x' * 150}\n" + ".Nm\n.Rv\n" * 5000)
    assert len(document.units[0].text) < 3 * len(document.source)


def test_nested_brackets_are_closed_however_many(texts_of):
    assert texts_of(".Op " + "Op " * 50_000 + "x\n") == ["[" * 50_001 + "x" + "]" * 50_001]


STRUCTURE = r"""
.Sh A¦.Ss B¦.Pp¦.Nm¦.Nm x¦.Nd y¦.Fl¦.Fl a | b¦.Fl Fl x Ns Ar y¦.Op Fl a Ar¦.Oo¦.Oc¦.Ns¦.Sm off
.Sm¦.Fn a b c¦.Fn¦.Fo a¦.Fc ;¦.Fa b¦.Xr a¦.Xr a 1 ,¦.Dq Sq a .¦.Do¦.Dc¦.Pf¦.Pf ( a¦.Ap¦.Bl -tag
.Bl -column¦.It¦.It Fl a Xo¦.El¦.Bd -literal¦.Bd -filled¦.Ed¦.Rs¦.%T x¦.Re¦.Rv¦.Ex -std¦.St
.St -x .¦.In¦.In x¦.Lk¦.Lk x y¦.An -split¦.An x¦.Ux¦.Bx 4.3¦.Ar . , )¦.Ar ( [¦.Pq ""¦.Em "a ""b"
.nf¦.fi¦text¦.de M¦\\$1¦..¦.M a¦.if n \{\¦.\}¦.No \*(Lt\c¦.\" x¦.Tg¦.Dl x
"""
WORDS = r'Op Fl Ar Ns Pf Ap Xr Fn Nm Oo Oc Dq Ux ( ) . | a "b c" \fB'
LINES = st.one_of(
    st.sampled_from(STRUCTURE.strip().replace("\n", "¦").split("¦")),
    st.lists(st.sampled_from(WORDS.split()), max_size=8).map(lambda words: "." + " ".join(words)),
    st.text(max_size=8),
)


@settings(max_examples=300, deadline=None)
@given(lines=st.lists(LINES, max_size=40))
def test_any_page_gives_documents_with_true_offsets_or_a_read_error(tmp_path_factory, lines):
    check_any_manual_page(
        tmp_path_factory.getbasetemp() / "fuzz.1",
        (HEAD + "\n".join(lines)).encode(),
    )
