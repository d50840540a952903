"""Options of the rivals: each is told those that were given, and refuses what it does not have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from permutopic.cli.options import NumberOr, adding, choice
from permutopic.cli.reading_options import find_function

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
            help="Dispersion of segments' lengths, of bayesseg.  [default: lengths do not count]",
        ),
        click.option("--trials", type=int, help="Trials of each bisection.  [default: 10]"),
        click.option(
            "--iterations",
            type=int,
            help="Iterations at most, of htmm and hmm, or of lda.  [default: 100; lda 500]",
        ),
        click.option(
            "--start",
            type=click.Choice(["corpus", "uniform"]),
            help="Where EM of htmm starts: near the words of the corpus, or anywhere.  "
            "[default: corpus]",
        ),
        click.option("--smallest", type=int, help="Units that make a state of hmm."),
        click.option(
            "--width", type=int, help="Words in a pseudo-sentence of texttiling.  [default: 20]"
        ),
        click.option("--block", type=int, help="Pseudo-sentences in its blocks.  [default: 10]"),
        click.option(
            "--policy",
            type=click.Choice(["conservative", "liberal"]),
            help="How deep its valleys must be.  [default: conservative]",
        ),
        click.option(
            "--mask", type=int, help="Side of the square that c99 ranks in.  [default: 11]"
        ),
        click.option(
            "--encoder",
            metavar="MODULE:NAME",
            help="Your own encoder, from a list of texts to vectors.  [default: MiniLM]",
        ),
    )
)
"""Adds the settings that rivals have."""


def take_encoder(settings: dict[str, Any]) -> None:
    """Look up the encoder that was named, in place, and say what "learned" and the like mean."""
    if settings.get("encoder") is not None:
        settings["encoder"] = find_function("--encoder", settings["encoder"])
    if settings.get("prior") == "learned":
        settings["prior"] = None
