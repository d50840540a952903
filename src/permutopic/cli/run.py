"""`permutopic run`: run a method on a corpus and write its prediction."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from permutopic.cli.options import model_options_but
from permutopic.cli.reading_options import PATHS, reading_options, take_corpus_settings
from permutopic.cli.results import check_output
from permutopic.cli.rival_options import rival_options, take_settings

if TYPE_CHECKING:
    from permutopic.corpus import Corpus
    from permutopic.results.prediction import Prediction

_STDOUT = "-"


@click.command("run")
@click.argument("method")
@PATHS
@click.option(
    "-k", "--topics", "n_topics", type=int, help="Topics at most (K); segmenters have none."
)
@model_options_but("n_topics", "variant", "topic_prior", "word_prior", "subject_words")
@rival_options
@reading_options
@click.option(
    "-o",
    "--output",
    type=click.Path(),
    metavar="FILE",
    default=_STDOUT,
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
    """Assign each unit of the documents in PATHS a topic by METHOD.

    \b
    our model   subjects; the paper's: full, constrained, uniform
    the paper's clustering, clustering-rbr, htmm, hmm,
                bayesseg, textseg, textseg-auto
    today's     lda, embeddings, embeddings-centred, texttiling, c99
    floors      even, even-given, random

    One line of JSON is written for each document: its title, the topic of each unit, and "ends",
    the number of the last unit of each segment, counted from 1; then other results of the method,
    such as a cost. bayesseg, textseg, textseg-auto, texttiling, c99 and even-given only segment
    documents: every segment has a topic of its own. PATHS are files, folders, globs, or - for
    standard input.
    """  # noqa: D301 (click wants the character itself)
    from permutopic.cli.progress import shown_progress
    from permutopic.experiments.methods import find_method

    corpus_settings = take_corpus_settings(settings)
    # Defaults differ between methods, so a method gets only the options that were given.
    given = {
        name: value
        for name, value in settings.items()
        if context.get_parameter_source(name) is not ParameterSource.DEFAULT
    }
    found = find_method(method)
    found.check(n_topics, random_state, **given)  # before an encoder is imported
    given = take_settings(given)
    if output != _STDOUT:
        check_output(output, *paths)
    found.check_on_sample(n_topics, random_state, **given)
    documents = corpus_settings.read(paths, keep_texts=found.needs_texts)
    if "progress" in found.settings:
        given["progress"] = shown_progress
    prediction = found.predict(documents, n_topics, random_state, **given)
    _write(documents, prediction, output, found.name)


def _write(documents: Corpus, prediction: Prediction, output: str, method: str) -> None:
    import numpy as np

    from permutopic.results.export import write_json

    table = prediction.table(documents.titles)
    if output == _STDOUT:
        write_json(table, table.columns, sys.stdout)
        return
    table.write(output)
    measures, n_topics = prediction.measures, np.unique(prediction.topics).size
    segments = sum(prediction.ends(d).size for d in range(documents.n_documents))
    click.echo(
        f"{output}: {documents.n_documents:,} documents, {documents.n_units:,} units, "
        f"{n_topics} topic{'' if n_topics == 1 else 's'} in use, "
        f"{segments / documents.n_documents:.1f} segments a document, by {method}"
        + "".join(f", {name.replace('_', ' ')} {value:,.6g}" for name, value in measures.items())
    )
