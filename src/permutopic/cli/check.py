"""`permutopic check`: what is odd in documents, by a saved model or against a template."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from permutopic.cli.options import number
from permutopic.cli.reading_options import OPTIONAL_PATHS, infer_options, take_inferring
from permutopic.cli.results import check_output, for_machines, give, result_options

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from rich.console import Console

    from permutopic.anomalies import Checker, DocumentCheck, Finding, Neighbour, TopicPlace
    from permutopic.cli.reading_options import Inferring

_PASSAGES = 5
"""Passages of a document that are shown; the table for machines has them all."""
# As in oddities/limits.py, which --help must not import; a test holds them together.
_LIMITS = (
    number("--most", "most", 0.5, "A topic that this share of documents have is missed."),
    number(
        "--unlikely", "unlikely", 0.02, "A topic is out of place if no more have it so far off."
    ),
    number("--sure", "sure", 0.5, "Least posterior probability of what is reported."),
    number("--misfit", "misfit", 0.5, "Nats a word by which a unit has to fit worse than others."),
    number("--odds", "odds", 20.0, "Nats by which another topic has to fit a unit better."),
    number("--rate", "rate", 0.5, "The same, in nats a word."),
    number("--unknown", "unknown", 0.5, "Share of unknown words that makes a unit strange."),
    number("--words", "words", 20, "Units with fewer tokens are never found odd."),
)
_NAMES = ("most", "unlikely", "sure", "misfit", "odds", "rate", "unknown", "words")


def limit_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the thresholds."""
    for option in reversed(_LIMITS):
        command = option(command)
    return command


@click.command("check")
@click.argument("model", type=click.Path())
@OPTIONAL_PATHS
@click.option(
    "--template",
    type=click.Path(),
    metavar="FILE",
    help="Outline to hold documents to: a line 'Name: word, word' a topic, in order; or JSON.",
)
@click.option(
    "--nearest",
    "n_nearest",
    type=click.IntRange(min=0),
    default=3,
    show_default=True,
    help="Documents to name that are most and least alike.",
)
@click.option(
    "--top",
    type=click.IntRange(min=0),
    default=20,
    show_default=True,
    help="Documents to show, the oddest first.",
)
@click.option("--all", "with_all", is_flag=True, help="Show all documents, in their order.")
@limit_options
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
    """Tell what is odd in the documents in PATHS, by a saved MODEL.

    Topics that most documents have and one lacks, topics out of place and how unlikely that is,
    passages that fit no topic or another one, the documents most and least alike; and which topics
    keep their place. PATHS are files, folders, globs, or - for standard input; without PATHS, the
    documents of the fit, whose text the model does not keep: then only structure is checked.
    """
    from permutopic.anomalies import COLUMNS, Limits, read_template

    check_output(output, model, template, *paths)
    limits = Limits(**{name: settings.pop(name) for name in _NAMES})
    entries = None if template is None else read_template(template)
    inferring = take_inferring(model, paths, settings)
    checker = inferring.model.checker(template=entries, limits=limits)
    if for_machines(as_json, as_csv, output):
        rows = _rows(checker, inferring, n_nearest)
        give(rows, COLUMNS, lambda _: None, as_json=as_json, as_csv=as_csv, output=output)
    else:
        checks = list(_checks(checker, inferring))
        _show(checker, checks, n_nearest=n_nearest, top=None if with_all else top)


def _checks(checker: Checker, inferring: Inferring) -> Iterator[DocumentCheck]:
    return map(checker.check, inferring.inferred()) if inferring.paths else checker.check_fitted()


def _rows(checker: Checker, inferring: Inferring, n_nearest: int) -> Iterator[dict[str, Any]]:
    """Give a row a finding, in the order of the documents; the corpus and the template come last.

    Documents are numbered from 1; one in which nothing is odd has no row but for its likes.
    """
    for document, check in enumerate(_checks(checker, inferring), 1):
        yield from checker.compared(check, n_nearest).rows(document)
    yield from (place.row() for place in checker.places)
    if checker.match is not None:
        yield from checker.match.rows(checker.habits)


