"""`permutopic demo`: learn the outline of the bundled articles, and check it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from permutopic.experiments.demo import DemoResult

_NEAR, _FAR = 6, 6  # documents on the map


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

    The articles have headings. The model is not given them; they name its topics and score it
    when it is done.
    """
    if folder is not None:
        from permutopic.datasets import copy_elements

        click.echo(f"{folder}: {copy_elements(folder)} articles")
        return
    from permutopic.cli.progress import shown_progress
    from permutopic.experiments.demo import make_model, run_demo

    model = make_model(seed)
    with shown_progress(model) as on_sweep:
        result = run_demo(model, on_sweep)
    _print(result)


def _print(result: DemoResult) -> None:
    from permutopic.cli.tables import make_console, print_map, print_outline
    from permutopic.topics.outline import FIRMNESS

    console = make_console()
    evaluation = result.evaluation
    console.print(
        f"{result.n_documents} short articles on chemical elements: {result.n_units} paragraphs, "
        f"{result.n_words:,} words.\nThe outline they share, learned without their headings in "
        f"{evaluation.seconds:.1f} s:"
    )
    print_outline(result.outline, console)
    scale = ", ".join(f"{word} {least:.0%}" for least, word in FIRMNESS[:-1])
    console.print(
        "Names: headings that fit, looked up afterwards. Place: how often the topic comes before\n"
        f"all later ones: {scale} or more, {FIRMNESS[-1][1]} less.\n\n"
        f"{_NEAR} articles that keep to the outline, and the {_FAR} that stray most:"
    )
    print_map((*result.documents[:_NEAR], *result.documents[-_FAR:]), console)
    share = result.matched_units / result.n_units
    alignment, segmentation = evaluation.alignment, evaluation.segmentation
    console.print(
        f"Held against the headings: {result.matched_units} of {result.n_units} paragraphs "
        f"({share:.0%}) are in the right topic.\n"
        f"F {alignment.f:.3f} (recall {alignment.recall:.3f}, precision "
        f"{alignment.precision:.3f}), Pk {segmentation.pk:.3f}, {segmentation.segments:.1f} "
        f"segments an article ({segmentation.reference_segments:.1f} by the headings).\n"
        f"{evaluation.convergence.verdict}\n\n"
        "Next:\n"
        "  permutopic demo --copy elements            # the articles, as files\n"
        "  permutopic fit elements -k 8 -o outline    # or a folder of your own\n"
        "  permutopic outline outline --map\n"
        "  permutopic --help"
    )
