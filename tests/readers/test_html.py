from __future__ import annotations

import pytest

from permutopic.documents import Piece
from permutopic.readers import ReadLog

from sources import read_web_page


def texts(content, **reading):
    return [unit.text for unit in read_web_page(content, **reading).units]


def outline(content, **reading):
    document = read_web_page(content, **reading)
    return document.title, [(unit.heading, unit.text) for unit in document.units]


ONE = "A paragraph of one sentence, long enough to be taken for prose."
LONG = "Iron is a metal that rusts where the air is wet and the days are long. " * 5


# --- Structure


def test_paragraphs_stand_under_their_headings():
    page = """<!DOCTYPE html><html><head><title>Not this</title></head><body>
    <h1>Iron</h1><p>A metal.</p><h2>Uses</h2><p>Steel.</p><h3>Old</h3><p>Nails.</p></body></html>"""
    assert outline(page) == ("Iron", [(None, "A metal."), ("Uses", "Steel."), ("Uses", "Nails.")])
    assert outline(page, depth=2)[1][2] == ("Old", "Nails.")


def test_a_page_without_a_heading_is_called_by_its_title_and_else_by_its_file():
    assert read_web_page("<title>\n Salt &amp;\n pepper </title><p>x").title == "Salt & pepper"
    assert read_web_page("<p>x").title == "page"
    assert read_web_page("<svg><title>A picture</title></svg><p>x").title == "page"


def test_every_block_is_a_paragraph():
    page = """<ul><li>one<ul><li>two</ul>three<li>four</ul><dl><dt>five<dd>six</dl>
    <blockquote>seven<p>eight</blockquote><figure><img><figcaption>nine</figcaption></figure>
    <div>ten<div>eleven</div>twelve<section>thirteen</section></div><address>fourteen</address>
    fifteen<hr>sixteen<details><summary>seventeen</summary>eighteen</details>"""
    assert " ".join(texts(page)) == (
        "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
        "sixteen seventeen eighteen"
    )
    assert len(texts(page)) == 18


def test_markup_within_a_line_leaves_the_line_whole():
    page = (
        "<p>A <b>bold</b>, <i>slanted <a href=x>lin</a></i><code>k</code><wbr>ed <my-tag>word.</p>"
    )
    assert texts(page) == ["A bold, slanted linked word."]


def test_a_row_of_a_table_is_one_paragraph():
    page = """<table><caption>Metals</caption><thead><tr><th>Name</th><th> Melts </th></tr></thead>
    <tr><td>\n  Iron\n  </td><td><p>at 1538 °C</p></td></tr><tr><td></td><td>Tin</table>"""
    assert texts(page) == ["Metals", "Name\tMelts", "Iron\tat 1538 °C", "Tin"]


def test_a_table_that_only_lays_the_page_out_is_not_taken_for_one():
    page = """<table><tr><td><p>Left.</p></td><td><h2>Uses</h2><p>One.</p><p>Two.</p></td></tr>
    <tr><td>Three.<br><br>Four.</td></tr></table>"""
    assert [text for _, text in outline(page)[1]] == ["Left.", "One.", "Two.", "Three.", "Four."]
    assert texts("<table><tr><td>1<td><pre>a\nb</pre></table>") == ["1", "a\nb"]


def test_a_line_break_is_a_new_line_and_two_are_a_new_paragraph():
    assert texts("<p>one<br>two<br/>\n<BR >three<br>&nbsp;<br>four") == [
        "one\ntwo",
        "three",
        "four",
    ]


def test_only_preformatted_text_keeps_its_lines():
    assert texts("<p>a\n\tb\r\nc</p><pre>\nd\n\n  e<br>f</pre><xmp>g\nh</xmp>") == [
        "a  b  c",
        "d\n\n  e\nf",
        "g\nh",
    ]


def test_a_heading_never_becomes_text():
    page = "<h1>A</h1><p>x</p><table><tr><td><h2>B <div>b</div></h2>y</table><h2> </h2><p>z"
    assert outline(page) == ("A", [(None, "x"), ("B b", "y"), ("B b", "z")])


def test_text_before_a_heading_in_one_block_is_a_paragraph_before_it():
    assert outline("<div>One.<h2>Uses</h2>Two.</div>")[1] == [(None, "One."), ("Uses", "Two.")]
    assert texts("<div>One.<h2></h2>Two.</div>") == ["One.", "Two."]


