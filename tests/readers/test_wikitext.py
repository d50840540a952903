from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from permutopic.documents import Heading, make_document
from permutopic.readers.wiki.markup import NamespaceNames, blank_markup
from permutopic.readers.wiki.wikitext import read_wikitext

from invariant import check

GERMAN = NamespaceNames(frozenset({"category", "kategorie"}), frozenset({"file", "image", "datei"}))


def read(text, names=None):
    document = make_document(
        read_wikitext(text, names), title="t", location="p", source=text, title_from_heading=False
    )
    check(document)
    return document


def texts(text, names=None):
    return [unit.text for unit in read(text, names).units]


SHOWN = [
    ("'''Bold''', ''italic'' and '''''both'''''.", "Bold, italic and both."),
    ("the ''''quoted'''' word", "the 'quoted' word"),
    ("a [[mill]], two [[mill]]s, a [[mill|wind ''mill'']]", "a mill, two mills, a wind mill"),
    ("see [[:Category:Mills]] or [[:File:A.png|the map]]", "see Category:Mills or the map"),
    ("[[AT&amp;T]] [[wikt:skerry|skerry]]", "AT&T skerry"),
    ("a [[b [[c]] d]] e", "a b c d e"),
    ("le [[fr:mot|mot]]", "le mot"),
    ("a {{{b}}} c", "a c"),
    ("the [https://a.org/x lamp], [https://a.org], https://a.org/y end", "the lamp, , end"),
    ("[//a.org label] [mailto:a@b.org write]", "label write"),
    ("[https://a.org a [[mill]] page]", "a mill page"),
    ("[[mill|[https://a.org label]]] end", "label end"),
    ("&lt;b&gt; &amp; &eacute;&#233;&#xE9; &nosuch; R&D", "<b> & ééé &nosuch; R&D"),
    ("x&#xD800;y", "x\ufffdy"),
    ("H<sub>2</sub>O <small>''so''</small> <span style='x'>it</span> <B>is</B>", "H2O so it is"),
    ("one<br>two<br/>three", "one\ntwo\nthree"),
    (
        "<nowiki>[[a]] '''b''' &amp; {{c}} <ref></nowiki> d<nowiki/>e",
        "[[a]] '''b''' & {{c}} <ref> de",
    ),
    ("a < b > c <3 <unknown> </unknown>", "a < b > c <3 <unknown> </unknown>"),
    ("the __init__ method", "the __init__ method"),
    ("open {{ and [[ and {| and '''", "open {{ and and {| and"),
    ("stray }} and ]] and |}", "stray }} and and |}"),
    (" an indented line", "an indented line"),
    ("one\ntwo", "one\ntwo"),
]


@pytest.mark.parametrize(("wikitext", "shown"), SHOWN)
def test_what_a_reader_of_the_page_sees_is_kept(wikitext, shown):
    assert texts(wikitext) == [shown]


LEFT_OUT = [
    "{{a}}",
    "{{a|b={{c|{{{d|{{e}}}}}}}}\n|f}}",
    "{{{{{a}}}}}",
    "{|\n! a\n|-\n| b {{c|\n|d}}\n{|\n| inner\n|}\n|}",
    ":{|\n| indented\n|}",
    "*:{|\n| a\nlonger cell\n|}",
    "{{wrap|\n{|\n| a\n|}}}",
    "{{a\n|}}",
    "<table><tr><td>a<table><td>b</table></td></tr></table>",
    "<ref>a [[b]]\n\nc</ref>",
    "<ref name=a/>",
    '<REF name="a" >b</Ref >',
    "<references>\n<ref>a</ref>\n</references>",
    "<gallery mode=packed>\nFile:A.png|a\n</gallery>",
    "<math>a<b</math>",
    "<syntaxhighlight lang=c>int a;</syntaxhighlight>",
    "<style>a {b: c}</style><script>a</script>",
    "<!-- a\n\nb -->",
    "<!-- never ended",
    "[[File:A.png|thumb|a [[b]] and [[c|d]]\n\ne]]",
    "[[image:A.png]]",
    "[[Media:Song|a]]",
    "[[Bild:A b.JPG|mini|a]]",
    "[[Category:A|b]]",
    "[[ category : A ]]",
    "[[fr:A]][[zh-min-nan:B]]",
    "__NOTOC__ __БЕЗ_ОГЛАВЛЕНИЯ__",
    "----",
    "{{Infobox\n| never = ended\n| so = lines\n",
    "{|\n| never || ended\n",
    "====",
    "{{a}}.",
]


