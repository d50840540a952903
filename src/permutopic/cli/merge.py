"""`permutopic merge`: make topics of a saved model one."""

from __future__ import annotations

import click

from permutopic.cli.options import SHOWN_WORDS, changed_model


@click.command("merge")
@click.argument("model", type=click.Path())
@click.argument("topics", nargs=-1, metavar="TOPIC…")
@click.option("--name", help="What the merged topic is called.")
@click.option("--undo", is_flag=True, help="Take all merging back.")
@changed_model
def merge_command(
    model: str, topics: tuple[str, ...], name: str | None, undo: bool, output: str | None
) -> None:
    """Show topics of MODEL, by number or name, as one, and number all anew.

    Nothing is fitted again, and --undo takes it back.
    """
    from permutopic.cli.tables import print_outline
    from permutopic.errors import InputError
    from permutopic.estimator import ContentModel

    if undo and (topics or name is not None):
        raise InputError("--undo takes all merging back: it goes with no topics and no name")
    fitted = ContentModel.load(model)
    if undo:
        fitted.unmerge_topics()
    else:
        fitted.merge_topics(topics, name)
    fitted.save(model if output is None else output)
    print_outline(fitted.outline(SHOWN_WORDS))
