"""Web pages: parsed as HTML 5, boilerplate (menus, footers, links) left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permutopic.documents import Document, Heading, Paragraph, make_document
from permutopic.readers.source import decode
from permutopic.readers.web.blocks import (
    BlockExtractor,
    HtmlBlock,
    HtmlHeading,
    HtmlNode,
    drop_links,
    flatten,
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

# Minimum share of a page's characters (or prose, for main) that is in its main element, its only
# article, or the largest of several articles, for that to be the text of the page.
_MIN_MAIN_SHARE, _MIN_ONLY_ARTICLE_SHARE, _MIN_ARTICLE_SHARE = 0.25, 0.25, 0.5
# Maximum length before the only h1, in characters and as a share: dates and links, not text.
_MAX_PREFACE, _MAX_PREFACE_SHARE = 300, 0.1


def read(source: Source, options: ReadOptions, log: ReadLog) -> Iterator[Document]:
    """Read a web page as one document."""
    content = source.bytes(options, log)
    text = decode(content, source.name, options, declared_encoding(content))
    is_xml = text.lstrip().startswith("<?xml") or ".xhtml" in source.name.lower()
    structure = extract_structure(text, source.name, is_xml=is_xml)
    title = plain_text(text, [TextRun(*structure.title, TEXT)]) or source.title
    nodes = parse(structure)
    statistics = PageStatistics(text, structure, nodes)
    parts = _drop_preface(find_parts(text, structure, nodes, statistics))
    kept = sum(measure_links(text, part.runs)[0] for part in parts)
    log.boilerplate += max(statistics.element(0).visible - kept, 0)
    yield make_document(
        (_to_part(text, part) for part in parts),
        title=title,
        location=source.name,
        source=text,
        depth=options.depth,
    )


def parse(structure: PageStructure) -> list[HtmlNode]:
    """Parse the markup of a page and list its nodes in document order."""
    from justhtml import JustHTML  # noqa: PLC0415

    return flatten(JustHTML(f"<!doctype html>{structure.markup}", sanitize=False).root, structure)


def find_parts(
    text: str, structure: PageStructure, nodes: list[HtmlNode], statistics: PageStatistics
) -> list[HtmlHeading | HtmlBlock]:
    """Return the headings and paragraphs of a page; exclude less if no paragraph would remain."""
    scope = _find_scope(nodes, statistics)
    strict = []
    for first in [scope, 0] if scope else [0]:
        retained = statistics.find_retention(first).retained
        keeps_header = first > 0 or not _has_h1(nodes, retained)
        parts = BlockExtractor(text, structure, nodes, LEFT_OUT, retained, keeps_header).extract(
            first
        )
        strict.append(parts)
        fewer = drop_links(text, parts)
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


def _find_scope(nodes: list[HtmlNode], statistics: PageStatistics) -> int:
    """Return the main or article element with the text of the page; 0, the root, if unclear."""
    mains = _outermost(nodes, {"main"})
    if len(mains) == 1 and _has_main_text(mains[0], nodes, statistics):
        return mains[0]
    articles = _outermost(nodes, {"article"})
    largest = max(articles, key=lambda number: nodes[number].size, default=0)
    share = _MIN_ONLY_ARTICLE_SHARE if len(articles) == 1 else _MIN_ARTICLE_SHARE
    return largest if nodes[largest].size > share * nodes[0].size else 0


def _has_main_text(main: int, nodes: list[HtmlNode], statistics: PageStatistics) -> bool:
    """Whether a main element has the text, and is not a banner or an empty frame beside it."""
    if nodes[main].size > _MIN_MAIN_SHARE * nodes[0].size:
        return True
    n_main, n_all = (statistics.find_retention(node).kept for node in (main, 0))
    return n_main >= _MIN_MAIN_SHARE * n_all


def _outermost(nodes: list[HtmlNode], wanted: set[str]) -> list[int]:
    """Return the visible elements with a wanted name or flag that are not in another one."""
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
    """Whether a page has an h1 outside of its header."""
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


def _drop_preface(parts: list[HtmlHeading | HtmlBlock]) -> list[HtmlHeading | HtmlBlock]:
    """Drop short text before the only h1."""
    mains = [n for n, part in enumerate(parts) if isinstance(part, HtmlHeading) and part.level == 1]
    if len(mains) != 1:
        return parts
    before, total = (
        sum(
            run.end - run.start for part in some if isinstance(part, HtmlBlock) for run in part.runs
        )
        for some in (parts[: mains[0]], parts)
    )
    if before > min(_MAX_PREFACE, _MAX_PREFACE_SHARE * total):
        return parts
    return [*(p for p in parts[: mains[0]] if isinstance(p, HtmlHeading)), *parts[mains[0] :]]


def _to_part(text: str, part: HtmlHeading | HtmlBlock) -> Heading | Paragraph:
    """Convert runs of the source to text."""
    if isinstance(part, HtmlHeading):
        return Heading(part.level, plain_text(text, part.runs))
    return Paragraph(tuple(make_pieces(text, part.runs, keep_lines=part.name == "pre")))
