"""From bytes to text: marks, encodings, lines; what cannot be decoded is named by its place."""

from __future__ import annotations

import codecs
import io
import re
from collections import deque
from threading import local
from typing import TYPE_CHECKING, BinaryIO

from permutopic.readers.read_log import ReadError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from permutopic.readers.settings import ReadOptions

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
# Encodings of programs as of text: NUL in them means that it is none.
_PLAIN = {"utf-8", "ascii", "iso8859-1"}
# Read line by line they need a mark; without one they are taken as most machines write them.
_UNMARKED = {"utf-16": "utf-16-le", "utf-32": "utf-32-le"}
# What a byte stands for depends on lines before.
_STATEFUL = ("hz", "iso2022")
_LINE_END = re.compile(r"\r\n?|\n")
_FAULT_OR_END = re.compile(rb"[\xff\n]")
_MARK = "permutopic.mark"
_met = local()


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


def decode(content: bytes, name: str, options: ReadOptions, declared: str | None = None) -> str:
    """Decode a whole file: by its byte-order mark, else as told, as declared, or as UTF-8."""
    mark, marked = find_mark(content)
    encoding = marked or options.encoding or known_encoding(declared) or "utf-8"
    bare = content[len(mark) :]
    try:
        text = bare.decode(encoding, options.errors)
    except UnicodeDecodeError as error:
        if b"\0" in bare[:_CHUNK] and encoding in _PLAIN:
            raise _binary(name, f"byte {len(mark) + bare.index(0)}") from None
        before = bare[: error.start].decode(encoding, "replace")
        line = len(_LINE_END.findall(before)) + 1
        at = len(mark) + error.start
        raise _undecodable(name, _bad_bytes(error), at, line, encoding) from None
    if "\0" in text:
        raise _binary(name, f"character {text.index(chr(0))}")
    return text


def _binary(name: str, location: str) -> ReadError:
    return ReadError(
        name,
        "binary",
        f"{location} is NUL, so this looks binary: give text, or name its encoding (--encoding "
        "utf-16, perhaps)",
    )


def too_long(location: str, options: ReadOptions) -> ReadError:
    """Say that a document is longer than any document should be."""
    return ReadError(
        location,
        "too long",
        f"longer than {options.max_mb} MiB: split it into documents, or raise the limit (--max-mb)",
    )


def read_lines(
    stream: io.BufferedReader,
    name: str,
    options: ReadOptions,
    bad: Callable[[ReadError], None] | None,
) -> Iterator[tuple[int, str]]:
    """Give the lines of a stream with numbers from 1; see `Source.lines`."""
    mark, marked = find_mark(stream.peek(4))
    stream.read(len(mark))
    known = codecs.lookup(marked or options.encoding or "utf-8").name
    encoding = written = _UNMARKED.get(known, known)
    recoded = None
    if not _has_plain_lines(encoding):
        recoded = _Recoded(stream, encoding, options.errors, len(mark))
        stream, encoding = io.BufferedReader(recoded, _CHUNK), "utf-8"
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
            at, found = recoded.fault(position) if recoded else (position, _bad_bytes(error))
            fault = _undecodable(f"{name}:{number}", found, at, 0, written)
            text = raw.decode(encoding, "replace")
        if fault and not bad:
            raise fault
        if fault and bad:
            bad(fault)
        offset += len(raw)
        yield number, text


def _has_plain_lines(encoding: str) -> bool:
    r"""Tell whether the byte \n is always the end of a line, and lines can be read one by one."""
    return "\n".encode(encoding) == b"\n" and not encoding.startswith(_STATEFUL)


class _Recoded(io.RawIOBase):
    """Another encoding as UTF-8, with a byte that UTF-8 has not for what cannot be decoded."""

    def __init__(self, stream: BinaryIO, encoding: str, errors: str, offset: int) -> None:
        self._stream = stream
        handler = _MARK if errors == "strict" else errors
        self._decoder = codecs.getincrementaldecoder(encoding)(handler)
        self._ready = b""
        self._read = self._given = offset
        # Where the first such byte of each line stands here, where there, and what it was.
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
        """Tell what stands for the first bad byte of a line: where it is in the file, and what."""
        while self._faults[0][0] < position:
            self._faults.popleft()
        return self._faults[0][1:]

    def _recode(self, chunk: bytes) -> bytes:
        text = self._decode(chunk)
        # Bytes that waited for more stand before the chunk.
        begin = self._read + len(chunk)
        faults = [(begin - n_bytes + start, found) for start, found, n_bytes in _met.faults]
        self._read += len(chunk)
        ready = text.encode("utf-8", "surrogateescape")
        self._note(ready, faults)
        self._given += len(ready)
        return ready

    def _decode(self, chunk: bytes) -> str:
        _met.faults = []
        state = self._decoder.getstate()
        try:
            return self._decoder.decode(chunk, final=not chunk)
        except UnicodeError:  # an escape sequence at the end, longer than any that has a meaning
            _met.faults = []
            self._decoder.setstate(state)
            return self._decoder.decode(chunk, final=True)

    def _note(self, ready: bytes, faults: list[tuple[int, bytes]]) -> None:
        if not faults:
            self._is_faulty = self._is_faulty and b"\n" not in ready
            return
        coming = iter(faults)
        for each in _FAULT_OR_END.finditer(ready):
            if each[0] == b"\n":
                self._is_faulty = False
                continue
            fault = next(coming)
            if not self._is_faulty:
                self._faults.append((self._given + each.start(), *fault))
            self._is_faulty = True


def _mark(error: UnicodeError) -> tuple[str, int]:
    """Mark what cannot be decoded, and remember it for the one who decodes in this thread."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    _met.faults.append((error.start, _bad_bytes(error), len(error.object)))
    return "\udcff", error.end


codecs.register_error(_MARK, _mark)


def _bad_bytes(error: UnicodeDecodeError) -> bytes:
    return error.object[error.start : error.end][:4]


def _undecodable(location: str, found: bytes, at: int, line: int, encoding: str) -> ReadError:
    bad = " ".join(f"0x{byte:02x}" for byte in found)
    where = f" in line {line}" if line else ""
    name = "UTF-8" if encoding == "utf-8" else encoding
    return ReadError(
        location,
        f"not {name}",
        f"byte {at} ({bad}){where} is not {name}: name the encoding (--encoding latin-1, perhaps) "
        "or let such bytes be replaced (--errors replace)",
    )
