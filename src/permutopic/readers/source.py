"""One file, or standard input: opened, decompressed and decoded; failures are ReadErrors."""

from __future__ import annotations

import io
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO

from permutopic.errors import InputError
from permutopic.readers.compression import (
    BOMB_RATIO,
    COMPRESSIONS,
    decompress,
    detect_compression,
    make_peekable,
)
from permutopic.readers.decoding import decode, read_lines, too_long
from permutopic.readers.read_log import ReadError, ReadLog, printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from permutopic.readers.settings import ReadOptions

__all__ = ["BOMB_RATIO", "Source", "decode", "standard_input", "too_long"]

_CHUNK = 1 << 18


@dataclass(frozen=True)
class Source:
    """A file to read, or a stream that is open already.

    `name` is used in messages, `title` for documents without a title; unprintable characters of
    both are replaced.
    """

    path: Path | None
    name: str
    title: str
    stream: BinaryIO | None = None

    def __post_init__(self) -> None:
        if self.stream is not None:
            object.__setattr__(self, "stream", make_peekable(self.stream, closes=False))
        object.__setattr__(self, "name", printable(self.name))
        object.__setattr__(self, "title", printable(self.title))

    def head(self) -> bytes:
        """Return the first bytes of an open stream without consuming them."""
        return self.stream.peek(1) if isinstance(self.stream, io.BufferedReader) else b""

    @contextmanager
    def open(self, log: ReadLog) -> Iterator[io.BufferedReader]:
        """Open the file and decompress it; an OSError while it is read becomes a ReadError."""
        try:
            with self._raw() as raw:
                compression = self._compression(raw)
                log.files += 1
                with decompress(raw, compression, self.name, log) as stream:
                    yield stream
        except OSError as error:
            raise unreadable(self.name, error) from None

    def bytes(self, options: ReadOptions, log: ReadLog) -> bytes:
        """Read the whole file; one of more than `options.max_bytes` is an error."""
        content = io.BytesIO()
        with self.open(log) as stream:
            # In chunks: a single read of max_bytes would allocate a buffer of that size.
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

        A line that cannot be decoded, or is too long, is an error. If `bad` is given, it is called
        with the error instead; the line then has such bytes replaced, or is empty if too long.
        """
        with self.open(log) as stream:
            yield from read_lines(stream, self.name, options, bad)

    def _raw(self) -> io.BufferedReader:
        if self.path is None:
            return self.stream if isinstance(self.stream, io.BufferedReader) else _empty_stream()
        try:
            file = self.path.open("rb", buffering=0)
        except ValueError as error:  # a path that is invalid on any system, such as one with NUL
            raise unreadable(self.name, error) from None
        return make_peekable(file)

    def _compression(self, raw: io.BufferedReader) -> str:
        head = raw.peek(1)
        found = detect_compression(head)
        named = COMPRESSIONS.get(self.path.suffix.lower(), "") if self.path else ""
        if named and found != named and head:
            raise ReadError(
                self.name, "damaged", f"not {named} data, as its name says: is it misnamed?"
            )
        return found


def standard_input() -> Source:
    """Return standard input as a source whose first bytes can be inspected."""
    name = "standard input"
    try:
        return Source(None, name, name, sys.stdin.buffer)
    except (AttributeError, ValueError):
        raise InputError("standard input is closed: give a file, or text through a pipe") from None
    except OSError as error:
        raise unreadable(name, error) from None


def _empty_stream() -> io.BufferedReader:
    return io.BufferedReader(io.BytesIO())


def unreadable(name: str, error: OSError | ValueError) -> ReadError:
    """Make the error for a file that the system cannot read, with its reason."""
    reason = getattr(error, "strerror", None) or error
    return ReadError(name, "cannot be read", f"cannot be read ({reason})")
