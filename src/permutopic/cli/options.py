"""Options that several commands share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from permutopic.estimator import ContentModel

    Option = Callable[[Callable[..., None]], Callable[..., None]]

SHOWN_WORDS = 6
"""Distinctive words of a topic that fit on a line."""


def choice(name: str, values: list[str], explanation: str) -> Option:
    """Make an option that takes one of a few values; the first is the default."""
    kind = click.Choice(values)
    return click.option(name, type=kind, default=values[0], show_default=True, help=explanation)


def number(name: str, target: str, default: float, explanation: str) -> Option:
    """Make an option that takes a number of its default's type."""
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
        help="Sweeps at most.  [default: 85; 100 without subject words; 1000 of the paper's]",
    ),
    click.option(
        "--early-stop/--no-early-stop",
        default=True,
        show_default=True,
        help="End a chain when its sweeps at inverse temperature 1 no longer gain.",
    ),
    number("--chains", "n_chains", 1, "Chains to run; the best is taken, and all are compared."),
    choice("--keep", ["best", "all"], "Which chains' states to keep, for averages over chains."),
    click.option(
        "--subject-words/--no-subject-words",
        default=None,
        help="Whether words may follow the documents instead of the topics.  [default: yes; the "
        "paper's sampler has none]",
    ),
    number("--jobs", "n_jobs", 1, "Threads, -1 for all; the result is the same."),
    number("--seed", "random_state", 0, "Same seed, same result."),
    number("--topic-prior", "topic_prior", 0.1, "θ0: small means few topics hold most paragraphs."),
    click.option(
        "--word-prior",
        type=float,
        help="β0: small means each topic keeps to few words.  [default: by the size of the corpus; "
        "0.1 without subject words]",
    ),
    number(
        "--dispersion-prior",
        "dispersion_prior",
        1.0,
        "ρ0: how firmly topics are expected to keep their position.",
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
    """Add the options of a ContentModel but some."""
    wanted = [option for name, option in _named(_MODEL_OPTIONS) if name not in unwanted]
    return adding(wanted)


def adding(options: Sequence[Option]) -> Option:
    """Make one decorator of several options, listed in this order."""

    def add(command: Callable[..., None]) -> Callable[..., None]:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def _named(options: Sequence[Option]) -> Iterator[tuple[str, Option]]:
    """Yield options with the names of their parameters."""
    for option in options:

        def nothing() -> None:
            """Carry one option."""

        option(nothing)
        yield nothing.__click_params__[0].name, option  # type: ignore[attr-defined]


class NumberOr(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    """A number, or a word in its place.

    >>> NumberOr(float, "learned").convert("0.2", None, None)
    0.2
    """

    def __init__(self, kind: type[float], word: str) -> None:
        self.kind, self.word = kind, word
        self.name = "number"

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:  # noqa: ARG002
        """Return the form of a value for the help text."""
        return f"{'N' if self.kind is int else 'X'}|{self.word}"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Parse the number; return the word unchanged."""
        if value == self.word:
            return value
        try:
            return self.kind(value)
        except ValueError:
            what = "a whole number" if self.kind is int else "a number"
            self.fail(f"{value!r} is neither {what} nor {self.word!r}", param, ctx)


def make_model(settings: dict[str, Any]) -> ContentModel:
    """Make the model that the options describe, and check its settings before text is read."""
    from permutopic.estimator import ContentModel

    model = ContentModel(**settings)
    model.checked_settings()
    return model


changed_model: Option = click.option(
    "-o", "--output", type=click.Path(), help="Folder for the changed model.  [default: MODEL]"
)


# Parameters of the library whose option fills another one: its name, and that of the other.
_ALIASES = {
    "seed": "random_state",
    "kind": "unit",
    "stop": "stop_words",
    "nearest": "n_nearest",
    "fields.title": "title_field",
    "fields.text": "text_field",
    "fields.sections": "sections_field",
    "fields.heading": "heading_field",
    "fields.label": "label_field",
    "fields.paragraphs": "paragraphs_field",
    "fields.document": "document_field",
}


def option_names(command: click.Command) -> dict[str, str]:
    """Map the library's parameter names to the options of a command."""
    options = [option for option in command.params if isinstance(option, click.Option)]
    names = {str(option.name): max(option.opts, key=len) for option in options}
    aliases = {alias: names[name] for alias, name in _ALIASES.items() if name in names}
    return {**aliases, **names}


@click.command()
@model_options
def _any_fit(**settings: Any) -> None:
    """Have the options of a fit, which advice in other commands may name."""


def names_in(command: click.Command | None) -> dict[str, str]:
    """Map parameter names to the options of a command, and to those of a fit where it has none."""
    return option_names(_any_fit) | ({} if command is None else option_names(command))


def current_names() -> dict[str, str]:
    """Map parameter names to the options of the command that is running."""
    context = click.get_current_context(silent=True)
    return names_in(None if context is None else context.command)
