"""Readers: one file a format, each from a source to an iterator of documents."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from permutopic.errors import InputError
from permutopic.readers.finding import Finder, Found
from permutopic.readers.formats import find_format
from permutopic.readers.notes import Notes, ReadError, shown
from permutopic.readers.settings import Fields, Reading

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from permutopic.documents import Document

__all__ = ["Fields", "Notes", "ReadError", "Reading", "read_documents"]


def read_documents(
    paths: str | Path | Iterable[str | Path],
    reading: Reading | None = None,
    notes: Notes | None = None,
) -> Iterator[Document]:
    r"""Read documents one by one from files, folders, globs or "-" (standard input).

    What is left out is counted in `notes`. Nothing to read at all is an error.

    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = pathlib.Path(folder, "a.txt").write_text("One.\n\nTwo.")
    ...     [document] = read_documents(folder)
    >>> document.title, [unit.text for unit in document.units]
    ('a', ['One.', 'Two.'])
    """
    reading = Reading() if reading is None else reading
    notes = Notes() if notes is None else notes
    if reading.format is not None:
        find_format(reading.format)
    named = _listed(paths)
    if not named:
        raise InputError("nothing to read: name a file or a folder")
    finder = Finder(reading, notes)
    n_documents = 0
    for path in named:
        for found in finder.find(path):
            for document in _read(found, reading, notes):
                n_documents += 1
                yield document
    if n_documents == 0:
        raise InputError(_nothing(named, notes))


def _listed(paths: Any) -> list[Any]:
    is_one = isinstance(paths, str | bytes) or not hasattr(paths, "__iter__")
    return [paths] if is_one else list(paths)


def _read(found: Found, reading: Reading, notes: Notes) -> Iterator[Document]:
    read = find_format(found.format).reader()
    skips = reading.skips(in_folder=found.in_folder)
    begun = False
    try:
        for document in read(found.source, reading, notes):
            begun = True
            title = shown(" ".join(document.title.split()))
            if title != document.title:
                document = replace(document, title=title)  # noqa: PLW2901
            if not reading.takes_title(document.title):
                notes.skip(document.place, "title not asked for")
            elif not document.units:
                notes.skip(document.place, "no text")
            else:
                yield document
    except ReadError as error:
        # Half of a file of many documents is not taken for the whole without being told to.
        if not skips or (begun and reading.on_bad == "auto"):
            raise
        notes.skip_bad(error)


def _nothing(named: list[Any], notes: Notes) -> str:
    paths = " ".join(shown(str(path)) for path in named[:3])
    paths += f" and {len(named) - 3} more" if len(named) > 3 else ""
    if not notes.skipped:
        return f"{paths}: no file to read: is the folder, or the pattern, the right one?"
    reasons = ", ".join(f"{kind} ({count})" for kind, count in notes.skipped.most_common(5))
    return f"{paths}: no document was found; left out: {reasons}"
