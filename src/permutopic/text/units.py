"""Division of documents into units: paragraphs, sentences, sections, lines, windows of words."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, fields, replace
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from permutopic.checks import check_choice, check_integer
from permutopic.documents import Document, Piece, Unit
from permutopic.errors import InputError, Parameter
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
        "paragraph" as in the source, "sentence", "section" (consecutive paragraphs under one
        heading), "line", or "window" (a number of words, regardless of paragraphs).
    window, step
        Number of words in a window, and from the start of one window to that of the next (default:
        `window`). Words in overlapping windows count more than once.
    min_words
        Units with fewer words are short: see `short`. Here and in windows, a character counts as a
        word in scripts without spaces.
    short
        "merge" short units with the next unit under the same heading (or the one before, if there
        is none), or "drop" them. When merging, the only unit under a heading is kept.

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
        check_choice(self.kind, "kind", KINDS)
        check_choice(self.short, "short", SHORT)
        check_integer(self.window, "window", 1, note="in words")
        if self.step is not None:
            check_integer(self.step, "step", 1, note="of windows, in words")
            if self.step > self.window:
                raise InputError(
                    Parameter("step"),
                    f" must not be longer than the window ({self.window}), or words get lost, "
                    f"not {self.step}",
                )
        check_integer(self.min_words, "min_words", 0)

    @classmethod
    def of(cls, given: object) -> Units:
        """Return Units unchanged, and a name as `Units(kind=name)`."""
        return given if isinstance(given, cls) else cls(kind=given)  # type: ignore[arg-type]

    def as_dict(self) -> dict[str, Any]:
        """Return the settings as plain values."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    @classmethod
    def from_dict(cls, settings: Mapping[str, Any]) -> Units:
        """Make the object from `as_dict`."""
        return cls(**settings)

    def cut(self, document: Document, counts: ShortUnitCounts | None = None) -> Document:
        """Divide a document into units; short ones are counted in `counts`."""
        counts = ShortUnitCounts() if counts is None else counts
        if self.kind == "window":
            units = _windows(document.units, self.window, self.step or self.window)
        else:
            units = _CUTS[self.kind](document.units)
        if self.min_words > 1:
            remove_short = _merge_short if self.short == "merge" else _drop_short
            units = remove_short(units, self.min_words, counts)
        return replace(document, units=tuple(units))


@dataclass
class ShortUnitCounts:
    """Numbers of short units that were merged, dropped, or kept as the only one of a heading."""

    merged: int = 0
    dropped: int = 0
    kept: int = 0

    def __add__(self, others: ShortUnitCounts) -> ShortUnitCounts:
        return ShortUnitCounts(
            self.merged + others.merged, self.dropped + others.dropped, self.kept + others.kept
        )


def join(units: list[Unit]) -> Unit:
    """Join units with blank lines between them, under the heading of the first."""
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
    """Yield runs of consecutive units under one heading."""
    run: list[Unit] = []
    for unit in units:
        if run and (unit.heading, unit.label) != (run[-1].heading, run[-1].label):
            yield run
            run = []
        run.append(unit)
    if run:
        yield run


def _windows(units: tuple[Unit, ...], size: int, step: int) -> list[Unit]:
    """Divide the text into windows of `size` words, with the headings of their middle words."""
    if not units:
        return []
    joined = join(list(units))
    ends = list(accumulate(len(unit.text) + 2 for unit in units))
    words = list(source_words(joined.text))
    spans, middles = [], []
    for first in range(0, len(words), step):
        last = min(first + size, len(words)) - 1
        spans.append((words[first][0], words[last][1]))
        middles.append(units[bisect_right(ends, words[(first + last) // 2][0])])
        if last == len(words) - 1:
            break
    return [
        replace(window, heading=middle.heading, label=middle.label)
        for window, middle in zip(joined.parts(spans), middles, strict=True)
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
        pending: list[Unit] = []
        n_words = 0
        for unit in run:
            pending.append(unit)
            n_words += len(split_words(unit.text))
            if n_words >= minimum:
                groups.append(pending)
                pending, n_words = [], 0
        if pending and groups:
            groups[-1] += pending
        elif pending:
            groups.append(pending)
            counts.kept += 1
        counts.merged += len(run) - len(groups)
        merged += [join(group) for group in groups]
    return merged
