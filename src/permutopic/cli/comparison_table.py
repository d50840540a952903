"""The table of `permutopic compare`, in the widest layout that fits the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rich.table import Table

    from permutopic.experiments.comparing import Comparison

HEADERS = {
    "recall": "recall",
    "precision": "precision",
    "f": "F",
    "pk": "Pk",
    "windowdiff": "WindowDiff",
    "segments": "segments",
    "seconds": "seconds",
}
_SHORT_HEADERS = {
    **HEADERS,
    "precision": "prec.",
    "windowdiff": "WD",
    "segments": "segs",
    "seconds": "s",
}


class _Layout(NamedTuple):
    """Column headers by score, and whether standard deviations are shown."""

    headers: dict[str, str]
    with_std: bool


def _only(*scores: str) -> dict[str, str]:
    return {score: _SHORT_HEADERS[score] for score in scores}


# The widest that fits is used; --csv has all scores.
_LAYOUTS = (
    _Layout(HEADERS, True),
    _Layout(_SHORT_HEADERS, False),
    _Layout(_only("f", "pk", "windowdiff", "segments", "seconds"), False),
    _Layout(_only("f", "pk"), False),
)


def print_comparison(comparison: Comparison) -> None:
    """Print one line per method, and the meaning of the marks."""
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

    table = make_table(("method", "left"), *((head, "right") for head in layout.headers.values()))
    for column in table.columns:
        column.no_wrap = True
    group = comparison.methods[0].method.group
    for row in comparison.rows():
        if row["group"] != group:
            table.add_section()
            group = str(row["group"])
        name, *shown = format_row(row, tuple(layout.headers), with_std=layout.with_std)
        scores = zip(shown, layout.headers, strict=True)
        table.add_row(
            name, *(_pad_stars(cell) if f"{score}_p" in row else cell for cell, score in scores)
        )
    return table


def format_row(row: Mapping[str, Any], scores: Sequence[str], *, with_std: bool) -> list[str]:
    """Format a row of `Comparison.rows`: the method, then its scores with stars."""
    name = row["method"] + ("†" if row["told"] else "")
    return [name, *(_cell(row, score, with_std) for score in scores)]


def _cell(row: Mapping[str, Any], score: str, with_std: bool) -> str:
    from permutopic.experiments.comparing import significance_stars

    mean, deviation = row[score], row[f"{score}_sd"]
    if mean is None:
        return "–"
    if score == "seconds":
        return f"{mean:.1f}" if mean >= 0.95 else f"{mean:.2f}"
    digits = 1 if score == "segments" else 3
    shown = _without_zero(mean, digits)
    if with_std and deviation is not None:
        shown += f"±{_without_zero(deviation, digits)}"
    return shown + significance_stars(row.get(f"{score}_p"))


def _pad_stars(cell: str) -> str:
    """Pad a cell by the width of two stars, so that numbers are aligned."""
    number = cell.rstrip("*")
    return number if number == "–" else cell.ljust(len(number) + 2)


def _without_zero(value: float, digits: int) -> str:
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
        shown = "Mean and standard deviation" if layout.with_std else "Mean"
        yield f"{shown} over {most} seeds; one run of a deterministic method."
    else:
        yield "One seed: the variation over seeds is unknown."
    if any(not each.method.aligns for each in methods):
        yield "–: segments only."
    if any(each.stars(score) for each in methods for score in layout.headers):
        over = "over documents and over seeds" if most > 1 else "over documents"
        yield f"*, **: differs from full with p < .05, .01, {over}."
    if any(each.uses_reference_count for each in methods):
        yield (
            "†: given the number of segments of the reference in each document, "
            f"{facts['reference_segments']:.1f} on average."
        )
