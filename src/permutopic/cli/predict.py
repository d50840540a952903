"""`permutopic predict`: infer the topics of documents, unit by unit."""

from __future__ import annotations

from itertools import islice
from math import isnan
from typing import TYPE_CHECKING, Any

import click

from permutopic.cli.reading_options import FEW_SAMPLES, PATHS, infer_options, take_model_input
from permutopic.cli.results import (
    check_output,
    is_written,
    print_legend,
    result_options,
    write_or_show,
)
from permutopic.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console

    from permutopic.results.inferred import Inferred

_BLOCK = 200
"""Documents in one table for people, so that a long list appears as it grows."""


@click.command("predict")
@click.argument("model", type=click.Path())
@PATHS
@click.option("--documents", is_flag=True, help="Give a row a document, not a row a unit.")
@click.option(
    "--probabilities", is_flag=True, help="Give the probabilities of all topics of a unit."
)
@result_options
@infer_options
def predict_command(
    model: str,
    paths: tuple[str, ...],
    documents: bool,
    probabilities: bool,
    as_json: bool,
    as_csv: bool,
    output: str | None,
    **settings: Any,
) -> None:
    """Infer the topic of every unit of the documents in PATHS, by a saved MODEL.

    PATHS are files, folders, globs, or - for standard input. Shown is a line a document; --json,
    --csv and -o FILE give a row a unit, or with --documents a row a document.
    """
    if documents and probabilities:
        raise InputError("--probabilities are those of units: they do not go with --documents")
    check_output(output, model, *paths)
    given = take_model_input(model, paths, settings, FEW_SAMPLES)
    if not is_written(as_json, as_csv, output):
        _show(given.inferred(), given.model.topic_names_)
        return
    table = given.model.predict_table(
        given.documents() or (),
        rows="documents" if documents else "units",
        probabilities=probabilities,
        **given.settings,
    )
    write_or_show(
        table, table.columns, lambda _: None, output=output, as_json=as_json, as_csv=as_csv
    )


def _show(documents: Iterator[Inferred], names: tuple[str, ...]) -> None:
    from permutopic.cli.tables import make_console

    console = make_console()
    used: set[int] = set()
    while block := list(islice(documents, _BLOCK)):
        used.update(*(inferred.topics.tolist() for inferred in block))
        _show_block(block, console)
    print_legend(names, used, console)


def _show_block(block: list[Inferred], console: Console) -> None:
    from rich.cells import cell_len
    from rich.text import Text

    from permutopic.cli.tables import (
        colour,
        cut_to,
        make_table,
        mark,
        printable,
        shortened,
        shown_subjects,
        swaps_in_words,
    )
    from permutopic.topics import Structure

    titles = [shortened(printable(inferred.title)) for inferred in block]
    about = [shown_subjects(inferred.subjects) for inferred in block]
    about_width = min(max(map(cell_len, about)), console.width // 4)
    room = console.width - max(map(cell_len, titles)) - 42 - about_width
    by_unit = max(inferred.n_units for inferred in block) <= room
    table = make_table(
        ("document", "left"),
        ("topics, unit by unit" if by_unit else "topics, segment by segment", "left"),
        ("out of order", "left"),
        ("nats per word", "right"),
        ("known words", "right"),
        *([("about", "left")] if about_width else []),
    )
    for title, inferred, words in zip(titles, block, about, strict=True):
        structure = Structure(inferred.title, tuple(inferred.topics.tolist()), inferred.swaps)
        marks = Text(no_wrap=True, overflow="ellipsis")
        for topic in structure.topics if by_unit else structure.segments:
            marks.append(mark(topic), style=colour(topic))
        table.add_row(
            Text(title, no_wrap=True),
            marks,
            swaps_in_words(inferred.swaps),
            "–" if isnan(inferred.log_likelihood) else f"{inferred.log_likelihood:.2f}",
            f"{inferred.known_share:.0%}",
            *([cut_to(words, about_width)] if about_width else []),
        )
    console.print(table)
