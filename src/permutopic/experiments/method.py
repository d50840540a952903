"""The interface of all methods: from a corpus and a number of topics to a Prediction."""

from __future__ import annotations

import logging
from contextlib import nullcontext
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from permutopic.checks import check_integer
from permutopic.corpus import Corpus
from permutopic.documents import Document, Unit
from permutopic.errors import InputError, Message, Parameter
from permutopic.jit import report_compilation

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from permutopic.results.prediction import Prediction

    PredictFunction = Callable[..., Prediction]

_log = logging.getLogger("permutopic")


class Check(Protocol):
    """A check of all arguments but the corpus."""

    def __call__(self, n_topics: int, seed: int, **settings: Any) -> None:
        """Raise InputError if something is wrong."""


def check_numbers(n_topics: int, seed: int, **settings: Any) -> None:  # noqa: ARG001
    """Check what all methods share, but no settings."""
    check_integer(n_topics, "n_topics", 2, note="K")
    check_integer(seed, "seed", 0)


@dataclass(frozen=True)
class Method:
    """A method that assigns a topic to every unit of a corpus.

    Attributes
    ----------
    name, description
        Its name, and one line about it.
    run
        The function, from corpus, n_topics, seed and settings to a Prediction. Users call
        `predict`, which checks arguments and result.
    settings
        Names of the keyword arguments of `run`. If "progress" is among them, it is a function that
        shows the progress of a ContentModel.
    verify
        Checks the settings before a corpus is read.
    group
        "ours", "paper" (compared with there), "today" or "floor" (a trivial baseline).
    aligns
        Whether topics have the same meaning in all documents. If not, the method only segments
        documents, and ignores the number of topics.
    stochastic
        Whether the result depends on the seed.
    uses_reference_count
        Whether it uses the number of segments of the reference, unless a number is given.
    needs_texts
        Whether it needs the texts of units (`Corpus.texts`).
    """

    name: str
    description: str
    run: PredictFunction
    settings: frozenset[str] = frozenset()
    verify: Check = check_numbers
    group: str = "today"
    aligns: bool = True
    stochastic: bool = True
    uses_reference_count: bool = False
    needs_texts: bool = False

    def check(self, n_topics: int | None = None, seed: int = 0, **settings: Any) -> None:
        """Refuse wrong arguments, and settings that this method does not have."""
        for name in settings:
            if name not in self.settings:
                known = sorted(self.settings - {"progress"})
                raise InputError(
                    f"the method {self.name} has no setting ",
                    Parameter(name),
                    "; those it has: ",
                    _listed(known) if known else "none",
                )
        self.verify(self._topics(n_topics), seed, **settings)

    def check_on_sample(self, n_topics: int | None = None, seed: int = 0, **settings: Any) -> None:
        """Check the arguments before a corpus is read, by a call with a small sample corpus.

        The checks of settings are those of the method itself, and not repeated here.
        """
        self.check(n_topics, seed, **settings)
        if self.group != "ours":
            self.predict(_sample_corpus(), n_topics, seed, **settings)

    def predict(
        self, corpus: Corpus, n_topics: int | None = None, seed: int = 0, **settings: Any
    ) -> Prediction:
        """Assign every unit of `corpus` one of at most `n_topics` topics.

        The same seed gives the same result. Headings and labels of the corpus are not used, except
        for the number of segments if `uses_reference_count`.
        """
        self.check(n_topics, seed, **settings)
        if not isinstance(corpus, Corpus):
            raise InputError(f"a method takes a Corpus, not {type(corpus).__name__}")
        # Our model itself logs that code is being compiled.
        what = f"the method {self.name}"
        reported = report_compilation(_log_once, what, "a few seconds")
        with nullcontext() if self.group == "ours" else reported:
            prediction = self.run(corpus, self._topics(n_topics), seed, **settings)
        same_documents = np.array_equal(prediction.document_offsets, corpus.document_offsets)
        if prediction.topics.shape != (corpus.n_units,) or not same_documents:
            raise ValueError(  # a bug of the method, not of its user
                f"the method {self.name} gave {prediction.topics.size} topics for "
                f"{corpus.n_units} units in {corpus.n_documents} documents, or other documents"
            )
        return prediction

    def _topics(self, n_topics: int | None) -> int:
        if n_topics is None and not self.aligns:
            return 2  # ignored
        if n_topics is None:
            raise InputError(
                f"the method {self.name} needs a number of topics (", Parameter("n_topics"), ")"
            )
        return n_topics


def _listed(names: Sequence[str]) -> Message:
    parts = [part for name in names for part in (", ", Parameter(name))]
    return Message(*parts[1:])


@lru_cache(maxsize=4)
def _log_once(message: str) -> None:
    """Log a message the first time it occurs."""
    _log.warning(message)


@lru_cache(maxsize=1)
def _sample_corpus() -> Corpus:
    """Return a corpus so small that any method runs on it at once."""
    texts = ("salt sea", "sea salt waves", "snow ice", "ice snow rocks")
    units = tuple(Unit(text, f"part {n // 2}") for n, text in enumerate(texts))
    documents = [Document(str(number), units, "a trial") for number in range(2)]
    return Corpus.from_documents(documents, keep_texts=True)
