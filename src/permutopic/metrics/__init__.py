"""Scores: arrays in, numbers out."""

from permutopic.metrics.alignment import AlignmentScore, score_alignment
from permutopic.metrics.bootstrap import Interval, bootstrap_interval
from permutopic.metrics.by_document import (
    alignment_by_document,
    f_of,
    ordering_by_document,
    pk_of,
    segmentation_by_document,
    tau_of,
    windowdiff_of,
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
    "bootstrap_interval",
    "f_of",
    "kendall_tau",
    "ordering_by_document",
    "pk_of",
    "randomization_test",
    "score_alignment",
    "score_segmentation",
    "seed_test",
    "segmentation_by_document",
    "tau_of",
    "windowdiff_of",
]
