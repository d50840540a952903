"""Web pages: a parser of HTML 5 finds their structure, and what is not their text is left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permutopic.documents import Document, Heading, Paragraph, make_document
from permutopic.readers.source import decode
from permutopic.readers.web.blocks import Block, Step, Title, Walk, flatten, without_links
from permutopic.readers.web.encoding import declared_encoding
from permutopic.readers.web.marks import TEXT, Run, mark
from permutopic.readers.web.rules import LEFT_OUT
from permutopic.readers.web.text import make_pieces, plain_text
from permutopic.readers.web.weighing import Scales, weigh_links

if TYPE_CHECKING:
    from collections.abc import Iterator, Set

    from permutopic.readers.notes import Notes
    from permutopic.readers.settings import ReadOptions
    from permutopic.readers.source import Source
    from permutopic.readers.web.marks import Marked

# The least share of the page that its main element (or the same share of its prose), the only
# article, or one of several has, if that is the text.
_MAIN, _ONLY_ARTICLE, _MAIN_ARTICLE = 0.25, 0.25, 0.5
# What little stands before the only h1 is dates and links, not text.
_LONGEST_PREFACE, _PREFACE_SHARE = 300, 0.1


def read(source: Source, options: ReadOptions, notes: Notes) -> Iterator[Document]:
    """Read a web page as one document."""
    content = source.bytes(options, notes)
    text = decode(content, source.name, options, declared_encoding(content))
    is_xml = text.lstrip().startswith("<?xml") or ".xhtml" in source.name.lower()
    marked = mark(text, source.name, is_xml=is_xml)
    title = plain_text(text, [Run(*marked.title, TEXT)]) or source.title
    steps = parse(marked)
    scales = Scales(text, marked, steps)
    parts = _without_preface(find_parts(text, marked, steps, scales))
    kept = sum(weigh_links(text, part.runs)[0] for part in parts)
    notes.boilerplate += max(scales.weight(0).seen - kept, 0)
    yield make_document(
        (_finish(text, part) for part in parts),
        title=title,
        location=source.name,
        source=text,
        depth=options.depth,
    )


def parse(marked: Marked) -> list[Step]:
    """Find the elements of a page."""
    from justhtml import JustHTML  # noqa: PLC0415

    return flatten(JustHTML(f"<!doctype html>{marked.markup}", sanitize=False).root, marked)


def find_parts(text: str, marked: Marked, steps: list[Step], scales: Scales) -> list[Title | Block]:
    """Find the headings and paragraphs of a page's text; leave out less where nothing is left."""
    scope = _find_scope(steps, scales)
    strict = []
    for first in [scope, 0] if scope else [0]:
        spared = scales.judge(first).spared
        keeps_header = first > 0 or not _has_h1(steps, spared)
        parts = Walk(text, marked, steps, LEFT_OUT, spared, keeps_header).through(first)
        strict.append(parts)
        fewer = without_links(text, parts)
        if _has_text(fewer):
            return fewer
    for parts in strict:
        if _has_text(parts):
            return parts
    visible = Walk(text, marked, steps, frozenset({"hidden"})).through(0)
    return visible if _has_text(visible) else Walk(text, marked, steps, frozenset()).through(0)


def _find_scope(steps: list[Step], scales: Scales) -> int:
    """Find the element that holds the page's text, if the page names just one; 0 is the page."""
    mains = _outermost(steps, {"main"})
    if len(mains) == 1 and _holds_text(mains[0], steps, scales):
        return mains[0]
    articles = _outermost(steps, {"article"})
    largest = max(articles, key=lambda number: steps[number].size, default=0)
    share = _ONLY_ARTICLE if len(articles) == 1 else _MAIN_ARTICLE
    return largest if steps[largest].size > share * steps[0].size else 0


def _holds_text(main: int, steps: list[Step], scales: Scales) -> bool:
    """Tell whether a main element is more than a banner or an empty frame beside the text."""
    is_large = steps[main].size > _MAIN * steps[0].size
    return is_large or scales.judge(main).kept >= _MAIN * scales.judge(0).kept


def _outermost(steps: list[Step], wanted: set[str]) -> list[int]:
    """Find the elements with a wanted name or flag that stand in no other, and can be seen."""
    found = []
    position = 0
    while position < len(steps):
        step = steps[position]
        is_hidden = step.flag == "hidden"
        is_wanted = not is_hidden and not wanted.isdisjoint((step.name, step.flag))
        if is_wanted:
            found.append(position)
        position = step.stop if is_hidden or is_wanted else position + 1
    return found


def _has_h1(steps: list[Step], spared: Set[int]) -> bool:
    """Tell whether a page has a main heading outside of its header."""
    position = 0
    while position < len(steps):
        step = steps[position]
        if step.name == "h1" and not step.flag and step.stop > position + 1:
            return True
        is_left_out = step.flag in LEFT_OUT and position not in spared
        position = step.stop if is_left_out else position + 1
    return False


def _has_text(parts: list[Title | Block]) -> bool:
    return any(isinstance(part, Block) for part in parts)


def _without_preface(parts: list[Title | Block]) -> list[Title | Block]:
    """Leave out what little stands before the only main heading."""
    mains = [n for n, part in enumerate(parts) if isinstance(part, Title) and part.level == 1]
    if len(mains) != 1:
        return parts
    before, total = (
        sum(run.end - run.start for part in some if isinstance(part, Block) for run in part.runs)
        for some in (parts[: mains[0]], parts)
    )
    if before > min(_LONGEST_PREFACE, _PREFACE_SHARE * total):
        return parts
    return [*(p for p in parts[: mains[0]] if isinstance(p, Title)), *parts[mains[0] :]]


def _finish(text: str, part: Title | Block) -> Heading | Paragraph:
    """Turn places in the source into text."""
    if isinstance(part, Title):
        return Heading(part.level, plain_text(text, part.runs))
    return Paragraph(tuple(make_pieces(text, part.runs, keep_lines=part.name == "pre")))
