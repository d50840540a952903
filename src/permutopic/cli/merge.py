"""`permutopic merge`: merge topics of a saved model."""

from __future__ import annotations

import click

from permutopic.cli.options import SHOWN_WORDS, changed_model


@click.command("merge")
@click.argument("model", type=click.Path())
@click.argument("topics", nargs=-1, metavar="TOPIC…")
@click.option("--name", help="Name of the merged topic.")
@click.option("--undo", is_flag=True, help="Undo all merging.")
@changed_model
def merge_command(
    model: str, topics: tuple[str, ...], name: str | None, undo: bool, output: str | None
) -> None:
    """Merge topics of MODEL, given by number or name, into one, and renumber all.

    Nothing is fitted again. --undo undoes all merging.
    """
    from permutopic.cli.tables import print_outline
    from permutopic.errors import InputError
    from permutopic.estimator import ContentModel

    if undo and (topics or name is not None):
        raise InputError("--undo undoes all merging: give no topics and no --name")
    fitted = ContentModel.load(model)
    if undo:
        fitted.unmerge_topics()
    else:
        fitted.merge_topics(topics, name)
    fitted.save(model if output is None else output)
    print_outline(fitted.outline(SHOWN_WORDS))
