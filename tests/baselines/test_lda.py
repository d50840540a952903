"""LDA on units: what is handed to tomotopy, and what comes back."""

from __future__ import annotations

import sys
from importlib.util import find_spec

import numpy as np
import pytest

from permutopic.baselines.lda import predict
from permutopic.corpus import Corpus
from permutopic.errors import InputError
from permutopic.metrics import score_alignment

# Not importorskip: tomotopy's import warns, warnings are errors here, and it would seem missing.
needs_tomotopy = pytest.mark.skipif(
    find_spec("tomotopy") is None, reason="NO tomotopy: pip install 'permutopic[lda]'"
)


def planted(n_documents=30, seed=0):
    """Three topics with six words of their own each, one unit of each in every document."""
    random = np.random.default_rng(seed)
    orders = [random.permutation(3) for _ in range(n_documents)]
    texts = [
        [" ".join(random.choice([f"w{topic}x{n}" for n in range(6)], 15)) for topic in order]
        for order in orders
    ]
    return Corpus.from_paragraphs(texts), np.concatenate(orders)


class Recorder:
    """Stands in for tomotopy's model: keeps what it is given, and answers by a unit's length."""

    def __init__(self, **settings):
        self.settings, self.docs, self.training, self.ll_per_word = settings, [], None, -1.5
        type(self).made = self

    def add_doc(self, words):
        self.docs.append(Unit(words))

    def train(self, iterations, **settings):
        self.training = (iterations, settings)


class Unit:
    def __init__(self, words):
        self.words = words

    def get_topic_dist(self):
        return np.eye(9, dtype=np.float32)[len(self.words)]


def test_units_go_in_whole_and_the_most_probable_topic_comes_out(monkeypatch):
    monkeypatch.setitem(sys.modules, "tomotopy", type("Module", (), {"LDAModel": Recorder}))
    corpus = Corpus.from_paragraphs([["sea salt sea", "!", "iron"], ["!", "salt ore"]])
    found = predict(corpus, 9, 7, iterations=40)
    assert [unit.words for unit in Recorder.made.docs] == [
        ["sea", "salt", "sea"],
        ["iron"],
        ["salt", "ore"],
    ]
    assert Recorder.made.settings == {"k": 9, "seed": 7}
    assert Recorder.made.training == (40, {"workers": 1})
    assert found.topics.tolist() == [3, 3, 1, 2, 2]
    assert found.measures == {"log_likelihood_per_word": -1.5}
    for seed, taken in ((1000, 1000), (2**63 - 1, 2**63 - 1), (2**63 + 5, 5)):
        predict(corpus, 9, seed)
        assert Recorder.made.settings["seed"] == taken  # a machine word holds no more


@needs_tomotopy
def test_planted_topics_are_found():
    corpus, topics = planted()
    assert score_alignment(topics, predict(corpus, 3, iterations=200).topics).f > 0.95


@needs_tomotopy
def test_the_seed_settles_the_result():
    corpus, _ = planted()
    first, again, other = (
        predict(corpus, 8, seed, iterations=30).topics.tolist() for seed in (1, 1, 2)
    )
    assert first == again
    assert first != other


@needs_tomotopy
def test_more_topics_than_units_will_do():
    found = predict(Corpus.from_paragraphs([["sea", "salt"], ["ore"]]), 40, iterations=10)
    assert found.topics.size == 3
    assert 0 <= found.topics.min() <= found.topics.max() < 40


def test_without_the_extra_it_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "tomotopy", None)
    with pytest.raises(InputError, match=r"LDA need the extra 'lda'.*permutopic\[lda\]"):
        predict(planted(2)[0], 2)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"n_topics": 0}, "n_topics must be a whole number of at least 1"),
        ({"iterations": 0}, "iterations must be a whole number of at least 1 and"),
        ({"seed": -1}, "seed must be a whole number of at least 0"),
    ],
)
def test_wrong_settings_are_named(wrong, message):
    with pytest.raises(InputError, match=message):
        predict(planted(2)[0], **{"n_topics": 2, **wrong})
