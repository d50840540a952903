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
# Below so many multiplications, handing them to threads takes longer than they do.
_WORTH_THREADS = 400_000


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
    """Fills the span table of a document, on several threads if it is worth it, and draws on it.

    Parameters
    ----------
    kept
        From the number of a document's units to the share of its places that may become
        boundaries, taken at random at every visit; present boundaries always may stay. A share
        of 1 or more is every place. See `some_cuts`.
    n_threads
        They split the starts of the table. The results are the same to the last bit.
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
            self.table, self.scaled, self.flipped = (np.empty(size) for _ in range(3))
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
        n_words = postings.words.size
        text = span_table.Text(tokens, postings.words, offsets[cuts], reach[cuts])
        rows = _shaped(self.rows, (self.n_groups, n_words, LANES))
        shape = (self.n_topics, cuts.size - 1, _whole_vectors(cuts.size))
        table = _shaped(self.table, shape)
        structure = (bag, inversions, state.word_counts, state.topic_words)
        visit_kernels.take_out(postings, offsets, *structure, rows, self.priors.word)
        self._fill(table, text, rows, state.topic_words)
        each_round = 2 * how.placements + self.n_topics + (self.n_topics - 1) * how.orders
        visit_kernels.put_back(
            table,
            _shaped(self.scaled, shape),
            _shaped(self.flipped, shape),
            postings,
            offsets,
            cuts,
            math.log(kept),
            self.log_factorial,
            *structure,
            how,
            self.filters,
            rng.random(how.rounds * each_round),
        )

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

    def _fill(
        self,
        table: NDArray[np.float64],
        text: span_table.Text,
        rows: NDArray[np.float64],
        held: NDArray[np.int64],
    ) -> None:
        factors = span_table.Factors(rows, held, self.log_gamma, self.block)
        work = text.tokens.size * text.cut_tokens.size // 2 * self.n_groups * LANES
        if self.pool is None or work < _WORTH_THREADS:
            span_table.fill_spans(table, text, factors, self.scratch[0], 0, 1)
            return
        jobs = [
            self.pool.submit(
                span_table.fill_spans, table, text, factors, scratch, share, self.n_threads
            )
            for share, scratch in enumerate(self.scratch)
            if share > 0
        ]
        span_table.fill_spans(table, text, factors, self.scratch[0], 0, self.n_threads)
        for job in jobs:
            job.result()


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
