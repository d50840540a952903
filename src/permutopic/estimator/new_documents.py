"""What a fitted model does with documents, those of the fit and new ones."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from sklearn.utils.validation import check_is_fitted

from permutopic.checks import check_integer
from permutopic.corpus import Corpus, Encoder
from permutopic.estimator.streaming import as_documents, as_pages, infer_pages
from permutopic.estimator.threads import count_threads
from permutopic.streams import seed_from

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    import numpy as np
    from numpy.typing import NDArray

    from permutopic.documents import Document
    from permutopic.model.priors import Priors
    from permutopic.model.state import State
    from permutopic.results.inferred import Inferred
    from permutopic.text.tokens import Tokens
    from permutopic.text.units import Units
    from permutopic.topics import NamedTopics

    Documents = Corpus | Document | Iterable[Document] | Iterable[Iterable[str]]

N_SAMPLES, MANY_SAMPLES = 16, 64
_log = logging.getLogger("permutopic")


class OnDocuments:
    """The part of ContentModel that takes documents after the fit, and leaves the model alone."""

    state_: State
    priors_: Priors
    tokens_: Tokens
    units_: Units
    vocabulary_: tuple[str, ...]
    document_digests_: NDArray[np.uint64]
    unit_spans_: NDArray[np.int64]
    unit_words_: NDArray[np.int64]
    _topics: NamedTopics

    def encode(
        self,
        X: Document | Iterable[Document] | Iterable[Iterable[str]],  # noqa: N803
    ) -> Corpus:
        """Make a corpus of new documents just as the fitted ones became one.

        They are cut into the same units and split into the same tokens; words that the model does
        not know are left out. Documents come from `read_documents`, or as lists of paragraphs.
        """
        check_is_fitted(self)
        documents = list(as_documents(X))
        encoder = Encoder(self.tokens_, self.units_, vocabulary=self.vocabulary_)
        return encoder.encode(documents)

    def _remembered(self, name: str, origin: object, make: Callable[[], Any]) -> Any:
        """Give what was made earlier from the same origin: a single document should cost little."""
        if not hasattr(self, "_memory"):
            self._memory: dict[str, tuple[object, Any]] = {}
        known = self._memory.get(name)
        if known is None or known[0] is not origin:
            known = self._memory[name] = origin, make()
        return known[1]

    def _encoder(self) -> Encoder:
        words = self.vocabulary_
        numbers = self._remembered("words", words, lambda: {w: n for n, w in enumerate(words)})
        # One for each call: a splitter may have a memory of its own, which threads must not share.
        return Encoder(self.tokens_, self.units_, vocabulary=numbers)

    def infer(
        self,
        X: Documents,  # noqa: N803
        *,
        n_samples: int = N_SAMPLES,
        fast: bool = False,
        n_jobs: int | None = -1,
        random_state: Any = 0,
    ) -> Iterator[Inferred]:
        """Infer the structure of documents, one or a million, without touching the model.

        A document's own topics and their order are inferred given the learned counts and ρ. One
        that was in the fit is known by its words, and they are left out of those counts.

        Parameters
        ----------
        X
            Documents from `read_documents`, lists of paragraphs, or a corpus from `encode`. They
            are taken one by one, so an iterator need not end.
        n_samples
            Draws from the posterior for each document, which probabilities are averaged over. Few
            find the structure; doubtful boundaries want more (64, as `segment` and `check` take).
        fast
            Take the topics' words as known (eq. 14) instead of learning on within a document
            (eq. 7): then a word that comes again is no sign of the same topic.
        n_jobs
            Threads, −1 for all there are. The result does not depend on it.
        random_state
            With a document's words it decides its draws, in whatever company it comes.

        Yields
        ------
        Inferred
            In the order of the documents. One without a single word that the model knows gets
            what the model expects of any document, and a warning.

        Examples
        --------
        >>> from permutopic import ContentModel
        >>> documents = [["salt sea waves", "hills snow rocks"], ["waves salt", "snow rocks"]] * 5
        >>> model = ContentModel(n_topics=2, random_state=1).fit(documents)
        >>> found = next(model.infer([["rocks snow hills", "snow", "sea salt"]]))
        >>> found.topics.tolist(), found.ends.tolist(), found.swaps
        ([1, 1, 0], [2, 3], 1)
        """
        check_is_fitted(self)
        n_samples = check_integer(n_samples, "n_samples", 1, 1_000_000)
        n_threads, seed = count_threads(n_jobs), seed_from(random_state)
        pages = as_pages(X, self._encoder(), self.vocabulary_)
        # Importing the kernels starts numba: not before everything has been checked.
        from permutopic.jit import announced  # noqa: PLC0415
        from permutopic.model.inference.structures import Structures  # noqa: PLC0415

        known = self._remembered("known", self.state_, lambda: None)
        structures = Structures(
            self.state_, self.priors_, n_samples=n_samples, quick=bool(fast), seed=seed, known=known
        )
        self._memory["known"] = self.state_, structures.known
        merge_map = self._topics.view.merge_map
        numbers = self._remembered("numbers", self.document_digests_, self._numbers)

        def each() -> Iterator[Inferred]:
            with announced(_log.warning):
                yield from infer_pages(pages, structures, merge_map, numbers, n_threads)

        return each()

    def _numbers(self) -> dict[int, int]:
        """Give the number of each document in the fit, by its digest."""
        digests = self.document_digests_.tolist()
        return {key: number for number, key in reversed(list(enumerate(digests)))}

    def predict(self, X: Documents, **settings: Any) -> list[NDArray[np.int64]]:  # noqa: N803
        """Give the most probable topic structure of documents: one array of topics for each.

        Settings are those of `infer`, which tells more.
        """
        return [found.topics for found in self.infer(X, **settings)]

    def transform(self, X: Documents, **settings: Any) -> list[NDArray[np.float64]]:  # noqa: N803
        """Give the topic probabilities of every unit: one (units, topics) array for each document.

        Settings are those of `infer`, which tells more.
        """
        return [found.probabilities for found in self.infer(X, **settings)]
