"""The markup of a web page with placeholders for text.

The HTML parser moves and joins text and resolves character references, so offsets would be lost. It
is therefore given a numbered placeholder for each stretch of text, and only tags that matter.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

from permutopic.readers.read_log import ReadError
from permutopic.readers.web.rules import (
    RAW_TEXT,
    RENAMED,
    STRUCTURE,
    VOID,
    WITHIN_LINE,
    find_flag,
    hides,
)

TEXT, LINK, BREAK, CELL = "text", "link", "break", "cell"
# Bounds memory: each tag takes up to a kilobyte.
_MAX_TAGS = 1_000_000
# The parser's time is quadratic in the depth of these; no page nests them so deeply.
_MAX_NESTED = {"table": 40, "object": 40}

_REST = r"""(?:[^=>]++|=[\t\n\f\r ]*+(?:"[^"]*+"?+|'[^']*+'?+|[^\t\n\f\r >]*+))*+"""
_TAG = re.compile(
    rf"""<(?:
        ([A-Za-z][^\t\n\f\r />]*+) ({_REST}) >?+
      | /([A-Za-z][^\t\n\f\r />]*+) {_REST} >?+
      | !--(?:-?>|(?:[^-]++|-(?!-!?>))*+(?:--!?>)?+)
      | [!?/][^>]*+>?+
    )""",
    re.VERBOSE,
)
_RAW_ENDS = {
    name: re.compile(rf"</{name}(?=[\t\n\f\r />])", re.IGNORECASE | re.ASCII) for name in RAW_TEXT
}
_HREF = re.compile(r"""(?:^|[\t\n\f\r "'/])href[\t\n\f\r ]*=""", re.IGNORECASE)


class TextRun(NamedTuple):
    """A stretch of source: text or a link between two tags, or a tag such as <br>; see `kind`."""

    start: int
    end: int
    kind: str


@dataclass
class PageStructure:
    """Markup without text, in which `<img 3>` is the placeholder of the runs in `groups[3]`."""

    markup: str = ""
    groups: list[tuple[TextRun, ...]] = field(default_factory=list)
    title: tuple[int, int] = (0, 0)


def extract_structure(text: str, location: str, *, is_xml: bool = False) -> PageStructure:
    """Replace the text of a page by placeholders; in XML, `<p/>` is an element without content.

    >>> extract_structure("<p class=x>Salt &amp; <b>pepper</b>.<nav>Home", "a.html")
    PageStructure(markup='<p><img 0><nav boilerplate><img 1>', groups=[(TextRun(start=11, end=22, \
kind='text'), TextRun(start=25, end=31, kind='text'), TextRun(start=35, end=36, kind='text')), \
(TextRun(start=41, end=45, kind='text'),)], title=(0, 0))
    """
    builder = _StructureBuilder(text, is_xml)
    position = 0
    while tag := _TAG.search(text, position):
        builder.add_text(position, tag.start())
        position = tag.end()
        name, rest, end_name = tag.groups()
        if name is not None:
            position = builder.open(name.lower(), rest, tag.start(), position)
        elif end_name is not None:
            builder.close(end_name.lower())
        if builder.n_tags > _MAX_TAGS:
            raise ReadError(
                location, "too long", f"has more than {_MAX_TAGS:,} tags: split it into documents"
            )
    builder.add_text(position, len(text))
    return builder.finish()


class _StructureBuilder:
    """Builds the structure of a page tag by tag."""

    def __init__(self, text: str, is_xml: bool) -> None:
        self._text, self._is_xml = text, is_xml
        self._structure = PageStructure()
        self._markup: list[str] = []
        self._runs: list[TextRun] = []
        self._kind = TEXT
        self._in_line = False
        self._nested = dict.fromkeys(_MAX_NESTED, 0)
        # By name: whether each open inline element is hidden, once one of that name was.
        self._hidden: dict[str, list[bool]] = {}

    @property
    def n_tags(self) -> int:
        """Number of tags for the parser so far."""
        return len(self._markup)

    def add_text(self, start: int, end: int) -> None:
        """Add the text between two tags."""
        if end > start:
            self._runs.append(TextRun(start, end, self._kind))

    def open(self, name: str, rest: str, start: int, end: int) -> int:
        """Add a start tag; return the offset where to continue."""
        is_empty = rest.endswith("/") and (self._is_xml or name == "svg")
        if name == "br":
            self._runs.append(TextRun(start, end, BREAK))
        elif name == "hr":
            self._emit("<hr>", in_line=False)
        elif is_empty or name in VOID:
            pass
        elif name in RAW_TEXT:
            return self._skip_raw_text(name, end)
        elif RENAMED.get(name, name) in STRUCTURE:
            self._open_structure(RENAMED.get(name, name), rest)
        else:
            self._open_in_line(name, rest)
        return end

    def close(self, name: str) -> None:
        """Add an end tag."""
        name = RENAMED.get(name, name)
        if name in STRUCTURE:
            if name in _MAX_NESTED:
                is_too_deep = self._nested[name] > _MAX_NESTED[name]
                self._nested[name] = max(self._nested[name] - 1, 0)
                if is_too_deep:
                    return
            self._emit(f"</{name}>", in_line=name in WITHIN_LINE)
            return
        if self._hidden.get(name) and self._hidden[name].pop():
            self._emit("</span>", in_line=True)
        if name == "a":
            self._kind = TEXT

    def finish(self) -> PageStructure:
        """Return the structure."""
        self._emit("", in_line=False)
        self._structure.markup = "".join(self._markup)
        return self._structure

    def _open_structure(self, name: str, rest: str) -> None:
        if name in _MAX_NESTED:
            self._nested[name] += 1
            if self._nested[name] > _MAX_NESTED[name]:
                return
        flag = find_flag(name, rest)
        self._emit(f"<{name} {flag}>" if flag else f"<{name}>", in_line=name in WITHIN_LINE)

    def _open_in_line(self, name: str, rest: str) -> None:
        if name == "a":
            self._kind = LINK if _HREF.search(rest) else TEXT
        is_hidden = bool(rest) and hides(name, rest)
        if is_hidden or self._hidden.get(name):
            self._hidden.setdefault(name, []).append(is_hidden)
        if is_hidden:
            self._emit("<span hidden>", in_line=True)

    def _skip_raw_text(self, name: str, start: int) -> int:
        found = _RAW_ENDS[name].search(self._text, start)
        end = found.start() if found else len(self._text)
        # SVG has title elements too, but none before that of the page.
        if name == "title" and not self._markup and self._structure.title == (0, 0):
            self._structure.title = (start, end)
        return end

    def _emit(self, tag: str, *, in_line: bool) -> None:
        """Append a tag, after a placeholder for the text before it."""
        runs, self._runs = self._runs, []
        # White space is significant within a line, but not between blocks.
        if runs and (self._in_line or not all(map(self._is_blank, runs))):
            self._markup.append(f"<img {len(self._structure.groups)}>")
            self._structure.groups.append(tuple(runs))
        self._markup.append(tag)
        self._in_line = in_line

    def _is_blank(self, run: TextRun) -> bool:
        return run.kind == BREAK or self._text[run.start : run.end].isspace()
