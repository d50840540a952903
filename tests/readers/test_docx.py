from __future__ import annotations

import io
import struct
import zipfile

import docx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from permutopic.readers import ReadError, ReadLog, ReadOptions
from permutopic.readers.docx import read
from permutopic.readers.source import Source

from invariant import check

OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
SPACES = (
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" '
    'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:v="urn:schemas-microsoft-com:vml"'
)
STYLES = """
<w:style w:type="paragraph" w:default="1" w:styleId="Standard"><w:name w:val="Normal"/></w:style>
<w:style w:type="paragraph" w:styleId="Titel"><w:name w:val="Title"/></w:style>
<w:style w:type="paragraph" w:styleId="Untertitel"><w:name w:val="Subtitle"/>
  <w:basedOn w:val="Titel"/></w:style>
<w:style w:type="paragraph" w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style>
<w:style w:type="paragraph" w:styleId="berschrift2"><w:name w:val="heading 2"/></w:style>
<w:style w:type="paragraph" w:styleId="Kapitel"><w:name w:val="Chapter"/>
  <w:basedOn w:val="berschrift1"/></w:style>
<w:style w:type="paragraph" w:styleId="Gliederung"><w:name w:val="Outline"/>
  <w:pPr><w:outlineLvl w:val="1"/></w:pPr></w:style>
<w:style w:type="paragraph" w:styleId="Inhalt"><w:name w:val="TOC Heading"/>
  <w:basedOn w:val="berschrift1"/><w:pPr><w:outlineLvl w:val="9"/></w:pPr></w:style>
<w:style w:type="paragraph" w:styleId="Verzeichnis1"><w:name w:val="toc 1"/></w:style>
<w:style w:type="paragraph" w:styleId="Kreis"><w:name w:val="x"/>
  <w:basedOn w:val="Kreis"/></w:style>
<w:style w:type="character" w:styleId="Zeichen"><w:name w:val="heading 1"/></w:style>
"""


def relations(**targets):
    each = "".join(
        f'<Relationship Type="{OFFICE}/{kind.replace("_", "-")}" Target="{target}"/>'
        for kind, target in targets.items()
    )
    space = "http://schemas.openxmlformats.org/package/2006/relationships"
    return f'<Relationships xmlns="{space}">{each}</Relationships>'


def parts_of(body, title=None):
    parts = {
        "_rels/.rels": relations(officeDocument="word/document.xml", core_properties="core.xml"),
        "word/document.xml": f"<w:document {SPACES}><w:body>{body}</w:body></w:document>",
        "word/_rels/document.xml.rels": relations(styles="styles.xml", image="media/none.png"),
        "word/styles.xml": f"<w:styles {SPACES}>{STYLES}</w:styles>",
    }
    if title is not None:
        parts["core.xml"] = (
            f'<c xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>{title}</dc:title>'
            "<dc:creator>nobody</dc:creator></c>"
        )
    return parts


def packed(parts, method=zipfile.ZIP_DEFLATED):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return stream.getvalue()


def read_file(path, content, **reading):
    path.write_bytes(content)
    [document] = read(Source(path, path.name, path.stem), ReadOptions(**reading), ReadLog())
    check(document)
    assert all(
        unit.text == document.source[unit.start : unit.end].strip() for unit in document.units
    )
    return document


@pytest.fixture
def document_of(tmp_path):
    def make(body, title=None, **reading):
        return read_file(tmp_path / "iron.docx", packed(parts_of(body, title)), **reading)

    return make


def p(text, style="", more=""):
    mark = f'<w:pStyle w:val="{style}"/>' if style else ""
    return f"<w:p><w:pPr>{mark}{more}</w:pPr>{text if '<' in text else r(text)}</w:p>"


def r(text):
    return f'<w:r><w:t xml:space="preserve">{text}</w:t></w:r>'


def texts(document):
    return [unit.text for unit in document.units]


def sections(document):
    return [(unit.heading, unit.text) for unit in document.units]


