"""Bayesian segmentation against its definition, and against the program of 2008."""

from __future__ import annotations

import json
from collections import Counter
from itertools import combinations, pairwise
from math import lgamma

import numpy as np
import pytest
from scipy.stats import nbinom

from permutopic.baselines import bayesseg
from permutopic.baselines.bayesseg_learning import (
    fit_bayesseg,
    log_duration,
    segment_costs,
    segment_statistics,
)
from permutopic.baselines.local_tokens import all_local_tokens, local_tokens
from permutopic.baselines.segment_kernels import segment_costs_from
from permutopic.corpus import Corpus
from permutopic.errors import InputError
from permutopic.evaluation.evaluate import score_corpus_segmentation
from permutopic.ingest.pipeline import read_corpus


def tiny(seed, n_units=6):
    """A document of a few words, some units without any."""
    random = np.random.default_rng(seed)
    units = [" ".join(random.choice(list("abcde"), random.integers(0, 5))) for _ in range(n_units)]
    return ["a b", *units[1:]]


def score_of(units, begin, end, prior, mean=None, dispersion=None):
    """A segment's score, as the definition has it; scipy's negative binomial for its length."""
    v = len(set(" ".join(units).split()))
    counts = Counter(" ".join(units[begin:end]).split())
    score = lgamma(v * prior) - lgamma(sum(counts.values()) + v * prior)
    score += sum(lgamma(c + prior) - lgamma(prior) for c in counts.values())
    if dispersion is not None:
        share = dispersion / (dispersion + mean - 1)
        score += nbinom.logpmf(end - begin - 1, dispersion, share)
    return score


def score_of_ends(units, ends, prior, dispersion=None):
    mean = len(units) / len(ends)
    edges = [0, *ends]
    return sum(
        score_of(units, begin, end, prior, mean, dispersion) for begin, end in pairwise(edges)
    )


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("duration", [None, 0.7])
def test_it_finds_the_best_of_all_segmentations(seed, duration):
    units, prior = tiny(seed), [0.05, 0.2, 1.5][seed % 3]
    corpus = Corpus.from_paragraphs([units], tokens="whitespace")
    for n_segments in range(1, len(units) + 1):
        found = bayesseg.predict(corpus, prior=prior, n_segments=n_segments, duration=duration)
        scores = {
            (*cuts, len(units)): score_of_ends(units, (*cuts, len(units)), prior, duration)
            for cuts in combinations(range(1, len(units)), n_segments - 1)
        }
        best = max(scores.values())
        assert found.by_document["log_likelihood"] == pytest.approx([best], rel=1e-12)
        assert scores[tuple(found.ends(0).tolist())] == pytest.approx(best, abs=1e-9)
        assert found.measures["log_likelihood"] == pytest.approx(best)


def test_one_pass_gives_every_segment_the_score_of_its_definition():
    units = tiny(5)
    tokens = local_tokens(Corpus.from_paragraphs([units], tokens="whitespace"), 0)
    gains = np.log(np.arange(tokens.words.size) + 0.3)
    costs = segment_costs(tokens, 2, 0.3, 1.7, gains)
    row, seen = np.empty(len(units) + 1), np.zeros(tokens.n_words, dtype=np.int64)
    for begin in range(len(units)):
        segment_costs_from(tokens, costs, begin, seen, row)
        for end in range(begin + 1, len(units) + 1):
            expected = score_of(units, begin, end, 0.3, len(units) / 2, 1.7)
            assert -row[end] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("dispersion", [0.02, 1.0, 30.0, 1e5])
def test_lengths_are_negative_binomial_from_one_on(dispersion):
    lengths, mean = np.arange(1, 3000), 3.5
    chances = np.exp(log_duration(lengths, mean, dispersion))
    share = dispersion / (dispersion + mean - 1)
    assert chances == pytest.approx(nbinom.pmf(lengths - 1, dispersion, share), rel=1e-6)
    assert chances.sum() == pytest.approx(1, abs=1e-6)
    assert (chances * lengths).sum() == pytest.approx(mean, rel=1e-6)


def test_segments_of_one_unit_each_leave_their_length_no_choice():
    assert log_duration([1, 2], 1.0, 0.5).tolist() == [0.0, -np.inf]
    corpus = Corpus.from_paragraphs([["a", "b", "c"]])
    found = bayesseg.predict(corpus, prior=0.2, n_segments=3, duration="learned")
    without = bayesseg.predict(corpus, prior=0.2, n_segments=3)
    assert found.by_document["log_likelihood"] == pytest.approx(
        without.by_document["log_likelihood"]
    )


def planted(n_documents=8, n_units=12, unit_words=60, prior=0.1, even=True):
    """Documents of three segments, each with a distribution over 40 words of its own."""
    random = np.random.default_rng(4)
    documents = []
    for _ in range(n_documents):
        chances = random.dirichlet(np.full(40, prior), 3)
        cuts = [4, 8] if even else random.choice(np.arange(1, n_units), 2, replace=False)
        segment = (np.arange(n_units)[:, None] >= np.sort(cuts)).sum(axis=1)
        documents.append(
            [
                " ".join(f"w{word}" for word in random.choice(40, unit_words, p=chances[which]))
                for which in segment
            ]
        )
    return Corpus.from_paragraphs(documents, tokens="whitespace")


