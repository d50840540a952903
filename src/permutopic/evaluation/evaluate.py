"""Fit a model to a corpus and score it against the headings, which the model does not use."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

import permutopic
from permutopic.baselines.segment_counts import reference_counts
from permutopic.metrics import AlignmentScore, score_alignment, segmentation_by_document
from permutopic.metrics.segmentation import check_convention

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from permutopic.corpus import Corpus
    from permutopic.estimator import ContentModel
    from permutopic.model.mcmc.convergence import Convergence
    from permutopic.model.mcmc.sampler import SweepInfo
    from permutopic.results.prediction import Prediction


@dataclass(frozen=True)
class CorpusSegmentation:
    """Segmentation errors averaged over documents, each with equal weight."""

    pk: float
    windowdiff: float
    segments: float
    """Mean number of predicted segments per document."""
    reference_segments: float
    convention: str


@dataclass(frozen=True)
class SubjectShare:
    """How many words of a corpus are subject words, and how many tokens they have."""

    types: int
    tokens: int
    type_share: float
    token_share: float


@dataclass(frozen=True)
class Evaluation:
    """Scores of one fit, and its settings."""

    alignment: AlignmentScore
    segmentation: CorpusSegmentation
    log_joint: float
    topics_in_use: int
    subject_words: SubjectShare
    sweeps: int
    seconds: float
    convergence: Convergence
    settings: dict[str, Any]

    def as_dict(self) -> dict[str, Any]:
        """Return plain dictionaries, ready for JSON."""
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
    headings = corpus.reference(reference)  # before the fit, to fail early
    started = time.perf_counter()
    model.fit(corpus, on_sweep=on_sweep)
    seconds = time.perf_counter() - started
    prediction = model.prediction()
    return Evaluation(
        alignment=score_alignment(headings, prediction.topics),
        segmentation=score_corpus_segmentation(corpus, prediction, reference, convention),
        log_joint=float(model.log_joint_trace_[-1]),
        topics_in_use=int(np.count_nonzero(model.bags_.any(axis=0))),
        subject_words=count_subject_words(corpus, model.subject_words_),
        sweeps=len(model.log_joint_trace_),
        seconds=seconds,
        convergence=model.convergence_,
        settings={
            **model.settings_,
            "subject_words": model.priors_.subject is not None,
            "word_prior": model.priors_.word,
            "dispersion_strength": model.priors_.strength,
            "tokens": corpus.tokens.as_dict(),
            "units": corpus.units.as_dict(),
            "reference": reference,
            "convention": convention,
            "corpus_fingerprint": corpus.fingerprint,
            "version": permutopic.__version__,
        },
    )


def count_subject_words(corpus: Corpus, subject_words: NDArray[np.bool_]) -> SubjectShare:
    """Count the subject words of a corpus, and their tokens."""
    types, tokens = int(subject_words.sum()), int(subject_words[corpus.words].sum())
    return SubjectShare(types, tokens, types / corpus.n_words, tokens / corpus.n_tokens)


def score_corpus_segmentation(
    corpus: Corpus, prediction: Prediction, reference: str, convention: str
) -> CorpusSegmentation:
    """Score the segmentation of every document, and average over documents."""
    scores = segmentation_by_document(corpus, prediction, reference, convention)
    pk, windowdiff = np.mean(scores, axis=0)
    sizes = [prediction.ends(document).size for document in range(corpus.n_documents)]
    reference_sizes = reference_counts(corpus, corpus.reference(reference))
    return CorpusSegmentation(
        pk=float(pk),
        windowdiff=float(windowdiff),
        segments=float(np.mean(sizes)),
        reference_segments=float(np.mean(reference_sizes)),
        convention=convention,
    )
