"""Readers: one file a format, each from a source to an iterator of documents."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from permutopic.errors import InputError, Parameter
from permutopic.readers.finding import Finder, Found
from permutopic.readers.formats import find_format
from permutopic.readers.notes import Notes, ReadError, shown
from permutopic.readers.settings import Fields, ReadOptions

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from permutopic.documents import Document

__all__ = ["Fields", "Notes", "ReadError", "ReadOptions", "read_documents"]


def read_documents(
    paths: str | Path | Iterable[str | Path],
    options: ReadOptions | None = None,
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
    options = ReadOptions() if options is None else options
    if not isinstance(options, ReadOptions):
        raise InputError(Parameter("options"), f" is ReadOptions(…), not {options!r}")
    notes = Notes() if notes is None else notes
    named = _listed(paths)
    if not named:
        raise InputError("nothing to read: name a file or a folder")
    finder = Finder(options, notes)
    n_documents = 0
    for path in named:
        n_files = 0
        for found in finder.find(path):
            n_files += 1
            for document in _read(found, options, notes):
                n_documents += 1
                yield document
        if n_files == 0 and len(named) > 1:
            notes.skip(shown(str(path)), "nothing to read there")
    if n_documents == 0:
        raise InputError(_nothing(named, notes))


def _listed(paths: Any) -> list[Any]:
    is_one = isinstance(paths, str | bytes) or not hasattr(paths, "__iter__")
    return [paths] if is_one else list(paths)


def _read(found: Found, options: ReadOptions, notes: Notes) -> Iterator[Document]:
    if options.category is not None and found.format != "mediawiki":
        notes.skip(found.source.name, "category not asked for", "only wiki pages have categories")
        return
    notes.formats[found.format] += 1
    read = find_format(found.format).reader()
    skips = options.skips(in_folder=found.in_folder)
    begun = False
    try:
        for document in read(found.source, options, notes):
            begun = True
            title = shown(" ".join(document.title.split()))
            if title != document.title:
                document = replace(document, title=title)  # noqa: PLW2901
            if not options.takes_title(document.title):
                notes.skip(document.location, "title not asked for")
            elif not document.units:
                notes.skip(document.location, "no text")
            else:
                yield document
    except ReadError as error:
        # Half of a file of many documents is not taken for the whole without being told to.
        if not skips or (begun and options.on_bad == "auto"):
            raise
        notes.skip_bad(error)


def _nothing(named: list[Any], notes: Notes) -> str:
    paths = " ".join(shown(str(path)) for path in named[:3])
    paths += f" and {len(named) - 3} more" if len(named) > 3 else ""
    if not notes.skipped:
        return f"{paths}: no file to read: is the folder, or the pattern, the right one?"
    reasons = ", ".join(f"{kind} ({count})" for kind, count in notes.skipped.most_common(5))
    example = next((e for e in notes.examples if e[1] == notes.skipped.most_common(1)[0][0]), None)
    why = f"; {example[0]}: {example[2]}" if example and example[2] != example[1] else ""
    return f"{paths}: no document was found; left out: {reasons}{why}"
