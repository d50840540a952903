"""`permutopic check`: find anomalies in documents, by a saved model or against a template."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from permutopic.cli.options import adding, number
from permutopic.cli.reading_options import OPTIONAL_PATHS, infer_options, take_model_input
from permutopic.cli.results import check_output, is_written, result_options, write_or_show

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rich.console import Console

    from permutopic.anomalies import (
        Checker,
        CheckReport,
        DocumentCheck,
        Finding,
        Neighbour,
        TopicPosition,
    )

_SHOWN_PASSAGES = 5
"""Passages shown of a document; the table has all of them."""
# The defaults of anomalies/thresholds.py, which --help must not import; a test compares them.
_THRESHOLDS = (
    number(
        "--most",
        "most",
        0.5,
        "A topic that this share of documents has is missing where it is not.",
    ),
    number(
        "--unlikely", "unlikely", 0.02, "A topic is misplaced if its position is no more probable."
    ),
    number("--sure", "sure", 0.5, "Least posterior probability of a finding."),
    number("--misfit", "misfit", 0.5, "Nats per word by which a unit fits worse than the median."),
    number("--odds", "odds", 20.0, "Nats by which another topic fits a unit better."),
    number("--rate", "rate", 0.5, "The same, in nats per word."),
    number("--unknown", "unknown", 0.5, "Share of unknown words from which a unit is reported."),
    number("--words", "words", 20, "Units with fewer tokens are never reported."),
)
_NAMES = ("most", "unlikely", "sure", "misfit", "odds", "rate", "unknown", "words")


def threshold_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add an option for each threshold."""
    return adding(_THRESHOLDS)(command)


@click.command("check")
@click.argument("model", type=click.Path())
@OPTIONAL_PATHS
@click.option(
    "--template",
    type=click.Path(),
    metavar="FILE",
    help="Outline to compare documents with: a line 'Name: word, word' a topic, in order; or JSON.",
)
@click.option(
    "--nearest",
    "n_nearest",
    type=click.IntRange(min=0),
    default=3,
    show_default=True,
    help="Documents to name with the most and the least similar structure.",
)
@click.option(
    "--top",
    type=click.IntRange(min=0),
    default=20,
    show_default=True,
    help="Documents to show, the most anomalous first.",
)
@click.option("--all", "with_all", is_flag=True, help="Show all documents, in their order.")
@threshold_options
@result_options
@infer_options
def check_command(
    model: str,
    paths: tuple[str, ...],
    template: str | None,
    n_nearest: int,
    top: int,
    with_all: bool,
    as_json: bool,
    as_csv: bool,
    output: str | None,
    **settings: Any,
) -> None:
    """Find anomalies in the documents in PATHS, by a saved MODEL.

    Topics that most documents have and one lacks, topics at improbable positions, passages that fit
    no topic or another one, the documents of most and least similar structure; and how firmly
    topics keep their positions. PATHS are files, folders, globs, or - for standard input; without
    PATHS, the documents of the fit, whose text the model does not keep: then only structure is
    checked.
    """
    from permutopic.anomalies import Thresholds, read_template

    check_output(output, model, template, *paths)
    thresholds = Thresholds(**{name: settings.pop(name) for name in _NAMES})
    entries = None if template is None else read_template(template)
    given = take_model_input(model, paths, settings)
    checker = given.model.checker(template=entries, thresholds=thresholds)
    if is_written(as_json, as_csv, output):
        table = checker.table(given.inferred if paths else None, nearest=n_nearest)
        target = {"as_json": as_json, "as_csv": as_csv}
        write_or_show(table, table.columns, lambda _: None, output=output, **target)
    else:
        # Neighbours take long to find, and are shown for few of the documents.
        report = checker.report(given.inferred() if paths else None, nearest=0)
        _show(report, n_nearest=n_nearest, top=None if with_all else top)


def _show(report: CheckReport, *, n_nearest: int, top: int | None) -> None:
    from permutopic.cli.tables import make_console

    console, checker = make_console(), report.checker
    if checker.match is not None:
        _show_match(checker, console)
    anomalous = [check for check in report if check.findings]
    anomalous.sort(key=lambda check: -check.anomaly_score)
    shown = report if top is None or len(report) == 1 else anomalous[:top]
    for check in shown:
        _show_document(checker.with_neighbours(check, n_nearest), console)
    if len(report) > 1:
        _show_corpus(report, len(anomalous) - len(shown), console)


