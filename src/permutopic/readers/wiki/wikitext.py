"""Headings and paragraphs of one page of wikitext, with their offsets."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from permutopic.documents import Heading, Paragraph, Piece
from permutopic.extras import needs
from permutopic.readers.wiki.markup import (
    BREAK,
    HEADINGS,
    HIDDEN,
    REST,
    NamespaceNames,
    blank_markup,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

_BLANK = f" \t\r\f\v{HIDDEN}"
_ITEM = re.compile(rf"[*#:;{_BLANK}]+")
# Text without any of these needs no parser.
_NEEDS_PARSER = re.compile(r"\[|&|//|mailto:")
_RUN = re.compile(
    rf"(?P<hidden>{HIDDEN}+|\[\[|\]\])|(?P<break>{BREAK}{REST}*)|(?P<quotes>'{{2,}})"
    rf"|[^{HIDDEN}{BREAK}{REST}'\[\]]+|."
)


class _WikiBlock(NamedTuple):
    """A span of a page: the text of a heading (level 1 to 6) or a paragraph (level 0)."""

    level: int
    start: int
    end: int


def read_wikitext(text: str, names: NamespaceNames | None = None) -> Iterator[Heading | Paragraph]:
    r"""Yield the headings and paragraphs of a page.

    Templates, tables, notes, pictures, categories and the like are left out; a list item is a
    paragraph. `names` says what the wiki calls its categories and files.

    >>> heading, paragraph = read_wikitext("== A [[B|C]] ==\n'''D''' &amp; [[E]]s")
    >>> heading
    Heading(level=2, text='A C')
    >>> [(piece.text, piece.start, piece.end) for piece in paragraph.pieces]
    [('D', 19, 20), (' ', 23, 24), ('&', 24, 29), (' ', 29, 30), ('E', 32, 33), ('s', 35, 36)]
    """
    blanked = blank_markup(text, NamespaceNames() if names is None else names)
    for block in _blocks(blanked):
        pieces = tuple(_pieces(text, blanked, block.start, block.end))
        shown = "".join(piece.text for piece in pieces)
        if block.level:
            # A heading that is only a template still begins a section: use its source as text.
            shown = shown if shown.strip() else text[block.start : block.end]
            yield Heading(block.level, " ".join(shown.split()))
        elif any(map(str.isalnum, shown)):  # not, for example, only the full stop after a template
            yield Paragraph(pieces)


def _blocks(blanked: str) -> Iterator[_WikiBlock]:
    """Split at blank lines, headings, list items, rules and the rest of broken tables."""
    start = end = at = 0
    for line in blanked.split("\n"):
        block = _line_block(line.strip(_BLANK), line, at)
        if block is None:
            end = at + len(line)
        else:
            if end > start:
                yield _WikiBlock(0, start, end)
            if block.end > block.start:
                yield block
            start = end = at + len(line) + 1
        at += len(line) + 1
    if end > start:
        yield _WikiBlock(0, start, end)


def _line_block(bare: str, line: str, at: int) -> _WikiBlock | None:
    """Return the block of a line that is one by itself (empty to leave it out), or None."""
    nothing = _WikiBlock(0, at, at)
    if not bare or bare.startswith(("|", "{|")):
        return nothing
    first = at + line.index(bare[0])
    last = first + len(bare)
    if bare[0] in HEADINGS:
        return _WikiBlock(HEADINGS.index(bare[0]) + 1, first + 1, last)
    if bare[0] == "=" == bare[-1]:
        inner = bare.strip("=")
        level = min(len(bare) - len(bare.lstrip("=")), len(bare) - len(bare.rstrip("=")), 6)
        return _WikiBlock(level, first + level, last - level) if inner else nothing
    if bare[0] in "*#:;":
        prefix = _ITEM.match(bare)
        return _WikiBlock(0, first + (prefix.end() if prefix else 0), last)
    if bare.startswith("----"):
        return _WikiBlock(0, last - len(bare.lstrip("-")), last)
    return None


def _pieces(text: str, blanked: str, start: int, end: int) -> Iterator[Piece]:
    """Yield the text that a block shows."""
    block = blanked[start:end]
    ends_blank = True
    for first, last, shown in _shown_spans(block):
        if shown is not None:
            runs = iter([Piece(shown, start + first, start + last)] if shown else [])
        else:
            runs = _runs(text, block, start, first, last)
        for run in runs:
            piece = run
            # Two blanks around something left out become one.
            if ends_blank and len(run.text) == run.end - run.start and run.text[0] == " ":
                piece = Piece(run.text[1:], run.start + 1, run.end)
            if piece.text:
                yield piece
                ends_blank = piece.text[-1].isspace()


def _runs(text: str, block: str, start: int, first: int, last: int) -> Iterator[Piece]:
    """Yield plain text without hidden stretches and the quotes of bold and italics."""
    begin = at = first
    for run in _RUN.finditer(block, first, last):
        if run.lastgroup is None:
            at = run.end()
            continue
        # Four quotes are an apostrophe and bold; more than five, apostrophes and bold italics.
        shown = run.start()
        if run["quotes"]:
            size = len(run["quotes"])
            shown += 1 if size == 4 else max(size - 5, 0)
        if shown > begin:
            yield Piece(text[start + begin : start + shown], start + begin, start + shown)
        if run["break"]:
            yield Piece("\n", start + run.start(), start + run.end())
        begin = at = run.end()
    if at > begin:
        yield Piece(text[start + begin : start + at], start + begin, start + at)


def _shown_spans(block: str) -> list[tuple[int, int, str | None]]:
    """Return the spans of a block that are shown, each with its text if that is an entity."""
    if not _NEEDS_PARSER.search(block):
        return [(0, len(block), None)]
    parser = needs("mwparserfromhell", "wiki", "MediaWiki dumps")
    found: list[tuple[int, int, str | None]] = []
    try:
        end = _append_nodes(parser.parse(block, skip_style_tags=True), 0, found)
    except (parser.parser.ParserError, RecursionError):
        end = -1
    # Offsets are sums of the lengths of parsed nodes: if the total is wrong, do not use them.
    return found if end == len(block) else [(0, len(block), None)]


def _append_nodes(code: Any, at: int, found: list[tuple[int, int, str | None]]) -> int:
    """Append the shown spans of parsed nodes, which begin at `at`; return their end."""
    for node in code.nodes:
        written = str(node)
        kind = type(node).__name__
        if kind == "HTMLEntity":
            found.append((at, at + len(written), html.unescape(written)))
        elif kind == "Wikilink":
            _append_link(node, at + 2, found)
        elif kind == "ExternalLink":
            if node.title is not None:
                _append_nodes(node.title, at + len(written) - 1 - len(str(node.title)), found)
        else:
            found.append((at, at + len(written), None))
        at += len(written)
    return at


def _append_link(link: Any, at: int, found: list[tuple[int, int, str | None]]) -> None:
    """Append the text of a link, or else its target without a leading colon."""
    target = str(link.title)
    if link.text is not None:
        _append_nodes(link.text, at + len(target) + 1, found)
        return
    inside: list[tuple[int, int, str | None]] = []
    _append_nodes(link.title, at, inside)
    skip = at + len(target) - len(target.lstrip(": "))
    found += [(max(a, skip), b, shown) for a, b, shown in inside if b > skip]
