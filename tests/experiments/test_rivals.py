"""What holds for every rival, whatever it does inside."""

from __future__ import annotations

import inspect
from dataclasses import replace

import numpy as np
import pytest

from permutopic import InputError
from permutopic.corpus import Corpus
from permutopic.documents import Document, Unit
from permutopic.experiments import rivals
from permutopic.experiments.methods import METHODS, find_method
from permutopic.extras import MissingExtraError

COAST = "salt sea waves sand gulls salt tide harbour"
HILLS = "snow rocks ice peaks goats snow pass glacier"
TOWN = "hall market square mayor bridge market church tower"


def encode(texts):
    """Count letters: an encoder that needs no library."""
    return np.array([[text.count(letter) for letter in "aeiostrn"] for text in texts], dtype=float)


def document(number, *parts):
    units = tuple(Unit(text, heading) for heading, text in parts)
    return Document(f"Place {number}", units, "places")


def places(n_documents=8, seed=0):
    """Coast, hills and town, two or three units each, with an empty one here and there."""
    random = np.random.default_rng(seed)
    documents = []
    for number in range(n_documents):
        parts = []
        for heading, words in (("Coast", COAST), ("Hills", HILLS), ("Town", TOWN)):
            for _ in range(2 + int(random.integers(2))):
                text = " ".join(random.choice(words.split(), 12))
                parts.append((heading, text))
        place = int(random.integers(len(parts)))
        parts.insert(place, (parts[place][0], "–"))
        documents.append(document(number, *parts))
    return documents


PLACES = Corpus.from_documents(places(), keep_texts=True)
RIVALS = [method.name for method in rivals.RIVALS]


def settings_of(method):
    return {"encoder": encode} if "encoder" in method.settings else {}


def predict(name, corpus, n_topics=3, seed=0):
    method = find_method(name)
    try:
        return method.predict(corpus, n_topics, seed, **settings_of(method))
    except MissingExtraError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("name", RIVALS)
def test_a_rival_answers_for_every_unit_and_again_the_same(name):
    found = predict(name, PLACES, seed=4)
    again = predict(name, PLACES, seed=4)
    assert found.topics.tolist() == again.topics.tolist()
    assert found.document_offsets.tolist() == PLACES.document_offsets.tolist()
    assert found.topics.dtype == np.int64
    assert found.topics.min() >= 0
    if find_method(name).aligns:
        assert found.topics.max() < 3
    for numbers in found.by_document.values():
        assert numbers.shape == (PLACES.n_documents,)
        assert np.isfinite(numbers).all()
    assert all(np.isfinite(number) for number in found.measures.values())


@pytest.mark.parametrize("name", RIVALS)
def test_headings_are_looked_at_for_their_number_alone(name):
    expected = predict(name, PLACES)
    if find_method(name).uses_reference_count:
        other = {"Coast": "A", "Hills": "B", "Town": "C"}
        headings = tuple(other[heading] for heading in PLACES.headings)
    else:
        headings = (None,) * PLACES.n_units
    changed = predict(name, replace(PLACES, headings=headings))
    assert changed.topics.tolist() == expected.topics.tolist()


@pytest.mark.parametrize("name", [m.name for m in rivals.RIVALS if m.uses_reference_count])
def test_who_is_told_the_number_of_segments_keeps_to_it(name):
    found = predict(name, PLACES)
    assert [found.ends(d).size for d in range(PLACES.n_documents)] == [3] * PLACES.n_documents
    method = find_method(name)
    given = method.predict(PLACES, 3, 0, n_segments=2)
    assert [given.ends(d).size for d in range(PLACES.n_documents)] == [2] * PLACES.n_documents
    bare = replace(PLACES, headings=(None,) * PLACES.n_units)
    assert method.predict(bare, 3, 0, n_segments=2).topics.tolist() == given.topics.tolist()
    with pytest.raises(InputError, match="n_segments"):
        method.predict(bare, 3)


@pytest.mark.parametrize("name", ["texttiling", "c99"])
def test_who_chooses_the_number_can_be_given_it(name):
    method = find_method(name)
    for given, number in ((2, 2), ("reference", 3)):
        found = method.predict(PLACES, n_segments=given)
        assert [found.ends(d).size for d in range(8)] == [number] * 8


@pytest.mark.parametrize("name", [m.name for m in rivals.RIVALS if not m.aligns])
def test_segments_belong_to_nothing_else(name):
    found = predict(name, PLACES)
    ends = sum(found.ends(d).size for d in range(PLACES.n_documents))
    assert np.unique(found.topics).size == ends
    without = find_method(name).predict(PLACES)  # it asks for no number of topics
    assert without.topics.tolist() == found.topics.tolist()


@pytest.mark.parametrize("name", [m.name for m in rivals.RIVALS if m.aligns])
def test_who_aligns_needs_a_number_of_topics(name):
    method = find_method(name)
    with pytest.raises(InputError, match=f"the method {name} needs a number of topics"):
        method.predict(PLACES)


