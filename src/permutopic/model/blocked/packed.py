"""A corpus packed for the blocked sampler: flat arrays, batches of documents, work memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from permutopic.jit import compiled
from permutopic.model.blocked.postings import Postings
from permutopic.model.kernels.arrays import take_floats, take_integers
from permutopic.model.kernels.lanes import LANES
from permutopic.model.kernels.span_table import CutDocument, SpanTable, TopicFactors, count_blocks

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class PackedCorpus(NamedTuple):
    """All documents one after the other; document d has the entries from `…_offsets[d]` on.

    `posting_starts`, `unit_starts` and `reach` have one entry more than words and units for each
    document.
    """

    tokens: NDArray[np.int32]
    token_offsets: NDArray[np.int64]
    words: NDArray[np.int64]
    word_offsets: NDArray[np.int64]
    posting_starts: NDArray[np.int64]
    posting_units: NDArray[np.int32]
    posting_counts: NDArray[np.int32]
    posting_offsets: NDArray[np.int64]
    unit_starts: NDArray[np.int64]
    reach: NDArray[np.int64]
    unit_offsets: NDArray[np.int64]


class BatchCuts(NamedTuple):
    """The cuts of documents, one after the other; those of the n-th begin at `offsets[n]`.

    `tokens` and `reach` are a cut's `cut_tokens` and `reach` in `span_table.CutDocument`.
    """

    positions: NDArray[np.int64]
    tokens: NDArray[np.int64]
    reach: NDArray[np.int64]
    offsets: NDArray[np.int64]


class Batch(NamedTuple):
    """Documents to resample one after the other: their cuts, random numbers and work counters.

    The n-th has its uniforms for moves in `numbers` from `move_offsets[n]` on, those for active and
    inactive topics from `active_offsets[n]` on.

    The n-th has its active topics in `active[n, : n_active[n]]`, and the index of each topic among
    them, or −1, in `active_index[n]`. Both are written when its turn comes: they depend on what
    the other documents then use. `claims` has one number for each block of each document's span
    table: how many threads have computed it.
    """

    documents: NDArray[np.int64]
    cuts: BatchCuts
    log_cut_probability: NDArray[np.float64]
    numbers: NDArray[np.float64]
    move_offsets: NDArray[np.int64]
    active_offsets: NDArray[np.int64]
    active: NDArray[np.int64]
    active_index: NDArray[np.int64]
    n_active: NDArray[np.int64]
    work_counters: NDArray[np.int64]
    claims: NDArray[np.int64]
    claim_offsets: NDArray[np.int64]


class ActiveLimits(NamedTuple):
    """How many topics are active in a visit, about, beside those that the document uses.

    Of the topics in other documents at most `others`; of the spare ones `spare`, or more where
    there are fewer than `fewest` topics otherwise.
    """

    others: float
    spare: float
    fewest: float


class Workspace(NamedTuple):
    """Flat memory for the largest document of a batch, and constants that all documents share.

    `unit_topics[n % 2]` has the topic of each unit of the n-th document of a batch.
    """

    log_weights: NDArray[np.float64]
    linear_weights: NDArray[np.float64]
    transposed: NDArray[np.float64]
    rows: NDArray[np.float64]
    unit_topics: NDArray[np.int64]
    log_gamma: NDArray[np.float64]
    log_factorial: NDArray[np.float64]
    word_prior: float
    block: int
    limits: ActiveLimits


@compiled
def cut_document_of(packed: PackedCorpus, batch: Batch, n: int) -> CutDocument:
    """Return the tokens and cuts of the n-th document of a batch."""
    d = batch.documents[n]
    first, last = batch.cuts.offsets[n], batch.cuts.offsets[n + 1]
    return CutDocument(
        packed.tokens[packed.token_offsets[d] : packed.token_offsets[d + 1]],
        packed.words[packed.word_offsets[d] : packed.word_offsets[d + 1]],
        batch.cuts.tokens[first:last],
        batch.cuts.reach[first:last],
    )


@compiled
def cuts_of(batch: Batch, n: int) -> NDArray[np.int64]:
    """Return the cuts of the n-th document of a batch."""
    positions: NDArray[np.int64] = batch.cuts.positions
    return positions[batch.cuts.offsets[n] : batch.cuts.offsets[n + 1]]


@compiled
def move_numbers_of(batch: Batch, n: int) -> NDArray[np.float64]:
    """Return the uniforms for the moves of the n-th document of a batch."""
    return batch.numbers[batch.move_offsets[n] : batch.active_offsets[n]]


@compiled
def active_numbers_of(batch: Batch, n: int) -> NDArray[np.float64]:
    """Return the uniforms for its active topics and for moves of inactive ones, and any behind."""
    return batch.numbers[batch.active_offsets[n] :]


@compiled
def postings_of(packed: PackedCorpus, d: int) -> Postings:
    """Return the postings of a document."""
    first_word, last_word = packed.word_offsets[d], packed.word_offsets[d + 1]
    first, last = packed.posting_offsets[d], packed.posting_offsets[d + 1]
    return Postings(
        packed.words[first_word:last_word],
        packed.posting_starts[first_word + d : last_word + d + 1],
        packed.posting_units[first:last],
        packed.posting_counts[first:last],
    )


@compiled
def unit_starts_of(packed: PackedCorpus, d: int) -> NDArray[np.int64]:
    """Return the first token of every unit of a document, and the number of its tokens."""
    return packed.unit_starts[packed.unit_offsets[d] + d : packed.unit_offsets[d + 1] + d + 1]


@compiled
def topics_of(workspace: Workspace, n: int) -> NDArray[np.int64]:
    """Return the memory for the topics of the units of the n-th document of a batch."""
    topics: NDArray[np.int64] = workspace.unit_topics[n % 2]
    return topics


@compiled
def claims_of(batch: Batch, n: int, n_active: int) -> NDArray[np.int64]:
    """Return the claims on the blocks of the n-th document, once it has active topics."""
    first, n_cuts = batch.claim_offsets[n], cuts_of(batch, n).size
    return batch.claims[first : first + count_blocks(n_cuts, n_active)]


@compiled
def spans_for(
    workspace: Workspace, batch: Batch, n: int, log_prevalence: NDArray[np.float64]
) -> SpanTable:
    """Shape the workspace's tables for the n-th document of a batch, once it has active topics."""
    cuts, active = cuts_of(batch, n), batch.active[n, : batch.n_active[n]]
    n_cuts = cuts.size
    width = (n_cuts + LANES - 1) // LANES * LANES
    size = active.size * (n_cuts - 1) * width
    shape = (active.size, n_cuts - 1, width)
    return SpanTable(
        cuts,
        active,
        batch.active_index[n],
        take_floats(log_prevalence, active),
        workspace.log_weights[:size].reshape(shape),
        workspace.linear_weights[:size].reshape(shape),
        workspace.transposed[:size].reshape(shape),
    )


@compiled
def rows_for(workspace: Workspace, n_words: int, n_active: int) -> NDArray[np.float64]:
    """Shape the workspace's rows for a document of so many different words and active topics."""
    n_groups = (n_active + LANES - 1) // LANES
    rows: NDArray[np.float64] = workspace.rows[: n_groups * n_words * LANES]
    return rows.reshape((n_groups, n_words, LANES))


@compiled
def factors_for(
    workspace: Workspace, active: NDArray[np.int64], topic_tokens: NDArray[np.int64]
) -> TopicFactors:
    """Return the active topics' counts of tokens, and what belongs to them."""
    held = take_integers(topic_tokens, active)
    return TopicFactors(held, workspace.log_gamma, workspace.block)
