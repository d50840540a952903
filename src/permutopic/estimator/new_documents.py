"""What a fitted model does with documents, new ones and those of the fit: encode, infer."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from sklearn.utils.validation import check_is_fitted

from permutopic.checks import check_integer
from permutopic.corpus import Corpus, Encoder
from permutopic.estimator.documents import as_documents, encode_each
from permutopic.estimator.streaming import infer_documents
from permutopic.model.subjects import DocumentWords
from permutopic.streams import seed_from
from permutopic.threads import count_threads
from permutopic.topics import RankedSubjects

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    import numpy as np
    from numpy.typing import NDArray

    from permutopic.corpus import EncodedDocument
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


class InfersDocuments:
    """The part of ContentModel that infers documents and does not change the model."""

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
        """Encode new documents as those of the fit were, into a corpus.

        They are cut into the same units and split into the same tokens; words outside the model's
        vocabulary are left out. Documents come from `read_documents`, or as lists of paragraphs.
        """
        check_is_fitted(self)
        documents = list(as_documents(X))
        encoder = Encoder(self.tokens_, self.units_, vocabulary=self.vocabulary_)
        return encoder.encode(documents)

    def _cached(self, name: str, origin: object, make: Callable[[], Any]) -> Any:
        """Return a cached value that was made from the same object, or make it.

        Inferring a single document should not cost time in proportion to the model.
        """
        if not hasattr(self, "_cache"):
            self._cache: dict[str, tuple[object, Any]] = {}
        entry = self._cache.get(name)
        if entry is None or entry[0] is not origin:
            entry = self._cache[name] = origin, make()
        return entry[1]

    def _encoder(self) -> Encoder:
        words = self.vocabulary_
        numbers = self._cached("words", words, lambda: {w: n for n, w in enumerate(words)})
        # One for each call: a splitter may keep a cache, which threads must not share.
        return Encoder(self.tokens_, self.units_, vocabulary=numbers)

    def _ranked_subjects(self) -> RankedSubjects:
        """Return what ranks the subject words of documents."""
        subject = self.priors_.subject
        rates = None if subject is None else subject.base_rates
        return RankedSubjects(self.state_.subject_words, rates, self._topics.view.weights)

    @property
    def document_words_(self) -> DocumentWords | None:
        """The distribution of a document over its subject words; None if the model has none."""
        check_is_fitted(self)
        subject = self.priors_.subject
        return None if subject is None else DocumentWords(self.state_.subject_words, subject)

    def _words_of(self, numbers: NDArray[np.integer]) -> tuple[str, ...]:
        """Return words by their numbers, up to the first negative one."""
        return tuple(self.vocabulary_[number] for number in numbers.tolist() if number >= 0)

    def infer(
        self,
        X: Documents,  # noqa: N803
        *,
        n_samples: int = N_SAMPLES,
        fast: bool = False,
        n_jobs: int | None = -1,
        random_state: Any = 0,
    ) -> Iterator[Inferred]:
        """Infer the structure of documents given the fitted counts and ρ; the model stays.

        A document of the fit is recognised by its words, and they are left out of the counts.

        Parameters
        ----------
        X
            Documents from `read_documents`, lists of paragraphs, or a corpus from `encode`. They
            are taken one by one, so an iterator need not end.
        n_samples
            Draws from the posterior for each document, over which probabilities are averaged. Few
            find the structure; uncertain boundaries need more (64 in `segment` and `check`).
        fast
            Take the topics' words as known (eq. 14) instead of integrating them out (eq. 7): then a
            word that comes again is no sign of the same topic.
        n_jobs
            Threads, −1 for all there are. The result does not depend on it.
        random_state
            With a document's digest it keys its draws; other documents do not matter.

        Yields
        ------
        Inferred
            In the order of the documents. One without a known word gets the prior's structure, and
            a warning.

        Examples
        --------
        >>> from permutopic import ContentModel
        >>> documents = [["salt sea waves", "hills snow rocks"], ["waves salt", "snow rocks"]] * 5
        >>> model = ContentModel(n_topics=2, random_state=5).fit(documents)
        >>> found = next(model.infer([["rocks snow hills", "snow", "sea salt"]]))
        >>> found.topics.tolist(), found.ends.tolist(), found.swaps
        ([1, 1, 0], [2, 3], 1)
        """
        check_is_fitted(self)
        n_samples = check_integer(n_samples, "n_samples", 1, 1_000_000)
        n_threads, seed = count_threads(n_jobs), seed_from(random_state)
        documents = encode_each(X, self._encoder(), self.vocabulary_)
        # Importing the kernels starts numba: not before everything has been checked.
        from permutopic.jit import report_compilation  # noqa: PLC0415
        from permutopic.model.inference.structures import StructureInference  # noqa: PLC0415

        fitted = self._cached("fitted", self.state_, lambda: None)
        inference = StructureInference(
            self.state_,
            self.priors_,
            n_samples=n_samples,
            fast=bool(fast),
            seed=seed,
            fitted=fitted,
        )
        self._cache["fitted"] = self.state_, inference.fitted
        merge_map = self._topics.view.merge_map
        numbers = self._cached("numbers", self.document_digests_, self._numbers)
        ranked = self._cached("subjects", self.state_, self._ranked_subjects)

        def subjects_of(document: EncodedDocument) -> tuple[str, ...]:
            return self._words_of(ranked.of_tokens(document.tokens.words))

        def each() -> Iterator[Inferred]:
            with report_compilation(_log.warning, "inference of new documents"):
                yield from infer_documents(
                    documents, inference, merge_map, numbers, subjects_of, n_threads
                )

        return each()

    def _numbers(self) -> dict[int, int]:
        """Map the digest of each document of the fit to its number."""
        digests = self.document_digests_.tolist()
        return {key: number for number, key in reversed(list(enumerate(digests)))}

    def predict(self, X: Documents, **settings: Any) -> list[NDArray[np.int64]]:  # noqa: N803
        """Return the most probable structure of documents: one array of topics for each.

        Settings are those of `infer`, which returns more.
        """
        return [found.topics for found in self.infer(X, **settings)]

    def transform(self, X: Documents, **settings: Any) -> list[NDArray[np.float64]]:  # noqa: N803
        """Return the topic probabilities of every unit: one (units, topics) array a document.

        Settings are those of `infer`, which returns more.
        """
        return [found.probabilities for found in self.infer(X, **settings)]
