"""The lines of a table: read one by one, recorded for the current row, and pushed back."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from permutopic.readers.decoding import nul_in_line, too_long
from permutopic.readers.read_log import ReadError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permutopic.readers.settings import ReadOptions

    NumberedLine = tuple[int, str]

# Maximum ratio of characters read again to characters read: keeps time linear in the file.
_MAX_REREAD_RATIO = 4


class TableLines:
    """An iterator over lines that records those of the current row.

    A class and not a generator, which would end at its first error.

    Attributes
    ----------
    row
        The lines of the row that is read or skipped.
    has_failed
        Whether no more lines can be read from the file.
    """

    def __init__(
        self,
        lines: Iterator[NumberedLine],
        name: str,
        options: ReadOptions,
        faults: list[ReadError],
    ) -> None:
        self._lines, self._name, self._options, self._decoding_faults = lines, name, options, faults
        self._max_length = options.max_bytes
        self._pending: deque[NumberedLine] = deque()
        self._faults: dict[int, ReadError] = {}
        self._failure: ReadError | None = None
        self._size = self._n_read = self._n_reread = self._last_peeked = 0
        self.row: list[NumberedLine] = []
        self.has_failed = False

    def __iter__(self) -> TableLines:
        return self

    def __next__(self) -> str:
        try:
            line = self._pending.popleft() if self._pending else self._read_line()
        except ReadError:
            self.has_failed = True
            raise
        self.row.append(line)
        self._size += len(line[1])
        if self._size > self._max_length:
            raise too_long(f"{self._name}:{self.row[0][0]}", self._options)
        return line[1]

    def begin(self) -> None:
        """Begin a row."""
        if self._faults:
            for number, _ in self.row:
                self._faults.pop(number, None)
        self.row = []
        self._size = 0

    @property
    def may_reread(self) -> bool:
        """Whether lines may be read again: the bound on reading again is not reached."""
        return self._n_reread <= _MAX_REREAD_RATIO * self._n_read

    def push_back(self) -> None:
        """Push back all lines of the row but the first, to be read again."""
        self._pending.extendleft(reversed(self.row[1:]))
        self._n_reread += sum(len(line) for _, line in self.row[1:])
        del self.row[1:]

    def peek(self) -> Iterator[str]:
        """Yield the lines that follow without consuming them."""
        for number, line in self._pending:
            if number <= self._last_peeked:
                self._n_reread += len(line)
            else:
                self._last_peeked = number
            yield line
        while True:
            try:
                number, line = self._read_line()
            except StopIteration:
                return
            except ReadError as error:
                self._failure = error  # raised after the pending lines are read
                return
            self._pending.append((number, line))
            self._last_peeked = number
            yield line

    def skip(self, count: int) -> None:
        """Add the next `count` peeked lines to the row, which is skipped."""
        self.row.extend(self._pending.popleft() for _ in range(count))

    def fault(self) -> ReadError | None:
        """Return the first error of decoding in the lines of the row, if any."""
        if not self._faults:
            return None
        return next((self._faults[n] for n, _ in self.row if n in self._faults), None)

    def _read_line(self) -> NumberedLine:
        if self._failure is not None:
            failure, self._failure = self._failure, None
            raise failure
        line = next(self._lines)
        if self._decoding_faults:
            self._faults[line[0]] = self._decoding_faults.pop()
        elif "\0" in line[1]:
            self._faults[line[0]] = nul_in_line(f"{self._name}:{line[0]}")
        self._n_read += len(line[1])
        return line
