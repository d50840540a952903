"""JSON lines: one record per line, with sections or with text (see `records`)."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import TYPE_CHECKING, Any

from permutopic.readers.decoding import nul_in_line
from permutopic.readers.read_log import ReadError
from permutopic.readers.records import read_records

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permutopic.documents import Document
    from permutopic.readers.read_log import ReadLog
    from permutopic.readers.settings import ReadOptions
    from permutopic.readers.source import Source

# An escaped surrogate; only searched for in lines that contain "\\ud" or "\\uD".
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def read(source: Source, options: ReadOptions, log: ReadLog) -> Iterator[Document]:
    """Read the documents of a file of JSON lines; blank lines are skipped."""
    return read_records(_records(source, options, log), source, options, log)


def _records(source: Source, options: ReadOptions, log: ReadLog) -> Iterator[tuple[int, Any]]:
    decode = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_constant).decode
    faults: list[ReadError] = []
    bad = faults.append if options.on_bad == "skip" else None
    is_first = True
    value: Any
    for number, line in source.lines(options, log, bad):
        if faults:
            is_first = False
            yield number, faults.pop()
            continue
        if line.isspace():
            continue
        try:
            value = decode(line)
            if "\\ud" in line or "\\uD" in line:
                _check_characters(line, value)
        except (ValueError, RecursionError) as error:
            value = _bad_line(error, line, f"{source.name}:{number}")
        if is_first:
            _check_layout(line, value, source.name)
            is_first = False
        yield number, value
    if is_first:
        log.skip(source.name, "empty file")


class _RefusedError(ValueError):
    """JSON that Python can parse and a record must not have."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) < len(pairs):
        counts = Counter(key for key, _ in pairs)
        twice = next(key for key, count in counts.items() if count > 1)
        raise _RefusedError(f"the key {twice[:40]!r} stands twice in one object: keep one")
    return record


def _constant(name: str) -> None:
    raise _RefusedError(f"{name} is not JSON: write null")


def _check_characters(line: str, value: object) -> None:
    """Refuse lone surrogates, which JSON can escape and no encoding can write."""
    if _SURROGATE.search(line):
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError as error:
            half = f"\\u{ord(error.object[error.start]):04x}"
            raise _RefusedError(f"{half} is half a character: write both halves or none") from None


def _bad_line(error: Exception, line: str, location: str) -> ReadError:
    if isinstance(error, _RefusedError):
        return ReadError(location, "bad JSON", str(error))
    if "\0" in line:
        return nul_in_line(location)
    where = f" at column {error.colno}" if isinstance(error, json.JSONDecodeError) else ""
    return ReadError(
        location, "bad JSON", f"this line cannot be read as JSON{where}: give one object a line"
    )


def _check_layout(line: str, value: object, name: str) -> None:
    """Refuse a file that is one JSON value, not one per line."""
    if isinstance(value, list) or (isinstance(value, ReadError) and line.lstrip()[0] == "["):
        raise ReadError(name, "not lines", "this file is one JSON array: give one object a line")
    if line.strip() == "{":
        raise ReadError(
            name, "not lines", "this file is JSON over several lines: give one object a line"
        )
