"""Options that several commands share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from permutopic.estimator import ContentModel

    Option = Callable[[Callable[..., None]], Callable[..., None]]

SHOWN_WORDS = 6
"""Telling words of a topic that fit on a line."""


def choice(name: str, values: list[str], explanation: str) -> Option:
    """Make an option that takes one of a few values, the first unless told."""
    kind = click.Choice(values)
    return click.option(name, type=kind, default=values[0], show_default=True, help=explanation)


def number(name: str, target: str, default: float, explanation: str) -> Option:
    """Make an option that takes a number of the kind that its default is."""
    kind = type(default)
    return click.option(
        name, target, type=kind, default=default, show_default=True, help=explanation
    )


_MODEL_OPTIONS = (
    click.option("-k", "--topics", "n_topics", type=int, required=True, help="Topics at most (K)."),
    choice(
        "--variant",
        ["full", "constrained", "uniform"],
        "Orders near a canonical one, all equal to it, or all equally likely.",
    ),
    choice(
        "--sampler",
        ["blocked", "paper"],
        "Whole structures at a time with annealing, or the paper's moves.",
    ),
    click.option(
        "--sweeps",
        "n_sweeps",
        type=int,
        help="Sweeps at most.  [default: 100; 1000 of the paper's]",
    ),
    click.option(
        "--early-stop/--no-early-stop",
        default=True,
        show_default=True,
        help="End a chain when its sweeps at temperature 1 no longer gain.",
    ),
    number("--chains", "n_chains", 1, "Chains to run; the best is taken, and all are compared."),
    choice("--keep", ["best", "all"], "Which chains' states to keep, for averages over chains."),
    number("--jobs", "n_jobs", 1, "Threads, -1 for all; the result is the same."),
    number("--seed", "random_state", 0, "Same seed, same result."),
    number("--topic-prior", "topic_prior", 0.1, "θ0: small means few topics hold most paragraphs."),
    number("--word-prior", "word_prior", 0.1, "β0: small means each topic keeps to few words."),
    number(
        "--dispersion-prior",
        "dispersion_prior",
        1.0,
        "ρ0: how firmly topics are expected to keep their place.",
    ),
    click.option(
        "--dispersion-strength",
        type=float,
        help="ν0: how many documents that is worth.  [default: a tenth of the documents]",
    ),
)


def model_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that describe a ContentModel."""
    return adding(_MODEL_OPTIONS)(command)


def model_options_but(*unwanted: str) -> Option:
    """Add those that a command has no other use for."""
    wanted = [option for name, option in _named(_MODEL_OPTIONS) if name not in unwanted]
    return adding(wanted)


def adding(options: Sequence[Option]) -> Option:
    """Make one decorator of several options, which come in this order."""

    def add(command: Callable[..., None]) -> Callable[..., None]:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def _named(options: Sequence[Option]) -> Iterator[tuple[str, Option]]:
    """Tell by what name a command is given the value of each option."""
    for option in options:

        def nothing() -> None:
            """Take an option and show it."""

        option(nothing)
        yield nothing.__click_params__[0].name, option  # type: ignore[attr-defined]


class NumberOr(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    """A number, or one word that stands for none.

    >>> NumberOr(float, "learned").convert("0.2", None, None)
    0.2
    """

    def __init__(self, kind: type[float], word: str) -> None:
        self.kind, self.word = kind, word
        self.name = "number"

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:  # noqa: ARG002
        """Show the word as it is to be given."""
        return f"{'N' if self.kind is int else 'X'}|{self.word}"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Read the number or leave the word as it is."""
        if value == self.word:
            return value
        try:
            return self.kind(value)
        except ValueError:
            what = "a whole number" if self.kind is int else "a number"
            self.fail(f"{value!r} is neither {what} nor {self.word!r}", param, ctx)


def make_model(settings: dict[str, Any]) -> ContentModel:
    """Make the model that the options describe, with everything checked before text is read."""
    from permutopic.estimator import ContentModel

    model = ContentModel(**settings)
    model.checked_settings()
    return model


changed_model: Option = click.option(
    "-o", "--output", type=click.Path(), help="Folder for the changed model.  [default: MODEL]"
)


def option_names(command: click.Command) -> dict[str, str]:
    """Map the library's parameter names to the options of a command."""
    names: dict[str, str] = {}
    for option in command.params:
        if isinstance(option, click.Option):
            longest = max(option.opts, key=len)
            names[longest.lstrip("-").replace("-", "_")] = longest
            names[str(option.name)] = longest
    return names


def in_options(text: str) -> str:
    """Name settings in a text of the library by the options that the command line has for them.

    >>> in_options("run several (n_chains=4), or more sweeps (n_sweeps)")
    'run several (--chains 4), or more sweeps (--sweeps)'
    """
    for setting, option in (("n_chains=", "--chains "), ("n_chains", "--chains")):
        text = text.replace(setting, option)
    return text.replace("n_sweeps", "--sweeps")
