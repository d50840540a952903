"""All methods by name, with one interface: from a corpus and a number of topics to a Prediction.

To add a method, add a line to `rivals.py`; `permutopic run` and `compare` then offer it.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from permutopic.errors import InputError
from permutopic.estimator import ContentModel
from permutopic.experiments.method import Method
from permutopic.experiments.rivals import RIVALS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from contextlib import AbstractContextManager

    from permutopic.corpus import Corpus
    from permutopic.model.mcmc.sampler import SweepInfo
    from permutopic.results.prediction import Prediction

    ShowProgress = Callable[
        [ContentModel], AbstractContextManager[Callable[[SweepInfo], None] | None]
    ]


_MODEL_SETTINGS = frozenset(
    {
        "sampler",
        "n_sweeps",
        "early_stop",
        "n_chains",
        "keep",
        "n_jobs",
        "topic_prior",
        "word_prior",
        "dispersion_prior",
        "dispersion_strength",
        "progress",
    }
)


def _make_model(
    fixed: Mapping[str, Any], n_topics: int, seed: int, settings: Mapping[str, Any]
) -> ContentModel:
    model = ContentModel(n_topics, random_state=seed, **{**fixed, **settings})
    model.checked_settings()
    return model


def _check_model(
    fixed: Mapping[str, Any],
    n_topics: int,
    seed: int,
    *,
    progress: ShowProgress | None = None,  # noqa: ARG001
    **settings: Any,
) -> None:
    _make_model(fixed, n_topics, seed, settings)


def _run_model(
    fixed: Mapping[str, Any],
    corpus: Corpus,
    n_topics: int,
    seed: int,
    *,
    progress: ShowProgress | None = None,
    **settings: Any,
) -> Prediction:
    model = _make_model(fixed, n_topics, seed, settings)
    if progress is None:
        model.fit(corpus)
    else:
        with progress(model) as on_sweep:
            model.fit(corpus, on_sweep=on_sweep)
    return model.prediction()


def _content_model(
    name: str, description: str, *, variant: str | None = None, subject_words: bool = False
) -> Method:
    """Make a method of the model; those named by a variant are the paper's, without subject words.

    The paper's sampler has none either, so `sampler` can be set for all of them but one.
    """
    fixed = {"variant": variant or name, "subject_words": subject_words}
    run, check = partial(_run_model, fixed), partial(_check_model, fixed)
    return Method(name, description, run, _MODEL_SETTINGS, check, group="ours")


METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        _content_model("full", "The model of the paper: topic orders near a canonical one."),
        _content_model("constrained", "All documents have their topics in the canonical order."),
        _content_model("uniform", "All orders of topics are equally likely."),
        _content_model(
            "subjects",
            "The full model with words that follow the documents: what permutopic fits by default.",
            variant="full",
            subject_words=True,
        ),
        *RIVALS,
    )
}
"""Methods by name."""


def find_method(name: str) -> Method:
    """Return the method of that name.

    >>> find_method("uniform").description
    'All orders of topics are equally likely.'
    """
    if name not in METHODS:
        raise InputError(f"the method is one of {', '.join(METHODS)}, not {name!r}")
    return METHODS[name]
