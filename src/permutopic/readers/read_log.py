"""The log of a reading: which files were read, what was skipped, and why."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

from permutopic.errors import InputError, Message

_MAX_EXAMPLES, _MIN_EXAMPLES_PER_REASON = 1000, 3
# Ends of lines, control characters of terminals and text direction, lone surrogates.
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def printable(name: str) -> str:
    r"""Replace control characters and lone surrogates of a name by U+FFFD.

    >>> printable("two\nlines")
    'two�lines'
    """
    return _UNPRINTABLE.sub("\ufffd", name)


class ReadError(InputError):
    """A file or record cannot be read.

    `kind` is a short reason, shared by errors of the same cause; `detail` describes this one. Both
    `detail` and the message keep the parameters that they name.

    >>> str(ReadError("a.txt", "binary", "byte 3 is zero: is this text?"))
    'a.txt: byte 3 is zero: is this text?'
    """

    def __init__(self, location: str, kind: str, detail: str) -> None:
        self.location = printable(location)
        self.kind = kind
        self.detail = _one_line(detail)
        super().__init__(self.location, ": ", self.detail)


def _one_line(detail: str) -> Message:
    """Collapse white space and replace what cannot be printed, in the text between parameters."""
    parts = list(detail.parts) if isinstance(detail, Message) else [detail]
    for index, part in enumerate(parts):
        if isinstance(part, str):
            text = re.sub(r"\s+", " ", part)
            text = text.lstrip() if index == 0 else text
            parts[index] = printable(text.rstrip() if index == len(parts) - 1 else text)
    return Message(*parts)


@dataclass
class ReadLog:
    """Counts of what readers opened and skipped.

    Attributes
    ----------
    files, bytes
        Number of files opened, and of bytes read from them after decompression.
    formats
        Number of files of each format.
    skipped
        Number of files, pages and records that were skipped, by reason.
    examples
        Location, reason and detail of the first thousand of them, and of at least three per
        reason.
    boilerplate
        Number of visible characters of web pages that are not in their text: menus, footers, links.
    """

    files: int = 0
    bytes: int = 0
    formats: Counter[str] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)
    examples: list[tuple[str, str, str]] = field(default_factory=list)
    boilerplate: int = 0

    def skip(self, location: str, kind: str, detail: str = "") -> None:
        """Count something that is skipped; `kind` is the reason, `detail` describes this case."""
        self.skipped[kind] += 1
        if len(self.examples) < _MAX_EXAMPLES or self.skipped[kind] <= _MIN_EXAMPLES_PER_REASON:
            self.examples.append((location, kind, detail or kind))

    def skip_error(self, error: ReadError) -> None:
        """Count something that could not be read, with its error's kind and detail."""
        self.skip(error.location, error.kind, error.detail)

    def take(self) -> ReadLog:
        """Return what was logged so far as a log of its own, and begin anew."""
        taken = ReadLog(**vars(self))
        vars(self).update(vars(ReadLog()))
        return taken

    def merge(self, later: ReadLog) -> None:
        """Add a log of what came later, as if all of it had been logged here.

        No example is missing: one that is kept here is kept in the shorter log too.
        """
        self.files += later.files
        self.bytes += later.bytes
        self.formats.update(later.formats)
        self.boilerplate += later.boilerplate
        for example in later.examples:
            self.skip(*example)
        self.skipped.update(later.skipped - Counter(kind for _, kind, _ in later.examples))
