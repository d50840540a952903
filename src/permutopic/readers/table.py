"""Tables of text, CSV or TSV: a header, then one flat record a row (see `records`)."""

from __future__ import annotations

import csv
import re
from itertools import chain
from pathlib import PurePath
from threading import Lock
from typing import TYPE_CHECKING

from permutopic.readers.fields import choose_columns
from permutopic.readers.notes import ReadError
from permutopic.readers.records import read_records
from permutopic.readers.source import PACKED, too_long

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permutopic.documents import Document
    from permutopic.readers.notes import Notes
    from permutopic.readers.settings import Reading
    from permutopic.readers.source import Source

    # The number of its first line, and a row or what is wrong with it.
    Row = tuple[int, list[str] | ReadError]

_DELIMITERS = (",", ";", "\t", "|")
_SEPARATOR = re.compile(r'"?sep=([,;\t|])"?\s*', re.IGNORECASE)  # spreadsheets' own first line
_LONGEST = (1 << 31) - 1  # as far as the csv module counts on every system
_limiting = Lock()


def read(source: Source, reading: Reading, notes: Notes) -> Iterator[Document]:
    """Read the documents of a table."""
    return read_records(_records(source, reading, notes), source, reading, notes)


def _records(
    source: Source, reading: Reading, notes: Notes
) -> Iterator[tuple[int, dict[str, str] | ReadError]]:
    rows = _rows(source, reading, notes)
    number, header = next(rows, (0, None))
    if header is None:
        notes.skip(source.name, "empty file")
        return
    if isinstance(header, ReadError):
        raise header
    names = [name.strip() for name in header]
    chosen = choose_columns(names, reading.fields, f"{source.name}:{number}")
    columns = [(name, names.index(name)) for name in chosen]
    first = number
    for number, row in rows:
        if isinstance(row, ReadError):
            yield number, row
        elif len(row) == len(names):
            yield number, {name: row[index] for name, index in columns}
        else:
            yield number, _uneven(f"{source.name}:{number}", len(row), len(names))
    if number == first:
        notes.skip(source.name, "no rows")


def _rows(source: Source, reading: Reading, notes: Notes) -> Iterator[Row]:
    """Read the rows of a table, blank ones aside."""
    faults: list[ReadError] = []
    bad = faults.append if reading.on_bad == "skip" else None
    lines = source.lines(reading, notes, bad)
    first = next((each for each in lines if not each[1].isspace()), (0, ""))
    separator = _SEPARATOR.fullmatch(first[1])
    feed = _Feed(lines if separator else chain([first], lines), source.name, reading, faults)
    delimiter = separator[1] if separator else _delimiter(first[1], source)
    reader = csv.reader(feed, delimiter=delimiter, strict=True)
    while True:
        row: list[str] | ReadError | None
        feed.size = 0
        try:
            row = _parse(reader, reading.max_bytes)
        except ReadError as error:
            row = error
        except csv.Error as error:
            row = _bad_row(f"{source.name}:{feed.first}", error)
        if row is None:
            return
        if faults:
            row = faults[0]
            faults.clear()
        if isinstance(row, ReadError) or len(row) > 1 or "".join(row).strip():
            yield feed.first, row


class _Feed:
    """Lines for the csv module; knows where the row being read began and how long it is.

    Not a generator, which would end with its first error.
    """

    def __init__(
        self,
        lines: Iterator[tuple[int, str]],
        name: str,
        reading: Reading,
        faults: list[ReadError],
    ) -> None:
        self._lines, self._name, self._reading, self._faults = lines, name, reading, faults
        self._quotes = 0
        self._is_cut = False
        self.first = self.size = 0

    def __iter__(self) -> _Feed:
        return self

    def __next__(self) -> str:
        if self._is_cut:
            self._pass_over()
        number, line = next(self._lines)
        if self.size == 0:
            self.first, self._quotes = number, 0
        self.size += len(line)
        self._quotes += line.count('"')
        if self.size > self._reading.max_bytes:
            self._is_cut = True
            raise too_long(f"{self._name}:{self.first}", self._reading)
        if "\0" in line:
            self._faults.append(_binary(f"{self._name}:{number}"))
        return line

    def _pass_over(self) -> None:
        """Leave out the rest of a row that was too long: it ends where its quotes are even."""
        while self._quotes % 2:
            self._quotes += next(self._lines)[1].count('"')
        self._is_cut = False


def _parse(reader: Iterator[list[str]], longest: int) -> list[str] | None:
    """Read one row; the csv module's limit for a field holds for the whole process: put it back."""
    with _limiting:
        usual = csv.field_size_limit(min(longest, _LONGEST))
        try:
            return next(reader, None)
        finally:
            csv.field_size_limit(usual)


def _delimiter(line: str, source: Source) -> str:
    """Tell what divides the fields: by extension, or by what the header has most of."""
    path = PurePath(source.path or "")
    bare = path.with_suffix("") if path.suffix.lower() in PACKED else path
    if bare.suffix.lower() == ".tsv":
        return "\t"
    unquoted = re.sub(r'"[^"]*"', "", line)
    return max(_DELIMITERS, key=unquoted.count)


def _binary(place: str) -> ReadError:
    return ReadError(
        place,
        "binary",
        "a character is NUL: is this UTF-16 (--encoding utf-16), or no text?",
    )


def _uneven(place: str, found: int, expected: int) -> ReadError:
    return ReadError(
        place,
        "uneven row",
        f"this row has {found} field{'s' * (found != 1)}, the header {expected}: "
        "quote fields that hold delimiters",
    )


def _bad_row(place: str, error: csv.Error) -> ReadError:
    reason = str(error)
    if "unexpected end of data" in reason:
        detail = "a quote is opened in this row and never closed: close it"
    elif "new-line character" in reason:
        detail = "a CR stands alone outside quotes: save the file with ordinary ends of lines"
    else:
        detail = f"this row cannot be read ({reason}): double the quotes within a quoted field"
    return ReadError(place, "bad row", detail)
