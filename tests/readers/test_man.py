from __future__ import annotations

import gzip

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from permutopic.readers import ReadError, ReadLog, ReadOptions, read_documents
from permutopic.readers.man import read
from permutopic.readers.source import Source
from permutopic.readers.troff.characters import SPECIAL, special_character
from permutopic.readers.troff.conditions import condition
from permutopic.readers.troff.definitions import MacroDefinition, analyse_macro
from permutopic.readers.troff.escapes import RoffState

from invariant import traced
from sources import check_any_manual_page, read_manual_page

HEAD = ".TH OPEN 2\n.SH NAME\n"


@pytest.fixture
def page_of(tmp_path):
    return lambda content, **reading: read_manual_page(tmp_path / "open.2", content, **reading)


@pytest.fixture
def texts_of(page_of):
    return lambda body: [unit.text for unit in page_of(HEAD + body).units]


def test_sections_and_paragraphs_have_their_offsets(page_of):
    document = page_of(
        ".TH OPEN 2\n.SH NAME\nopen a file\n.SH DESCRIPTION\nOne\nline.\n.PP\nTwo.\n\nThree.\n"
    )
    assert document.title == "open(2)"
    assert [(unit.heading, unit.text, unit.start, unit.end) for unit in document.units] == [
        ("NAME", "open a file", 20, 31),
        ("DESCRIPTION", "One\nline.", 48, 57),
        ("DESCRIPTION", "Two.", 62, 66),
        ("DESCRIPTION", "Three.", 68, 74),
    ]


def test_every_piece_says_what_it_stands_for(page_of):
    document = page_of(HEAD + 'The\n.BR open (2)\ncall \\(em \\fInow\\fP.\n.B "a ""b"\n')
    [unit] = document.units
    assert unit.text == 'The\nopen(2)\ncall — now.\na "b'
    assert traced(unit, document.source) == [
        "The\n",
        "open",
        "(2)\ncall ",
        ("—", "\\(em"),
        " ",
        "now",
        ".\n",
        "a ",
        ('"', '""'),
        "b",
    ]


def test_a_heading_may_stand_in_quotes_in_words_or_on_the_next_line(page_of):
    document = page_of(
        '.TH x 1\n.SH "SEE\\-ALSO" x\na\n.SH RETURN VALUE\nb\n.SH\n.B NEXT\nc\n.SH\n.PP\nd\n'
    )
    assert [(unit.heading, unit.text) for unit in document.units] == [
        ("SEE-ALSO x", "a"),
        ("RETURN VALUE", "b"),
        ("NEXT", "c"),
        ("NEXT", "d"),
    ]


def test_the_depth_of_headings_can_be_chosen(page_of):
    text = HEAD + "a\n.SS Part\nb\n"
    assert [unit.heading for unit in page_of(text).units] == ["NAME", "NAME"]
    assert [unit.heading for unit in page_of(text, depth=2).units] == ["NAME", "Part"]


