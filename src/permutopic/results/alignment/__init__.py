"""Alignment of documents: which units have which topic, and which paragraphs correspond."""

from __future__ import annotations

from permutopic.results.alignment.aligned import Alignment, find_topic
from permutopic.results.alignment.fitted import fitted_documents
from permutopic.results.alignment.rows import (
    COUNTERPART_COLUMNS,
    PASSAGE_COLUMNS,
    RUN_COLUMNS,
    Counterpart,
    Passage,
    Run,
    passages_of,
    runs_of,
)

__all__ = [
    "COUNTERPART_COLUMNS",
    "PASSAGE_COLUMNS",
    "RUN_COLUMNS",
    "Alignment",
    "Counterpart",
    "Passage",
    "Run",
    "find_topic",
    "fitted_documents",
    "passages_of",
    "runs_of",
]