def test_a_heading_is_one_whatever_its_class_and_whole_around_what_is_hidden():
    page = f"<h1>T</h1><p>{LONG}</p><h2 class=footer>Iron<span hidden>x</span>s</h2><p>b</p>"
    assert outline(page) == ("T", [(None, LONG.strip()), ("Irons", "b")])


@pytest.mark.parametrize(("n_linked", "is_left_out"), [(79, False), (80, True)])
def test_a_paragraph_of_four_fifths_links_is_left_out(n_linked, is_left_out):
    links = f"<a href=x>{'a' * n_linked}</a>{'b' * (100 - n_linked)}"
    assert len(texts(f"<p>{ONE}</p><p>{links}</p>")) == 2 - is_left_out


def test_signs_that_link_to_their_heading_are_left_out():
    page = """<h1>T</h1><h2>C#<a class="headerlink" href="#c">Link</a></h2>a
    <h2>F <a href="#f">#</a></h2>b<h2><a href="#g">G</a> <a href="#g">&para;</a></h2>c"""
    assert outline(page)[1] == [("C#", "a"), ("F", "b"), ("G", "c")]


def test_a_heading_that_is_never_closed_does_not_swallow_the_page():
    page = f"<h1>Iron</h1><h2>Uses<p>{LONG}<p>Steel."
    assert outline(page) == ("Iron", [("Uses", LONG.strip()), ("Uses", "Steel.")])


def test_what_little_stands_before_the_only_main_heading_is_left_out():
    page = f"<div>2 May</div><h1>Iron</h1><p>{LONG}"
    assert outline(page) == ("Iron", [(None, LONG.strip())])
    assert texts("<p>A word or two.</p><h1>Iron</h1><p>A metal.") == ["A word or two.", "A metal."]


def test_a_line_before_the_main_heading_leaves_the_sections_whole():
    page = f"<p>{ONE}</p><h1>Iron</h1><h2>Uses</h2><p>Steel.</p><h2>Ores</h2><p>Rust."
    assert outline(page) == ("Iron", [(None, ONE), ("Uses", "Steel."), ("Ores", "Rust.")])


def test_the_heading_of_the_site_is_not_the_title():
    page = "<h1>Site</h1><h1>Iron</h1><h2>Uses</h2><p>Steel.</p><h2>Ores</h2><p>Rust."
    assert outline(page) == ("Iron", [("Uses", "Steel."), ("Ores", "Rust.")])


def test_readings_over_characters_are_left_out():
    assert texts("<p><ruby>漢<rp>(<rt>かん<rp>)</rp>字<rt>じ</ruby>です") == ["漢字です"]


# --- Places in the source


def test_text_has_offsets_and_references_become_characters():
    page = "<p>Salt &amp; <b>pep&shy;per</b>&nbsp;&#8364;5<br>caf&eacute &bogus; AT&T"
    [unit] = read_web_page(page).units
    assert unit.text == "Salt & pepper\xa0€5\ncafé &bogus; AT&T"
    assert unit.pieces == (
        Piece("Salt ", 3, 8),
        Piece("&", 8, 13),
        Piece(" ", 13, 14),
        Piece("pep", 17, 20),
        Piece("per", 25, 28),
        Piece("\xa0", 32, 38),
        Piece("€", 38, 45),
        Piece("5", 45, 46),
        Piece("\n", 46, 50),
        Piece("caf", 50, 53),
        Piece("é", 53, 60),
        Piece(" &bogus; AT&T", 60, 73),
    )


def test_offsets_count_in_the_decoded_page_without_its_mark():
    [unit] = read_web_page("<p>é𝄞\r\nx".encode("utf-16")).units
    assert unit.pieces == (Piece("é𝄞  x", 3, 8),)


def test_text_in_a_table_but_in_no_cell_keeps_its_order():
    page = "<table>a<tr>b<td>c</td>d</tr><tr><td>e</td></tr>f</table>g"
    assert texts(page) == ["ab", "c", "d", "e", "f", "g"]


def test_stray_end_tags_comments_and_wrong_nesting_leave_the_text_in_place():
    page = "<p>a</b>b<!-- > <p>x -->c<b>d<i>e</b>f</i>g<!doctype x>h<?php x ?>i</ 1>j<b <i>k< l <3"
    assert texts(page) == ["abcdefghijk< l <3"]


def test_a_tag_ends_where_its_quotes_say():
    page = """<p title="a > b">one <a title='>' href=x=">y>two</a> <b a="c" d = 'e>'>three"""
    assert texts(page) == ["one y>two three"]
    assert texts('<p>one<a href="never closed>two</a>') == ["one"]


