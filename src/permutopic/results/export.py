"""Writing tables as CSV, JSON lines or Parquet, and as pandas data frames."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain, islice
from pathlib import Path
from typing import Any, BinaryIO, TextIO

from permutopic.errors import InputError
from permutopic.extras import needs
from permutopic.files import atomic_file, check_file_target

Rows = Iterable[Mapping[str, object]]
Columns = Sequence[str] | Mapping[str, Any]
"""Names of columns; with their kinds (`KINDS`) as a mapping."""
_Writer = Callable[[Rows, Columns, BinaryIO], int]

EXTENSIONS = (".csv", ".jsonl", ".json", ".parquet")
# Arrow's names of the kinds that a column may have.
KINDS: dict[Any, str] = {
    str: "string",
    int: "int64",
    float: "float64",
    bool: "bool",
    list[str]: "string",
    list[int]: "int64",
    list[float]: "float64",
}
_GROUP = 1 << 14
"""Rows that are in memory at once."""


def write_rows(
    rows: Rows, columns: Columns, path: str | Path, *, extension: str | None = None
) -> int:
    r"""Write a table to a file, and return the number of rows.

    Rows may be an iterator of millions. If anything goes wrong on the way, there is no file, or the
    one that was there before.

    Parameters
    ----------
    rows
        Mappings; what a row does not have is None.
    columns
        The columns in order. Parquet needs their kinds: a mapping from name to str, int, float,
        bool, list[str], list[int] or list[float]. Where only names are given, kinds go by the rows
        (of an iterator, by the first 16,384).
    path
        Its extension, or `extension` if that is given, is the format. .csv: RFC 4180 in UTF-8,
        with a header; lists as JSON, None and nan as nothing. .jsonl or .json: one object a line;
        nan and infinities are null. .parquet: needs the extra `parquet`.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_rows([{"n": 1, "of": [2, 3]}], ["n", "of"], f"{folder}/table.csv")
    ...     Path(folder, "table.csv").read_bytes()
    1
    b'n,of\r\n1,"[2, 3]"\r\n'
    """
    write = _WRITERS[check_table_target(path, extension)]
    with atomic_file(path) as file:
        return write(rows, columns, file)


def check_table_target(path: str | Path, extension: str | None = None) -> str:
    """Refuse a path where no table can be written, before any work; return the extension."""
    target = Path(path)
    extension = target.suffix.lower() if extension is None else extension
    if extension not in EXTENSIONS:
        raise InputError(
            f"{path}: a table's name ends in {', '.join(EXTENSIONS[:-1])} or {EXTENSIONS[-1]}"
        )
    if extension == ".parquet":
        needs("pyarrow.parquet", "parquet", "Parquet files")
    check_file_target(path)
    return extension


def to_frame(rows: Rows, columns: Columns) -> Any:
    """Make a pandas data frame of rows (needs the extra `pandas`).

    >>> to_frame([{"n": 1, "name": "Uses"}, {"n": None}], {"n": int, "name": str}).n.tolist()
    [1, <NA>]
    """
    pandas = needs("pandas", "pandas", "Data frames")
    kinds, every = _with_kinds(rows, columns)
    table: dict[str, list[object]] = {name: [] for name in kinds}
    for row in every:
        for name, values in table.items():
            values.append(plain(row.get(name)))
    # pandas' own whole numbers and truth values know what is missing.
    nullable = {int: "Int64", bool: "boolean"}
    series = {}
    for name, values in table.items():
        kind = kinds[name]
        missing = any(value is None for value in values)
        own = {int: "int64", float: "float64", bool: "bool"}.get(kind, None if values else "object")
        series[name] = pandas.Series(values, dtype=nullable.get(kind, own) if missing else own)
    return pandas.DataFrame(series)


def write_csv(rows: Rows, columns: Columns, file: TextIO) -> int:
    """Write CSV, as RFC 4180 has it, to a text file opened with newline="".

    Text that begins with "=" is data as any other.
    """
    writer = csv.writer(file)
    writer.writerow(columns)
    number = 0
    for number, row in enumerate(rows, 1):  # noqa: B007
        writer.writerow([_cell(row.get(name)) for name in columns])
    return number


def write_json(rows: Rows, columns: Columns, file: TextIO) -> int:
    """Write one JSON object a line, in ASCII: no character is taken for a line end."""
    number = 0
    for number, row in enumerate(rows, 1):  # noqa: B007
        whole = {name: _finite(plain(row.get(name))) for name in columns}
        file.write(json.dumps(whole, allow_nan=False) + "\n")
    return number


def plain(value: Any) -> Any:
    """Convert a value to plain Python: numpy values, tuples to lists, nan to None.

    Half a surrogate pair, which no encoding has, becomes a question mark.
    """
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "replace").decode()
    if hasattr(value, "tolist"):  # numpy's numbers and arrays
        value = value.tolist()
    if isinstance(value, float):
        return None if math.isnan(value) else value
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, Mapping):
        return {str(name): plain(item) for name, item in value.items()}
    return value if value is None or isinstance(value, bool | int) else str(value)


def _cell(value: object) -> object:
    value = plain(value)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | dict):
        return json.dumps(_finite(value), ensure_ascii=False)
    return value


def _finite(value: Any) -> Any:
    """Replace infinities, which JSON does not have, by None."""
    if isinstance(value, list):
        return [_finite(item) for item in value]
    if isinstance(value, dict):
        return {name: _finite(item) for name, item in value.items()}
    return None if isinstance(value, float) and math.isinf(value) else value


@contextmanager
def as_text(file: BinaryIO) -> Iterator[TextIO]:
    """Wrap a binary file for writing UTF-8, with line ends unchanged."""
    text = io.TextIOWrapper(file, encoding="utf-8", newline="")
    try:
        yield text
        text.flush()
    finally:
        text.detach()


def _write_text(write: Callable[[Rows, Columns, TextIO], int]) -> _Writer:
    def write_bytes(rows: Rows, columns: Columns, file: BinaryIO) -> int:
        with as_text(file) as text:
            return write(rows, columns, text)

    return write_bytes


def _write_parquet(rows: Rows, columns: Columns, file: BinaryIO) -> int:
    arrow = needs("pyarrow", "parquet", "Parquet files")
    parquet = needs("pyarrow.parquet", "parquet", "Parquet files")
    kinds, every = _with_kinds(rows, columns)
    schema = arrow.schema([(name, _arrow_type(arrow, kind)) for name, kind in kinds.items()])
    number = 0
    with parquet.ParquetWriter(file, schema) as writer:
        for group in _groups(every):
            arrays = [_array(arrow, group, field, kinds[field.name], number) for field in schema]
            writer.write_table(arrow.Table.from_arrays(arrays, schema=schema))
            number += len(group)
    return number


_WRITERS: dict[str, _Writer] = {
    ".csv": _write_text(write_csv),
    ".jsonl": _write_text(write_json),
    ".json": _write_text(write_json),
    ".parquet": _write_parquet,
}


def _arrow_type(arrow: Any, kind: Any) -> Any:
    bare = arrow.type_for_alias(KINDS[kind])
    return bare if isinstance(kind, type) else arrow.list_(bare)


def _array(
    arrow: Any, group: list[Mapping[str, object]], field: Any, kind: Any, before: int
) -> Any:
    values = [_as_kind(plain(row.get(field.name)), kind) for row in group]
    try:
        return arrow.array(values, type=field.type)
    except (arrow.ArrowException, TypeError, ValueError, OverflowError) as error:
        reason = " ".join(str(error).split())[:200]
        rows = f"rows {before + 1} to {before + len(group)}"
        raise InputError(
            f"column {field.name!r}, {rows}: not all are {field.type} ({reason})"
        ) from None


def _as_kind(value: Any, kind: Any) -> Any:
    """Write mixed values and objects as JSON in a column of text."""
    if kind is str and value is not None and not isinstance(value, str):
        return json.dumps(_finite(value))
    return value


def _with_kinds(rows: Rows, columns: Columns) -> tuple[dict[str, Any], Rows]:
    """Return the type of each column, and the rows again."""
    if isinstance(columns, Mapping):
        for name, kind in columns.items():
            if kind not in KINDS:
                raise InputError(f"column {name!r} is of no kind that a table has: {kind!r}")
        return dict(columns), rows
    if isinstance(rows, Sequence):
        return {name: _kind(row.get(name) for row in rows) for name in columns}, rows
    every = iter(rows)
    first = list(islice(every, _GROUP))
    return {name: _kind(row.get(name) for row in first) for name in columns}, chain(first, every)


def _kind(values: Iterable[object]) -> Any:
    """Find the narrowest type of all values; text is the widest."""
    found = {_kind_of(value) for value in map(plain, values)} - {None}
    if list in found:  # an empty one goes with any
        found = found - {list} or {list[str]}
    if found == {int, float}:
        return float
    if found == {list[int], list[float]}:
        return list[float]
    return found.pop() if len(found) == 1 else str


def _kind_of(value: object) -> Any:
    if value is None:
        return None
    if isinstance(value, list):
        lists: dict[Any, Any] = {int: list[int], float: list[float]}
        return lists.get(_kind(value), list[str]) if value else list
    return type(value) if type(value) in {bool, int, float} else str


def _groups(rows: Rows) -> Iterator[list[Mapping[str, object]]]:
    every = iter(rows)
    while group := list(islice(every, _GROUP)):
        yield group
