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
        ("cities_paper", 100, 13.2, 66.7),
        ("elements_paper", 118, 7.7, 23.8),
        ("elements_en", 33, 7.9, 72),
        ("man2_en", 248, 6.0, 38),
        ("man2_fr", 244, 6.0, 36.5),
    ],
)
def test_corpora_are_read_whole(data, name, documents, sections, paragraphs):
    corpus = read_corpus(data / f"corpora/{name}.jsonl.gz")
    assert corpus.n_documents == documents
    assert corpus.n_units / documents == pytest.approx(paragraphs, rel=0.02)
    ends = [segment_ends(corpus.headings[corpus.units_of(d)]).size for d in range(documents)]
    assert sum(ends) / documents == pytest.approx(sections, abs=0.15)


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


def test_fifty_sweeps_get_well_above_chance(data):
    corpus = read_corpus(data / "corpora/elements_paper.jsonl.gz", "whitespace")
    result = evaluate(corpus, ContentModel(10, n_sweeps=50, random_state=0))
    assert result.alignment.f > 0.45
    assert result.segmentation.pk < 0.28
