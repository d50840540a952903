"""Documents after the fit: inferred, seen or new, whatever they are like."""

from __future__ import annotations

import gc
import itertools
import pickle
import re
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from permutopic import (
    ContentModel,
    Corpus,
    Document,
    InputError,
    InputWarning,
    Unit,
    Units,
    datasets,
)
from permutopic.ordering import count_positions
from permutopic.readers import read_documents
from permutopic.text.tokens import Tokens

from audit import check_state

N_NEW = 14


@pytest.fixture(scope="module")
def articles():
    return list(read_documents(datasets.elements_folder()))


@pytest.fixture(scope="module")
def model(articles):
    return ContentModel(8, random_state=0).fit(articles[:-N_NEW])


@pytest.fixture(scope="module")
def found(model, articles):
    return list(model.infer(articles[-N_NEW:]))


def same(first, second):
    return all(
        np.array_equal(getattr(first, name), getattr(second, name))
        for name in ("topics", "probabilities", "boundaries", "samples", "topic_scores")
    )


def test_new_documents_get_the_topics_that_their_headings_say(model, found, articles):
    names = np.array(model.topic_names_)
    right = [
        name.casefold() == (unit.heading or "").casefold()
        for inferred, article in zip(found, articles[-N_NEW:], strict=True)
        for name, unit in zip(names[inferred.topics], article.units, strict=True)
    ]
    assert np.mean(right) > 0.85


def test_what_is_inferred_hangs_together(model, found, articles):
    for inferred, article in zip(found, articles[-N_NEW:], strict=True):
        size = len(article.units)
        assert inferred.title == article.title
        assert not inferred.seen
        assert inferred.n_units == size == len(inferred.texts)
        assert inferred.probabilities.shape == inferred.topic_scores.shape == (size, 8)
        assert inferred.samples.shape == (16, size)
        np.testing.assert_allclose(inferred.probabilities.sum(axis=1), 1)
        assert inferred.boundaries.shape == (size - 1,)
        assert np.all((inferred.boundaries > -1e-9) & (inferred.boundaries < 1 + 1e-9))
        assert inferred.source_spans[:, 0].tolist() == [unit.start for unit in article.units]
        assert article.source[slice(*inferred.source_spans[0])] == inferred.texts[0]
        assert -10 < inferred.log_likelihood < -5
        assert 0.8 < inferred.known_share <= 1
        # A topic is one run: no topic comes twice.
        assert len(set(inferred.topics.tolist())) == inferred.ends.size


def test_probabilities_and_boundaries_are_those_of_many_samples(model, articles):
    (inferred,) = model.infer(articles[-3:-2], n_samples=3000)
    shares = np.mean(inferred.samples[:, :, np.newaxis] == np.arange(8), axis=0)
    assert np.abs(shares - inferred.probabilities).max() < 0.05
    changes = np.mean(inferred.samples[:, 1:] != inferred.samples[:, :-1], axis=0)
    assert np.abs(changes - inferred.boundaries).max() < 0.05


def test_words_of_a_structure_are_as_likely_as_a_sum_of_spans_says(model, articles):
    (inferred,) = model.infer(articles[-1:], fast=True)
    score = inferred.topic_scores[np.arange(inferred.n_units), inferred.topics].sum()
    words = model.encode(articles[-1:]).words
    score += model.document_words_.log_probability(words)
    assert inferred.log_likelihood == pytest.approx(score / inferred.known_words.sum(), rel=1e-9)


def test_predict_and_transform_give_parts_of_the_same(model, found, articles):
    new = articles[-N_NEW:]
    assert all(map(np.array_equal, model.predict(new), (inferred.topics for inferred in found)))
    assert all(
        map(np.array_equal, model.transform(new), (inferred.probabilities for inferred in found))
    )


@pytest.mark.parametrize("n_jobs", [1, 2, 5, None])
def test_threads_change_nothing(model, found, articles, n_jobs):
    again = list(model.infer(articles[-N_NEW:], n_jobs=n_jobs))
    assert len(again) == len(found)
    assert all(map(same, again, found))


def test_a_document_is_the_same_in_any_company(model, found, articles):
    (alone,) = model.infer(articles[-1])
    assert same(alone, found[-1])
    backwards = list(model.infer(reversed(articles[-N_NEW:])))
    assert same(backwards[0], found[-1])


def test_another_seed_draws_other_samples(model, found, articles):
    other = list(model.infer(articles[-N_NEW:], random_state=1))
    assert not all(map(same, other, found))
    agree = [np.mean(a.topics == b.topics) for a, b in zip(other, found, strict=True)]
    assert np.mean(agree) > 0.95


