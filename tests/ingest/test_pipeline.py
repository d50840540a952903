"""Documents for a fitted model, one by one, and what is said at the end."""

from __future__ import annotations

import warnings

import pytest

from permutopic.errors import InputWarning
from permutopic.ingest.pipeline import Ingest, read_corpus
from permutopic.text.units import Units


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "a.txt").write_text("One.")
    (tmp_path / "b.txt").write_text("One two.\n\nThree.")
    return tmp_path


def streamed(folder, units):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = [document.title for document in Ingest(folder).stream(units)]
    assert all(each.category is InputWarning for each in caught)
    return found, [str(each.message).replace(str(folder), "…") for each in caught]


def test_documents_pass_whole_where_no_unit_is_dropped(folder):
    assert streamed(folder, Units()) == (["a", "b"], [])
    assert streamed(folder, Units(min_words=2, short="merge")) == (["a", "b"], [])


def test_documents_without_a_unit_are_left_out_and_said(folder):
    assert streamed(folder, Units(min_words=2, short="drop")) == (
        ["b"],
        ["1 left out without a unit to be cut, …/a.txt for one"],
    )


def test_what_could_not_be_read_is_said_at_the_end(folder):
    (folder / "c.txt").write_bytes(b"\0")
    assert streamed(folder, Units()) == (
        ["a", "b"],
        ["1 left out (binary), …/c.txt for one: `inspect` lists them"],
    )


def test_texts_are_kept_if_they_are_asked_for(folder):
    assert read_corpus(folder / "b.txt").texts == ()
    assert read_corpus(folder / "b.txt", keep_texts=True).texts == ("One two.", "Three.")
