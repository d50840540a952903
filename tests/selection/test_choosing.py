"""Choosing K: errors that are what they say, and corpora of a known K."""

from __future__ import annotations

import json
from itertools import count
from types import SimpleNamespace

import numpy as np
import pytest

from permutopic import ContentModel, Corpus, InputError
from permutopic.datasets import load_elements
from permutopic.model.generate import generate
from permutopic.model.priors import Priors
from permutopic.selection import choosing
from permutopic.selection.choosing import (
    FitInfo,
    check_candidates,
    choose_k,
    compare_candidates,
    default_candidates,
    gain_over_one_topic,
)
from permutopic.selection.held_out import make_fold, score_one_topic


def drawn_corpus(n_topics, seed, *, n_documents=30, units=8, unit_words=20):
    """A corpus with so many topics, none of them rare, in orders that vary."""
    priors = Priors.for_documents(n_documents, topic=5.0, dispersion=2.0, strength=20.0)
    corpus, _ = generate(
        n_topics,
        priors,
        np.random.default_rng(seed),
        n_documents=n_documents,
        units=units,
        unit_words=unit_words,
        n_words=300,
    )
    return corpus


@pytest.mark.parametrize(("n_topics", "seed"), [(3, 0), (5, 1), (6, 2), (8, 3)])
def test_the_number_of_topics_that_made_a_corpus_is_found(n_topics, seed):
    corpus = drawn_corpus(n_topics, seed)
    choice = choose_k(corpus, [2, 3, 4, 5, 6, 8, 10], n_seeds=2)
    assert choice.n_topics == n_topics
    assert choice.gain > 10 * choice.gain_error
    larger = choice.candidates[-1]
    assert larger.topics_used == n_topics  # what is superfluous is given up
    assert larger.agreement > 0.95


@pytest.mark.parametrize("seed", [0, 1, 2, 7, 10, 16])
def test_words_without_topics_are_told_as_such(seed):
    rng = np.random.default_rng(seed)
    texts = [[" ".join(rng.choice(list("abcdefghij"), 12)) for _ in range(5)] for _ in range(20)]
    choice = choose_k(Corpus.from_paragraphs(texts, tokens="whitespace"), [2, 4, 6], n_seeds=2)
    # Topics may gain a little by chance, which is told as well.
    told = ("No K predicts held-out words better than one list of words", "which may be chance")
    assert any(words in note for note in choice.notes for words in told)


def test_documents_with_topics_are_not_said_to_have_none():
    choice = choose_k(load_elements(), [6, 8], n_seeds=2)
    assert not any("better than one list of words" in note for note in choice.notes)


@pytest.fixture(scope="module")
def small():
    return drawn_corpus(3, 0, n_documents=12, units=5, unit_words=8)


def test_all_fits_see_the_same_documents_and_no_other(small, monkeypatch):
    fitted, completed = [], []
    fits = [(2, 0), (2, 1), (3, 0), (3, 1)]
    fit, infer = ContentModel.fit, ContentModel.infer

    def watched_fit(model, corpus, **settings):
        assert (model.n_topics, model.random_state) == fits.pop(0)
        fitted.append(corpus)
        return fit(model, corpus, **settings)

    def watched_infer(model, corpus, **settings):
        completed.append(corpus)
        return infer(model, corpus, **settings)

    monkeypatch.setattr(ContentModel, "fit", watched_fit)
    monkeypatch.setattr(ContentModel, "infer", watched_infer)
    choice = choose_k(small, [2, 3], n_seeds=2, held_out=0.25)
    assert fits == []
    assert len({corpus.fingerprint for corpus in fitted}) == 1
    assert len({corpus.fingerprint for corpus in completed}) == 1
    assert set(fitted[0].titles) | set(completed[0].titles) == set(small.titles)
    assert set(fitted[0].titles).isdisjoint(completed[0].titles)
    assert choice.n_held_out == completed[0].n_documents == 3
    assert choice.hidden_words + completed[0].n_tokens + choice.unknown_words == 3 * 5 * 8


def test_every_fit_is_announced(small):
    seen = []
    choose_k(small, [3, 2], n_seeds=2, model=ContentModel(random_state=7), on_fit=seen.append)
    assert seen == [
        FitInfo(1, 4, 2, 7),
        FitInfo(2, 4, 2, 8),
        FitInfo(3, 4, 3, 7),
        FitInfo(4, 4, 3, 8),
    ]


