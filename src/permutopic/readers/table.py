"""CSV and TSV: a header, then one flat record per row (see `records`)."""

from __future__ import annotations

import re
from itertools import chain
from pathlib import PurePath
from typing import TYPE_CHECKING

from permutopic.readers.compression import strip_compression
from permutopic.readers.fields import choose_columns
from permutopic.readers.read_log import ReadError
from permutopic.readers.records import read_records
from permutopic.readers.table_lines import TableLines
from permutopic.readers.table_rows import TableRows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permutopic.documents import Document
    from permutopic.readers.read_log import ReadLog
    from permutopic.readers.settings import ReadOptions
    from permutopic.readers.source import Source

_DELIMITERS = (",", ";", "\t", "|")
_SEPARATOR = re.compile(r'"?sep=([,;\t|])"?\s*', re.IGNORECASE)  # Excel's first line


def read(source: Source, options: ReadOptions, log: ReadLog) -> Iterator[Document]:
    """Read the documents of a table."""
    return read_records(_records(source, options, log), source, options, log)


def _records(
    source: Source, options: ReadOptions, log: ReadLog
) -> Iterator[tuple[int, dict[str, str] | ReadError]]:
    table = _open(source, options, log)
    rows = table.read()
    number, header = next(rows, (0, None))
    if header is None:
        log.skip(source.name, "empty file")
        return
    if isinstance(header, ReadError):
        raise header
    table.width = len(header)
    names = [name.strip() for name in header]
    chosen = choose_columns(names, options.fields, f"{source.name}:{number}")
    columns = [(name, names.index(name)) for name in chosen]
    first = number
    for number, row in rows:
        if isinstance(row, ReadError):
            yield number, row
        else:
            yield number, {name: row[index] for name, index in columns}
    if number == first:
        log.skip(source.name, "no rows")


def _open(source: Source, options: ReadOptions, log: ReadLog) -> TableRows:
    faults: list[ReadError] = []
    lines = source.lines(options, log, faults.append if options.on_bad == "skip" else None)
    first = next((each for each in lines if not each[1].isspace()), (0, ""))
    separator = _SEPARATOR.fullmatch(first[1])
    delimiter = separator[1] if separator else _delimiter(first[1], source)
    rest = lines if separator else chain([first], lines)
    table_lines = TableLines(rest, source.name, options, faults)
    # Some .tsv files quote like CSV, others use no quoting.
    allows_loose_quotes = _is_tsv(source) and delimiter == "\t"
    return TableRows(
        table_lines, delimiter, source.name, options, allows_loose_quotes=allows_loose_quotes
    )


def _delimiter(line: str, source: Source) -> str:
    """Return the delimiter: a tab in .tsv files, else the most frequent one in the header."""
    if _is_tsv(source):
        return "\t"
    unquoted = re.sub(r'"[^"]*"', "", line)
    return max(_DELIMITERS, key=unquoted.count)


def _is_tsv(source: Source) -> bool:
    path = PurePath(source.path or "")
    return strip_compression(path).suffix.lower() == ".tsv"
