"""Scores of alignment, segmentation and ordering, and tests of their differences."""

from permutopic.metrics.alignment import AlignmentScore, score_alignment
from permutopic.metrics.bootstrap import Interval, bootstrap_interval
from permutopic.metrics.by_document import (
    alignment_by_document,
    alignment_f,
    mean_pk,
    mean_tau,
    mean_windowdiff,
    ordering_by_document,
    segmentation_by_document,
)
from permutopic.metrics.ordering import kendall_tau
from permutopic.metrics.randomization import RandomizationTest, randomization_test
from permutopic.metrics.seeds import seed_test
from permutopic.metrics.segmentation import SegmentationScore, score_segmentation

__all__ = [
    "AlignmentScore",
    "Interval",
    "RandomizationTest",
    "SegmentationScore",
    "alignment_by_document",
    "alignment_f",
    "bootstrap_interval",
    "kendall_tau",
    "mean_pk",
    "mean_tau",
    "mean_windowdiff",
    "ordering_by_document",
    "randomization_test",
    "score_alignment",
    "score_segmentation",
    "seed_test",
    "segmentation_by_document",
]
