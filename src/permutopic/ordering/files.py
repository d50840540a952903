"""Files of loose pieces: one JSON object a line, with "id" and "text"."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

from permutopic.readers.read_log import ReadError, ReadLog
from permutopic.readers.settings import ReadOptions
from permutopic.readers.source import Source, standard_input

STANDARD_INPUT = "-"


class LoosePiece(NamedTuple):
    """A piece of text, and what its writer calls it; `value` is the id as it was written."""

    id: str
    text: str
    value: str | int


def read_pieces(path: str | Path, options: ReadOptions | None = None) -> list[LoosePiece]:
    """Read pieces from JSON lines with "id" and "text", or from standard input ("-").

    Other fields are left aside. `options` has the encoding.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
    ...     _ = file.write('{"id": "a", "text": "Salt sea."}')
    ...     file.flush()
    ...     read_pieces(file.name)
    [LoosePiece(id='a', text='Salt sea.', value='a')]
    """
    name = str(path)
    source = standard_input() if name == STANDARD_INPUT else Source(Path(path), name, name)
    pieces: list[LoosePiece] = []
    lines: dict[str, int] = {}
    for number, line in source.lines(options or ReadOptions(), ReadLog()):
        if line.isspace():
            continue
        location = f"{source.name}:{number}"
        piece = _piece(line, location)
        if piece.id in lines:
            raise ReadError(
                location,
                "twice",
                f"the id {piece.id!r} is that of line {lines[piece.id]}: ids differ",
            )
        lines[piece.id] = number
        pieces.append(piece)
    if not pieces:
        raise ReadError(source.name, "empty", 'no piece: give lines like {"id": "a", "text": "…"}')
    return pieces


def _piece(line: str, location: str) -> LoosePiece:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        raise ReadError(
            location, "bad JSON", "this line cannot be read as JSON: give one object a line"
        ) from None
    if not isinstance(value, dict):
        raise ReadError(
            location, "no piece", 'this line is no object: give {"id": "a", "text": "…"}'
        )
    for name in ("id", "text"):
        if name not in value:
            raise ReadError(
                location, "no piece", f'there is no "{name}": a piece has "id" and "text"'
            )
    name, text = value["id"], value["text"]
    if isinstance(name, bool) or not isinstance(name, str | int) or not str(name).strip():
        raise ReadError(location, "no id", f"an id is text or a whole number, not {_shortly(name)}")
    if not isinstance(text, str):
        raise ReadError(location, "no text", f"the text is a string, not {_shortly(text)}")
    try:
        f"{name}{text}".encode()
    except UnicodeEncodeError:
        raise ReadError(
            location, "bad JSON", "half a character (a lone surrogate) is no text"
        ) from None
    return LoosePiece(str(name), text, name)


def _shortly(value: object) -> str:
    shown = json.dumps(value)
    return shown if len(shown) <= 40 else f"{shown[:39]}…"
