"""`permutopic segment`: segments of documents, with offsets, topics and boundary probabilities."""

from __future__ import annotations

from typing import Any

import click

from permutopic.cli.align import as_share
from permutopic.cli.reading_options import OPTIONAL_PATHS, infer_options, take_model_input
from permutopic.cli.results import check_output, result_options, write_or_show
from permutopic.errors import InputError


@click.command("segment")
@click.argument("model", type=click.Path())
@OPTIONAL_PATHS
@click.option("--min-words", type=click.IntRange(min=1), help="Words of a segment at least.")
@click.option(
    "--max-words",
    type=click.IntRange(min=1),
    help="Words of a segment at most; longer units are cut where sentences end.",
)
@click.option("--text", "with_text", is_flag=True, help="Give the text of the segments as well.")
@result_options
@infer_options
def segment_command(
    model: str,
    paths: tuple[str, ...],
    min_words: int | None,
    max_words: int | None,
    with_text: bool,
    as_json: bool,
    as_csv: bool,
    output: str | None,
    **settings: Any,
) -> None:
    """Divide the documents in PATHS into segments of one topic each, by a saved MODEL.

    PATHS are files, folders, globs, or - for standard input; without PATHS, the documents of the
    fit. With --min-words or --max-words segments keep to sizes, for retrieval.
    """
    from permutopic.results.segments import check_bounds

    check_bounds(min_words, max_words)
    if with_text and not paths:
        raise InputError("--text needs PATHS: a model keeps no text")
    check_output(output, model, *paths)
    given = take_model_input(model, paths, settings)
    table = given.model.segment_table(
        given.documents(),
        min_words=min_words,
        max_words=max_words,
        with_text=with_text,
        **given.settings,
    )
    write_or_show(table, table.columns, _show, as_json=as_json, as_csv=as_csv, output=output)


def _show(rows: list[dict[str, Any]]) -> None:
    from rich.text import Text

    from permutopic.cli.tables import make_console, make_table, printable, shortened

    console = make_console()
    with_text = any(row.get("text") is not None for row in rows)
    headings = (
        ("document", "left"),
        ("units", "left"),
        ("characters", "left"),
        ("words", "right"),
        ("boundary", "right"),
        ("topic", "left"),
        ("prob.", "right"),
    )
    table = make_table(*headings)
    document = None
    for row in rows:
        first, last = row["first_unit"], row["last_unit"]
        span = f"{row['start']}–{row['end']}".replace("-1", "?")
        cells = (
            "" if row["document"] == document else shortened(printable(row["title"])),
            str(first) if first == last else f"{first}–{last}",
            "–" if span == "?–?" else span,
            f"{row['words']:,}",
            "" if row["segment"] == 1 else as_share(row["probability"]),
            printable(row["name"]),
            as_share(row["topic_probability"]),
        )
        if with_text:
            shown = f"{row['title']} {row['segment']}: {row['name']}, {row['words']} words"
            console.print(Text(printable(shown), style="bold"))
            for line in str(row["text"]).split("\n"):
                console.print(Text(printable(line)), soft_wrap=True)
            console.print()
        else:
            table.add_row(*(Text(cell) for cell in cells))
        document = row["document"]
    if not with_text:
        console.print(table)