@pytest.mark.parametrize("wikitext", LEFT_OUT)
def test_what_is_no_prose_is_left_out(wikitext):
    alone = texts(wikitext)
    assert alone in ([], ["{{Infobox"])
    if "never" not in wikitext:
        assert texts(f"Before.\n\n{wikitext}\n\nAfter.") == ["Before.", "After."]


def test_signs_that_one_end_of_a_heading_has_more_of_are_text():
    assert list(read_wikitext("=== A ==\n\n== B ===")) == [Heading(2, "= A"), Heading(2, "B =")]


def test_a_wikis_own_names_of_files_and_categories_count():
    wikitext = "[[Datei:A|b]] [[Kategorie:C]]"
    assert texts(wikitext) == ["b Kategorie:C"]
    assert texts(wikitext, GERMAN) == []


def test_headings_have_levels_and_are_no_paragraphs():
    parts = read_wikitext(
        "== ''One'' &amp; [[two|2]]<ref>x</ref> == <!-- c -->\n===Deep=== \ntext\n"
        "= Top =\n======= Seven =======\n<h3 id=a>Tag</h3>tail\n== {{lang|fr|Nom}} ==\n== no"
    )
    assert [(p.level, p.text) if isinstance(p, Heading) else p.pieces[0].text for p in parts] == [
        (2, "One & 2"),
        (3, "Deep"),
        "text",
        (1, "Top"),
        (6, "= Seven ="),
        (3, "Tag"),
        "tail",
        (2, "{{lang|fr|Nom}}"),
        "== no",
    ]


def test_the_text_before_all_headings_has_none():
    units = read("Lead.\n== A ==\nText.\n=== B ===\nMore.").units
    assert [(unit.text, unit.heading) for unit in units] == [
        ("Lead.", None),
        ("Text.", "A"),
        ("More.", "A"),
    ]


def test_paragraphs_are_divided_by_blank_lines_list_items_and_blocks():
    assert texts(
        "One\nline.\n \t\nTwo.\n* item\n** deeper\n#* other\n; term : meaning\n: indented\nThree.\n"
        "----Four.\n{|\n| t\n|}\nFive.<br> <br />Six.<p>Seven.</p><ul><li>Eight.<li>Nine.</ul>"
        "<pre>Ten * [[x]]</pre>Eleven."
    ) == [
        "One\nline.",
        "Two.",
        "item",
        "deeper",
        "other",
        "term : meaning",
        "indented",
        "Three.",
        "Four.",
        "Five.",
        "Six.",
        "Seven.",
        "Eight.",
        "Nine.",
        "Ten * [[x]]",
        "Eleven.",
    ]


def test_a_line_with_nothing_but_a_comment_divides_nothing():
    assert texts("One\n<!-- c -->\ntwo<!-- d\n\n-->\nthree") == ["One\ntwo\nthree"]


def test_a_link_that_never_ends_stops_at_the_next_heading():
    assert texts("[[File:A.png|thumb|a\n== B ==\nText [[c]] ]]") == ["File:A.png|thumb|a", "Text c"]


def test_what_is_left_out_leaves_one_blank_behind():
    assert texts("a {{b}} c {{d}} {{e}} f") == ["a c f"]


