"""`permutopic rename`: rename topics of a saved model."""

from __future__ import annotations

import click

from permutopic.cli.options import SHOWN_WORDS, changed_model


@click.command("rename")
@click.argument("model", type=click.Path())
@click.argument("names", nargs=-1, required=True, metavar="TOPIC=NAME…")
@changed_model
def rename_command(model: str, names: tuple[str, ...], output: str | None) -> None:
    """Rename topics of MODEL: 3=Uses, or "old name=new name".

    TOPIC= without a name restores the automatic name.
    """
    from permutopic.cli.tables import print_outline
    from permutopic.errors import InputError
    from permutopic.estimator import ContentModel

    fitted = ContentModel.load(model)
    changes: dict[int | str, str | None] = {}
    for pair in names:
        topic, name = _split(pair, fitted.topic_names_)
        if topic in changes:
            raise InputError(f"topic {topic!r} is given two names")
        changes[topic] = name if name.strip() else None
    fitted.rename_topics(changes)
    fitted.save(model if output is None else output)
    print_outline(fitted.outline(SHOWN_WORDS))


def _split(pair: str, names: tuple[str, ...]) -> tuple[str, str]:
    """Split TOPIC=NAME at the first "=", or after the name of a topic that contains "="."""
    from permutopic.errors import InputError

    for known in sorted((name for name in names if "=" in name), key=len, reverse=True):
        left, right = pair[: len(known)], pair[len(known) :]
        if left.casefold() == known.casefold() and right.startswith("="):
            return known, right[1:]
    topic, equals, name = pair.partition("=")
    if not equals or not topic.strip():
        raise InputError(f"{pair!r}: a new name is given as TOPIC=NAME")
    return topic, name
