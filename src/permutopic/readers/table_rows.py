"""The rows of a table: parsed by the csv module, with recovery after a broken row."""

from __future__ import annotations

import csv
import re
from itertools import islice
from threading import Lock
from typing import TYPE_CHECKING

from permutopic.errors import Message
from permutopic.readers.read_log import ReadError
from permutopic.readers.table_quotes import QuoteContext, find_quote_context

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permutopic.readers.settings import ReadOptions
    from permutopic.readers.table_lines import TableLines

    # The number of its first line, and a row or its error.
    Row = tuple[int, list[str] | ReadError]

_MAX_LENGTH = (1 << 31) - 1  # of csv.field_size_limit, a C long, on every system
_QUOTED = re.compile(r'"([^"]*+(?:""[^"]*+)*+)"')
# This many lines with the right number of fields are rows, whatever quote follows them.
_MIN_FITTING_LINES = 5
_limit_lock = Lock()


class TableRows:
    """The rows of a table without blank ones.

    Attributes
    ----------
    width
        Number of fields of the header; 0 until it is read.
    """

    def __init__(
        self,
        lines: TableLines,
        delimiter: str,
        name: str,
        options: ReadOptions,
        *,
        allows_loose_quotes: bool,
    ) -> None:
        self._lines, self._delimiter, self._name = lines, delimiter, name
        self._max_length = options.max_bytes
        self._skips = options.on_bad == "skip"
        self._reader = csv.reader(lines, delimiter=delimiter, strict=True)
        self._allows_loose_quotes = allows_loose_quotes
        self._is_plain = False
        self.width = 0

    def read(self) -> Iterator[Row]:
        """Yield each row, or its error, with the number of its first line."""
        while (row := self._read_one()) is not None:
            if isinstance(row, ReadError) or not _is_blank(row):
                yield self._lines.row[0][0] if self._lines.row else 0, row

    def _read_one(self) -> list[str] | ReadError | None:
        lines = self._lines
        lines.begin()
        row = self._parse()
        if row is None or lines.has_failed:
            return row
        if not self.width:
            return lines.fault() or row
        if self._allows_loose_quotes and '"' in lines.row[0][1]:
            row = self._parse_loosely(row)
        if isinstance(row, list) and len(row) != self.width and not _is_blank(row):
            row = _uneven(self._location(), len(row), self.width)
        if not self._skips:
            return lines.fault() or row
        fault = lines.fault()
        if self._is_broken(row) or (fault and fault.kind == "too long"):
            self._skip_broken_row()
        row = lines.fault() or row
        return self._with_line_range(row) if isinstance(row, ReadError) else row

    def _parse(self) -> list[str] | ReadError | None:
        try:
            if self._is_plain:
                return _split(next(self._lines), self._delimiter)
            return _parse(self._reader, self._max_length)
        except StopIteration:
            return None
        except ReadError as error:
            return error
        except csv.Error as error:
            return _bad_row(self._location(), error)

    def _location(self) -> str:
        return f"{self._name}:{self._lines.row[0][0]}"

    def _parse_loosely(self, row: list[str] | ReadError) -> list[str] | ReadError:
        """Parse the first line alone as a row, in which only quotes around a field are special.

        Done if the quotes give no row, or one of several lines that are each a row.
        """
        lines = self._lines
        widths = (len(_split(line, self._delimiter)) for _, line in lines.row)
        is_row = isinstance(row, list) and len(row) == self.width
        if is_row and (self.width == 1 or len(lines.row) == 1 or set(widths) != {self.width}):
            return row
        plain = _split(lines.row[0][1], self._delimiter)
        if len(plain) != self.width:
            return row
        self._is_plain = self._is_plain or not lines.may_reread
        lines.push_back()
        return plain

    def _is_broken(self, row: list[str] | ReadError) -> bool:
        """Whether the end of a row is unknown."""
        if not isinstance(row, ReadError):
            return False
        lines = self._lines.row
        return (
            row.kind == "too long"
            or len(lines) > 1
            or (row.kind == "bad row" and '"' in lines[0][1])
        )

    def _skip_broken_row(self) -> None:
        """Skip to the first line after a broken row that is a row."""
        lines = self._lines
        if not lines.may_reread:
            return
        lines.push_back()
        while self._is_tail(context := self._find_quote_context()):
            lines.skip(context.n_lines)
        n_unfit = 0
        for line in islice(lines.peek(), context.n_lines):
            if self._fits(line):
                break
            n_unfit += 1
        lines.skip(n_unfit)

    def _find_quote_context(self) -> QuoteContext:
        if not self._lines.may_reread:
            return QuoteContext("opened", 0, 0)
        return find_quote_context(self._lines.peek(), self._delimiter, self._max_length)

    def _is_tail(self, context: QuoteContext) -> bool:
        """Whether the lines that follow belong to the broken row."""
        if context.kind in ("opened", "end"):
            return False
        if self.width == 1 or context.n_before < _MIN_FITTING_LINES:
            return True
        return not all(map(self._fits, islice(self._lines.peek(), _MIN_FITTING_LINES)))

    def _fits(self, line: str) -> bool:
        """Whether a line is a row, or can begin one."""
        try:
            row = _parse(self._new_reader(line, strict=True), self._max_length)
        except csv.Error as error:
            if "unexpected end of data" not in str(error):
                return False
            row = _parse(self._new_reader(line, strict=False), self._max_length)
            return row is not None and len(row) <= self.width
        return row is not None and len(row) == self.width

    def _new_reader(self, line: str, *, strict: bool) -> Iterator[list[str]]:
        return csv.reader([line], delimiter=self._delimiter, strict=strict)

    def _with_line_range(self, error: ReadError) -> ReadError:
        """Add the numbers of the skipped lines to an error, if there are several."""
        numbers = [number for number, line in self._lines.row if not line.isspace()]
        if len(numbers) < 2:
            return error
        detail = Message(error.detail, f" (lines {numbers[0]}–{numbers[-1]} are left out)")
        return ReadError(error.location, error.kind, detail)


def _parse(reader: Iterator[list[str]], max_length: int) -> list[str] | None:
    """Parse one row with a limit on fields; csv's limit is global, so it is restored."""
    with _limit_lock:
        usual = csv.field_size_limit(min(max_length, _MAX_LENGTH))
        try:
            return next(reader, None)
        finally:
            csv.field_size_limit(usual)


def _split(line: str, delimiter: str) -> list[str]:
    """Split a line at delimiters; only quotes that enclose a field are removed."""
    return [_unquoted(field) for field in line.rstrip("\r\n").split(delimiter)]


def _unquoted(field: str) -> str:
    quoted = _QUOTED.fullmatch(field)
    return quoted[1].replace('""', '"') if quoted else field


def _is_blank(row: list[str]) -> bool:
    return len(row) < 2 and not "".join(row).strip()


def _uneven(location: str, found: int, expected: int) -> ReadError:
    return ReadError(
        location,
        "uneven row",
        f"this row has {found} field{'s' * (found != 1)}, the header {expected}: "
        "quote fields that hold delimiters",
    )


def _bad_row(location: str, error: csv.Error) -> ReadError:
    reason = str(error).replace("\t", "\\t")
    if "unexpected end of data" in reason:
        detail = "a quote is opened in this row and never closed: close it"
    elif "new-line character" in reason:
        detail = "a CR stands alone outside quotes: save the file with ordinary ends of lines"
    else:
        detail = f"this row cannot be read ({reason}): double the quotes within a quoted field"
    return ReadError(location, "bad row", detail)
