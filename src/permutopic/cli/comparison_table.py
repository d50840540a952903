"""The table of `permutopic compare`, as wide as the terminal allows; no number is ever cut."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rich.table import Table

    from permutopic.experiments.comparing import Comparison

HEADS = {
    "recall": "recall",
    "precision": "precision",
    "f": "F",
    "pk": "Pk",
    "windowdiff": "WindowDiff",
    "segments": "segments",
    "seconds": "seconds",
}
_SHORT_HEADS = {
    **HEADS,
    "precision": "prec.",
    "windowdiff": "WD",
    "segments": "segs",
    "seconds": "s",
}


class _Layout(NamedTuple):
    """Which scores are shown, under which heads, and whether with their spread."""

    heads: dict[str, str]
    spread: bool


def _only(*scores: str) -> dict[str, str]:
    return {score: _SHORT_HEADS[score] for score in scores}


# The widest that fits is taken; --csv has it all.
_LAYOUTS = (
    _Layout(HEADS, True),
    _Layout(_SHORT_HEADS, False),
    _Layout(_only("f", "pk", "windowdiff", "segments", "seconds"), False),
    _Layout(_only("f", "pk"), False),
)


def print_comparison(comparison: Comparison) -> None:
    """Print one line a method, and what the marks in it mean."""
    from rich.measure import measure_renderables

    from permutopic.cli.tables import make_console

    console = make_console()
    room = console.options.update(max_width=1000)
    for layout in _LAYOUTS:
        table = _table(comparison, layout)
        needed = measure_renderables(console, room, [table]).maximum
        if needed <= console.width:
            break
    console.width = max(console.width, needed)
    console.print(table)
    for line in _notes(comparison, layout):
        console.print(line, soft_wrap=True)


def _table(comparison: Comparison, layout: _Layout) -> Table:
    from permutopic.cli.tables import make_table

    table = make_table(("method", "left"), *((head, "right") for head in layout.heads.values()))
    for column in table.columns:
        column.no_wrap = True
    group = comparison.methods[0].method.group
    for row in comparison.rows():
        if row["group"] != group:
            table.add_section()
            group = str(row["group"])
        name, *shown = cells(row, tuple(layout.heads), spread=layout.spread)
        scores = zip(shown, layout.heads, strict=True)
        table.add_row(
            name, *(_with_room(cell) if f"{score}_p" in row else cell for cell, score in scores)
        )
    return table


def cells(row: Mapping[str, Any], scores: Sequence[str], *, spread: bool) -> list[str]:
    """Show a row of `Comparison.rows`: the method, then its scores, with spread and stars."""
    name = row["method"] + ("†" if row["told"] else "")
    return [name, *(_cell(row, score, spread) for score in scores)]


def _cell(row: Mapping[str, Any], score: str, spread: bool) -> str:
    from permutopic.experiments.comparing import significance_stars

    mean, deviation = row[score], row[f"{score}_sd"]
    if mean is None:
        return "–"
    if score == "seconds":
        return f"{mean:.1f}" if mean >= 0.95 else f"{mean:.2f}"
    digits = 1 if score == "segments" else 3
    shown = _short(mean, digits)
    if spread and deviation is not None:
        shown += f"±{_short(deviation, digits)}"
    return shown + significance_stars(row.get(f"{score}_p"))


def _with_room(cell: str) -> str:
    """Let stars stand in a place of their own, so that numbers stay below each other."""
    number = cell.rstrip("*")
    return number if number == "–" else cell.ljust(len(number) + 2)


def _short(value: float, digits: int) -> str:
    return f"{value:.{digits}f}".removeprefix("0")


def _notes(comparison: Comparison, layout: _Layout) -> Iterator[str]:
    facts, methods = comparison.settings, comparison.methods
    n_documents = facts["n_documents"]
    yield (
        f"{n_documents:,} document{'' if n_documents == 1 else 's'}, K = {facts['n_topics']}, "
        f"tokens {facts['tokens']}; against {facts['reference']}s, Pk and WindowDiff over "
        f"{facts['convention']}."
    )
    most = max(len(each.seeds) for each in methods)
    if most > 1:
        shown = "Mean and standard deviation" if layout.spread else "Mean"
        yield f"{shown} over {most} seeds; one run where nothing goes by chance."
    else:
        yield "One seed: how far seeds differ is not known."
    if any(not each.method.aligns for each in methods):
        yield "–: divides documents and aligns nothing."
    if any(each.stars(score) for each in methods for score in layout.heads):
        over = "over documents and over seeds" if most > 1 else "over documents"
        yield f"*, **: differs from full with p < .05, .01, {over}."
    if any(each.uses_reference_count for each in methods):
        yield (
            "†: told how many segments the reference has in each document, "
            f"{facts['reference_segments']:.1f} on average."
        )