@pytest.mark.parametrize(
    ("line", "text"),
    [
        (".B a b", "a b"),
        ('.B "a  b" c', "a  b c"),
        (".BR open (2),", "open(2),"),
        ('.RI ( libc ", " \\-lc )', "(libc, -lc)"),
        ('.BI "int open(" path ", int " \\\n"flags " );', "int open(path, int flags );"),
        (".SM A\\ B", "A B"),
        ('.B a \\" comment', "a"),
        ("'B a", "a"),
        (".  B a", "a"),
        (".MR open 2 ,", "open(2),"),
        (".OP \\-a file", "[-a file]"),
        (".SY cp\n.OP \\-r\n.YS", "cp\n[-r]"),
        (".URL https://x.org words .", "words."),
        ('.URL https://x.org "" .', "https://x.org."),
        (".UR https://x.org\nwords\n.UE .", "words."),
        (".UR https://x.org\n.UE", "https://x.org"),
        (".MT a@x.org\n.ME ,\nb", "a@x.org,\nb"),
    ],
)
def test_macros_put_their_words_together(texts_of, line, text):
    assert texts_of(line + "\n") == [text]


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (r"\fBbold\fP \f(CWcode\fR \f[BI]x\f[] \f\*[F]y", "bold code x y"),
        (r"a\-b \(em c \[lq]d\[rq] \(aqe\(aq", "a-b — c “d” 'e'"),
        (r"\('e\(:a\(,c\(ss\(oe \[u20AC] \[u0065_0301] \[e aa]", "éäçßœ € é é"),
        (r"\s-1X\s0 \s+2Y\s-2 \s(12Z \s[+1]W\s'0'", "X Y Z W"),
        (r"a\&b\|c\^d\%e\:f\/g\,h", "abcdefgh"),
        (r"a\ b\~c\0d\te", "a b c d e"),
        (r"back\eslash C:\\x don\'t", r"back\slash C:\x don't"),
        (r"a\h'-4'b\h'+3n'c\h'\w'x y'u'd", "ab c d"),
        (r"\v'1v'a\D'l 1 1'\zb\k(xx\m[blue]c\m[]\N'65'\C'em'", "abcA—"),
        (r"\o'e_'\X'tty: x'\*[none]\n[none]", "e0"),
        (r"C:\home\bin", "C:homebin"),
        (r"x\[nonsense]\[u999999999]\[uD800]\(zz.", "x."),
        (r"an open \[ bracket", "an open [ bracket"),
        ("end \\", "end"),
        ("a\\\nb", "ab"),
        ("a\\\r\nb\r\nc\r", "ab\nc"),
        ("one\\c\ntwo", "onetwo"),
        (r"a \" comment", "a"),
    ],
)
def test_escapes_show_what_they_stand_for(texts_of, source, text):
    assert texts_of(source + "\n") == [text]


def test_the_first_title_of_a_page_is_its_title(page_of):
    assert page_of(".TH OPEN 2\n.SH NAME\nopen\n.TH CLOSE 3\n").title == "open(2)"


def test_a_blank_line_does_not_part_a_line_from_what_is_indented_under_it(texts_of):
    assert texts_of("Two kinds:\n.RS\n.sp\nold and new\n.RE\nEnd\n") == [
        "Two kinds:\nold and new",
        "End",
    ]


def test_a_number_is_set_unless_it_has_a_sign(texts_of):
    assert texts_of(".nr x 5\n.nr x 3\n\\nx\n.nr x -1\n\\nx\n.nr x +4\n\\nx\n") == ["3\n2\n6"]


def test_the_first_file_that_a_page_includes_is_what_it_is_an_alias_of(tmp_path):
    path, log = tmp_path / "x.2", ReadLog()
    path.write_text(".so man2/a.2\n.so man2/b.2\n")
    assert list(read(Source(path, "x.2", "x"), ReadOptions(), log)) == []
    assert log.examples == [("x.2", "alias", "alias of man2/a.2")]


def test_every_named_character_is_one_that_can_be_read():
    assert all(
        len(text) == 1 or text in {"", "fi", "fl", "ff", "ffi", "ffl"} for text in SPECIAL.values()
    )
    assert [special_character(name) for name in ("char32", "char31", "char126", "char127")] == [
        " ",
        "",
        "~",
        "",
    ]
    assert special_character("a a^ aa") == "ấ"
    assert [special_character(name) for name in ("rs", "~n", "^o", "char38", "Z", " ", "")] == [
        "\\",
        "ñ",
        "ô",
        "&",
        "Z",
        "",
        "",
    ]