def test_the_same_seed_gives_the_same_choice_and_another_holds_out_others(small):
    def chosen(seed):
        found = choose_k(small, [2, 3], n_seeds=2, model=ContentModel(random_state=seed))
        plain = found.as_dict()
        for row in plain["candidates"]:
            row.pop("seconds")
        return plain

    assert chosen(1) == chosen(1)
    assert chosen(1)["one_topic"] != chosen(2)["one_topic"]


def test_the_model_lends_its_settings_and_stays_as_it_is(small):
    model = ContentModel(n_sweeps=3, variant="uniform", word_prior=0.5, random_state=4)
    before = model.get_params()
    choice = choose_k(small, [2, 3], n_seeds=2, model=model)
    assert model.get_params() == before
    assert not hasattr(model, "topics_")
    assert choice.settings["n_sweeps"] == 3
    assert choice.settings["variant"] == "uniform"
    assert choice.settings["seeds"] == [4, 5]
    assert choice.settings["corpus_fingerprint"] == small.fingerprint
    assert "n_topics" not in choice.settings
    assert choose_k(small, [2, 3], n_seeds=2).one_topic != choice.one_topic


def test_no_topic_is_taken_for_impossible_that_a_hundred_draws_did_not_have(small, monkeypatch):
    scored, asked = [], []
    score, infer = choosing.score_hidden, ContentModel.infer

    def watched_score(fold, probabilities, *words):
        scored.append(probabilities)
        return score(fold, probabilities, *words)

    def watched_infer(model, corpus, **settings):
        found = list(infer(model, corpus, **settings))
        drawn = np.concatenate([each.probabilities for each in found])
        asked.append((settings["n_samples"], 0.99 * drawn + 0.01 * model.prevalence_))
        return found

    monkeypatch.setattr(choosing, "score_hidden", watched_score)
    monkeypatch.setattr(ContentModel, "infer", watched_infer)
    choose_k(small, [2, 3], n_seeds=2, model=ContentModel(n_sweeps=3, random_state=0))
    assert [n_samples for n_samples, _ in asked] == [100] * 4
    for (_, expected), probabilities in zip(asked, scored, strict=True):
        assert probabilities == pytest.approx(expected)
        assert probabilities.sum(axis=1) == pytest.approx(1)


def test_three_seeds_and_a_fifth_of_the_documents_are_taken_unless_told_otherwise(
    small, monkeypatch
):
    clock = SimpleNamespace(perf_counter=count(step=2.0).__next__)
    monkeypatch.setattr(choosing, "time", clock)
    advised, advise = [], choosing.recommend
    monkeypatch.setattr(choosing, "recommend", lambda *a: advised.append(a) or advise(*a))
    model = ContentModel(n_sweeps=3, random_state=0, subject_words=False)
    choice = choose_k(small, [2, 3], model=model)
    assert choice.settings["seeds"] == [0, 1, 2]
    assert (choice.n_documents, choice.n_held_out, choice.settings["held_out"]) == (12, 2, 0.2)
    assert [row.seconds for row in choice.candidates] == [6.0, 6.0]  # two for each fit
    assert advised == [(choice.candidates, choice.gain, choice.gain_error)]
    fold = make_fold(small, 0.2, np.random.default_rng(0))
    one_topic = score_one_topic(fold, 0.1).sum() / fold.hidden.size
    assert choice.one_topic == pytest.approx(one_topic)
    assert choice.gain == pytest.approx(max(c.held_out for c in choice.candidates) - one_topic)
    assert (choice.hidden_words, choice.unknown_words) == (fold.hidden.size, fold.unknown)


def test_a_choice_can_be_written_as_json(small):
    plain = json.loads(json.dumps(choose_k(small, [2, 3], n_seeds=2).as_dict(), allow_nan=False))
    assert [row["n_topics"] for row in plain["candidates"]] == [2, 3]
    assert min(row["behind"] for row in plain["candidates"]) == 0


@pytest.mark.parametrize(
    ("candidates", "message"),
    [
        ([1, 4], r"n_topics \(K\) must be a whole number of at least 2"),
        ([4.5, 8], "must be a whole number"),
        ([4, 4], r"at least two different numbers of topics, not \[4\]"),
        ([], r"at least two different numbers of topics, not \[\]"),
        ("4-8", "must be a list of numbers of topics, not '4-8'"),
        (4, "must be a list of numbers of topics, not 4"),
    ],
)
def test_candidates_that_are_none_are_refused(candidates, message):
    with pytest.raises(InputError, match=message):
        check_candidates(candidates)


