"""`permutopic outline`: show the canonical outline of a saved model."""

from __future__ import annotations

import json
from dataclasses import asdict

import click


@click.command("outline")
@click.argument("model", type=click.Path())
@click.option(
    "--words",
    "n_words",
    type=click.IntRange(min=1),
    default=10,
    show_default=True,
    help="Words to show for each topic.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
def outline_command(model: str, n_words: int, as_json: bool) -> None:
    """Show the topics of MODEL in canonical order."""
    from permutopic.cli.tables import print_outline
    from permutopic.estimator import ContentModel

    entries = ContentModel.load(model).outline(n_words)
    if as_json:
        click.echo(json.dumps([asdict(entry) for entry in entries]))
    else:
        print_outline(entries)
