"""Compressed files: detection, streaming decompression, and refusal of decompression bombs."""

from __future__ import annotations

import bz2
import errno
import gzip
import io
import lzma
import re
import sys
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, BinaryIO, TypeVar

from permutopic.extras import needs
from permutopic.readers.read_log import ReadError

if TYPE_CHECKING:
    from collections.abc import Callable

    from permutopic.readers.read_log import ReadLog

AnyPath = TypeVar("AnyPath", bound=PurePath)
# Text compresses to a tenth, tables of repeated rows to a hundredth; only a bomb goes further.
BOMB_RATIO, BOMB_BYTES = 250, 16 << 20
COMPRESSIONS = {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz", ".zst": "zstd"}
HEAD_BYTES = 4096
_CHUNK = 1 << 18
# Small, as there may be many members, and what is read beyond one is copied.
_MEMBER_CHUNK = 1 << 13
_MAX_MEMORY = 1 << 30  # of xz's dictionary; preset 9 takes 64 MiB
# As many bytes of the magic number as there are: a text may begin with "BZh".
_MAGIC = {
    "gzip": re.compile(rb"\x1f\x8b\x08"),
    "bzip2": re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)"),
    "xz": re.compile(rb"\xfd7zXZ\x00"),
    "zstd": re.compile(rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18"),  # or a skippable frame
}


def detect_compression(head: bytes) -> str:
    """Return the name of the compression whose magic number bytes begin with; "" if none."""
    return next((kind for kind, magic in _MAGIC.items() if magic.match(head)), "")


def strip_compression(path: AnyPath) -> AnyPath:
    """Drop the extension of a compression from a path, if it has one."""
    return path.with_suffix("") if path.suffix.lower() in COMPRESSIONS else path


def decompress(raw: BinaryIO, compression: str, name: str, log: ReadLog) -> io.BufferedReader:
    """Return a stream of decompressed bytes; damaged data raises a ReadError when it is read."""
    return io.BufferedReader(_DecompressedStream(raw, compression, name, log), _CHUNK)


class _DecompressedStream(io.RawIOBase):
    """Decompressed bytes of a file, counted in the log; raises an error at a bomb."""

    def __init__(self, raw: BinaryIO, compression: str, name: str, log: ReadLog) -> None:
        self._name, self._log, self._compression = name, log, compression
        self._compressed = _CountingStream(raw)
        self._n_decompressed = 0
        self._stream = _make_decompressor(self._compressed, compression) if compression else raw

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(buffer).cast("B")  # type: ignore[arg-type]
        try:
            chunk = self._stream.read(len(view))
        except Exception as error:  # each library raises its own type
            if not self._compression or getattr(error, "errno", None) is not None:
                raise
            raise self._damaged(error) from None
        view[: len(chunk)] = chunk
        self._n_decompressed += len(chunk)
        self._log.bytes += len(chunk)
        if self._compression and self._n_decompressed > max(
            BOMB_BYTES, BOMB_RATIO * self._compressed.total
        ):
            raise ReadError(
                self._name,
                "bomb",
                f"unpacks to more than {BOMB_RATIO} times its size: no text does; unpack it "
                "yourself if you trust it",
            )
        return len(chunk)

    def _damaged(self, error: Exception) -> ReadError:
        reason = str(error) or type(error).__name__
        return ReadError(
            self._name,
            "damaged",
            f"not whole {self._compression} data ({reason}) after {self._n_decompressed} bytes: "
            "is the file cut?",
        )


class _CountingStream:
    """A stream that counts the bytes read from it, for streams without `tell`."""

    def __init__(self, raw: BinaryIO) -> None:
        self._raw = raw
        self.total = 0

    def read(self, size: int = -1) -> bytes:
        """Read up to `size` bytes."""
        chunk = self._raw.read(size)
        self.total += len(chunk)
        return chunk


def _make_decompressor(raw: Any, compression: str) -> Any:
    if compression == "gzip":
        return gzip.GzipFile(filename="", mode="rb", fileobj=raw)
    if compression == "bzip2":
        return _ConcatenatedMembers(raw, bz2.BZ2Decompressor)
    if compression == "xz":
        return _ConcatenatedMembers(raw, partial(lzma.LZMADecompressor, memlimit=_MAX_MEMORY))
    module = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
    return needs(module, "zstd", "files packed by zstd").ZstdFile(raw)


class _ConcatenatedMembers:
    """Compressed members, one after the other; zeros between them are skipped.

    Unlike `BZ2File` and `LZMAFile`, which take bytes that are no member for the end of the file,
    this raises an error.
    """

    def __init__(self, raw: _CountingStream, make: Callable[[], Any]) -> None:
        self._raw, self._make = raw, make
        self._member: Any = None

    def read(self, size: int) -> bytes:
        """Decompress up to `size` bytes; none at the end."""
        while True:
            if self._member is None or self._member.eof:
                packed = self._next_member()
                if not packed:
                    return b""
                self._member = self._make()
            else:
                packed = self._raw.read(_MEMBER_CHUNK) if self._member.needs_input else b""
                if self._member.needs_input and not packed:
                    raise EOFError("it ends too early")
            content: bytes = self._member.decompress(packed, size)
            if content:
                return content

    def _next_member(self) -> bytes:
        packed: bytes = b"" if self._member is None else self._member.unused_data.lstrip(b"\0")
        while not packed and (chunk := self._raw.read(_MEMBER_CHUNK)):
            packed = chunk.lstrip(b"\0")
        return packed


def make_peekable(raw: Any, *, closes: bool = True) -> io.BufferedReader:
    """Buffer a stream so that `peek` returns its first bytes, also of a pipe with short reads."""
    head = b""
    while len(head) < HEAD_BYTES and (chunk := _require_blocking(raw.read(HEAD_BYTES - len(head)))):
        head += chunk
    return io.BufferedReader(_PrependedStream(head, raw, closes), _CHUNK)


class _PrependedStream(io.RawIOBase):
    """A stream preceded by the first bytes that were already read from it."""

    def __init__(self, head: bytes, rest: Any, closes: bool) -> None:
        self._head, self._rest, self._closes = head, rest, closes

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(buffer).cast("B")  # type: ignore[arg-type]
        if not self._head:
            size: int = _require_blocking(self._rest.readinto(view))
            return size
        size = min(len(view), len(self._head))
        view[:size] = self._head[:size]
        self._head = self._head[size:]
        return size

    def close(self) -> None:
        super().close()
        if self._closes:
            self._rest.close()


def _require_blocking(found: Any) -> Any:
    """Refuse a non-blocking stream (None for no data yet): later data would be lost."""
    if found is None:
        raise BlockingIOError(errno.EAGAIN, "nothing has come yet")
    return found