def test_a_file_written_by_python_docx_is_read(tmp_path):
    written = docx.Document()
    written.core_properties.title = "Properties"
    written.add_heading("Iron", 0)
    written.add_paragraph("A metal.")
    written.add_heading("Uses", 1)
    written.add_paragraph("Steel", style="List Bullet").add_run(" and more").bold = True
    table = written.add_table(2, 2)
    for row, words in zip(table.rows, [("a", "b"), ("c", "")], strict=True):
        for cell, word in zip(row.cells, words, strict=True):
            cell.text = word
    written.add_heading("Deep", 3)
    written.add_paragraph("Last\nline\there.")
    stream = io.BytesIO()
    written.save(stream)
    document = read_file(tmp_path / "iron.docx", stream.getvalue())
    assert document.title == "Iron"
    assert (
        document.source == "Iron\nA metal.\nUses\nSteel and more\na\tb\nc\nDeep\nLast line\there."
    )
    assert [(unit.text, unit.heading, unit.start) for unit in document.units] == [
        ("A metal.", None, 5),
        ("Steel and more", "Uses", 19),
        ("a\tb", "Uses", 34),
        ("c", "Uses", 38),
        ("Last line\there.", "Uses", 45),
    ]


def test_headings_go_by_the_names_and_levels_of_styles_in_any_language(document_of):
    document = document_of(
        p("One", "berschrift1") + p("a") + p("Two", "Kapitel") + p("b", "Kreis")
        + p("Three", "Gliederung") + p("c", "Zeichen") + p("Four", "", '<w:outlineLvl w:val="0"/>')
        + p("d", "berschrift1", '<w:outlineLvl w:val="9"/>') + p("Five", "Heading1") + p("e"),
    )  # fmt: skip
    assert sections(document) == [
        ("One", "a"), ("Two", "b"), ("Two", "c"), ("Four", "d"), ("Five", "e"),
    ]  # fmt: skip
    assert document.title == "iron"


def test_empty_headings_and_tables_of_contents_are_left_out(document_of):
    body = p("Contents", "Inhalt") + p("One 3", "Verzeichnis1") + p(" ", "berschrift1") + p("a")
    assert sections(document_of(body)) == [(None, "a")]


def test_the_title_is_that_of_the_style_the_top_heading_the_properties_or_the_file(document_of):
    styled = p("Of", "Titel") + p("iron", "Titel") + p("By me", "Untertitel")
    top = p("Top", "berschrift1") + p("Sub", "berschrift2") + p("a")
    document = document_of(styled + top + p("Part", "Titel") + p("b"), "Properties")
    assert document.title == "Of iron"
    assert sections(document) == [(None, "By me"), ("Top", "a"), ("Part", "b")]
    assert sections(document_of(top)) == [("Sub", "a")]
    only = p("Iron", "Titel", '<w:outlineLvl w:val="0"/>') + p("Top", "berschrift1") + p("a")
    assert (document_of(only).title, sections(document_of(only))) == ("Iron", [("Top", "a")])
    assert document_of(top, "Properties").title == "Top"
    logo = document_of(p("ACME LOGO") + top)
    assert (logo.title, sections(logo)) == ("Top", [(None, "ACME LOGO"), ("Sub", "a")])
    assert document_of(p("a"), "Proper &amp; true").title == "Proper & true"
    assert document_of(p("a"), "").title == "iron"
    assert document_of(p("a")).title == "iron"


def test_the_level_of_a_list_makes_no_heading(document_of):
    level = '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>'
    assert sections(document_of(p("a", "", level))) == [(None, "a")]


def test_a_heading_never_becomes_text(document_of):
    body = p("H", "berschrift1") + "<w:tbl><w:tr>" + "".join(
        f"<w:tc>{p('head', 'berschrift2')}{p(word)}</w:tc>" for word in ("x", "y")
    ) + "</w:tr></w:tbl>" + p("G", "berschrift1")  # fmt: skip
    assert sections(document_of(body, depth=2)) == [("head", "x"), ("head", "y")]


def field(kind):
    return f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>'


