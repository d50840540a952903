"""Methods by name, all behind one call: a corpus and a number of topics in, a Prediction out.

A rival joins by a line in `METHODS`; the command line's `run` and all tables take it from there.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from permutopic.errors import InputError
from permutopic.estimator import ContentModel

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from contextlib import AbstractContextManager

    from permutopic.corpus import Corpus
    from permutopic.model.sampler import SweepInfo
    from permutopic.prediction import Prediction

    Watch = Callable[[ContentModel], AbstractContextManager[Callable[[SweepInfo], None] | None]]


class Run(Protocol):
    """What a method is: a function with these arguments, and settings of its own."""

    def __call__(self, corpus: Corpus, n_topics: int, seed: int, **settings: Any) -> Prediction:
        """Give every unit of the corpus a topic."""


class Check(Protocol):
    """A check of all that is given but the corpus."""

    def __call__(self, n_topics: int, seed: int, **settings: Any) -> None:
        """Raise InputError if something is wrong."""


def _check_nothing(n_topics: int, seed: int, **settings: Any) -> None:
    """Leave all checks to the method."""


@dataclass(frozen=True)
class Method:
    """A way to give every unit of a corpus a topic.

    Attributes
    ----------
    name, about
        What it is called, and what it is in one line.
    run
        The method itself. Users call `predict`, which checks what goes in and what comes out.
    settings
        The names of the keyword arguments that `run` takes. If "watch" is among them, it is a
        function that shows the progress of a ContentModel.
    verify
        Checks settings before a corpus has been read.
    """

    name: str
    about: str
    run: Run
    settings: frozenset[str] = frozenset()
    verify: Check = _check_nothing

    def check(self, n_topics: int, seed: int, **settings: Any) -> None:
        """Refuse settings that are wrong, or that this method does not have."""
        for name in settings:
            if name not in self.settings:
                known = ", ".join(sorted(self.settings)) or "none"
                raise InputError(
                    f"the method {self.name} has no setting {name}; those it has: {known}"
                )
        self.verify(n_topics, seed, **settings)

    def predict(self, corpus: Corpus, n_topics: int, seed: int = 0, **settings: Any) -> Prediction:
        """Give every unit of `corpus` one of at most `n_topics` topics.

        The same seed gives the same result. Headings and labels of the corpus are not looked at.
        """
        self.check(n_topics, seed, **settings)
        prediction = self.run(corpus, n_topics, seed, **settings)
        same_documents = np.array_equal(prediction.document_offsets, corpus.document_offsets)
        if prediction.topics.shape != (corpus.n_units,) or not same_documents:
            raise ValueError(  # a bug of the method, not of its user
                f"the method {self.name} gave {prediction.topics.size} topics for "
                f"{corpus.n_units} units in {corpus.n_documents} documents, or other documents"
            )
        return prediction


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
        "watch",
    }
)


def _make_model(
    variant: str, n_topics: int, seed: int, settings: Mapping[str, Any]
) -> ContentModel:
    model = ContentModel(n_topics, variant=variant, random_state=seed, **settings)
    model.checked_settings()
    return model


def _check_model(
    variant: str,
    n_topics: int,
    seed: int,
    *,
    watch: Watch | None = None,  # noqa: ARG001
    **settings: Any,
) -> None:
    _make_model(variant, n_topics, seed, settings)


def _run_model(
    variant: str,
    corpus: Corpus,
    n_topics: int,
    seed: int,
    *,
    watch: Watch | None = None,
    **settings: Any,
) -> Prediction:
    model = _make_model(variant, n_topics, seed, settings)
    if watch is None:
        model.fit(corpus)
    else:
        with watch(model) as on_sweep:
            model.fit(corpus, on_sweep=on_sweep)
    return model.prediction()


def _content_model(variant: str, about: str) -> Method:
    run, check = partial(_run_model, variant), partial(_check_model, variant)
    return Method(variant, about, run, _MODEL_SETTINGS, check)


METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        _content_model("full", "The model of the paper: topic orders near a canonical one."),
        _content_model("constrained", "All documents have their topics in the canonical order."),
        _content_model("uniform", "All orders of topics are equally likely."),
    )
}
"""Every method there is, by name."""


def find_method(name: str) -> Method:
    """Look a method up.

    >>> find_method("uniform").about
    'All orders of topics are equally likely.'
    """
    if name not in METHODS:
        raise InputError(f"the method is one of {', '.join(METHODS)}, not {name!r}")
    return METHODS[name]
