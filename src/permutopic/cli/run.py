"""`permutopic run`: let a method by name divide a corpus, and write what it predicts."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from permutopic.cli.options import model_options_but
from permutopic.cli.reading_options import PATHS, reading_options, take_choices
from permutopic.cli.results import check_output
from permutopic.cli.rival_options import by_option, rival_options, take_settings
from permutopic.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permutopic.corpus import Corpus
    from permutopic.experiments.method import Method
    from permutopic.results.prediction import Prediction

_STANDARD = "-"
_COLUMNS = {"title": str, "topics": list[int], "ends": list[int]}


@click.command("run")
@click.argument("method")
@PATHS
@click.option(
    "-k", "--topics", "n_topics", type=int, help="Topics at most (K); segmenters have none."
)
@model_options_but("n_topics", "variant", "topic_prior", "word_prior")
@rival_options
@reading_options
@click.option(
    "-o",
    "--output",
    type=click.Path(),
    metavar="FILE",
    default=_STANDARD,
    help="File for the predictions: .jsonl, .csv or .parquet; - for standard output.  [default: -]",
)
@click.pass_context
def run_command(
    context: click.Context,
    /,
    method: str,
    paths: tuple[str, ...],
    output: str,
    n_topics: int | None,
    random_state: int,
    **settings: Any,
) -> None:
    """Let METHOD give each unit of the documents in PATHS a topic.

    \b
    our model   full, constrained, uniform
    the paper's clustering, clustering-rbr, htmm, hmm,
                bayesseg, textseg, textseg-auto
    today's     lda, embeddings, embeddings-centred, texttiling, c99
    floors      even, even-given, random

    One line of JSON is written for each document: its title, the topic of each unit, and "ends",
    the number of the last unit of each segment, counted from 1; then what else the method tells,
    such as a cost. bayesseg, textseg, textseg-auto, texttiling, c99 and even-given divide documents
    and align nothing: every segment has a topic of its own. PATHS are files, folders, globs, or -
    for standard input.
    """  # noqa: D301 (click wants the character itself)
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
    names = {str(each.name): each.opts[-1] for each in context.command.params}
    _check_options(names, found, given)
    given = take_settings(given)
    if found.aligns and n_topics is None:
        raise InputError(f"the method {method} needs a number of topics (K): give -k")
    if output != _STANDARD:
        check_output(output, *paths)
    try:
        found.check_on_sample(n_topics, random_state, **given)
    except InputError as error:
        raise by_option(error, names) from None
    documents = choices.read(paths, keep_texts=found.needs_texts)
    if "progress" in found.settings:
        given["progress"] = shown_progress
    try:
        prediction = found.predict(documents, n_topics, random_state, **given)
    except InputError as error:
        raise by_option(error, names) from None
    _write(documents, prediction, output, found.name)


def _check_options(names: dict[str, str], method: Method, given: dict[str, Any]) -> None:
    """Refuse options that the method does not have, by the names they have here."""
    for name in given:
        if name not in method.settings:
            known = ", ".join(names[each] for each in sorted(method.settings) if each in names)
            raise InputError(
                f"the method {method.name} has no option {names[name]}; "
                f"those of its own: {known or 'none'}"
            )


def _write(documents: Corpus, prediction: Prediction, output: str, method: str) -> None:
    import numpy as np

    from permutopic.results.export import write_json, write_rows

    columns = {**_COLUMNS, **dict.fromkeys(prediction.by_document, float)}
    rows = _rows(documents, prediction)
    if output == _STANDARD:
        write_json(rows, columns, sys.stdout)
        return
    write_rows(rows, columns, output)
    measures, n_topics = prediction.measures, np.unique(prediction.topics).size
    segments = sum(prediction.ends(d).size for d in range(documents.n_documents))
    click.echo(
        f"{output}: {documents.n_documents:,} documents, {documents.n_units:,} units, "
        f"{n_topics} topic{'' if n_topics == 1 else 's'} in use, "
        f"{segments / documents.n_documents:.1f} segments a document, by {method}"
        + "".join(f", {name.replace('_', ' ')} {told:,.6g}" for name, told in measures.items())
    )


def _rows(documents: Corpus, prediction: Prediction) -> Iterator[dict[str, object]]:
    for number, title in enumerate(documents.titles):
        topics = prediction.topics[documents.units_of(number)]
        others = {name: values[number] for name, values in prediction.by_document.items()}
        yield {"title": title, "topics": topics, "ends": prediction.ends(number), **others}