def test_comments_end_as_they_do_in_browsers():
    assert texts("<p>a<!-->b<!--->c<!-- -- - -->d<!-- --!>e<!-- never closed >f") == ["abcde"]


# --- What is left out


@pytest.mark.parametrize(
    "extra",
    [
        "<script>if (a < b) document.write('<p>x')</script>",
        "<style>p > a {}</style>",
        "<noscript><p>x</p></noscript>",
        "<template><p>x</p></template>",
        "<iframe>x</iframe>",
        "<svg><text>x</text><title>x</title></svg>",
        "<nav><p>x</p></nav>",
        "<header><p>x</p></header>",
        "<footer><p>x</p></footer>",
        "<aside><p>x</p></aside>",
        "<form><p>x</p><input hidden></form>",
        "<button>x</button>",
        "<select><option>x<option>y</select>",
        "<textarea><p>x</textarea>",
        "<dialog><p>x</p></dialog>",
        "<div hidden><p>x</p></div>",
        "<div aria-hidden=true><p>x</p></div>",
        "<div style='color: red; DISPLAY : none'><p>x</p></div>",
        "<div role=navigation><p>x</p></div>",
        "<div role=banner><p>x</p></div>",
        "<div role=contentinfo><p>x</p></div>",
        "<div role=search><p>x</p></div>",
        "<div role=complementary><p>x</p></div>",
        "<div class='box cookie-banner'><p>x</p></div>",
        "<div class=breadcrumbs><p>x</p></div>",
        "<div class='share-buttons'><p>x</p></div>",
        "<div id=sidebar><p>x</p></div>",
        "<ul class='nav_menu menu'><li>x</ul>",
        "<div class=toc><p>x</p></div>",
        "<p><a href=x>One</a> | <a href=y>Two</a></p>",
        "<ul><li><a href=x>One</a><li>1. <a href=y>Two three</a></ul>",
    ],
)
def test_what_is_not_the_text_is_left_out(extra):
    assert texts(f"<h1>T</h1><p>{LONG}</p>{extra}<p>End.") == [LONG.strip(), "End."]


def test_hidden_words_within_a_line_are_left_out():
    page = """<p>one<span style="display:none"> two</span> <a hidden>x <a>y</a></a>three
    <sup class=reference><a href=#1>[1]</a></sup><b class="sr-only">four</b> five<input hidden>!"""
    assert " ".join(texts(page)[0].split()) == "one three five!"


def test_a_page_keeps_to_its_main_element():
    page = f"<h1>Site</h1><p>Before.</p>{{}}<h1>Iron</h1><p>{LONG}</p>{{}}<p>After.</p>"
    for start, end in [("<main>", "</main>"), ("<div role=main>", "</div>")]:
        assert outline(page.format(start, end)) == ("Iron", [(None, LONG.strip())])


def test_a_main_element_that_holds_little_of_the_page_is_not_the_page():
    page = f"{{}}<p>Loading.</p>{{}}<div><h2>Uses</h2><p>{LONG}</p><h2>Ores</h2><p>{ONE}</div>"
    for start, end in [("<main>", "</main>"), ("<div role=main>", "</div>")]:
        assert texts(page.format(start, end)) == ["Loading.", LONG.strip(), ONE]
    assert texts(f"<main><p>Wait.</main><p>{ONE}</p><article><p>{LONG}</article>") == [LONG.strip()]


def test_a_main_element_without_sentences_is_still_the_page():
    words = "iron tin lead zinc " * 20
    assert texts(f"<main><p>{words}</main><p>{ONE}") == [words.strip()]


def test_a_page_keeps_to_its_article_if_that_is_not_one_of_many():
    page = f"<p>Before.</p><article><h2>Iron</h2><p>{LONG}</article>"
    assert outline(page) == ("Iron", [(None, LONG.strip())])
    assert texts(f"{page}<article><p>A reply.</article>") == [LONG.strip()]
    assert texts(f"{page}<article><p>{LONG}</article>")[0] == "Before."
    assert texts(f"<p>{LONG}</p><article><p>A teaser.</article>")[1] == "A teaser."


