"""What reading has to tell besides the documents: what was read, what was skipped, and why."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

from permutopic.errors import InputError

_EXAMPLES, _OF_EACH = 1000, 3
# What would break a line, or what a terminal obeys, or what cannot be written at all.
_UNSHOWN = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def printable(name: str) -> str:
    r"""Make a name (of a file, of a document) fit for one line: U+FFFD stands for what is not.

    >>> printable("two\nlines")
    'two�lines'
    """
    return _UNSHOWN.sub("\ufffd", name)


class ReadError(InputError):
    """A file or record that cannot be read; `kind` says in a few words what is wrong with it.

    >>> str(ReadError("a.txt", "binary", "byte 3 is zero: is this text?"))
    'a.txt: byte 3 is zero: is this text?'
    """

    def __init__(self, location: str, kind: str, detail: str) -> None:
        self.location = printable(location)
        self.kind = kind
        self.detail = printable(" ".join(detail.split()))
        super().__init__(f"{self.location}: {self.detail}")


@dataclass
class ReadLog:
    """Counts that readers keep while documents stream by.

    Attributes
    ----------
    files, bytes
        What was opened, and how much of it was read, unpacked.
    formats
        How many files had each format.
    skipped
        How many files, pages or records were left out, for each reason.
    examples
        Place, reason and detail of the first thousand of them, and of some for each reason.
    boilerplate
        How many characters that web pages show were left out of their text: menus, footers, links.
    """

    files: int = 0
    bytes: int = 0
    formats: Counter[str] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)
    examples: list[tuple[str, str, str]] = field(default_factory=list)
    boilerplate: int = 0

    def skip(self, location: str, kind: str, detail: str = "") -> None:
        """Count something that is left out; `kind` is shared, `detail` its own."""
        self.skipped[kind] += 1
        if len(self.examples) < _EXAMPLES or self.skipped[kind] <= _OF_EACH:
            self.examples.append((location, kind, detail or kind))

    def skip_bad(self, error: ReadError) -> None:
        """Count something that could not be read."""
        self.skip(error.location, error.kind, error.detail)
