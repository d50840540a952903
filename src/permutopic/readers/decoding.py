"""Decoding: byte-order marks, encodings, lines; errors name the offset of the bad byte."""

from __future__ import annotations

import codecs
import io
import re
from collections import deque
from threading import local
from typing import TYPE_CHECKING, BinaryIO

from permutopic.errors import Message, Parameter
from permutopic.readers.read_log import ReadError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from permutopic.readers.settings import ReadOptions

_CHUNK = 1 << 18
_BYTE_ORDER_MARKS = (  # UTF-32 first: its little-endian mark begins with that of UTF-16
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# No file is written in these; they decode to lone surrogates, or raise other errors.
_REFUSED = {"idna", "punycode", "raw-unicode-escape", "undefined", "unicode-escape", "utf-7"}
# In these a NUL byte means that the file is binary.
_ASCII_COMPATIBLE = {"utf-8", "ascii", "iso8859-1"}
# Without a byte-order mark, lines are decoded as little-endian, the order of most machines.
_DEFAULT_BYTE_ORDER = {"utf-16": "utf-16-le", "utf-32": "utf-32-le"}
# In these the meaning of a byte depends on lines before.
_STATEFUL = ("hz", "iso2022")
_LINE_END = re.compile(r"\r\n?|\n")
_FAULT_OR_END = re.compile(rb"[\xff\n]")
_HANDLER = "permutopic.record_fault"
# What the error handler found in the last call of a decoder, in each thread.
_recorded = local()


def known_encoding(name: object) -> str | None:
    """Return the canonical name of a text encoding, or None if there is no such encoding.

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


def find_byte_order_mark(head: bytes) -> tuple[bytes, str]:
    """Return the byte-order mark that bytes begin with, and its encoding; empty if none."""
    marks = _BYTE_ORDER_MARKS
    return next(((mark, name) for mark, name in marks if head.startswith(mark)), (b"", ""))


def decode(content: bytes, name: str, options: ReadOptions, declared: str | None = None) -> str:
    """Decode a whole file by its byte-order mark, `options.encoding`, `declared`, or UTF-8."""
    mark, marked = find_byte_order_mark(content)
    encoding = marked or options.encoding or known_encoding(declared) or "utf-8"
    bare = content[len(mark) :]
    try:
        text = bare.decode(encoding, options.errors)
    except UnicodeDecodeError as error:
        if b"\0" in bare[:_CHUNK] and encoding in _ASCII_COMPATIBLE:
            raise _binary(name, f"byte {len(mark) + bare.index(0)}") from None
        before = bare[: error.start].decode(encoding, "replace")
        line = len(_LINE_END.findall(before)) + 1
        at = len(mark) + error.start
        raise _undecodable(name, _bad_bytes(error), at, line, encoding) from None
    if "\0" in text:
        raise _binary(name, f"character {text.index(chr(0))}")
    return text


def _binary(name: str, where: str) -> ReadError:
    detail = Message(
        f"{where} is NUL, so this looks binary: give text, or name its encoding (",
        Parameter("encoding", "utf-16"),
        ", perhaps)",
    )
    return ReadError(name, "binary", detail)


def nul_in_line(location: str) -> ReadError:
    """Make the error for a line with a NUL character."""
    encoding = Parameter("encoding", "utf-16")
    detail = Message("a character is NUL: is this UTF-16 (", encoding, "), or no text?")
    return ReadError(location, "binary", detail)


def too_long(location: str, options: ReadOptions) -> ReadError:
    """Make the error for a document of more than `options.max_mb`."""
    detail = Message(
        f"longer than {options.max_mb} MiB: split it into documents, or raise the limit (",
        Parameter("max_mb"),
        ")",
    )
    return ReadError(location, "too long", detail)


def read_lines(
    stream: io.BufferedReader,
    name: str,
    options: ReadOptions,
    bad: Callable[[ReadError], None] | None,
) -> Iterator[tuple[int, str]]:
    """Yield the lines of a stream with numbers from 1; see `Source.lines`."""
    mark, marked = find_byte_order_mark(stream.peek(4))
    stream.read(len(mark))
    known = codecs.lookup(marked or options.encoding or "utf-8").name
    encoding = original = _DEFAULT_BYTE_ORDER.get(known, known)
    transcoded = None
    if not _has_plain_lines(encoding):
        transcoded = _Utf8Stream(stream, encoding, options.errors, len(mark))
        stream, encoding = io.BufferedReader(transcoded, _CHUNK), "utf-8"
    limit = options.max_bytes + 1
    offset = len(mark)
    number = 0
    while raw := stream.readline(limit):
        number += 1
        fault = too_long(f"{name}:{number}", options) if len(raw) == limit else None
        while bad and fault and raw and not raw.endswith(b"\n"):
            offset += len(raw)
            raw = stream.readline(limit)
        try:
            text = "\n" if fault else raw.decode(encoding, options.errors)
        except UnicodeDecodeError as error:
            position = offset + error.start
            at, found = transcoded.fault(position) if transcoded else (position, _bad_bytes(error))
            fault = _undecodable(f"{name}:{number}", found, at, 0, original)
            text = raw.decode(encoding, "replace")
        if fault and not bad:
            raise fault
        if fault and bad:
            bad(fault)
        offset += len(raw)
        yield number, text


def _has_plain_lines(encoding: str) -> bool:
    r"""Whether the byte \n is always the end of a line, so that lines can be decoded one by one."""
    return "\n".encode(encoding) == b"\n" and not encoding.startswith(_STATEFUL)


class _Utf8Stream(io.RawIOBase):
    """A stream transcoded to UTF-8; 0xff, which UTF-8 never has, marks what cannot be decoded."""

    def __init__(self, stream: BinaryIO, encoding: str, errors: str, offset: int) -> None:
        self._stream = stream
        handler = _HANDLER if errors == "strict" else errors
        self._decoder = codecs.getincrementaldecoder(encoding)(handler)
        self._ready = b""
        self._n_read = self._n_encoded = offset
        # For the first fault of each line: its offsets in UTF-8 and in the file, and the bytes.
        self._faults: deque[tuple[int, int, bytes]] = deque()
        self._is_faulty = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(buffer).cast("B")  # type: ignore[arg-type]
        is_end = False
        while not self._ready and not is_end:
            chunk = self._stream.read(_CHUNK)
            is_end = not chunk
            self._ready = self._recode(chunk)
        size = min(len(view), len(self._ready))
        view[:size] = self._ready[:size]
        self._ready = self._ready[size:]
        return size

    def fault(self, position: int) -> tuple[int, bytes]:
        """Return the offset in the file, and the bytes, of the fault at an offset in UTF-8."""
        while self._faults[0][0] < position:
            self._faults.popleft()
        return self._faults[0][1:]

    def _recode(self, chunk: bytes) -> bytes:
        text = self._decode(chunk)
        # Offsets count back from the end: incomplete bytes of earlier chunks come first.
        begin = self._n_read + len(chunk)
        faults = [(begin - n_bytes + start, found) for start, found, n_bytes in _recorded.faults]
        self._n_read += len(chunk)
        ready = text.encode("utf-8", "surrogateescape")
        self._add_faults(ready, faults)
        self._n_encoded += len(ready)
        return ready

    def _decode(self, chunk: bytes) -> str:
        _recorded.faults = []
        state = self._decoder.getstate()
        try:
            return self._decoder.decode(chunk, final=not chunk)
        except UnicodeError:  # an escape sequence at the end, longer than any valid one
            _recorded.faults = []
            self._decoder.setstate(state)
            return self._decoder.decode(chunk, final=True)

    def _add_faults(self, ready: bytes, faults: list[tuple[int, bytes]]) -> None:
        if not faults:
            self._is_faulty = self._is_faulty and b"\n" not in ready
            return
        remaining = iter(faults)
        for each in _FAULT_OR_END.finditer(ready):
            if each[0] == b"\n":
                self._is_faulty = False
                continue
            fault = next(remaining)
            if not self._is_faulty:
                self._faults.append((self._n_encoded + each.start(), *fault))
            self._is_faulty = True


def _record_fault(error: UnicodeError) -> tuple[str, int]:
    """Replace what cannot be decoded by a surrogate that encodes to 0xff, and record it."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    _recorded.faults.append((error.start, _bad_bytes(error), len(error.object)))
    return "\udcff", error.end


codecs.register_error(_HANDLER, _record_fault)


def _bad_bytes(error: UnicodeDecodeError) -> bytes:
    return error.object[error.start : error.end][:4]


def _undecodable(location: str, found: bytes, at: int, line: int, encoding: str) -> ReadError:
    bad = " ".join(f"0x{byte:02x}" for byte in found)
    where = f" in line {line}" if line else ""
    name = "UTF-8" if encoding == "utf-8" else encoding
    detail = Message(
        f"byte {at} ({bad}){where} is not {name}: name the encoding (",
        Parameter("encoding", "latin-1"),
        ", perhaps) or let such bytes be replaced (",
        Parameter("errors", "replace"),
        ")",
    )
    return ReadError(location, f"not {name}", detail)
