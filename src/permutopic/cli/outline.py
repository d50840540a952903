"""`permutopic outline`: show the canonical outline of a saved model."""

from __future__ import annotations

import json
from dataclasses import asdict

import click

from permutopic.cli.options import SHOWN_WORDS, current_names


@click.command("outline")
@click.argument("model", type=click.Path())
@click.option(
    "--words",
    "n_words",
    type=click.IntRange(min=1),
    default=SHOWN_WORDS,
    show_default=True,
    help="Words to show for each topic.",
)
@click.option("--map", "with_map", is_flag=True, help="Show every document's topics as well.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
def outline_command(model: str, n_words: int, with_map: bool, as_json: bool) -> None:
    """Show the topics of MODEL in canonical order, and with --map its documents."""
    from permutopic.cli.tables import make_console, print_map, print_outline
    from permutopic.errors import render
    from permutopic.estimator import ContentModel
    from permutopic.topics import structure_of

    fitted = ContentModel.load(model)
    entries = fitted.outline(n_words)
    documents = (structure_of(*pair) for pair in zip(fitted.titles_, fitted.topics_, strict=True))
    if as_json:
        whole: dict[str, object] = {"topics": [asdict(entry) for entry in entries]}
        whole["no_order"] = fitted.no_order_
        if with_map:
            about = zip(documents, fitted.subjects_, strict=True)
            whole["documents"] = [{**asdict(each), "subjects": list(w)} for each, w in about]
        click.echo(json.dumps(whole))
        return
    console = make_console()
    print_outline(entries, console)
    if fitted.no_order_ is not None:
        console.print(render(fitted.no_order_, current_names()))
    if with_map:
        print_map(documents, console, subjects=fitted.subjects_)
