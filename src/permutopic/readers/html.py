"""Web pages: a parser of HTML 5 finds their structure, and what is not their text is left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permutopic.documents import Document, Heading, Paragraph, make_document
from permutopic.readers.source import decode
from permutopic.readers.web.blocks import (
    BlockExtractor,
    HtmlBlock,
    HtmlHeading,
    HtmlNode,
    flatten,
    without_links,
)
from permutopic.readers.web.encoding import declared_encoding
from permutopic.readers.web.prose import PageStatistics, measure_links
from permutopic.readers.web.rules import LEFT_OUT
from permutopic.readers.web.structure import TEXT, TextRun, extract_structure
from permutopic.readers.web.text import make_pieces, plain_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Set

    from permutopic.readers.read_log import ReadLog
    from permutopic.readers.settings import ReadOptions
    from permutopic.readers.source import Source
    from permutopic.readers.web.structure import PageStructure

# The least share of the page that its main element (or the same share of its prose), the only
# article, or one of several has, if that is the text.
_MAIN, _ONLY_ARTICLE, _MAIN_ARTICLE = 0.25, 0.25, 0.5
# What little stands before the only h1 is dates and links, not text.
_MAX_PREFACE, _PREFACE_SHARE = 300, 0.1


def read(source: Source, options: ReadOptions, log: ReadLog) -> Iterator[Document]:
    """Read a web page as one document."""
    content = source.bytes(options, log)
    text = decode(content, source.name, options, declared_encoding(content))
    is_xml = text.lstrip().startswith("<?xml") or ".xhtml" in source.name.lower()
    structure = extract_structure(text, source.name, is_xml=is_xml)
    title = plain_text(text, [TextRun(*structure.title, TEXT)]) or source.title
    nodes = parse(structure)
    page = PageStatistics(text, structure, nodes)
    parts = _without_preface(find_parts(text, structure, nodes, page))
    kept = sum(measure_links(text, part.runs)[0] for part in parts)
    log.boilerplate += max(page.statistics(0).seen - kept, 0)
    yield make_document(
        (_finish(text, part) for part in parts),
        title=title,
        location=source.name,
        source=text,
        depth=options.depth,
    )


def parse(structure: PageStructure) -> list[HtmlNode]:
    """Find the elements of a page."""
    from justhtml import JustHTML  # noqa: PLC0415

    return flatten(JustHTML(f"<!doctype html>{structure.markup}", sanitize=False).root, structure)


def find_parts(
    text: str, structure: PageStructure, nodes: list[HtmlNode], page: PageStatistics
) -> list[HtmlHeading | HtmlBlock]:
    """Find the headings and paragraphs of a page's text; leave out less where nothing is left."""
    scope = _find_scope(nodes, page)
    strict = []
    for first in [scope, 0] if scope else [0]:
        retained = page.find_retention(first).retained
        keeps_header = first > 0 or not _has_h1(nodes, retained)
        parts = BlockExtractor(text, structure, nodes, LEFT_OUT, retained, keeps_header).extract(
            first
        )
        strict.append(parts)
        fewer = without_links(text, parts)
        if _has_text(fewer):
            return fewer
    for parts in strict:
        if _has_text(parts):
            return parts
    visible = BlockExtractor(text, structure, nodes, frozenset({"hidden"})).extract(0)
    return (
        visible
        if _has_text(visible)
        else BlockExtractor(text, structure, nodes, frozenset()).extract(0)
    )


def _find_scope(nodes: list[HtmlNode], page: PageStatistics) -> int:
    """Find the element that holds the page's text, if the page names just one; 0 is the page."""
    mains = _outermost(nodes, {"main"})
    if len(mains) == 1 and _holds_text(mains[0], nodes, page):
        return mains[0]
    articles = _outermost(nodes, {"article"})
    largest = max(articles, key=lambda number: nodes[number].size, default=0)
    share = _ONLY_ARTICLE if len(articles) == 1 else _MAIN_ARTICLE
    return largest if nodes[largest].size > share * nodes[0].size else 0


def _holds_text(main: int, nodes: list[HtmlNode], page: PageStatistics) -> bool:
    """Tell whether a main element is more than a banner or an empty frame beside the text."""
    is_large = nodes[main].size > _MAIN * nodes[0].size
    return is_large or page.find_retention(main).kept >= _MAIN * page.find_retention(0).kept


def _outermost(nodes: list[HtmlNode], wanted: set[str]) -> list[int]:
    """Find the elements with a wanted name or flag that stand in no other, and can be seen."""
    found = []
    position = 0
    while position < len(nodes):
        node = nodes[position]
        is_hidden = node.flag == "hidden"
        is_wanted = not is_hidden and not wanted.isdisjoint((node.name, node.flag))
        if is_wanted:
            found.append(position)
        position = node.stop if is_hidden or is_wanted else position + 1
    return found


def _has_h1(nodes: list[HtmlNode], retained: Set[int]) -> bool:
    """Tell whether a page has a main heading outside of its header."""
    position = 0
    while position < len(nodes):
        node = nodes[position]
        if node.name == "h1" and not node.flag and node.stop > position + 1:
            return True
        is_left_out = node.flag in LEFT_OUT and position not in retained
        position = node.stop if is_left_out else position + 1
    return False


def _has_text(parts: list[HtmlHeading | HtmlBlock]) -> bool:
    return any(isinstance(part, HtmlBlock) for part in parts)


def _without_preface(parts: list[HtmlHeading | HtmlBlock]) -> list[HtmlHeading | HtmlBlock]:
    """Leave out what little stands before the only main heading."""
    mains = [n for n, part in enumerate(parts) if isinstance(part, HtmlHeading) and part.level == 1]
    if len(mains) != 1:
        return parts
    before, total = (
        sum(
            run.end - run.start for part in some if isinstance(part, HtmlBlock) for run in part.runs
        )
        for some in (parts[: mains[0]], parts)
    )
    if before > min(_MAX_PREFACE, _PREFACE_SHARE * total):
        return parts
    return [*(p for p in parts[: mains[0]] if isinstance(p, HtmlHeading)), *parts[mains[0] :]]


def _finish(text: str, part: HtmlHeading | HtmlBlock) -> Heading | Paragraph:
    """Turn places in the source into text."""
    if isinstance(part, HtmlHeading):
        return Heading(part.level, plain_text(text, part.runs))
    return Paragraph(tuple(make_pieces(text, part.runs, keep_lines=part.name == "pre")))
