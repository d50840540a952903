from __future__ import annotations

import bz2
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from permutopic.errors import InputError
from permutopic.readers import ReadError, ReadLog, ReadOptions, read_documents
from permutopic.readers.mediawiki import find_categories, read
from permutopic.readers.source import Source
from permutopic.readers.wiki.markup import NamespaceNames

from invariant import check

WIKI = Path(__file__).parents[1] / "data" / "wiki.xml"
HEAD = '<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/">'


def page(title, text, more="<ns>0</ns>", attributes=""):
    return (
        f"<page><title>{title}</title>{more}"
        f"<revision><text{attributes}>{text}</text></revision></page>"
    )


def dump(*pages, head=HEAD):
    return "\n".join([head, *pages, "</mediawiki>"])


def read_file(path, log=None, **settings):
    source = Source(path, path.name, path.stem)
    documents = []
    for document in read(source, ReadOptions(**settings), ReadLog() if log is None else log):
        check(document)
        documents.append(document)
    return documents


@pytest.fixture
def write(tmp_path):
    def write(content, name="wiki.xml"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def test_the_articles_of_a_dump_become_documents():
    documents = read_file(WIKI)
    shown = {d.title: [(u.heading, u.text) for u in d.units] for d in documents if d.units}
    assert shown == {
        "Varn": [
            (
                None,
                "Varn is an island of the Outer Isles. It lies off the coast\xa0– half a day by "
                "boat.",
            ),
            (None, "It has two villages and a lighthouse."),
            (
                "History",
                "Nobody lived on Varn before the third year. The first settlers (eleven of them) "
                "came for the salt.",
            ),
            ("History", "Salt was boiled in pans."),
            ("Nature", "Four plants grow nowhere else:"),
            ("Nature", "saltwort, on the shore"),
            ("Nature", "Grey thrift"),
            ("Nature", "its white form"),
            ("Nature", "the late heather"),
        ],
        "Grey thrift": [
            (None, "Grey thrift is a low plant with leaves long.\nIt flowers in June."),
            ("Name", "Islanders call it ''[[grey]]'', and write for short.\nSailors do not."),
            ("Name", "Shore thrift : the tall one"),
            ("Name", "It stands <30 cm high & falls over."),
        ],
        "Gull Rock": [
            (None, "Gull Rock is a rock off Varn with a light {{unclosed."),
            (None, "Gulls nest here (skerry, , )."),
            ("Light", "The light is lit by hand."),
            ("Light", "It can be seen from Kategorie:Islands."),
        ],
        "Cliff oat": [(None, "The cliff oat is a grass."), ("Uses", "Its straw makes hats.")],
    }


def test_what_is_left_out_is_counted_by_reason():
    log = ReadLog()
    list(read_documents(WIKI, log=log))
    assert log.skipped == {
        "another namespace": 3,
        "redirect": 1,
        "not wikitext": 1,
        "deleted text": 1,
        "text not in the dump": 1,
        "no text": 1,
    }


def test_offsets_count_in_the_wikitext_of_the_page():
    oat = next(d for d in read_file(WIKI) if d.title == "Cliff oat")
    assert oat.source.startswith("The '''cliff oat''' is a grass.\n\n== Uses ==")
    assert oat.location == "wiki.xml:Cliff oat"
    assert [(u.start, u.end) for u in oat.units] == [(0, 31), (44, 65)]
    assert oat.source[44:65] == "Its straw makes hats."


def test_depth_chooses_the_headings_that_divide():
    varn = read_file(WIKI, depth=2)[0]
    assert [u.heading for u in varn.units[2:5]] == ["History", "Salt", "Nature"]


def test_titles_not_asked_for_are_left_out_before_they_are_parsed(monkeypatch):
    import permutopic.readers.mediawiki as module

    parsed = []
    monkeypatch.setattr(module, "read_wikitext", lambda text, names: parsed.append(text) or [])
    log = ReadLog()
    assert [d.title for d in read_file(WIKI, log, title="^G")] == ["Grey thrift", "Gull Rock"]
    assert len(parsed) == 2
    assert log.skipped["title not asked for"] == 6


def test_categories_are_matched_by_the_wikis_own_name_for_them():
    log = ReadLog()
    titles = [d.title for d in read_file(WIKI, log, category="^(Grasses|Rocks|Outer Isles)$")]
    assert titles == ["Varn", "Gull Rock", "Cliff oat"]
    assert log.skipped["category not asked for"] == 2


def test_categories_are_found_whatever_blanks_and_case_they_have():
    text = "[[kategorie: Alte_ Mühlen |x]][[Category:B]][[:Category:C]][[Datei:D]][[Kategorie]]"
    names = NamespaceNames(categories=frozenset({"category", "kategorie"}))
    assert find_categories(text, names) == ["Alte Mühlen", "B"]


def test_packed_dumps_of_many_streams_are_read(write):
    content = WIKI.read_bytes()
    packed = bz2.compress(content[:1000]) + bz2.compress(content[1000:])
    documents = read_file(write(packed, "wiki.xml.bz2"))
    assert [d.source for d in documents] == [d.source for d in read_file(WIKI)]


def test_old_dumps_tell_namespaces_and_redirects_by_the_page_itself(write):
    namespaces = "<siteinfo><namespaces><namespace key='1'>Talk</namespace></namespaces></siteinfo>"
    pages = [
        page("A: b", "One.", more=""),
        page("talk:A", "Two.", more=""),
        page("C", "#redirect [[A]]", more=""),
    ]
    log = ReadLog()
    path = write(dump(namespaces, *pages))
    assert [d.title for d in read_file(path, log)] == ["A: b"]
    assert log.skipped == {"another namespace": 1, "redirect": 1}


def test_names_of_namespaces_may_be_written_with_blanks_or_underscores(write):
    space = "<namespace key='3'>User talk</namespace>"
    namespaces = f"<siteinfo><namespaces>{space}</namespaces></siteinfo>"
    pages = [page("User_talk:A", "One.", more=""), page("B", "Two.", more="<ns> 0 </ns>")]
    assert [d.title for d in read_file(write(dump(namespaces, *pages)))] == ["B"]


def test_a_page_that_is_empty_is_not_one_whose_text_is_elsewhere(write):
    log = ReadLog()
    pages = [page("A", "", attributes=" bytes='0'"), page("B", "", attributes=" bytes='9'")]
    assert [(d.title, d.units) for d in read_file(write(dump(*pages)), log)] == [("A", ())]
    assert log.skipped == {"text not in the dump": 1}


def test_the_longest_title_of_a_wiki_is_read_whole(write):
    [document] = read_file(write(dump(page("x" * 255, "One."))))
    assert document.title == "x" * 255


def revision(text, attributes="", model="<model>wikitext</model>"):
    return f"<revision>{model}<text{attributes}>{text}</text></revision>"


def history(title, *revisions):
    return f"<page><title>{title}</title><ns>0</ns>{''.join(revisions)}</page>"


def test_the_last_revision_counts_also_of_its_model_and_deletion(write):
    gone = ' deleted="deleted"'
    path = write(
        dump(
            history("A", revision("old"), revision("new")),
            history("B", revision("", gone), revision("restored")),
            history("C", revision("{}", model="<model>json</model>"), revision("prose", model="")),
            history("D", revision("text"), revision("", gone)),
            history("E", revision("text", gone), "<revision></revision>"),
            history("F", revision("text"), "<revision></revision>"),
            history("G", revision("a" * (2 << 20)), revision("short")),
        )
    )
    shown = {d.title: d.source for d in read_file(path, max_mb=1, on_bad="skip")}
    assert shown == {"A": "new", "B": "restored", "C": "prose", "E": "", "F": "", "G": "short"}


def test_a_wikis_own_names_of_files_are_taken_from_the_dump(write):
    names = "<namespace key='6'>Datei</namespace><namespace key='-2'>Medium</namespace>"
    namespaces = f"<siteinfo><namespaces>{names}</namespaces></siteinfo>"
    path = write(dump(namespaces, page("A", "One. [[Datei:Karte|two]] [[Medium:Lied|three]]")))
    assert [u.text for u in read_file(path)[0].units] == ["One."]


def test_the_title_of_the_page_stays_the_title(write):
    [document] = read_file(write(dump(page("A", "= Top =\nOne."))))
    assert (document.title, document.units[0].heading) == ("A", "Top")


def test_a_page_without_a_title_is_called_by_its_number(write):
    path = write(dump(page("", "One.", more="<ns>0</ns><id>7</id>")))
    assert [d.location for d in read_file(path)] == ["wiki.xml:page 7"]


def test_a_cut_dump_gives_its_whole_pages_and_says_where_it_breaks(write):
    whole = dump(page("A", "One."), page("B", "Two."), page("C", "Three."))
    path = write(whole[: whole.index("Three") + 2])
    source = Source(path, "wiki.xml", "wiki")
    documents = read(source, ReadOptions(), ReadLog())
    assert [next(documents).title, next(documents).title] == ["A", "B"]
    with pytest.raises(ReadError) as caught:
        next(documents)
    assert str(caught.value) == (
        f"wiki.xml: the XML breaks at byte {path.stat().st_size} in line 4 (no element found), "
        "after the page 'B': is the file cut? Pages before that are whole, and on_bad='skip' "
        "keeps them"
    )
    log = ReadLog()
    kept = list(read_documents(path, ReadOptions(on_bad="skip"), log))
    assert [d.title for d in kept] == ["A", "B"]
    assert log.skipped == {"broken dump": 1}


def test_a_cut_packed_dump_gives_its_whole_pages(write):
    noise = random.Random(0)
    words = [" ".join(str(noise.random()) for _ in range(3000)) for _ in range(40)]
    packed = bz2.compress(dump(*(page(f"P{n}", w) for n, w in enumerate(words))).encode(), 1)
    path = write(packed[:-1000], "wiki.xml.bz2")
    log = ReadLog()
    titles = [d.title for d in read_documents(path, ReadOptions(on_bad="skip"), log)]
    assert titles == [f"P{n}" for n in range(len(titles))]
    assert len(titles) > 30
    assert log.skipped == {"damaged": 1}


BAD = [
    ("", "breaks at byte 0 in line 1 (no element found)"),
    ("Just text.", "breaks at byte 0 in line 1 (syntax error)"),
    ("<feed></feed>", "is XML with the root <feed>"),
    ("<!DOCTYPE html><html></html>", "has a document type declaration"),
    (
        '<!DOCTYPE mediawiki [<!ENTITY a "aaaa">]>' + dump(page("A", "&a;")),
        "has a document type declaration",
    ),
    (
        HEAD + "<a>" * 100_000,
        "has more, or more deeply nested, elements than any dump",
    ),
    (
        HEAD + "".join(f"<a{n}/>" for n in range(5000)),
        "has more, or more deeply nested, elements than any dump",
    ),
    (HEAD + "<!--" + "a" * (3 << 20), "has a tag or comment of over 1 MiB"),
    (
        '<?xml version="1.0" encoding="big5"?><mediawiki/>',
        "declares an encoding that cannot be read (multi-byte encodings are not supported)",
    ),
]


@pytest.mark.parametrize(("content", "message"), BAD, ids=[message[:40] for _, message in BAD])
def test_what_is_no_dump_is_refused_with_a_reason(write, content, message):
    with pytest.raises(ReadError) as caught:
        read_file(write(content))
    assert str(caught.value) == (
        f"wiki.xml: {message}: no MediaWiki dump (XML with the root <mediawiki>) is like that"
    )


@pytest.mark.parametrize("text", ["a & b", "&nbsp;", "<b>", "\x01", "&#0;"])
def test_xml_that_is_not_well_formed_is_refused_after_the_pages_before_it(write, text):
    path = write(dump(page("A", "One."), page("B", text)))
    documents = read(Source(path, "wiki.xml", "wiki"), ReadOptions(), ReadLog())
    assert next(documents).title == "A"
    with pytest.raises(ReadError, match=r"the XML breaks at byte \d+ in line 3 .*page 'A'"):
        next(documents)


def test_a_page_that_is_too_long_is_refused_while_it_arrives(write):
    long = "é" * (600 << 10)
    path = write(dump(page("A", "One."), page("Long", long))[:-40])
    with pytest.raises(ReadError, match=r"wiki.xml:Long: longer than 1 MiB: split it"):
        read_file(path, max_mb=1)
    path = write(dump(page("Long", long), page("B", "Two.")))
    log = ReadLog()
    assert [d.title for d in read_file(path, log, max_mb=1, on_bad="skip")] == ["B"]
    assert log.skipped == {"too long": 1}


@pytest.mark.parametrize(("n_more", "titles"), [(0, ["A", "B"]), (1, ["B"])])
def test_a_page_may_be_as_long_as_the_limit(write, n_more, titles):
    path = write(dump(page("A", "a" * ((1 << 20) + n_more)), page("B", "Two.")))
    assert [d.title for d in read_file(path, max_mb=1, on_bad="skip")] == titles


def test_a_long_page_that_is_not_wanted_bothers_nobody(write):
    long = page("Talk:A", "a" * (2 << 20), more="<ns>1</ns>")
    assert [d.title for d in read_file(write(dump(long, page("B", "Two."))), max_mb=1)] == ["B"]


def test_the_encoding_is_that_of_the_xml_unless_one_is_named(write):
    xml = dump(page("Ä", "Über é."))
    declared = f'<?xml version="1.0" encoding="ISO-8859-1"?>{xml}'
    assert read_file(write(declared.encode("latin-1")))[0].source == "Über é."
    assert read_file(write(xml.encode("utf-16")))[0].title == "Ä"
    path = write(xml.encode("cp1252"))
    assert read_file(path, encoding="cp1252")[0].title == "Ä"
    assert read_file(path, errors="replace")[0].title == "\ufffd"
    with pytest.raises(ReadError, match="not well-formed"):
        read_file(path)
    with pytest.raises(ReadError, match=r"what stands after byte 0 is not ascii: name the right"):
        read_file(path, encoding="ascii")


def test_without_the_parser_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "mwparserfromhell", None)
    with pytest.raises(InputError, match=r"pip install 'permutopic\[wiki\]'"):
        read_file(WIKI)


def test_importing_the_reader_does_not_import_the_parser():
    code = "import sys, permutopic.readers.mediawiki; sys.exit('mwparserfromhell' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


TAGS = re.findall(rb"<[^>]*>|[^<]+", WIKI.read_bytes())
mutations = st.lists(
    st.tuples(
        st.integers(0, len(TAGS) - 1),
        st.sampled_from(TAGS) | st.binary(max_size=4) | st.just(b""),
        st.integers(0, 1),
    ),
    min_size=1,
    max_size=4,
)


def mutate(changes):
    tags = list(TAGS)
    for at, new, keep in changes:
        tags[at] = (tags[at] if keep else b"") + new
    return b"".join(tags)


@settings(deadline=None)
@given(st.binary() | mutations.map(mutate))
def test_whatever_the_file_holds_it_is_read_or_refused(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("fuzz") / "wiki.xml"
    path.write_bytes(content)
    try:
        read_file(path)
    except ReadError as error:
        message = str(error)
        assert message.startswith("wiki.xml")
        assert "\n" not in message
