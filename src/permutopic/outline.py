"""The canonical outline: topics in canonical order, and how each one behaves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from permutopic.model.priors import Variant

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from permutopic.model.priors import Priors
    from permutopic.model.state import State


@dataclass(frozen=True)
class OutlineEntry:
    """One topic of the outline.

    Attributes
    ----------
    topic
        The topic's number, which is its place in the canonical order, from zero.
    words
        Its most telling words, the most telling first.
    document_share
        Share of the documents that have the topic.
    mean_units
        Mean number of units it takes in those documents.
    dispersion
        ρ: how firmly it keeps its place among the topics after it. None where the model has
        none: for the last topic, and in the constrained and uniform variants.
    """

    topic: int
    words: tuple[str, ...]
    document_share: float
    mean_units: float
    dispersion: float | None


def make_outline(
    state: State, priors: Priors, vocabulary: Sequence[str], n_words: int = 10
) -> tuple[OutlineEntry, ...]:
    """List all topics in canonical order, unused ones included (their share is 0)."""
    entries = []
    for topic in range(state.n_topics):
        units = state.bag[:, topic]
        holders = np.count_nonzero(units)
        has_dispersion = priors.variant == Variant.FULL and topic < state.n_topics - 1
        best = telling_words(state.word_counts, topic)[:n_words]
        entries.append(
            OutlineEntry(
                topic=topic,
                words=tuple(vocabulary[word] for word in best),
                document_share=holders / units.size,
                mean_units=float(units.sum() / holders) if holders else 0.0,
                dispersion=float(state.dispersion[topic]) if has_dispersion else None,
            )
        )
    return tuple(entries)


def telling_words(word_counts: NDArray[np.int32], topic: int) -> NDArray[np.int64]:
    """Rank a topic's words by p(w|topic) · log(p(w|topic) / p(w)): frequent, and more so here."""
    mine = word_counts[:, topic].astype(np.float64)
    everywhere = word_counts.sum(axis=1).astype(np.float64)
    present = np.flatnonzero(mine)
    share = mine[present] / mine.sum() if present.size else mine[present]
    weight = share * np.log(share * everywhere.sum() / everywhere[present])
    ranked: NDArray[np.int64] = present[np.argsort(-weight, kind="stable")]
    return ranked
