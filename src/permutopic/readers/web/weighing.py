"""How much of a page is prose, and which guesses at boilerplate would cost it too much of that."""

from __future__ import annotations

import re
from array import array
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from permutopic.readers.web.marks import LINK, TEXT
from permutopic.readers.web.rules import GUESSED, LEFT_OUT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from permutopic.readers.web.blocks import Step
    from permutopic.readers.web.marks import Marked, Run

# A sentence of prose is at least so long; scripts with an end of sentence of their own need fewer
# characters to say as much.
_LONG, _LONG_IF_DENSE = 40, 15
_END = re.compile(r"([。！？．])|[.!?…।۔؟։።។။](?![^\W_])")
# An element with so many long sentences, and no larger a share of links, is text by any name.
_SEVERAL, _FEW_LINKS = 3, 1 / 3
# How much of the prose may be left out on guesses of a kind, taken together.
_MOST_LEFT_OUT = {"perhaps": 1 / 3, "masthead": 1 / 3, "likely": 1 / 2}


class Weight(NamedTuple):
    """How many characters are seen, in links and in prose, and the number of long sentences."""

    seen: int = 0
    linked: int = 0
    prose: int = 0
    sentences: int = 0


@dataclass
class Verdict:
    """Elements that look like boilerplate but are `spared`, and how much prose is then `kept`."""

    spared: set[int] = field(default_factory=set)
    kept: int = 0


def weigh(text: str, runs: Iterable[Run]) -> Weight:
    """Weigh a paragraph.

    >>> from permutopic.readers.web.marks import Run
    >>> weigh("Home", [Run(0, 4, LINK)])
    Weight(seen=4, linked=4, prose=0, sentences=0)
    >>> weigh("A sentence of prose is at least as long as this.", [Run(0, 48, TEXT)])
    Weight(seen=48, linked=0, prose=48, sentences=1)
    """
    stretches = [(text[run.start : run.end], run.kind) for run in runs if run.kind in {TEXT, LINK}]
    seen, linked = _count_characters(stretches)
    sentences = count_sentences("".join(stretch for stretch, _ in stretches))
    return Weight(seen, linked, seen if sentences else 0, sentences)


def weigh_links(text: str, runs: Iterable[Run]) -> tuple[int, int]:
    """Count the characters of a paragraph that are seen, and those in links: `weigh` made short."""
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


class Scales:
    """The weight of every element of a page, and what follows from it."""

    def __init__(self, text: str, marked: Marked, steps: list[Step]) -> None:
        self._steps = steps
        self._sums = tuple(array("q", [0]) for _ in Weight._fields)
        seen_from = 0
        for position, step in enumerate(steps):
            if step.flag == "hidden":
                seen_from = max(seen_from, step.stop)
            is_seen = step.group >= 0 and position >= seen_from
            weight = weigh(text, marked.groups[step.group]) if is_seen else Weight()
            for sums, value in zip(self._sums, weight, strict=True):
                sums.append(sums[-1] + value)

    def weight(self, position: int) -> Weight:
        """Weigh all that is in an element; what is hidden weighs nothing."""
        stop = self._steps[position].stop
        return Weight(*(sums[stop] - sums[position] for sums in self._sums))

    def judge(self, first: int) -> Verdict:
        """Find what in an element is not to be left out on a mere guess.

        Spared is what holds most of the page, or several long sentences and few links; and where
        all guesses of a kind would together leave out too much prose, each that holds some.
        """
        verdict = Verdict()
        lost: dict[str, list[int]] = {kind: [] for kind in _MOST_LEFT_OUT}
        for position in self._outermost(first, verdict):
            kind = self._steps[position].flag
            if kind in lost:
                lost[kind].append(position)
        for kind, positions in lost.items():
            n_lost = sum(self.weight(position).prose for position in positions)
            if n_lost > _MOST_LEFT_OUT[kind] * (verdict.kept + n_lost):
                self._spare_prose(kind, positions, verdict)
        return verdict

    def _outermost(self, first: int, verdict: Verdict) -> Iterator[int]:
        """Give the elements to leave out that stand in no other; note the prose between them."""
        position, stop = first, self._steps[first].stop
        while position < stop:
            step = self._steps[position]
            if step.flag in GUESSED and self._is_text(position):
                verdict.spared.add(position)
            elif step.flag in LEFT_OUT:
                yield position
                position = step.stop
                continue
            elif step.group >= 0:
                verdict.kept += self.weight(position).prose
            position += 1

    def _is_text(self, position: int) -> bool:
        """Tell whether an element is text whatever its name says."""
        step = self._steps[position]
        if 2 * step.size > self._steps[0].size:
            return True
        is_prose = self.weight(position).sentences >= _SEVERAL and self._has_few_links(position)
        return is_prose and step.flag in {"perhaps", "masthead"}

    def _has_few_links(self, position: int) -> bool:
        weight = self.weight(position)
        return weight.linked <= _FEW_LINKS * weight.seen

    def _spare_prose(self, kind: str, positions: list[int], verdict: Verdict) -> None:
        for outer in positions:
            for position in range(outer, self._steps[outer].stop):
                weight = self.weight(position)
                if (
                    self._steps[position].flag == kind
                    and weight.prose > 0
                    and self._has_few_links(position)
                ):
                    verdict.spared.add(position)
            verdict.kept += self.weight(outer).prose if outer in verdict.spared else 0