KEPT = [
    ("link", f"<w:hyperlink>{r('a')}</w:hyperlink>", "a"),
    ("insertion", f"<w:ins>{r('a')}</w:ins>", "a"),
    ("control", f"<w:sdt><w:sdtPr/><w:sdtContent>{r('a')}</w:sdtContent></w:sdt>", "a"),
    (
        "placeholder",
        f"<w:sdt><w:sdtPr><w:showingPlcHdr/></w:sdtPr><w:sdtContent>{r('a')}</w:sdtContent></w:sdt>",
        "",
    ),
    ("deletion", "<w:del><w:r><w:delText>a</w:delText></w:r></w:del>", ""),
    ("move", f"<w:moveFrom>{r('a')}</w:moveFrom><w:moveTo>{r('b')}</w:moveTo>", "b"),
    (
        "field",
        f"{field('begin')}<w:r><w:instrText>PAGE</w:instrText></w:r>{field('separate')}{r('7')}"
        f"{field('end')}",
        "7",
    ),
    (
        "field in a code",
        f"{field('begin')}{field('begin')}{field('separate')}{r('code')}{field('end')}"
        f"{field('separate')}{r('7')}{field('end')}",
        "7",
    ),
    (
        "code behind a field in it",
        f"{field('begin')}{field('begin')}{field('separate')}{field('end')}{r('code')}"
        f"{field('separate')}{r('7')}{field('end')}",
        "7",
    ),
    ("characters between elements", "<w:r>\n x <w:t>a</w:t>\n</w:r>", "a"),
    ("simple field", f'<w:fldSimple w:instr="DATE">{r("7")}</w:fldSimple>', "7"),
    ("note", '<w:r><w:footnoteReference w:id="2"/></w:r>', ""),
    ("hidden", "<w:r><w:rPr><w:vanish/></w:rPr><w:t>a</w:t></w:r>", ""),
    ("shown", '<w:r><w:rPr><w:vanish w:val="0"/></w:rPr><w:t>a</w:t></w:r>', "a"),
    ("hyphens", "<w:r><w:noBreakHyphen/><w:softHyphen/><w:t>a</w:t></w:r>", "-a"),
    ("break", "<w:r><w:br/><w:t>a\nb</w:t><w:tab/></w:r>", " a b\t"),
    ("ruby", f"<w:ruby><w:rt>{r('x')}</w:rt><w:rubyBase>{r('a')}</w:rubyBase></w:ruby>", "a"),
    ("formula", "<m:oMath><m:r><w:t>x</w:t></m:r></m:oMath>", ""),
    (
        "former look",
        "<w:r><w:rPr><w:rPrChange><w:rPr><w:vanish/></w:rPr></w:rPrChange></w:rPr><w:t>a</w:t></w:r>",
        "a",
    ),
]


@pytest.mark.parametrize(("inner", "text"), [x[1:] for x in KEPT], ids=[x[0] for x in KEPT])
def test_what_a_reader_sees_is_kept(document_of, inner, text):
    assert texts(document_of(p(r("[") + inner + r("]")))) == [f"[{text}]"]


def test_a_field_that_never_ends_hides_its_own_paragraph_only(document_of):
    assert texts(document_of(p(r("a") + field("begin") + r("b")) + p("c"))) == ["a", "c"]


def test_tab_stops_and_former_styles_are_no_text(document_of):
    former = '<w:pPrChange><w:pPr><w:pStyle w:val="berschrift1"/></w:pPr></w:pPrChange>'
    body = p("a", "", f"<w:tabs><w:tab/></w:tabs>{former}<w:rPr><w:vanish/></w:rPr>")
    assert sections(document_of(body)) == [(None, "a")]


def test_a_text_box_is_read_once(document_of):
    box = "<w:txbxContent>" + p("boxed") + "</w:txbxContent>"
    both = (
        f"<mc:AlternateContent><mc:Choice><x>{box}</x></mc:Choice>"
        f"<mc:Fallback><w:pict><v:textbox>{box}</v:textbox></w:pict></mc:Fallback>"
        "</mc:AlternateContent>"
    )
    assert texts(document_of(p(f"<w:r>{both}<w:t>host</w:t></w:r>"))) == ["boxed", "host"]
    assert texts(document_of(p(f"<w:r><w:pict>{box}</w:pict></w:r>"))) == ["boxed"]


def row(*cells):
    return "<w:tr>" + "".join(f"<w:tc>{cell}</w:tc>" for cell in cells) + "</w:tr>"


def test_each_table_row_is_a_unit_and_a_cell_alone_keeps_its_paragraphs(document_of):
    inner = "<w:tbl>" + row(p("i"), p("j")) + "</w:tbl>"
    body = (
        "<w:sdt><w:sdtContent><w:tbl>" + row(p("a") + p("b"), p("c")) + row(p("d") + p("e"))
        + row(p("f"), p("g") + inner + p("h")) + "</w:tbl></w:sdtContent></w:sdt>" + p("z")
    )  # fmt: skip
    document = document_of(body)
    assert texts(document) == ["a b\tc", "d", "e", "f\tg", "i\tj", "h", "z"]
    assert document.source == "a b\tc\nd\ne\nf\tg\ni\tj\nh\nz"