@pytest.mark.parametrize(
    ("body", "paragraphs"),
    [
        (".TP 4\n.B \\-a\nAll.\n.TP\n.B \\-b\nBoth.\n", ["-a\nAll.", "-b\nBoth."]),
        (".TP\n.B \\-a\n.TQ\n.B \\-\\-all\nAll.\n", ["-a\n--all\nAll."]),
        (".TP\n.PD 0\n.B \\-a\n.TP\n.PD\n.B \\-\\-all\nAll.\n", ["-a\n--all\nAll."]),
        ("As follows:\n.RS\n.TP\n.B a\nOne.\n.RE\n", ["As follows:", "a\nOne."]),
        (".TP\n.B a\n.RS\n.TP\n.B b\nOne.\n.RE\n", ["a", "b\nOne."]),
        (".TP\n.B \\-a\n\nAll.\n\nMore.\n", ["-a\nAll.", "More."]),
        (".IP word 4\nIts text.\n.IP\nMore.\n", ["word\nIts text.", "More."]),
        (".IP \\(bu 2\nOne.\n.IP o\nTwo.\n.TP\n*\nThree.\n", ["One.", "Two.", "Three."]),
        (".IP 1. 3\nOne.\n", ["1.\nOne."]),
        (".PP\n\\-a\n.RS 4\nAll.\n.RE\nMore.\n", ["-a\nAll.", "More."]),
        ("Two\nlines.\n.RS\nIndented.\n.RE\n", ["Two\nlines.", "Indented."]),
        ("a\n.sp\nb\n.LP\nc\n.HP\nd\n.P\ne\n", ["a", "b", "c", "d", "e"]),
        ("a\n.bp\nb\n", ["a", "b"]),
        ("a\n.br\nb\n.ft B\nc\n.unknown words\n", ["a\nb\nc"]),
        (
            ".ie n \\{\\\n\\h'-04'\\(bu\\h'+03'\\c\n.\\}\n.el \\{\\\n.IP \\(bu 2\n.\\}\nPoint.\n",
            ["Point."],
        ),
    ],
)
def test_a_tag_belongs_to_what_it_introduces_and_bullets_are_left_out(texts_of, body, paragraphs):
    assert texts_of(body) == paragraphs


@pytest.mark.parametrize(
    "display",
    [
        ".nf\nint x;\n.fi\n",
        ".EX\nint x;\n.B y;\n.EE\n",
        ".in +4n\n.nf\nint x;\n\nint y;\n.fi\n.in\n",
        ".TS\nl l.\na\tb\n.TE\n",
        ".EQ\nx over y\n.EN\n",
        ".PS\nbox\n.PE\n",
        ".ig\nnotes\n..\n",
        ".ig END\nnotes\n..\n.END\n",
        ".de XX\ntext \\\\$1\n..\n",
        '.\\" comment\n.\n\'\\" comment \\\n',
        ".if t words\n",
        ".if t \\{\\\nwords\n.if n \\{ more \\}\n.\\}\n",
        ".while n words\n",
        '.if n \\{\\" comment\n.\\}\n',
        '\\" comment\n',
        ".ds x words\n.nr y 1\n",
    ],
)
def test_code_tables_comments_and_definitions_are_left_out(texts_of, display):
    assert texts_of(f"Before\n{display}after.\n") == ["Before\nafter."]


def test_a_heading_ends_a_display_that_nothing_ends(page_of):
    document = page_of(HEAD + "a\n.nf\ncode\n.SH NEXT\nb\n")
    assert [(unit.heading, unit.text) for unit in document.units] == [("NAME", "a"), ("NEXT", "b")]


def test_a_table_without_an_end_does_not_swallow_the_page(texts_of):
    assert texts_of(".TS\nl l.\n.PP\na\n") == ["l l.", "a"]


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (".if n yes\n.if !n no\n.if !t too\n", "yes\ntoo"),
        (".ie t no\n.el yes\n", "yes"),
        (".ie n \\{\\\nyes\n.ie t no\n.el too\n.\\}\n.el \\{\\\nno\n.\\}\n", "yes\ntoo"),
        (".ie n .ie t no\n.el yes\n.el no\n", "yes"),
        (".if \\n(.g .B yes\n", "yes"),
        (".nr x 2\n.nr x +1\n.if \\nx=3 yes\n.if (\\nx>3) no\n", "yes"),
        (".ds s a\n.if '\\*s'a' yes\n.if \"a\"b\" no\n", "yes"),
        (".de M\n..\n.if d M yes\n.if d N no\n.if r q no\n", "yes"),
        (".ie c \\[shc] \\\n.  ds s \\[em]\n.el \\\n.  ds s -\na\\*sb\n", "a-b"),
        (".if n \\{ yes \\}\ntoo\n", "yes \ntoo"),
        (".if n\nyes\n.nop too\n.do B three\n", "yes\ntoo\nthree"),
        (".el no\nyes\n", "yes"),
        ("yes\n.if t \\{\nall that follows\n", "yes"),
    ],
)
def test_conditions_hold_as_on_a_terminal(texts_of, body, text):
    assert texts_of(body) == [text]


