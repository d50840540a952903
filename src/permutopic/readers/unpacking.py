"""Packed files: how they are told, unpacked while they are read, and stopped if they are bombs."""

from __future__ import annotations

import bz2
import errno
import gzip
import io
import lzma
import re
import sys
from functools import partial
from typing import TYPE_CHECKING, Any, BinaryIO

from permutopic.extras import needs
from permutopic.readers.read_log import ReadError

if TYPE_CHECKING:
    from collections.abc import Callable

    from permutopic.readers.read_log import ReadLog

# Text packs to a tenth, tables of repeated rows to a hundredth; only a bomb goes further.
BOMB_RATIO, BOMB_BYTES = 250, 16 << 20
PACKED = {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz", ".zst": "zstd"}
HEAD = 4096
_CHUNK = 1 << 18
_SIP = 1 << 13  # what follows a part is copied: a little at a time, as there may be many
_MAX_MEMORY = 1 << 30  # for what xz looks back into: its greatest preset takes 64 MiB
# More than two or three bytes where there are more: "BZh" may begin a text.
_MAGIC = {
    "gzip": re.compile(rb"\x1f\x8b\x08"),
    "bzip2": re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)"),
    "xz": re.compile(rb"\xfd7zXZ\x00"),
    "zstd": re.compile(rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18"),  # or a frame to skip
}


def packing_of(head: bytes) -> str:
    """Tell how bytes are packed by how they begin; empty if they are not."""
    return next((kind for kind, magic in _MAGIC.items() if magic.match(head)), "")


def unpack(raw: BinaryIO, packing: str, name: str, log: ReadLog) -> io.BufferedReader:
    """Give the unpacked bytes of a file; what is wrong with it is a ReadError."""
    return io.BufferedReader(_Unpacked(raw, packing, name, log), _CHUNK)


class _Unpacked(io.RawIOBase):
    """The unpacked bytes of a file, counted, with an eye on bombs."""

    def __init__(self, raw: BinaryIO, packing: str, name: str, log: ReadLog) -> None:
        self._name, self._log, self._packing = name, log, packing
        self._taken = _Counted(raw)
        self._given = 0
        self._stream = _unpacker(self._taken, packing) if packing else raw

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(buffer).cast("B")  # type: ignore[arg-type]
        try:
            chunk = self._stream.read(len(view))
        except Exception as error:  # each packing has its own
            if not self._packing or getattr(error, "errno", None) is not None:
                raise
            raise self._damaged(error) from None
        view[: len(chunk)] = chunk
        self._given += len(chunk)
        self._log.bytes += len(chunk)
        if self._packing and self._given > max(BOMB_BYTES, BOMB_RATIO * self._taken.total):
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
            f"not whole {self._packing} data ({reason}) after {self._given} bytes: is the file "
            "cut?",
        )


class _Counted:
    """A stream that knows how much was read from it, also where it cannot tell."""

    def __init__(self, raw: BinaryIO) -> None:
        self._raw = raw
        self.total = 0

    def read(self, size: int = -1) -> bytes:
        """Read on."""
        chunk = self._raw.read(size)
        self.total += len(chunk)
        return chunk


def _unpacker(raw: Any, packing: str) -> Any:
    if packing == "gzip":
        return gzip.GzipFile(filename="", mode="rb", fileobj=raw)
    if packing == "bzip2":
        return _Members(raw, bz2.BZ2Decompressor)
    if packing == "xz":
        return _Members(raw, partial(lzma.LZMADecompressor, memlimit=_MAX_MEMORY))
    module = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
    return needs(module, "zstd", "files packed by zstd").ZstdFile(raw)


class _Members:
    """Packed parts, one after the other: what follows one is another, zeros, or a fault.

    The library's own files take a part that they do not understand for the end.
    """

    def __init__(self, raw: _Counted, make: Callable[[], Any]) -> None:
        self._raw, self._make = raw, make
        self._member: Any = None

    def read(self, size: int) -> bytes:
        """Unpack up to so many bytes; none at the end."""
        while True:
            if self._member is None or self._member.eof:
                packed = self._next_member()
                if not packed:
                    return b""
                self._member = self._make()
            else:
                packed = self._raw.read(_SIP) if self._member.needs_input else b""
                if self._member.needs_input and not packed:
                    raise EOFError("it ends too early")
            unpacked: bytes = self._member.decompress(packed, size)
            if unpacked:
                return unpacked

    def _next_member(self) -> bytes:
        packed: bytes = b"" if self._member is None else self._member.unused_data.lstrip(b"\0")
        while not packed and (chunk := self._raw.read(_SIP)):
            packed = chunk.lstrip(b"\0")
        return packed


def look_ahead(raw: Any, *, closes: bool = True) -> io.BufferedReader:
    """Buffer a stream so that `peek` shows its beginning, however little of it comes at a time."""
    head = b""
    while len(head) < HEAD and (chunk := _awaited(raw.read(HEAD - len(head)))):
        head += chunk
    return io.BufferedReader(_Ahead(head, raw, closes), _CHUNK)


class _Ahead(io.RawIOBase):
    """A stream of which the first bytes were read already."""

    def __init__(self, head: bytes, rest: Any, closes: bool) -> None:
        self._head, self._rest, self._closes = head, rest, closes

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(buffer).cast("B")  # type: ignore[arg-type]
        if not self._head:
            size: int = _awaited(self._rest.readinto(view))
            return size
        size = min(len(view), len(self._head))
        view[:size] = self._head[:size]
        self._head = self._head[size:]
        return size

    def close(self) -> None:
        super().close()
        if self._closes:
            self._rest.close()


def _awaited(found: Any) -> Any:
    """Refuse a stream that does not wait for more: what comes later would be lost."""
    if found is None:
        raise BlockingIOError(errno.EAGAIN, "nothing has come yet")
    return found