def test_the_strict_variant_and_other_names_of_parts_are_read(tmp_path):
    body = p("H", "x") + p("a")
    strict = 'xmlns:w="http://purl.oclc.org/ooxml/wordprocessingml/main"'
    parts = {
        "_rels/.rels": relations(officeDocument="/word/document2.xml"),
        "word/document2.xml": f"<w:document {strict}><w:body>{body}</w:body></w:document>",
        "word/_rels/document2.xml.rels": relations(styles="../other/s.xml"),
        "other/s.xml": f'<w:styles {strict}><w:style w:styleId="x"><w:name w:val="heading 1"/>'
        "</w:style></w:styles>",
    }  # fmt: skip
    document = read_file(tmp_path / "strict.docx", packed(parts))
    assert (document.title, texts(document)) == ("H", ["a"])


def test_elements_nested_a_hundred_thousand_deep_are_read(document_of):
    n = 100_000
    assert texts(document_of("<w:ins>" * n + p("a") + "</w:ins>" * n)) == ["a"]
    nested = "<w:tbl><w:tr><w:tc>" * n + p("a") + "</w:tc></w:tr></w:tbl>" * n
    assert texts(document_of(nested)) == ["a"]
    assert texts(document_of("<w:p><w:r>" * n + r("a") + "</w:r></w:p>" * n)) == ["a"]


OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)
GOOD = parts_of(p("a"))
BAD = [
    ("not Word", b"", "not a .docx file, which is a zip file: is it misnamed?"),
    ("not Word", b"{\\rtf1 a}", "this is Rich Text: save it as .docx"),
    ("old Word file", OLE, "this is an old .doc file: save it as .docx"),
    (
        "encrypted",
        OLE + "EncryptedPackage".encode("utf-16-le"),
        "protected by a password: save it without one",
    ),
    ("not Word", packed({"a": "b"}), "not a Word document: it has no word/document.xml"),
    (
        "not Word",
        packed({"xl/workbook.xml": ""}),
        "this is an Excel workbook: save it as .docx",
    ),
    ("not Word", packed({"content.xml": ""}), "this is an OpenDocument file: save it as .docx"),
    (
        "not Word",
        packed(GOOD | {"word/document.xml": "<x/>"}),
        "not a Word document: word/document.xml in it has no body",
    ),
    (
        "not Word",
        packed(GOOD | {"word/document.xml": '<!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>'}),
        "not a Word document: its XML declares a DTD, which Word never does",
    ),
    (
        "not Word",
        packed(GOOD, zipfile.ZIP_BZIP2),
        "not a Word document: _rels/.rels in it is packed in a way that Word never does",
    ),
    (
        "damaged",
        packed(GOOD | {"word/document.xml": "<x>"}),
        "word/document.xml in it is not whole XML (no element found: line 1, column 3): "
        "is the file cut?",
    ),
    (
        "damaged",
        packed(GOOD | {"word/document.xml": '<?xml version="1.0" encoding="UVF-8"?><x/>'}),
        "not a whole Word document (unknown encoding: UVF-8): is the file cut?",
    ),
    (
        "damaged",
        packed(GOOD)[:200],
        "not a whole Word document (File is not a zip file): is the file cut?",
    ),
    (
        "bomb",
        packed(GOOD | {"word/document.xml": " " * (9 << 20)}),
        "word/document.xml in it unpacks to more than 250 times its size: no document does",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "content", "message"), BAD, ids=[x[2][:40] for x in BAD])
def test_what_is_no_word_document_is_named(tmp_path, kind, content, message):
    with pytest.raises(ReadError) as caught:
        read_file(tmp_path / "x.docx", content)
    assert (str(caught.value), caught.value.kind) == (f"x.docx: {message}", kind)


def test_a_part_longer_than_a_document_may_be_is_refused(tmp_path):
    words = " ".join(str(n * n) for n in range(200_000))
    content = packed(GOOD | {"word/document.xml": words})
    with pytest.raises(ReadError, match=r"x.docx: longer than 1 MiB: split it"):
        read_file(tmp_path / "x.docx", content, max_mb=1)


