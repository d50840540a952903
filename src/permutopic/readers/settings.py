"""Options of reading: format, encoding, filters, names of fields."""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass, field, fields
from functools import lru_cache
from typing import Any

from permutopic.checks import check_choice, check_integer
from permutopic.errors import InputError, Parameter
from permutopic.readers.decoding import known_encoding
from permutopic.readers.formats import find_format

ERRORS = ("strict", "replace", "ignore")
ON_BAD = ("auto", "skip", "stop")
_MAX_MB = 1 << 20


@dataclass(frozen=True)
class Fields:
    """Names of the fields of a record (a JSON line, a row of a table).

    `document` is the field that identifies the document of a row, for tables with one row per
    paragraph: consecutive rows with the same value are one document.
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
                raise InputError(Parameter(f"fields.{each.name}"), f" must be a name, not {name!r}")


@dataclass(frozen=True)
class ReadOptions:
    """How files are found, decoded and divided into documents.

    Attributes
    ----------
    format
        Name of the format of all files; None infers it from each file's extension.
    encoding
        Encoding of text; None uses what the file declares, or UTF-8 if it declares nothing.
    errors
        What to do with bytes that cannot be decoded: "strict" refuses the file, "replace" puts
        U+FFFD, "ignore" drops them.
    include, exclude
        Globs over the files of a folder; one without a slash is matched with the file name alone.
    title, category
        Regular expressions: keep only documents whose title (any of whose categories, for
        MediaWiki) has a match.
    depth
        Which level of headings below the title divides a document into sections.
    max_mb
        Maximum size of a document in MiB. Larger ones are refused, so memory is bounded.
    on_bad
        "stop" at the first bad file or record, "skip" and count them, or "auto": skip bad files
        found in a folder, stop at any other.
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
            raise InputError(
                Parameter("fields"), f" is Fields(text=…), not {type(self.fields).__name__}"
            )
        if self.encoding is not None and known_encoding(self.encoding) is None:
            raise InputError(
                f"the encoding {self.encoding!r} is not one of text: utf-8 and latin-1 are, for "
                "example"
            )
        check_choice(self.errors, "errors", ERRORS)
        check_choice(self.on_bad, "on_bad", ON_BAD)
        check_integer(self.depth, "depth", 1, note="of headings")
        check_integer(self.max_mb, "max_mb", 1, _MAX_MB, note="the longest document, in MiB")
        for name in ("title", "category"):
            _check_pattern(name, getattr(self, name))
        for name in ("include", "exclude"):
            object.__setattr__(self, name, _check_globs(name, getattr(self, name)))

    @property
    def max_bytes(self) -> int:
        """Maximum size of a document in bytes."""
        return self.max_mb << 20

    def skips(self, *, in_folder: bool) -> bool:
        """Whether a bad file is skipped instead of raising an error."""
        return self.on_bad == "skip" or (self.on_bad == "auto" and in_folder)

    def takes_title(self, title: str) -> bool:
        """Whether a title passes the title filter."""
        return self.title is None or _compiled(self.title).search(title) is not None

    def takes_categories(self, categories: list[str]) -> bool:
        """Whether any of a page's categories passes the category filter."""
        pattern = self.category
        return pattern is None or any(map(_compiled(pattern).search, categories))


@lru_cache(maxsize=16)
def _compiled(pattern: str) -> re.Pattern[str]:
    with warnings.catch_warnings():  # FutureWarning of possible nested sets
        warnings.simplefilter("ignore")
        return re.compile(pattern)


def _check_pattern(name: str, pattern: Any) -> None:
    if pattern is None:
        return
    if not isinstance(pattern, str):
        raise InputError(Parameter(name), f" is a regular expression, not {pattern!r}")
    try:
        _compiled(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        raise InputError(
            f"the {name} filter {pattern!r} is not a regular expression ({error})"
        ) from None


def _check_globs(name: str, given: Any) -> tuple[str, ...]:
    globs = (given,) if isinstance(given, str) else given
    if not isinstance(globs, list | tuple) or not all(isinstance(g, str) and g for g in globs):
        raise InputError(Parameter(name), f" is a list of globs such as '*.md', not {given!r}")
    return tuple(globs)
