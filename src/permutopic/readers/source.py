"""One file, or standard input: opened, unpacked, decoded, with its faults said in one line."""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import lzma
import sys
import zlib
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO

from permutopic.errors import InputError
from permutopic.extras import needs
from permutopic.readers.notes import Notes, ReadError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from permutopic.readers.settings import Reading

# Text packs to a tenth, tables of repeated rows to a hundredth; only a bomb goes further.
BOMB_RATIO, BOMB_BYTES = 250, 64 << 20
_CHUNK = 1 << 18
_MAGIC = {
    b"\x1f\x8b": "gzip",
    b"BZh": "bzip2",
    b"\xfd7zXZ\x00": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
}
PACKED = {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz", ".zst": "zstd"}
_MARKS = (  # the longer first: a UTF-32 mark begins like a UTF-16 one
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


@dataclass(frozen=True)
class Source:
    """A file to read, or a stream that is open already.

    `name` is what messages call it, `title` what a document without a title is called.
    """

    path: Path | None
    name: str
    title: str
    stream: BinaryIO | None = None

    def head(self) -> bytes:
        """Look at the first bytes of an open stream without taking them."""
        return _peek(self.stream)

    @contextmanager
    def open(self, notes: Notes) -> Iterator[BinaryIO]:
        """Open the file, unpacked; whatever goes wrong while it is read is a ReadError."""
        try:
            with self._raw() as raw:
                packing = self._packing(raw)
                stream = _Unpacked(raw, packing, self.name, notes)
                notes.files += 1
                with io.BufferedReader(stream, _CHUNK) as buffered:
                    yield buffered
        except OSError as error:
            raise _unreadable(self.name, error) from None
        except ValueError as error:  # a path that no system could have
            if isinstance(error, ReadError) or "null" not in str(error):
                raise
            raise _unreadable(self.name, error) from None

    def bytes(self, reading: Reading, notes: Notes) -> bytes:
        """Read the whole file, if it is not longer than a document may be."""
        with self.open(notes) as stream:
            content = stream.read(reading.max_bytes + 1)
        if len(content) > reading.max_bytes:
            raise too_long(self.name, reading)
        return content

    def text(self, reading: Reading, notes: Notes, declared: str | None = None) -> str:
        """Read the whole file as text; `declared` is the encoding that the file itself names."""
        return decode(self.bytes(reading, notes), self.name, reading, declared)

    def lines(
        self, reading: Reading, notes: Notes, bad: Callable[[ReadError], None] | None = None
    ) -> Iterator[tuple[int, str]]:
        """Read line by line with numbers from 1, ends of lines kept.

        A line that cannot be decoded, or is too long, is an error; with `bad` the error is told
        to it, and the line given with such bytes replaced, or empty.
        """
        with self.open(notes) as stream:
            yield from _lines(stream, self.name, reading, bad)

    def _raw(self) -> BinaryIO:
        if self.path is None:
            return self.stream or io.BytesIO()
        return self.path.open("rb", buffering=_CHUNK)

    def _packing(self, raw: BinaryIO) -> str:
        head = _peek(raw)
        found = packing_of(head)
        named = PACKED.get(self.path.suffix.lower(), "") if self.path else ""
        if named and found != named and head:
            raise ReadError(
                self.name, "damaged", f"not {named} data, as its name says: is it misnamed?"
            )
        return found


class _Unpacked(io.RawIOBase):
    """The unpacked bytes of a file, counted, with an eye on bombs."""

    def __init__(self, raw: BinaryIO, packing: str, name: str, notes: Notes) -> None:
        self._raw, self._name, self._notes, self._packing = raw, name, notes, packing
        self._given = 0
        self._stream = _unpacker(raw, packing)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(buffer).cast("B")  # type: ignore[arg-type]
        try:
            chunk = self._stream.read(len(view))
        except (gzip.BadGzipFile, zlib.error, EOFError, lzma.LZMAError) as error:
            raise self._damaged(error) from None
        except OSError as error:
            if error.errno is not None or not self._packing:
                raise
            raise self._damaged(error) from None
        except Exception as error:
            if type(error).__name__ != "ZstdError":
                raise
            raise self._damaged(error) from None
        view[: len(chunk)] = chunk
        self._given += len(chunk)
        self._notes.bytes += len(chunk)
        if self._packing and self._given > max(BOMB_BYTES, BOMB_RATIO * self._raw.tell()):
            raise ReadError(
                self._name,
                "bomb",
                f"unpacks to more than {BOMB_RATIO} times its size: no text does; unpack it "
                "yourself if you trust it",
            )
        return len(chunk)

    def _damaged(self, error: Exception) -> ReadError:
        return ReadError(
            self._name,
            "damaged",
            f"not whole {self._packing} data ({error or 'it ends too early'}) after "
            f"{self._given} bytes: is the file cut?",
        )


def standard_input() -> Source:
    """Take standard input as a source that can be looked into before it is read."""
    try:
        raw = io.FileIO(sys.stdin.fileno(), closefd=False)
    except (AttributeError, OSError, ValueError):
        raise InputError("standard input is closed: give a file, or text through a pipe") from None
    return Source(None, "standard input", "standard input", io.BufferedReader(raw, _CHUNK))


def packing_of(head: bytes) -> str:
    """Tell how bytes are packed by how they begin; empty if they are not."""
    return next((kind for magic, kind in _MAGIC.items() if head.startswith(magic)), "")


def _peek(stream: BinaryIO | None) -> bytes:
    return stream.peek(1024) if isinstance(stream, io.BufferedReader) else b""


def _unpacker(raw: BinaryIO, packing: str) -> Any:
    if packing == "gzip":
        return gzip.GzipFile(fileobj=raw)
    if packing == "bzip2":
        return bz2.BZ2File(raw)
    if packing == "xz":
        return lzma.LZMAFile(raw)
    if packing == "zstd":
        module = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
        return needs(module, "zstd", "files packed by zstd").ZstdFile(raw)
    return raw


def decode(content: bytes, name: str, reading: Reading, declared: str | None = None) -> str:
    """Decode a whole file: by its byte-order mark, else as told, as declared, or as UTF-8."""
    mark, marked = next(((m, e) for m, e in _MARKS if content.startswith(m)), (b"", ""))
    encoding = marked or reading.encoding or _known(declared) or "utf-8"
    try:
        text = content[len(mark) :].decode(encoding, reading.errors)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, len(mark) + error.start) + 1
        raise _undecodable(name, error, len(mark) + error.start, line, encoding) from None
    if "\0" in text:
        raise ReadError(
            name,
            "binary",
            f"character {text.index(chr(0))} is NUL, so this looks binary: give text, or name its "
            "encoding (--encoding utf-16, perhaps)",
        )
    return text


def too_long(place: str, reading: Reading) -> ReadError:
    """Say that a document is longer than any document should be."""
    return ReadError(
        place,
        "too long",
        f"longer than {reading.max_mb} MiB: split it into documents, or raise the limit (--max-mb)",
    )


def _lines(
    stream: BinaryIO, name: str, reading: Reading, bad: Callable[[ReadError], None] | None
) -> Iterator[tuple[int, str]]:
    head = _peek(stream)
    mark, marked = next(((m, e) for m, e in _MARKS if head.startswith(m)), (b"", ""))
    stream.read(len(mark))
    encoding = codecs.lookup(marked or reading.encoding or "utf-8").name
    if encoding not in {"utf-8", "ascii", "iso8859-1"}:  # where a line may not end in one byte \n
        recoded = _Recoded(stream, encoding, name, reading.errors)
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

    def __init__(self, stream: BinaryIO, encoding: str, name: str, errors: str) -> None:
        self._stream, self._encoding, self._name = stream, encoding, name
        self._decoder = codecs.getincrementaldecoder(encoding)(errors)
        self._ready = b""
        self._read = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(buffer).cast("B")  # type: ignore[arg-type]
        while not self._ready:
            chunk = self._stream.read(_CHUNK)
            try:
                text = self._decoder.decode(chunk, final=not chunk)
            except UnicodeDecodeError as error:
                at = max(self._read - (len(error.object) - len(chunk)), 0) + error.start
                raise _undecodable(self._name, error, at, 0, self._encoding) from None
            self._read += len(chunk)
            self._ready = text.encode("utf-8", "replace")
            if not chunk:
                break
        size = min(len(view), len(self._ready))
        view[:size] = self._ready[:size]
        self._ready = self._ready[size:]
        return size


def _known(declared: str | None) -> str | None:
    """Take a declared encoding only if there is such a one."""
    try:
        return codecs.lookup(declared).name if declared else None
    except (LookupError, ValueError):
        return None


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


def _unreadable(name: str, error: OSError | ValueError) -> ReadError:
    reason = getattr(error, "strerror", None) or error
    return ReadError(name, "cannot be read", f"cannot be read ({reason})")
