"""Readers: one module per format, each from a source to an iterator of documents."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from permutopic.errors import InputError, Message, Parameter
from permutopic.readers.finding import FileFinder, FoundFile
from permutopic.readers.formats import find_format
from permutopic.readers.read_log import ReadError, ReadLog, printable
from permutopic.readers.settings import Fields, ReadOptions

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from permutopic.documents import Document

__all__ = ["Fields", "ReadError", "ReadLog", "ReadOptions", "read_documents"]


def read_documents(
    paths: str | Path | Iterable[str | Path],
    options: ReadOptions | None = None,
    log: ReadLog | None = None,
) -> Iterator[Document]:
    r"""Read documents one by one from files, folders, globs or "-" (standard input).

    Files, pages and records that are skipped are counted in `log`. It is an error if no document
    is found.

    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = pathlib.Path(folder, "a.txt").write_text("One.\n\nTwo.")
    ...     [document] = read_documents(folder)
    >>> document.title, [unit.text for unit in document.units]
    ('a', ['One.', 'Two.'])
    """
    options = ReadOptions() if options is None else options
    log = ReadLog() if log is None else log
    named = as_list(paths)
    n_documents = 0
    for found in find_files(named, options, log):
        for document in read_file(found, options, log):
            n_documents += 1
            yield document
    if n_documents == 0:
        raise no_document(named, log)


def as_list(paths: Any) -> list[Any]:
    """List the paths that are given as one or as several."""
    is_one = isinstance(paths, str | bytes) or not hasattr(paths, "__iter__")
    return [paths] if is_one else list(paths)


def find_files(named: list[Any], options: ReadOptions, log: ReadLog) -> Iterator[FoundFile]:
    """Yield the files of all paths in the order in which they are read, each once."""
    if not isinstance(options, ReadOptions):
        raise InputError(Parameter("options"), f" is ReadOptions(…), not {options!r}")
    if not named:
        raise InputError("nothing to read: name a file or a folder")
    finder = FileFinder(options, log)
    for path in named:
        n_files = 0
        for found in finder.find(path):
            n_files += 1
            yield found
        if n_files == 0 and len(named) > 1:
            log.skip(printable(str(path)), "nothing to read there")


def read_file(found: FoundFile, options: ReadOptions, log: ReadLog) -> Iterator[Document]:
    """Read the documents of one file that pass the filters; a bad file is skipped, or an error."""
    if options.category is not None and found.format != "mediawiki":
        log.skip(found.source.name, "category not asked for", "only wiki pages have categories")
        return
    log.formats[found.format] += 1
    read = find_format(found.format).reader()
    skips = options.skips(in_folder=found.in_folder)
    has_documents = False
    try:
        for document in read(found.source, options, log):
            has_documents = True
            title = printable(" ".join(document.title.split()))
            if title != document.title:
                document = replace(document, title=title)  # noqa: PLW2901
            if not options.takes_title(document.title):
                log.skip(document.location, "title not asked for")
            elif not document.units:
                log.skip(document.location, "no text")
            else:
                yield document
    except ReadError as error:
        # A file of many documents that breaks off is skipped only if the user says so: else the
        # documents before the fault would pass for all of them.
        if not skips or (has_documents and options.on_bad == "auto"):
            raise
        log.skip_error(error)


def no_document(named: list[Any], log: ReadLog) -> InputError:
    """Make the error that no document was found, with the reasons for skipping files."""
    paths = " ".join(printable(str(path)) for path in named[:3])
    paths += f" and {len(named) - 3} more" if len(named) > 3 else ""
    if not log.skipped:
        return InputError(
            f"{paths}: no file to read: is the folder, or the pattern, the right one?"
        )
    reasons = ", ".join(f"{kind} ({count})" for kind, count in log.skipped.most_common(5))
    example = next((e for e in log.examples if e[1] == log.skipped.most_common(1)[0][0]), None)
    found = Message(f"{paths}: no document was found; left out: {reasons}")
    if example and example[2] != example[1]:
        return InputError(found, f"; {example[0]}: ", example[2])
    return InputError(found)