def test_a_header_gives_the_heading_of_its_text_but_not_the_sites():
    of_text = "<header><h1>Iron</h1><p>By me</p></header>"
    assert outline(f"<article>{of_text}<p>{LONG}</article>") == ("Iron", [(None, LONG.strip())])
    assert outline(f"{of_text}<p>{LONG}") == ("Iron", [(None, LONG.strip())])
    site = "<header><h1>Site</h1></header>"
    assert outline(f"{site}<h1>Iron</h1><p>{LONG}") == ("Iron", [(None, LONG.strip())])
    linked = "<header><h1><a href=/>Site</a></h1></header>"
    assert outline(f"{linked}<h2>Iron</h2><p>{LONG}") == ("Iron", [(None, LONG.strip())])


def test_sections_on_menus_and_footers_stay():
    page = f"<h1>T</h1><p>{LONG}</p><section id=footer><h2>Footer</h2><p>Feet.</p></section>"
    assert texts(page)[1:] == ["Feet."]
    assert texts(page.replace("section", "div").replace("id", "class=section id"))[1:] == ["Feet."]


def test_notes_in_asides_stay():
    assert texts(f"<p>{LONG}</p><aside class='admonition note'>Mind this.</aside>")[1:] == [
        "Mind this."
    ]


def test_what_seems_boilerplate_stays_if_it_is_the_page():
    for start in ["<form>", "<div class=menu>", "<div id=header>"]:
        assert texts(f"{start}<p>{LONG}</p><p>More.</p>") == [LONG.strip(), "More."]


@pytest.mark.parametrize("name", ["widget", "related", "ad copyright", "newsletter", "banner"])
def test_no_name_makes_boilerplate_of_several_sentences(name):
    page = f"<h1>T</h1><p>{LONG * 5}</p><div class='{name}'>{{}}</div><p>End."
    assert texts(page.format(f"<p>{LONG}</p>"))[1:] == [LONG.strip(), "End."]
    links = f"<a href=x>{ONE}</a> " * 5
    assert texts(page.format(f"<p>{LONG}</p><p>{links}</p>"))[1:] == ["End."]
    assert texts(page.format(f"<p>{ONE}</p>"))[1:] == ["End."]


def test_the_names_of_known_boilerplate_are_believed_however_much_it_says():
    for name in ["cookie-consent", "comments-area", "footer", "onetrust-banner"]:
        page = f"<h1>T</h1><p>{LONG * 5}</p><div class={name}><p>{LONG}</p></div>"
        assert texts(page) == [(LONG * 5).strip()]


def test_names_do_not_make_boilerplate_of_a_third_of_the_prose():
    block = "<div class='{}'><h2>{}</h2><p>{}</p></div>"
    both = block.format("widget", "A", ONE) + block.format("x widget", "B", ONE)
    links = "<div class=widget><a href=x>One</a> and <a href=y>Two</a></div>"
    page = f"{links}{both}<div><h2>C</h2><p>{ONE}</p></div>"
    assert outline(page)[1] == [("A", ONE), ("B", ONE), ("C", ONE)]
    assert texts(f"<div class=widget-area>{both}</div><p>{LONG}") == [LONG.strip()]
    assert texts(f"<div class=widget-area>{both}</div><p>{ONE}</p><p>{ONE}") == [ONE] * 4
    likely = block.replace("{}", "footer", 1).format("A", ONE)
    assert texts(f"{likely}{likely}<p>{ONE}") == [ONE] * 3
    assert texts(f"{likely}<p>{ONE}</p><p>{ONE}") == [ONE] * 2


def test_sentences_of_other_scripts_are_prose_too():
    hindi = "लोहा एक धातु है जो नम हवा में जंग खा जाती है और काम आती है।"
    for one in ["铁是一种在潮湿空气中会生锈的金属。", hindi]:
        page = f"<div class=widget><p>{one}</p></div>" * 2 + f"<p>{one}"
        assert texts(page) == [one] * 3


def test_what_pages_show_and_is_left_out_is_counted():
    log = ReadLog()
    read_web_page(f"<title>T</title><h1>Iron</h1><p>{LONG}</p><script>x</script>", log=log)
    assert log.boilerplate == 0
    more = "<nav>Home</nav><p><a href=x>Next page</a></p><p hidden>Not seen</p><div>2 May</div>"
    read_web_page(f"{more}<h1>Iron</h1><p>{LONG}", log=log)
    assert log.boilerplate == len("Home") + len("Next page") + len("2 May")
    read_web_page("<p hidden>x", log=log)
    assert log.boilerplate == len("Home") + len("Next page") + len("2 May")


