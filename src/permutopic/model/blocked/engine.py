"""The engine of the blocked moves: a document's words and the counts in, its new structure out.

`TableEngine` works on the cores of this machine. Another engine does what `Engine` says and no
more; everything random comes from the generator it is handed, which is the document's own.
"""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np
from scipy.special import gammaln

from permutopic.corpus import offsets_from_sizes
from permutopic.errors import InputError
from permutopic.model.blocked import resampling
from permutopic.model.blocked.resampling import Errand, Library, Postings
from permutopic.model.kernels import log_filters, span_table
from permutopic.model.kernels.span_table import LANES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from permutopic.corpus import Corpus
    from permutopic.model.kernels.log_filters import Draws
    from permutopic.model.priors import Priors
    from permutopic.model.state import State

    RandomOf = Callable[[int], np.random.Generator]

CUTS = 20  # see docs/schedule.md


def every_place(n_units: int) -> float:  # noqa: ARG001
    """Make every place of a document a cut."""
    return 1.0


def some_cuts(n_units: int) -> float:
    """Share of a document's places to make cuts: some twenty, or twice the root of its units.

    The cost of a visit grows with tokens × cuts, so this keeps it nearly linear in the document's
    length; a boundary finds its exact place over several sweeps instead of in one.
    """
    return max(CUTS, 2 * math.sqrt(n_units)) / n_units


class Engine(Protocol):
    """Draws structures of documents, each given those of all others."""

    def visit(self, state: State, documents: Sequence[int], how: Draws, rng_of: RandomOf) -> None:
        """Visit documents one after the other: words and counts in, new structures out.

        The documents' bags and inversions change in place, and the counts with them. `rng_of`
        gives a document's own generator, valid until it is called again.
        """


class _Document(NamedTuple):
    """A document's words by numbers of its own, see `span_table.Text`, and where its units end."""

    tokens: NDArray[np.int32]
    postings: Postings
    offsets: NDArray[np.int64]
    reach: NDArray[np.int64]


