"""From bytes to text: marks, encodings, lines; what cannot be decoded is named by its place."""

from __future__ import annotations

import codecs
import io
import re
from typing import TYPE_CHECKING, BinaryIO

from permutopic.readers.notes import ReadError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from permutopic.readers.settings import Reading

_CHUNK = 1 << 18
_MARKS = (  # the longer first: a UTF-32 mark begins like a UTF-16 one
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# No file is written in these; they give half characters, or errors of their own.
_REFUSED = {"idna", "punycode", "raw-unicode-escape", "undefined", "unicode-escape", "utf-7"}
# Encodings in which the byte \n is always the end of a line.
_PLAIN = {"utf-8", "ascii", "iso8859-1"}
_LINE_END = re.compile(r"\r\n?|\n")


def known_encoding(name: object) -> str | None:
    """Give the usual name of an encoding, or None if there is no such one for text.

    >>> known_encoding("UTF8"), known_encoding("rot13")
    ('utf-8', None)
    """
    try:
        codec = codecs.lookup(name) if isinstance(name, str) else None
    except (LookupError, ValueError):
        return None
    if codec is None or not codec._is_text_encoding or codec.name in _REFUSED:
        return None
    return codec.name


def find_mark(head: bytes) -> tuple[bytes, str]:
    """Find the byte-order mark that bytes begin with, and the encoding it stands for."""
    return next(((mark, name) for mark, name in _MARKS if head.startswith(mark)), (b"", ""))


def decode(content: bytes, name: str, reading: Reading, declared: str | None = None) -> str:
    """Decode a whole file: by its byte-order mark, else as told, as declared, or as UTF-8."""
    mark, marked = find_mark(content)
    encoding = marked or reading.encoding or known_encoding(declared) or "utf-8"
    bare = content[len(mark) :]
    try:
        text = bare.decode(encoding, reading.errors)
    except UnicodeDecodeError as error:
        if b"\0" in bare[:_CHUNK] and encoding in _PLAIN:
            raise _binary(name, f"byte {len(mark) + bare.index(0)}") from None
        before = bare[: error.start].decode(encoding, "replace")
        line = len(_LINE_END.findall(before)) + 1
        raise _undecodable(name, error, len(mark) + error.start, line, encoding) from None
    if "\0" in text:
        raise _binary(name, f"character {text.index(chr(0))}")
    return text


def _binary(name: str, place: str) -> ReadError:
    return ReadError(
        name,
        "binary",
        f"{place} is NUL, so this looks binary: give text, or name its encoding (--encoding "
        "utf-16, perhaps)",
    )


def too_long(place: str, reading: Reading) -> ReadError:
    """Say that a document is longer than any document should be."""
    return ReadError(
        place,
        "too long",
        f"longer than {reading.max_mb} MiB: split it into documents, or raise the limit (--max-mb)",
    )


def read_lines(
    stream: io.BufferedReader, name: str, reading: Reading, bad: Callable[[ReadError], None] | None
) -> Iterator[tuple[int, str]]:
    """Give the lines of a stream with numbers from 1; see `Source.lines`."""
    mark, marked = find_mark(stream.peek(4))
    stream.read(len(mark))
    encoding = codecs.lookup(marked or reading.encoding or "utf-8").name
    if encoding not in _PLAIN:
        recoded = _Recoded(stream, encoding, name, reading.errors, len(mark))
        stream, encoding = io.BufferedReader(recoded, _CHUNK), "utf-8"
    limit = reading.max_bytes + 1
    offset = len(mark)
    number = 0
    while raw := stream.readline(limit):
        number += 1
        fault = too_long(f"{name}:{number}", reading) if len(raw) == limit else None
        while bad and fault and raw and not raw.endswith(b"\n"):
            offset += len(raw)
            raw = stream.readline(limit)
        try:
            text = "\n" if fault else raw.decode(encoding, reading.errors)
        except UnicodeDecodeError as error:
            place = f"{name}:{number}"
            fault = _undecodable(place, error, offset + error.start, 0, encoding)
            text = raw.decode(encoding, "replace")
        if fault and not bad:
            raise fault
        if fault and bad:
            bad(fault)
        offset += len(raw)
        yield number, text


class _Recoded(io.RawIOBase):
    """Another encoding as UTF-8."""

    def __init__(
        self, stream: BinaryIO, encoding: str, name: str, errors: str, offset: int
    ) -> None:
        self._stream, self._encoding, self._name = stream, encoding, name
        self._decoder = codecs.getincrementaldecoder(encoding)(errors)
        self._ready = b""
        self._read = offset

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(buffer).cast("B")  # type: ignore[arg-type]
        while not self._ready:
            chunk = self._stream.read(_CHUNK)
            try:
                text = self._decoder.decode(chunk, final=not chunk)
            except UnicodeDecodeError as error:
                # Bytes that waited for more stand before the chunk.
                at = self._read - (len(error.object) - len(chunk)) + error.start
                raise _undecodable(self._name, error, at, 0, self._encoding) from None
            self._read += len(chunk)
            self._ready = text.encode("utf-8")
            if not chunk:
                break
        size = min(len(view), len(self._ready))
        view[:size] = self._ready[:size]
        self._ready = self._ready[size:]
        return size


def _undecodable(
    place: str, error: UnicodeDecodeError, at: int, line: int, encoding: str
) -> ReadError:
    bad = " ".join(f"0x{byte:02x}" for byte in error.object[error.start : error.end][:4])
    where = f" in line {line}" if line else ""
    name = "UTF-8" if encoding == "utf-8" else encoding
    return ReadError(
        place,
        f"not {name}",
        f"byte {at} ({bad}){where} is not {name}: name the encoding (--encoding latin-1, perhaps) "
        "or let such bytes be replaced (--errors replace)",
    )
