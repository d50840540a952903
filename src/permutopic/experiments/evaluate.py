"""Fit a model to a corpus and score it against the headings, which the model never sees."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

import permutopic
from permutopic.metrics import AlignmentScore, score_alignment, score_segmentation
from permutopic.metrics.segmentation import check_convention, ends_in_words
from permutopic.results.prediction import Prediction, segment_ends

if TYPE_CHECKING:
    from collections.abc import Callable

    from permutopic.corpus import Corpus
    from permutopic.estimator import ContentModel
    from permutopic.model.mcmc.convergence import Convergence
    from permutopic.model.mcmc.sampler import SweepInfo


@dataclass(frozen=True)
class CorpusSegmentation:
    """Segmentation errors averaged over documents, each with equal weight."""

    pk: float
    windowdiff: float
    segments: float
    """Mean number of segments a document is cut into."""
    reference_segments: float
    convention: str


@dataclass(frozen=True)
class Evaluation:
    """Scores of one fit, and what made them."""

    alignment: AlignmentScore
    segmentation: CorpusSegmentation
    log_joint: float
    topics_in_use: int
    sweeps: int
    seconds: float
    convergence: Convergence
    settings: dict[str, Any]

    def as_dict(self) -> dict[str, Any]:
        """Give the same as plain dictionaries, ready for JSON."""
        nested = {
            "alignment": self.alignment._asdict(),
            "convergence": self.convergence.as_dict(),
        }
        return {**asdict(self), **nested}


def evaluate(
    corpus: Corpus,
    model: ContentModel,
    *,
    reference: str = "heading",
    convention: str = "words",
    on_sweep: Callable[[SweepInfo], None] | None = None,
) -> Evaluation:
    """Fit `model` to `corpus` and score its alignment and segmentation."""
    check_convention(convention)
    headings = corpus.reference(reference)  # before the fit, so that a lack is known at once
    started = time.perf_counter()
    model.fit(corpus, on_sweep=on_sweep)
    seconds = time.perf_counter() - started
    prediction = model.prediction()
    return Evaluation(
        alignment=score_alignment(headings, prediction.topics),
        segmentation=score_corpus_segmentation(corpus, prediction, reference, convention),
        log_joint=float(model.log_joint_trace_[-1]),
        topics_in_use=int(np.count_nonzero(model.bags_.any(axis=0))),
        sweeps=len(model.log_joint_trace_),
        seconds=seconds,
        convergence=model.convergence_,
        settings={
            **model.settings_,
            "dispersion_strength": model.priors_.strength,
            "tokens": corpus.tokens.as_dict(),
            "units": corpus.units.as_dict(),
            "reference": reference,
            "convention": convention,
            "corpus_fingerprint": corpus.fingerprint,
            "version": permutopic.__version__,
        },
    )


def score_corpus_segmentation(
    corpus: Corpus, prediction: Prediction, reference: str, convention: str
) -> CorpusSegmentation:
    """Score the segmentation of every document and average them."""
    headings = corpus.reference(reference)
    scores, found_sizes, true_sizes = [], [], []
    for document in range(corpus.n_documents):
        units = corpus.units_of(document)
        true, found = segment_ends(headings[units]), prediction.ends(document)
        true_sizes.append(true.size)
        found_sizes.append(found.size)
        if convention == "words":
            unit_words = corpus.source_words[units]
            true, found = ends_in_words(true, unit_words), ends_in_words(found, unit_words)
        scores.append(score_segmentation(true, found, convention))
    pk, windowdiff = np.mean(scores, axis=0)
    return CorpusSegmentation(
        pk=float(pk),
        windowdiff=float(windowdiff),
        segments=float(np.mean(found_sizes)),
        reference_segments=float(np.mean(true_sizes)),
        convention=convention,
    )
