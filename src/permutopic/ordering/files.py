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
    """A piece of text with its id."""

    id: str | int
    text: str


def read_pieces(path: str | Path, options: ReadOptions | None = None) -> list[LoosePiece]:
    """Read pieces from JSON lines with "id" and "text", or from standard input ("-").

    Other fields are ignored. `options` has the encoding. Ids are unique as text: "1" and 1 are
    the same.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
    ...     _ = file.write('{"id": "a", "text": "Salt sea."}')
    ...     file.flush()
    ...     read_pieces(file.name)
    [LoosePiece(id='a', text='Salt sea.')]
    """
    name = str(path)
    source = standard_input() if name == STANDARD_INPUT else Source(Path(path), name, name)
    pieces: list[LoosePiece] = []
    lines: dict[str, int] = {}
    for number, line in source.lines(options or ReadOptions(), ReadLog()):
        if line.isspace():
            continue
        location = f"{source.name}:{number}"
        piece = _parse_piece(line, location)
        key = str(piece.id)
        if key in lines:
            raise ReadError(
                location, "twice", f"the id {key!r} is that of line {lines[key]}: ids differ"
            )
        lines[key] = number
        pieces.append(piece)
    if not pieces:
        raise ReadError(source.name, "empty", 'no piece: give lines like {"id": "a", "text": "…"}')
    return pieces


def _parse_piece(line: str, location: str) -> LoosePiece:
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
        raise ReadError(
            location, "no id", f"an id is text or a whole number, not {_shortened(name)}"
        )
    if not isinstance(text, str):
        raise ReadError(location, "no text", f"the text is a string, not {_shortened(text)}")
    try:
        f"{name}{text}".encode()
    except UnicodeEncodeError:
        raise ReadError(
            location, "bad JSON", "half a character (a lone surrogate) is no text"
        ) from None
    return LoosePiece(name, text)


def _shortened(value: object) -> str:
    shown = json.dumps(value)
    return shown if len(shown) <= 40 else f"{shown[:39]}…"
