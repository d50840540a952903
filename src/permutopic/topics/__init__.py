"""What a person is shown of a model's topics: telling words, names, merged topics, the outline."""

from __future__ import annotations

from permutopic.topics.evidence import Evidence, gather_evidence
from permutopic.topics.named import NamedTopics
from permutopic.topics.outline import OutlineEntry
from permutopic.topics.structure import Structure, count_swaps, structure_of

__all__ = [
    "Evidence",
    "NamedTopics",
    "OutlineEntry",
    "Structure",
    "count_swaps",
    "gather_evidence",
    "structure_of",
]
