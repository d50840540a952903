"""Tables of inferred documents: a row for each unit, document or segment.

The functions take a function that yields the documents, so that a table is made as it is read and
can be read again.
"""

from __future__ import annotations

import warnings
from math import isnan
from typing import TYPE_CHECKING, Any

from permutopic.errors import InputWarning
from permutopic.results.alignment import (
    PASSAGE_COLUMNS,
    RUN_COLUMNS,
    passages_of,
    runs_of,
)
from permutopic.results.segments import SEGMENT_COLUMNS, segments
from permutopic.results.table import Table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from permutopic.results.inferred import Inferred

    Documents = Callable[[], Iterable[Inferred]]

UNIT_COLUMNS: dict[str, Any] = {
    **{name: kind for name, kind in PASSAGE_COLUMNS.items() if name != "text"},
    "boundary": float,
}
"""Columns of a table of units; `boundary` is the probability of a boundary before the unit."""

DOCUMENT_COLUMNS: dict[str, Any] = {
    "document": int,
    "title": str,
    "location": str,
    "topics": list[int],
    "ends": list[int],
    "swaps": int,
    "subjects": list[str],
    "log_likelihood": float,
    "known_share": float,
    "seen": bool,
}
"""Columns of a table of documents; the names are those of `Inferred`."""


def unit_table(documents: Documents, names: Sequence[str], *, probabilities: bool = False) -> Table:
    """Make a table with a row for each unit; with the probabilities of all topics if asked for."""
    columns = {**UNIT_COLUMNS, "probabilities": list[float]} if probabilities else UNIT_COLUMNS

    def rows() -> Iterator[dict[str, object]]:
        for number, inferred in enumerate(documents(), 1):
            before = [None, *inferred.boundaries.tolist()]
            passages = passages_of(inferred, names, number)
            for passage, boundary, shares in zip(
                passages, before, inferred.probabilities, strict=True
            ):
                row = {name: getattr(passage, name, None) for name in UNIT_COLUMNS}
                row["boundary"] = boundary
                yield {**row, "probabilities": shares.tolist()} if probabilities else row

    return Table(columns, rows)


def document_table(documents: Documents) -> Table:
    """Make a table with a row for each document; what is not known is None."""

    def rows() -> Iterator[dict[str, object]]:
        for number, inferred in enumerate(documents(), 1):
            likelihood = inferred.log_likelihood
            yield {
                **{name: getattr(inferred, name, None) for name in DOCUMENT_COLUMNS},
                "document": number,
                "topics": inferred.topics.tolist(),
                "ends": inferred.ends.tolist(),
                "subjects": list(inferred.subjects),
                "log_likelihood": None if isnan(likelihood) else likelihood,
            }

    return Table(DOCUMENT_COLUMNS, rows)


def run_table(documents: Documents, names: Sequence[str]) -> Table:
    """Make a table with a row for each run of units with one topic."""

    def rows() -> Iterator[dict[str, object]]:
        for number, inferred in enumerate(documents(), 1):
            yield from map(vars, runs_of(inferred, names, number))

    return Table(RUN_COLUMNS, rows)


def passage_table(documents: Documents, names: Sequence[str], topic: int) -> Table:
    """Make a table with a row for each unit of one topic."""

    def rows() -> Iterator[dict[str, object]]:
        for number, inferred in enumerate(documents(), 1):
            yield from map(vars, passages_of(inferred, names, number, topic))

    return Table(PASSAGE_COLUMNS, rows)


def segment_table(
    documents: Documents,
    names: Sequence[str],
    *,
    min_words: int | None = None,
    max_words: int | None = None,
    with_text: bool = False,
) -> Table:
    """Make a table with a row for each segment.

    Warns of segments that are longer than `max_words`: a unit can be cut only where its text is
    known.
    """
    columns = {n: kind for n, kind in SEGMENT_COLUMNS.items() if with_text or n != "text"}

    def rows() -> Iterator[dict[str, object]]:
        n_longer = 0
        for number, inferred in enumerate(documents(), 1):
            found = segments(
                inferred,
                names,
                document=number,
                min_words=min_words,
                max_words=max_words,
                with_text=with_text,
            )
            yield from (segment.as_row() for segment in found)
            if max_words is not None:
                n_longer += sum(segment.words > max_words for segment in found)
        if n_longer:
            warnings.warn(
                f"{n_longer} segments have more than {max_words} words: cutting a unit takes its "
                "text, which a model does not keep: give the documents",
                InputWarning,
                stacklevel=2,
            )

    return Table(columns, rows)
