from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from permutopic.corpus import Corpus, arrays, documents_from_paragraphs
from permutopic.documents import Document, Unit
from permutopic.errors import InputError

PARAGRAPHS = [["One two, two.", "Three"], ["two!"]]


def test_paragraphs_become_flat_arrays():
    corpus = Corpus.from_paragraphs(PARAGRAPHS, titles=["first", "second"])
    assert corpus.vocabulary == ("one", "three", "two")
    assert corpus.words.tolist() == [0, 2, 2, 1, 2]
    assert corpus.unit_offsets.tolist() == [0, 3, 4, 5]
    assert corpus.document_offsets.tolist() == [0, 2, 3]
    assert corpus.source_words.tolist() == [3, 1, 1]
    assert corpus.titles == ("first", "second")
    assert corpus.document_sizes.tolist() == [2, 1]
    assert (corpus.n_documents, corpus.n_units, corpus.n_words, corpus.n_tokens) == (2, 3, 3, 5)
    assert corpus.units_of(1) == slice(2, 3)


def test_arrays_are_frozen_copies():
    words = np.array([0, 0], dtype=np.int32)
    corpus = Corpus(words, [0, 2], [0, 1], ("a",), ("t",), [2], (None,), (None,))
    words[0] = 5
    assert corpus.words.tolist() == [0, 0]
    with pytest.raises(ValueError, match="read-only"):
        corpus.words[0] = 1


def test_a_wordless_paragraph_keeps_its_place():
    corpus = Corpus.from_paragraphs([["one", "…", "two"]])
    assert np.diff(corpus.unit_offsets).tolist() == [1, 0, 1]
    assert corpus.source_words.tolist() == [1, 1, 1]


def test_the_fingerprint_follows_what_the_model_sees():
    corpus = Corpus.from_paragraphs(PARAGRAPHS)
    same = Corpus.from_paragraphs(PARAGRAPHS, titles=["other", "titles"])
    moved = Corpus.from_paragraphs([["One two, two.", "Three", "two!"]])
    renamed = dataclasses.replace(corpus, vocabulary=("one", "three", "four"))
    assert corpus.fingerprint == same.fingerprint
    assert len({corpus.fingerprint, moved.fingerprint, renamed.fingerprint}) == 3


@pytest.mark.parametrize(
    "change",
    [
        {"words": [0, 2, 2, 1, 1]},
        {"unit_offsets": [0, 2, 4, 5]},
        {"document_offsets": [0, 1, 3]},
    ],
)
def test_the_fingerprint_follows_every_number_however_many_there_are(change, monkeypatch):
    monkeypatch.setattr(arrays, "_BLOCK", 2)
    corpus = Corpus.from_paragraphs(PARAGRAPHS)
    whole = corpus.fingerprint
    assert dataclasses.replace(corpus, **change).fingerprint != whole
    monkeypatch.undo()
    assert dataclasses.replace(corpus).fingerprint == whole


def test_labels_fall_back_to_headings():
    units = (Unit("a", "Early days", "history"), Unit("b", "Trivia"))
    corpus = Corpus.from_documents([Document("t", units, "here")])
    assert corpus.reference("heading") == ("Early days", "Trivia")
    assert corpus.reference("label") == ("history", "Trivia")


def test_what_stands_before_the_first_heading_is_the_lead():
    units = (Unit("a"), Unit("b"), Unit("c", "Uses"), Unit("d", "Uses", "use"))
    corpus = Corpus.from_documents(
        [Document("t", units, "here"), Document("u", (Unit("e", "Uses"),), "there")]
    )
    assert corpus.reference("heading") == ("(lead)", "(lead)", "Uses", "Uses", "Uses")
    assert corpus.reference("label") == ("(lead)", "(lead)", "Uses", "use", "Uses")
    later = (Unit("a", "Uses"), Unit("b"))
    with pytest.raises(InputError, match="has a unit without a heading"):
        Corpus.from_documents([Document("t", later, "here")]).reference("heading")


def test_a_reference_needs_every_heading():
    corpus = Corpus.from_paragraphs(PARAGRAPHS)
    with pytest.raises(InputError, match="none of these documents has headings"):
        corpus.reference("heading")
    some = [Document("t", (Unit("a"),), "here"), Document("u", (Unit("b", "Uses"),), "there")]
    with pytest.raises(InputError, match="here: document 't' has a unit without a heading"):
        Corpus.from_documents(some).reference("heading")
    with pytest.raises(InputError, match="one of heading, label, not 'title'"):
        corpus.reference("title")


@pytest.mark.parametrize(
    ("documents", "message"),
    [
        ([], "no document"),
        ([["one"], []], "document 1: '1' has no paragraph"),
        ([["one"], ["…", "!"]], "document 1: '1' has no word with tokens='words'"),
        (["one two"], "document 0 is str: give a list of paragraphs"),
        ([5], "document 0 is int: give a list of paragraphs"),
        (None, "documents are NoneType: give a list of lists of paragraphs"),
        ("text", "documents are str: give a list of lists"),
        ([["one", None]], "document 0, paragraph 1 is NoneType: give a string"),
    ],
)
def test_bad_documents_are_refused_by_place(documents, message):
    with pytest.raises(InputError, match=message):
        Corpus.from_paragraphs(documents)


def test_documents_are_numbered_from_where_they_begin():
    first, second = documents_from_paragraphs([["a"], ["b"]], 5)
    assert (first.title, first.location) == ("5", "document 5")
    assert (second.title, second.units[0].text) == ("6", "b")


def test_titles_must_match():
    with pytest.raises(InputError, match="2 documents need as many titles, not 1"):
        Corpus.from_paragraphs(PARAGRAPHS, titles=["one"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"words": [0, 2, 2, 1, 3]}, "words must index the vocabulary of 3"),
        ({"words": [0, 2, 2, 1, -1]}, "words must index the vocabulary of 3"),
        ({"unit_offsets": [0, 3, 4, 6]}, "unit_offsets must increase from 0 to 5"),
        ({"unit_offsets": [0, 4, 3, 5]}, "unit_offsets must increase"),
        ({"document_offsets": [1, 2, 3]}, "document_offsets must increase from 0 to 3"),
        ({"document_offsets": [0, 3, 3]}, "document 1 has no unit"),
        ({"document_offsets": [0]}, "no document"),
        ({"unit_offsets": [0, 3, 5, 5]}, "document 1 has no word"),
        ({"titles": ("one",)}, "titles needs 2 entries, not 1"),
        ({"headings": ()}, "headings needs 3 entries, not 0"),
        ({"labels": (None,) * 4}, "labels needs 3 entries, not 4"),
        ({"source_words": [1]}, "source_words needs 3 entries"),
        ({"locations": ("here",)}, "locations needs 2 entries, not 1"),
        ({"source_spans": [[0, 1]]}, "source_spans needs 3 entries, not 1"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(change, message):
    corpus = Corpus.from_paragraphs(PARAGRAPHS)
    with pytest.raises(InputError, match=message):
        dataclasses.replace(corpus, **change)


def test_a_corpus_is_shown_in_one_line():
    corpus = Corpus.from_paragraphs([["a b", "a"], ["c"]])
    assert repr(corpus) == "<Corpus: 2 documents, 3 units, 4 tokens, 3 words>"
