"""A source made of bytes, and what reading it gives."""

from __future__ import annotations

import pytest

from permutopic.readers import ReadError, ReadLog, ReadOptions
from permutopic.readers.source import Source


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
