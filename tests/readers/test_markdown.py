from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from permutopic.readers import ReadError, ReadLog, ReadOptions, read_documents
from permutopic.readers import markdown as reader
from permutopic.readers.markdown import read, skip_front_matter
from permutopic.readers.source import Source

from invariant import check, traced


def read_file(path, content, **reading):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    [document] = read(Source(path, path.name, path.stem), ReadOptions(**reading), ReadLog())
    check(document)
    return document


@pytest.fixture
def document_of(tmp_path):
    return lambda content, **reading: read_file(tmp_path / "iron.md", content, **reading)


def texts(document):
    return [unit.text for unit in document.units]


def test_paragraphs_stand_under_the_headings_above_them(document_of):
    document = document_of(
        "# Iron\n\nA metal.\n\n## Uses ##\n\nSteel.\n\nHistory\n---\nOld\nnews.\n"
    )
    assert document.title == "Iron"
    assert [(unit.text, unit.heading, unit.start, unit.end) for unit in document.units] == [
        ("A metal.", None, 8, 16),
        ("Steel.", "Uses", 30, 36),
        ("Old news.", "History", 50, 59),
    ]


def test_a_file_without_a_single_top_heading_is_called_by_its_name(document_of):
    document = document_of("# One\n\na\n\n# Two\n\nb\n")
    assert (document.title, [unit.heading for unit in document.units]) == ("iron", ["One", "Two"])


def test_a_line_before_the_title_leaves_the_sections_whole(document_of):
    text = "[Home](x) | version 3\n\n# Iron\n\n## History\n\nOld.\n\n## Uses\n\nSteel."
    for matter in ("", "---\ntitle: Metals\n---\n"):
        document = document_of(f"{matter}{text}")
        assert document.title == "Iron"
        assert [unit.heading for unit in document.units] == [None, "History", "Uses"]


def test_a_section_after_a_lead_is_not_the_title_if_the_front_matter_has_one(document_of):
    text = "A lead.\n\n## Uses\n\n### Steel\n\nMuch is made of it."
    titled = document_of(f"---\ntitle: Iron\n---\n{text}")
    assert (titled.title, [unit.heading for unit in titled.units]) == ("Iron", [None, "Uses"])
    assert document_of(text).title == "Uses"


def test_the_depth_of_headings_can_be_chosen(document_of):
    text = "# T\n\n## A\n\na\n\n### B\n\nb\n"
    assert [unit.heading for unit in document_of(text, depth=2).units] == ["A", "B"]
    assert [unit.heading for unit in document_of(text).units] == ["A", "A"]


@pytest.mark.parametrize(
    ("line", "heading"),
    [
        ("# Of *iron* and `steel` [x](y) &amp; \\*", "Of iron and steel x & *"),
        ("# Uses {#uses .wide}", "Uses"),
        ("# Sets {a, b}", "Sets {a, b}"),
        ("#", None),
        ("# ![logo](x.png)", None),
        ("Two\n*lines*\n===", "Two lines"),
    ],
)
def test_headings_lose_their_marks(document_of, line, heading):
    [unit] = document_of(f"{line}\n\ntext\n\n# Last\n").units
    assert (unit.heading, unit.text) == (heading, "text")


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("plain *words*.", ["plain ", "words", "."]),
        ("***deep** x*", ["deep", " x"]),
        ("snake_case and 2 * 3", ["snake_case and 2 * 3"]),
        ("see [the *see*](/see 'see') now", ["see ", "the ", "see", " now"]),
        ("[js](javascript:void(0))", ["js"]),
        ("[a] [a][] [b][a]\n\n[a]: /url 'title'", ["a", " ", "a", " ", "b"]),
        ("a ![alt *text*](x.png) b", ["a ", " b"]),
        ("[![badge](x)](y) b", ["b"]),
        ("x <http://a.b/%20c> y", ["x ", "http://a.b/%20c", " y"]),
        ("x <me@a.b>", ["x ", "me@a.b"]),
        ("`` co`de `` and `a\n  b`", ["co`de", " and ", ("a ", "a\n"), "b"]),
        ("AT&amp;T &#x41; &no;", ["AT", ("&", "&amp;"), "T ", ("A", "&#x41;"), " &no;"]),
        (r"1\. \*a\* \q", ["1", ". ", "*a", r"* \q"]),
        ("~~old~~ ~new~", ["old", " ~new~"]),
        ("a <b>c</b> <!-- d -- > --> e", ["a ", "c", " ", " e"]),
        ("a <!--> b --> c", ["a ", " b --> c"]),
        ("one<br>two", ["one", (" ", "<br>"), "two"]),
        ("soft\nline  \nhard", [("soft line", "soft\nline"), (" hard", "\nhard")]),
        ("hard\\\nend\\", ["hard", (" end\\", "\nend\\")]),
    ],
)
def test_the_text_of_a_paragraph_is_traced_to_its_offsets(document_of, text, pieces):
    document = document_of(text)
    [unit] = document.units
    assert traced(unit, document.source) == pieces


