"""The lines of a table: fed to the csv module, remembered for the row being read, given back."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from permutopic.readers.notes import ReadError
from permutopic.readers.source import too_long

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permutopic.readers.settings import ReadOptions

    Line = tuple[int, str]  # its number and its text

# What is read again may be so many times what was read: time stays in proportion to the file.
_PATIENCE = 4


class Lines:
    """An iterator of lines that knows the row they belong to.

    Not a generator, which would end with its first error.

    Attributes
    ----------
    row
        The lines of the row being read, or left out.
    has_failed
        Whether the file itself cannot be read on.
    """

    def __init__(
        self, lines: Iterator[Line], name: str, options: ReadOptions, told: list[ReadError]
    ) -> None:
        self._lines, self._name, self._options, self._told = lines, name, options, told
        self._longest = options.max_bytes
        self._ahead: deque[Line] = deque()
        self._faults: dict[int, ReadError] = {}
        self._failure: ReadError | None = None
        self._size = self._n_read = self._n_again = self._looked_to = 0
        self.row: list[Line] = []
        self.has_failed = False

    def __iter__(self) -> Lines:
        return self

    def __next__(self) -> str:
        try:
            line = self._ahead.popleft() if self._ahead else self._pull()
        except ReadError:
            self.has_failed = True
            raise
        self.row.append(line)
        self._size += len(line[1])
        if self._size > self._longest:
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
    def is_patient(self) -> bool:
        """Whether lines may be read again: not too many of them have been."""
        return self._n_again <= _PATIENCE * self._n_read

    def give_back(self) -> None:
        """Give all lines of the row but the first back, to be read again."""
        self._ahead.extendleft(reversed(self.row[1:]))
        self._n_again += sum(len(line) for _, line in self.row[1:])
        del self.row[1:]

    def ahead(self) -> Iterator[str]:
        """Look at the lines that follow, without taking them."""
        for number, line in self._ahead:
            if number <= self._looked_to:
                self._n_again += len(line)
            else:
                self._looked_to = number
            yield line
        while True:
            try:
                number, line = self._pull()
            except StopIteration:
                return
            except ReadError as error:
                self._failure = error  # its turn comes after the lines before it
                return
            self._ahead.append((number, line))
            self._looked_to = number
            yield line

    def leave_out(self, count: int) -> None:
        """Take lines that were looked at as part of the row that is left out."""
        self.row.extend(self._ahead.popleft() for _ in range(count))

    def fault(self) -> ReadError | None:
        """Tell what is wrong with the lines of the row, if anything is."""
        if not self._faults:
            return None
        return next((self._faults[n] for n, _ in self.row if n in self._faults), None)

    def _pull(self) -> Line:
        if self._failure is not None:
            failure, self._failure = self._failure, None
            raise failure
        line = next(self._lines)
        if self._told:
            self._faults[line[0]] = self._told.pop()
        elif "\0" in line[1]:
            self._faults[line[0]] = _binary(f"{self._name}:{line[0]}")
        self._n_read += len(line[1])
        return line


def _binary(location: str) -> ReadError:
    return ReadError(
        location,
        "binary",
        "a character is NUL: is this UTF-16 (--encoding utf-16), or no text?",
    )
