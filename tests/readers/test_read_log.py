"""Logs of parts of a reading, put together."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from permutopic.readers import read_log
from permutopic.readers.read_log import ReadLog

EVENTS = st.lists(st.sampled_from(["binary", "hidden", "no text", "opened"]), max_size=40)


def logged(events, log):
    for number, kind in events:
        if kind == "opened":
            log.files += 1
            log.bytes += number
            log.boilerplate += 2
            log.formats[f"format {number % 3}"] += 1
        else:
            log.skip(f"file {number}", kind, f"detail {number}" if number % 2 else "")
    return log


@given(EVENTS, st.lists(st.integers(0, 40), max_size=5))
def test_logs_of_parts_make_the_log_of_all(kinds, ends):
    events = list(enumerate(kinds))
    cuts = [0, *sorted(ends), len(events)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(read_log, "_MAX_EXAMPLES", 7)
        patch.setattr(read_log, "_MIN_EXAMPLES_PER_REASON", 2)
        whole = logged(events, ReadLog())
        merged, part = ReadLog(), ReadLog()
        for begin, end in pairwise(cuts):
            merged.merge(logged(events[begin:end], part).take())
    assert merged == whole
    assert list(merged.skipped.items()) == list(whole.skipped.items())
    assert list(merged.formats.items()) == list(whole.formats.items())
    assert part == ReadLog()
