"""`permutopic align`: which units have which topic, and which paragraphs correspond."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from permutopic.cli.reading_options import OPTIONAL_PATHS, infer_options, take_model_input
from permutopic.cli.results import (
    check_output,
    one_line,
    print_legend,
    result_options,
    write_or_show,
)
from permutopic.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import Console

    from permutopic.results.alignment import Alignment


@click.command("align")
@click.argument("model", type=click.Path())
@OPTIONAL_PATHS
@click.option("--topic", metavar="TOPIC", help="Give all units of one topic, by name or number.")
@click.option(
    "--like",
    metavar="TITLE:UNIT",
    help="Give the counterparts of one unit in other documents; a document goes by title or "
    "number, a number alone counts the units of all documents.",
)
@click.option(
    "--nearest",
    type=click.IntRange(min=1),
    default=5,
    show_default=True,
    help="Counterparts to give.",
)
@result_options
@infer_options
def align_command(
    model: str,
    paths: tuple[str, ...],
    topic: str | None,
    like: str | None,
    nearest: int,
    as_json: bool,
    as_csv: bool,
    output: str | None,
    **settings: Any,
) -> None:
    """Show which units of each document have which topic, by a saved MODEL.

    PATHS are files, folders, globs, or - for standard input; without PATHS, the documents of the
    fit. Shown is a grid of documents and topics; --json, --csv and -o FILE give a row for each run
    of units with one topic.
    """
    from permutopic.results.alignment import find_topic
    from permutopic.results.tables import passage_table, run_table

    if topic is not None and like is not None:
        raise InputError("--topic and --like do not go together: give one of them")
    if like is not None and not paths:
        raise InputError("--like compares texts, and a model keeps none: give PATHS")
    check_output(output, model, *paths)
    given = take_model_input(model, paths, settings)
    names = given.model.topic_names_
    target: dict[str, Any] = {"as_json": as_json, "as_csv": as_csv, "output": output}
    if like is not None:
        aligned = given.model.align(given.documents(), **given.settings)
        asked = find_unit(aligned, like)
        table = aligned.nearest_table(*asked, nearest)
        write_or_show(table, table.columns, lambda rows: _show_like(rows, aligned, asked), **target)
    elif topic is not None:
        number = find_topic(names, topic)
        table = passage_table(given.inferred, names, number)
        write_or_show(table, table.columns, lambda rows: _show_topic(rows, names[number]), **target)
    else:
        table = run_table(given.inferred, names)
        write_or_show(table, table.columns, lambda rows: show_grid(rows, names), **target)


def find_unit(aligned: Alignment, asked: str) -> tuple[int, int]:
    """Find a unit by "title:unit", "document:unit" or its number among all units, from 1."""
    title, colon, number = asked.rpartition(":")
    if not (number.strip().isdecimal() and len(number) < 10 and bool(title) == bool(colon)):
        raise InputError(
            f"--like is TITLE:UNIT, such as 'Iron:3', or the number of a unit, not {asked!r}"
        )
    unit = int(number)
    if colon:
        document = _find_document(aligned, title)
        n_units = aligned.documents[document - 1].n_units
        if not 1 <= unit <= n_units:
            raise InputError(f"--like {asked}: {title!r} has units 1 to {n_units}")
        return document, unit
    left = unit
    for document, each in enumerate(aligned.documents, 1):
        if 1 <= left <= each.n_units:
            return document, left
        left -= each.n_units
    raise InputError(f"--like {asked}: there are units 1 to {unit - left}")


def _find_document(aligned: Alignment, title: str) -> int:
    found = [n for n, each in enumerate(aligned.documents, 1) if each.title == title]
    if len(found) > 1:
        numbers = ", ".join(map(str, found[:5]))
        raise InputError(
            f"--like: {len(found)} documents are called {title!r}: give the number of one "
            f"({numbers}) instead"
        )
    if found:
        return found[0]
    number = int(title) if title.strip().isdecimal() and len(title) < 10 else 0
    if not 1 <= number <= len(aligned.documents):
        raise InputError(f"--like: no document is called {title!r}")
    return number


def show_grid(rows: list[dict[str, Any]], names: Sequence[str]) -> None:
    """Print documents × topics: the units of each document that each topic has."""
    from permutopic.cli.tables import make_console

    titles: dict[int, str] = {}
    cells: dict[tuple[int, int], list[str]] = {}
    for row in rows:
        titles[row["document"]] = row["title"]
        first, last = row["first_unit"], row["last_unit"]
        shown = str(first) if first == last else f"{first}–{last}"
        cells.setdefault((row["document"], row["topic"]), []).append(shown)
    topics = sorted({topic for _, topic in cells})
    texts = {cell: ", ".join(found) for cell, found in cells.items()}
    console = make_console()
    for block in _blocks(topics, texts, console.width - 34):
        _print_grid(titles, block, texts, console)
    print_legend(names, topics, console)


def _blocks(topics: list[int], texts: dict[tuple[int, int], str], room: int) -> Iterator[list[int]]:
    """Group topics into blocks that fit the width."""
    widths = dict.fromkeys(topics, 1)
    for (_, topic), text in texts.items():
        widths[topic] = max(widths[topic], len(text))
    block: list[int] = []
    used = 0
    for topic in topics:
        if block and used + widths[topic] + 2 > room:
            yield block
            block, used = [], 0
        block.append(topic)
        used += widths[topic] + 2
    if block:
        yield block


def _print_grid(
    titles: dict[int, str],
    topics: list[int],
    texts: dict[tuple[int, int], str],
    console: Console,
) -> None:
    from rich.text import Text

    from permutopic.cli.tables import colour, make_table, mark, printable, shortened

    table = make_table(("document", "left"), *((mark(topic), "left") for topic in topics))
    for number, title in titles.items():
        table.add_row(
            Text(shortened(printable(title)), no_wrap=True),
            *(Text(texts.get((number, topic), ""), style=colour(topic)) for topic in topics),
        )
    console.print(table)


def _show_topic(rows: list[dict[str, Any]], name: str) -> None:
    from rich.text import Text

    from permutopic.cli.tables import make_console, make_table, printable, shortened

    console = make_console()
    has_text = any(row["text"] is not None for row in rows)
    table = make_table(
        ("document", "left"),
        ("unit", "right"),
        ("prob.", "right"),
        ("text", "left") if has_text else ("characters", "right"),
    )
    for row in rows:
        span = "–" if row["start"] < 0 else f"{row['start']}–{row['end']}"
        table.add_row(
            Text(shortened(printable(row["title"])), no_wrap=True),
            str(row["unit"]),
            as_share(row["probability"]),
            one_line(row["text"]) if has_text else span,
        )
    console.print(table)
    documents = len({row["document"] for row in rows})
    units = f"{len(rows):,} unit{'' if len(rows) == 1 else 's'}"
    console.print(f" {printable(name)}: {units} in {documents:,} of the documents")


def _show_like(rows: list[dict[str, Any]], aligned: Alignment, asked: tuple[int, int]) -> None:
    from rich.text import Text

    from permutopic.cli.tables import make_console, make_table, printable, shortened

    console = make_console()
    document, unit = aligned.documents[asked[0] - 1], asked[1]
    name = aligned.names[document.topics[unit - 1]]
    asked_for = f" {printable(document.title)}, unit {unit} ({printable(name)}): "
    line = Text.assemble(asked_for, one_line(document.texts[unit - 1]))
    console.print(line, overflow="ellipsis", no_wrap=True)
    table = make_table(
        ("score", "right"),
        ("document", "left"),
        ("unit", "right"),
        ("name", "left"),
        ("text", "left"),
    )
    for row in rows:
        table.add_row(
            f"{row['score']:.2f}",
            Text(shortened(printable(row["title"])), no_wrap=True),
            str(row["unit"]),
            Text(shortened(printable(row["name"])), no_wrap=True),
            one_line(row["text"]),
        )
    console.print(table if rows else " no other document has anything like it")


def as_share(value: float | None) -> str:
    """Show a probability with two digits, or that it is not known."""
    return "–" if value is None else f"{value:.2f}"