@pytest.mark.parametrize("name", RIVALS)
@pytest.mark.parametrize(
    "documents",
    [
        [document(0, ("A", "one word"))],
        [document(0, ("A", "salt salt"), ("B", "–"))],
        [document(n, ("A", "–"), ("B", f"sea {'abc'[n]}"), ("B", "–")) for n in range(3)],
        [document(0, *[("AB"[n // 3], "the same words") for n in range(6)])],
    ],
    ids=["one unit", "one with words", "mostly empty", "all alike"],
)
def test_little_and_odd_corpora_are_no_trouble(name, documents):
    corpus = Corpus.from_documents(documents, keep_texts=True)
    for n_topics in (2, 5):
        found = predict(name, corpus, n_topics)
        assert found.topics.size == corpus.n_units


@pytest.mark.parametrize("name", [m.name for m in rivals.RIVALS if m.stochastic])
def test_another_seed_may_give_another_result(name):
    random = np.random.default_rng(1)
    noise = [
        [" ".join(random.choice([*COAST.split(), *HILLS.split()], 5)) for _ in range(9)]
        for _ in range(8)
    ]
    documents = [document(n, *(("A", t) for t in units)) for n, units in enumerate(noise)]
    corpus = Corpus.from_documents(documents, keep_texts=True)
    found = {tuple(predict(name, corpus, 4, seed).topics.tolist()) for seed in range(4)}
    assert len(found) > 1


def some(n_units=60, seed=2):
    """Units that belong to nothing in particular, in documents that have words of their own."""
    random = np.random.default_rng(seed)
    words = [*COAST.split(), *HILLS.split(), *TOWN.split()]
    texts = [" ".join(random.choice(words, 6)) for _ in range(n_units)]
    parts = [texts[n : n + 10] for n in range(0, n_units, 10)]
    documents = [
        document(n, *(("A", f"{text} {'xyz'[n % 3] * 9}") for text in part))
        for n, part in enumerate(parts)
    ]
    return Corpus.from_documents(documents, keep_texts=True)


@pytest.mark.parametrize(
    ("name", "plain"), [("clustering-rbr", "clustering"), ("embeddings-centred", "embeddings")]
)
def test_what_comes_in_two_kinds_is_not_twice_the_same(name, plain):
    corpus = some()
    first, second = predict(name, corpus, 6), predict(plain, corpus, 6)
    assert first.topics.tolist() != second.topics.tolist()
    if "i2" in first.measures:
        assert first.measures["i2"] > second.measures["i2"]


@pytest.mark.parametrize("name", [m.name for m in rivals.RIVALS if not m.stochastic])
def test_where_nothing_goes_by_chance_the_seed_does_nothing(name):
    assert (
        predict(name, PLACES, seed=0).topics.tolist()
        == predict(name, PLACES, seed=9).topics.tolist()
    )


@pytest.mark.parametrize("name", ["clustering", "clustering-rbr", "htmm", "lda"])
def test_three_kinds_of_units_are_told_apart(name):
    found = predict(name, PLACES)
    worded = np.diff(PLACES.unit_offsets) > 0
    headings = np.array(PLACES.headings)[worded]
    pairs = set(zip(headings, found.topics[worded], strict=True))
    assert len(pairs) == 3


@pytest.mark.parametrize("name", RIVALS)
def test_every_setting_is_an_argument_of_the_rival(name):
    method = find_method(name)
    function = method.run
    fixed = set()
    while hasattr(function, "func"):
        fixed |= set(function.keywords)
        function = function.args[0] if function.args else function.func
    assert method.settings <= set(inspect.signature(function).parameters) - fixed


@pytest.mark.parametrize(
    ("n_topics", "seed", "message"),
    [(1, 0, r"n_topics \(K\) must be"), (3, -1, "^seed must be"), (2.5, 0, "n_topics")],
)
def test_wrong_numbers_are_refused_before_a_corpus_is_read(n_topics, seed, message):
    for name in ("clustering", "lda", "embeddings"):
        with pytest.raises(InputError, match=message):
            find_method(name).check(n_topics, seed)


def test_a_rival_whose_library_is_missing_says_so_at_once(monkeypatch):
    monkeypatch.setattr(rivals, "find_spec", lambda name: None)
    monkeypatch.setattr(rivals, "needs", lambda *given: (_ for _ in ()).throw(RuntimeError(given)))
    for name in ("lda", "embeddings", "embeddings-centred"):
        with pytest.raises(RuntimeError):
            METHODS[name].check(3)
    METHODS["embeddings"].check(3, encoder=encode)


def test_texts_must_have_been_kept_for_embeddings():
    bare = replace(PLACES, texts=())
    with pytest.raises(InputError, match=r"keeps no texts.*keep_texts=True"):
        METHODS["embeddings"].predict(bare, 3, encoder=encode)
