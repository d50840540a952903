"""`permutopic inspect`: what would be read, and what a fit would cost."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from permutopic.cli.options import current_names, number
from permutopic.cli.reading_options import PATHS, reading_options, take_corpus_settings
from permutopic.errors import render

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permutopic.ingest.inspection import Inspection, Spread

_FEW = 3


@click.command("inspect")
@PATHS
@click.option(
    "-k", "--topics", "n_topics", type=int, default=10, show_default=True, help="Topics of a fit."
)
@reading_options
@number("--jobs", "n_jobs", -1, "Processes that read, -1 for all cores; the result is the same.")
@click.option(
    "--headings",
    "n_headings",
    type=click.IntRange(min=0),
    default=15,
    show_default=True,
    help="Headings to show.",
)
@click.option("--all-skipped", is_flag=True, help="Name everything that was left out.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def inspect_command(
    paths: tuple[str, ...],
    n_topics: int,
    n_jobs: int,
    n_headings: int,
    all_skipped: bool,
    as_json: bool,
    **settings: Any,
) -> None:
    """Show what is in PATHS, what was left out and why, and what a fit would take.

    PATHS are files, folders, globs, or - for standard input.
    """
    from permutopic.ingest.inspection import inspect

    options, units, tokens, _ = take_corpus_settings(settings)
    found = inspect(paths, tokens, units=units, options=options, n_topics=n_topics, n_jobs=n_jobs)
    if as_json:
        click.echo(json.dumps(found.as_dict()))
        return
    for line in _report(found, n_headings, all_skipped):
        click.echo(line)


def _report(found: Inspection, n_headings: int, all_skipped: bool) -> Iterator[str]:
    kind = found.settings["units"]["kind"]
    yield (
        f"read          {_count(found.files, 'file')}, {_bytes(found.bytes)}: "
        f"{_count(found.documents, 'document')}, {_count(found.units, kind)}, "
        f"{_count(found.words, 'word')}"
    )
    formats = [f"{name} ({n:,})" for name, n in found.formats.items()]
    yield f"format        {', '.join(formats)}"
    yield f"vocabulary    {_count(found.vocabulary, 'word')}" + (
        f", {found.left_out_words:,} more left out (min-df, max-df)" if found.left_out_words else ""
    )
    yield f"a document    {_spread(found.units_per_document, kind)}"
    yield f"a {kind:<11} {_spread(found.words_per_unit, 'word')}"
    if found.merged or found.dropped or found.kept_short:
        yield (
            f"too short     {found.merged:,} merged with a neighbour, {found.dropped:,} dropped, "
            f"{found.kept_short:,} alone under their heading and kept"
        )
    yield f"language      {_languages(found.languages)}"
    yield from _headings(found, n_headings)
    yield from _skipped(found, all_skipped)
    if found.boilerplate:
        yield f"boilerplate   {found.boilerplate:,} characters of menus, banners and the like"
    yield (
        f"a fit         with K = {found.n_topics}: about {_time(found.seconds)} a chain on one "
        f"core, {_bytes(found.memory)} of memory"
    )
    for message in found.warnings:
        yield f"warning       {render(message, current_names())}"


def _headings(found: Inspection, n_headings: int) -> Iterator[str]:
    from permutopic.readers.read_log import printable

    if not found.headings:
        yield "headings      none"
        return
    recurring = sum(count > 1 for count in found.headings.values())
    share = found.headed_units / found.units
    yield (
        f"headings      {len(found.headings):,}, {recurring:,} of them in more than one document; "
        f"{share:.0%} of the units stand under one"
    )
    for heading, count in list(found.headings.items())[:n_headings]:
        name = printable(" ".join(heading.split())[:60])
        yield f"              {count:>6,} {count / found.documents:>5.0%}  {name}"


def _skipped(found: Inspection, all_skipped: bool) -> Iterator[str]:
    if not found.skipped:
        yield "left out      nothing"
        return
    yield f"left out      {sum(each.number for each in found.skipped):,}"
    for each in found.skipped:
        yield f"              {each.number:>6,} {each.reason}"
        shown = each.examples if all_skipped else each.examples[:_FEW]
        for location, detail in shown:
            why = "" if detail == each.reason else f": {render(detail, current_names())}"
            yield f"                     {location}{why}"
        if each.number > len(shown):
            more = "--all-skipped names them" if len(shown) < len(each.examples) else "not kept"
            yield f"                     and {each.number - len(shown):,} more ({more})"


def _languages(languages: dict[str, int]) -> str:
    from permutopic.text.languages import language_name

    return ", ".join(f"{language_name(code)} ({n:,})" for code, n in languages.items())


def _count(n: int, what: str) -> str:
    return f"{n:,} {what}{'' if n == 1 else 's'}"


def _spread(spread: Spread, what: str) -> str:
    middle = _count(round(spread.median), what)
    return f"{middle} at the median, {spread.least:,} to {spread.most:,}"


def _bytes(n: float) -> str:
    for unit in ("bytes", "kB", "MB", "GB"):
        if n < 1000 or unit == "GB":
            return f"{n:,.0f} {unit}" if unit == "bytes" or n >= 10 else f"{n:.1f} {unit}"
        n /= 1000
    return ""


def _time(seconds: float) -> str:
    for size, unit in ((3600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{max(seconds, 1):.0f} s"
