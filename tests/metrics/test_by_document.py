from __future__ import annotations

import doctest
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from permutopic.corpus import Corpus
from permutopic.documents import Document, Unit
from permutopic.errors import InputError
from permutopic.evaluation.evaluate import score_corpus_segmentation
from permutopic.metrics import (
    alignment_by_document,
    alignment_f,
    kendall_tau,
    mean_pk,
    mean_tau,
    mean_windowdiff,
    ordering_by_document,
    score_alignment,
    segmentation_by_document,
)
from permutopic.metrics.by_document import check_table, statistics_of
from permutopic.results.prediction import Prediction

# Documents of (heading, topic) units.
corpora = st.lists(
    st.lists(st.tuples(st.sampled_from("abcd"), st.integers(0, 4)), min_size=1, max_size=8),
    min_size=1,
    max_size=6,
)


def flat(documents):
    headings, topics = zip(*[unit for document in documents for unit in document], strict=True)
    offsets = np.cumsum([0, *map(len, documents)])
    return headings, Prediction(np.array(topics), offsets)


@given(corpora)
def test_rows_add_up_to_the_alignment_of_the_corpus_to_the_last_bit(documents):
    headings, prediction = flat(documents)
    rows = alignment_by_document(headings, prediction)
    score = score_alignment(headings, prediction.topics)
    assert alignment_f(rows) == score.f
    units, recalled, precise = rows.sum(axis=0)
    assert (recalled / units, precise / units) == (score.recall, score.precision)
    assert rows[:, 0].tolist() == list(map(len, documents))


def hits_of(documents):
    """The same rows, by looking at every unit in turn."""
    every = [unit for document in documents for unit in document]

    def first_of_most(values, candidates):
        return max(dict.fromkeys(candidates), key=values.count)

    topics, headings = [t for _, t in every], [h for h, _ in every]
    best_topic = {h: first_of_most([t for g, t in every if g == h], topics) for h in headings}
    best_heading = {t: first_of_most([h for h, u in every if u == t], headings) for t in topics}
    return [
        [len(d), sum(best_topic[h] == t for h, t in d), sum(best_heading[t] == h for h, t in d)]
        for d in documents
    ]


@given(corpora)
def test_hits_are_decided_on_the_whole_corpus(documents):
    assert alignment_by_document(*flat(documents)).tolist() == hits_of(documents)


def test_a_document_on_its_own_would_be_scored_otherwise():
    # Alone, the second document's units would all be in the topic that holds most of heading a.
    documents = [[("a", 0), ("a", 0), ("a", 0)], [("a", 1), ("a", 1)]]
    assert alignment_by_document(*flat(documents)).tolist() == [[3, 3, 3], [2, 0, 2]]


@given(corpora)
def test_names_of_topics_do_not_matter(documents):
    renamed = [[(heading, 9 - topic) for heading, topic in document] for document in documents]
    rows, others = (alignment_by_document(*flat(each)) for each in (documents, renamed))
    assert rows.tolist() == others.tolist()


def test_swapped_topics_of_two_systems_would_be_one_topic():
    # Two systems, both perfect, number their topics the other way round. Swapping the topics of a
    # document makes a corpus that neither system would have produced; swapping rows does not.
    headings = ["a", "b", "a", "b"]
    offsets = np.array([0, 2, 4])
    first, second = (Prediction(np.array(t), offsets) for t in ([0, 1, 0, 1], [1, 0, 1, 0]))
    mixed = [0, 1, 1, 0]
    assert score_alignment(headings, mixed).f == 0.5
    rows = [alignment_by_document(headings, each) for each in (first, second)]
    assert alignment_f([rows[0][0], rows[1][1]]) == 1


def test_f_takes_a_stack_of_tables():
    tables = np.array([[[3, 3, 2], [1, 1, 0]], [[4, 1, 2], [4, 1, 2]], [[4, 0, 0], [1, 0, 0]]])
    assert alignment_f(tables).tolist() == [float(alignment_f(table)) for table in tables]
    assert alignment_f(tables)[2] == 0


@pytest.mark.parametrize(
    ("headings", "offsets", "message"),
    [
        (["a"], [0, 2], "not 1 and 2 in documents that end at 2"),
        (["a", "b"], [0, 3], "not 2 and 2 in documents that end at 3"),
        (["a", "b", "c"], [0, 3], "not 3 and 2 in documents that end at 3"),
        (["a", "b"], [0, 0, 2], "document 0 of the prediction has no unit"),
    ],
)
def test_rows_of_what_does_not_fit_are_refused(headings, offsets, message):
    with pytest.raises(InputError, match=message):
        alignment_by_document(headings, Prediction(np.array([0, 1]), np.array(offsets)))


