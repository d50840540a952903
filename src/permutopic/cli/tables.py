"""Tables for people."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console
    from rich.table import Table

    from permutopic.outline import OutlineEntry


def make_console() -> Console:
    """Make a console that keeps to the terminal's width, or to 100 columns in a file."""
    from rich.console import Console

    columns = shutil.get_terminal_size((100, 24)).columns
    return Console(width=columns, highlight=False, markup=False, emoji=False)


def make_table(*columns: tuple[str, str]) -> Table:
    """Make a plain table of (heading, "left" or "right") columns."""
    from rich.box import SIMPLE
    from rich.table import Table

    table = Table(box=SIMPLE, pad_edge=False)
    for heading, side in columns:
        table.add_column(heading, justify="right" if side == "right" else "left")
    return table


def printable(word: str) -> str:
    """Spell out what a terminal would obey instead of showing."""
    return word if word.isprintable() else repr(word)[1:-1]


def print_outline(entries: Sequence[OutlineEntry]) -> None:
    """Print the topics that are in use, in canonical order."""
    from rich.text import Text

    console = make_console()
    table = make_table(
        ("topic", "right"),
        ("in docs", "right"),
        ("units", "right"),
        ("ρ", "right"),
        ("words", "left"),
    )
    for entry in entries:
        if entry.document_share > 0:
            table.add_row(
                str(entry.topic),
                f"{entry.document_share:.0%}",
                f"{entry.mean_units:.1f}",
                "–" if entry.dispersion is None else f"{entry.dispersion:.2f}",
                Text(" ".join(map(printable, entry.words))),
            )
    console.print(table)
    unused = [str(entry.topic) for entry in entries if entry.document_share == 0]
    if unused:
        console.print(f"not used: topics {', '.join(unused)}")
