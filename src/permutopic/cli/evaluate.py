"""`permutopic evaluate`: fit a corpus and score the result against its headings."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from permutopic.cli.options import choice, current_names, make_model, model_options
from permutopic.cli.reading_options import PATHS, reading_options, take_corpus_settings
from permutopic.errors import render

if TYPE_CHECKING:
    from permutopic.evaluation.evaluate import Evaluation


@click.command("evaluate")
@PATHS
@model_options
@reading_options
@choice("--reference", ["heading", "label"], "The authors' headings, or labels where given.")
@choice("--convention", ["words", "units"], "What Pk and WindowDiff are counted over.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def evaluate_command(
    paths: tuple[str, ...], reference: str, convention: str, as_json: bool, **settings: Any
) -> None:
    """Fit the documents in PATHS and score the result against headings, which the model never sees.

    PATHS are files, folders, globs, or - for standard input.
    """
    from permutopic.cli.progress import shown_progress
    from permutopic.compile_ahead import compiling_meanwhile
    from permutopic.evaluation.evaluate import evaluate

    corpus_settings = take_corpus_settings(settings)
    model = make_model({**settings, "tokens": corpus_settings.tokens})
    with compiling_meanwhile("fit" if model.sampler == "blocked" else "paper", paths):
        documents = corpus_settings.read(paths)
    with shown_progress(model) as on_sweep:
        result = evaluate(
            documents, model, reference=reference, convention=convention, on_sweep=on_sweep
        )
    if as_json:
        click.echo(json.dumps({**result.as_dict(), "corpus": " ".join(paths)}))
    else:
        _print(result)


def _print(result: Evaluation) -> None:
    alignment, segmentation = result.alignment, result.segmentation
    click.echo(
        f"alignment     recall {alignment.recall:.3f}  precision {alignment.precision:.3f}  "
        f"F {alignment.f:.3f}\n"
        f"segmentation  Pk {segmentation.pk:.3f}  WindowDiff {segmentation.windowdiff:.3f}  "
        f"segments {segmentation.segments:.1f} (reference {segmentation.reference_segments:.1f})  "
        f"counted over {segmentation.convention}\n"
        f"log joint     {result.log_joint:,.1f}  topics in use {result.topics_in_use}\n"
        f"subject words {result.subject_words.type_share:.0%} of words, "
        f"{result.subject_words.token_share:.0%} of tokens\n"
        f"fit           {result.sweeps} sweeps in {result.seconds:.1f} s\n"
        f"convergence   {render(result.convergence.verdict, current_names())}"
    )
