"""Documents side by side: runs, paragraphs of a topic, counterparts."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from permutopic.errors import InputError
from permutopic.results.alignment import (
    RUN_COLUMNS,
    Alignment,
    find_topic,
    fitted_documents,
    passages_of,
    runs_of,
)

from by_hand import make_inferred

NAMES = ("Sea", "Hill", "Town")


@pytest.fixture
def aligned():
    oslo = make_inferred(
        ["salt sea", "sea waves", "snow hill"],
        [0, 0, 1],
        n_topics=3,
        probabilities=[[0.9, 0.1, 0], [0.7, 0.3, 0], [0, 0.5, 0.5]],
        spans=[[0, 8], [10, 19], [21, 30]],
        title="Oslo",
    )
    # A merged topic comes twice.
    bern = make_inferred(
        ["town hall", "snow and snow hill", "town"], [2, 1, 2], n_topics=3, title="Bern"
    )
    rome = make_inferred(["salt", "snow", "the sea salt"], [2, 2, 0], n_topics=3, title="Oslo")
    return Alignment([oslo, bern, rome], NAMES)


def test_the_table_has_a_row_for_every_run(aligned):
    rows = list(aligned.table())
    assert list(rows[0]) == list(RUN_COLUMNS)
    assert rows[0] == {
        "document": 1,
        "title": "Oslo",
        "location": "Oslo.txt",
        "topic": 0,
        "name": "Sea",
        "first_unit": 1,
        "last_unit": 2,
        "start": 0,
        "end": 19,
        "words": 4,
        "probability": pytest.approx(0.8),
    }
    where = [(row["document"], row["name"], row["first_unit"], row["last_unit"]) for row in rows]
    assert where == [
        (1, "Sea", 1, 2),
        (1, "Hill", 3, 3),
        (2, "Town", 1, 1),
        (2, "Hill", 2, 2),
        (2, "Town", 3, 3),
        (3, "Town", 1, 2),
        (3, "Sea", 3, 3),
    ]
    assert [row["start"] for row in rows] == [0, 21, -1, -1, -1, -1, -1]


def test_the_table_goes_to_pandas_and_to_files(aligned, tmp_path):
    frame = aligned.table().to_pandas()
    assert frame.to_dict("records") == list(aligned.table())
    assert aligned.table().write(tmp_path / "t.parquet") == 7
    assert parquet.read_table(tmp_path / "t.parquet").to_pylist() == list(aligned.table())


@pytest.mark.parametrize("topic", [2, "2", "town", " TOWN ", np.int64(2)])
def test_paragraphs_of_a_topic_come_document_by_document(aligned, topic):
    found = aligned.paragraphs(topic)
    assert [(each.document, each.unit, each.text) for each in found] == [
        (2, 1, "town hall"),
        (2, 3, "town"),
        (3, 1, "salt"),
        (3, 2, "snow"),
    ]
    assert {(each.topic, each.name, each.probability) for each in found} == {(2, "Town", 1.0)}


def test_all_units_of_a_document_are_passages(aligned):
    found = list(passages_of(aligned.documents[0], NAMES, 4))
    assert [(each.document, each.unit, each.start, each.end, each.words) for each in found] == [
        (4, 1, 0, 8, 2),
        (4, 2, 10, 19, 2),
        (4, 3, 21, 30, 2),
    ]
    assert [each.probability for each in found] == [0.9, 0.7, 0.5]
    assert {each.document for each in passages_of(aligned.documents[0], NAMES)} == {1}
    assert {each.document for each in runs_of(aligned.documents[0], NAMES)} == {1}


def slow_nearest(documents, document, unit, n):
    """The same by the words of the documentation, two units at a time."""
    units = [(d, u) for d, each in enumerate(documents) for u in range(each.n_units)]
    words = {(d, u): documents[d].texts[u].split() for d, u in units}
    held = Counter(word for found in words.values() for word in set(found))

    def weights(place):
        counts = Counter(words[place])
        raw = {
            word: (1 + math.log(count)) * (1 + math.log((1 + len(units)) / (1 + held[word])))
            for word, count in counts.items()
        }
        length = math.sqrt(sum(value**2 for value in raw.values()))
        return {word: value / length for word, value in raw.items()}

    asked = (document - 1, unit - 1)
    best = {}
    for d, u in units:
        if d != asked[0]:
            mine, other = weights(asked), weights((d, u))
            similarity = sum(mine[word] * other.get(word, 0) for word in mine)
            pair = zip(
                documents[asked[0]].probabilities[asked[1]],
                documents[d].probabilities[u],
                strict=True,
            )
            same = sum(a * b for a, b in pair)
            key = (-round(similarity * same, 9), d, u)
            if key[0] < 0:
                best[d] = min(best.get(d, key), key)
    return [(d + 1, u + 1, -score) for score, d, u in sorted(best.values())[:n]]


@st.composite
def corpora(draw):
    text = st.lists(st.sampled_from("abcdef"), max_size=5).map(" ".join)
    documents = []
    for _ in range(draw(st.integers(1, 4))):
        texts = draw(st.lists(text, min_size=1, max_size=4))
        shares = st.sampled_from([[1.0, 0, 0], [0.5, 0.5, 0], [0, 0, 1.0], [0.2, 0.3, 0.5]])
        probabilities = [draw(shares) for _ in texts]
        topics = np.argmax(probabilities, axis=1)
        documents.append(make_inferred(texts, topics, probabilities=probabilities, n_topics=3))
    return documents


@given(documents=corpora(), n=st.integers(1, 4))
def test_counterparts_are_those_found_by_comparing_all_pairs(documents, n):
    aligned = Alignment(documents, NAMES, split=str.split)
    for document, each in enumerate(documents, 1):
        for unit in range(1, each.n_units + 1):
            found = aligned.nearest(document, unit, n)
            expected = slow_nearest(documents, document, unit, n)
            assert [(f.document, f.unit) for f in found] == [(d, u) for d, u, _ in expected]
            scores = [score for *_, score in expected]
            assert [f.score for f in found] == pytest.approx(scores, abs=1e-8)


def test_a_counterpart_says_why_it_is_one(aligned):
    found, _ = aligned.nearest(1, 3)
    assert (found.document, found.unit, found.text) == (2, 2, "snow and snow hill")
    assert found.score == pytest.approx(found.similarity * found.same_topic)
    assert found.same_topic == 0.5
    assert 0 < found.similarity < 1


def test_five_counterparts_are_found_unless_another_number_is_asked_for():
    aligned = Alignment([make_inferred(["salt"], [0], title=str(n)) for n in range(7)], ["Sea"])
    assert [each.document for each in aligned.nearest(3, 1)] == [1, 2, 4, 5, 6]
    assert [row["document"] for row in aligned.nearest_table(3, 1)] == [1, 2, 4, 5, 6]
    assert len(list(aligned.nearest_table(3, 1, 6))) == 6


def test_words_are_split_as_the_model_splits_them():
    documents = [make_inferred(["Salt-Sea"], [0]), make_inferred(["salt"], [0])]
    assert len(Alignment(documents, ["Sea"]).nearest(1, 1)) == 1
    assert Alignment(documents, ["Sea"], split=str.split).nearest(1, 1) == ()


def test_no_documents_make_an_empty_table():
    assert list(Alignment([], []).table()) == []


def test_a_document_without_units_is_no_hindrance_to_counterparts():
    documents = [make_inferred(["salt"], [0]), make_inferred([], []), make_inferred(["salt"], [0])]
    assert [each.document for each in Alignment(documents, ["Sea"]).nearest(1, 1)] == [3]


def test_documents_without_a_word_have_no_counterparts():
    documents = [make_inferred(["…"], [0]), make_inferred(["!"], [0])]
    assert Alignment(documents, ["Sea"]).nearest(1, 1) == ()


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ((0, 1), "document must be a whole number of at least 1 and at most 3, not 0"),
        ((4, 1), "document must be a whole number of at least 1 and at most 3, not 4"),
        ((1, 4), "unit must be a whole number of at least 1 and at most 3, not 4"),
        ((1, 1, 0), "n must be a whole number of at least 1, not 0"),
    ],
)
def test_what_is_not_there_is_refused(aligned, asked, message):
    with pytest.raises(InputError, match=message):
        aligned.nearest(*asked)


@pytest.mark.parametrize(
    ("topic", "message"),
    [
        ("River", "no topic is called 'River': there are 'Sea', 'Hill', 'Town'"),
        (3, "a topic is a number from 0 to 2 or a name, not 3"),
        ("-1", "a topic is a number from 0 to 2 or a name, not '-1'"),
        ("9" * 5000, "a topic is a number from 0 to 2 or a name, not '9"),
        (True, "not True"),
        (1.0, "not 1.0"),
    ],
)
def test_a_topic_that_is_not_there_is_refused(topic, message):
    with pytest.raises(InputError, match=message):
        find_topic(NAMES, topic)


def test_every_topic_needs_a_name():
    fewer = make_inferred(["a"], [0], n_topics=1)
    with pytest.raises(InputError, match="2 topics need as many names, not 1"):
        Alignment([fewer, make_inferred(["a", "b"], [0, 1])], ["Sea"])
    with pytest.raises(InputError, match="2 topics need as many names, not 1"):
        Alignment([make_inferred(["a", "b"], [0, 1])], ["Sea"])


def test_a_fit_is_aligned_without_its_texts():
    topics = [np.array([1, 1, 0]), np.array([], dtype=np.int64), np.array([2])]
    spans, words = np.arange(8).reshape(4, 2), np.array([4, 3, 2, 1])
    fitted = list(fitted_documents(["a", "b", "c"], topics, 3, spans=spans, words=words))
    assert [each.swaps for each in fitted] == [1, 0, 0]
    assert [each.source_words.tolist() for each in fitted] == [[4, 3, 2], [], [1]]
    assert [each.source_spans.tolist() for each in fitted] == [
        [[0, 1], [2, 3], [4, 5]],
        [],
        [[6, 7]],
    ]
    assert all(each.seen for each in fitted)
    assert {int(each.known_words.sum() + each.unknown_words.sum()) for each in fitted} == {0}
    assert {each.samples.size for each in fitted} == {0}
    aligned = Alignment(fitted, NAMES)
    rows = [
        (r["title"], r["name"], r["start"], r["end"], r["words"], r["probability"])
        for r in aligned.table()
    ]
    assert rows == [
        ("a", "Hill", 0, 3, 7, None),
        ("a", "Sea", 4, 5, 2, None),
        ("c", "Town", 6, 7, 1, None),
    ]
    found = aligned.paragraphs("Hill")
    assert [(each.text, each.probability) for each in found] == [(None, None)] * 2
    with pytest.raises(InputError, match="found by their text, and a model keeps none"):
        aligned.nearest(1, 1)


def test_probabilities_of_a_fit_reach_their_documents():
    topics = [np.array([0, 1]), np.array([1])]
    probabilities = np.array([[0.75, 0.25], [0.5, 0.5], [0.0, 1.0]])
    boundaries = np.array([9.0, 0.25, 9.0])
    first, second = fitted_documents(
        ["a", "b"], topics, 2, probabilities=probabilities, boundaries=boundaries
    )
    assert first.boundaries.tolist() == [0.25]
    assert second.boundaries.tolist() == []
    assert first.probabilities.tolist() == [[0.75, 0.25], [0.5, 0.5]]
    assert second.probabilities.tolist() == [[0.0, 1.0]]
    [bare] = fitted_documents(["a"], topics[:1], 2)
    assert bare.source_spans.tolist() == [[-1, -1], [-1, -1]]
    assert np.isnan(bare.probabilities).all()
    assert bare.probabilities.shape == (2, 2)