def test_markers_of_quotes_and_lists_are_no_text(document_of):
    text = "> one\n> > *two*\nlazy\n\n-  a\n\n   b\n- [x] c\n  1) d\n     e\n\n> [!NOTE]\n> n\n"
    document = document_of(text)
    assert texts(document) == ["one", "two lazy", "a", "b", "c", "d e", "n"]
    assert document.units[1].pieces == (("two", 11, 14), (" lazy", 15, 20))


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_any_end_of_line_leaves_the_offsets_right(document_of, newline):
    text = "---\ntitle: x\n---\n# H\n\n> a\n> *b*\nc `d\ne`\n\n| f | g |\n|---|---|\n| h | i\n"
    document = document_of(text.replace("\n", newline))
    assert texts(document) == ["a b c d e", "f g", "h i"]
    assert [document.source[unit.start] for unit in document.units] == ["a", "f", "h"]
    assert [document.source[unit.end - 1] for unit in document.units] == ["e", "g", "i"]


def test_tabs_and_a_byte_order_mark_leave_the_offsets_right(document_of):
    document = document_of("\ufeff-\ta\tb\n\t`c\n\t\td`\n>\t> e\n")
    assert texts(document) == ["a\tb c d", "e"]
    assert document.source[document.units[1].start] == "e"


def test_each_table_row_is_a_unit(document_of):
    rows = ["Head | *of* \\| `x \\| y`", "--|--", "| a | |", "| b &lt; | \\*c |  d | ", "| | e"]
    document = document_of("\n".join(rows))
    assert texts(document) == ["Head of | x | y", "a", "b < *c", "e"]
    assert traced(document.units[0], document.source)[:4] == ["Head", (" ", " | *"), "of", " "]


def test_a_table_ends_a_paragraph_as_lists_and_quotes_do(document_of):
    text = "one\n| a | b |\n|---|---|\ntwo\n> three\n- four\n"
    assert texts(document_of(text)) == ["one", "a b", "two", "three", "four"]


def test_tables_stand_in_quotes_and_lists_too(document_of):
    document = document_of("* | * | a |\n  |---|---|\n> |q|\n> |-|\n> | r\n")
    assert [(unit.text, unit.start) for unit in document.units] == [
        ("* a", 4),
        ("q", 27),
        ("r", 40),
    ]


def test_what_is_not_prose_is_left_out(document_of):
    text = (
        "a\n\n    code\n\n```sh\nfence\n```\n\n<!-- note\n\n-->\n\n<div>\nhtml\n</div>\n\n---\n\n"
        "![only](image.png)\n\n[ref]: /target 'title'\n\nz\n"
    )
    assert texts(document_of(text)) == ["a", "z"]


@pytest.mark.parametrize(
    ("matter", "title"),
    [
        ("---\ntitle: Iron # metal\ntags:\n- a\n---\n", "Iron"),
        ('---\n# note\nTitle: "Iron \\"Fe\\""\n...\n', 'Iron "Fe"'),
        ("---\ntitle: 'Iron''s'\n---\n", "Iron's"),
        ("---\ntitle: C# for beginners # a note\n---\n", "C# for beginners"),
        ('---\ntitle: The "Iron" age\n---\n', 'The "Iron" age'),
        ("---\ntitle: Iron\ntitle: Tin\n---\n", "Iron"),
        ("---\ntitle: |\n  Iron\n---\n", "iron"),
        ("---\ntitle: # none\n---\n", "iron"),
        ("---\nsub:\n  title: no\n---\n", "iron"),
        ('+++\ntitle = "Iron"\n[x]\n+++\n', "Iron"),
        ("---\n---\n", "iron"),
    ],
)
def test_front_matter_is_left_out_but_for_a_title(document_of, matter, title):
    document = document_of(f"{matter}Text.\n")
    assert (document.title, texts(document)) == (title, ["Text."])
    assert document.units[0].start == len(matter)
    assert document_of(f"{matter}# Steel\n\nText.").title == "Steel"


@pytest.mark.parametrize(
    "text", ["---\nNo matter, only prose.\n---\n", "---\ntitle: open\n", "+++\n"]
)
def test_rules_across_are_no_front_matter(text):
    assert skip_front_matter(text) == (0, "")


