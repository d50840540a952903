"""`permutopic order`: put loose pieces of text in order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from permutopic.cli.options import choice
from permutopic.cli.results import check_output, give, one_line, result_options

if TYPE_CHECKING:
    from permutopic.estimator import ContentModel
    from permutopic.ordering.files import LoosePiece

COLUMNS = {
    "position": int,
    "id": str,
    "topic": int,
    "name": str,
    "score": float,
    "tied": bool,
    "text": str,
}


@click.command("order")
@click.argument("model", type=click.Path())
@click.argument("pieces", type=click.Path())
@click.option(
    "--method",
    metavar="METHOD",
    help="pairs, places, topics, or map (eq. 13 as published).  [default: pairs]",
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
    whose paragraphs are parted by blank lines. The order in which they come plays no part. The
    least "score" comes first; pieces that are "tied" the method cannot tell apart.
    """
    from permutopic.estimator import ContentModel
    from permutopic.ordering import DEFAULT, check_method
    from permutopic.ordering.files import read_pieces
    from permutopic.readers import ReadOptions

    chosen = DEFAULT if method is None else method
    check_method(chosen)
    check_output(output, model, pieces)
    fitted = ContentModel.load(model)
    options = ReadOptions(encoding=encoding, errors=errors)
    rows = _rows(fitted, read_pieces(pieces, options), chosen)
    give(rows, COLUMNS, _show, as_json=as_json, as_csv=as_csv, output=output)


def _rows(fitted: ContentModel, pieces: list[LoosePiece], method: str) -> list[dict[str, Any]]:
    ids = [piece.id for piece in pieces]
    found = fitted.order([piece.text for piece in pieces], method=method, ids=ids)
    tied = {number for group in found.ties for number in group}
    return [
        {
            "position": position,
            "id": pieces[number].value,
            "topic": int(found.topics[number]),
            "name": fitted.topic_names_[found.topics[number]],
            "score": float(found.scores[number]),
            "tied": number in tied,
            "text": pieces[number].text,
        }
        for position, number in enumerate(found.order.tolist(), 1)
    ]


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
        console.print("= as good as others with the same score: their order tells nothing")
