"""Sources made of bytes, and what readers return for them."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from permutopic.readers import ReadError, ReadLog, ReadOptions, html, man
from permutopic.readers.source import Source

from invariant import check


def source_of(path, content):
    path.write_bytes(content)
    return Source(path, path.name, "title")


def text_of(path, content, log=None, **settings):
    return source_of(path, content).text(ReadOptions(**settings), ReadLog() if log is None else log)


def lines_of(path, content, bad=None, **settings):
    return list(source_of(path, content).lines(ReadOptions(**settings), ReadLog(), bad))


def fault_of(call, *arguments, **settings):
    with pytest.raises(ReadError) as caught:
        call(*arguments, **settings)
    assert "\n" not in str(caught.value)
    return caught.value.kind, str(caught.value)


def read_manual_page(path, content, **settings):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    source = Source(path, path.name, path.stem)
    [document] = man.read(source, ReadOptions(**settings), ReadLog())
    check(document)
    return document


def check_any_manual_page(path, content):
    """Assert that all documents of a page keep the invariant, or that it is refused by name."""
    path.write_bytes(content)
    locations = set()
    try:
        for document in man.read(Source(path, path.name, "fuzz"), ReadOptions(), ReadLog()):
            check(document)
            locations.add(document.location)
    except ReadError as error:
        locations.add(error.location)
    assert locations <= {path.name}


def read_web_page(content, name="page.html", log=None, **reading):
    """Read a page, and compare its pieces with the source character by character."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        [document] = html.read(
            Source(path, name, path.stem), ReadOptions(**reading), log or ReadLog()
        )
    check(document)
    for unit in document.units:
        for text, start, end in unit.pieces:
            if len(text) == end - start:
                assert text.split() == document.source[start:end].split()
    return document
