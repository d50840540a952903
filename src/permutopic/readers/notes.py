"""What reading has to tell besides the documents: what was read, what was skipped, and why."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from permutopic.errors import InputError

_EXAMPLES = 1000


class ReadError(InputError):
    """A file or record that cannot be read; `kind` says in a few words what is wrong with it.

    >>> str(ReadError("a.txt", "binary", "byte 3 is zero: is this text?"))
    'a.txt: byte 3 is zero: is this text?'
    """

    def __init__(self, place: str, kind: str, detail: str) -> None:
        super().__init__(f"{place}: {detail}")
        self.place = place
        self.kind = kind


@dataclass
class Notes:
    """Counts that readers keep while documents stream by.

    Attributes
    ----------
    files, bytes
        What was opened, and how much of it was read, unpacked.
    skipped
        How many files, pages or records were left out, for each reason.
    examples
        Place, reason and detail of the first thousand of them.
    """

    files: int = 0
    bytes: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    examples: list[tuple[str, str, str]] = field(default_factory=list)

    def skip(self, place: str, kind: str, detail: str = "") -> None:
        """Count something that is left out; `kind` is shared, `detail` its own."""
        self.skipped[kind] += 1
        if len(self.examples) < _EXAMPLES:
            self.examples.append((place, kind, detail or kind))

    def skip_bad(self, error: ReadError) -> None:
        """Count something that could not be read."""
        self.skip(error.place, error.kind, str(error).removeprefix(f"{error.place}: "))
