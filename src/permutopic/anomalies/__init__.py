"""What is odd: missing topics, topics out of place, passages that fit nowhere, templates."""

from __future__ import annotations

from permutopic.anomalies.checking import Checker, check_structure, make_checker
from permutopic.anomalies.corpus_wide import CorpusCheck, TopicPlace, check_corpus, topic_places
from permutopic.anomalies.distance import Structures, structure_distance
from permutopic.anomalies.document_check import COLUMNS, DocumentCheck, Neighbour
from permutopic.anomalies.findings import Extra, Finding, Misplaced, Missing, Passage
from permutopic.anomalies.habits import Habits, habits_of
from permutopic.anomalies.limits import Limits
from permutopic.anomalies.match import Match
from permutopic.anomalies.matching import match_template
from permutopic.anomalies.standard import Standard, canonical
from permutopic.anomalies.template import TemplateEntry, parse_template, read_template

__all__ = [
    "COLUMNS",
    "Checker",
    "CorpusCheck",
    "DocumentCheck",
    "Extra",
    "Finding",
    "Habits",
    "Limits",
    "Match",
    "Misplaced",
    "Missing",
    "Neighbour",
    "Passage",
    "Standard",
    "Structures",
    "TemplateEntry",
    "TopicPlace",
    "canonical",
    "check_corpus",
    "check_structure",
    "habits_of",
    "make_checker",
    "match_template",
    "parse_template",
    "read_template",
    "structure_distance",
    "topic_places",
]
