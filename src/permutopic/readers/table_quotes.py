"""Find the end of a broken row of a table from the quotes in the lines that follow."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

_QUOTES = re.compile('"+')


class QuoteContext(NamedTuple):
    """Whether the lines after a broken row begin within a quoted field.

    Attributes
    ----------
    kind
        "closed": they begin within a quoted field, which is closed in them. "opened": a quoted
        field is opened in them, so they begin outside of one. "end" or "limit": neither happens
        before the end of the file, or within `max_length` characters.
    n_lines
        Lines up to the end of that field, before the line that opens one, or before the end.
    n_before
        Lines before the first such quote.
    """

    kind: str
    n_lines: int
    n_before: int


def find_quote_context(lines: Iterable[str], delimiter: str, max_length: int) -> QuoteContext:
    r"""Infer from the first quotes in lines whether they begin within a quoted field.

    >>> find_quote_context(["and so\n", 'on",5\n', "6,7\n"], ",", 99)
    QuoteContext(kind='closed', n_lines=2, n_before=1)
    >>> find_quote_context(["6,7\n", '8,"nine"\n'], ",", 99)
    QuoteContext(kind='opened', n_lines=1, n_before=1)
    """
    size = n_lines = 0
    n_before = -1
    is_within = True
    for line in lines:
        runs = _QUOTES.finditer(line) if '"' in line else ()
        for run in runs:
            if n_before < 0 and _opens(line, run, delimiter):
                return QuoteContext("opened", n_lines, n_lines)
            was_within, is_within = is_within, _after(line, run, delimiter, is_within)
            if n_before < 0 and was_within and not is_within:
                n_before = n_lines
        n_lines += 1
        if not is_within:
            return QuoteContext("closed", n_lines, n_before)
        size += len(line)
        if size > max_length:
            break
    if n_before >= 0:  # closed, but opened again and not closed
        return QuoteContext("closed", n_before + 1, n_before)
    return QuoteContext("limit" if size > max_length else "end", n_lines, n_lines)


def _opens(line: str, run: re.Match[str], delimiter: str) -> bool:
    """Whether a run of quotes opens a field."""
    if not _is_begin(line, run.start(), delimiter):
        return False
    if _is_end(line, run.end(), delimiter):
        # A single quote that begins a line and is followed by a delimiter mostly closes a field.
        return run.start() > 0 or len(run[0]) > 1
    return len(run[0]) % 2 == 1  # an even number is escaped quotes within a field


def _after(line: str, run: re.Match[str], delimiter: str, is_within: bool) -> bool:
    """Whether the position after a run of quotes is within a quoted field."""
    if len(run[0]) % 2 == 0:
        return is_within
    if is_within:
        return not _is_end(line, run.end(), delimiter)
    return _is_begin(line, run.start(), delimiter)


def _is_begin(line: str, at: int, delimiter: str) -> bool:
    return at == 0 or line[at - 1] == delimiter


def _is_end(line: str, at: int, delimiter: str) -> bool:
    return at == len(line) or line[at] in (delimiter, "\r", "\n")
