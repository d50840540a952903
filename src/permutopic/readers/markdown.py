"""Markdown (CommonMark, tables, strikethrough): a paragraph, an item or a table row is a unit.

Code blocks, HTML blocks and tags, images, link targets, link definitions and front matter are left
out. The `title` of the front matter is used if no heading is a title.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from permutopic.documents import (
    Document,
    Heading,
    Paragraph,
    Piece,
    join_pieces,
    make_document,
    trim_pieces,
)
from permutopic.errors import Message, Parameter
from permutopic.readers.markdown_tokens import (
    MarkdownLines,
    TracedText,
    split_blocks,
    split_inline,
)
from permutopic.readers.read_log import ReadError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from markdown_it.token import Token

    from permutopic.readers.read_log import ReadLog
    from permutopic.readers.settings import ReadOptions
    from permutopic.readers.source import Source

_OPENING = re.compile(r"(---|\+\+\+)[ \t]*(?:\r\n?|\n)")
_CLOSING = {
    "---": re.compile(r"(?<![^\r\n])(?:---|\.\.\.)[ \t]*(?:\r\n?|\n|\Z)"),
    "+++": re.compile(r"(?<![^\r\n])\+\+\+[ \t]*(?:\r\n?|\n|\Z)"),
}
# Every line of front matter must look like YAML: --- is also a thematic break.
_YAML_LINE = re.compile(r"""\s|\Z|#|-\s|[\]}]|["']?\w[\w .-]{0,60}["']?:(?:\s|\Z)""")
_TITLE = re.compile(r"(?<![^\r\n])title[ \t]*[:=][ \t]*(\S[^\r\n]*)", re.IGNORECASE)
_QUOTED = re.compile(r""""((?:[^"\\]|\\.)*)"|'((?:[^']|'')*)'""")
# {#name .kind} after a heading: attributes of Pandoc and others.
_ATTRIBUTES = re.compile(r" ?\{ ?[#.:][^{}]*\}$")
_BREAK = re.compile(r"<br\b", re.IGNORECASE)


# Bounds memory: the parser makes objects of some kilobytes for every paragraph.
_MAX_LINES = 300_000


class _ParsedText(NamedTuple):
    """The lines of a text and the parser's environment (link definitions)."""

    lines: MarkdownLines
    env: dict[str, Any]


def read(source: Source, options: ReadOptions, log: ReadLog) -> Iterator[Document]:
    """Read a Markdown file as one document."""
    text = source.text(options, log)
    if text.count("\n") + text.count("\r") > _MAX_LINES:
        detail = Message(
            f"more than {_MAX_LINES:,} lines: split it into documents, or read it as text (",
            Parameter("format", "text"),
            ")",
        )
        raise ReadError(source.name, "too long", detail)
    begin, title = skip_front_matter(text)
    body = _ParsedText(MarkdownLines(text, begin), {})
    try:
        tokens = split_blocks(body.lines.text, body.env)
        parts = list(_parts(tokens, body))
    except Exception as error:  # the parser may raise any type; the error must name the file
        detail = Message(
            f"cannot be read as Markdown ({type(error).__name__}): read it as text (",
            Parameter("format", "text"),
            ")",
        )
        raise ReadError(source.name, "not Markdown", detail) from error
    yield make_document(
        parts,
        title=title or source.title,
        location=source.name,
        source=text,
        depth=options.depth,
        # A title in the front matter is often followed by text and then headings of level 2.
        text_before_title=not title or _has_top_heading(parts),
    )


def _has_top_heading(parts: list[Heading | Paragraph]) -> bool:
    return any(isinstance(part, Heading) and part.level == 1 for part in parts)


def skip_front_matter(text: str) -> tuple[int, str]:
    r"""Return the end of the front matter of a text, and the title in it.

    >>> skip_front_matter("---\ntitle: Iron\n---\nA metal.")
    (20, 'Iron')
    >>> skip_front_matter("A metal.")
    (0, '')
    """
    opening = _OPENING.match(text)
    closing = _CLOSING[opening[1]].search(text, opening.end()) if opening else None
    if opening is None or closing is None:
        return 0, ""
    matter = text[opening.end() : closing.start()]
    if opening[1] == "---" and not all(map(_YAML_LINE.match, re.split(r"[\r\n]", matter))):
        return 0, ""
    title = _TITLE.search(matter)
    return closing.end(), _plain_value(title[1]) if title else ""


def _plain_value(value: str) -> str:
    """Remove quotes and a comment from a value of front matter."""
    quoted = _QUOTED.match(value)
    if quoted:
        double, single = quoted.groups()
        return re.sub(r"\\(.)", r"\1", double) if double else (single or "").replace("''", "'")
    # These begin a comment, or a value that continues on the lines below.
    return "" if value[0] in "#|>&*{[\"'" else value.partition(" #")[0].strip()


