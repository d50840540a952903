"""`permutopic fit`: learn the outline of a corpus and save the model."""

from __future__ import annotations

from typing import Any

import click

from permutopic.cli.options import CORPUS, make_model, model_options


@click.command("fit")
@CORPUS
@model_options
@click.option("-o", "--output", type=click.Path(), required=True, help="Folder for the model.")
def fit_command(corpus: str, output: str, **settings: Any) -> None:
    """Learn the shared outline of CORPUS (JSON lines, plain or .gz) and save the model."""
    from permutopic.cli.progress import shown_progress
    from permutopic.readers.sections import read_corpus
    from permutopic.storage import check_target

    model = make_model(settings)
    check_target(output)
    documents = read_corpus(corpus, settings["tokens"])
    with shown_progress(model) as on_sweep:
        model.fit(documents, on_sweep=on_sweep)
    model.save(output)
    click.echo(
        f"{output}: {documents.n_documents} documents, {documents.n_units} units, "
        f"log joint {model.log_joint_trace_[-1]:,.1f} after {model.log_joint_trace_.size} sweeps\n"
        f"{model.convergence_.verdict}"
    )
