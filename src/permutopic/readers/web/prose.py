"""Statistics of the text of a page, by which guesses at boilerplate are checked."""

from __future__ import annotations

import re
from array import array
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from permutopic.readers.web.rules import GUESSED, LEFT_OUT
from permutopic.readers.web.structure import LINK, TEXT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from permutopic.readers.web.blocks import HtmlNode
    from permutopic.readers.web.structure import PageStructure, TextRun

# Minimum length of a long sentence in characters; scripts with full stops of their own are denser.
_MIN_LENGTH, _MIN_LENGTH_IF_DENSE = 40, 15
_END = re.compile(r"([。！？．])|[.!?…।۔؟։።។။](?![^\W_])")
# Minimum number of long sentences, and maximum share of links, of an element that is text.
_MIN_SENTENCES, _MAX_LINK_SHARE = 3, 1 / 3
# Maximum share of the prose that may be left out on all guesses of a kind.
_MAX_LEFT_OUT = {"perhaps": 1 / 3, "masthead": 1 / 3, "likely": 1 / 2}


class TextStatistics(NamedTuple):
    """Numbers of visible characters, of those in links and in prose, and of long sentences."""

    visible: int = 0
    linked: int = 0
    prose: int = 0
    sentences: int = 0


@dataclass
class Retention:
    """Elements that look like boilerplate but are `retained`; characters of prose then `kept`."""

    retained: set[int] = field(default_factory=set)
    kept: int = 0


def measure_text(text: str, runs: Iterable[TextRun]) -> TextStatistics:
    """Return the statistics of a paragraph.

    >>> from permutopic.readers.web.structure import TextRun
    >>> measure_text("Home", [TextRun(0, 4, LINK)])
    TextStatistics(visible=4, linked=4, prose=0, sentences=0)
    >>> measure_text("A sentence of prose is at least as long as this.", [TextRun(0, 48, TEXT)])
    TextStatistics(visible=48, linked=0, prose=48, sentences=1)
    """
    stretches = [(text[run.start : run.end], run.kind) for run in runs if run.kind in {TEXT, LINK}]
    visible, linked = _count_characters(stretches)
    sentences = count_long_sentences("".join(stretch for stretch, _ in stretches))
    return TextStatistics(visible, linked, visible if sentences else 0, sentences)


def measure_links(text: str, runs: Iterable[TextRun]) -> tuple[int, int]:
    """Count the visible characters of a paragraph, and those of them in links."""
    kinds = {TEXT, LINK}
    return _count_characters(
        [(text[run.start : run.end], run.kind) for run in runs if run.kind in kinds]
    )


def _count_characters(stretches: list[tuple[str, str]]) -> tuple[int, int]:
    sizes = [(len(stretch.strip()), kind) for stretch, kind in stretches]
    return sum(size for size, _ in sizes), sum(size for size, kind in sizes if kind == LINK)


def count_long_sentences(text: str) -> int:
    """Count the long sentences.

    >>> text = "Iron is a metal that rusts where the air is wet. It is grey. Version 3.5"
    >>> count_long_sentences(text)
    1
    """
    text = " ".join(text.split())
    found = begin = 0
    for end in _END.finditer(text):
        found += end.start() - begin >= (_MIN_LENGTH_IF_DENSE if end[1] else _MIN_LENGTH)
        begin = end.end()
    return found


class PageStatistics:
    """Statistics of every element of a page, as differences of cumulative sums."""

    def __init__(self, text: str, structure: PageStructure, nodes: list[HtmlNode]) -> None:
        self._nodes = nodes
        self._sums = tuple(array("q", [0]) for _ in TextStatistics._fields)
        visible_from = 0
        for position, node in enumerate(nodes):
            if node.flag == "hidden":
                visible_from = max(visible_from, node.stop)
            is_visible = node.group >= 0 and position >= visible_from
            statistics = (
                measure_text(text, structure.groups[node.group]) if is_visible else TextStatistics()
            )
            for sums, value in zip(self._sums, statistics, strict=True):
                sums.append(sums[-1] + value)

    def element(self, position: int) -> TextStatistics:
        """Return the statistics of an element, without what is hidden in it."""
        stop = self._nodes[position].stop
        return TextStatistics(*(sums[stop] - sums[position] for sums in self._sums))

    def find_retention(self, first: int) -> Retention:
        """Find the elements that are retained although their name suggests boilerplate.

        These have most of the page, or several long sentences and few links. If all guesses of a
        kind would together leave out too much prose, each element with prose is retained.
        """
        retention = Retention()
        excluded: dict[str, list[int]] = {kind: [] for kind in _MAX_LEFT_OUT}
        for position in self._outermost(first, retention):
            kind = self._nodes[position].flag
            if kind in excluded:
                excluded[kind].append(position)
        for kind, positions in excluded.items():
            n_excluded = sum(self.element(position).prose for position in positions)
            if n_excluded > _MAX_LEFT_OUT[kind] * (retention.kept + n_excluded):
                self._retain_prose(kind, positions, retention)
        return retention

    def _outermost(self, first: int, retention: Retention) -> Iterator[int]:
        """Yield the outermost elements to leave out; count the prose between them as kept."""
        position, stop = first, self._nodes[first].stop
        while position < stop:
            node = self._nodes[position]
            if node.flag in GUESSED and self._is_text(position):
                retention.retained.add(position)
            elif node.flag in LEFT_OUT:
                yield position
                position = node.stop
                continue
            elif node.group >= 0:
                retention.kept += self.element(position).prose
            position += 1

    def _is_text(self, position: int) -> bool:
        """Whether an element is text although its name suggests boilerplate."""
        node = self._nodes[position]
        if 2 * node.size > self._nodes[0].size:
            return True
        has_sentences = self.element(position).sentences >= _MIN_SENTENCES
        is_prose = has_sentences and self._has_few_links(position)
        return is_prose and node.flag in {"perhaps", "masthead"}

    def _has_few_links(self, position: int) -> bool:
        statistics = self.element(position)
        return statistics.linked <= _MAX_LINK_SHARE * statistics.visible

    def _retain_prose(self, kind: str, positions: list[int], retention: Retention) -> None:
        for outer in positions:
            for position in range(outer, self._nodes[outer].stop):
                statistics = self.element(position)
                if (
                    self._nodes[position].flag == kind
                    and statistics.prose > 0
                    and self._has_few_links(position)
                ):
                    retention.retained.add(position)
            retention.kept += self.element(outer).prose if outer in retention.retained else 0