def test_less_is_left_out_where_nothing_would_be_left():
    assert texts("<main></main><p>One.") == ["One."]
    assert texts("<nav>x</nav><p><a href=x>One</a>") == ["One"]
    assert texts("<main><p><a href=x>One</a></main><p><a href=x>Two</a>") == ["One"]
    assert texts("<nav>Home</nav><p hidden>One") == ["Home"]
    assert texts("<div hidden><p>One</div>") == ["One"]
    assert texts("<script>x</script>") == []


def test_links_in_lists_of_terms_and_in_code_stay():
    page = f"<p>{LONG}</p><dl><dt><a href=x>iron</a><dd>A metal.</dl><pre><a href=y>call</a></pre>"
    assert texts(page)[1:] == ["iron", "A metal.", "call"]


def test_a_sentence_that_is_all_a_link_stays_unless_it_stands_in_a_list_of_links():
    link = f"<a href=x>A <b>sentence</b> in a link. {ONE}</a>"
    said = f"A sentence in a link. {ONE}"
    assert texts(f"<p>{LONG}</p><p>{link}</p><p>End.") == [LONG.strip(), said, "End."]
    assert texts(f"<p>{LONG}</p>" + f"<p>{link}</p>" * 2) == [LONG.strip(), said, said]
    assert texts(f"<p>{LONG}</p>" + f"<h3>H</h3><p>{link}</p>" * 3) == [LONG.strip()]
    assert texts(f"<p>{LONG}</p><ul><li>{link}</ul>") == [LONG.strip()]
    assert texts(f"<p>{LONG}</p><p><a href=x>{ONE[:-1]}</a>") == [LONG.strip()]


@pytest.mark.parametrize(("n_outside", "is_alone"), [(2, True), (4, False)])
@pytest.mark.parametrize("name", ["main", "article"])
def test_an_element_with_a_quarter_of_the_text_is_the_text(name, n_outside, is_alone):
    page = f"<{name}><p>{ONE}</p></{name}>" + f"<p>{ONE}</p>" * n_outside
    assert len(texts(page)) == (1 if is_alone else 1 + n_outside)


@pytest.mark.parametrize(("n_first", "expected"), [(3, 3), (2, 4)])
def test_of_several_articles_one_with_more_than_half_of_the_text_is_the_text(n_first, expected):
    first = f"<article>{f'<p>{ONE}</p>' * n_first}</article>"
    second = f"<article>{f'<p>{ONE}</p>' * (4 - n_first)}</article>"
    assert len(texts(first + second)) == expected


def test_a_main_element_that_is_hidden_is_none():
    hidden = "<div hidden><main><p>Old.</p></main></div>"
    assert texts(f"{hidden}<main><p>{ONE}</p></main><p>Menu.</p>") == [ONE]


@pytest.mark.parametrize(
    ("n_before", "n_after", "is_left_out"),
    [(30, 270, True), (31, 269, False), (300, 4000, True), (301, 4000, False)],
)
def test_a_little_text_before_the_only_main_heading_is_left_out(n_before, n_after, is_left_out):
    page = f"<p>{'a' * n_before}</p><h1>T</h1><p>{'b' * n_after}</p><h2>U</h2>"
    assert len(texts(page)) == 2 - is_left_out


@pytest.mark.parametrize(("n_sentences", "is_text"), [(2, False), (3, True)])
def test_a_sidebar_with_three_long_sentences_is_text(n_sentences, is_text):
    page = f"<p>{LONG}{LONG}</p><div id=sidebar><p>{f'{ONE} ' * n_sentences}</p></div>"
    assert len(texts(page)) == 1 + is_text


@pytest.mark.parametrize(
    "part",
    [
        "<dialog open><p>x</p></dialog>",
        "<p class=reference>x</p>",
        "<p hidden-not>x</p>",
        "<p style=color:red style=display:none>x</p>",
        "<p><a name=top>x</a></p>",
        "<svg/><p>x</p>",
        "<p>\ufeffx\u00ad</p>",
    ],
)
def test_what_only_looks_hidden_is_text(part):
    assert texts(f"<h1>T</h1><p>{LONG}</p>{part}<p>End.") == [LONG.strip(), "x", "End."]


def test_underscores_of_a_class_are_hyphens():
    assert texts(f"<p>{LONG}</p><div class=site_footer><p>x</p></div>") == [LONG.strip()]


def test_hidden_text_around_hidden_text_is_no_boilerplate():
    log = ReadLog()
    page = f"<div hidden><div hidden><p>a</p></div><p>b</p></div><p>{ONE}</p>"
    read_web_page(page, log=log)
    assert log.boilerplate == 0