@pytest.mark.parametrize(
    ("text", "holds", "rest"),
    [
        ("n .B", True, " .B"),
        ("!!t", False, ""),
        ("o", True, ""),
        ("e", False, ""),
        ("v", False, ""),
        ("1.5u>1 x", False, " x"),
        ("3-1*2=4 x", True, " x"),
        ("(1&0):(2%2)", False, ""),
        ("7/0", False, ""),
        ("1-2", False, ""),
        ("((1", True, ""),
        (")", False, ")"),
        ("\\w'abc'>0", True, ""),
        ("'a", False, ""),
        ("", False, ""),
    ],
)
def test_a_condition_is_judged_from_left_to_right(text, holds, rest):
    found, at = condition(text, 0, len(text), RoffState(), ())
    assert (found, text[at:]) == (holds, rest)


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (".ds Aq \\(aq\nit\\*(Aqs\n", "it's"),
        ('.ds xx "  a" b\n[\\*[xx]]\n', '[  a" b]'),
        (".ds a A\n.ds b \\*aB\n.ds a C\n\\*b\n", "AB"),
        (".ds a A\n.as a B\n\\*a\n", "AB"),
        (".ds a \\*a\\*a\nx\\*a\n", "x"),
        ("\\*(lqa\\*(rq\\*(Tm\n", "“a”™"),
        (".nr n 0 1\n\\n+n \\n+n \\n-n\n", "1 2 1"),
        (".tr \\(*W-\\(*p\\(em\n\\(*W \\(*p\n", "- —"),
        (".cc #\n.B typed\n#cc\n.B bold\n", ".B typed\nbold"),
        (".ec @\na@-b \\fB\n.ec\nc\\-d\n", "a-b \\fB\nc-d"),
        (".eo\na\\-b\n.B c\\-d\n.ec\ne\\-f\n", "a\\-b\nc\\-d\ne-f"),
    ],
)
def test_strings_numbers_and_changed_characters_are_kept(texts_of, body, text):
    assert texts_of(body) == [text]


def test_a_string_that_is_as_long_as_its_name_is_still_a_replacement(page_of):
    document = page_of(HEAD + ".ds xx abcde\na \\*(xx b\n")
    [unit] = document.units
    assert traced(unit, document.source) == ["a ", ("abcde", "\\*(x"), " b"]


def test_strings_that_grow_are_cut(page_of):
    doubling = ".ds a 0123456789\n" + ".ds a \\*a\\*a\\*a\\*a\\*a\\*a\\*a\\*a\n" * 50
    document = page_of(HEAD + "text\n" + doubling + "\\*a\n" * 2000)
    assert len(document.units[0].text) < 3 * len(document.source)


@pytest.mark.parametrize(
    ("body", "definition"),
    [
        (".sp\n.nf\n", MacroDefinition(ends_paragraph=True, begins_display=True)),
        (".ft R\n.fi\n", MacroDefinition(ends_display=True)),
        (".nf\n\\&\\\\$1\n.fi\n", MacroDefinition()),
        ("\\fI\\\\$1\\fP\\\\$2\n", MacroDefinition(frozenset({1, 2}), joined=True)),
        (".ie n .IP \\(bu 4\n.el .IP \\(bu 2\n", MacroDefinition(ends_paragraph=True)),
        ('.IP "\\\\$1" \\\\$2\n', MacroDefinition(frozenset({1}), ends_paragraph=True)),
        (".ne \\\\$1\n. RS \\\\$1\n", MacroDefinition(ends_paragraph=True)),
        ("\\&\\\\$1 (\\\\$2)\n", MacroDefinition(frozenset({1, 2}))),
        ('.\\" text \\\\$1\n', MacroDefinition()),
        ("(\\\\$*)\n", MacroDefinition(frozenset(range(1, 10)))),
    ],
)
def test_what_a_macro_does_is_seen_from_its_body(body, definition):
    assert analyse_macro(body) == definition


