"""`permutopic order`: put loose pieces of text in order."""

from __future__ import annotations

from typing import Any

import click

from permutopic.cli.options import choice
from permutopic.cli.results import check_output, one_line, result_options, write_or_show


@click.command("order")
@click.argument("model", type=click.Path())
@click.argument("pieces", type=click.Path())
@click.option(
    "--method",
    metavar="METHOD",
    help="pairs, positions, topics, or map (eq. 13 as published).  [default: pairs]",
)
@click.option("--encoding", metavar="NAME", help="Encoding of PIECES.  [default: UTF-8]")
@choice("--errors", ["strict", "replace", "ignore"], "What to do with bytes not in it.")
@result_options
def order_command(
    model: str,
    pieces: str,
    method: str | None,
    encoding: str | None,
    errors: str,
    as_json: bool,
    as_csv: bool,
    output: str | None,
) -> None:
    """Put loose PIECES of text in the order in which documents of MODEL would have them.

    PIECES is a file of JSON lines, or - for standard input; every line has an "id" and a "text",
    whose paragraphs are separated by blank lines. The order of the lines has no influence. The
    least "score" comes first; "tied" pieces have equal scores, and their order is arbitrary.
    """
    from permutopic.checks import check_choice
    from permutopic.estimator import ContentModel
    from permutopic.ordering import DEFAULT_METHOD, METHODS
    from permutopic.ordering.files import read_pieces
    from permutopic.readers import ReadOptions

    chosen = DEFAULT_METHOD if method is None else method
    check_choice(chosen, "method", METHODS)
    check_output(output, model, pieces)
    fitted = ContentModel.load(model)
    loose = read_pieces(pieces, ReadOptions(encoding=encoding, errors=errors))
    texts, ids = [piece.text for piece in loose], [piece.id for piece in loose]
    table = fitted.order(texts, method=chosen, ids=ids).table()
    write_or_show(table, table.columns, _show, as_json=as_json, as_csv=as_csv, output=output)


def _show(rows: list[dict[str, Any]]) -> None:
    from rich.text import Text

    from permutopic.cli.tables import make_console, make_table, printable, shortened

    table = make_table(
        ("", "right"), ("id", "left"), ("score", "right"), ("topic", "left"), ("text", "left")
    )
    for row in rows:
        table.add_row(
            str(row["position"]),
            Text(shortened(printable(str(row["id"])))),
            f"{row['score']:.3g}" + (" =" if row["tied"] else ""),
            Text(shortened(printable(row["name"]))),
            one_line(row["text"]),
        )
    console = make_console()
    console.print(table)
    if any(row["tied"] for row in rows):
        console.print("= same score as others: the order among them is arbitrary")