def _show(
    checker: Checker, checks: Sequence[DocumentCheck], *, n_nearest: int, top: int | None
) -> None:
    from permutopic.cli.tables import make_console

    console = make_console()
    if checker.match is not None:
        _show_match(checker, console)
    odd = [check for check in checks if check.findings]
    shown = checks if top is None or len(checks) == 1 else sorted(odd, key=_oddest)[:top]
    for check in shown:
        _show_document(checker.compared(check, n_nearest), console)
    if len(checks) > 1:
        _show_corpus(checker, checks, len(odd) - len(shown), console)


def _oddest(check: DocumentCheck) -> float:
    return -check.oddness


def _line(console: Console, kind: str, text: str) -> None:
    """Print what was found behind a word that says of which kind it is; long lines hang."""
    from rich.text import Text

    from permutopic.cli.tables import printable

    front = f"  {kind:<11}"
    for line in Text(printable(text)).wrap(console, max(console.width - len(front), 20)):
        line.rstrip()
        console.print(Text(front) + line)
        front = " " * len(front)


def _show_document(check: DocumentCheck, console: Console) -> None:
    from rich.text import Text

    from permutopic.cli.tables import printable

    title = printable(check.title)
    if not check.findings:
        console.print(Text.assemble((title, "bold"), ": nothing odd"))
    else:
        console.print(Text(title, style="bold"))
    structure: list[Finding] = [*check.missing, *check.misplaced, *check.extra]
    words = {"missing": "missing", "misplaced": "order", "extra": "extra"}
    for finding in structure:
        _line(console, words[finding.kind], finding.says())
    passages = sorted(check.passages or (), key=lambda each: each.first_unit)
    for passage in passages[:_PASSAGES]:
        _line(console, "passage", passage.says())
    if len(passages) > _PASSAGES:
        _line(console, "passage", f"and {len(passages) - _PASSAGES} more (--json has them all)")
    if check.nearest:
        _line(console, "like", _neighbours(check.nearest))
        _line(console, "unlike", _neighbours(check.farthest))


def _neighbours(others: Sequence[Neighbour]) -> str:
    return ", ".join(f"{other.title} ({other.distance:.2f})" for other in others)


def _show_match(checker: Checker, console: Console) -> None:
    from rich.text import Text

    match, names = checker.match, checker.habits.names
    if match is not None:
        console.print(Text("The template", style="bold"))
        for entry in match.entries:
            _line(console, "entry" if entry.topics else "no topic", entry.says(names))
        for topic in match.left:
            _line(console, "left", f"{names[topic]} is not in the template")
        console.print()


def _show_corpus(
    checker: Checker, checks: Sequence[DocumentCheck], n_more: int, console: Console
) -> None:
    from rich.text import Text

    from permutopic.anomalies import check_corpus

    found = check_corpus(checker.places, checks)
    console.print()
    more = f"; {n_more:,} more are not shown (--top, --all)" if n_more > 0 else ""
    console.print(
        Text(f"Something is odd in {found.n_odd:,} of {found.n_documents:,} documents{more}")
    )
    if found.strays:
        strays = (f"{t} ({n} swaps, {usual:.1f} usual)" for t, n, usual in found.strays)
        _line(console, "stray", f"farthest from the expected order: {', '.join(strays)}")
    if found.lacks:
        lacks = (f"{title} ({n})" for title, n in found.lacks)
        _line(console, "lack", f"most topics: {', '.join(lacks)}")
    n_fitted = len(checker.titles)
    console.print(Text(f"Topics in the {n_fitted:,} documents of the fit:"))
    _show_places(found.topics, console)


def _show_places(places: Sequence[TopicPlace], console: Console) -> None:
    from rich.text import Text

    from permutopic.anomalies.corpus_wide import IN_WORDS
    from permutopic.cli.tables import make_table, printable

    table = make_table(
        ("topic", "right"), ("name", "left"), ("in docs", "right"), ("moved", "right"),
        ("ρ", "right"), ("its place", "left"),
    )  # fmt: skip
    for place in places:
        rho = "–" if place.dispersion is None else f"{place.dispersion:.2f}"
        table.add_row(
            str(place.topic),
            Text(printable(place.name)),
            f"{place.document_share:.0%}",
            f"{place.moved:.0%}",
            rho,
            Text(IN_WORDS.get(place.firmness or "", "–")),
        )
    console.print(table)
