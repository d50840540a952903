"""Documents side by side: where each topic stands, and which paragraphs correspond."""

from __future__ import annotations

from permutopic.alignment.aligned import Alignment, find_topic
from permutopic.alignment.fitted import fitted_documents
from permutopic.alignment.rows import (
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
