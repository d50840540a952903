"""What a method is: a corpus and a number of topics in, a Prediction out."""

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
from permutopic.errors import InputError
from permutopic.jit import announced

if TYPE_CHECKING:
    from collections.abc import Callable

    from permutopic.results.prediction import Prediction

    Run = Callable[..., Prediction]

_log = logging.getLogger("permutopic")


class Check(Protocol):
    """A check of all that is given but the corpus."""

    def __call__(self, n_topics: int, seed: int, **settings: Any) -> None:
        """Raise InputError if something is wrong."""


def check_numbers(n_topics: int, seed: int, **settings: Any) -> None:  # noqa: ARG001
    """Check what all rivals share; their settings are their own affair."""
    check_integer(n_topics, "n_topics", 2, note="K")
    check_integer(seed, "the seed", 0)


@dataclass(frozen=True)
class Method:
    """A way to give every unit of a corpus a topic.

    Attributes
    ----------
    name, about
        What it is called, and what it is in one line.
    run
        The method itself: called with corpus, n_topics, seed and settings, it gives a Prediction.
        Users call `predict`, which checks what goes in and what comes out.
    settings
        The names of the keyword arguments that `run` takes. If "watch" is among them, it is a
        function that shows the progress of a ContentModel.
    verify
        Checks settings before a corpus has been read.
    group
        "ours", "paper" (a rival there), "today" or "floor".
    aligns
        Whether topics mean the same in all documents. If not, it divides documents into segments
        and no more, and the number of topics is no affair of its.
    by_chance
        Whether the seed makes a difference.
    told
        Whether it is told how many segments the reference has, unless it is given a number.
    reads_text
        Whether it needs the text of units (`Corpus.texts`).
    """

    name: str
    about: str
    run: Run
    settings: frozenset[str] = frozenset()
    verify: Check = check_numbers
    group: str = "today"
    aligns: bool = True
    by_chance: bool = True
    told: bool = False
    reads_text: bool = False

    def check(self, n_topics: int | None = None, seed: int = 0, **settings: Any) -> None:
        """Refuse settings that are wrong, or that this method does not have."""
        for name in settings:
            if name not in self.settings:
                known = ", ".join(sorted(self.settings - {"watch"})) or "none"
                raise InputError(
                    f"the method {self.name} has no setting {name}; those it has: {known}"
                )
        self.verify(self._topics(n_topics), seed, **settings)

    def try_out(self, n_topics: int | None = None, seed: int = 0, **settings: Any) -> None:
        """Refuse what `check` refuses, and what a rival itself does, before a corpus is read.

        A rival knows best what it wants, so it is called with a few words.
        """
        self.check(n_topics, seed, **settings)
        if self.group != "ours":
            self.predict(_few_words(), n_topics, seed, **settings)

    def predict(
        self, corpus: Corpus, n_topics: int | None = None, seed: int = 0, **settings: Any
    ) -> Prediction:
        """Give every unit of `corpus` one of at most `n_topics` topics.

        The same seed gives the same result. Headings and labels of the corpus are not looked at,
        but for the number of segments by a method that is `told` it.
        """
        self.check(n_topics, seed, **settings)
        if not isinstance(corpus, Corpus):
            raise InputError(f"a method takes a Corpus, not {type(corpus).__name__}")
        # Our model announces by itself that something is being compiled.
        with nullcontext() if self.group == "ours" else announced(_say_once):
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
            return 2  # which nobody looks at
        if n_topics is None:
            raise InputError(f"the method {self.name} needs a number of topics (K)")
        return n_topics


@lru_cache(maxsize=4)
def _say_once(message: str) -> None:
    """Pass a message on, the first time."""
    _log.warning(message)


@lru_cache(maxsize=1)
def _few_words() -> Corpus:
    """Make a corpus on which any method can be tried out in no time."""
    texts = ("salt sea", "sea salt waves", "snow ice", "ice snow rocks")
    units = tuple(Unit(text, f"part {n // 2}") for n, text in enumerate(texts))
    documents = [Document(str(number), units, "a trial") for number in range(2)]
    return Corpus.from_documents(documents, keep_texts=True)
