"""One file, or standard input: opened, unpacked, decoded, with its faults said in one line."""

from __future__ import annotations

import io
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO

from permutopic.errors import InputError
from permutopic.readers.decoding import decode, read_lines, too_long
from permutopic.readers.read_log import ReadError, ReadLog, printable
from permutopic.readers.unpacking import BOMB_RATIO, PACKED, look_ahead, packing_of, unpack

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from permutopic.readers.settings import ReadOptions

__all__ = ["BOMB_RATIO", "PACKED", "Source", "decode", "packing_of", "standard_input", "too_long"]

_CHUNK = 1 << 18


@dataclass(frozen=True)
class Source:
    """A file to read, or a stream that is open already.

    `name` is what messages call it, `title` what a document without a title is called; both are
    made to fit into one line.
    """

    path: Path | None
    name: str
    title: str
    stream: BinaryIO | None = None

    def __post_init__(self) -> None:
        if self.stream is not None:
            object.__setattr__(self, "stream", look_ahead(self.stream, closes=False))
        object.__setattr__(self, "name", printable(self.name))
        object.__setattr__(self, "title", printable(self.title))

    def head(self) -> bytes:
        """Look at the first bytes of an open stream without taking them."""
        return self.stream.peek(1) if isinstance(self.stream, io.BufferedReader) else b""

    @contextmanager
    def open(self, log: ReadLog) -> Iterator[io.BufferedReader]:
        """Open the file, unpacked; whatever goes wrong while it is read is a ReadError."""
        try:
            with self._raw() as raw:
                packing = self._packing(raw)
                log.files += 1
                with unpack(raw, packing, self.name, log) as stream:
                    yield stream
        except OSError as error:
            raise unreadable(self.name, error) from None

    def bytes(self, options: ReadOptions, log: ReadLog) -> bytes:
        """Read the whole file, if it is not longer than a document may be."""
        content = io.BytesIO()
        with self.open(log) as stream:
            # Piece by piece: asked for all at once, the most there may be is set aside for it.
            while chunk := stream.read(_CHUNK):
                if content.tell() + len(chunk) > options.max_bytes:
                    raise too_long(self.name, options)
                content.write(chunk)
        return content.getvalue()

    def text(self, options: ReadOptions, log: ReadLog, declared: str | None = None) -> str:
        """Read the whole file as text; `declared` is the encoding that the file itself names."""
        return decode(self.bytes(options, log), self.name, options, declared)

    def lines(
        self, options: ReadOptions, log: ReadLog, bad: Callable[[ReadError], None] | None = None
    ) -> Iterator[tuple[int, str]]:
        """Read line by line with numbers from 1, ends of lines kept.

        A line that cannot be decoded, or is too long, is an error; with `bad` the error is told
        to it, and the line given with such bytes replaced, or empty.
        """
        with self.open(log) as stream:
            yield from read_lines(stream, self.name, options, bad)

    def _raw(self) -> io.BufferedReader:
        if self.path is None:
            return self.stream if isinstance(self.stream, io.BufferedReader) else _nothing()
        try:
            file = self.path.open("rb", buffering=0)
        except ValueError as error:  # a path that no system could have
            raise unreadable(self.name, error) from None
        return look_ahead(file)

    def _packing(self, raw: io.BufferedReader) -> str:
        head = raw.peek(1)
        found = packing_of(head)
        named = PACKED.get(self.path.suffix.lower(), "") if self.path else ""
        if named and found != named and head:
            raise ReadError(
                self.name, "damaged", f"not {named} data, as its name says: is it misnamed?"
            )
        return found


def standard_input() -> Source:
    """Take standard input as a source that can be looked into before it is read."""
    name = "standard input"
    try:
        return Source(None, name, name, sys.stdin.buffer)
    except (AttributeError, ValueError):
        raise InputError("standard input is closed: give a file, or text through a pipe") from None
    except OSError as error:
        raise unreadable(name, error) from None


def _nothing() -> io.BufferedReader:
    return io.BufferedReader(io.BytesIO())


def unreadable(name: str, error: OSError | ValueError) -> ReadError:
    """Say that a file cannot be read, and what the system says about it."""
    reason = getattr(error, "strerror", None) or error
    return ReadError(name, "cannot be read", f"cannot be read ({reason})")
