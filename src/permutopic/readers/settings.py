"""How files are read: everything about reading that a user can choose."""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass, field, fields
from functools import lru_cache
from typing import Any

from permutopic.checks import check_integer
from permutopic.errors import InputError
from permutopic.readers.decoding import known_encoding
from permutopic.readers.formats import find_format

ERRORS = ("strict", "replace", "ignore")
ON_BAD = ("auto", "skip", "stop")
_MAX_MB = 1 << 20


@dataclass(frozen=True)
class Fields:
    """The names that a record (a JSON line, a row of a table) calls its parts by.

    `document` names the field that says which document a row belongs to, for tables with one
    row a paragraph: neighbouring rows with the same value make one document.
    """

    title: str = "title"
    text: str = "text"
    sections: str = "sections"
    heading: str = "heading"
    label: str = "label"
    paragraphs: str = "paragraphs"
    document: str | None = None

    def __post_init__(self) -> None:
        for each in fields(self):
            name = getattr(self, each.name)
            if not (isinstance(name, str) and name) and not (
                each.name == "document" and name is None
            ):
                raise InputError(f"the {each.name} field must be a name, not {name!r}")


@dataclass(frozen=True)
class ReadOptions:
    """How files become documents.

    Attributes
    ----------
    format
        The name of a reader for all files; None goes by each file's extension.
    encoding
        How bytes are read; None takes what the file declares, and UTF-8 where it declares nothing.
    errors
        What becomes of bytes that are not in that encoding: "strict" refuses the file, "replace"
        puts U+FFFD in their place, "ignore" leaves them out.
    include, exclude
        Globs over the files of a folder; one without a slash looks at the file name alone.
    title, category
        Regular expressions: keep only documents whose title (any of whose categories, for
        MediaWiki) has a match.
    depth
        Which level of headings below the title divides a document into sections.
    max_mb
        Refuse documents of more than so many MiB: no document is that long, and memory is bounded
        by the longest.
    on_bad
        "stop" at the first bad file or record, "skip" and count them, or "auto": skip bad files
        found in a folder, stop at everything else.
    fields
        The names of the fields in JSON lines and tables.
    """

    format: str | None = None
    encoding: str | None = None
    errors: str = "strict"
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    title: str | None = None
    category: str | None = None
    depth: int = 1
    max_mb: int = 32
    on_bad: str = "auto"
    fields: Fields = field(default_factory=Fields)

    def __post_init__(self) -> None:
        if self.format is not None:
            find_format(self.format)
        if not isinstance(self.fields, Fields):
            raise InputError(f"fields are Fields(text=…), not {type(self.fields).__name__}")
        if self.encoding is not None and known_encoding(self.encoding) is None:
            raise InputError(
                f"the encoding {self.encoding!r} is not one of text: utf-8 and latin-1 are, for "
                "example"
            )
        _check_choice("errors", self.errors, ERRORS)
        _check_choice("on_bad", self.on_bad, ON_BAD)
        check_integer(self.depth, "depth", 1, note="of headings")
        check_integer(self.max_mb, "max_mb", 1, _MAX_MB, note="the longest document, in MiB")
        for name in ("title", "category"):
            _check_pattern(name, getattr(self, name))
        for name in ("include", "exclude"):
            object.__setattr__(self, name, _check_globs(name, getattr(self, name)))

    @property
    def max_bytes(self) -> int:
        """The longest document in bytes."""
        return self.max_mb << 20

    def skips(self, *, in_folder: bool) -> bool:
        """Tell whether a bad file is left out, not stopped at."""
        return self.on_bad == "skip" or (self.on_bad == "auto" and in_folder)

    def takes_title(self, title: str) -> bool:
        """Tell whether the title filter lets a document through."""
        return self.title is None or _compiled(self.title).search(title) is not None

    def takes_categories(self, categories: list[str]) -> bool:
        """Tell whether the category filter lets a document through."""
        pattern = self.category
        return pattern is None or any(map(_compiled(pattern).search, categories))


@lru_cache(maxsize=16)
def _compiled(pattern: str) -> re.Pattern[str]:
    with warnings.catch_warnings():  # of what the syntax may mean in years to come
        warnings.simplefilter("ignore")
        return re.compile(pattern)


def _check_choice(name: str, value: Any, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise InputError(f"{name} is one of {', '.join(choices)}, not {value!r}")


def _check_pattern(name: str, pattern: Any) -> None:
    if pattern is None:
        return
    if not isinstance(pattern, str):
        raise InputError(f"the {name} filter is a regular expression, not {pattern!r}")
    try:
        _compiled(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        raise InputError(
            f"the {name} filter {pattern!r} is not a regular expression ({error})"
        ) from None


def _check_globs(name: str, given: Any) -> tuple[str, ...]:
    globs = (given,) if isinstance(given, str) else given
    if not isinstance(globs, list | tuple) or not all(isinstance(g, str) and g for g in globs):
        raise InputError(f"{name} is a list of globs such as '*.md', not {given!r}")
    return tuple(globs)