def test_the_model_is_not_touched(model, articles):
    before = model.state_.copy()
    list(model.infer(articles))
    for name, array in vars(before).items():
        assert np.array_equal(array, getattr(model.state_, name))


def test_documents_of_the_fit_are_known_again_and_judged_by_the_others(model, articles):
    old = list(model.infer(articles[:6]))
    assert all(inferred.seen for inferred in old)
    agree = [np.mean(old[d].topics == model.topics_[d]) for d in range(6)]
    assert np.mean(agree) > 0.9
    # Its own words are left out: they are less of a surprise to a model that has them.
    blind = ContentModel(8, random_state=0).fit(articles[:-N_NEW])
    blind.document_digests_ = blind.document_digests_ + np.uint64(1)
    fooled = next(blind.infer(articles[:1]))
    assert not fooled.seen
    assert fooled.log_likelihood > old[0].log_likelihood


def test_an_endless_stream_is_answered_as_it_comes(model, articles):
    taken = []

    def endless():
        for article in itertools.cycle(articles[-N_NEW:]):
            taken.append(article.title)
            yield article

    stream = model.infer(endless(), n_jobs=2)
    first = list(itertools.islice(stream, 3))
    stream.close()
    gc.collect()
    assert [inferred.title for inferred in first] == taken[:3]
    assert len(taken) < 100


def test_a_corpus_will_do(model, found, articles):
    corpus = model.encode(articles[-N_NEW:])
    again = list(model.infer(corpus))
    assert all(map(same, again, found))
    assert again[0].texts == ()


def test_lists_of_paragraphs_will_do(model, found, articles):
    paragraphs = [[unit.text for unit in article.units] for article in articles[-N_NEW:]]
    again = list(model.infer(paragraphs))
    assert all(map(same, again, found))
    assert again[0].title == "0"
    assert np.all(again[0].source_spans == -1)


def test_no_documents_give_nothing(model):
    assert list(model.infer([])) == []
    assert model.predict([]) == model.transform([]) == []


def test_one_paragraph_is_one_segment(model):
    (inferred,) = model.infer([["It melts at 300 degrees and conducts heat well."]])
    assert inferred.ends.tolist() == [1]
    assert inferred.boundaries.size == inferred.swaps == 0


def test_ten_thousand_paragraphs_are_a_document_too(model, articles):
    units = [unit for article in articles for unit in article.units]
    long, headings = [], []
    for name in model.topic_names_:
        mine = [unit.text for unit in units if unit.heading == name]
        long += [mine[n % len(mine)] for n in range(1_250)]
        headings += [name] * 1_250
    (inferred,) = model.infer([long], n_samples=1)
    assert inferred.n_units == 10_000
    assert np.mean(np.array(model.topic_names_)[inferred.topics] == headings) > 0.95


def test_a_document_of_unknown_words_is_what_any_document_may_be(model):
    with pytest.warns(InputWarning, match=r"document 0: '0': the model knows none of its words"):
        (inferred,) = model.infer([["Xyzzy plugh.", "Plover!"]])
    assert np.isnan(inferred.log_likelihood)
    assert inferred.known_share == 0
    np.testing.assert_allclose(inferred.probabilities.sum(axis=1), 1)
    assert inferred.probabilities.max() < 0.9


def test_another_language_is_warned_of(model):
    german = "Das Element ist ein Metall und wird seit langer Zeit von vielen Menschen geschätzt. "
    with pytest.warns(InputWarning, match="% of its words: another language"):
        list(model.infer([[german * 3, german]]))


def test_of_many_doubtful_documents_few_are_named(model):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        list(model.infer([["Xyzzy plugh."]] * 10, n_jobs=2))
    messages = [str(warning.message) for warning in caught]
    assert len(messages) == 4
    assert "7 more documents" in messages[-1]


@pytest.mark.parametrize(
    ("documents", "message"),
    [
        ("text", "documents are str: give a list of lists of paragraphs"),
        (7, "documents are int"),
        ([["a"], "text"], "document 1 is str: give a list of paragraphs"),
        ([["a"], [1]], "document 1, paragraph 0 is int: give a string"),
        ([[]], "document 0: '0' has no paragraph"),
        ([["a"], Document("x", (Unit("b"),), "x")], "document 1 is a Document among lists"),
        ([Document("x", (Unit("metal"),), "x"), ["a"]], "document 1 is list, others are Documents"),
    ],
)
def test_bad_documents_are_refused_in_one_line(model, documents, message):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputWarning)
        with pytest.raises(InputError, match=message) as caught:
            list(model.infer(documents))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_samples": 0}, "n_samples must be a whole number of at least 1"),
        ({"n_jobs": 0}, "n_jobs"),
        ({"random_state": -1}, "random_state"),
    ],
)
def test_bad_settings_are_refused_at_once(model, settings, message):
    with pytest.raises(InputError, match=message):
        model.infer([["metal"]], **settings)


