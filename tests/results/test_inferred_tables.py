"""Tables of inferred documents, row by row, for documents written by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from permutopic.errors import InputWarning
from permutopic.results.tables import (
    document_table,
    passage_table,
    run_table,
    segment_table,
    unit_table,
)

from by_hand import make_inferred

NAMES = ("Sea", "Hill")
OSLO = make_inferred(
    ["salt sea", "sea", "snow on hills"],
    [0, 0, 1],
    boundaries=[0.25, 0.75],
    probabilities=[[0.9, 0.1], [0.7, 0.3], [0.2, 0.8]],
    spans=[[0, 8], [10, 13], [15, 28]],
    title="Oslo",
)
BERN = replace(
    make_inferred(["snow", "sea"], [1, 0], title="Bern"),
    seen=True,
    swaps=1,
    log_likelihood=float("nan"),
    unknown_words=np.array([1, 1]),
)


def documents():
    return iter([OSLO, BERN])


def columns(table, *names):
    return [tuple(row[name] for name in names) for row in table]


def test_a_unit_has_its_topic_and_the_probability_of_the_boundary_before_it():
    table = unit_table(documents, NAMES)
    assert next(iter(table)) == {
        "document": 1, "title": "Oslo", "location": "Oslo.txt", "unit": 1, "start": 0, "end": 8,
        "words": 2, "topic": 0, "name": "Sea", "probability": 0.9, "boundary": None,
    }  # fmt: skip
    assert columns(table, "document", "unit", "name", "probability", "boundary") == [
        (1, 1, "Sea", 0.9, None),
        (1, 2, "Sea", 0.7, 0.25),
        (1, 3, "Hill", 0.8, 0.75),
        (2, 1, "Hill", 1.0, None),
        (2, 2, "Sea", 1.0, 1.0),
    ]
    assert "probabilities" not in table.columns
    wide = unit_table(documents, NAMES, probabilities=True)
    assert columns(wide, "probabilities")[2] == ([0.2, 0.8],)
    assert list(wide.columns) == [*table.columns, "probabilities"]


def test_a_document_has_its_topics_and_what_is_known_of_it():
    first, second = document_table(documents)
    assert first == {
        "document": 1, "title": "Oslo", "location": "Oslo.txt", "topics": [0, 0, 1],
        "ends": [2, 3], "swaps": 0, "log_likelihood": -5.0, "known_share": 1.0, "seen": False,
        "subjects": [],
    }  # fmt: skip
    assert (second["document"], second["ends"], second["swaps"]) == (2, [1, 2], 1)
    assert (second["log_likelihood"], second["known_share"], second["seen"]) == (None, 0.5, True)


def test_runs_and_passages_are_counted_by_their_documents():
    assert columns(run_table(documents, NAMES), "document", "name", "first_unit", "last_unit") == [
        (1, "Sea", 1, 2),
        (1, "Hill", 3, 3),
        (2, "Hill", 1, 1),
        (2, "Sea", 2, 2),
    ]
    assert columns(passage_table(documents, NAMES, 0), "document", "title", "unit", "text") == [
        (1, "Oslo", 1, "salt sea"),
        (1, "Oslo", 2, "sea"),
        (2, "Bern", 2, "sea"),
    ]


def test_segments_keep_to_their_sizes_and_have_text_only_if_asked_for():
    bare = segment_table(documents, NAMES)
    assert columns(bare, "document", "segment", "words") == [
        (1, 1, 3), (1, 2, 3), (2, 1, 1), (2, 2, 1)
    ]  # fmt: skip
    assert "text" not in bare.columns
    sized = segment_table(documents, NAMES, min_words=2, max_words=6, with_text=True)
    assert columns(sized, "document", "words", "text") == [
        (1, 3, "salt sea\n\nsea"),
        (1, 3, "snow on hills"),
        (2, 2, "snow\n\nsea"),
    ]
    assert "text" in sized.columns


def test_segments_longer_than_asked_for_are_counted_over_all_documents():
    bare = [replace(each, texts=()) for each in (OSLO, OSLO, BERN)]
    with pytest.warns(InputWarning, match="^4 segments have more than 1 words"):
        list(segment_table(lambda: bare, NAMES, max_words=1))


def test_a_table_can_be_read_again():
    for table in (
        unit_table(documents, NAMES),
        document_table(documents),
        run_table(documents, NAMES),
        segment_table(documents, NAMES),
    ):
        rows = list(table)
        assert rows == list(table)
        assert {row["document"] for row in rows} == {1, 2}
