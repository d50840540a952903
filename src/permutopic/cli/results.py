"""Options of all commands that give a table, to be shown or to be written."""

from __future__ import annotations

import sys
from glob import glob
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from permutopic.cli.options import adding
from permutopic.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from rich.console import Console
    from rich.text import Text

    from permutopic.results.export import Columns, Rows

_TARGETS = {"as_json": "--json", "as_csv": "--csv", "output": "-o"}


def _only_one(context: click.Context, parameter: click.Parameter, value: Any) -> Any:
    """Refuse two targets while the options are read, before any work."""
    others = [
        name
        for target, name in _TARGETS.items()
        if target != parameter.name and context.params.get(target)
    ]
    if value and others:
        own = _TARGETS[str(parameter.name)]
        raise click.UsageError(f"{others[0]} and {own} do not go together: give one of them")
    return value


_OPTIONS = (
    click.option(
        "--json", "as_json", is_flag=True, callback=_only_one, help="Print one JSON object a row."
    ),
    click.option("--csv", "as_csv", is_flag=True, callback=_only_one, help="Print CSV."),
    click.option(
        "-o",
        "--output",
        type=click.Path(),
        metavar="FILE",
        callback=_only_one,
        help="Write the table to a file: .csv, .jsonl, .json or .parquet.",
    ),
)


def result_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add --json, --csv and -o FILE, which come as `as_json`, `as_csv` and `output`."""
    return adding(_OPTIONS)(command)


def check_output(output: str | None, *inputs: str | None) -> None:
    """Refuse a file that cannot be written or has no known format, before any work.

    Nor may it replace anything that is read: files, folders, globs, a model.
    """
    from permutopic.results.export import check_table_target

    if output is None:
        return
    check_table_target(output)
    target = Path(output).resolve()
    if not target.exists():
        return
    for given in inputs:
        found = [] if given in {None, "-"} else [str(given), *glob(str(given), recursive=True)]
        if any(target.is_relative_to(Path(path).resolve()) for path in found):
            raise InputError(f"{output} is among the files to be read: give another path")


def is_written(as_json: bool, as_csv: bool, output: str | None) -> bool:
    """Tell whether rows are to be written, not a table to be shown."""
    return as_json or as_csv or output is not None


def write_or_show(
    rows: Rows,
    columns: Columns,
    show: Callable[[list[Any]], None],
    *,
    as_json: bool,
    as_csv: bool,
    output: str | None,
) -> None:
    """Print rows as JSON lines or CSV, write them to a file, or show them in a table.

    Only rows that are shown are made a list: rows that are written may be of any number.
    """
    from permutopic.results.export import as_text, write_csv, write_json, write_rows

    if output is not None:
        number = write_rows(rows, columns, output)
        click.echo(f"{output}: {number:,} row{'' if number == 1 else 's'}")
    elif as_json:
        write_json(rows, columns, sys.stdout)
    elif as_csv:
        # UTF-8 with RFC 4180's line ends, whatever the locale or the system would make of them.
        sys.stdout.flush()
        with as_text(sys.stdout.buffer) as text:
            write_csv(_shown(rows) if sys.stdout.isatty() else rows, columns, text)
    else:
        show(list(rows))


def _shown(rows: Rows) -> Iterator[Mapping[str, object]]:
    """Escape control characters of documents, which a terminal would obey."""
    from permutopic.cli.tables import printable

    for row in rows:
        yield {n: printable(v) if isinstance(v, str) else v for n, v in row.items()}


def print_legend(names: Sequence[str], topics: Iterable[int], console: Console) -> None:
    """Print the names of the topics behind their marks; no name is broken over lines."""
    from rich.cells import cell_len
    from rich.text import Text

    from permutopic.cli.tables import colour, mark, printable

    line = Text(" ")
    for topic in sorted(topics):
        name = f" {printable(names[topic])}"
        if line.cell_len > 1 and line.cell_len + cell_len(name) + 1 > console.width:
            console.print(line)
            line = Text(" ")
        line.append(mark(topic), style=colour(topic)).append(f"{name}   ")
    console.print(line)


def one_line(text: str | None) -> Text:
    """Return the beginning of a text for a cell, cut off at its width."""
    from rich.text import Text

    from permutopic.cli.tables import printable

    beginning = printable(" ".join((text or "")[:1000].split()))
    return Text(beginning, no_wrap=True, overflow="ellipsis")
