"""How many segments documents are to have."""

from __future__ import annotations

import numpy as np
import pytest

from permutopic.baselines.segment_counts import counts_unless_auto, segment_counts
from permutopic.corpus import Corpus
from permutopic.documents import Document, Unit
from permutopic.errors import InputError


def corpus_of(*documents):
    """Documents as lists of units."""
    return Corpus.from_documents(
        Document(str(n), tuple(units), str(n)) for n, units in enumerate(documents)
    )


HEADED = corpus_of(
    [Unit("a", "x", "one"), Unit("b", "x", "two"), Unit("c", "y", "two"), Unit("d", "x", "two")],
    [Unit("a", None), Unit("b", "x")],
    [Unit("a", "x")],
)
BARE = Corpus.from_paragraphs([["a", "b", "c"], ["d"]])


def test_the_reference_says_how_many_runs_of_a_heading_there_are():
    assert segment_counts(HEADED).tolist() == [3, 2, 1]
    assert segment_counts(HEADED, reference="label").tolist() == [2, 2, 1]


def test_a_number_holds_for_all_documents_that_have_as_many_units():
    assert segment_counts(HEADED, 2).tolist() == [2, 2, 1]
    assert segment_counts(BARE, np.int64(7)).tolist() == [3, 1]


def test_every_document_may_have_a_number_of_its_own():
    assert segment_counts(HEADED, [1, 9, 1]).tolist() == [1, 2, 1]
    assert segment_counts(HEADED, np.array([4, 1, 1])).tolist() == [4, 1, 1]


def test_without_headings_the_number_has_to_be_given():
    with pytest.raises(InputError, match=r"it has to be given \(n_segments\)"):
        segment_counts(BARE)
    labelled = corpus_of([Unit("a", None, "one"), Unit("b", None, "two")])
    assert segment_counts(labelled, reference="label").tolist() == [2]
    with pytest.raises(InputError, match=r"it has to be given \(n_segments\)"):
        segment_counts(labelled)


@pytest.mark.parametrize(
    ("n_segments", "message"),
    [
        (0, "n_segments must be a whole number of at least 1, not 0"),
        (2.5, "not 2.5"),
        (True, "not True"),
        ("many", "not 'many'"),
        ([2, 1, 0], r"n_segments \(document 2\) must be a whole number of at least 1"),
        ([2, 1.5, 1], r"n_segments \(document 0\) must be a whole number"),
        ([2, 1], r"one for each of the 3 documents, not an array of shape \(2,\)"),
        ([[2, 1, 1]], r"shape \(1, 3\)"),
    ],
)
def test_what_is_no_number_of_segments_is_refused(n_segments, message):
    with pytest.raises(InputError, match=message):
        segment_counts(HEADED, n_segments)


def test_a_reference_is_headings_or_labels():
    with pytest.raises(InputError, match="reference is one of heading, label, not 'title'"):
        segment_counts(HEADED, reference="title")


def test_a_method_chooses_the_number_or_is_told_it_but_not_both():
    assert counts_unless_auto(BARE, True, None, "heading") is None
    told = counts_unless_auto(BARE, False, 2, "heading")
    assert told is not None
    assert told.tolist() == [2, 1]
    with pytest.raises(InputError, match="n_segments is 2: give auto=False"):
        counts_unless_auto(BARE, True, 2, "heading")
    with pytest.raises(InputError, match="auto must be True or False, not 'yes'"):
        counts_unless_auto(BARE, "yes", None, "heading")
