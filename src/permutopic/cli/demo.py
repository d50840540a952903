"""`permutopic demo`: fit the bundled articles, and score the result against their headings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from permutopic.cli.options import current_names
from permutopic.errors import render

if TYPE_CHECKING:
    from permutopic.evaluation.demo import DemoResult

_NEAREST, _FARTHEST = 6, 6  # documents on the map, by distance to the canonical order


@click.command("demo")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@click.option(
    "--copy",
    "folder",
    type=click.Path(),
    help="Copy the articles into this new folder, to try other commands on, and stop.",
)
def demo_command(seed: int, folder: str | None) -> None:
    """Learn the shared outline of short articles on chemical elements, which come with permutopic.

    The articles have headings. The model does not use them; after the fit they name its topics
    and score it.
    """
    if folder is not None:
        from permutopic.datasets import copy_elements

        click.echo(f"{folder}: {copy_elements(folder)} articles")
        return
    from permutopic.cli.progress import shown_progress
    from permutopic.evaluation.demo import make_model, run_demo

    model = make_model(seed)
    with shown_progress(model) as on_sweep:
        result = run_demo(model, on_sweep)
    _print(result)


def _print(result: DemoResult) -> None:
    from permutopic.cli.tables import make_console, print_map, print_outline
    from permutopic.evaluation.demo import N_CHAINS, N_SWEEPS, N_TOPICS
    from permutopic.topics.outline import FIRMNESS

    console = make_console()
    console.print(
        f"{result.n_documents} short articles on chemical elements: {result.n_units} paragraphs, "
        f"{result.n_words:,} words. The outline they share, learned without their headings "
        f"(the best of {N_CHAINS} chains of {N_SWEEPS} sweeps):"
    )
    print_outline(result.outline, console)
    odds = ", ".join(f"{word} {odds:.0f}" for odds, word in FIRMNESS[:-1])
    console.print(
        "The names are headings that fit, assigned after the fit. Firmness says how many times as "
        f"likely a topic is at its position as one later: {odds} times or more; else it "
        f"{FIRMNESS[-1][1]}.\n\n"
        f"{_NEAREST} articles in the order of the outline, and the {_FARTHEST} farthest from it:"
    )
    print_map((*result.documents[:_NEAREST], *result.documents[-_FARTHEST:]), console)
    share = result.matched_units / result.n_units
    alignment, segmentation = result.evaluation.alignment, result.evaluation.segmentation
    console.print(
        f"Held against the headings, {result.matched_units} of {result.n_units} paragraphs "
        f"({share:.0%}) are in the right topic.\n"
        f"Alignment: F {alignment.f:.3f} (recall {alignment.recall:.3f}, precision "
        f"{alignment.precision:.3f}). Segmentation: Pk {segmentation.pk:.3f}, "
        f"{segmentation.segments:.1f} segments an article where the headings make "
        f"{segmentation.reference_segments:.1f}.\n"
        f"{render(result.evaluation.convergence.verdict, current_names())}\n\n"
        "Next, the same with files, and then with your own:\n"
        "  permutopic demo --copy elements\n"
        f"  permutopic fit elements -k {N_TOPICS} --chains {N_CHAINS} --sweeps {N_SWEEPS} "
        "--no-early-stop -o outline\n"
        "  permutopic outline outline --map"
    )