def test_macros_of_the_page_show_their_arguments_and_open_displays(texts_of):
    definitions = (
        '.de Vb \\" verbatim\n.ft CW\n.nf\n..\n.de Ve\n.fi\n..\n.de FN\n\\fI\\\\$1\\fP\\\\$2\n..\n'
        ".de bP\n.IP \\(bu 4\n..\n.als Fn FN\n"
    )
    body = "Before\n.FN a ,\n.Fn b\n.Vb 1\ncode\n.Ve\nafter.\n.bP\nPoint.\n.rm FN\n.FN c\n"
    assert texts_of(definitions + body) == ["Before\na,\nb\nafter.", "Point."]


def test_the_preamble_of_pages_made_from_pod_is_passed_over(texts_of):
    preamble = (
        '.de Sp \\" Vertical space\n.if t .sp .5v\n.if n .sp\n..\n'
        '.ie n \\{\\\n.    ds C` ""\n.    ds C\' ""\n\'br\\}\n'
        ".el\\{\\\n.    ds C`\n.    ds C'\n'br\\}\n"
        ".ie \\n(.g .ds Aq \\(aq\n.el       .ds Aq '\n"
        ".if !\\nF .nr F 0\n.if \\nF>0 \\{\\\n.    de IX\n.    tm Index:\\\\$1\n..\n.\\}\n"
        '.    \\" fudge factors\n.if n \\{\\\n.    ds #H 0\n.\\}\n'
    )
    body = '.IX Item "x"\nSay \\*(C`it\\*(Aqs\\*(C\'.\n.Sp\nEnd.\n'
    assert texts_of(preamble + body) == ['Say "it\'s".', "End."]


@pytest.mark.parametrize(
    ("name", "content", "title"),
    [
        ("open.2", ".TH OPEN 2\n.SH A\na\n", "open(2)"),
        ("XOpen.3x.gz", ".TH XOPEN 3X11\n.SH A\na\n", "XOpen(3X11)"),
        ("git-add.1", '.TH "GIT\\-ADD" "1"\n.SH A\na\n', "git-add(1)"),
        ("apt-https.1", ".TH APT-HTTP 1\n.SH A\na\n", "apt-https(1)"),
        ("page.txt", ".TH OPEN 2\n.SH A\na\n", "OPEN(2)"),
        ("open.2", ".SH A\na\n", "open"),
        ("open.2", ".TH\n.SH A\na\n", "open"),
        ("intro.1", ".TH Intro\n.SH A\na\n", "intro"),
    ],
)
def test_a_page_is_called_as_its_file_with_the_section_it_gives(tmp_path, name, content, title):
    path = tmp_path / name
    packed = gzip.compress(content.encode()) if name.endswith(".gz") else content
    assert read_manual_page(path, packed).title == title


def test_a_page_read_by_another_name_keeps_its_own(tmp_path):
    read_manual_page(tmp_path / "clone.2", ".TH CLONE 2\n.SH A\na\n")
    (tmp_path / "__clone.2").symlink_to("clone.2")
    [document] = read_documents(tmp_path)
    assert document.title == "clone(2)"


def test_a_page_that_points_to_another_is_an_alias_and_no_document(tmp_path):
    folder = tmp_path / "man2"
    folder.mkdir()
    (folder / "open.2").write_text(HEAD + "a\n")
    (folder / "openat.2").write_text('.\\" an alias\n.so man2/open.2\n')
    (folder / "creat.2").symlink_to("open.2")
    log = ReadLog()
    documents = list(read_documents(folder, log=log))
    assert [document.title for document in documents] == ["open(2)"]
    assert log.skipped == {"alias": 1, "another name of a file": 1}
    assert (str(folder / "openat.2"), "alias", "alias of man2/open.2") in log.examples


def test_a_file_that_is_included_on_the_way_is_no_alias(texts_of):
    assert texts_of(".so macros.inc\na\n") == ["a"]


