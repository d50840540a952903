"""A table of results: rows with named, typed columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from permutopic.results.export import to_frame, write_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    Row = Mapping[str, object]


class Table:
    """Rows that are made one by one when they are asked for, so there may be millions.

    Parameters
    ----------
    columns
        From the name of each column to its type: str, int, float, bool or a list of one of them.
    rows
        A function that gives the rows anew each time it is called, or a list of them.

    Examples
    --------
    >>> table = Table({"topic": int, "name": str}, [{"topic": 0, "name": "Uses"}])
    >>> list(table), table.columns
    ([{'topic': 0, 'name': 'Uses'}], {'topic': <class 'int'>, 'name': <class 'str'>})
    """

    def __init__(
        self, columns: Mapping[str, Any], rows: Callable[[], Iterable[Row]] | list[Any]
    ) -> None:
        self.columns = dict(columns)
        self._rows = rows

    def __iter__(self) -> Iterator[Row]:
        return iter(self._rows() if callable(self._rows) else self._rows)

    def __repr__(self) -> str:
        return f"<Table: {', '.join(self.columns)}>"

    def to_pandas(self) -> Any:
        """Make a pandas data frame (needs the extra `pandas`)."""
        return to_frame(self, self.columns)

    def to_csv(self, path: str | Path) -> int:
        """Write CSV, as RFC 4180 has it, in UTF-8; give the number of rows."""
        return write_rows(self, self.columns, path, extension=".csv")

    def to_jsonl(self, path: str | Path) -> int:
        """Write one JSON object a line; give the number of rows."""
        return write_rows(self, self.columns, path, extension=".jsonl")

    def to_parquet(self, path: str | Path) -> int:
        """Write Parquet (needs the extra `parquet`); give the number of rows."""
        return write_rows(self, self.columns, path, extension=".parquet")

    def write(self, path: str | Path) -> int:
        """Write the format that the extension names: .csv, .jsonl, .json or .parquet."""
        return write_rows(self, self.columns, path)