def test_every_piece_has_its_offsets():
    text = "'''A'''&amp;[[b|c]]<br>d {{e}} f"
    [unit] = read(text).units
    assert [tuple(piece) for piece in unit.pieces] == [
        ("A", 3, 4),
        ("&", 7, 12),
        ("c", 16, 17),
        ("\n", 19, 23),
        ("d ", 23, 25),
        ("f", 31, 32),
    ]


def test_half_of_a_link_in_a_paragraph_is_no_link():
    assert texts("a [[b\n\nc]] d [[e|f\n\ng]]") == ["a b", "c d e|f", "g"]


def test_control_characters_of_a_page_are_not_taken_for_placeholders():
    assert texts("a\x01b\x02\x03c\x11d") == ["a\x01b\x02\x03c\x11d"]


MANY = 20_000
DEEP = {
    "templates": "{{a|" * MANY + "}}" * MANY,
    "braces": "{" * MANY + "}" * MANY,
    "open braces": "{{" * MANY,
    "links": "[[a|" * MANY + "]]" * MANY,
    "files": "[[File:a|" * MANY + "]]" * MANY,
    "open links": "[[" * MANY,
    "web links": "[http://a " * MANY + "]" * MANY,
    "tags": "<div>" * MANY + "</div>" * MANY,
    "tables": "{|\n|\n" * MANY + "|}\n" * MANY,
    "open tags": "<a b=" * MANY,
    "open log": "<ref>" * MANY,
    "comments": "<!--" * MANY,
    "quotes": "''a" * MANY,
    "entities": "&amp" * MANY,
    "items": "*" * MANY + "a",
    "equals": "=" * MANY,
}


@pytest.mark.timeout(60)
@pytest.mark.parametrize("wikitext", DEEP.values(), ids=DEEP)
def test_deep_and_unended_markup_is_read(wikitext):
    assert texts(f"One.\n\n{wikitext}")[0] == "One."


def test_a_block_that_the_parser_cannot_retrace_is_kept_as_it_stands(monkeypatch):
    import mwparserfromhell

    plain = mwparserfromhell.parse
    monkeypatch.setattr(mwparserfromhell, "parse", lambda text, **how: plain(text[1:], **how))
    assert texts("a &amp; [[b]] c") == ["a &amp; b c"]

    def fail(text, **how):
        raise mwparserfromhell.parser.ParserError("no")

    monkeypatch.setattr(mwparserfromhell, "parse", fail)
    assert texts("a &amp; [[b]] c") == ["a &amp; b c"]


MARKS = str.split(
    "{{ }} {{{ }}} [[ ]] [ ] | || {| |} |- ! = == ' '' ''' <b> </b> <ref> </ref> <ref/> <nowiki> "
    "</nowiki> <pre> </pre> <br> <table> </table> <h2> </h2> <!-- --> <div &amp; &#x41; & http:// "
    "[http://a [[File:a [[Category:a fr: __TOC__ _ * # : ; ---- word é \x01 \x02"
)
wikitexts = st.lists(st.sampled_from([*MARKS, " ", "\n", "\n\n", "\r\n", "\n{|", "\n|}"])).map(
    "".join
)


@settings(deadline=None)
@given(st.text() | wikitexts)
def test_whatever_a_page_holds_its_words_stand_where_they_are_said_to(text):
    for unit in read(text).units:
        source = text[unit.start : unit.end]
        for piece in unit.pieces:
            if "&" not in text[piece.start : piece.end] and piece.text != "\n":
                assert all(word in source for word in re.findall(r"\w+", piece.text))


@settings(deadline=None)
@given(wikitexts)
def test_blanked_text_is_as_long_as_the_page_and_moves_nothing(text):
    blanked = blank_markup(text, NamespaceNames())
    assert len(blanked) == len(text)
    kept = [
        (shown, original) for shown, original in zip(blanked, text, strict=True) if shown.isalnum()
    ]
    assert all(shown == original for shown, original in kept)
