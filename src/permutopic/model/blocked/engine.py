"""The engine of the blocked moves: resamples documents, given the counts of all others.

`TableEngine` works on the cores of this machine. Another engine has to do what `Engine` says;
its random numbers come from the generator it is given for each document.
"""

from __future__ import annotations

import math
from inspect import unwrap
from typing import TYPE_CHECKING, Protocol

import numpy as np
from scipy.special import gammaln

from permutopic.corpus import offsets_from_sizes
from permutopic.errors import InputError, Parameter
from permutopic.model.blocked import cuts, packed, resampling, section_words, stages
from permutopic.model.blocked.helpers import Helpers
from permutopic.model.blocked.packing import localize_corpus, pack_documents
from permutopic.model.kernels import log_filters, span_table
from permutopic.model.kernels.lanes import LANES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from permutopic.corpus import Corpus
    from permutopic.model.kernels.log_filters import MoveSettings
    from permutopic.model.mcmc.sampler import RandomAt
    from permutopic.model.priors import Priors
    from permutopic.model.state import State


CUTS = 20  # see docs/studies/schedule.md
ACTIVE = packed.ActiveLimits(others=32.0, spare=4.0, fewest=20.0)  # docs/studies/large_k.md


def every_position(n_units: int) -> float:  # noqa: ARG001
    """Make every position of a document a cut."""
    return 1.0


def default_cut_probability(n_units: int) -> float:
    """Return the cut probability for about twenty cuts, or twice the square root of the units.

    The cost of resampling grows with tokens × cuts, so this keeps it nearly linear in the
    document's length; a boundary reaches its position over several sweeps instead of in one.
    """
    return max(CUTS, 2 * math.sqrt(n_units)) / n_units


class Engine(Protocol):
    """Resamples the structures of documents, each given those of all others."""

    def resample(
        self, state: State, documents: Sequence[int], settings: MoveSettings, random_at: RandomAt
    ) -> None:
        """Resample documents one after the other, none of them twice.

        Their bags and inversions change in place, and the counts with them. `random_at` returns a
        document's own generator, valid until it is called again.
        """


