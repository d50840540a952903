"""Scores: arrays in, numbers out."""

from permutopic.metrics.alignment import AlignmentScore, score_alignment
from permutopic.metrics.segmentation import SegmentationScore, score_segmentation

__all__ = ["AlignmentScore", "SegmentationScore", "score_alignment", "score_segmentation"]
