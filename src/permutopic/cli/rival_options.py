"""Options of all methods; each gets those that were given, and refuses those it does not have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from permutopic.cli.options import NumberOr, adding, choice
from permutopic.cli.reading_options import find_function
from permutopic.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

rival_options: Callable[[Callable[..., None]], Callable[..., None]] = adding(
    (
        click.option(
            "--segments",
            "n_segments",
            type=NumberOr(int, "reference"),
            help="Segments of each document, of segmenters.  [default: as many as the reference "
            "has; texttiling and c99 choose]",
        ),
        choice("--reference", ["heading", "label"], "Which reference's segments those are."),
        click.option(
            "--prior",
            type=NumberOr(float, "learned"),
            help="Prior of words, of bayesseg.  [default: learned]",
        ),
        click.option(
            "--duration",
            type=NumberOr(float, "learned"),
            help="Dispersion of segment lengths, of bayesseg.  [default: no length model]",
        ),
        click.option(
            "--topic-prior",
            type=float,
            help="θ0 of our model, α of htmm.  [default: 0.1; htmm 1 + 50/K]",
        ),
        click.option(
            "--word-prior",
            type=float,
            help="β0 of our model, η of htmm.  [default: 0.1; htmm 1.01]",
        ),
        click.option("--trials", type=int, help="Trials of each bisection.  [default: 10]"),
        click.option(
            "--iterations",
            type=int,
            help="Maximum iterations of htmm and hmm; sweeps of lda.  [default: 100; lda 500]",
        ),
        click.option(
            "--start",
            type=click.Choice(["corpus", "uniform"]),
            help="Start of EM of htmm: word frequencies of the corpus, or uniform random numbers.  "
            "[default: corpus]",
        ),
        click.option(
            "--smoothing",
            type=click.Choice(["backoff", "additive"]),
            help="Smoothing of emissions of hmm; additive as in its paper.  [default: backoff]",
        ),
        click.option("--smallest", type=int, help="Minimum units of a state of hmm.  [default: 4]"),
        click.option(
            "--width", type=int, help="Words in a pseudo-sentence of texttiling.  [default: 20]"
        ),
        click.option("--block", type=int, help="Pseudo-sentences per block.  [default: 10]"),
        click.option(
            "--policy",
            type=click.Choice(["conservative", "liberal"]),
            help="Threshold of depth of texttiling.  [default: conservative]",
        ),
        click.option(
            "--mask", type=int, help="Side of the square of ranks of c99; odd.  [default: 11]"
        ),
        click.option(
            "--encoder",
            metavar="MODULE:NAME",
            help="Your own encoder, from a list of texts to vectors.  [default: MiniLM]",
        ),
    )
)
"""Add the options of all methods to a command."""


def take_settings(settings: dict[str, Any]) -> dict[str, Any]:
    """Convert values: an encoder by its name, and "learned" to None."""
    given = dict(settings)
    if isinstance(given.get("encoder"), str):
        given["encoder"] = find_encoder(given["encoder"])
    if given.get("prior") == "learned":
        given["prior"] = None
    return given


def find_encoder(name: str) -> Any:
    """Import an encoder of the user's own."""
    if not all(name.partition(":")):
        raise InputError(f"--encoder is MODULE:NAME, such as my_module:encode, not {name!r}")
    return find_function("--encoder", name)