HOSTILE = [
    "[" * 20_000,
    "![" * 9_000 + "](b)" * 9_000,
    "*" * 20_000 + "a",
    "*a **b " * 3_000,
    "a" + "`" * 20_000,
    " ".join("`" * n for n in range(1, 200)),
    "> " * 50_000 + "a",
    "- " * 20_000 + "a",
    "1. " * 10_000 + "a",
    "".join("  " * n + "- a\n" for n in range(300)),
    "a " + "<!-- -" * 20_000 + "--->",
    "a " + "<a b=\"' " * 3_000,
    "|a" * 5_000 + "\n" + "|-" * 5_000 + "\nb",
    "[a](" * 5_000,
    "&" * 20_000,
    "\\\n" * 5_000,
    "a" + "~" * 20_000,
]


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: text[:12])
def test_hostile_text_is_read_in_one_go(document_of, text):
    document = document_of(f"{text}\n\n# Heading\n\nlast words\n")
    assert texts(document)[-1] == "last words"


def test_markers_too_deep_to_read_are_text(document_of):
    quoted, last = document_of("> " * 102 + "a\n\nlast\n").units
    assert (quoted.text, last.text) == ("> > a", "last")


def test_bytes_that_are_no_text_are_refused(document_of):
    with pytest.raises(ReadError, match=r"iron.md: byte 2 \(0xff\) in line 1 is not UTF-8"):
        document_of(b"a \xff")


def test_a_fault_of_the_parser_is_named_with_the_file(document_of, monkeypatch):
    def fail(text, env):
        raise RuntimeError("block rule didn't increment state.line")

    monkeypatch.setattr(reader, "split_blocks", fail)
    with pytest.raises(ReadError, match=r"iron.md: cannot be read as Markdown \(RuntimeError\)"):
        document_of("a")


def plain_twin(text):
    """Return the words that the parser itself finds, without offsets."""
    options = {"maxNesting": 100, "tasklists": True, "alerts": True}
    tokens = MarkdownIt("commonmark", options).enable(["table", "strikethrough"]).parse(text)
    words = []
    for before, token in zip([None, *tokens], tokens, strict=False):
        if token.type != "inline" or before.type in {"heading_open", "alert_title_open"}:
            continue
        for child in token.children:
            if child.type in {"text", "code_inline"}:
                words.append(child.content)
    return "".join("".join(words).split())


FRAGMENTS = [
    *("*", "**", "_", "`", "``", "~~", "~~~", "[", "]", "(", ")", "](x)", "![", "<", ">", "<b>"),
    *("<!-- c -->", "<br>", "<a:b>", "&amp;", "&#65;", "&", "\\", "|", "\\|"),
    *("\n", "\n\n", "  \n", "\\\n"),
    *("\n> ", "\n- ", "\n1. ", "\n    ", "\t", "\n|-|-|\n", "\n# ", "\n---\n", "\n===\n", "```"),
    *("[r]: u\n", "[r]", "a", "b c", "é", "\u3000", "\xa0", "\r\n", "- [ ] ", "[!NOTE]\n", " "),
]


@settings(deadline=None, max_examples=400)
@given(st.lists(st.sampled_from(FRAGMENTS), max_size=40).map("".join))
def test_the_words_are_those_of_the_parser_without_offsets(tmp_path_factory, text):
    path = tmp_path_factory.getbasetemp() / "twin.md"
    begin, _ = skip_front_matter(text)
    document = read_file(path, text)
    assert "".join("".join(texts(document)).split()) == plain_twin(text[begin:])


@settings(deadline=None, max_examples=300)
@given(
    st.binary(max_size=200)
    | st.lists(st.sampled_from([*FRAGMENTS, "<!--", "-->", "---\n"]) | st.text(max_size=3)).map(
        lambda fragments: "".join(fragments).encode()
    )
)
def test_whatever_the_file_holds_it_is_read_or_refused(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "fuzz.md"
    try:
        document = read_file(path, content)
    except ReadError as error:
        assert str(error).startswith("fuzz.md: ")  # noqa: PT017 (most files are read)
        assert error.kind != "not Markdown"  # noqa: PT017
    else:
        replaced = [
            piece.text
            for unit in document.units
            for piece in unit.pieces
            if piece.end - piece.start not in {len(piece.text), 1}
        ]
        # Only entities, breaks and the bars between cells are not the source's own characters.
        assert all(len(text) <= 2 for text in replaced)


def test_a_file_of_too_many_lines_is_refused_before_it_is_parsed(tmp_path, monkeypatch):
    monkeypatch.setattr("permutopic.readers.markdown._MAX_LINES", 3)
    path = tmp_path / "a.md"
    path.write_bytes(b"a\r\nb\r\n")
    with pytest.raises(ReadError, match="more than 3 lines: split it into documents"):
        list(read_documents(path))
    path.write_bytes(b"a\nb\nc")
    assert len(list(read_documents(path))) == 1