class TableEngine:
    """Fills the span table of each document and draws on it, on one or several threads.

    Parameters
    ----------
    cut_probability
        From the number of a document's units to the probability of each position to become a cut
        in a visit; present boundaries always are cuts. With 1 or more all positions are. See
        `default_cut_probability`.
    n_threads
        Threads that share the work on each document. The result is the same to the last bit.
    n_other_tokens
        Tokens in the counts beside those of the corpus.
    active
        How many topics are active in a visit; all of them if there are no more than `fewest`.
    """

    def __init__(
        self,
        corpus: Corpus,
        n_topics: int,
        priors: Priors,
        *,
        cut_probability: Callable[[int], float] = default_cut_probability,
        n_threads: int = 1,
        n_other_tokens: int = 0,
        active: packed.ActiveLimits = ACTIVE,
    ) -> None:
        self.n_topics, self.priors, self.active = n_topics, priors, active
        self.n_threads = n_threads
        self.documents = localize_corpus(corpus)
        self.packed = pack_documents(self.documents)
        longest = int(corpus.document_sizes.max())
        n_tokens = corpus.n_tokens + n_other_tokens
        # A thread that comes late may look a document further: its numbers are thrown away.
        self.longest_text = max(document.tokens.size for document in self.documents)
        self.log_gamma = gammaln(
            np.arange(n_tokens + self.longest_text + 1) + corpus.n_words * priors.word
        )
        self.all_words, self.subject_words = self.packed, np.zeros(corpus.n_words, dtype=np.bool_)
        self.log_factorial = gammaln(np.arange(longest + 1) + 1.0)
        digits = math.log10(max(n_tokens + priors.word, 1 / priors.word, 10))
        self.block = int(290 // digits)
        self.max_words = max(document.words.size for document in self.documents)
        self.rows = aligned_empty(-(-n_topics // LANES) * self.max_words * LANES)
        self.unit_topics = np.empty((2, longest), dtype=np.int64)
        sizes = corpus.document_sizes
        self.cut_probabilities = np.array([min(cut_probability(int(n)), 1.0) for n in sizes])
        self.log_cut_probabilities = np.array(list(map(math.log, self.cut_probabilities)))
        self.n_cut_numbers = np.where(self.cut_probabilities < 1, sizes + 1, 0)
        self.helpers = Helpers(n_threads)
        self._allocate(64)

    def _allocate(self, n_cuts: int) -> None:
        """Allocate the memory that depends on the number of cuts.

        `unwrap`: what takes no time need not be compiled to be called from here.
        """
        size = self.n_topics * n_cuts * _whole_vectors(n_cuts)
        try:
            self.tables = [np.empty(size) for _ in range(3)]
        except MemoryError:
            raise InputError(
                f"the span table of a document with {n_cuts} cuts takes {24 * size / 2**30:.0f} "
                "GiB: take fewer topics (",
                Parameter("n_topics"),
                ")",
            ) from None
        self.filters = unwrap(log_filters.make_filter_workspace)(self.n_topics, n_cuts)
        make_scratch = unwrap(span_table.make_scratch)
        self.scratch = [make_scratch(self.max_words, n_cuts) for _ in range(self.n_threads)]
        self.max_cuts = n_cuts

    def resample(
        self, state: State, documents: Sequence[int], settings: MoveSettings, random_at: RandomAt
    ) -> None:
        """Resample documents one after the other; a few first while helpers are on trial."""
        if not np.array_equal(state.subject_words, self.subject_words):
            self._take_classes(state)
        n_first = len(documents) // 4 if self.helpers.on_trial() else 0
        for part in (documents[:n_first], documents[n_first:]):
            if len(part) > 0:
                self._resample_batch(state, part, settings, random_at)

    def _take_classes(self, state: State) -> None:
        """Leave the subject words out of all documents."""
        if self.packed is self.all_words:
            copies = {name: array.copy() for name, array in self.all_words._asdict().items()}
            self.packed = packed.PackedCorpus(**copies)
        self.subject_words = state.subject_words.copy()
        section_words.pack_section_words(self.all_words, self.subject_words, self.packed)
        concentration = np.count_nonzero(~self.subject_words) * self.priors.word
        # No topic will have more tokens than all have now, and one late document.
        n_values = int(state.topic_tokens.sum()) + self.longest_text + 1
        section_words.fill_log_gamma(self.log_gamma[:n_values], concentration)

    def _resample_batch(
        self, state: State, documents: Sequence[int], settings: MoveSettings, random_at: RandomAt
    ) -> None:
        batch = self._make_batch(state, documents, settings, random_at)
        counts = resampling.TokenCounts(state.word_counts, state.topic_tokens)
        n_cuts = int(np.diff(batch.cuts.offsets).max())
        if n_cuts > self.max_cuts:
            self._allocate(n_cuts + n_cuts // 4)
        workspace = packed.Workspace(
            self.tables[0],
            self.tables[1],
            self.tables[2],
            self.rows,
            self.unit_topics,
            self.log_gamma,
            self.log_factorial,
            self.priors.word,
            self.block,
            self.active,
        )

        def work(thread: int) -> None:
            resampling.resample_batch(
                self.packed,
                batch,
                workspace,
                state.bag,
                state.inversions,
                counts,
                self.scratch[thread],
                settings,
                self.filters,
                thread == 0,
            )

        helpers = self.helpers.start(work)
        try:
            work(0)
        finally:  # an interrupt may come before the first document
            stages.release_helpers(batch.work_counters)
            self.helpers.finish(helpers)

    def _make_batch(
        self, state: State, documents: Sequence[int], settings: MoveSettings, random_at: RandomAt
    ) -> packed.Batch:
        """Draw the cuts and the uniforms of all documents to resample."""
        visited, n_topics = np.asarray(documents, dtype=np.int64), self.n_topics
        each_round = 2 * settings.placements + n_topics + (n_topics - 1) * settings.orders
        of_moves = settings.rounds * each_round
        of_active = n_topics + 2 * settings.rounds * settings.placements
        of_cuts = self.n_cut_numbers[visited]
        number_offsets = offsets_from_sizes(of_cuts + of_moves + of_active)
        numbers = np.empty(number_offsets[-1])
        bounds = number_offsets.tolist()
        for d, first, last in zip(documents, bounds, bounds[1:], strict=False):
            random_at(d).random(out=numbers[first:last])
        drawn = cuts.draw_batch_cuts(
            self.packed,
            visited,
            state.bag,
            state.inversions,
            self.cut_probabilities,
            numbers,
            number_offsets,
        )
        count_blocks = unwrap(span_table.count_blocks)  # of all documents at once
        claim_offsets = offsets_from_sizes(count_blocks(np.diff(drawn.offsets), n_topics))
        active = np.empty((2, visited.size, n_topics), dtype=np.int64)
        return packed.Batch(
            visited,
            drawn,
            self.log_cut_probabilities[visited],
            numbers,
            number_offsets[:-1] + of_cuts,
            number_offsets[1:] - of_active,
            active[0],
            active[1],
            np.zeros(visited.size, dtype=np.int64),
            np.zeros((visited.size, stages.N_COUNTERS), dtype=np.int64),
            np.zeros(claim_offsets[-1], dtype=np.int64),
            claim_offsets,
        )


def aligned_empty(size: int) -> NDArray[np.float64]:
    """Allocate rows of eight numbers, each of them one line of the processor's cache."""
    memory = np.empty(size + LANES)
    first = -memory.ctypes.data % (8 * LANES) // 8
    return memory[first : first + size]


def _whole_vectors(n: int) -> int:
    return -(-n // LANES) * LANES