def test_candidates_that_the_documents_not_held_out_do_not_allow_are_refused_before_any_fit():
    twenty = Corpus.from_paragraphs([["salt sea waves", "hills snow rocks"]] * 10)
    fits = []
    with pytest.raises(InputError, match=r"number of units to fit: 16 paragraphs, not 17"):
        choose_k(twenty, [2, 17], on_fit=fits.append)
    assert fits == []


def test_candidates_are_sorted_and_each_is_there_once():
    assert check_candidates(np.array([9, 4, 9])) == (4, 9)


def test_one_seed_cannot_disagree(small):
    with pytest.raises(InputError, match="n_seeds must be a whole number of at least 2"):
        choose_k(small, [2, 3], n_seeds=1)


@pytest.mark.parametrize("n_units", [4, 79, 80, 200, 279, 280, 10**6])
def test_there_are_units_for_every_candidate(n_units):
    candidates = default_candidates(n_units)
    assert len(candidates) >= 3
    assert candidates == (2, 3, 4) or 10 * max(candidates) <= n_units


def test_no_candidate_is_above_the_units():
    assert default_candidates(4) == (2, 3, 4)
    assert default_candidates(3) == default_candidates(2) == (2, 3)


def test_a_small_corpus_is_tried_with_few_topics(small):
    choice = choose_k(small, n_seeds=2)
    assert [row.n_topics for row in choice.candidates] == [2, 3, 4]


def slow_error(nats, words):
    """The error of Σ nats / Σ words, as textbooks have it for a ratio, document by document."""
    ratio = sum(nats) / sum(words)
    squares = sum((x - ratio * w) ** 2 for x, w in zip(nats, words, strict=True))
    mean_words = sum(words) / len(words)
    return (squares / (len(words) - 1) / len(words)) ** 0.5 / mean_words


def test_comparisons_are_paired_over_documents():
    rng = np.random.default_rng(0)
    words = rng.integers(5, 50, 8)
    scores = rng.normal(-6, 1, (3, 2, 8)) * words
    found = compare_candidates(scores, words)
    means = scores.mean(axis=1)
    assert found.held_out == pytest.approx(means.sum(axis=1) / words.sum())
    best = int(found.held_out.argmax())
    assert found.behind[best] == found.behind_error[best] == 0
    seeds = [np.var(row.sum(axis=1) / words.sum(), ddof=1) for row in scores]
    between = 2 * np.mean(seeds) / 2
    for k in range(3):
        assert found.behind[k] == pytest.approx(found.held_out[best] - found.held_out[k])
        if k != best:
            expected = slow_error(means[best] - means[k], words) ** 2 + between
            assert found.behind_error[k] == pytest.approx(expected**0.5)


def test_what_documents_have_in_common_for_all_k_is_no_error():
    rng = np.random.default_rng(0)
    words = rng.integers(5, 50, 8)
    level = rng.normal(-6, 1, 8) * words
    scores = np.stack([[level, level], [level - 0.5 * words, level - 0.5 * words]])
    found = compare_candidates(scores, words)
    assert found.behind.tolist() == pytest.approx([0, 0.5])
    assert found.behind_error.tolist() == pytest.approx([0, 0], abs=1e-12)


def test_the_gain_is_held_against_one_topic():
    rng = np.random.default_rng(1)
    words = rng.integers(5, 50, 8)
    scores, one = rng.normal(-6, 1, (2, 8)) * words, rng.normal(-7, 1, (2, 8)) * words
    gain, error = gain_over_one_topic(scores, one, words)
    gains = scores - one
    assert gain == pytest.approx(gains.mean(axis=0).sum() / words.sum())
    between = np.var(gains.sum(axis=1) / words.sum(), ddof=1) / 2
    expected = (slow_error(gains.mean(axis=0), words) ** 2 + between) ** 0.5
    assert error == pytest.approx(expected)


def test_the_error_is_the_spread_of_differences_over_corpora_and_seeds():
    # Documents and seeds are drawn anew many times: the error says how far the difference strays.
    rng = np.random.default_rng(2)
    strayed, said = [], []
    for _ in range(2000):
        words = rng.integers(20, 60, 30)
        of_documents = rng.normal(0, 0.05, (2, 1, 30))
        of_seeds = rng.normal(0, 0.02, (2, 3, 1))
        found = compare_candidates((of_documents + of_seeds) * words, words)
        strayed.append(float(found.held_out[0] - found.held_out[1]) ** 2)
        said.append(float(found.behind_error.max()) ** 2)
    assert np.mean(said) == pytest.approx(np.mean(strayed), rel=0.1)