def _line(console: Console, kind: str, text: str) -> None:
    """Print a finding after its kind, with a hanging indent."""
    from rich.text import Text

    from permutopic.cli.tables import printable

    front = f"  {kind:<11}"
    for line in Text(printable(text)).wrap(console, max(console.width - len(front), 20)):
        line.rstrip()
        console.print(Text(front) + line)
        front = " " * len(front)


def _show_document(check: DocumentCheck, console: Console) -> None:
    from rich.text import Text

    from permutopic.cli.tables import printable, shown_subjects

    title = printable(check.title)
    if not check.findings:
        console.print(Text.assemble((title, "bold"), ": no findings"))
    else:
        console.print(Text(title, style="bold"))
    if check.subjects:
        _line(console, "about", shown_subjects(check.subjects))
    structure: list[Finding] = [*check.missing, *check.misplaced, *check.extra]
    words = {"missing": "missing", "misplaced": "order", "extra": "extra"}
    for finding in structure:
        _line(console, words[finding.kind], finding.describe())
    passages = sorted(check.passages or (), key=lambda each: each.first_unit)
    for passage in passages[:_SHOWN_PASSAGES]:
        _line(console, "passage", passage.describe())
    if len(passages) > _SHOWN_PASSAGES:
        n_more = len(passages) - _SHOWN_PASSAGES
        _line(console, "passage", f"and {n_more} more (--json has them all)")
    if check.nearest:
        _line(console, "like", _neighbours(check.nearest))
        _line(console, "unlike", _neighbours(check.farthest))


def _neighbours(others: Sequence[Neighbour]) -> str:
    return ", ".join(f"{other.title} ({other.distance:.2f})" for other in others)


def _show_match(checker: Checker, console: Console) -> None:
    from rich.text import Text

    match, names = checker.match, checker.usage.names
    if match is not None:
        console.print(Text("The template", style="bold"))
        for entry in match.entries:
            _line(console, "entry" if entry.topics else "no topic", entry.describe(names))
        for topic in match.unmatched:
            _line(console, "left", f"{names[topic]} is not in the template")
        console.print()


def _show_corpus(report: CheckReport, n_more: int, console: Console) -> None:
    from rich.text import Text

    found = report.summary()
    console.print()
    more = f"; {n_more:,} more are not shown (--top, --all)" if n_more > 0 else ""
    console.print(
        Text(f"Findings in {found.n_anomalous:,} of {found.n_documents:,} documents{more}")
    )
    if found.most_swaps:
        swaps = (f"{t} ({n} swaps, {mean:.1f} expected)" for t, n, mean in found.most_swaps)
        _line(console, "order", f"farthest from the expected order: {', '.join(swaps)}")
    if found.most_missing:
        missing = (f"{title} ({n})" for title, n in found.most_missing)
        _line(console, "missing", f"most topics: {', '.join(missing)}")
    n_fitted = len(report.checker.titles)
    console.print(Text(f"Topics in the {n_fitted:,} documents of the fit:"))
    _show_positions(found.topics, console)


def _show_positions(positions: Sequence[TopicPosition], console: Console) -> None:
    from rich.text import Text

    from permutopic.anomalies.corpus_report import FIRMNESS_PHRASES
    from permutopic.cli.tables import make_table, printable

    table = make_table(
        ("topic", "right"), ("name", "left"), ("in docs", "right"), ("moved", "right"),
        ("ρ", "right"), ("firmness", "left"),
    )  # fmt: skip
    for each in positions:
        rho = "–" if each.dispersion is None else f"{each.dispersion:.2f}"
        table.add_row(
            str(each.topic),
            Text(printable(each.name)),
            f"{each.document_share:.0%}",
            f"{each.moved:.0%}",
            rho,
            Text(FIRMNESS_PHRASES.get(each.firmness or "", "–")),
        )
    console.print(table)
