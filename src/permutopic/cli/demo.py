"""`permutopic demo`: fit a corpus drawn from the model and show what was recovered."""

from __future__ import annotations

from string import ascii_uppercase

import click


@click.command("demo")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
def demo_command(seed: int) -> None:
    """Draw a corpus from the model, fit it, and show the recovered order beside the true one."""
    from permutopic.cli.progress import shown_progress
    from permutopic.cli.tables import make_console, make_table
    from permutopic.experiments.demo import make_model, run_demo

    model = make_model(seed)
    with shown_progress(model) as on_sweep:
        result = run_demo(model, seed, on_sweep)
    console = make_console()
    console.print(
        f"A corpus drawn from the model: {result.n_documents} documents, {result.n_units} units, "
        f"{result.n_tokens} words.\nIts true topics are called A, B, C … in canonical order; "
        f"the better of two chains was never told them."
    )
    table = make_table(
        ("place", "right"),
        ("true", "left"),
        ("recovered", "left"),
        ("units found", "right"),
        ("true ρ", "right"),
        ("recovered ρ", "right"),
        ("telling words", "left"),
    )
    for number, place in enumerate(result.places, start=1):
        table.add_row(
            str(number),
            ascii_uppercase[place.true_topic],
            ascii_uppercase[place.found_topic],
            f"{place.agreement:.0%}",
            _number(place.true_dispersion),
            _number(place.found_dispersion),
            " ".join(place.words),
        )
    console.print(table)
    if result.distance == 0:
        verdict = "The recovered order is the true one."
    else:
        swaps = "1 swap" if result.distance == 1 else f"{result.distance} swaps"
        verdict = f"The recovered order is {swaps} of neighbours from the true one."
    console.print(f"{result.agreement:.1%} of the units are in the right topic. {verdict}")
    console.print(result.verdict)


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"
