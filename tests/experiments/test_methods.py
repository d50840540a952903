from __future__ import annotations

from contextlib import contextmanager

import numpy as np
import pytest

from permutopic import ContentModel, InputError
from permutopic.corpus import Corpus
from permutopic.experiments.methods import METHODS, Method, find_method
from permutopic.results.prediction import Prediction

CORPUS = Corpus.from_paragraphs(
    [["salt sea waves", "hills snow rocks"], ["waves salt", "snow rocks"]] * 4
    + [["rocks snow hills", "sea salt"]]
)


@pytest.mark.parametrize("name", ["full", "constrained", "uniform"])
def test_a_variant_is_the_model_with_that_variant(name):
    settings = {"n_sweeps": 12, "word_prior": 0.3}
    found = find_method(name).predict(CORPUS, 3, 5, **settings)
    model = ContentModel(3, variant=name, random_state=5, **settings).fit(CORPUS)
    assert found.topics.tolist() == model.prediction().topics.tolist()
    assert found.document_offsets.tolist() == CORPUS.document_offsets.tolist()


def test_settings_and_seed_reach_the_model(monkeypatch):
    seen = []

    def fit(self, corpus, *, on_sweep=None):
        seen.append(self.get_params())
        topics = np.zeros(corpus.n_units, dtype=np.int64)
        self.prediction = lambda: Prediction(topics, corpus.document_offsets)

    monkeypatch.setattr(ContentModel, "fit", fit)
    given = {"sampler": "paper", "n_chains": 2, "dispersion_strength": 3.0}
    find_method("uniform").predict(CORPUS, 4, 11, **given)
    assert given.items() <= seen[0].items()
    assert (seen[0]["n_topics"], seen[0]["random_state"], seen[0]["variant"]) == (4, 11, "uniform")


@pytest.mark.parametrize(
    ("name", "subject_words"), [("full", False), ("uniform", False), ("subjects", True)]
)
def test_only_one_method_has_subject_words(name, subject_words, monkeypatch):
    seen, fit = [], ContentModel.fit

    def watched_fit(model, corpus, **settings):
        seen.append(model.subject_words)
        return fit(model, corpus, **settings)

    monkeypatch.setattr(ContentModel, "fit", watched_fit)
    find_method(name).predict(CORPUS, 2, 0, n_sweeps=2)
    assert seen == [subject_words]


def test_every_setting_of_the_model_can_be_given():
    # A corpus has its tokens, and a method its variant and whether there are subject words.
    own = {"n_topics", "random_state", "variant", "subject_words", "tokens"}
    assert find_method("full").settings - {"progress"} == set(ContentModel().get_params()) - own


def test_progress_is_shown_to_who_wants_to_watch():
    sweeps = []

    @contextmanager
    def progress(model):
        assert model.n_topics == 2
        yield lambda info: sweeps.append(info.sweep)

    watched = find_method("full").predict(CORPUS, 2, 0, n_sweeps=10, progress=progress)
    assert sweeps == list(range(1, len(sweeps) + 1))
    assert len(sweeps) > 1
    unwatched = find_method("full").predict(CORPUS, 2, 0, n_sweeps=10)
    assert watched.topics.tolist() == unwatched.topics.tolist()


def test_an_unknown_method_is_refused_with_those_there_are():
    with pytest.raises(InputError, match=r"is one of full, constrained, uniform.*, not 'htmm2'"):
        find_method("htmm2")


def test_every_method_is_known_by_its_name_and_says_what_it_is():
    for name, method in METHODS.items():
        assert find_method(name) is method
        assert method.name == name
        assert method.description.endswith(".")


@pytest.mark.parametrize(
    ("n_topics", "seed", "settings", "message"),
    [
        (1, 0, {}, "n_topics"),
        (2, -1, {}, "the seed"),
        (2, 0, {"n_sweeps": 0}, "n_sweeps"),
        (2, 0, {"speed": 3}, "the method full has no setting speed; those it has: .*n_sweeps"),
        (2, 0, {"variant": "uniform"}, "the method full has no setting variant"),
    ],
)
def test_wrong_settings_are_known_without_a_corpus(n_topics, seed, settings, message):
    method = find_method("full")
    with pytest.raises(InputError, match=message):
        method.check(n_topics, seed, **settings)
    with pytest.raises(InputError, match=message):
        method.predict(CORPUS, n_topics, seed, **settings)


def unit_by_unit(corpus, n_topics, seed, *, step=1):
    topics = np.arange(corpus.n_units) * step % n_topics
    return Prediction(topics, corpus.document_offsets)


def test_a_rival_joins_with_a_function_and_its_settings():
    rival = Method("rival", "Counts.", unit_by_unit, frozenset({"step"}))
    assert rival.predict(CORPUS, 3).topics[:4].tolist() == [0, 1, 2, 0]
    assert rival.predict(CORPUS, 3, step=2).topics[:4].tolist() == [0, 2, 1, 0]
    with pytest.raises(InputError, match="rival has no setting n_sweeps; those it has: step"):
        rival.predict(CORPUS, 3, n_sweeps=1)
    bare = Method("bare", "Counts.", unit_by_unit)
    with pytest.raises(InputError, match="those it has: none"):
        bare.check(3, 0, step=2)


def test_only_a_segmenter_does_without_a_number_of_topics():
    assert Method("cuts", "Cuts.", unit_by_unit, aligns=False).predict(CORPUS).topics.max() == 1
    with pytest.raises(InputError, match=r"the method rival needs a number of topics \(n_topics\)"):
        Method("rival", "Counts.", unit_by_unit).predict(CORPUS)
    with pytest.raises(InputError, match="a method takes a Corpus, not list"):
        Method("rival", "Counts.", unit_by_unit).predict([["salt sea"]], 2)


def test_settings_are_tried_on_a_few_words_with_texts_and_headings():
    seen = []

    def watch(corpus, n_topics, seed, *, step=1):
        has_texts, n_headings = bool(corpus.texts), len(set(corpus.headings))
        seen.append((has_texts, corpus.n_documents, n_headings, n_topics, seed, step))
        return unit_by_unit(corpus, n_topics, seed, step=step)

    Method("rival", "Counts.", watch, frozenset({"step"})).check_on_sample(3, 7, step=2)
    assert seen == [(True, 2, 2, 3, 7, 2)]
    Method("own", "Counts.", watch, group="ours").check_on_sample(3)  # it knows its settings
    assert len(seen) == 1


@pytest.mark.parametrize(
    ("n_units", "offsets"), [(17, CORPUS.document_offsets), (18, [0, 18]), (16, [0, 16])]
)
def test_a_method_that_loses_units_or_documents_is_noticed(n_units, offsets):
    def lose(corpus, n_topics, seed):
        return Prediction(np.zeros(n_units, dtype=np.int64), np.array(offsets))

    message = rf"the method loser gave {n_units} topics for 18 units in 9 documents"
    with pytest.raises(ValueError, match=message) as told:
        Method("loser", "Loses.", lose).predict(CORPUS, 2)
    assert not isinstance(told.value, InputError)
