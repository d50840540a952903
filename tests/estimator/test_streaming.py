"""A stream of documents: how it is divided among threads, and which documents are doubtful."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest

from permutopic.estimator import streaming

from by_hand import make_encoded


def a_document(known, unknown=0, title="t"):
    """A document of one unit with so many known and unknown words."""
    document = make_encoded([0] * known, [0, known])
    return replace(document, title=title, unknown=np.array([unknown]))


def warned(*documents):
    """What is said of documents."""
    doubtful = streaming._DoubtfulDocuments(np.zeros(100, dtype=bool))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert list(doubtful.observe(documents)) == list(documents)
        doubtful.warn_of_rest()
    return [str(warning.message) for warning in caught]


@pytest.mark.parametrize(
    ("known", "unknown", "message"),
    [
        (10, 10, None),  # half of the words is enough
        (9, 11, "the model knows 45% of its words: another language"),
        (1, 18, None),  # too few words to judge by
        (1, 19, "the model knows 5% of its words"),
        (0, 1, "the model knows none of its words"),
        (0, 0, "the model knows none of its words"),
        (30, 0, None),
    ],
)
def test_documents_with_few_known_words_are_doubtful(known, unknown, message):
    found = warned(a_document(known, unknown))
    if message is None:
        assert found == []
    else:
        assert len(found) == 1
        assert found[0].startswith("t.txt: 't': ")
        assert message in found[0]


@pytest.mark.parametrize("count", [2, 3, 4, 9])
def test_three_doubtful_documents_are_named_and_the_others_counted(count):
    found = warned(*(a_document(0, 3, str(n)) for n in range(count)))
    assert [f"'{n}'" in found[n] for n in range(min(count, 3))] == [True] * min(count, 3)
    rest = f"{count - 3} more documents are hardly in the model's words"
    assert found[3:] == ([rest] if count > 3 else [])


def test_batches_grow_to_their_size_and_hold_every_document_once():
    documents = [a_document(998) for _ in range(200)]  # each counts as a thousand tokens
    batches = list(streaming._batches(documents))
    assert [document for batch in batches for document in batch] == documents
    sizes = [len(batch) for batch in batches]
    assert sizes[:6] == [1, 2, 4, 8, 16, 32]
    assert set(sizes[6:-1]) <= {33}  # of 2^15 tokens
    assert all(sizes)


def test_what_came_before_a_bad_document_makes_a_batch():
    def broken():
        yield from (a_document(3, title=str(n)) for n in range(4))
        raise ValueError("bad")

    batches = streaming._batches(broken())
    seen = []
    with pytest.raises(ValueError, match="bad"):
        seen += (document.title for batch in batches for document in batch)
    assert seen == ["0", "1", "2", "3"]


def test_a_merged_topic_has_the_mixture_of_its_parts_by_prevalence():
    scores = np.log([[0.1, 0.3, 0.2], [0.4, 0.1, 0.3]])
    mixed = streaming._merged_mixture(scores, np.array([0, 1, 0]), np.array([0.2, 0.5, 0.3]))
    expected = [[0.4 * 0.1 + 0.6 * 0.2, 0.3], [0.4 * 0.4 + 0.6 * 0.3, 0.1]]
    assert np.exp(mixed) == pytest.approx(np.array(expected))
    assert streaming._merged_mixture(scores, np.arange(3), np.full(3, 0.1)) is scores
