"""Records (JSON objects, rows of tables) as documents.

A record is *sectioned*, or *flat*:

    {"title": …, "text"?: …, "sections": [{"heading": …, "label"?: …, "paragraphs": [… , …]}, …]}
    {"title"?: …, "text": "…" or [… , …], "heading"?: …, "label"?: …}

The text of a sectioned record precedes its sections and has no heading. A flat record is a
document, or, if a field identifies its document, a part of one. `Fields` has the names of the
fields. Titles, headings and labels may be numbers, or null.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from permutopic.documents import Document
from permutopic.readers.fields import check_type, no_field, renamed_fields, take, take_name
from permutopic.readers.read_log import ReadError
from permutopic.readers.record_text import RecordText, add_sections, take_flat, take_text
from permutopic.readers.source import too_long

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from permutopic.readers.read_log import ReadLog
    from permutopic.readers.settings import Fields, ReadOptions
    from permutopic.readers.source import Source


def read_records(
    records: Iterable[tuple[int, Any]], source: Source, options: ReadOptions, log: ReadLog
) -> Iterator[Document]:
    """Make documents of numbered records; for a record that cannot be read, pass its ReadError.

    With `on_bad` "skip" bad records are skipped and counted.
    """
    maker = (
        _GroupedRecords(options, log)
        if options.fields.document
        else _SingleRecords(source, options)
    )
    missing = renamed_fields(options.fields)
    keys: list[str] = []
    for number, record in records:
        try:
            document = maker.add(record, number, f"{source.name}:{number}")
        except ReadError as error:
            if options.on_bad != "skip":
                raise
            log.skip_error(error)
            continue
        if missing:
            keys = keys or list(record)
            missing -= _keys(record, options.fields)
        if document is not None:
            yield document
    document = maker.finish()
    if document is not None:
        yield document
    if keys and missing:
        raise no_field(source.name, "the first record", min(missing), keys, options.fields)


class _SingleRecords:
    """Makes one document of each record."""

    def __init__(self, source: Source, options: ReadOptions) -> None:
        self._source, self._options = source, options

    def add(self, value: Any, number: int, location: str) -> Document:
        """Return the document of a record."""
        fields = self._options.fields
        record = _record(value, location)
        text = RecordText()
        if _is_sectioned(record, fields):
            take(record, fields.title, "the document", location, fields)
            text.add(take_text(record, fields, location), None, None)
            add_sections(text, record[fields.sections], fields, location)
        else:
            text.add(*take_flat(record, fields, location))
        title = take_name(record, fields.title, location) or f"{self._source.title}:{number}"
        if text.length > self._options.max_bytes:
            raise too_long(location, self._options)
        return Document(title, tuple(text.units), location, text.source)

    def finish(self) -> None:
        """Return None: every document was returned by `add`."""


class _GroupedRecords:
    """Makes one document of consecutive records with the same value of `fields.document`."""

    def __init__(self, options: ReadOptions, log: ReadLog) -> None:
        self._options, self._log = options, log
        # Hashes: the values themselves would take much memory in a long table.
        self._seen: set[int] = set()
        self._value = self._title = self._location = ""
        self._text: RecordText | None = None

    def add(self, value: Any, _number: int, location: str) -> Document | None:
        """Add a record to its document; if it begins a new one, return the one before."""
        record = _record(value, location)
        document = self._document_of(record, location)
        title = take_name(record, self._options.fields.title, location)
        row = take_flat(record, self._options.fields, location)
        if _length(row[0]) > self._options.max_bytes:
            raise too_long(location, self._options)
        finished = None
        if document != self._value:
            if hash(document) in self._seen:
                raise _scattered(document, location)
            finished = self.finish()
            self._seen.add(hash(document))
            self._value, self._title, self._location = document, "", location
            self._text = RecordText()
        self._title = self._title or title or ""
        self._extend(row, location)
        return finished

    def finish(self) -> Document | None:
        """Return the last document, if it has any text."""
        text, self._text = self._text, None
        if text is None or not text.units:
            return None
        return Document(self._title or self._value, tuple(text.units), self._location, text.source)

    def _extend(self, row: tuple[str | list[str], str | None, str | None], location: str) -> None:
        text = self._text
        if text is None:
            return
        n_units = len(text.units)
        text.add(*row)
        if text.length > self._options.max_bytes:
            self._text = None  # skips the other rows of this document
            raise too_long(self._location, self._options)
        if len(text.units) == n_units:
            self._log.skip(location, "no text")

    def _document_of(self, record: dict[str, Any], location: str) -> str:
        name = self._options.fields.document or ""
        take(record, name, "the row", location, self._options.fields)
        document = take_name(record, name, location)
        if document is None:
            raise ReadError(
                location,
                "no document",
                f"{name!r} is empty: it must say which document the row belongs to",
            )
        return document


def _is_sectioned(record: dict[str, Any], fields: Fields) -> bool:
    if record.get(fields.sections) is not None:
        return True
    return fields.sections in record and fields.text not in record


def _record(value: Any, location: str) -> dict[str, Any]:
    if isinstance(value, ReadError):
        raise value
    record: dict[str, Any] = check_type(value, dict, "a document", location)
    return record


def _length(text: str | list[str]) -> int:
    return len(text) if isinstance(text, str) else sum(map(len, text))


def _scattered(document: str, location: str) -> ReadError:
    return ReadError(
        location, "not together", f"rows of document {document[:80]!r} are not together: sort them"
    )


def _keys(record: dict[str, Any], fields: Fields) -> set[str]:
    sections = record.get(fields.sections)
    inner = sections if isinstance(sections, list) else []
    return set(record).union(*(each for each in inner if isinstance(each, dict)))
