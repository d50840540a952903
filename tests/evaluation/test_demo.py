"""The demo on the bundled articles: what it claims, for the seeds it is claimed for."""

from __future__ import annotations

import numpy as np
import pytest

from permutopic import ContentModel, read_documents
from permutopic.datasets import elements_folder, load_elements
from permutopic.evaluation.demo import N_CHAINS, N_TOPICS, count_matched, make_model, run_demo
from permutopic.evaluation.evaluate import evaluate
from permutopic.model.generate import generate
from permutopic.model.mcmc.convergence import match_topics
from permutopic.model.priors import Priors
from permutopic.permutation import count_swaps

CORPUS = load_elements()


@pytest.fixture(scope="module")
def runs():
    """One chain with every default, seeds 0 to 4."""
    models = [ContentModel(N_TOPICS, random_state=seed) for seed in range(5)]
    return [(evaluate(CORPUS, model), model) for model in models]


def test_one_chain_finds_the_headings(runs):
    # docs/studies/subjects.md has F .935 ± .004 and Pk .067 for these seeds.
    scores = [evaluation.alignment.f for evaluation, _ in runs]
    assert np.mean(scores) == pytest.approx(0.935, abs=0.01)
    assert min(scores) > 0.91
    errors = [evaluation.segmentation.pk for evaluation, _ in runs]
    assert np.mean(errors) == pytest.approx(0.067, abs=0.008)


def test_every_run_names_at_least_six_topics_by_a_heading_of_their_own(runs):
    headings = set(CORPUS.headings)
    for _, model in runs:
        assert len(headings & set(model.topic_names_)) >= 6


def test_without_headings_names_are_words_of_the_topics():
    paragraphs = [[unit.text for unit in a.units] for a in read_documents(elements_folder())]
    model = ContentModel(N_TOPICS, random_state=0).fit(paragraphs)
    assert len(set(model.topic_names_)) == N_TOPICS
    for entry in model.outline(n_words=15):
        assert entry.named_by == "words"
        assert set(entry.name.split(", ")) <= set(entry.words)


def test_the_demo_scores_what_it_shows():
    seen = []
    model = make_model(0)
    result = run_demo(model, seen.append)
    assert {info.chain for info in seen} == set(range(N_CHAINS))
    assert result.n_documents == len(result.documents) == CORPUS.n_documents
    shown = [(document.swaps, document.title) for document in result.documents]
    assert shown == sorted(shown)
    assert {document.title for document in result.documents} == set(CORPUS.titles)
    assert (result.n_units, result.n_words) == (CORPUS.n_units, CORPUS.n_tokens)
    assert {len(entry.words) for entry in result.outline} == {5}
    assert result.matched_units / result.n_units == pytest.approx(
        result.evaluation.alignment.f, abs=0.005
    )
    assert result.evaluation.alignment.f == pytest.approx(0.944, abs=0.01)
    assert {entry.named_by for entry in result.outline} == {"heading"}


def test_the_demo_runs_four_whole_chains_on_all_cores():
    model = make_model(3)
    assert (model.n_topics, model.n_sweeps, model.n_chains, model.n_jobs) == (8, 300, 4, -1)
    assert (model.early_stop, model.random_state) == (False, 3)


def test_matching_gives_a_heading_one_topic_at_most():
    assert count_matched(["a", "b", "a", "b"], np.array([0, 0, 1, 1])) == 2
    assert count_matched(["a", "a"], np.array([3, 3])) == 2
    assert count_matched(["a", "a", "b"], np.array([0, 3, 3])) == 2
    assert count_matched(["a", "b", "c"], np.array([0, 0, 0])) == 1


@pytest.mark.parametrize("seed", range(3))
def test_a_corpus_drawn_from_the_model_is_recovered(seed):
    rng = np.random.default_rng(seed)
    priors = Priors.for_documents(60, topic=5.0, dispersion=2.0, strength=20.0)
    corpus, truth = generate(6, priors, rng, n_documents=60, units=12, unit_words=30, n_words=400)
    model = ContentModel(6, n_chains=2, random_state=seed).fit(corpus)
    true, found = truth.all_topics(), model.prediction().topics
    together = np.zeros((6, 6), dtype=np.int64)
    np.add.at(together, (found, true), 1)
    stands_for = match_topics(together)
    assert np.mean(stands_for[found] == true) > 0.97
    assert count_swaps(stands_for) <= 2  # of 15
