"""permutopic: the shared outline of a pile of documents.

Names are imported when they are first used, so that `import permutopic` costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from permutopic import datasets
    from permutopic.corpus import Corpus
    from permutopic.documents import Document, Unit
    from permutopic.errors import InputError, InputWarning
    from permutopic.estimator import ContentModel
    from permutopic.ingest.inspection import inspect
    from permutopic.ingest.pipeline import read_corpus
    from permutopic.model.generate import generate
    from permutopic.model.joint import log_joint
    from permutopic.model.priors import Priors, Variant
    from permutopic.ordering import Ordering
    from permutopic.readers import Fields, ReadOptions, read_documents
    from permutopic.results.alignment import Alignment
    from permutopic.results.inferred import Inferred
    from permutopic.results.prediction import Prediction
    from permutopic.results.segments import Segment
    from permutopic.text.tokens import Tokens
    from permutopic.text.units import Units
    from permutopic.topics import OutlineEntry

__version__ = "0.1.0"

_MODULES = {
    "Alignment": "results.alignment",
    "ContentModel": "estimator",
    "Corpus": "corpus",
    "Document": "documents",
    "Fields": "readers",
    "Inferred": "results.inferred",
    "InputError": "errors",
    "InputWarning": "errors",
    "Ordering": "ordering",
    "OutlineEntry": "topics",
    "Prediction": "results.prediction",
    "Priors": "model.priors",
    "ReadOptions": "readers",
    "Segment": "results.segments",
    "Tokens": "text.tokens",
    "Unit": "documents",
    "Units": "text.units",
    "Variant": "model.priors",
    "generate": "model.generate",
    "inspect": "ingest.inspection",
    "log_joint": "model.joint",
    "read_corpus": "ingest.pipeline",
    "read_documents": "readers",
}

__all__ = [
    "Alignment",
    "ContentModel",
    "Corpus",
    "Document",
    "Fields",
    "Inferred",
    "InputError",
    "InputWarning",
    "Ordering",
    "OutlineEntry",
    "Prediction",
    "Priors",
    "ReadOptions",
    "Segment",
    "Tokens",
    "Unit",
    "Units",
    "Variant",
    "__version__",
    "datasets",
    "generate",
    "inspect",
    "log_joint",
    "read_corpus",
    "read_documents",
]


def __getattr__(name: str) -> object:
    from importlib import import_module

    if name == "datasets":
        return import_module(f"{__name__}.datasets")
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    value = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
