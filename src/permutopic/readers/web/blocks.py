"""Headings and paragraphs of a web page, from its tree of elements."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import groupby, pairwise
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from permutopic.readers.web.prose import measure_links, measure_text
from permutopic.readers.web.rules import HEADINGS, WITHIN_LINE
from permutopic.readers.web.structure import BREAK, CELL, TEXT, PageStructure, TextRun

if TYPE_CHECKING:
    from collections.abc import Sequence, Set

# A heading with blocks in it and more characters than this was never closed.
_MAX_HEADING = 300
# Minimum share of links in a paragraph that is only links; minimum number of these in a list.
_MIN_LINK_SHARE, _MIN_LINK_LIST = 0.8, 3
_BLANK = re.compile(r"(?:\s|&nbsp;?|&#160;?)*+")
# Names for a header of which only the headings are kept, and a table cell with one paragraph.
_HEADER, _CELL = "(header)", "(cell)"


@dataclass(slots=True)
class HtmlNode:
    """An element, or text (if `group`, its index in the structure's groups, is not −1).

    `stop` is the index of the first node after its descendants, `size` the number of characters of
    text in it, without links.
    """

    name: str
    flag: str
    group: int
    stop: int = 0
    size: int = 0


class HtmlHeading(NamedTuple):
    """A heading: its level and its runs of the source."""

    level: int
    runs: tuple[TextRun, ...]


class HtmlBlock(NamedTuple):
    """A paragraph: the name of its element and its runs of the source."""

    name: str
    runs: tuple[TextRun, ...]


def flatten(root: Any, structure: PageStructure) -> list[HtmlNode]:
    """List the elements and texts of a tree in document order, without recursion."""
    nodes: list[HtmlNode] = []
    n_characters = 0
    # The node of an element is pushed before its children, and popped after all of them.
    stack: list[Any] = [root]
    while stack:
        item = stack.pop()
        if isinstance(item, HtmlNode):
            item.stop = len(nodes)
            item.size = n_characters - item.size
            continue
        group = int(next(iter(item.attrs))) if item.name == "img" else -1
        flag = "" if group >= 0 else next(iter(item.attrs or ()), "")
        node = HtmlNode(item.name, flag, group, size=n_characters)
        nodes.append(node)
        if group >= 0:
            runs = structure.groups[group]
            n_characters += sum(run.end - run.start for run in runs if run.kind == TEXT)
        stack.append(node)
        stack.extend(reversed(item.children or ()))
    return nodes


class BlockExtractor:
    """Collects headings and paragraphs from the nodes of a page.

    Elements with a flag in `excluded` are skipped unless they are `retained`. The headings of a
    header are kept if `keeps_header`: they are then the text's and not the site's.
    """

    def __init__(
        self,
        text: str,
        structure: PageStructure,
        nodes: list[HtmlNode],
        excluded: frozenset[str],
        retained: Set[int] = frozenset(),
        keeps_header: bool = True,
    ) -> None:
        self._text, self._structure, self._nodes = text, structure, nodes
        self._excluded, self._retained = excluded, retained
        self._keeps_header = keeps_header
        self._parts: list[HtmlHeading | HtmlBlock] = []
        self._runs: list[TextRun] = []
        # Of each open element: its stop, its name, and the number of parts before it.
        self._open: list[tuple[int, str, int]] = []
        self._n_open_headers = 0

    def extract(self, first: int) -> list[HtmlHeading | HtmlBlock]:
        """Return the parts of an element in the order of the source."""
        stop = self._nodes[first].stop
        position = first
        while position < stop:
            while self._open and self._open[-1][0] <= position:
                self._close_element()
            position = self._visit(position)
        while self._open:
            self._close_element()
        self._flush()
        return in_order(self._parts)

    def _visit(self, position: int) -> int:
        """Process one node; return the index of the next."""
        node = self._nodes[position]
        if node.group >= 0:
            self._runs.extend(self._structure.groups[node.group])
        elif self._is_excluded(position):
            if node.flag != "header" or not self._keeps_header:
                if node.name not in WITHIN_LINE:
                    self._flush()
                return node.stop
            self._open_element(_HEADER, node.stop)
            self._n_open_headers += 1
        elif node.name in HEADINGS:
            # A heading in a header that is only a link names the site.
            is_site = self._n_open_headers > 0 and node.size == 0
            return node.stop if is_site else self._visit_heading(position)
        elif node.name not in WITHIN_LINE:
            self._open_element(node.name, node.stop)
        return position + 1

    def _is_excluded(self, position: int) -> bool:
        """Whether an element is left out."""
        flag = self._nodes[position].flag
        if flag == "masthead" and self._keeps_header:
            return False
        return flag in self._excluded and position not in self._retained

    def _visit_heading(self, position: int) -> int:
        """Add a heading; return the index of the first node after it."""
        self._flush()
        heading = self._nodes[position]
        runs: list[TextRun] = []
        crosses_block = False
        position += 1
        while position < heading.stop:
            node = self._nodes[position]
            if node.group >= 0:
                group = self._structure.groups[node.group]
                if crosses_block:
                    runs.append(TextRun(group[0].start, group[0].start, CELL))
                runs.extend(group)
                crosses_block = False
            elif node.flag in self._excluded:
                position = node.stop
                continue
            elif node.name not in WITHIN_LINE:
                if heading.size > _MAX_HEADING:
                    break
                crosses_block = True
            position += 1
        if runs:
            self._parts.append(HtmlHeading(int(heading.name[1]), tuple(runs)))
        return position

    def _open_element(self, name: str, stop: int) -> None:
        self._flush()
        self._open.append((stop, name, len(self._parts)))

    def _close_element(self) -> None:
        self._flush()
        _, name, n_before = self._open.pop()
        if name == _HEADER:
            self._n_open_headers -= 1
        elif name in {"td", "th"} and len(self._parts) == n_before + 1:
            only = self._parts[-1]
            if isinstance(only, HtmlBlock) and only.name != "pre":
                self._parts[-1] = HtmlBlock(_CELL, self._trim(only.runs))
        elif name == "tr":
            inside = self._parts[n_before:]
            if inside and all(part[0] == _CELL for part in inside):
                self._parts[n_before:] = [_join_cells(inside)]

    def _trim(self, runs: tuple[TextRun, ...]) -> tuple[TextRun, ...]:
        """Drop white space at both ends of runs that are not all blank."""
        shown = [n for n, run in enumerate(runs) if not self._is_blank(run)]
        kept = list(runs[shown[0] : shown[-1] + 1])
        start, end, _ = kept[0]
        kept[0] = kept[0]._replace(start=end - len(self._text[start:end].lstrip()))
        start, end, _ = kept[-1]
        kept[-1] = kept[-1]._replace(end=start + len(self._text[start:end].rstrip()))
        return tuple(kept)

    def _flush(self) -> None:
        """End the current paragraph; two line breaks in a row split it."""
        runs, self._runs = self._runs, []
        if not runs or self._n_open_headers:
            return
        name = self._open[-1][1] if self._open else ""
        begin, n_breaks = 0, 0
        if name != "pre":
            for index, run in enumerate(runs):
                if run.kind == BREAK:
                    n_breaks += 1
                elif not self._is_blank(run):
                    if n_breaks > 1:
                        self._add(name, runs[begin:index])
                        begin = index
                    n_breaks = 0
        self._add(name, runs[begin:])

    def _add(self, name: str, runs: list[TextRun]) -> None:
        if not all(map(self._is_blank, runs)):
            self._parts.append(HtmlBlock(name, tuple(runs)))

    def _is_blank(self, run: TextRun) -> bool:
        is_break = run.kind == BREAK
        return is_break or _BLANK.fullmatch(self._text, run.start, run.end) is not None


def drop_links(text: str, parts: list[HtmlHeading | HtmlBlock]) -> list[HtmlHeading | HtmlBlock]:
    """Drop the paragraphs that are mostly links.

    A long sentence that is one link is kept, unless it is one of several in a row.
    """
    blocks = [number for number, part in enumerate(parts) if isinstance(part, HtmlBlock)]
    left_out: set[int] = set()
    for are_links, group in groupby(blocks, key=lambda number: _is_links(text, parts[number])):
        row = list(group)
        if are_links:
            is_list = len(row) >= _MIN_LINK_LIST
            left_out.update(n for n in row if is_list or not _is_sentence(text, parts[n]))
    return [part for number, part in enumerate(parts) if number not in left_out]


def _is_links(text: str, part: HtmlHeading | HtmlBlock) -> bool:
    if part[0] in {"caption", "dt", "figcaption", "pre"}:
        return False
    visible, linked = measure_links(text, part.runs)
    return linked >= _MIN_LINK_SHARE * visible


def _is_sentence(text: str, part: HtmlHeading | HtmlBlock) -> bool:
    return part[0] != "li" and measure_text(text, part.runs).sentences > 0


def in_order(parts: list[HtmlHeading | HtmlBlock]) -> list[HtmlHeading | HtmlBlock]:
    """Sort parts by the source; HTML 5 moves text of a table outside its cells before the table."""
    starts = [run.start for part in parts for run in part.runs]
    if all(a <= b for a, b in pairwise(starts)):
        return parts
    located = sorted((run, number) for number, part in enumerate(parts) for run in part.runs)
    ordered: list[HtmlHeading | HtmlBlock] = []
    for number, group in groupby(located, key=itemgetter(1)):
        ordered.append(parts[number]._replace(runs=tuple(run for run, _ in group)))
    return ordered


def _join_cells(cells: Sequence[HtmlHeading | HtmlBlock]) -> HtmlBlock:
    runs = list(cells[0].runs)
    for cell in cells[1:]:
        start = cell.runs[0].start
        runs += [TextRun(start, start, CELL), *cell.runs]
    return HtmlBlock("tr", tuple(runs))
