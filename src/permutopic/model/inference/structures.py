"""Inferring the structures of documents given a fitted state: one document or a million."""

from __future__ import annotations

import math
import threading
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import gammaln

from permutopic.corpus import DocumentTokens, offsets_from_sizes
from permutopic.model.inference.preparing import (
    FittedCounts,
    InferenceInput,
    InferenceSettings,
    PosteriorSummary,
)
from permutopic.model.inference.sampling import infer_structure
from permutopic.model.posterior import prevalence
from permutopic.model.priors import Variant
from permutopic.model.subjects import DocumentWords
from permutopic.streams import Streams

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from permutopic.corpus import EncodedDocument
    from permutopic.model.priors import Priors
    from permutopic.model.state import State

# docs/studies/new_documents.md has the study behind these.
CUTS = 32
PLACEMENTS = 1
ONE_VISIT, ROUNDS = 16, 8
PRESENCE_THRESHOLD, INCLUSION_FLOOR = 0.03, 0.1
_NONE = np.empty(0, dtype=np.int64)
_MAX_TOKENS = 1 << 16  # of a document, before the tables of logΓ have to grow


class StructureInference:
    """Infers the structure of one document after the other; the state is not changed.

    Parameters
    ----------
    n_samples
        Draws from the posterior for each document.
    fast
        Take the topics' words as known (eq. 14) instead of integrating them out: a word that comes
        again is then no sign of the same topic.
    seed
        With a document's digest it keys its random numbers, so the result does not depend on the
        other documents.
    fitted
        The `fitted` of an earlier instance for the same state, to avoid computing it again.
    """

    def __init__(
        self,
        state: State,
        priors: Priors,
        *,
        n_samples: int,
        fast: bool = False,
        seed: int = 0,
        fitted: FittedCounts | None = None,
    ) -> None:
        self.state, self.priors, self.seed = state, priors, seed
        self.n_samples, self.fast = n_samples, fast
        self.concentration = state.bag.sum(axis=0) + priors.topic
        n_documents = state.bag.shape[0]
        self.switches = (np.count_nonzero(state.bag) - n_documents + 1) / (n_documents + 1)
        self.fitted = self._fitted_counts() if fitted is None else fitted
        self._of_thread = threading.local()

    @cached_property
    def word_totals(self) -> NDArray[np.int64]:
        """(W,): how often each section word occurs in all topics together."""
        totals: NDArray[np.int64] = self.state.word_counts.sum(axis=1)
        return totals

    @cached_property
    def document_words(self) -> DocumentWords | None:
        """The distribution of a document over its subject words; None in the paper's model."""
        if self.priors.subject is None:
            return None
        return DocumentWords(self.state.subject_words, self.priors.subject)

    def _fitted_counts(self) -> FittedCounts:
        state, priors = self.state, self.priors
        n_documents = state.bag.shape[0]
        section_prior = priors.word * np.count_nonzero(~state.subject_words)
        segments, units = np.count_nonzero(state.bag), int(state.bag.sum())
        n_tokens = int(state.topic_tokens.sum())
        return FittedCounts(
            word_counts=state.word_counts,
            topic_tokens=state.topic_tokens,
            prevalence=prevalence(state, priors),
            dispersion=state.dispersion,
            switch=(segments - n_documents + 1) / (units - n_documents + 2),
            background=np.log((self.word_totals + priors.word) / (n_tokens + section_prior)),
            log_gamma=gammaln(np.arange(n_tokens + _MAX_TOKENS) + section_prior),
            log_factorial=gammaln(np.arange(1024) + 1.0),
            word_prior=priors.word,
            section_prior=section_prior,
            block=0,
            orders=priors.variant != Variant.CONSTRAINED,
        )

    def _fitted_for(self, n_tokens: int, n_units: int) -> FittedCounts:
        """Extend the tables of logΓ if a document needs it, and set what depends on its size."""
        fitted, priors = self.fitted, self.priors
        n_all = int(fitted.topic_tokens.sum()) + n_tokens
        if fitted.log_gamma.size <= n_all:
            more = np.arange(fitted.log_gamma.size, n_all + n_all // 8 + 1)
            longer = np.append(fitted.log_gamma, gammaln(more + fitted.section_prior))
            fitted = fitted._replace(log_gamma=longer)
        if fitted.log_factorial.size <= n_units:
            fitted = fitted._replace(log_factorial=gammaln(np.arange(2 * n_units) + 1.0))
        self.fitted = fitted
        digits = math.log10(max(n_all + priors.word, 1 / priors.word, 10))
        # A document has about as many segments as others, however many units it has.
        switch = min(fitted.switch, self.switches / max(n_units - 1, 1))
        return fitted._replace(block=int(290 // digits), switch=switch)

    def infer(self, document: EncodedDocument, number: int = -1) -> PosteriorSummary:
        """Infer the structure of one document; several threads may do so at once.

        Structure and scores come from its section words alone; the log likelihood is that of all
        words, subject words by a distribution of the document's own. `number` is the document's own
        in the fit, whose tokens are then left out of the counts; −1 for a new document.
        """
        n_units, n_topics = document.n_units, self.state.n_topics
        # Few samples come from one visit, more from several, each with other cuts.
        rounds = ONE_VISIT if self.n_samples <= ONE_VISIT else ROUNDS
        visits = -(-self.n_samples // rounds)
        cuts = max(CUTS, int(2 * math.sqrt(n_units)))
        settings = InferenceSettings(
            visits, rounds, PLACEMENTS, cuts, cuts, PRESENCE_THRESHOLD, INCLUSION_FLOOR, self.fast
        )
        summary = PosteriorSummary(
            topics=np.empty(n_units, dtype=np.int64),
            probabilities=np.empty((n_units, n_topics)),
            boundaries=np.empty(n_units),
            samples=np.empty((visits * rounds, n_units), dtype=np.int64),
            log_likelihood=np.empty(1),
            scores=np.empty((n_units, n_topics)),
            background=np.empty(n_units),
        )
        fitted = self._fitted_for(document.n_tokens, n_units)
        given = self._input(document, number, settings)
        infer_structure(given, fitted, settings, self._numbers(), summary)
        if self.document_words is not None:
            own = self.document_words.log_probability(document.tokens.words)
            summary.log_likelihood[0] += own
        return summary._replace(samples=summary.samples[: self.n_samples])

    def _input(
        self, document: EncodedDocument, number: int, settings: InferenceSettings
    ) -> InferenceInput:
        """Draw the random numbers of a document, and look up its structure in the fit."""
        rng = self._streams().at(0, 0, document.digest)
        n_units, n_topics = document.n_units, self.state.n_topics
        each = n_units + 1 + n_topics + settings.rounds * (2 * settings.placements + n_topics)
        concentration, topics, inversions = self.concentration, _NONE, _NONE
        if number >= 0:
            topics = self.state.topics(number)
            inversions = self.state.inversions[number]
            concentration = concentration - self.state.bag[number]
        return InferenceInput(
            section_tokens(document.tokens, self.state.subject_words),
            topics,
            inversions,
            rng.random(settings.visits * each),
            rng.standard_gamma(concentration, (settings.visits, n_topics)),
            rng.standard_exponential((settings.visits, n_units)),
        )

    def _streams(self) -> Streams:
        """Return the random streams of this thread."""
        if not hasattr(self._of_thread, "streams"):
            self._of_thread.streams = Streams(self.seed)
        streams: Streams = self._of_thread.streams
        return streams

    def _numbers(self) -> NDArray[np.int32]:
        """Return this thread's scratch memory for `preparation.localize`."""
        if not hasattr(self._of_thread, "numbers"):
            n_words = self.state.word_counts.shape[0]
            self._of_thread.numbers = np.full(n_words, -1, dtype=np.int32)
        numbers: NDArray[np.int32] = self._of_thread.numbers
        return numbers


def section_tokens(tokens: DocumentTokens, subject_words: NDArray[np.bool_]) -> DocumentTokens:
    """Leave the subject words out of a document's tokens."""
    kept = ~subject_words[tokens.words]
    if kept.all():
        return tokens
    words = tokens.words[kept]
    words.flags.writeable = False
    return DocumentTokens(words, offsets_from_sizes(kept)[tokens.offsets])
