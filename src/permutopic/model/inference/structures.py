"""Structures of documents given a state: set up once, for one document or a million."""

from __future__ import annotations

import hashlib
import math
import threading
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.special import gammaln

from permutopic import dirichlet
from permutopic.model.inference.sampling import Effort, Findings, Known, Page, infer
from permutopic.model.posterior import prevalence
from permutopic.model.priors import Variant
from permutopic.streams import Streams

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from permutopic.corpus import Corpus
    from permutopic.model.priors import Priors
    from permutopic.model.state import State

# docs/new_documents.md says what they cost and bring.
CUTS = 32
PLACEMENTS = 1
ONE_VISIT, ROUNDS = 16, 8
FAINT, SELDOM = 0.03, 0.1
_NOTHING = np.empty(0, dtype=np.int64)
_LONGEST = 1 << 16  # tokens of a document that need no longer tables


class Text(NamedTuple):
    """One document as the model sees it.

    `words` are numbers of the model's vocabulary, unit u has `offsets[u]` up to `offsets[u + 1]` of
    them. `number` is the document's own in the fit, or −1 if it is a new one; `key` its digest, if
    that is known.
    """

    words: NDArray[np.int32]
    offsets: NDArray[np.int64]
    number: int = -1
    key: int | None = None


class Structures:
    """Infers the structure of one document after the other; the state is read, never changed.

    Parameters
    ----------
    n_samples
        Draws from the posterior for each document.
    quick
        Take point estimates of the topics' words (eq. 14), where a word that comes again is as
        much of a surprise as before.
    seed
        With a document's own words it decides its random numbers: the same document has the same
        result in any company.
    known
        What earlier ones have made of the same state (`known`), so as not to make it again.
    """

    def __init__(
        self,
        state: State,
        priors: Priors,
        *,
        n_samples: int,
        quick: bool = False,
        seed: int = 0,
        known: Known | None = None,
    ) -> None:
        self.state, self.priors, self.seed = state, priors, seed
        self.n_samples, self.quick = n_samples, quick
        self.concentration = state.bag.sum(axis=0) + priors.topic
        n_documents = state.bag.shape[0]
        self.changes = (np.count_nonzero(state.bag) - n_documents + 1) / (n_documents + 1)
        self.known = self._known() if known is None else known
        self._room = threading.local()

    @cached_property
    def totals(self) -> NDArray[np.int64]:
        """How often each word occurs in all topics."""
        totals: NDArray[np.int64] = self.state.word_counts.sum(axis=1)
        return totals

    def _known(self) -> Known:
        state, priors = self.state, self.priors
        n_words, n_documents = state.word_counts.shape[0], state.bag.shape[0]
        segments, units = np.count_nonzero(state.bag), int(state.bag.sum())
        held = int(state.topic_words.sum())
        return Known(
            word_counts=state.word_counts,
            topic_words=state.topic_words,
            shares=prevalence(state, priors),
            dispersion=state.dispersion,
            switch=(segments - n_documents + 1) / (units - n_documents + 2),
            background=np.log(dirichlet.mean(self.totals, priors.word)),
            log_gamma=gammaln(np.arange(held + _LONGEST) + n_words * priors.word),
            log_factorial=gammaln(np.arange(1024) + 1.0),
            word_prior=priors.word,
            block=0,
            orders=priors.variant != Variant.CONSTRAINED,
        )

    def _known_for(self, n_tokens: int, n_units: int) -> Known:
        """Lengthen the tables of logΓ where a document needs it."""
        known, priors = self.known, self.priors
        n_words = known.word_counts.shape[0]
        most = int(known.topic_words.sum()) + n_tokens
        if known.log_gamma.size <= most:
            more = np.arange(known.log_gamma.size, most + most // 8 + 1)
            longer = np.append(known.log_gamma, gammaln(more + n_words * priors.word))
            known = known._replace(log_gamma=longer)
        if known.log_factorial.size <= n_units:
            known = known._replace(log_factorial=gammaln(np.arange(2 * n_units) + 1.0))
        self.known = known
        widest = math.log10(max(most + priors.word, 1 / priors.word, 10))
        # A document has about as many segments as others, however many units it has.
        switch = min(known.switch, self.changes / max(n_units - 1, 1))
        return known._replace(block=int(290 // widest), switch=switch)

    def infer(self, text: Text) -> Findings:
        """Find the structure of one document; several threads may do so at once."""
        n_units, n_topics = text.offsets.size - 1, self.state.n_topics
        # Few samples come from one visit, more from several: each looks at other places.
        rounds = ONE_VISIT if self.n_samples <= ONE_VISIT else ROUNDS
        visits = -(-self.n_samples // rounds)
        cuts = max(CUTS, int(2 * math.sqrt(n_units)))
        effort = Effort(visits, rounds, PLACEMENTS, cuts, cuts, FAINT, SELDOM, self.quick)
        findings = Findings(
            topics=np.empty(n_units, dtype=np.int64),
            probabilities=np.empty((n_units, n_topics)),
            boundaries=np.empty(n_units),
            samples=np.empty((visits * rounds, n_units), dtype=np.int64),
            total=np.empty(1),
            scores=np.empty((n_units, n_topics)),
            background=np.empty(n_units),
        )
        known = self._known_for(text.words.size, n_units)
        infer(self._page(text, effort), known, effort, self._numbers(), findings)
        return findings._replace(samples=findings.samples[: self.n_samples])

    def _page(self, text: Text, effort: Effort) -> Page:
        key = digest(text.words, text.offsets) if text.key is None else text.key
        rng = self._streams().at(0, 0, key)
        n_units, n_topics = text.offsets.size - 1, self.state.n_topics
        each = n_units + 1 + n_topics + effort.rounds * (2 * effort.placements + n_topics)
        concentration, topics, inversions = self.concentration, _NOTHING, _NOTHING
        if text.number >= 0:
            topics = self.state.topics(text.number)
            inversions = self.state.inversions[text.number]
            concentration = concentration - self.state.bag[text.number]
        return Page(
            text.words,
            text.offsets,
            topics,
            inversions,
            rng.random(effort.visits * each),
            rng.standard_gamma(concentration, (effort.visits, n_topics)),
            rng.standard_exponential((effort.visits, n_units)),
        )

    def _streams(self) -> Streams:
        if not hasattr(self._room, "streams"):
            self._room.streams = Streams(self.seed)
        streams: Streams = self._room.streams
        return streams

    def _numbers(self) -> NDArray[np.int32]:
        """Room for `number_words`, one for each thread."""
        if not hasattr(self._room, "numbers"):
            self._room.numbers = np.full(self.state.word_counts.shape[0], -1, dtype=np.int32)
        numbers: NDArray[np.int32] = self._room.numbers
        return numbers


def digest(words: NDArray[np.int32], offsets: NDArray[np.int64]) -> int:
    """Give a number of 64 bits that tells a document by its words and units."""
    whole = hashlib.blake2b(np.ascontiguousarray(words, dtype="<i4").tobytes(), digest_size=8)
    whole.update(np.asarray(offsets - offsets[0], dtype="<i8").tobytes())
    return int.from_bytes(whole.digest(), "little")


def digest_all(corpus: Corpus) -> NDArray[np.uint64]:
    """Give the digest of every document of a corpus."""
    digests = np.empty(corpus.n_documents, dtype=np.uint64)
    for number in range(corpus.n_documents):
        units = corpus.units_of(number)
        offsets = corpus.unit_offsets[units.start : units.stop + 1]
        digests[number] = digest(corpus.words[offsets[0] : offsets[-1]], offsets)
    return digests
