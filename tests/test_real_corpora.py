"""Checks on real corpora; they need --data FOLDER and are skipped without."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from permutopic import ContentModel, read_corpus
from permutopic.evaluation.evaluate import evaluate
from permutopic.metrics import score_segmentation
from permutopic.metrics.segmentation import ends_in_words
from permutopic.results.prediction import segment_ends


@pytest.mark.parametrize(
    ("name", "documents", "sections", "paragraphs"),
    [
        ("cities_paper", 100, 13.19, 66.7),
        ("elements_paper", 118, 7.71, 23.81),
        ("elements_en", 33, 7.94, 72.39),
        ("man2_en", 248, 5.97, 38.05),
        ("man2_fr", 244, 5.92, 36.46),
    ],
)
def test_corpora_are_read_whole(data, name, documents, sections, paragraphs):
    corpus = read_corpus(data / f"corpora/{name}.jsonl.gz")
    assert corpus.n_documents == documents
    assert corpus.n_units / documents == pytest.approx(paragraphs, abs=0.006)
    ends = [segment_ends(corpus.headings[corpus.units_of(d)]).size for d in range(documents)]
    assert sum(ends) / documents == pytest.approx(sections, abs=0.006)


def test_our_copy_of_the_reference_scores_is_theirs(data):
    theirs = json.loads((data / "reference/metrics.json").read_text(encoding="utf-8"))
    ours = json.loads((Path(__file__).parent / "data/metrics.json").read_text(encoding="utf-8"))
    assert ours["segmentation"] == theirs["segmentation"]
    assert ours["alignment"] == theirs["alignment"]


@pytest.mark.parametrize(("name", "pk"), [("cities_paper", 0.3507), ("elements_paper", 0.2532)])
def test_the_original_textseg_gets_the_score_it_had(data, name, pk):
    """Its stored output covers every second document; `pk` is that of the whole corpus."""
    stored = json.loads((data / "reference/segmentations.json").read_text(encoding="utf-8"))[name]
    corpus = read_corpus(data / f"corpora/{name}.jsonl.gz", "whitespace")
    errors = []
    for title, found in stored.items():
        units = corpus.units_of(corpus.titles.index(title))
        true = segment_ends(corpus.headings[units])
        assert true.tolist() == found["reference_ends"]
        ends = found["textseg_given"]["ends"]
        words = corpus.source_words[units]
        score = score_segmentation(ends_in_words(true, words), ends_in_words(ends, words), "words")
        errors.append(score.pk)
    assert np.mean(errors) == pytest.approx(pk, abs=0.015)


RESULTS = Path(__file__).parents[1] / "docs/studies/results"


@pytest.mark.parametrize(("name", "n_seeds"), [("elements_paper", 5), ("cities_paper", 2)])
def test_the_papers_model_scores_what_the_documentation_reports(data, name, n_seeds):
    corpus = read_corpus(data / f"corpora/{name}.jsonl.gz", "whitespace")
    settings = {"n_topics": 10, "subject_words": False}
    found = [evaluate(corpus, ContentModel(**settings, random_state=s)) for s in range(n_seeds)]
    lines = (RESULTS / f"{name}_k10_default.jsonl").read_text(encoding="utf-8").splitlines()
    stored = [json.loads(line) for line in lines[:n_seeds]]
    # On another kind of machine chains differ: these are about two standard errors of the mean.
    for score, kind, within in (("f", "alignment", 0.015), ("pk", "segmentation", 0.01)):
        mean = np.mean([getattr(getattr(each, kind), score) for each in found])
        assert mean == pytest.approx(np.mean([each[kind][score] for each in stored]), abs=within)
    mean = np.mean([each.log_joint for each in found])
    assert mean == pytest.approx(np.mean([each["log_joint"] for each in stored]), rel=5e-4)


@pytest.mark.parametrize(("name", "n_seeds"), [("elements_paper", 5), ("man2_fr", 3)])
def test_a_default_fit_scores_what_the_documentation_reports(data, name, n_seeds):
    corpus = read_corpus(data / f"corpora/{name}.jsonl.gz")
    found = [evaluate(corpus, ContentModel(10, random_state=seed)) for seed in range(n_seeds)]
    lines = (RESULTS / "subjects.jsonl").read_text(encoding="utf-8").splitlines()
    stored = [
        run
        for run in map(json.loads, lines)
        if (run["corpus"], run["n_topics"], run["method"]) == (name, 10, "default")
    ]
    stored = sorted(stored, key=lambda run: run["seed"])[:n_seeds]
    means = [
        np.mean([each.alignment.f for each in found]),
        np.mean([each.segmentation.pk for each in found]),
        np.mean([each.subject_words.token_share for each in found]),
    ]
    expected = [np.mean([run[name] for run in stored]) for name in ("f", "pk", "subject_tokens")]
    assert means == pytest.approx(expected, abs=0.02)
