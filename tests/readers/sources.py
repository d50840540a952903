"""Sources made of bytes, and what readers return for them."""

from __future__ import annotations

import pytest

from permutopic.readers import ReadError, ReadLog, ReadOptions, man
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
