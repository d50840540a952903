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

from permutopic.errors import InputError
from permutopic.model import block_kernels, kernels, span_table, visit_kernels
from permutopic.model.span_table import LANES
from permutopic.model.visit_kernels import Postings

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from permutopic.corpus import Corpus
    from permutopic.model.block_kernels import Draws
    from permutopic.model.priors import Priors
    from permutopic.model.state import State

CUTS = 20  # see docs/schedule.md
# Below so many tokens × cuts × topics, calling other threads takes longer than it saves.
WORTH_THREADS = 1_000_000


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
    """Draws the structure of one document, given those of all others."""

    def visit(self, state: State, document: int, how: Draws, rng: np.random.Generator) -> None:
        """Change this document's bag and inversions in place, and the counts with them."""


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
    """

    def __init__(
        self,
        corpus: Corpus,
        n_topics: int,
        priors: Priors,
        *,
        kept: Callable[[int], float] = some_cuts,
        n_threads: int = 1,
    ) -> None:
        self.n_topics, self.priors = n_topics, priors
        self.kept, self.n_threads = kept, n_threads
        self.documents = [_document(corpus, d) for d in range(corpus.n_documents)]
        longest = int(corpus.document_sizes.max())
        self.log_gamma = gammaln(np.arange(corpus.n_tokens + 1) + corpus.n_words * priors.word)
        self.log_factorial = gammaln(np.arange(longest + 1) + 1.0)
        widest = math.log10(max(corpus.n_tokens + priors.word, 1 / priors.word, 10))
        self.block = int(290 // widest)
        self.n_groups = -(-n_topics // LANES)
        self.most_words = max(document.postings.words.size for document in self.documents)
        self.rows = np.empty(self.n_groups * self.most_words * LANES)
        self.pool = ThreadPoolExecutor(n_threads - 1) if n_threads > 1 else None
        self.most_cuts = 0
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
        self.filters = block_kernels.make_filters(self.n_topics, n_cuts)
        self.scratch = [
            span_table.make_scratch(self.most_words, n_cuts) for _ in range(self.n_threads)
        ]
        self.most_cuts = n_cuts

    def visit(self, state: State, document: int, how: Draws, rng: np.random.Generator) -> None:
        """Draw the structure of one document anew."""
        tokens, postings, offsets, reach = self.documents[document]
        bag, inversions = state.bag[document], state.inversions[document]
        cuts, kept = self._choose_cuts(bag, inversions, rng)
        if cuts.size > self.most_cuts:
            self._make_room(cuts.size + cuts.size // 4)
        shape = (self.n_topics, cuts.size - 1, _whole_vectors(cuts.size))
        tables = visit_kernels.Tables(
            _shaped(self.tables[0], shape),
            _shaped(self.tables[1], shape),
            _shaped(self.tables[2], shape),
            _shaped(self.rows, (self.n_groups, postings.words.size, LANES)),
            self.log_gamma,
            self.log_factorial,
            self.priors.word,
            self.block,
        )
        text = span_table.Text(tokens, postings.words, offsets[cuts], reach[cuts])
        counts = visit_kernels.Counts(state.word_counts, state.topic_words)
        topics = np.empty(offsets.size - 1, dtype=np.int64)
        team = np.zeros(visit_kernels.TEAM_SIZE, dtype=np.int64)
        each_round = 2 * how.placements + self.n_topics + (self.n_topics - 1) * how.orders
        uniforms = rng.random(how.rounds * each_round)
        helpers = []
        if self.pool is not None and tokens.size * cuts.size * self.n_topics > WORTH_THREADS:
            helpers = [
                self.pool.submit(
                    visit_kernels.assist, team, text, postings, topics, counts, tables, scratch
                )
                for scratch in self.scratch[1:]
            ]
        try:
            visit_kernels.visit(
                team,
                text,
                postings,
                offsets,
                topics,
                cuts,
                math.log(kept),
                bag,
                inversions,
                counts,
                tables,
                self.scratch[0],
                how,
                self.filters,
                uniforms,
            )
        finally:  # an interrupt may come before the visit has begun
            visit_kernels.dismiss(team)
            for helper in helpers:
                if not helper.cancel():
                    helper.result()

    def _choose_cuts(
        self, bag: NDArray[np.int64], inversions: NDArray[np.int64], rng: np.random.Generator
    ) -> tuple[NDArray[np.int64], float]:
        """Keep each place with the same probability, and every present boundary."""
        n_units = int(bag.sum())
        kept = self.kept(n_units)
        if kept >= 1:
            return np.arange(n_units + 1), 1.0
        order = np.empty(bag.size, dtype=np.int64)
        kernels.fill_order(order, inversions)
        chosen = rng.random(n_units + 1) < kept
        chosen[np.cumsum(bag[order])] = True
        chosen[0] = True
        return np.flatnonzero(chosen), kept


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


def _shaped(room: NDArray[np.float64], shape: tuple[int, ...]) -> NDArray[np.float64]:
    return room[: math.prod(shape)].reshape(shape)


def _whole_vectors(n: int) -> int:
    return -(-n // LANES) * LANES
