"""The rival that regresses places of true sections on their words."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfTransformer

from permutopic.baselines.ridge_position import fit_ridge_positions
from permutopic.corpus import Corpus
from permutopic.documents import Document, Unit
from permutopic.errors import InputError


def corpus_of(*documents):
    """Documents as lists of (heading, text)."""
    return Corpus.from_documents(
        Document(str(n), tuple(Unit(text, heading) for heading, text in units), str(n))
        for n, units in enumerate(documents)
    )


CORPUS = corpus_of(
    [("Coast", "sea sea salt"), ("Coast", "sea"), ("Hills", "snow sea"), ("Town", "hall the hall")],
    [("Hills", "snow the snow"), ("Town", "hall")],
    [("Coast", "salt the")],
)


def numbers(*words):
    return np.array([CORPUS.vocabulary.index(word) for word in words], dtype=np.int64)


def slowly(alpha=1.0):
    """Sections written out by hand, scikit-learn's tf·idf, and the normal equations."""
    sections = [
        ("sea sea salt sea", 0.0),
        ("snow sea", 0.5),
        ("hall the hall", 1.0),
        ("snow the snow", 0.0),
        ("hall", 1.0),
        ("salt the", 0.0),
    ]
    counts = np.array(
        [[text.split().count(word) for word in CORPUS.vocabulary] for text, _ in sections]
    )
    weigh = TfidfTransformer(sublinear_tf=True).fit(counts)
    table = weigh.transform(counts).toarray()
    places = np.array([place for _, place in sections])
    centred = table - table.mean(axis=0)
    weights = np.linalg.solve(
        centred.T @ centred + alpha * np.eye(table.shape[1]), centred.T @ (places - places.mean())
    )
    return weigh, weights, places.mean() - table.mean(axis=0) @ weights


@pytest.mark.parametrize("alpha", [1.0, 0.1])
def test_scores_are_those_of_the_normal_equations(alpha):
    learned = fit_ridge_positions(CORPUS, alpha=alpha)
    pieces = [[numbers("sea", "sea"), numbers("hall")], [numbers("snow")], []]
    counts = np.zeros((3, CORPUS.n_words))
    for row, piece in zip(counts, pieces, strict=True):
        np.add.at(row, np.concatenate([*piece, numbers()]), 1)
    weigh, weights, constant = slowly(alpha)
    expected = weigh.transform(counts).toarray() @ weights + constant
    assert learned.scores(pieces) == pytest.approx(expected, abs=1e-6)


def test_pieces_without_words_are_tied():
    scores = fit_ridge_positions(CORPUS).scores([[], [numbers()], [numbers("sea")]])
    assert scores[0] == scores[1] != scores[2]


def test_labels_may_say_what_a_section_is():
    units = (Unit("a", "x", "one"), Unit("b", "y", "one"), Unit("c", "z", "two"))
    corpus = Corpus.from_documents([Document("d", units, "d")])
    by_heading = fit_ridge_positions(corpus).scores([[np.array([0])], [np.array([1])]])
    by_label = fit_ridge_positions(corpus, reference="label").scores(
        [[np.array([0])], [np.array([1])]]
    )
    assert by_heading[0] < by_heading[1]
    assert by_label[0] == pytest.approx(by_label[1])


def test_it_needs_headings():
    with pytest.raises(InputError, match="none of these documents has headings"):
        fit_ridge_positions(Corpus.from_paragraphs([["a", "b"]]))
