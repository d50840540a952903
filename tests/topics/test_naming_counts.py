from __future__ import annotations

import numpy as np
import pytest

from permutopic.corpus import Corpus
from permutopic.documents import Document, Unit
from permutopic.topics.naming_counts import NamingCounts, count_words_and_headings


def corpus_of(*documents):
    """Documents as lists of (heading, text)."""
    return Corpus.from_documents(
        Document(str(n), tuple(Unit(text, heading) for heading, text in units), str(n))
        for n, units in enumerate(documents)
    )


def test_a_word_counts_once_for_each_segment():
    corpus = Corpus.from_paragraphs([["a a b", "a", "b"], ["b", "a b"]])
    counts = count_words_and_headings(corpus, np.array([0, 0, 1, 1, 0]), 3)
    # a: document 0 in topic 0 (two units, one segment); document 1 in topic 0.
    assert counts.word_segments.tolist() == [[2, 0, 0], [2, 2, 0]]


def test_neighbouring_documents_with_one_topic_are_two_segments():
    corpus = Corpus.from_paragraphs([["a"], ["a"]])
    assert count_words_and_headings(corpus, np.array([1, 1]), 2).word_segments.tolist() == [[0, 2]]


def test_headings_are_counted_by_unit_whatever_their_number_and_case():
    corpus = corpus_of(
        [("1. Methods", "x"), ("1. Methods", "x"), ("2.1  Case reports:", "x")],
        [("METHODS", "x"), ("(3) Case Reports", "x"), ("Only here", "x")],
    )
    counts = count_words_and_headings(corpus, np.array([0, 0, 1, 0, 1, 1]), 2)
    assert counts.headings == ("Case Reports", "Methods")
    assert counts.heading_counts.tolist() == [[0, 2], [3, 0]]


def test_text_before_the_first_heading_is_the_lead_and_text_without_any_is_nothing():
    lead = [(None, "x"), ("Uses", "y")]
    corpus = corpus_of(lead, lead, [(None, "z")])
    counts = count_words_and_headings(corpus, np.array([0, 1, 0, 1, 1]), 2)
    assert counts.headings == ("(lead)", "Uses")
    assert counts.heading_counts.tolist() == [[2, 0], [0, 2]]


@pytest.mark.parametrize(
    ("heading", "name"),
    [
        ("1. Methods", "Methods"),
        ("1 Introduction", "Introduction"),
        ("2.3  Case   reports:", "Case reports"),
        ("(4) Costs", "Costs"),
        ("IV. Methods", "Methods"),
        ("XI) Annex", "Annex"),
        ("V. cholerae", "V. cholerae"),
        ("C. elegans", "C. elegans"),
        ("2019 results", "2019 results"),
        ("U.S.", "U.S."),
        ("Results.", "Results"),
        ("a\x1b[2J b", "a [2J b"),
        ("کتاب\u200cها", "کتاب\u200cها"),
    ],
)
def test_a_heading_is_spelled_without_its_number(heading, name):
    corpus = corpus_of([(heading, "x")], [(heading, "y")])
    assert count_words_and_headings(corpus, np.zeros(2, int), 2).headings == (name,)


def test_the_headings_of_most_documents_come_first():
    both, one = [("Costs", "x"), ("Uses", "y")], [("Uses", "y")]
    counts = count_words_and_headings(corpus_of(both, both, one), np.zeros(5, int), 2)
    assert counts.headings == ("Uses", "Costs")


def test_an_empty_heading_is_none():
    document = [("Uses", "y"), ("", "x")]
    counts = count_words_and_headings(corpus_of(document, document), np.zeros(4, int), 2)
    assert counts.headings == ("Uses",)
    assert counts.heading_counts.tolist() == [[2, 0]]


def test_a_heading_that_is_only_a_number_stays():
    corpus = corpus_of([("1984", "x"), ("3.", "y")], [("1984", "x"), ("3.", "y")])
    assert count_words_and_headings(corpus, np.zeros(4, int), 2).headings == ("1984", "3")


def test_counts_of_more_documents_are_added_heading_by_heading():
    first = NamingCounts(
        np.array([[1, 2, 0], [0, 3, 1]], np.int32),
        ("Uses", "History"),
        np.array([[4, 0, 1], [1, 1, 0]]),
    )
    second = NamingCounts(
        np.array([[5, 0, 0], [1, 1, 1]], np.int32),
        ("Costs", "1. USES"),
        np.array([[7, 0, 0], [2, 3, 0]]),
    )
    total = first + second
    assert total.word_segments.tolist() == [[6, 2, 0], [1, 4, 2]]
    assert total.headings == ("Uses", "History", "Costs")
    assert total.heading_counts.tolist() == [[6, 3, 1], [1, 1, 0], [7, 0, 0]]
    assert first.heading_counts.tolist() == [[4, 0, 1], [1, 1, 0]]


@pytest.mark.parametrize(
    ("words", "headings", "counts", "message"),
    [
        (np.zeros((2, 2)), (), np.zeros((0, 2), int), "no table of whole numbers"),
        (np.zeros(2, np.int32), (), np.zeros((0, 2), int), "no table of whole numbers"),
        (np.zeros((2, 2), np.int32), ("A",), np.zeros((0, 2), int), "disagree"),
        (np.zeros((2, 2), np.int32), ("A",), np.full((1, 2), -1), "heading_counts has a count"),
        (np.zeros((2, 2), np.int32), ("A",), np.zeros((1, 2)), "heading_counts is no table"),
    ],
)
def test_counts_that_do_not_fit_are_refused(words, headings, counts, message):
    with pytest.raises(ValueError, match=message):
        NamingCounts(words, headings, counts)