def test_a_planted_prior_and_planted_segments_are_found():
    # V counts the words a document has: some thirty of the forty that the prior is spread over.
    found = bayesseg.predict(planted(), n_segments=3)
    assert 0.08 < found.measures["prior"] < 0.16
    assert [found.ends(document).tolist() for document in range(8)] == [[4, 8, 12]] * 8


@pytest.mark.parametrize("learn_dispersion", [False, True])
def test_learning_never_lowers_the_likelihood_and_ends_where_nothing_changes(learn_dispersion):
    documents = all_local_tokens(planted(20, 20, unit_words=3, even=False))
    counts = np.full(20, 3)

    def climb(prior, dispersion):
        kinds = {"learn_prior": True, "learn_dispersion": learn_dispersion}
        return fit_bayesseg(
            documents, counts, prior, dispersion if learn_dispersion else None, **kinds
        )

    found = climb(5.0, 0.05)  # far off, so that there is something to climb
    assert found.iterations > 2
    assert len(found.trace) == 2 * found.iterations - 1
    assert np.diff(found.trace).min() > -1e-9
    assert found.trace[-1] > found.trace[0] + 1
    again = climb(found.prior, found.dispersion)
    assert again.iterations == 2
    assert again.prior == pytest.approx(found.prior, rel=1e-6)
    assert all(map(np.array_equal, again.ends, found.ends))
    segments = segment_statistics(documents, found.ends)
    for factor in (0.99, 1.01):
        assert segments.word_log_likelihood(found.prior * factor) < segments.word_log_likelihood(
            found.prior
        )
        if learn_dispersion:
            assert again.dispersion == pytest.approx(found.dispersion, rel=1e-6)
            nearby = segments.length_log_probability(found.dispersion * factor)
            assert nearby < segments.length_log_probability(found.dispersion)


def test_the_likelihood_of_gathered_segments_is_that_of_the_definition():
    documents = [tiny(1), tiny(2, 8)]
    corpus = Corpus.from_paragraphs(documents, tokens="whitespace")
    ends = [np.array([2, 3, 6]), np.array([7, 8])]
    segments = segment_statistics(all_local_tokens(corpus), ends)
    both = segments.word_log_likelihood(0.4) + segments.length_log_probability(2.5)
    expected = sum(
        score_of_ends(units, found.tolist(), 0.4, 2.5)
        for units, found in zip(documents, ends, strict=True)
    )
    assert both == pytest.approx(expected, rel=1e-12)


def test_words_that_never_come_twice_leave_the_prior_at_a_bound():
    corpus = Corpus.from_paragraphs([["a b", "c d"], ["e"]])
    found = bayesseg.predict(corpus, n_segments=1)
    assert found.measures["prior"] > 1000
    assert found.topics.tolist() == [0, 0, 1]


def test_measures_tell_what_was_used():
    corpus = Corpus.from_paragraphs([tiny(3), ["one unit"]])
    given = bayesseg.predict(corpus, prior=0.2, n_segments=2)
    assert set(given.measures) == {"prior", "log_likelihood", "iterations"}
    assert (given.measures["prior"], given.measures["iterations"]) == (0.2, 1)
    timed = bayesseg.predict(corpus, prior=0.2, n_segments=2, duration=3)
    assert timed.measures["dispersion"] == 3
    learned = bayesseg.predict(corpus, prior=0.2, n_segments=2, duration="learned")
    assert learned.measures["prior"] == 0.2
    assert learned.measures["dispersion"] != 1.0


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"prior": 0}, "prior must lie between 1e-06 and 1e\\+06, not 0"),
        ({"prior": "much"}, "prior must be a finite number, not 'much'"),
        ({"duration": -1}, "duration must lie between"),
        ({"duration": "long"}, "duration must be a positive number, 'learned' or None"),
    ],
)
def test_a_wrong_setting_is_refused(settings, message):
    with pytest.raises(InputError, match=message):
        bayesseg.predict(Corpus.from_paragraphs([["a", "b"]]), n_segments=1, **settings)


@pytest.mark.parametrize("name", ["cities_paper", "elements_paper"])
def test_ends_are_those_of_the_original_program(data, name):
    stored = json.loads((data / "reference/segmentations.json").read_text(encoding="utf-8"))[name]
    corpus = read_corpus(data / f"corpora/{name}.jsonl.gz", "ascii")
    ours = bayesseg.predict(corpus, prior=0.2)
    assert len(stored) == {"cities_paper": 50, "elements_paper": 59}[name]
    for title, theirs in stored.items():
        # No ties: ends have to be the same everywhere.
        found = ours.ends(corpus.titles.index(title)).tolist()
        assert found == theirs["bayesseg_prior0.2"]["ends"]


@pytest.mark.parametrize(
    ("prior", "pk", "windowdiff"), [(0.2, 0.2488, 0.2805), (None, 0.2504, 0.2867)]
)
def test_errors_on_the_whole_corpus_are_those_of_the_original_program(data, prior, pk, windowdiff):
    corpus = read_corpus(data / "corpora/elements_paper.jsonl.gz", "ascii")
    found = bayesseg.predict(corpus, prior=prior)
    score = score_corpus_segmentation(corpus, found, "heading", "words")
    assert (score.pk, score.windowdiff) == pytest.approx((pk, windowdiff), abs=2e-4)
    if prior is None:  # nothing changes any more
        again = bayesseg.predict(corpus, prior=found.measures["prior"])
        assert again.topics.tolist() == found.topics.tolist()
        assert again.measures["log_likelihood"] == found.measures["log_likelihood"]
