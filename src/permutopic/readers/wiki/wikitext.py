"""The wikitext of one page to headings and paragraphs, each character with its place."""

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
# Only where one of these stands is there anything for the parser.
_MARKED = re.compile(r"\[|&|//|mailto:")
_RUN = re.compile(
    rf"(?P<hidden>{HIDDEN}+|\[\[|\]\])|(?P<break>{BREAK}{REST}*)|(?P<quotes>'{{2,}})"
    rf"|[^{HIDDEN}{BREAK}{REST}'\[\]]+|."
)


class _WikiBlock(NamedTuple):
    """A stretch of a page: a heading's text (level 1 to 6) or a paragraph (level 0)."""

    level: int
    start: int
    end: int


def read_wikitext(text: str, names: NamespaceNames | None = None) -> Iterator[Heading | Paragraph]:
    r"""Divide a page into headings and paragraphs.

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
            # A heading made by a template alone still divides: it is called as it is written.
            shown = shown if shown.strip() else text[block.start : block.end]
            yield Heading(block.level, " ".join(shown.split()))
        elif any(map(str.isalnum, shown)):  # else the full stop after a template, perhaps
            yield Paragraph(pieces)


def _blocks(blanked: str) -> Iterator[_WikiBlock]:
    """Divide at blank lines, headings, list items, rules and what is left of broken tables."""
    start = end = at = 0
    for line in blanked.split("\n"):
        block = _one_line(line.strip(_BLANK), line, at)
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


def _one_line(bare: str, line: str, at: int) -> _WikiBlock | None:
    """Make a block of a line that is one by itself (an empty block to leave it out)."""
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
    """Give the text that a block shows."""
    block = blanked[start:end]
    ends_blank = True
    for first, last, shown in _shown(block):
        if shown is not None:
            runs = iter([Piece(shown, start + first, start + last)] if shown else [])
        else:
            runs = _runs(text, block, start, first, last)
        for run in runs:
            piece = run
            # What is left out leaves no second blank behind.
            if ends_blank and len(run.text) == run.end - run.start and run.text[0] == " ":
                piece = Piece(run.text[1:], run.start + 1, run.end)
            if piece.text:
                yield piece
                ends_blank = piece.text[-1].isspace()


def _runs(text: str, block: str, start: int, first: int, last: int) -> Iterator[Piece]:
    """Leave hidden stretches and the quotes of bold and italics out of plain text."""
    begin = at = first
    for run in _RUN.finditer(block, first, last):
        if run.lastgroup is None:
            at = run.end()
            continue
        # Four quotes are one and bold, more than five are some and both.
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


def _shown(block: str) -> list[tuple[int, int, str | None]]:
    """Find the stretches of a block that are shown: plain ones, and characters written by name."""
    if not _MARKED.search(block):
        return [(0, len(block), None)]
    parser = needs("mwparserfromhell", "wiki", "MediaWiki dumps")
    found: list[tuple[int, int, str | None]] = []
    try:
        end = _walk(parser.parse(block, skip_style_tags=True), 0, found)
    except (parser.parser.ParserError, RecursionError):
        end = -1
    # Places are counted from the lengths of what was parsed: they must add up.
    return found if end == len(block) else [(0, len(block), None)]


def _walk(code: Any, at: int, found: list[tuple[int, int, str | None]]) -> int:
    """Go over parsed nodes from a place on; give the place where they end."""
    for node in code.nodes:
        written = str(node)
        kind = type(node).__name__
        if kind == "HTMLEntity":
            found.append((at, at + len(written), html.unescape(written)))
        elif kind == "Wikilink":
            _walk_link(node, at + 2, found)
        elif kind == "ExternalLink":
            if node.title is not None:
                _walk(node.title, at + len(written) - 1 - len(str(node.title)), found)
        else:
            found.append((at, at + len(written), None))
        at += len(written)
    return at


def _walk_link(link: Any, at: int, found: list[tuple[int, int, str | None]]) -> None:
    """Take a link's text, or else its target without the colon that some begin with."""
    target = str(link.title)
    if link.text is not None:
        _walk(link.text, at + len(target) + 1, found)
        return
    inside: list[tuple[int, int, str | None]] = []
    _walk(link.title, at, inside)
    skip = at + len(target) - len(target.lstrip(": "))
    found += [(max(a, skip), b, shown) for a, b, shown in inside if b > skip]
