"""Tables on a terminal."""

from __future__ import annotations

import shutil
from string import ascii_lowercase, ascii_uppercase, digits
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from permutopic.topics import OutlineEntry, Structure

SHOWN_SUBJECTS = 4
"""Words that say what a document is about, in a table for people."""
_MARKS = digits + ascii_lowercase + ascii_uppercase
# Colours that can be told apart on dark and on light ground; topics beyond them begin again.
_COLOURS = ("cyan", "green", "yellow", "magenta", "blue", "red", "bright_cyan", "bright_magenta")


def make_console() -> Console:
    """Make a console that keeps to the terminal's width, or to 100 columns in a file."""
    from rich.console import Console

    columns = shutil.get_terminal_size((100, 24)).columns
    return Console(width=columns, highlight=False, markup=False, emoji=False)


def make_table(*columns: tuple[str, str]) -> Table:
    """Make a plain table of (heading, "left" or "right") columns."""
    from rich.box import SIMPLE
    from rich.table import Table

    table = Table(box=SIMPLE, pad_edge=False, collapse_padding=True)
    for heading, side in columns:
        table.add_column(heading, justify="right" if side == "right" else "left")
    return table


def printable(word: str) -> str:
    """Escape control characters, which a terminal would obey."""
    from permutopic.checks import is_plain

    return "".join(c if is_plain(c) else repr(c)[1:-1] for c in word)


def print_outline(entries: Sequence[OutlineEntry], console: Console | None = None) -> None:
    """Print the topics that are in use, in canonical order."""
    from rich.text import Text

    console = make_console() if console is None else console
    wide = console.width >= 90  # else no room for the words; firmness says what ρ does
    table = make_table(
        ("topic", "right"),
        ("name", "left"),
        ("in docs", "right"),
        ("units", "right"),
        *([("ρ", "right")] if wide else []),
        ("firmness", "left"),
        ("distinctive words", "left"),
    )
    for entry in entries:
        if entry.document_share > 0:
            rho = "–" if entry.dispersion is None else f"{entry.dispersion:.2f}"
            table.add_row(
                Text(str(entry.topic), style=colour(entry.topic)),
                Text(printable(entry.name), style="bold"),
                f"{entry.document_share:.0%}",
                f"{entry.mean_units:.1f}",
                *([rho] if wide else []),
                entry.firmness or "–",
                Text(" ".join(map(printable, entry.words))),
            )
    console.print(table)
    unused = sum(entry.document_share == 0 for entry in entries)
    if unused:
        console.print(f"{unused} of {len(entries)} topics are not used")


def shown_subjects(subjects: Sequence[str], n_words: int = SHOWN_SUBJECTS) -> str:
    """Join the first words that say what a document is about."""
    return ", ".join(map(printable, subjects[:n_words]))


def print_map(
    documents: Iterable[Structure],
    console: Console | None = None,
    *,
    subjects: Sequence[Sequence[str]] = (),
) -> None:
    """Print one line a document: a mark for each unit, or for each segment if that is too long.

    `subjects` tells what each is about.
    """
    from rich.cells import cell_len
    from rich.text import Text

    console = make_console() if console is None else console
    shown = list(documents)
    titles = [shortened(printable(document.title)) for document in shown]
    about = [shown_subjects(words) for words in subjects] if any(subjects) else []
    about_width = min(max(map(cell_len, about), default=0), console.width // 4)
    room = console.width - max(map(cell_len, titles), default=0) - 20 - about_width
    by_unit = max((len(document.topics) for document in shown), default=0) <= room
    table = make_table(
        ("document", "left"),
        ("topics, unit by unit" if by_unit else "topics, segment by segment", "left"),
        ("out of order", "left"),
        *([("about", "left")] if about else []),
    )
    for number, (title, document) in enumerate(zip(titles, shown, strict=True)):
        topics = document.topics if by_unit else document.segments
        marks = Text(no_wrap=True, overflow="ellipsis")
        for topic in topics:
            marks.append(mark(topic), style=colour(topic))
        words = [cut_to(about[number], about_width)] if about else []
        table.add_row(Text(title), marks, swaps_in_words(document.swaps), *words)
    console.print(table)
    last = max((topic for document in shown for topic in document.topics), default=0)
    if last >= len(digits):
        console.print(f"a is topic 10, b is 11, and so on up to {mark(last)}")


def shortened(title: str) -> str:
    """Shorten a title to 30 columns by its middle; Chinese characters take two."""
    from rich.cells import cell_len, set_cell_size

    if cell_len(title) <= 30:
        return title
    back = next(title[n:] for n in range(len(title)) if cell_len(title[n:]) <= 15)
    return f"{set_cell_size(title, 14).rstrip()}…{back.lstrip()}"


def cut_to(text: str, width: int) -> Text:
    """Return a text that is cut with an ellipsis where the table would wrap it."""
    from rich.cells import cell_len, set_cell_size
    from rich.text import Text

    fits = cell_len(text) <= width
    return Text(text if fits else f"{set_cell_size(text, width - 1).rstrip(' ,')}…", no_wrap=True)


def mark(topic: int) -> str:
    """Return a topic's number as one character: 0 … 9, then letters."""
    return _MARKS[topic] if topic < len(_MARKS) else "·"


def swaps_in_words(swaps: int) -> str:
    """Return the number of swaps in words."""
    return {0: "–", 1: "1 swap"}.get(swaps, f"{swaps} swaps")


def colour(topic: int) -> str:
    """Return the colour of a topic's marks."""
    return _COLOURS[topic % len(_COLOURS)]
