"""`permutopic fit`: learn the outline of a corpus and save the model."""

from __future__ import annotations

from typing import Any

import click

from permutopic.cli.options import current_names, make_model, model_options
from permutopic.cli.reading_options import PATHS, reading_options, take_corpus_settings


@click.command("fit")
@PATHS
@model_options
@reading_options
@click.option("-o", "--output", type=click.Path(), required=True, help="Folder for the model.")
@click.option("--force", is_flag=True, help="Replace a model even if it was named by hand.")
def fit_command(paths: tuple[str, ...], output: str, force: bool, **settings: Any) -> None:
    """Learn the shared outline of the documents in PATHS and save the model.

    PATHS are files, folders, globs, or - for standard input: text, Markdown, HTML, MediaWiki dumps,
    Word, manual pages, JSON lines, CSV, Parquet; plain or packed. `permutopic inspect` shows what
    would be read.
    """
    from permutopic.cli.progress import shown_progress
    from permutopic.cli.tables import printable
    from permutopic.compile_ahead import compiling_ahead, compiling_meanwhile
    from permutopic.errors import InputError, render
    from permutopic.storage import check_model_target, read_description
    from permutopic.topics import NamedTopics

    corpus_settings = take_corpus_settings(settings)
    model = make_model({**settings, "tokens": corpus_settings.tokens})
    check_model_target(output)
    if not force and NamedTopics.has_user_changes(read_description(output).get("topics")):
        raise InputError(
            f"{output} is a model with names or merged topics of your own: --force replaces it"
        )
    with compiling_meanwhile("fit" if model.sampler == "blocked" else "paper", paths):
        documents = corpus_settings.read(paths)
    with shown_progress(model) as on_sweep, compiling_ahead("infer", corpus_settings.n_jobs):
        model.fit(documents, on_sweep=on_sweep)
    model.save(output)
    used = [printable(each.name) for each in model.outline(1) if each.document_share > 0]
    click.echo(
        f"{output}: {documents.n_documents:,} documents, {documents.n_units:,} units, "
        f"log joint {model.log_joint_trace_[-1]:,.1f} after {model.log_joint_trace_.size} sweeps\n"
        f"{len(used)} topics: {'; '.join(used)}\n"
        f"{render(model.convergence_.verdict, current_names())}"
    )