def corpus_of(*documents):
    """Documents of units "words of text|heading"."""
    return Corpus.from_documents(
        Document(str(n), tuple(Unit(*unit.split("|")) for unit in units), str(n))
        for n, units in enumerate(documents)
    )


CORPUS = corpus_of(
    ["a b c d|x", "a b|x", "e f|y", "e|x"], ["e f g|y", "a|x"], ["a b c|x", "d e|x", "f g h|y"]
)
PREDICTION = Prediction(np.array([0, 1, 1, 1, 0, 1, 2, 0, 1]), CORPUS.document_offsets)


@pytest.mark.parametrize("convention", ["words", "units"])
def test_rows_average_to_the_segmentation_of_the_corpus_to_the_last_bit(convention):
    rows = segmentation_by_document(CORPUS, PREDICTION, "heading", convention)
    score = score_corpus_segmentation(CORPUS, PREDICTION, "heading", convention)
    assert rows.shape == (3, 2)
    assert (mean_pk(rows), mean_windowdiff(rows)) == (score.pk, score.windowdiff)
    assert score.pk != score.windowdiff or convention == "words"


def test_segmentation_of_a_document_by_hand():
    # Reference ends after words 6, 8, 9; found after 4 and 9: see tests/experiments. The second
    # document is cut as its headings are.
    rows = segmentation_by_document(CORPUS, PREDICTION)
    assert rows[0].tolist() == [5 / 8, 5 / 8]
    assert rows[1].tolist() == [0, 0]


def test_labels_are_the_reference_where_asked():
    units = (Unit("a", "x", "l"), Unit("b", "y", "l"), Unit("c", "z"))
    corpus = Corpus.from_documents([Document("one", units, "one")])
    whole = Prediction(np.array([0, 0, 1]), corpus.document_offsets)
    assert segmentation_by_document(corpus, whole, "label", "units").tolist() == [[0, 0]]
    assert segmentation_by_document(corpus, whole, "heading", "units").tolist() == [[0, 1]]


def test_segmentation_of_what_does_not_fit_is_refused():
    with pytest.raises(InputError, match="not one for this corpus of 3 documents and 9 units"):
        segmentation_by_document(CORPUS, Prediction(PREDICTION.topics, np.array([0, 9])))
    with pytest.raises(InputError, match="convention"):
        segmentation_by_document(CORPUS, PREDICTION, "heading", "chars")


def test_every_document_with_a_pair_has_a_tau():
    references, scores = [[0, 1, 2], [4], [1, 0]], [[1, 1, 2], [0], [3, 5]]
    rows = ordering_by_document(references, scores)
    assert rows.tolist() == [[kendall_tau([0, 1, 2], [1, 1, 2])], [-1]]
    assert mean_tau(rows) == pytest.approx((2 / 3 - 1) / 2)


def test_orders_that_cannot_be_scored_are_refused():
    with pytest.raises(InputError, match="not 1 and 2"):
        ordering_by_document([[0, 1]], [[0, 1], [1, 0]])
    with pytest.raises(InputError, match="no document has two items"):
        ordering_by_document([[0], [0]], [[1], [1]])


@pytest.mark.parametrize("statistic", [mean_pk, mean_windowdiff])
def test_means_take_a_stack_of_tables(statistic):
    tables = np.random.default_rng(0).random((4, 7, 2))
    assert statistic(tables).tolist() == pytest.approx([statistic(table) for table in tables])


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "not of shape"),
        ([[]], "not of shape"),
        ([1, 2], r"not of shape \(2,\)"),
        ([[1, 2], [3, np.nan]], r"row 1 is \[3.0, nan\]"),
        ([[np.inf]], "must be finite"),
        ([["a"]], "must be a table of numbers"),
        ([[1], [2, 3]], "must be a table of numbers"),
    ],
)
def test_what_is_no_table_is_refused(rows, message):
    with pytest.raises(InputError, match=message):
        check_table(rows, "the rows")


def test_a_statistic_must_give_one_finite_number_for_each_table():
    tables = np.ones((4, 3, 2))
    assert statistics_of(tables, mean_pk, vectorized=True).tolist() == [1] * 4
    assert statistics_of(tables, mean_pk, vectorized=False).tolist() == [1] * 4
    with pytest.raises(InputError, match=r"shape \(\) for 4 tables"):
        statistics_of(tables, np.mean, vectorized=True)
    with pytest.raises(InputError, match=r"shape \(4, 2\) for 4 tables"):
        statistics_of(tables, lambda table: table.mean(axis=0), vectorized=False)
    with pytest.raises(InputError, match="is nan: it must be finite"):
        statistics_of(tables, lambda table: float("nan"), vectorized=False)


def test_the_examples_of_the_page_run():
    page = Path(__file__).parents[2] / "docs" / "metrics.md"
    results = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert results.attempted >= 10
    assert results.failed == 0