def test_a_corpus_made_with_other_settings_is_refused(model, articles):
    other = Corpus.from_documents(articles[-3:], "whitespace")
    with pytest.raises(
        InputError, match="made with tokens='whitespace' and the model with 'words'"
    ):
        list(model.infer(other))
    other = Corpus.from_documents(articles[-3:], units="sentence")
    with pytest.raises(InputError, match="made with units="):
        list(model.infer(other))
    other = Corpus.from_documents(articles[-3:])
    with pytest.raises(InputError, match="another vocabulary than the model"):
        list(model.infer(other))


def test_titles_may_come_twice(model, found, articles):
    twice = list(model.infer([articles[-1], articles[-1]]))
    assert [inferred.title for inferred in twice] == [articles[-1].title] * 2
    assert all(same(inferred, found[-1]) for inferred in twice)


def test_merged_topics_are_merged_in_new_documents_too(articles):
    model = ContentModel(8, random_state=0).fit(articles[:-N_NEW])
    plain = list(model.infer(articles[-N_NEW:], n_samples=200))
    merge_map = np.array([0, 1, 1, 2, 3, 4, 5, 6])
    model.merge_topics([1, 2])
    assert np.array_equal(model._topics.view.merge_map, merge_map)
    for before, after in zip(plain, model.infer(articles[-N_NEW:], n_samples=200), strict=True):
        assert np.array_equal(merge_map[before.topics], after.topics)
        np.testing.assert_allclose(
            before.probabilities[:, 1] + before.probabilities[:, 2], after.probabilities[:, 1]
        )
        shown = merge_map[before.samples]
        changes = np.mean(shown[:, 1:] != shown[:, :-1], axis=0)
        np.testing.assert_allclose(after.boundaries, changes)
        mixed = np.logaddexp(before.topic_scores[:, 1], before.topic_scores[:, 2])
        assert np.all(after.topic_scores[:, 1] <= mixed + 1e-9)


@pytest.mark.parametrize("variant", ["constrained", "uniform"])
def test_variants_infer_in_their_own_way(articles, variant):
    model = ContentModel(8, variant=variant, random_state=0, n_sweeps=30).fit(articles[:40])
    found = list(model.infer(articles[-N_NEW:]))
    if variant == "constrained":
        assert all(np.all(np.diff(inferred.topics) >= 0) for inferred in found)
    else:  # every order is as good as another, so documents have many
        orders = {tuple(dict.fromkeys(inferred.topics.tolist())) for inferred in found}
        assert len(orders) > 5


def test_a_loaded_model_infers_the_same(model, found, articles, tmp_path):
    model.save(tmp_path / "m")
    again = list(ContentModel.load(tmp_path / "m").infer(articles[-N_NEW:]))
    assert all(map(same, again, found))


def test_more_documents_move_the_model_and_topics_keep_their_numbers(articles, tmp_path):
    model = ContentModel(8, random_state=0, n_chains=2, keep="all").fit(articles[:-N_NEW])
    before, names, fingerprint = model.state_.copy(), model.topic_names_, model.corpus_fingerprint_
    predicted = np.concatenate(model.predict(articles[-N_NEW:]))
    assert model.partial_fit(articles[-N_NEW:]) is model
    assert len(model.titles_) == len(model.topics_) == len(articles)
    assert model.topic_names_ == names
    assert model.corpus_fingerprint_ != fingerprint
    check_state(model.encode(articles), model.state_)
    everything = count_positions(model.encode(articles), model.state_.all_topics(), 8).arrays()
    for name, array in model.positions_.arrays().items():
        assert np.array_equal(array, everything[name]), name
    assert np.array_equal(model.state_.bag[:-N_NEW], before.bag)
    assert not np.array_equal(model.state_.dispersion, before.dispersion)
    assert np.mean(np.concatenate(model.topics_[-N_NEW:]) == predicted) > 0.9
    assert model.unit_words_.size == len(model.unit_spans_) == model.bags_.sum()
    assert all(inferred.seen for inferred in model.infer(articles[-N_NEW:]))
    model.save(tmp_path / "m")
    assert np.array_equal(ContentModel.load(tmp_path / "m").bags_, model.bags_)