def test_a_part_as_long_as_a_document_may_be_is_read(tmp_path):
    parts = parts_of(p("a"))
    words = " ".join(str(n * n) for n in range(200_000))
    room = (1 << 20) - len(parts["word/document.xml"]) - len("<!---->")
    parts["word/document.xml"] += f"<!--{words[:room]}-->"
    assert texts(read_file(tmp_path / "x.docx", packed(parts), max_mb=1)) == ["a"]
    parts["word/document.xml"] += " "
    with pytest.raises(ReadError, match=r"x.docx: longer than 1 MiB"):
        read_file(tmp_path / "x.docx", packed(parts), max_mb=1)


def test_a_part_of_eight_mebibytes_is_no_bomb_however_small_it_was_packed(tmp_path):
    parts = parts_of(p("a"))
    parts["word/document.xml"] += " " * ((8 << 20) - len(parts["word/document.xml"]))
    assert texts(read_file(tmp_path / "x.docx", packed(parts))) == ["a"]
    parts["word/document.xml"] += " "
    with pytest.raises(ReadError, match="unpacks to more than 250 times its size"):
        read_file(tmp_path / "x.docx", packed(parts))


def test_a_password_on_a_part_is_named(tmp_path):
    content = bytearray(packed(GOOD))
    at = content.index(b"PK\x01\x02")
    content[at + 8] |= 1
    with pytest.raises(ReadError, match=r"x.docx: protected by a password"):
        read_file(tmp_path / "x.docx", bytes(content))


def test_a_part_that_declares_too_small_a_size_is_damaged(tmp_path):
    content = bytearray(packed(GOOD | {"word/document.xml": " " * (1 << 20)}))
    at = content.index(b"word/document.xml", content.index(b"PK\x01\x02")) - 46
    assert struct.unpack_from("<I", content, at + 24) == (1 << 20,)
    struct.pack_into("<I", content, at + 24, 100)
    with pytest.raises(ReadError, match=r"x.docx: not a whole Word document \(Bad CRC-32"):
        read_file(tmp_path / "x.docx", bytes(content))


FRAGMENTS = [
    *("<w:p>", "</w:p>", "<w:r>", "</w:r>", "<w:t>", "</w:t>", "<w:tbl>", "</w:tbl>", "<w:tr>"),
    *("</w:tr>", "<w:tc>", "</w:tc>", "<w:pPr>", "</w:pPr>", "<w:br/>", "<w:del>", "</w:del>"),
    *('<w:pStyle w:val="Titel"/>', '<w:pStyle w:val="berschrift1"/>', "<w:sdt>", "</w:sdt>"),
    *("<w:sdtContent>", "</w:sdtContent>", "<w:showingPlcHdr/>", "<w:vanish/>", "a", " ", "&#9;"),
    *(field("begin"), field("separate"), field("end"), p("b"), p("c", "berschrift2"), row(p("d"))),
    *("<mc:AlternateContent>", "</mc:AlternateContent>", "<mc:Choice>", "</mc:Choice>", "&amp;"),
]


def balanced(fragments):
    """Close open elements, and drop end tags without a start tag."""
    body, opened = [], []
    for fragment in fragments:
        if fragment.startswith("</"):
            if not opened or opened[-1] != fragment:
                continue
            opened.pop()
        elif fragment.startswith("<") and fragment.count("<") == 1 and "/>" not in fragment:
            opened.append(f"</{fragment[1:]}")
        body.append(fragment)
    return "".join(body + opened[::-1])


@settings(deadline=None, max_examples=300)
@given(
    st.lists(st.sampled_from(FRAGMENTS), max_size=40).map(balanced),
    st.none() | st.tuples(st.integers(0, 3000), st.binary(min_size=1, max_size=4)),
)
def test_whatever_the_file_holds_it_is_read_or_refused(tmp_path_factory, body, damage):
    content = bytearray(packed(parts_of(body, "t"), zipfile.ZIP_STORED if damage else 8))
    if damage:
        at = damage[0] % len(content)
        content[at : at + len(damage[1])] = damage[1]
    try:
        read_file(tmp_path_factory.getbasetemp() / "fuzz.docx", bytes(content))
    except ReadError as error:
        assert str(error).startswith("fuzz.docx: ")  # noqa: PT017 (most files are read)
        assert damage is not None
