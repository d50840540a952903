from __future__ import annotations

import numpy as np
import pytest

from permutopic import ContentModel, InputError, InputWarning
from permutopic.corpus import Corpus
from permutopic.documents import Document, Unit
from permutopic.evaluation.evaluate import evaluate, score_corpus_segmentation
from permutopic.metrics import score_alignment
from permutopic.results.prediction import Prediction


def document(title, *units):
    return Document(title, tuple(Unit(text, heading) for text, heading in units), title)


CORPUS = Corpus.from_documents(
    [
        document("one", ("a b c d", "x"), ("a b", "x"), ("e f", "y"), ("e", "x")),
        document("two", ("e f g", "y"), ("a", "x")),
    ]
)


def test_segmentation_by_hand():
    # Document one: reference ends after words 6, 8, 9; found after 4 and 9. k = 9 // 6 = 1, eight
    # windows; boundaries 6 and 8 are seen by windows 5, 6, 7 and 4 by windows 3, 4: five disagree.
    prediction = Prediction(np.array([0, 1, 1, 1, 0, 1]), CORPUS.document_offsets)
    score = score_corpus_segmentation(CORPUS, prediction, "heading", "words")
    assert score.pk == pytest.approx((5 / 8 + 0) / 2)
    assert score.windowdiff == pytest.approx((5 / 8 + 0) / 2)
    assert (score.segments, score.reference_segments) == (2.0, 2.5)


def test_words_are_those_of_the_source_whatever_the_tokens():
    # Ten white-space words, four tokens: "a - - - -" is one token and five words.
    corpus = Corpus.from_documents(
        [document("one", ("a - - - -", "x"), ("b c d", "x"), ("- -", "y"))], "ascii"
    )
    assert corpus.n_tokens == 4
    cut_after_first = Prediction(np.array([0, 1, 1]), corpus.document_offsets)
    score = score_corpus_segmentation(corpus, cut_after_first, "heading", "words")
    # k = 10 // 4 = 2; the boundary at 8 is seen from 6 and 7, the one at 5 from 3, 4, 5.
    assert score.pk == pytest.approx(5 / 8)


def test_labels_stand_before_headings_where_asked():
    units = (Unit("a", "x", "l"), Unit("b", "y", "l"), Unit("c", "z"))
    corpus = Corpus.from_documents([Document("one", units, "one")])
    whole = Prediction(np.array([0, 0, 0]), corpus.document_offsets)
    counts = [
        score_corpus_segmentation(corpus, whole, reference, "units").reference_segments
        for reference in ("heading", "label")
    ]
    assert counts == [3, 2]
    model = ContentModel(2, n_sweeps=1, random_state=0)
    with pytest.warns(InputWarning, match="one document"):
        with_labels = evaluate(corpus, model, reference="label")
    assert with_labels.settings["reference"] == "label"
    assert with_labels.alignment.recall == score_alignment(["l", "l", "z"], model.topics_[0]).recall


def test_evaluation_tells_what_made_it():
    model = ContentModel(2, n_sweeps=3, random_state=4)
    result = evaluate(CORPUS, model, convention="units").as_dict()
    assert set(result) == {
        "alignment",
        "segmentation",
        "log_joint",
        "topics_in_use",
        "subject_words",
        "sweeps",
        "seconds",
        "convergence",
        "settings",
    }
    assert set(result["alignment"]) == {"recall", "precision", "f"}
    assert result["segmentation"]["convention"] == "units"
    assert result["settings"]["random_state"] == 4
    assert result["settings"]["dispersion_strength"] == pytest.approx(0.2)
    assert result["settings"]["corpus_fingerprint"] == CORPUS.fingerprint
    assert result["log_joint"] == model.log_joint_trace_[-1]
    assert result["sweeps"] == 3
    assert result["topics_in_use"] == len({t for topics in model.topics_ for t in topics.tolist()})
    assert result["seconds"] > 0


def test_what_cannot_be_scored_is_refused_before_the_fit():
    model = ContentModel(2)
    with pytest.raises(InputError, match="none of these documents has headings"):
        evaluate(Corpus.from_paragraphs([["a"], ["b"]]), model)
    with pytest.raises(InputError, match="convention"):
        evaluate(CORPUS, model, convention="chars")
    assert not hasattr(model, "topics_")
