"""The ordering task: sections of documents that no fit has seen."""

from __future__ import annotations

import json

import numpy as np
import pytest

from permutopic import ContentModel, Corpus, InputError, read_documents
from permutopic.documents import Document, Unit
from permutopic.evaluation.ordering import (
    cross_validated,
    hmm_orders,
    label_taus,
    order_tau,
    ordering_taus,
    ridge_taus,
    sections_of,
)
from permutopic.ordering import DEFAULT_METHOD, METHODS

TEXTS = {
    "Coast": "salt sea waves sand tide",
    "Hills": "snow rocks ice peak ridge",
    "Town": "hall market street square shop",
}


def document(*headings, title="d"):
    units = tuple(Unit(TEXTS[heading], heading) for heading in headings)
    return Document(title, units, title)


USUAL = [document("Coast", "Coast", "Hills", "Town") for _ in range(6)]


def fit(documents):
    corpus = Corpus.from_documents(documents)
    return corpus, ContentModel(3, n_sweeps=30, random_state=0).fit(corpus)


@pytest.fixture(scope="module")
def fitted():
    return fit(USUAL)


def test_a_section_is_a_run_under_one_heading_and_has_its_label():
    units = (Unit("a", "x"), Unit("b", "x"), Unit("c", "y", "z"), Unit("d", "x"), Unit("e"))
    found = sections_of(Document("d", units, "d"))
    assert [(s.name, s.paragraphs) for s in found] == [
        ("x", ["a", "b"]),
        ("z", ["c"]),
        ("x", ["d"]),
        (None, ["e"]),
    ]


def test_each_document_is_scored_by_itself(fitted):
    test = [
        document("Coast", "Hills", "Town"),
        document("Town", "Hills", "Coast"),
        document("Hills", "Coast", "Town"),
        document("Town"),
    ]
    for method, taus in ordering_taus(*fitted, test).items():
        assert taus == pytest.approx([1, -1, 1 / 3]), method
    assert list(ordering_taus(*fitted, test[:1], ["map"])) == ["map"]
    assert ridge_taus(fitted[0], test) == pytest.approx([1, -1, 1 / 3])


def hmm_taus(corpus, documents, n_topics, seed=0):
    return [order_tau(found.order) for found in hmm_orders(corpus, documents, n_topics, seed)]


def test_the_content_hmm_orders_sections_whatever_order_they_come_in(fitted):
    test = [document("Coast", "Hills", "Town"), document("Town", "Hills", "Coast")]
    assert hmm_taus(fitted[0], [*test, document("Town")], 4) == [1, -1]
    assert all(found.exact for found in hmm_orders(fitted[0], test, 4))
    # "x" is no word of the corpus: the sections are one like the other, and only the seed decides.
    tied = Document("d", tuple(Unit("x", heading) for heading in "abcdef"), "d")
    taus = [hmm_taus(fitted[0], [tied], 4, seed)[0] for seed in range(40)]
    assert abs(np.mean(taus)) < 0.25
    assert min(taus) < 0 < max(taus)
    assert taus[0] == hmm_taus(fitted[0], [tied], 4, 0)[0]


def test_the_content_hmm_says_when_its_budget_was_spent(fitted):
    tied = document("Coast", "Hills", "Town", "Hills", "Coast")
    assert [found.exact for found in hmm_orders(fitted[0], [tied], 4, budget=0)] == [False]


def test_true_labels_are_sorted_by_their_mean_place():
    training = [document("Coast", "Hills", "Town"), document("Hills", "Coast", "Town")]
    # Coast and Hills are both first once and second once: tied, so half right.
    assert label_taus(training, [document("Coast", "Hills", "Town")]) == pytest.approx([2 / 3])
    long = Document("d", tuple(Unit("x", heading) for heading in ("a", "b", "Town", "c", "d")), "d")
    # Half-way through five sections is before the end of two.
    often = [document("Hills", "Coast", "Hills") for _ in range(3)]  # the mean counts, not the sum
    assert label_taus([*often, document("Hills", "Town")], [document("Coast", "Town")]) == [1.0]
    training = [document("Coast", "Hills"), long, document("Coast")]
    assert label_taus(training, [document("Town", "Hills")]) == [1.0]
    unknown = Document("d", (*document("Coast").units, Unit("who", "Who"), Unit("x", "Town")), "d")
    assert label_taus(USUAL, [unknown, document("Town")]) == [1.0]


def test_every_document_is_held_out_once():
    seen = []

    def noting(documents):
        seen.append([d.title for d in documents])
        return fit(documents)

    documents = [document("Coast", "Hills", "Town", title=str(n)) for n in range(6)]
    found = cross_validated(documents, noting, n_folds=3)
    assert sorted(found) == sorted([*METHODS, "ridge"])
    assert all(len(taus) == 6 for taus in found.values())
    assert [len(titles) for titles in seen] == [4, 4, 4]
    left_out = [set("012345") - set(titles) for titles in seen]
    assert set.union(*left_out) == set("012345")
    assert np.mean(found[DEFAULT_METHOD]) == 1


def test_there_are_two_folds_at_least_as_many_as_documents_at_most_and_five_by_default():
    sizes = []

    def noting(documents):
        sizes.append(len(documents))
        return fit(documents)

    for settings in ({"n_folds": 2}, {"n_folds": 6}, {}):
        cross_validated(USUAL, noting, **settings)
    assert sizes == [3] * 2 + [5] * 6 + [4] + [5] * 4


@pytest.mark.parametrize("n_folds", [1, 7])
def test_folds_hold_documents(n_folds):
    with pytest.raises(
        InputError, match="n_folds must lie between 2 and the number of documents, 6"
    ):
        cross_validated(USUAL, fit, n_folds)


def test_the_default_beats_the_rival_on_cities(data):
    folder = data / "corpora"
    split = json.loads((folder / "splits.json").read_text(encoding="utf-8"))["ordering"]
    training = list(read_documents(folder / f"{split['train']}.jsonl.gz"))
    titles = set(split["test_titles"])
    others = read_documents(folder / f"{split['test_corpus']}.jsonl.gz")
    test = [document for document in others if document.title in titles]
    assert len(test) == len(titles)
    corpus = Corpus.from_documents(training)
    rival = np.mean(ridge_taus(corpus, test))
    assert rival == pytest.approx(0.589, abs=0.002)
    assert np.mean(label_taus(training, test)) == pytest.approx(0.677, abs=0.002)
    paper = ContentModel(10, random_state=0, subject_words=False).fit(corpus)
    taus = ordering_taus(corpus, paper, test)
    # As docs/studies/ordering.md has it for this seed.
    assert np.mean(taus[DEFAULT_METHOD]) == pytest.approx(0.632, abs=0.015)
    assert np.mean(taus["positions"]) == pytest.approx(0.624, abs=0.015)
    assert np.mean(taus["map"]) == pytest.approx(0.488, abs=0.05)
    taus = ordering_taus(corpus, ContentModel(10, random_state=0).fit(corpus), test)
    assert np.mean(taus[DEFAULT_METHOD]) == pytest.approx(0.617, abs=0.015)
    assert np.mean(taus[DEFAULT_METHOD]) > rival
