"""permutopic: the shared outline of a pile of documents.

Names are imported when they are first used, so that `import permutopic` costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from permutopic import datasets
    from permutopic.alignment import Alignment
    from permutopic.corpus import Corpus
    from permutopic.documents import Document, Unit
    from permutopic.errors import InputError, InputWarning
    from permutopic.estimator import ContentModel
    from permutopic.inferred import Inferred
    from permutopic.inspection import inspect
    from permutopic.model.generate import generate
    from permutopic.model.joint import log_joint
    from permutopic.model.priors import Priors, Variant
    from permutopic.ordering import Ordering
    from permutopic.prediction import Prediction
    from permutopic.readers import Fields, Reading, read_documents
    from permutopic.reading import read_corpus
    from permutopic.segmentation import Segment
    from permutopic.text.tokens import Tokens
    from permutopic.text.units import Units
    from permutopic.topics import OutlineEntry

__version__ = "0.1.0"

_HOMES = {
    "Alignment": "alignment",
    "ContentModel": "estimator",
    "Corpus": "corpus",
    "Document": "documents",
    "Fields": "readers",
    "Inferred": "inferred",
    "InputError": "errors",
    "InputWarning": "errors",
    "Ordering": "ordering",
    "OutlineEntry": "topics",
    "Prediction": "prediction",
    "Priors": "model.priors",
    "Reading": "readers",
    "Segment": "segmentation",
    "Tokens": "text.tokens",
    "Unit": "documents",
    "Units": "text.units",
    "Variant": "model.priors",
    "generate": "model.generate",
    "inspect": "inspection",
    "log_joint": "model.joint",
    "read_corpus": "reading",
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
    "Reading",
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
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
