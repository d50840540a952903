"""How much of a page is prose, and which guesses at boilerplate would cost it too much of that."""

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

# A sentence of prose is at least so long; scripts with an end of sentence of their own need fewer
# characters to say as much.
_LONG, _LONG_IF_DENSE = 40, 15
_END = re.compile(r"([。！？．])|[.!?…।۔؟։።។။](?![^\W_])")
# An element with so many long sentences, and no larger a share of links, is text by any name.
_SEVERAL, _FEW_LINKS = 3, 1 / 3
# How much of the prose may be left out on guesses of a kind, taken together.
_MAX_LEFT_OUT = {"perhaps": 1 / 3, "masthead": 1 / 3, "likely": 1 / 2}


class TextStatistics(NamedTuple):
    """How many characters are seen, in links and in prose, and the number of long sentences."""

    seen: int = 0
    linked: int = 0
    prose: int = 0
    sentences: int = 0


@dataclass
class Retention:
    """Elements that look like boilerplate but are `retained`, and how much prose is then `kept`."""

    retained: set[int] = field(default_factory=set)
    kept: int = 0


def measure_text(text: str, runs: Iterable[TextRun]) -> TextStatistics:
    """Weigh a paragraph.

    >>> from permutopic.readers.web.structure import TextRun
    >>> measure_text("Home", [TextRun(0, 4, LINK)])
    TextStatistics(seen=4, linked=4, prose=0, sentences=0)
    >>> measure_text("A sentence of prose is at least as long as this.", [TextRun(0, 48, TEXT)])
    TextStatistics(seen=48, linked=0, prose=48, sentences=1)
    """
    stretches = [(text[run.start : run.end], run.kind) for run in runs if run.kind in {TEXT, LINK}]
    seen, linked = _count_characters(stretches)
    sentences = count_sentences("".join(stretch for stretch, _ in stretches))
    return TextStatistics(seen, linked, seen if sentences else 0, sentences)


def measure_links(text: str, runs: Iterable[TextRun]) -> tuple[int, int]:
    """Count the visible characters of a paragraph, and those of them in links."""
    kinds = {TEXT, LINK}
    return _count_characters(
        [(text[run.start : run.end], run.kind) for run in runs if run.kind in kinds]
    )


def _count_characters(stretches: list[tuple[str, str]]) -> tuple[int, int]:
    sizes = [(len(stretch.strip()), kind) for stretch, kind in stretches]
    return sum(size for size, _ in sizes), sum(size for size, kind in sizes if kind == LINK)


def count_sentences(text: str) -> int:
    """Count the long sentences.

    >>> count_sentences("Iron is a metal that rusts where the air is wet. It is grey. Version 3.5")
    1
    """
    text = " ".join(text.split())
    found = begin = 0
    for end in _END.finditer(text):
        found += end.start() - begin >= (_LONG_IF_DENSE if end[1] else _LONG)
        begin = end.end()
    return found


class PageStatistics:
    """The statistics of every element of a page, and what follows from it."""

    def __init__(self, text: str, structure: PageStructure, nodes: list[HtmlNode]) -> None:
        self._nodes = nodes
        self._sums = tuple(array("q", [0]) for _ in TextStatistics._fields)
        seen_from = 0
        for position, node in enumerate(nodes):
            if node.flag == "hidden":
                seen_from = max(seen_from, node.stop)
            is_seen = node.group >= 0 and position >= seen_from
            statistics = (
                measure_text(text, structure.groups[node.group]) if is_seen else TextStatistics()
            )
            for sums, value in zip(self._sums, statistics, strict=True):
                sums.append(sums[-1] + value)

    def statistics(self, position: int) -> TextStatistics:
        """Weigh all that is in an element; what is hidden weighs nothing."""
        stop = self._nodes[position].stop
        return TextStatistics(*(sums[stop] - sums[position] for sums in self._sums))

    def find_retention(self, first: int) -> Retention:
        """Find what in an element is not to be left out on a mere guess.

        Spared is what holds most of the page, or several long sentences and few links; and where
        all guesses of a kind would together leave out too much prose, each that holds some.
        """
        retention = Retention()
        lost: dict[str, list[int]] = {kind: [] for kind in _MAX_LEFT_OUT}
        for position in self._outermost(first, retention):
            kind = self._nodes[position].flag
            if kind in lost:
                lost[kind].append(position)
        for kind, positions in lost.items():
            n_lost = sum(self.statistics(position).prose for position in positions)
            if n_lost > _MAX_LEFT_OUT[kind] * (retention.kept + n_lost):
                self._spare_prose(kind, positions, retention)
        return retention

    def _outermost(self, first: int, retention: Retention) -> Iterator[int]:
        """Give the elements to leave out that stand in no other; note the prose between them."""
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
                retention.kept += self.statistics(position).prose
            position += 1

    def _is_text(self, position: int) -> bool:
        """Tell whether an element is text whatever its name says."""
        node = self._nodes[position]
        if 2 * node.size > self._nodes[0].size:
            return True
        is_prose = self.statistics(position).sentences >= _SEVERAL and self._has_few_links(position)
        return is_prose and node.flag in {"perhaps", "masthead"}

    def _has_few_links(self, position: int) -> bool:
        statistics = self.statistics(position)
        return statistics.linked <= _FEW_LINKS * statistics.seen

    def _spare_prose(self, kind: str, positions: list[int], retention: Retention) -> None:
        for outer in positions:
            for position in range(outer, self._nodes[outer].stop):
                statistics = self.statistics(position)
                if (
                    self._nodes[position].flag == kind
                    and statistics.prose > 0
                    and self._has_few_links(position)
                ):
                    retention.retained.add(position)
            retention.kept += self.statistics(outer).prose if outer in retention.retained else 0
