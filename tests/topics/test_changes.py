"""Whatever is merged, named, taken back and saved: what is shown fits together."""

from __future__ import annotations

import numpy as np
import pytest

from permutopic import ContentModel, InputError
from permutopic.corpus import Corpus
from permutopic.documents import Document, Unit
from permutopic.permutation import order_to_inversions

HEADINGS = [None, "", "1", "0", "1984", "a (0)", "(unused)", "Uses", "USES", "1. Uses", "E = mc2"]
HEADINGS += ["x" * 300, "\x1b[2J", "水", "عربي", "a", "...", "(lead)"]
WORDS = ["a", "b", "1", "水", "می\u200cخواهم", "a=b", "isotope", "isotopes", "\x07q", "straße"]
NAMES = [None, "N", "a (1)", "a", "Uses", "Uses (1)"]


def random_corpus(rng):
    headings = [HEADINGS[n] for n in rng.choice(len(HEADINGS), 4, replace=False)]
    words = rng.choice(WORDS, rng.integers(1, 7), replace=False)
    documents = []
    for number in range(rng.integers(2, 6)):
        units = [
            Unit(" ".join(rng.choice(words, rng.integers(n == 0, 5))), headings[rng.integers(4)])
            for n in range(rng.integers(1, 6))
        ]
        documents.append(Document(str(number), tuple(units), str(number)))
    return Corpus.from_documents(documents, "whitespace")


def check(model):
    n_topics = len(model.topic_names_)
    assert len({name.casefold() for name in model.topic_names_}) == n_topics
    assert not any(name.isdecimal() for name in model.topic_names_)
    for document, topics in enumerate(model.topics_):
        assert np.bincount(topics, minlength=n_topics).tolist() == model.bags_[document].tolist()
        order = model.orders_[document]
        assert sorted(order) == list(range(n_topics))
        assert order_to_inversions(order).tolist() == model.inversions_[document].tolist()
    assert model.prevalence_.sum() == pytest.approx(1)
    assert model.word_distributions_.sum(axis=1) == pytest.approx(np.ones(n_topics))
    assert model.topic_probabilities().sum(axis=1) == pytest.approx(1)
    assert [entry.topic for entry in model.outline(3)] == list(range(n_topics))
    for topic, name in enumerate(model.topic_names_):
        assert model._topics.renamed({name: "q q"}).names[topic].text == "q q"


def change(model, rng, folder):
    n_topics = len(model.topic_names_)
    some = rng.choice(n_topics, rng.integers(1, n_topics + 1), replace=False).tolist()
    keys = [topic if rng.random() < 0.5 else model.topic_names_[topic] for topic in some]
    step = rng.integers(5)
    if step <= 1:
        model.merge_topics(keys, name=NAMES[rng.integers(len(NAMES))])
    elif step == 2:
        model.rename_topics({key: NAMES[rng.integers(len(NAMES))] for key in keys[:2]})
    elif step == 3:
        model.unmerge_topics()
        assert len(model.topic_names_) == model.n_topics
    else:
        model.save(folder / "m")
        again = ContentModel.load(folder / "m")
        assert again.outline(5) == model.outline(5)
        return again
    return model


@pytest.mark.parametrize("seed", range(5))
def test_what_is_shown_fits_together_after_any_changes(seed, tmp_path):
    rng = np.random.default_rng(seed)
    variant = ["full", "constrained", "uniform"][seed % 3]
    model = ContentModel(
        int(rng.integers(2, 7)), variant=variant, n_sweeps=3, n_chains=2, keep="all",
        random_state=seed,
    ).fit(random_corpus(rng))  # fmt: skip
    check(model)
    for _ in range(8):
        before = model.topic_names_
        try:
            model = change(model, rng, tmp_path)
        except InputError:  # a name that is taken, one topic to merge: nothing has changed
            assert model.topic_names_ == before
        check(model)
