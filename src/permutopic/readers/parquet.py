"""Parquet: one record per row, with sections or with text (see `records`)."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from permutopic.errors import InputError, Message, Parameter
from permutopic.extras import needs
from permutopic.readers.fields import check_unique, choose_columns, no_field
from permutopic.readers.read_log import ReadError
from permutopic.readers.records import read_records

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from permutopic.documents import Document
    from permutopic.readers.read_log import ReadLog
    from permutopic.readers.settings import Fields, ReadOptions
    from permutopic.readers.source import Source

_MAGIC = b"PAR1"
_BUFFER = 1 << 20
# A long value that many rows share is stored once and read many times: this bounds a batch.
_BATCH_BYTES, _BATCH_ROWS = 256 << 20, 256
# Errors that pyarrow raises besides its own.
_ERRORS = (OSError, ValueError, LookupError, OverflowError, MemoryError)
_TEXT = {"string", "large_string", "string_view", "null"}


def read(source: Source, options: ReadOptions, log: ReadLog) -> Iterator[Document]:
    """Read the documents of a Parquet file."""
    return read_records(_records(source, options, log), source, options, log)


def _records(
    source: Source, options: ReadOptions, log: ReadLog
) -> Iterator[tuple[int, dict[str, Any] | ReadError]]:
    number = 0
    with _read_errors(source.name), _open(source, options, log) as file:
        names = _columns(file.schema_arrow, options.fields, source.name)
        for batch in file.iter_batches(_batch_rows(file), columns=names, use_threads=False):
            columns = [(name, batch.column(name)) for name in names]
            for row in range(batch.num_rows):
                number += 1
                yield number, _record(columns, row, f"{source.name}:{number}")
    if number == 0:
        log.skip(source.name, "no rows")


@contextmanager
def _read_errors(name: str) -> Iterator[None]:
    """Convert errors of pyarrow to ReadErrors."""
    arrow = needs("pyarrow", "parquet", "Parquet files")
    try:
        yield
    except InputError:
        raise
    except (arrow.ArrowException, *_ERRORS) as error:
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise ReadError(
            name, "damaged", f"not whole Parquet data ({reason}): is the file cut or misnamed?"
        ) from None


@contextmanager
def _open(source: Source, options: ReadOptions, log: ReadLog) -> Iterator[Any]:
    """Open a file in place; compressed files and standard input are read into memory."""
    arrow = needs("pyarrow", "parquet", "Parquet files")
    parquet = needs("pyarrow.parquet", "parquet", "Parquet files")
    if source.path is not None and _is_uncompressed(source.path):
        log.files += 1
        log.bytes += source.path.stat().st_size
        stream = arrow.OSFile(os.fsencode(source.path))
    else:
        stream = arrow.BufferReader(_content(source, options, log))
    with stream:
        yield parquet.ParquetFile(stream, buffer_size=_BUFFER)


def _is_uncompressed(path: Path) -> bool:
    """Whether a file is uncompressed Parquet; one that cannot be opened is reported later."""
    if not path.is_file():  # a pipe can be read only once
        return False
    try:
        with path.open("rb") as file:
            return file.read(len(_MAGIC)) == _MAGIC
    except (OSError, ValueError):
        return False


def _content(source: Source, options: ReadOptions, log: ReadLog) -> bytes:
    try:
        content = source.bytes(options, log)
    except ReadError as error:
        if error.kind != "too long":
            raise
        detail = Message(
            f"more than {options.max_mb} MiB of Parquet, packed or from standard input: give it "
            "as a file, unpacked, or raise the limit (",
            Parameter("max_mb"),
            ")",
        )
        raise ReadError(source.name, "too long", detail) from None
    if not content.startswith(_MAGIC):
        raise ReadError(
            source.name, "damaged", "not Parquet, which begins with PAR1: is the file misnamed?"
        )
    return content


def _batch_rows(file: Any) -> int:
    """Return the rows of a batch, if each row had all the bytes that its group stores."""
    groups = map(file.metadata.row_group, range(file.metadata.num_row_groups))
    largest: int = max((group.total_byte_size for group in groups), default=0)
    return max(1, min(_BATCH_ROWS, _BATCH_BYTES // max(1, largest)))


def _columns(schema: Any, fields: Fields, location: str) -> list[str]:
    """Return the columns to read, after a check of their types."""
    names: list[str] = schema.names
    if fields.document is not None or fields.sections not in names:
        chosen = choose_columns(names, fields, location)
    elif fields.title in names:
        chosen = check_unique(names, [fields.title, fields.sections], location)
    else:
        raise no_field(location, "the table", fields.title, names, fields)
    for name in chosen:
        kind = schema.field(name).type
        right = _expected_type(kind, name, fields)
        if right:
            raise ReadError(
                location, "wrong type", f"column {name!r} is {str(kind)[:80]}: it must hold {right}"
            )
    return chosen


def _expected_type(kind: Any, name: str, fields: Fields) -> str:
    """Describe the right type of a column; "" if it has that type."""
    types = needs("pyarrow.types", "parquet", "Parquet files")
    bare = kind.value_type if types.is_dictionary(kind) else kind
    is_list = types.is_list(bare) or types.is_large_list(bare) or types.is_fixed_size_list(bare)
    if name == fields.sections:
        return "" if is_list and types.is_struct(bare.value_type) else "a list of sections"
    if name == fields.text:
        inner = bare.value_type if is_list else bare
        inner = inner.value_type if types.is_dictionary(inner) else inner
        return "" if str(inner) in _TEXT else "text"
    is_number = types.is_integer(bare) or types.is_floating(bare)
    return "" if str(bare) in _TEXT or is_number else "text or numbers"


def _record(columns: list[tuple[str, Any]], row: int, location: str) -> dict[str, Any] | ReadError:
    try:
        return {name: column[row].as_py() for name, column in columns}
    except UnicodeDecodeError:
        return ReadError(location, "not UTF-8", "the text of this row is not UTF-8, as it must be")
    except (ValueError, OverflowError) as error:
        reason = " ".join(str(error).split())[:200]
        return ReadError(location, "bad row", f"this row cannot be read ({reason})")