@pytest.mark.parametrize("content", ["", "a log\nof a day\n", ".br\n.sp\n", ".xyz\n.\n"])
def test_text_without_macros_is_no_manual_page(tmp_path, content):
    path = tmp_path / "log.1"
    path.write_text(content)
    with pytest.raises(ReadError, match=r"^log\.1: not a single macro of a manual page") as caught:
        list(read(Source(path, "log.1", "log"), ReadOptions(), ReadLog()))
    assert caught.value.kind == "no manual page"


@pytest.mark.parametrize(
    ("tag", "encoding"),
    [
        ("'\\\" -*- coding: ISO-8859-1 -*-", "latin-1"),
        ('.\\" -*- mode: troff; coding: koi8-r-unix -*-', "koi8-r"),
        ("'\\\" t -*- coding: EUC-JP -*-", "euc-jp"),
        ("'\\\" -*- coding: no-such -*-", "utf-8"),
        ("'\\\" -*- coding: rot13 -*-", "utf-8"),
        ("", "utf-8"),
    ],
)
def test_the_encoding_is_what_the_first_line_says_or_else_utf_8(page_of, tag, encoding):
    word = {"latin-1": "été", "koi8-r": "файл", "euc-jp": "日本"}.get(encoding, "été файл 日本")
    document = page_of(f"{tag}\n{HEAD}{word}\n".encode(encoding))
    assert document.units[0].text == word


def test_bytes_in_another_encoding_are_named_unless_the_encoding_is_given(tmp_path):
    content = (HEAD + "été\n").encode("latin-1")
    with pytest.raises(ReadError, match="line 3 is not UTF-8"):
        read_manual_page(tmp_path / "x.1", content)
    assert read_manual_page(tmp_path / "x.1", content, encoding="latin-1").units[0].text == "été"


def test_a_hundred_thousand_nested_conditions_are_no_matter(texts_of):
    n = 100_000
    assert texts_of(".if n \\{" * n + "deep\n" + ".\\}\n" * n) == ["deep"]
    assert texts_of(".if t \\{\n" * n + ".\\}\n" * n + "flat\n") == ["flat"]
    assert texts_of("shallow\n.if " + "(" * n + "1\n" + "\\h'" * n + "\n") == ["shallow"]


STRUCTURE = r"""
.TH x 1¦.SH A¦.SH¦.SS "B c"¦.PP¦.TP¦.TQ¦.IP a 4¦.IP \(bu¦.RS¦.RE¦.nf¦.fi¦.EX¦.EE¦.sp¦.TS¦.TE¦.ig
.B a "b ""c" d¦.BR a (2)¦.UR x¦.UE .¦.MR a 1 .¦.OP -a b¦.URL x "" .¦.de M¦..¦.M a b¦.ds s t\*s
.if n \{\¦.if t \{¦.\}¦.ie n a¦.el b¦.if '\*s'' \{ c¦.nr x +1¦.ec @¦.ec¦.eo¦.cc #¦.cc¦.so x
.tr \(*W-¦.als N M¦.rm M¦.do B x¦a\c¦b\¦\h'\w'x'u'y¦\n+x\*s\*[s]\[e aa]¦\fB\f(CW¦.\"¦\"
'\" -*- coding: utf-8 -*-¦\e \(em \[u41]¦\s-1A\s0¦\N'300'¦text of a line¦#B x¦@fBx@-
"""
LINES = st.one_of(
    st.sampled_from(STRUCTURE.strip().replace("\n", "¦").split("¦")),
    st.text(alphabet=".'\\\"ab12 \t()[]{}*nhswec\r", max_size=20),
    st.text(max_size=10),
)


@settings(max_examples=300, deadline=None)
@given(content=st.one_of(st.lists(LINES, max_size=40).map("\n".join), st.binary(max_size=200)))
def test_any_page_gives_documents_with_true_offsets_or_a_read_error(tmp_path_factory, content):
    check_any_manual_page(
        tmp_path_factory.getbasetemp() / "fuzz.1",
        content if isinstance(content, bytes) else content.encode(),
    )