class TableEngine:
    """Fills the span table of a document and draws on it, on several threads where it is worth it.

    Parameters
    ----------
    kept
        From the number of a document's units to the share of its places that may become
        boundaries, taken at random at every visit; present boundaries always may stay. A share
        of 1 or more is every place. See `some_cuts`.
    n_threads
        They share the work of each visit. The results are the same to the last bit.
    others
        Tokens that the counts hold beside those of the corpus.
    """

    def __init__(
        self,
        corpus: Corpus,
        n_topics: int,
        priors: Priors,
        *,
        kept: Callable[[int], float] = some_cuts,
        n_threads: int = 1,
        others: int = 0,
    ) -> None:
        self.n_topics, self.priors = n_topics, priors
        self.kept, self.n_threads = kept, n_threads
        self.documents = [_document(corpus, d) for d in range(corpus.n_documents)]
        longest = int(corpus.document_sizes.max())
        n_tokens = corpus.n_tokens + others
        self.log_gamma = gammaln(np.arange(n_tokens + 1) + corpus.n_words * priors.word)
        self.log_factorial = gammaln(np.arange(longest + 1) + 1.0)
        widest = math.log10(max(n_tokens + priors.word, 1 / priors.word, 10))
        self.block = int(290 // widest)
        self.n_groups = -(-n_topics // LANES)
        self.library = _library(self.documents)
        self.most_words = max(document.postings.words.size for document in self.documents)
        self.rows = np.empty(self.n_groups * self.most_words * LANES)
        self.topics = np.empty(longest, dtype=np.int64)
        self.pool = ThreadPoolExecutor(n_threads - 1) if n_threads > 1 else None
        self._make_room(64)

    def _make_room(self, n_cuts: int) -> None:
        """Grow what depends on the number of cuts."""
        size = self.n_topics * n_cuts * _whole_vectors(n_cuts)
        try:
            self.tables = [np.empty(size) for _ in range(3)]
        except MemoryError:
            raise InputError(
                f"the span table of a document with {n_cuts} cuts takes {24 * size / 2**30:.0f} "
                "GiB: take a smaller K"
            ) from None
        self.filters = log_filters.make_filters(self.n_topics, n_cuts)
        self.scratch = [
            span_table.make_scratch(self.most_words, n_cuts) for _ in range(self.n_threads)
        ]
        self.most_cuts = n_cuts

    def visit(self, state: State, documents: Sequence[int], how: Draws, rng_of: RandomOf) -> None:
        """Draw the structures of documents anew, one after the other."""
        errand = self._errand(state, documents, how, rng_of)
        counts = resampling.Counts(state.word_counts, state.topic_words)
        most = int(np.diff(errand.cut_firsts).max())
        if most > self.most_cuts:
            self._make_room(most + most // 4)
        room = resampling.Room(
            self.tables[0],
            self.tables[1],
            self.tables[2],
            self.rows,
            self.topics,
            self.log_gamma,
            self.log_factorial,
            self.priors.word,
            self.block,
        )
        helpers = []
        if self.pool is not None:
            given = (self.library, errand, room, self.n_topics, counts)
            helpers = [
                self.pool.submit(resampling.assist_all, *given, scratch, how, self.filters)
                for scratch in self.scratch[1:]
            ]
        try:
            resampling.visit_all(
                self.library,
                errand,
                room,
                state.bag,
                state.inversions,
                counts,
                self.scratch[0],
                how,
                self.filters,
            )
        finally:  # an interrupt may come before the visits have begun
            resampling.dismiss(errand.teams)
            for helper in helpers:
                if not helper.cancel():
                    helper.result()

    def _errand(
        self, state: State, documents: Sequence[int], how: Draws, rng_of: RandomOf
    ) -> Errand:
        """Choose the cuts and draw the uniforms of all documents to visit.

        A document's cuts depend on its own boundaries, which no other visit moves.
        """
        each_round = 2 * how.placements + self.n_topics + (self.n_topics - 1) * how.orders
        uniforms = np.empty((len(documents), how.rounds * each_round))
        cuts, cut_tokens, reach, log_kept = [], [], [], np.empty(len(documents))
        for n, d in enumerate(documents):
            rng, document = rng_of(d), self.documents[d]
            mine, kept = self._choose_cuts(state.bag[d], state.inversions[d], rng)
            cuts.append(mine)
            cut_tokens.append(document.offsets[mine])
            reach.append(document.reach[mine])
            log_kept[n] = math.log(kept)
            rng.random(out=uniforms[n])
        return Errand(
            np.asarray(documents, dtype=np.int64),
            np.concatenate(cuts),
            np.concatenate(cut_tokens),
            np.concatenate(reach),
            offsets_from_sizes([mine.size for mine in cuts]),
            log_kept,
            uniforms,
            np.zeros((len(documents), resampling.TEAM_SIZE), dtype=np.int64),
        )

    def _choose_cuts(
        self, bag: NDArray[np.int64], inversions: NDArray[np.int64], rng: np.random.Generator
    ) -> tuple[NDArray[np.int64], float]:
        """Keep each place with the same probability, and every present boundary."""
        n_units = int(bag.sum())
        kept = self.kept(n_units)
        if kept >= 1:
            return np.arange(n_units + 1), 1.0
        draws = rng.random(n_units + 1)
        return log_filters.choose_cuts(bag, inversions, kept, draws), kept


def _document(corpus: Corpus, number: int) -> _Document:
    units = corpus.units_of(number)
    offsets = corpus.unit_offsets[units.start : units.stop + 1]
    text = corpus.words[offsets[0] : offsets[-1]]
    offsets = offsets - offsets[0]
    # From the end backwards, so that the first place found is the last one in the text.
    found, last, backward = np.unique(text[::-1], return_index=True, return_inverse=True)
    by_last = np.argsort(last)
    own_number = np.empty(found.size, dtype=np.int32)
    own_number[by_last] = np.arange(found.size)
    reach = np.searchsorted(last[by_last], text.size - offsets)
    tokens = own_number[backward[::-1]]
    n_units = offsets.size - 1
    unit_of = np.repeat(np.arange(n_units), np.diff(offsets))
    places, counts = np.unique(tokens.astype(np.int64) * n_units + unit_of, return_counts=True)
    postings = Postings(
        words=found[by_last].astype(np.int64),
        firsts=np.searchsorted(places, np.arange(found.size + 1) * n_units),
        units=(places % n_units).astype(np.int32),
        counts=counts.astype(np.int32),
    )
    return _Document(tokens, postings, offsets, reach)


def _library(documents: Sequence[_Document]) -> Library:
    """Lay the documents one after the other."""
    postings = [document.postings for document in documents]
    return Library(
        np.concatenate([document.tokens for document in documents]),
        offsets_from_sizes([document.tokens.size for document in documents]),
        np.concatenate([mine.words for mine in postings]),
        offsets_from_sizes([mine.words.size for mine in postings]),
        np.concatenate([mine.firsts for mine in postings]),
        np.concatenate([mine.units for mine in postings]),
        np.concatenate([mine.counts for mine in postings]),
        offsets_from_sizes([mine.units.size for mine in postings]),
        np.concatenate([document.offsets for document in documents]),
        offsets_from_sizes([document.offsets.size - 1 for document in documents]),
    )


def _whole_vectors(n: int) -> int:
    return -(-n // LANES) * LANES