def _parts(tokens: list[Token], body: _ParsedText) -> Iterator[Heading | Paragraph]:
    cells: list[TracedText] | None = None
    row: list[Piece] = []
    for before, token in pairwise(tokens):
        if token.type == "tr_close":
            yield Paragraph(tuple(join_pieces(row)))
            cells, row = None, []
        elif token.type != "inline" or token.map is None:
            continue
        elif before.type == "heading_open":
            heading = _heading_text(token.content, body)
            if heading:  # empty if it has only an image
                yield Heading(int(before.tag[1:]), heading)
        elif before.type == "paragraph_open":
            text = body.lines.trace(token.map[0], token.meta["begins"])
            yield Paragraph(tuple(join_pieces(_inline_pieces(text, body.env))))
        elif before.type in {"th_open", "td_open"}:
            if cells is None:
                cells = _split_row(body.lines.trace(token.map[0], token.meta["begins"]))[::-1]
            if cells:
                row += _cell_pieces(cells.pop(), row, body)


def _heading_text(content: str, body: _ParsedText) -> str:
    """Return a heading without its markup."""
    pieces = _inline_pieces(TracedText(content, (0,), (0,)), body.env)
    text = " ".join("".join(piece.text for piece in pieces).split())
    return _ATTRIBUTES.sub("", text)


def _split_row(row: TracedText) -> list[TracedText]:
    r"""Split a table row into cells at its bars; \| is a bar in a cell."""
    text = row.text.rstrip()
    begin = len(text) - len(text.lstrip())
    cells = []
    ends = [begin + text.startswith("|", begin)]
    for bar in re.finditer(r"(\\?)\|", text):
        if bar.start() < ends[0]:
            continue
        if bar[1]:
            ends += [bar.start(), bar.end() - 1]
        else:
            cells.append(_cell(row, [*ends, bar.start()]))
            ends = [bar.end()]
    if ends[0] < len(text):
        cells.append(_cell(row, [*ends, len(text)]))
    return cells


def _cell(row: TracedText, ends: list[int]) -> TracedText:
    """Join a cell from stretches of its row; `ends` has starts and ends alternately."""
    pairs = [(a, b) for a, b in zip(ends[::2], ends[1::2], strict=True) if a < b]
    starts, length = [], 0
    for begin, end in pairs:
        starts.append(length)
        length += end - begin
    text = "".join(row.text[begin:end] for begin, end in pairs)
    return TracedText(text, starts or [0], [row.offset(begin) for begin, _ in pairs] or [0])


def _cell_pieces(cell: TracedText, row: list[Piece], body: _ParsedText) -> list[Piece]:
    """Return the pieces of a cell, after a space for the bar before it if it is not the first."""
    pieces = trim_pieces(_inline_pieces(cell, body.env))
    if row and pieces:
        return [Piece(" ", row[-1].end, pieces[0].start), *pieces]
    return list(pieces)


def _inline_pieces(text: TracedText, env: dict[str, Any]) -> Iterator[Piece]:
    """Yield the pieces of the text of a block, without inline markup."""
    for token in split_inline(text.text, env):
        yield from _token_pieces(token, text)


def _token_pieces(token: Token, text: TracedText) -> Iterator[Piece]:
    start: int = token.meta["start"]
    if token.type == "text":
        yield from _verbatim_pieces(text, start, start + len(token.content))
    elif token.type == "code_inline":
        begin = start + len(token.markup)
        end = begin + len(token.content)
        # CommonMark strips one space at both ends of code.
        padded = text.text[begin:end].replace("\n", " ") != token.content
        yield from _verbatim_pieces(text, begin + padded, end + padded)
    elif token.type in {"softbreak", "hardbreak"}:
        newline = text.text.index("\n", start)
        yield from _verbatim_pieces(text, newline, newline + 1)
    elif token.type == "text_special" and token.content == token.markup[1:]:
        yield from _verbatim_pieces(text, start + 1, start + len(token.markup))
    elif token.type == "text_special":
        yield _replacement(text, token.content, start, start + len(token.markup))
    elif token.type == "html_inline" and _BREAK.match(token.content):
        yield _replacement(text, " ", start, start + len(token.content))


def _verbatim_pieces(text: TracedText, begin: int, end: int) -> Iterator[Piece]:
    for first, last in text.spans(begin, end):
        offset = text.offset(first)
        yield Piece(text.text[first:last].replace("\n", " "), offset, offset + last - first)


def _replacement(text: TracedText, by: str, begin: int, end: int) -> Piece:
    return Piece(by, text.offset(begin), text.offset(end - 1) + 1)
