"""The known formats, and how the format of a file or stream is detected."""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass
from importlib import import_module
from pathlib import PurePath  # noqa: TC003 (the doctest uses it)
from typing import TYPE_CHECKING

from permutopic.checks import check_choice
from permutopic.errors import InputError, Message, Parameter
from permutopic.readers.compression import detect_compression, strip_compression
from permutopic.readers.decoding import find_byte_order_mark

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from permutopic.documents import Document
    from permutopic.readers.read_log import ReadLog
    from permutopic.readers.settings import ReadOptions
    from permutopic.readers.source import Source

    Reader = Callable[[Source, ReadOptions, ReadLog], Iterator[Document]]


_log = logging.getLogger("permutopic")


@dataclass(frozen=True)
class Format:
    """A format: the module that reads it, and the pattern of its extensions."""

    module: str
    extensions: str

    def reader(self) -> Reader:
        """Import the reader's module and return its function `read`."""
        read: Reader = import_module(f"permutopic.readers.{self.module}").read
        return read


FORMATS = {
    "text": Format("plain", r"\.(txt|text)"),
    "markdown": Format("markdown", r"\.(md|markdown|mdown|mkd)"),
    "html": Format("html", r"\.(html?|xhtml)"),
    "mediawiki": Format("mediawiki", r"\.xml"),
    "docx": Format("docx", r"\.docx"),
    # A section of the manual, perhaps with a suffix ("3pm"); not video files or 7z archives.
    "man": Format("man", r"\.(?!3gp$|3g2$|7z$)(?:[1-9](?:[a-z_][a-z0-9_+]*)?|n)"),
    "jsonl": Format("jsonl", r"\.(jsonl|ndjson)"),
    "csv": Format("table", r"\.(csv|tsv)"),
    "parquet": Format("parquet", r"\.(parquet|pq)"),
}


# Patterns of the first bytes of a stream, lower-cased, and the format they imply.
_PROLOGUE = rb"(?:<\?xml[^>]*>\s*)?(?:<!--(?s:.*?)-->\s*)*"
_BEGINNINGS = {
    rb"[{\[]": "jsonl",
    rb"par1": "parquet",
    rb"pk\x03\x04": "docx",
    _PROLOGUE + rb"<mediawiki\b": "mediawiki",
    _PROLOGUE
    + rb"<(?:!doctype html|html|head|body|title|meta|h[1-6]|p|div|article|section)\b": "html",
    rb"['.]\\\"|\.(th|dd|sh) ": "man",
}


def find_format(name: str) -> Format:
    """Look a format up by name."""
    check_choice(name, "format", FORMATS)
    return FORMATS[name]


def sniff_format(source: Source) -> str:
    """Detect the format of a stream by its first bytes; "text" if no other pattern matches."""
    head = source.head()
    if detect_compression(head):
        raise InputError(
            f"{source.name} is packed: name the format of what is in it (", Parameter("format"), ")"
        )
    mark, encoding = find_byte_order_mark(head)
    if mark:
        head = head[len(mark) :].decode(encoding, "ignore").encode("utf-8")
    bare = head.lstrip().lower()
    for pattern, name in _BEGINNINGS.items():
        if re.match(pattern, bare):
            return name
    _log.warning(
        Message(f"{source.name} is taken for plain text: ", Parameter("format"), " says otherwise")
    )
    return "text"


def guess_format(path: PurePath) -> str | None:
    """Return the format of a file by its extension, compression aside; None if unknown.

    >>> guess_format(PurePath("man2/open.2.gz")), guess_format(PurePath("notes"))
    ('man', None)
    """
    bare = strip_compression(path)
    for name, each in FORMATS.items():
        if re.fullmatch(each.extensions, bare.suffix.lower()):
            return name
    return None
