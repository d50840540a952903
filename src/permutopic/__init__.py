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
    from permutopic.inspection import inspect
    from permutopic.model.generate import generate
    from permutopic.model.joint import log_joint
    from permutopic.model.priors import Priors, Variant
    from permutopic.prediction import Prediction
    from permutopic.readers import Fields, Reading, read_documents
    from permutopic.reading import read_corpus
    from permutopic.text.tokens import Tokens
    from permutopic.text.units import Units
    from permutopic.topics import OutlineEntry

__version__ = "0.1.0"

_HOMES = {
    "ContentModel": "estimator",
    "Corpus": "corpus",
    "Document": "documents",
    "Fields": "readers",
    "InputError": "errors",
    "InputWarning": "errors",
    "OutlineEntry": "topics",
    "Prediction": "prediction",
    "Priors": "model.priors",
    "Reading": "readers",
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
    "ContentModel",
    "Corpus",
    "Document",
    "Fields",
    "InputError",
    "InputWarning",
    "OutlineEntry",
    "Prediction",
    "Priors",
    "Reading",
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
