"""`permutopic predict`: what a model makes of new documents, unit by unit."""

from __future__ import annotations

from itertools import islice
from math import isnan
from typing import TYPE_CHECKING, Any

import click

from permutopic.cli.reading_options import FEW_SAMPLES, PATHS, infer_options, take_inferring
from permutopic.cli.results import check_output, for_machines, give, print_legend, result_options
from permutopic.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console

    from permutopic.results.inferred import Inferred

PREDICT_COLUMNS: dict[str, type] = {
    "document": int,
    "title": str,
    "location": str,
    "unit": int,
    "start": int,
    "end": int,
    "words": int,
    "topic": int,
    "name": str,
    "probability": float,
    "boundary": float,
}
_BLOCK = 200
"""Documents in one table for people, so that a long list appears as it grows."""


DOCUMENT_COLUMNS: dict[str, Any] = {
    "document": int,
    "title": str,
    "location": str,
    "topics": list[int],
    "ends": list[int],
    "swaps": int,
    "log_likelihood": float,
    "known_share": float,
    "seen": bool,
}


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
    """Tell the topic of every unit of the documents in PATHS, by a saved MODEL.

    PATHS are files, folders, globs, or - for standard input. Shown is a line a document; --json,
    --csv and -o FILE give a row a unit, or with --documents a row a document.
    """
    if documents and probabilities:
        raise InputError("--probabilities are those of units: they do not go with --documents")
    check_output(output, model, *paths)
    inferring = take_inferring(model, paths, settings, FEW_SAMPLES)
    names = inferring.model.topic_names_
    if not for_machines(as_json, as_csv, output):
        _show(inferring.inferred(), names)
        return
    columns: dict[str, Any] = DOCUMENT_COLUMNS if documents else dict(PREDICT_COLUMNS)
    if probabilities:
        columns["probabilities"] = list[float]
    rows = (
        row
        for number, inferred in enumerate(inferring.inferred(), 1)
        for row in (
            [document_row(inferred, number)] if documents else unit_rows(inferred, names, number)
        )
    )
    target = {"as_json": as_json, "as_csv": as_csv}
    give(rows, columns, lambda _: None, output=output, **target)


def document_row(inferred: Inferred, document: int) -> dict[str, object]:
    """Say all there is to say of a whole document; what is not known is None."""
    row = {name: getattr(inferred, name, None) for name in DOCUMENT_COLUMNS}
    unknown = isnan(inferred.log_likelihood)
    return {
        **row,
        "document": document,
        "topics": inferred.topics.tolist(),
        "ends": inferred.ends.tolist(),
        "log_likelihood": None if unknown else inferred.log_likelihood,
    }


def unit_rows(
    inferred: Inferred, names: tuple[str, ...], document: int
) -> Iterator[dict[str, object]]:
    """Give a row for each unit; `boundary` is how probable one is before it."""
    from permutopic.results.alignment import passages_of

    before = [None, *inferred.boundaries.tolist()]
    passages = passages_of(inferred, names, document)
    for passage, boundary, shares in zip(passages, before, inferred.probabilities, strict=True):
        row = {name: getattr(passage, name, None) for name in PREDICT_COLUMNS}
        yield {**row, "boundary": boundary, "probabilities": shares.tolist()}


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
        make_table,
        mark,
        printable,
        shortened,
        swaps_in_words,
    )
    from permutopic.topics import Structure

    titles = [shortened(printable(inferred.title)) for inferred in block]
    room = console.width - max(map(cell_len, titles)) - 42
    by_unit = max(inferred.n_units for inferred in block) <= room
    table = make_table(
        ("document", "left"),
        ("topics, unit by unit" if by_unit else "topics, segment by segment", "left"),
        ("out of order", "left"),
        ("nats a word", "right"),
        ("known words", "right"),
    )
    for title, inferred in zip(titles, block, strict=True):
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
        )
    console.print(table)
