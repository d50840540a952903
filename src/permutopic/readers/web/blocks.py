"""From the tree of a web page to its headings and paragraphs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import groupby, pairwise
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from permutopic.readers.web.marks import BREAK, CELL, TEXT, Marked, Run
from permutopic.readers.web.rules import HEADINGS, WITHIN_LINE
from permutopic.readers.web.weighing import weigh, weigh_links

if TYPE_CHECKING:
    from collections.abc import Sequence, Set

# A heading with blocks in it and more text than this was never closed.
_LONGEST_HEADING = 300
# A paragraph with such a share of links is one; so many of them are a list.
_LINK_SHARE, _LIST_OF_LINKS = 0.8, 3
_BLANK = re.compile(r"(?:\s|&nbsp;?|&#160;?)*+")
# A header of which only the headings are kept; a table's cell with one paragraph.
_MUTED, _CELL = "(header)", "(cell)"


@dataclass(slots=True)
class Step:
    """An element, or (where `group` is not −1) text, in the order of the tree.

    `stop` is the number of the first step after everything in it, `size` how much text that is,
    links aside.
    """

    name: str
    flag: str
    group: int
    stop: int = 0
    size: int = 0


class Title(NamedTuple):
    """A heading: its level, and where it stands in the source."""

    level: int
    runs: tuple[Run, ...]


class Block(NamedTuple):
    """A paragraph: the element it is, and where it stands in the source."""

    name: str
    runs: tuple[Run, ...]


def flatten(root: Any, marked: Marked) -> list[Step]:
    """List the elements and texts of a tree in order, however deep it is."""
    steps: list[Step] = []
    total = 0
    # An element is met again, as its step, when all in it has been met.
    waiting: list[Any] = [root]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Step):
            node.stop = len(steps)
            node.size = total - node.size
            continue
        group = int(next(iter(node.attrs))) if node.name == "img" else -1
        flag = "" if group >= 0 else next(iter(node.attrs or ()), "")
        step = Step(node.name, flag, group, size=total)
        steps.append(step)
        if group >= 0:
            total += sum(run.end - run.start for run in marked.groups[group] if run.kind == TEXT)
        waiting.append(step)
        waiting.extend(reversed(node.children or ()))
    return steps


class Walk:
    """A walk through the steps of a page, which collects headings and paragraphs.

    Elements with a flag in `leaves_out` are passed by, if they are not `spared`. Of a header the
    headings count, where `keeps_header` says that they are the text's and not the site's.
    """

    def __init__(
        self,
        text: str,
        marked: Marked,
        steps: list[Step],
        leaves_out: frozenset[str],
        spared: Set[int] = frozenset(),
        keeps_header: bool = True,
    ) -> None:
        self._text, self._marked, self._steps = text, marked, steps
        self._leaves_out, self._spared = leaves_out, spared
        self._keeps_header = keeps_header
        self._parts: list[Title | Block] = []
        self._runs: list[Run] = []
        # Open elements: where each ends, its name, and how many parts came before it.
        self._open: list[tuple[int, str, int]] = []
        self._n_muted = 0

    def through(self, first: int) -> list[Title | Block]:
        """Walk through an element; give its parts in order of the source."""
        stop = self._steps[first].stop
        position = first
        while position < stop:
            while self._open and self._open[-1][0] <= position:
                self._leave()
            position = self._take(position)
        while self._open:
            self._leave()
        self._flush()
        return in_order(self._parts)

    def _take(self, position: int) -> int:
        """Take one step; gives the next."""
        step = self._steps[position]
        if step.group >= 0:
            self._runs.extend(self._marked.groups[step.group])
        elif self._passes_by(position):
            if step.flag != "header" or not self._keeps_header:
                if step.name not in WITHIN_LINE:
                    self._flush()
                return step.stop
            self._enter(_MUTED, step.stop)
            self._n_muted += 1
        elif step.name in HEADINGS:
            # A heading in a header that is only a link is the site's.
            is_site = self._n_muted > 0 and step.size == 0
            return step.stop if is_site else self._take_heading(position)
        elif step.name not in WITHIN_LINE:
            self._enter(step.name, step.stop)
        return position + 1

    def _passes_by(self, position: int) -> bool:
        """Tell whether to leave an element out."""
        flag = self._steps[position].flag
        if flag == "masthead" and self._keeps_header:
            return False
        return flag in self._leaves_out and position not in self._spared

    def _take_heading(self, position: int) -> int:
        """Take a heading; gives the first step after it."""
        self._flush()
        heading = self._steps[position]
        runs: list[Run] = []
        crosses_block = False
        position += 1
        while position < heading.stop:
            step = self._steps[position]
            if step.group >= 0:
                group = self._marked.groups[step.group]
                if crosses_block:
                    runs.append(Run(group[0].start, group[0].start, CELL))
                runs.extend(group)
                crosses_block = False
            elif step.flag in self._leaves_out:
                position = step.stop
                continue
            elif step.name not in WITHIN_LINE:
                if heading.size > _LONGEST_HEADING:
                    break
                crosses_block = True
            position += 1
        if runs:
            self._parts.append(Title(int(heading.name[1]), tuple(runs)))
        return position

    def _enter(self, name: str, stop: int) -> None:
        self._flush()
        self._open.append((stop, name, len(self._parts)))

    def _leave(self) -> None:
        self._flush()
        _, name, n_before = self._open.pop()
        if name == _MUTED:
            self._n_muted -= 1
        elif name in {"td", "th"} and len(self._parts) == n_before + 1:
            only = self._parts[-1]
            if isinstance(only, Block) and only.name != "pre":
                self._parts[-1] = Block(_CELL, self._trim(only.runs))
        elif name == "tr":
            inside = self._parts[n_before:]
            if inside and all(part[0] == _CELL for part in inside):
                self._parts[n_before:] = [_join_cells(inside)]

    def _trim(self, runs: tuple[Run, ...]) -> tuple[Run, ...]:
        """Leave out the space at both ends of runs that are not all blank."""
        shown = [n for n, run in enumerate(runs) if not self._is_blank(run)]
        kept = list(runs[shown[0] : shown[-1] + 1])
        start, end, _ = kept[0]
        kept[0] = kept[0]._replace(start=end - len(self._text[start:end].lstrip()))
        start, end, _ = kept[-1]
        kept[-1] = kept[-1]._replace(end=start + len(self._text[start:end].rstrip()))
        return tuple(kept)

    def _flush(self) -> None:
        """End the paragraph, if one has begun; empty lines divide it."""
        runs, self._runs = self._runs, []
        if not runs or self._n_muted:
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

    def _add(self, name: str, runs: list[Run]) -> None:
        if not all(map(self._is_blank, runs)):
            self._parts.append(Block(name, tuple(runs)))

    def _is_blank(self, run: Run) -> bool:
        is_break = run.kind == BREAK
        return is_break or _BLANK.fullmatch(self._text, run.start, run.end) is not None


def without_links(text: str, parts: list[Title | Block]) -> list[Title | Block]:
    """Leave out the paragraphs that hold hardly anything but links.

    A sentence that is all one link stays, unless it is one of many in a row.
    """
    blocks = [number for number, part in enumerate(parts) if isinstance(part, Block)]
    left_out: set[int] = set()
    for are_links, group in groupby(blocks, key=lambda number: _is_links(text, parts[number])):
        row = list(group)
        if are_links:
            is_list = len(row) >= _LIST_OF_LINKS
            left_out.update(n for n in row if is_list or not _is_sentence(text, parts[n]))
    return [part for number, part in enumerate(parts) if number not in left_out]


def _is_links(text: str, part: Title | Block) -> bool:
    if part[0] in {"caption", "dt", "figcaption", "pre"}:
        return False
    seen, linked = weigh_links(text, part.runs)
    return linked >= _LINK_SHARE * seen


def _is_sentence(text: str, part: Title | Block) -> bool:
    return part[0] != "li" and weigh(text, part.runs).sentences > 0


def in_order(parts: list[Title | Block]) -> list[Title | Block]:
    """Put parts in the order of the source; they leave it where text in a table is in no cell."""
    starts = [run.start for part in parts for run in part.runs]
    if all(a <= b for a, b in pairwise(starts)):
        return parts
    placed = sorted((run, number) for number, part in enumerate(parts) for run in part.runs)
    ordered: list[Title | Block] = []
    for number, group in groupby(placed, key=itemgetter(1)):
        ordered.append(parts[number]._replace(runs=tuple(run for run, _ in group)))
    return ordered


def _join_cells(cells: Sequence[Title | Block]) -> Block:
    runs = list(cells[0].runs)
    for cell in cells[1:]:
        start = cell.runs[0].start
        runs += [Run(start, start, CELL), *cell.runs]
    return Block("tr", tuple(runs))
