"""`permutopic choose-k`: compare numbers of topics and recommend one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from permutopic.cli.options import current_names, make_model, model_options_but, number
from permutopic.cli.reading_options import PATHS, reading_options, take_corpus_settings
from permutopic.errors import InputError, render

if TYPE_CHECKING:
    from permutopic.selection.choosing import Choice, FitInfo

_MAX_CANDIDATES = 100
"""Numbers of topics in one list: more is probably a typing error, and would take very long."""


@click.command("choose-k")
@PATHS
@click.option(
    "-k",
    "--topics",
    "candidates",
    metavar="LIST",
    help="Numbers of topics to try: 5,10,15 or 5-20.  [default: 4,6,8,10,14,20,28, fewer where "
    "there are few paragraphs]",
)
@number("--seeds", "n_seeds", 3, "Fits of each K, with different seeds.")
@number("--held-out", "held_out", 0.2, "Share of the documents to hold out and score.")
# K and seeds have options of their own; several chains would hide how far seeds agree.
@model_options_but("n_topics", "n_chains", "keep")
@reading_options
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option(
    "-o",
    "--output",
    type=click.Path(),
    metavar="FILE",
    help="Draw a chart: .svg, .png or .pdf (extra plot).",
)
def choose_k_command(
    paths: tuple[str, ...],
    candidates: str | None,
    n_seeds: int,
    held_out: float,
    as_json: bool,
    output: str | None,
    **settings: Any,
) -> None:
    """Fit the documents in PATHS with several numbers of topics, and recommend one.

    Part of the documents is held out. Each K is scored by how well its fits predict every second
    word of those, by the agreement of fits with different seeds, and by the topics that it uses.

    PATHS are files, folders, globs, or - for standard input.
    """
    from permutopic.cli.progress import shown_steps
    from permutopic.compile_ahead import compiling_ahead
    from permutopic.selection.chart import check_chart_target, write_chart
    from permutopic.selection.choosing import check_candidates, choose_k

    tried = None if candidates is None else check_candidates(parse_candidates(candidates))
    corpus_settings = take_corpus_settings(settings)
    model = make_model({**settings, "tokens": corpus_settings.tokens})
    if output is not None:
        check_chart_target(output)
    documents = corpus_settings.read(paths)
    with shown_steps("fits") as show:

        def on_fit(info: FitInfo) -> None:
            show(info.fit, info.n_fits, f"K = {info.n_topics}, seed {info.seed}")

        with compiling_ahead("infer", corpus_settings.n_jobs):
            choice = choose_k(
                documents, tried, n_seeds=n_seeds, held_out=held_out, model=model, on_fit=on_fit
            )
    if output is not None:
        write_chart(choice, output)
    if as_json:
        click.echo(json.dumps({**choice.as_dict(), "corpus": " ".join(paths)}))
    else:
        _print(choice)
        if output is not None:
            click.echo(f"picture: {output}")


def parse_candidates(text: str) -> list[int]:
    """Read a list of numbers and ranges.

    >>> parse_candidates("4, 6,10-12")
    [4, 6, 10, 11, 12]
    """
    numbers: list[int] = []
    for part in text.split(","):
        low, dash, high = part.partition("-")
        ends = [low.strip(), high.strip() if dash else low.strip()]
        if not all(end.isascii() and end.isdigit() and len(end) <= 9 for end in ends):
            raise InputError(
                f"-k is a list of whole numbers such as 5,10,15, or a range such as 5-20, "
                f"not {text!r}"
            )
        first, last = map(int, ends)
        if first > last:
            raise InputError(f"-k {text}: a range is ascending, such as {last}-{first}")
        if len(numbers) + last - first >= _MAX_CANDIDATES:
            raise InputError(
                f"-k {text}: that is more than {_MAX_CANDIDATES} numbers of topics to try"
            )
        numbers += range(first, last + 1)
    return numbers


def _print(choice: Choice) -> None:
    from permutopic.cli.tables import make_console, make_table

    console = make_console()
    table = make_table(
        ("K", "right"),
        ("held-out", "right"),
        ("behind best", "right"),
        ("agreement", "right"),
        ("of orders", "right"),
        ("topics used", "right"),
        ("seconds", "right"),
    )
    for each in choice.candidates:
        behind = f"{each.behind:.3f} ± {each.behind_error:.3f}" if each.behind else "–"
        order = "–" if each.order_agreement is None else f"{each.order_agreement:.2f}"
        table.add_row(
            f"{'→ ' if each.n_topics == choice.n_topics else ''}{each.n_topics}",
            f"{each.held_out:.3f}",
            behind,
            f"{each.agreement:.2f}",
            order,
            f"{each.topics_used:.1f}",
            f"{each.seconds:.1f}",
        )
    console.print(table)
    seeds = choice.settings["seeds"]
    console.print(
        f"Nats per word over {choice.hidden_words:,} words of {choice.n_held_out:,} held-out "
        f"documents ({choice.one_topic:.3f} without topics), {len(seeds)} seeds.\n"
    )
    for sentence in (choice.reason, *choice.notes):
        console.print(render(sentence, current_names()))
