"""Options that several commands share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Callable

    from permutopic.estimator import ContentModel

CORPUS = click.argument("corpus", type=click.Path())

_MODEL_OPTIONS = (
    click.option("-k", "--topics", "n_topics", type=int, required=True, help="Topics at most (K)."),
    click.option(
        "--variant",
        type=click.Choice(["full", "constrained", "uniform"]),
        default="full",
        show_default=True,
        help="Orders near a canonical one, all equal to it, or all equally likely.",
    ),
    click.option(
        "--sampler",
        type=click.Choice(["paper"]),
        default="paper",
        show_default=True,
        help="The moves of the Markov chain.",
    ),
    click.option(
        "--sweeps", "n_sweeps", type=int, default=1000, show_default=True, help="Sweeps to run."
    ),
    click.option(
        "--seed",
        "random_state",
        type=int,
        default=0,
        show_default=True,
        help="Same seed, same result.",
    ),
    click.option(
        "--tokens",
        type=click.Choice(["words", "whitespace", "ascii"]),
        default="words",
        show_default=True,
        help="Lower-cased Unicode words, white-space split, or runs of a-z0-9.",
    ),
    click.option("--topic-prior", type=float, default=0.1, show_default=True, help="θ0."),
    click.option("--word-prior", type=float, default=0.1, show_default=True, help="β0."),
    click.option("--dispersion-prior", type=float, default=1.0, show_default=True, help="ρ0."),
    click.option(
        "--dispersion-strength",
        type=float,
        default=None,
        help="ν0.  [default: a tenth of the number of documents]",
    ),
)


def model_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that describe a ContentModel."""
    for option in reversed(_MODEL_OPTIONS):
        command = option(command)
    return command


def make_model(settings: dict[str, Any]) -> ContentModel:
    """Make the model that the options describe, with everything checked before text is read."""
    from permutopic.estimator import ContentModel
    from permutopic.model.priors import check_n_topics

    check_n_topics(settings["n_topics"])
    return ContentModel(**settings)
