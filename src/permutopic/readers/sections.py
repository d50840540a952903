"""The sectioned JSON-lines format, plain or gzipped: one document a line.

    {"title": …, "sections": [{"heading": …, "label"?: …, "paragraphs": [… , …]}, …]}

Every key but `label` is required. A heading or label may be null where it is not known.
"""

from __future__ import annotations

import gzip
import itertools
import json
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from permutopic.corpus import Corpus, Document, Unit
from permutopic.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

_NAMES = {str: "a string", list: "a list", dict: "an object", type(None): "null"}


def read_corpus(path: str | Path, tokens: str = "words") -> Corpus:
    """Read a whole file into a corpus.

    >>> import tempfile
    >>> line = '{"title": "Iron", "sections": [{"heading": "Uses", "paragraphs": ["In steel."]}]}'
    >>> with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
    ...     _ = file.write(line)
    ...     file.flush()
    ...     read_corpus(file.name).vocabulary
    ('in', 'steel')
    """
    documents = read_sections(path)
    first = next(documents, None)
    if first is None:
        raise InputError(f"{path}: the file has no document: give one JSON object a line")
    return Corpus.from_documents(itertools.chain([first], documents), tokens)


def read_sections(path: str | Path) -> Iterator[Document]:
    """Read the documents of a sectioned JSON-lines file one by one; blank lines do not count."""
    for number, line in _lines(Path(path)):
        place = f"{path}:{number}"
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            where = f" at column {error.colno}" if isinstance(error, json.JSONDecodeError) else ""
            raise InputError(
                f"{place}: this line cannot be read as JSON{where}: give one object a line"
            ) from None
        _check_characters(line, value, place)
        yield _document(value, place)


def _check_characters(line: str, value: object, place: str) -> None:
    """Refuse half characters (lone surrogates), which JSON can spell and nothing can print."""
    if "\\ud" in line.lower():
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError as error:
            half = f"\\u{ord(error.object[error.start]):04x}"
            raise InputError(
                f"{place}: {half} is half a character: write both halves or none"
            ) from None


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    number = 0
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            for number, raw in enumerate(file, start=1):
                text = raw.decode("utf-8-sig" if number == 1 else "utf-8")
                if text.strip():
                    yield number, text
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path}:{number}: byte {error.start} (0x{error.object[error.start]:02x}) is not "
            "UTF-8: save the file as UTF-8"
        ) from None
    except (gzip.BadGzipFile, zlib.error, EOFError) as error:
        raise InputError(
            f"{path}:{number + 1}: not whole gzip data ({error}): is the file cut or misnamed?"
        ) from None
    except (OSError, ValueError) as error:  # ValueError: a path that no system could have
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"{path}: cannot be read ({reason})") from None


def _document(value: object, place: str) -> Document:
    record = _typed(value, dict, "a document", place)
    title = _typed(_key(record, "title", "the document", place), str, "'title'", place)
    sections = _typed(_key(record, "sections", "the document", place), list, "'sections'", place)
    units: list[Unit] = []
    for position, item in enumerate(sections, start=1):
        here = f"section {position}"
        section = _typed(item, dict, here, place)
        heading = _key(section, "heading", here, place)
        if heading is not None:
            _typed(heading, str, f"the heading of {here}", place)
        label = section.get("label")
        if label is not None:
            _typed(label, str, f"the label of {here}", place)
        paragraphs = _key(section, "paragraphs", here, place)
        for text in _typed(paragraphs, list, f"'paragraphs' of {here}", place):
            units.append(Unit(_typed(text, str, f"a paragraph of {here}", place), heading, label))
    return Document(title, tuple(units), place)


def _key(record: dict[str, Any], key: str, owner: str, place: str) -> Any:
    if key not in record:
        found = ", ".join(map(repr, record)) or "none"
        raise InputError(f"{place}: {owner} has no {key!r} (its keys: {found})")
    return record[key]


def _typed(value: Any, kind: type, what: str, place: str) -> Any:
    if not isinstance(value, kind):
        found = _NAMES.get(type(value), type(value).__name__)
        raise InputError(f"{place}: {what} is {found}: it must be {_NAMES[kind]}")
    return value
