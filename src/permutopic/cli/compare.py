"""`permutopic compare`: our model and its rivals on one corpus, in one table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from permutopic.cli.options import choice, number
from permutopic.cli.reading_options import PATHS, reading_options, take_choices
from permutopic.cli.results import check_output, give, result_options
from permutopic.errors import InputError

if TYPE_CHECKING:
    from rich.table import Table

    from permutopic.experiments.comparing import Compared, Comparison, RunInfo

_HEADS = {
    "recall": "recall",
    "precision": "precision",
    "f": "F",
    "pk": "Pk",
    "windowdiff": "WindowDiff",
    "segments": "segments",
    "seconds": "seconds",
}
_TESTED = ("f", "pk", "windowdiff")


@click.command("compare")
@PATHS
@click.option("-k", "--topics", "n_topics", type=int, required=True, help="Topics at most (K).")
@click.option(
    "--methods",
    default="all",
    show_default=True,
    metavar="LIST",
    help="Methods to compare with ours: clustering,htmm,…, or all.",
)
@number("--seeds", "n_seeds", 5, "Runs of each method that goes by chance, seeds 0, 1, ….")
@choice("--reference", ["heading", "label"], "The authors' headings, or labels where given.")
@choice("--convention", ["words", "units"], "What Pk and WindowDiff are counted over.")
@click.option(
    "--encoder",
    metavar="MODULE:NAME",
    help="Your own encoder for sentence embeddings.  [default: MiniLM]",
)
@number("--jobs", "n_jobs", 1, "Threads of our model, -1 for all; the result is the same.")
@reading_options
@result_options
def compare_command(
    paths: tuple[str, ...],
    n_topics: int,
    methods: str,
    n_seeds: int,
    reference: str,
    convention: str,
    encoder: str | None,
    n_jobs: int,
    as_json: bool,
    as_csv: bool,
    output: str | None,
    **settings: Any,
) -> None:
    """Run methods on the documents in PATHS and score them against headings.

    No method sees the headings, but some are told how many segments they make: see the marks in the
    table. `permutopic run --help` lists the methods. Shown are means over seeds ± their standard
    deviation; stars say which differ from our model by approximate randomization over documents.
    PATHS are files, folders, globs, or - for standard input.
    """
    from permutopic.cli.progress import shown_steps
    from permutopic.cli.reading_options import find_function
    from permutopic.experiments.comparing import choose_methods, compare
    from permutopic.experiments.methods import METHODS

    choices = take_choices(settings)
    names = _listed(methods)
    given = _settings(n_jobs, None if encoder is None else find_function("--encoder", encoder))
    if n_seeds < 1:
        raise InputError(f"--seeds must be at least 1, not {n_seeds}")
    chosen, _ = choose_methods(names, n_topics, given)
    check_output(output, *paths)
    reads_text = any(METHODS[method.name].reads_text for method in chosen)
    documents = choices.read(paths, keep_texts=reads_text)
    with shown_steps("runs") as show:

        def on_run(info: RunInfo) -> None:
            show(info.run, info.n_runs, f"{info.method}, seed {info.seed}")

        comparison = compare(
            documents,
            n_topics,
            names,
            n_seeds=n_seeds,
            reference=reference,
            convention=convention,
            settings=given,
            on_run=on_run,
        )
    for name, reason in comparison.missing.items():
        click.echo(f"permutopic: note: {name} is left out: {reason}", err=True)
    give(
        comparison.rows(),
        comparison.columns,
        lambda _: _print(comparison),
        as_json=as_json,
        as_csv=as_csv,
        output=output,
    )


def _listed(methods: str) -> list[str]:
    names = [name.strip() for name in methods.split(",")]
    if not all(names):
        raise InputError(f"--methods is a list such as clustering,htmm, or all, not {methods!r}")
    return names


def _settings(n_jobs: int, encoder: object | None) -> dict[str, dict[str, Any]]:
    """Say what each method is called with."""
    ours: dict[str, dict[str, Any]] = {
        name: {"n_jobs": n_jobs} for name in ("full", "constrained", "uniform")
    }
    if encoder is None:
        return ours
    return {**ours, **{name: {"encoder": encoder} for name in ("embeddings", "embeddings-centred")}}


def _print(comparison: Comparison) -> None:
    from rich.measure import measure_renderables

    from permutopic.cli.tables import make_console

    console = make_console()
    table = _table(comparison, spread=True)
    needed = measure_renderables(console, console.options.update(max_width=1000), [table]).maximum
    spread = needed <= console.width  # else it goes, and --csv has it
    console.print(table if spread else _table(comparison, spread=False))
    facts = comparison.settings
    most = max(len(each.seeds) for each in comparison.methods)
    seeds = "one seed" if most == 1 else f"{most} seeds"
    shown = "Mean and standard deviation" if spread and most > 1 else "Mean"
    console.print(
        f"{facts['n_documents']:,} documents, K = {facts['n_topics']}, tokens {facts['tokens']}; "
        f"against {facts['reference']}s, Pk and WindowDiff over {facts['convention']}.\n"
        "–: divides documents and aligns nothing.\n"
        f"{shown} over {seeds}; one run where nothing goes by chance.\n"
        "*, **: differs from full with p < .05, .01 (approximate randomization over documents).\n"
        "†: told how many segments the reference has in each document: "
        f"{facts['reference_segments']:.1f} on average."
    )


def _table(comparison: Comparison, *, spread: bool) -> Table:
    from permutopic.cli.tables import make_table
    from permutopic.experiments.comparing import SCORES

    table = make_table(("method", "left"), *((_HEADS[score], "right") for score in SCORES))
    for column in table.columns:
        column.no_wrap = True
    group = comparison.methods[0].method.group
    for each in comparison.methods:
        if each.method.group != group:
            table.add_section()
            group = each.method.group
        name = each.method.name + ("†" if each.method.told else "")
        table.add_row(name, *(_cell(each, score, spread) for score in SCORES))
    return table


def _cell(each: Compared, score: str, spread: bool) -> str:
    mean, deviation = each.mean(score), each.spread(score)
    if mean is None:
        return "–"
    if score == "seconds":
        return f"{mean:.1f}" if mean >= 0.95 else f"{mean:.2f}"
    digits = 1 if score == "segments" else 3
    shown = _short(mean, digits)
    if spread and deviation is not None:
        shown += f"±{_short(deviation, digits)}"
    # Stars stand in a place of their own, so that numbers stay below each other.
    return shown + (each.stars(score).ljust(2) if score in _TESTED else "")


def _short(value: float, digits: int) -> str:
    return f"{value:.{digits}f}".removeprefix("0")
