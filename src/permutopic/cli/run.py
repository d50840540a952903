"""`permutopic run`: let a method by name divide a corpus, and write what it predicts."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from permutopic.cli.options import model_options
from permutopic.cli.reading_options import PATHS, reading_options, take_choices
from permutopic.cli.results import check_output

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permutopic.corpus import Corpus
    from permutopic.prediction import Prediction

_STANDARD = "-"
_COLUMNS = {"title": str, "topics": list[int], "ends": list[int]}


@click.command("run")
@click.argument("method")
@PATHS
@model_options
@reading_options
@click.option(
    "-o",
    "--output",
    type=click.Path(),
    metavar="FILE",
    default=_STANDARD,
    help="File for the predictions (.jsonl), - for standard output.  [default: -]",
)
@click.pass_context
def run_command(
    context: click.Context,
    /,
    method: str,
    paths: tuple[str, ...],
    output: str,
    n_topics: int,
    random_state: int,
    **settings: Any,
) -> None:
    """Let METHOD give each unit of the documents in PATHS a topic: full, constrained or uniform.

    One line of JSON is written for each document: its title, the topic of each unit, and "ends",
    the number of the last unit of each segment, counted from 1. PATHS are files, folders, globs,
    or - for standard input.
    """
    from permutopic.cli.progress import shown_progress
    from permutopic.experiments.methods import find_method

    choices = take_choices(settings)
    # Defaults are the method's own affair: it is told what was asked for and nothing else.
    given = {
        name: value
        for name, value in settings.items()
        if context.get_parameter_source(name) is not ParameterSource.DEFAULT
    }
    found = find_method(method)
    found.check(n_topics, random_state, **given)
    if output != _STANDARD:
        check_output(output, *paths)
    documents = choices.read(paths)
    if "watch" in found.settings:
        given["watch"] = shown_progress
    prediction = found.predict(documents, n_topics, random_state, **given)
    _write(documents, prediction, output, found.name)


# METHOD says which variant it is.
run_command.params = [option for option in run_command.params if option.name != "variant"]


def _write(documents: Corpus, prediction: Prediction, output: str, method: str) -> None:
    from permutopic.exporting import write_json, write_rows

    rows = _rows(documents, prediction)
    if output == _STANDARD:
        write_json(rows, _COLUMNS, sys.stdout)
        return
    write_rows(rows, _COLUMNS, output)
    segments = sum(prediction.ends(d).size for d in range(documents.n_documents))
    click.echo(
        f"{output}: {documents.n_documents:,} documents, {documents.n_units:,} units, "
        f"{len(set(prediction.topics.tolist()))} topics in use, "
        f"{segments / documents.n_documents:.1f} segments a document, by {method}"
    )


def _rows(documents: Corpus, prediction: Prediction) -> Iterator[dict[str, object]]:
    for number, title in enumerate(documents.titles):
        topics = prediction.topics[documents.units_of(number)]
        yield {"title": title, "topics": topics, "ends": prediction.ends(number)}
