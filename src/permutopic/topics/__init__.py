"""Topics as they are shown: distinctive words, names, merged topics, the outline."""

from __future__ import annotations

from permutopic.topics.named import NamedTopics
from permutopic.topics.naming_counts import NamingCounts, count_words_and_headings
from permutopic.topics.outline import OutlineEntry
from permutopic.topics.structure import Structure, structure_of
from permutopic.topics.subjects import RankedSubjects

__all__ = [
    "NamedTopics",
    "NamingCounts",
    "OutlineEntry",
    "RankedSubjects",
    "Structure",
    "count_words_and_headings",
    "structure_of",
]