def test_more_documents_count_once(articles):
    model = ContentModel(8, random_state=0, n_sweeps=20).fit(articles[:40])
    first = re.escape(repr(articles[0].title))
    known = rf"40 of 42 documents \({first} for one\) are in the model already"
    with pytest.warns(InputWarning, match=known):
        model.partial_fit(articles[:42])
    assert len(model.titles_) == 42
    with pytest.warns(InputWarning, match="42 of 42"):
        model.partial_fit(articles[:42])
    with pytest.warns(InputWarning, match="2 of 3 documents .* or come twice"):
        model.partial_fit([articles[42]] * 3)
    assert len(model.titles_) == 43
    with pytest.warns(InputWarning, match="none of 2 documents has a word"):
        model.partial_fit([["Xyzzy."], ["Plugh."]])
    assert len(model.titles_) == 43
    assert model.partial_fit([]) is model


def test_the_same_documents_move_a_model_the_same_way(articles):
    states = []
    for n_jobs in (1, 2):
        model = ContentModel(8, random_state=0, n_sweeps=20, n_jobs=n_jobs).fit(articles[:40])
        states.append(model.partial_fit(articles[40:50]).state_)
    assert np.array_equal(states[0].bag, states[1].bag)
    assert np.array_equal(states[0].dispersion, states[1].dispersion)


def test_partial_fit_of_an_unfitted_model_fits_it(articles):
    model = ContentModel(8, random_state=0, n_sweeps=20).partial_fit(articles[:30])
    assert len(model.titles_) == 30


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_what_came_before_a_bad_document_is_answered(model, articles, n_jobs):
    stream = model.infer([*articles[-5:], ["x"]], n_jobs=n_jobs)
    titles = [inferred.title for inferred in itertools.islice(stream, 5)]
    assert titles == [article.title for article in articles[-5:]]
    with pytest.raises(InputError, match="document 5 is list"):
        next(stream)


def test_threads_of_the_users_own_may_infer_at_once(articles):
    corpus = Corpus.from_documents(articles[:30], Tokens(language="en", stem=True))
    model = ContentModel(8, random_state=0, n_sweeps=10).fit(corpus)
    alone = list(model.infer(articles[-4:], n_jobs=1))
    with ThreadPoolExecutor(4) as pool:
        jobs = [pool.submit(lambda: list(model.infer(articles[-4:], n_jobs=1))) for _ in range(8)]
        for job in jobs:
            assert all(map(same, job.result(), alone))


def test_a_model_that_has_inferred_can_still_be_sent_to_a_process(model, found, articles):
    list(model.infer(articles[-2:]))
    again = pickle.loads(pickle.dumps(model))
    assert same(next(again.infer(articles[-1:])), found[-1])


def test_the_prior_on_dispersions_grows_with_the_documents(articles):
    model = ContentModel(8, random_state=0, n_sweeps=10).fit(articles[:30])
    assert model.partial_fit(articles[30:40]).priors_.strength == pytest.approx(4.0)
    own = ContentModel(8, random_state=0, n_sweeps=10, dispersion_strength=7.0).fit(articles[:30])
    assert own.partial_fit(articles[30:40]).priors_.strength == 7.0


def test_many_samples_find_a_structure_that_no_other_seed_betters(articles):
    """A long document, made of all articles' units topic by topic, some of them astray."""
    model = ContentModel(8, random_state=0).fit(articles[:-N_NEW])
    units = [unit for article in articles for unit in article.units]
    long = [unit.text for name in model.topic_names_ for unit in units if unit.heading == name]
    rng = np.random.default_rng(0)
    keys = np.arange(len(long)) + rng.normal(0, 10, len(long))
    long = [long[n] for n in np.argsort(keys)]
    totals = [
        next(model.infer([long], n_samples=200, random_state=seed)).log_likelihood
        for seed in range(4)
    ]
    assert np.ptp(totals) * sum(len(text.split()) for text in long) < 10


def test_documents_that_are_all_too_short_are_left_out_with_a_warning(articles):
    corpus = Corpus.from_documents(articles[:4], units=Units(min_words=5, short="drop"))
    model = ContentModel(3, random_state=0, n_sweeps=3).fit(corpus)
    with pytest.warns(InputWarning, match="none of 2 documents has a word that the model knows"):
        model.partial_fit([["Iron."], ["Gold."]])
    assert len(model.titles_) == 4
