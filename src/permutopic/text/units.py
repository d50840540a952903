"""What gets one topic: paragraphs, or sentences, sections, lines, windows of words."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, fields, replace
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from permutopic.checks import check_integer
from permutopic.documents import Document, Piece, Unit
from permutopic.errors import InputError
from permutopic.text.sentences import sentence_spans
from permutopic.text.splitting import source_words, split_words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

KINDS = ("paragraph", "sentence", "section", "line", "window")
SHORT = ("merge", "drop")
_LINE = re.compile(r"[^\r\n\v\f\x1c-\x1e\x85\u2028\u2029]+")


@dataclass(frozen=True)
class Units:
    r"""How a document is divided into units.

    Attributes
    ----------
    kind
        "paragraph" as the source has them, "sentence", "section" (neighbouring paragraphs under
        one heading), "line", or "window": so many words, wherever paragraphs end.
    window, step
        Words in a window, and how far the next one begins: `window` unless told. Windows that
        overlap count words more than once.
    min_words
        Units with fewer words are too short to have a topic: see `short`. Here and in windows, a
        character counts as a word in scripts that write no spaces.
    short
        "merge" them with the next unit under the same heading (or the one before, if there is no
        next), or "drop" them. One that stands alone under its heading is kept when merging.

    Examples
    --------
    >>> document = Document("t", (Unit("One two. Three!", "A"), Unit("Four.", "A")), "here")
    >>> [unit.text for unit in Units("sentence").cut(document).units]
    ['One two.', 'Three!', 'Four.']
    >>> [unit.text for unit in Units("section").cut(document).units]
    ['One two. Three!\n\nFour.']
    """

    kind: str = "paragraph"
    window: int = 100
    step: int | None = None
    min_words: int = 0
    short: str = "merge"

    def __post_init__(self) -> None:
        for name, value, choices in (("unit", self.kind, KINDS), ("short", self.short, SHORT)):
            if value not in choices:
                raise InputError(f"{name} is one of {', '.join(choices)}, not {value!r}")
        check_integer(self.window, "window", 1, note="in words")
        if self.step is not None:
            check_integer(self.step, "step", 1, note="of windows, in words")
            if self.step > self.window:
                raise InputError(
                    f"step must not be longer than the window ({self.window}), or words get lost, "
                    f"not {self.step}"
                )
        check_integer(self.min_words, "min_words", 0)

    @classmethod
    def of(cls, given: object) -> Units:
        """Take Units as they are, a name as `kind`."""
        return given if isinstance(given, cls) else cls(kind=given)  # type: ignore[arg-type]

    def as_dict(self) -> dict[str, Any]:
        """Give the settings as plain values."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    @classmethod
    def from_dict(cls, settings: Mapping[str, Any]) -> Units:
        """Make the object from `as_dict`."""
        return cls(**settings)

    def cut(self, document: Document, counts: ShortUnitCounts | None = None) -> Document:
        """Divide a document anew; `counts` takes down what became of short units."""
        counts = ShortUnitCounts() if counts is None else counts
        if self.kind == "window":
            units = _windows(document.units, self.window, self.step or self.window)
        else:
            units = _CUTS[self.kind](document.units)
        if self.min_words > 1:
            settle = _merge_short if self.short == "merge" else _drop_short
            units = settle(units, self.min_words, counts)
        return replace(document, units=tuple(units))


@dataclass
class ShortUnitCounts:
    """What became of units that were too short."""

    merged: int = 0
    dropped: int = 0
    kept: int = 0


def join(units: list[Unit]) -> Unit:
    """Make one unit of several, a blank line between them; the first one's heading stays."""
    if len(units) == 1:
        return units[0]
    pieces: list[Piece] = []
    for unit in units:
        if pieces and unit.pieces:
            pieces.append(Piece("\n\n", pieces[-1].end, max(unit.start, pieces[-1].end)))
        pieces += unit.pieces
    text = "\n\n".join(unit.text for unit in units)
    known = all(unit.pieces for unit in units)
    return replace(units[0], text=text, pieces=tuple(pieces) if known else ())


def _sentences(units: tuple[Unit, ...]) -> list[Unit]:
    return [part for unit in units for part in unit.parts(sentence_spans(unit.text))]


def _lines(units: tuple[Unit, ...]) -> list[Unit]:
    return [part for unit in units for part in unit.parts(_line_spans(unit.text))]


def _line_spans(text: str) -> Iterator[tuple[int, int]]:
    for found in _LINE.finditer(text):
        line = found.group()
        bare = line.strip()
        if bare:
            begin = found.start() + len(line) - len(line.lstrip())
            yield begin, begin + len(bare)


def _sections(units: tuple[Unit, ...]) -> list[Unit]:
    return [join(section) for section in _runs(list(units))]


def _runs(units: list[Unit]) -> Iterator[list[Unit]]:
    """Give neighbouring units that stand under one heading."""
    run: list[Unit] = []
    for unit in units:
        if run and (unit.heading, unit.label) != (run[-1].heading, run[-1].label):
            yield run
            run = []
        run.append(unit)
    if run:
        yield run


def _windows(units: tuple[Unit, ...], size: int, step: int) -> list[Unit]:
    """Cut the whole text into windows; each has the heading that its middle word stands under."""
    if not units:
        return []
    whole = join(list(units))
    ends = list(accumulate(len(unit.text) + 2 for unit in units))
    words = list(source_words(whole.text))
    spans, owners = [], []
    for first in range(0, len(words), step):
        last = min(first + size, len(words)) - 1
        spans.append((words[first][0], words[last][1]))
        owners.append(units[bisect_right(ends, words[(first + last) // 2][0])])
        if last == len(words) - 1:
            break
    return [
        replace(window, heading=owner.heading, label=owner.label)
        for window, owner in zip(whole.parts(spans), owners, strict=True)
    ]


_CUTS: dict[str, Callable[[tuple[Unit, ...]], list[Unit]]] = {
    "paragraph": list,
    "sentence": _sentences,
    "section": _sections,
    "line": _lines,
}


def _drop_short(units: list[Unit], minimum: int, counts: ShortUnitCounts) -> list[Unit]:
    long = [unit for unit in units if len(split_words(unit.text)) >= minimum]
    counts.dropped += len(units) - len(long)
    return long


def _merge_short(units: list[Unit], minimum: int, counts: ShortUnitCounts) -> list[Unit]:
    merged = []
    for run in _runs(units):
        groups: list[list[Unit]] = []
        waiting: list[Unit] = []
        n_words = 0
        for unit in run:
            waiting.append(unit)
            n_words += len(split_words(unit.text))
            if n_words >= minimum:
                groups.append(waiting)
                waiting, n_words = [], 0
        if waiting and groups:
            groups[-1] += waiting
        elif waiting:
            groups.append(waiting)
            counts.kept += 1
        counts.merged += len(run) - len(groups)
        merged += [join(group) for group in groups]
    return merged
