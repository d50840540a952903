"""From a web page to the bare structure that the parser gets, with numbers in place of text.

The parser moves text about, joins it and resolves what is written as `&amp;`; so it only gets a
number for each stretch of text, and whatever it does, the text's place in the source stays known.
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
# Each takes up to a kilobyte of memory.
_MAX_TAGS = 1_000_000
# The parser's time grows with the square of these, nested; no page has so many.
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
    """A stretch of text between two tags (or a tag that stands for text), and which `kind`."""

    start: int
    end: int
    kind: str


@dataclass
class PageStructure:
    """A page's structure, `markup`, in which `<img 3>` stands for the runs of `groups[3]`."""

    markup: str = ""
    groups: list[tuple[TextRun, ...]] = field(default_factory=list)
    title: tuple[int, int] = (0, 0)


def extract_structure(text: str, location: str, *, is_xml: bool = False) -> PageStructure:
    """Put numbers in place of a page's text; in XML, `<p/>` is an element without content.

    >>> extract_structure("<p class=x>Salt &amp; <b>pepper</b>.<nav>Home", "a.html")
    PageStructure(markup='<p><img 0><nav boilerplate><img 1>', groups=[(TextRun(start=11, end=22, \
kind='text'), TextRun(start=25, end=31, kind='text'), TextRun(start=35, end=36, kind='text')), \
(TextRun(start=41, end=45, kind='text'),)], title=(0, 0))
    """
    builder = _StructureBuilder(text, is_xml)
    position = 0
    while tag := _TAG.search(text, position):
        builder.take_text(position, tag.start())
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
    builder.take_text(position, len(text))
    return builder.finish()


class _StructureBuilder:
    """What is known of a page up to a tag."""

    def __init__(self, text: str, is_xml: bool) -> None:
        self._text, self._is_xml = text, is_xml
        self._structure = PageStructure()
        self._markup: list[str] = []
        self._runs: list[TextRun] = []
        self._kind = TEXT
        self._in_line = False
        self._nested = dict.fromkeys(_MAX_NESTED, 0)
        # Whether each open element within a line is hidden, for names that one such had.
        self._hidden: dict[str, list[bool]] = {}

    @property
    def n_tags(self) -> int:
        """How many tags the parser will get."""
        return len(self._markup)

    def take_text(self, start: int, end: int) -> None:
        """Note the text between two tags."""
        if end > start:
            self._runs.append(TextRun(start, end, self._kind))

    def open(self, name: str, rest: str, start: int, end: int) -> int:
        """Note a start tag; gives where to go on."""
        is_empty = rest.endswith("/") and (self._is_xml or name == "svg")
        if name == "br":
            self._runs.append(TextRun(start, end, BREAK))
        elif name == "hr":
            self._give("<hr>", in_line=False)
        elif is_empty or name in VOID:
            pass
        elif name in RAW_TEXT:
            return self._pass_raw_text(name, end)
        elif RENAMED.get(name, name) in STRUCTURE:
            self._open_structure(RENAMED.get(name, name), rest)
        else:
            self._open_in_line(name, rest)
        return end

    def close(self, name: str) -> None:
        """Note an end tag."""
        name = RENAMED.get(name, name)
        if name in STRUCTURE:
            if name in _MAX_NESTED:
                is_too_deep = self._nested[name] > _MAX_NESTED[name]
                self._nested[name] = max(self._nested[name] - 1, 0)
                if is_too_deep:
                    return
            self._give(f"</{name}>", in_line=name in WITHIN_LINE)
            return
        if self._hidden.get(name) and self._hidden[name].pop():
            self._give("</span>", in_line=True)
        if name == "a":
            self._kind = TEXT

    def finish(self) -> PageStructure:
        """Give what the parser gets."""
        self._give("", in_line=False)
        self._structure.markup = "".join(self._markup)
        return self._structure

    def _open_structure(self, name: str, rest: str) -> None:
        if name in _MAX_NESTED:
            self._nested[name] += 1
            if self._nested[name] > _MAX_NESTED[name]:
                return
        flag = find_flag(name, rest)
        self._give(f"<{name} {flag}>" if flag else f"<{name}>", in_line=name in WITHIN_LINE)

    def _open_in_line(self, name: str, rest: str) -> None:
        if name == "a":
            self._kind = LINK if _HREF.search(rest) else TEXT
        is_hidden = bool(rest) and hides(name, rest)
        if is_hidden or self._hidden.get(name):
            self._hidden.setdefault(name, []).append(is_hidden)
        if is_hidden:
            self._give("<span hidden>", in_line=True)

    def _pass_raw_text(self, name: str, start: int) -> int:
        found = _RAW_ENDS[name].search(self._text, start)
        end = found.start() if found else len(self._text)
        # Pictures have titles too, but none before the page's own.
        if name == "title" and not self._markup and self._structure.title == (0, 0):
            self._structure.title = (start, end)
        return end

    def _give(self, tag: str, *, in_line: bool) -> None:
        """Give a tag to the parser, after a number for the text that stood before it."""
        runs, self._runs = self._runs, []
        # Space between blocks means nothing, space within a line does.
        if runs and (self._in_line or not all(map(self._is_blank, runs))):
            self._markup.append(f"<img {len(self._structure.groups)}>")
            self._structure.groups.append(tuple(runs))
        self._markup.append(tag)
        self._in_line = in_line

    def _is_blank(self, run: TextRun) -> bool:
        return run.kind == BREAK or self._text[run.start : run.end].isspace()
