"""Saving a fitted model to a folder, and loading it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

import permutopic
from permutopic.errors import InputError, Parameter
from permutopic.model.mcmc.chain import Chain, check_chain
from permutopic.model.mcmc.convergence import Convergence
from permutopic.model.priors import Priors
from permutopic.ordering import PositionCounts
from permutopic.storage import load_folder, save_folder
from permutopic.text.tokens import Tokens
from permutopic.text.units import Units
from permutopic.topics import NamedTopics
from permutopic.topics.subjects import N_SUBJECTS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from permutopic.estimator.content_model import ContentModel

    Model = TypeVar("Model", bound=ContentModel)


def save_model(model: ContentModel, path: str | Path) -> None:
    """Write a fitted model to a folder."""
    description = {
        "permutopic": permutopic.__version__,
        "settings": model.settings_,
        "priors": model.priors_.as_dict(),
        "corpus": {
            "fingerprint": model.corpus_fingerprint_,
            "tokens": model.tokens_.as_dict(),
            "units": model.units_.as_dict(),
        },
        "convergence": model.convergence_.as_dict(),
        "topics": model._topics.as_dict(),
        "titles": model.titles_,
        "vocabulary": model.vocabulary_,
    }
    arrays = {
        f"chain{chain.number}.{name}": array
        for chain in model.chains_
        for name, array in chain.arrays().items()
    }
    documents = {f"documents.{name}": getattr(model, f"{name}_") for name in _DOCUMENTS}
    more = {**model._topics.arrays(), **model.positions_.arrays()}
    if model.priors_.subject is not None:
        more[_BASE_RATES] = model.priors_.subject.base_rates
        more[_SUBJECTS] = model._document_subjects
    save_folder(path, description, {**arrays, **documents, **more})


def load_model(
    kind: type[Model], path: str | Path, tokens: Callable[[str], list[str]] | None
) -> Model:
    """Load a model that `save_model` wrote, and check it."""
    description, arrays = load_folder(path)
    if tokens is not None:
        _check_function(path, description, tokens)
    try:
        settings = {"subject_words": False, **description["settings"]}  # schema 5 has none
        settings["tokens"] = Tokens.from_dict(settings["tokens"], tokens).shortest()
        model = kind(**settings)
        model.settings_ = model.checked_settings()
        model.priors_ = Priors.from_dict(description["priors"], arrays.get(_BASE_RATES))
        model.seed_ = model.settings_["random_state"]
        model.vocabulary_ = _strings(description, "vocabulary")
        model.titles_ = _strings(description, "titles")
        model.corpus_fingerprint_ = description["corpus"]["fingerprint"]
        model.tokens_ = Tokens.from_dict(description["corpus"]["tokens"], tokens)
        model.units_ = Units.from_dict(description["corpus"]["units"])
        model.convergence_ = Convergence.from_dict(description["convergence"])
        chains = [Chain.from_arrays(c, arrays) for c in range(model.settings_["n_chains"])]
        sizes = len(model.titles_), model.n_topics, len(model.vocabulary_)
        for chain in chains:
            check_chain(chain, *sizes)
        _check_classes(model.priors_, chains, len(model.vocabulary_))
        model._set_chains(tuple(chains))
        _take_documents(model, arrays)
        n_words = len(model.vocabulary_)
        model.positions_ = PositionCounts.from_arrays(arrays, n_words, model.n_topics)
        size = model.state_, model.priors_, model.vocabulary_
        model._set_topics(NamedTopics.from_dict(description["topics"], arrays, *size))
        model._set_subjects(_subjects(arrays, len(model.titles_), n_words))
    except (IndexError, KeyError, TypeError, ValueError) as error:
        raise InputError(f"{path}: the model folder is not whole ({error})") from None
    return model


def _check_classes(priors: Priors, chains: list[Chain], n_words: int) -> None:
    """Raise ValueError unless there are subject words only where the priors have them."""
    if priors.subject is not None:
        if priors.subject.base_rates.size != n_words:
            raise ValueError("base_rates has not one number for each word")
    elif any(chain.state is not None and chain.state.subject_words.any() for chain in chains):
        raise ValueError("there are subject words without base rates")


def _subjects(
    arrays: Mapping[str, NDArray[Any]], n_documents: int, n_words: int
) -> NDArray[np.int32]:
    """Return the subject words of the documents; none in schema 5, and in the paper's model."""
    found = arrays.get(_SUBJECTS)
    if found is None:
        return np.full((n_documents, N_SUBJECTS), -1, dtype=np.int32)
    if found.shape != (n_documents, N_SUBJECTS) or found.dtype != np.int32:
        raise ValueError(f"subjects is {found.dtype} {found.shape}")
    if found.min(initial=-1) < -1 or found.max(initial=-1) >= n_words:
        raise ValueError("subjects has a number that is no word's")
    return found


_BASE_RATES, _SUBJECTS = "subject.base_rates", "documents.subjects"
_DOCUMENTS = {
    "document_digests": (np.uint64, 1),
    "unit_spans": (np.int64, 2),
    "unit_words": (np.int64, 1),
}


def _take_documents(model: ContentModel, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Set the attributes of the documents of the fit."""
    n_documents, n_units = len(model.titles_), int(model.state_.bag.sum())
    for name, (kind, dimensions) in _DOCUMENTS.items():
        array = arrays[f"documents.{name}"]
        length = n_documents if name == "document_digests" else n_units
        if array.dtype != kind or array.shape != (length, 2)[:dimensions]:
            raise ValueError(f"{name} is {array.dtype} {array.shape}")
        setattr(model, f"{name}_", array)


def _check_function(path: str | Path, description: dict[str, Any], tokens: object) -> None:
    """Refuse a replacement for a function where none was saved, or one that is no function."""
    if not callable(tokens):
        raise InputError(
            Parameter("tokens"), f" is the function that split the model's text, not {tokens!r}"
        )
    try:
        saved = [
            description["corpus"]["tokens"]["split"],
            description["settings"]["tokens"]["split"],
        ]
    except (KeyError, TypeError):
        return  # the folder is not whole, which is said with the rest
    if not any(isinstance(split, dict) for split in saved):
        raise InputError(f"{path}: its tokens are {saved[0]!r}, so it takes no function for them")


def _strings(description: dict[str, Any], name: str) -> tuple[str, ...]:
    found = description[name]
    if not isinstance(found, list) or not all(isinstance(item, str) for item in found):
        raise TypeError(f"{name} is not a list of strings")
    return tuple(found)
