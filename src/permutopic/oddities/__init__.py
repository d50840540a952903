"""What is odd: missing topics, topics out of place, passages that fit nowhere, templates."""

from __future__ import annotations

from permutopic.oddities.checking import Checker, check_structure, make_checker
from permutopic.oddities.corpus_wide import CorpusCheck, TopicPlace, check_corpus, topic_places
from permutopic.oddities.distance import Structures, structure_distance
from permutopic.oddities.document_check import COLUMNS, DocumentCheck, Neighbour
from permutopic.oddities.findings import Extra, Finding, Misplaced, Missing, Passage
from permutopic.oddities.habits import Habits, habits_of
from permutopic.oddities.limits import Limits
from permutopic.oddities.match import Match
from permutopic.oddities.matching import match_template
from permutopic.oddities.standard import Standard, canonical
from permutopic.oddities.template import TemplateEntry, parse_template, read_template

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
