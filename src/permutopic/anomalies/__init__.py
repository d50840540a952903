"""Anomalies in documents: missing, misplaced and extra topics, unusual passages; templates."""

from __future__ import annotations

from permutopic.anomalies.check_report import CheckReport
from permutopic.anomalies.checking import Checker, check_structure, make_checker
from permutopic.anomalies.corpus_report import (
    CorpusReport,
    TopicPosition,
    summarize_checks,
    topic_positions,
)
from permutopic.anomalies.distance import FittedStructures
from permutopic.anomalies.document_check import FINDING_COLUMNS, DocumentCheck, Neighbour
from permutopic.anomalies.expected_outline import ExpectedOutline, canonical_outline
from permutopic.anomalies.findings import Extra, Finding, Misplaced, Missing, UnusualPassage
from permutopic.anomalies.template import TemplateEntry, parse_template, read_template
from permutopic.anomalies.template_match import TemplateMatch
from permutopic.anomalies.template_matching import match_template
from permutopic.anomalies.thresholds import Thresholds
from permutopic.anomalies.usage import TopicUsage

__all__ = [
    "FINDING_COLUMNS",
    "CheckReport",
    "Checker",
    "CorpusReport",
    "DocumentCheck",
    "ExpectedOutline",
    "Extra",
    "Finding",
    "FittedStructures",
    "Misplaced",
    "Missing",
    "Neighbour",
    "TemplateEntry",
    "TemplateMatch",
    "Thresholds",
    "TopicPosition",
    "TopicUsage",
    "UnusualPassage",
    "canonical_outline",
    "check_structure",
    "make_checker",
    "match_template",
    "parse_template",
    "read_template",
    "summarize_checks",
    "topic_positions",
]
