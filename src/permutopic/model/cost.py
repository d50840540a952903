"""A rough estimate of the time and memory of a fit."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from permutopic.model.samplers import SAMPLERS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from permutopic.corpus import Corpus

# Fitted to the fits of `benchmarks/cost.py` on one core of a server of the 2020s, all of which are
# within a factor of two (docs/studies/large_k.md). Another machine differs by its own factor.
_SECONDS_A_FACTOR = 3.9e-11
_SECONDS_A_SPAN = 5.9e-9
_SECONDS_A_PAIR = 1.9e-9  # of topics, in each document
_SECONDS_A_COUNT = 3.3e-8  # of a word in a topic
_LANES = 8  # topics are multiplied up eight at a time
_BEFORE, _AFTER = (
    0.35,
    0.55,
)  # shares of the sweeps before the first pruning and from then to the end
_UNITS_KEPT = 12  # a topic with about as many units keeps them before the first pruning
_IN_USE = 15  # topics from then on, where K is larger
_OWN = 7  # topics of a document from then on
_OTHERS, _SPARE, _FEWEST = 32, 4, 20  # as in engine.ACTIVE
_BASE_BYTES = 306 << 20  # Python with its numerical libraries and the compiled code
_BYTES_A_TOKEN = 69  # with the index of words and the corpus of section words
_BYTES_A_WORD_AND_TOPIC = 19
_BYTES_A_SPAN = 24  # three tables


class Cost(NamedTuple):
    """Expected seconds on one core (of one chain of default length) and bytes of memory."""

    seconds: float
    bytes: int


class _Sizes(NamedTuple):
    """Units, tokens and cuts of each document without the boundaries; words of the corpus."""

    units: NDArray[np.float64]
    tokens: NDArray[np.float64]
    cuts: NDArray[np.float64]
    n_words: int


def expected_cost(corpus: Corpus, n_topics: int, n_sweeps: int | None = None) -> Cost:
    """Estimate what a fit takes, to a factor of two.

    Before the first pruning nearly all topics are in use, and documents have as many boundaries as
    topics; afterwards both are few, whatever K is.
    """
    sweeps = SAMPLERS["blocked"].n_sweeps_with_classes if n_sweeps is None else n_sweeps
    units = corpus.document_sizes.astype(np.float64)
    tokens = np.diff(corpus.unit_offsets[corpus.document_offsets]).astype(np.float64)
    # The number of cuts, as in engine.default_cut_probability.
    cuts = np.minimum(units, np.maximum(20, 2 * np.sqrt(units)))
    sizes = _Sizes(units, tokens, cuts, corpus.n_words)
    first_in_use = n_topics / (1 + _UNITS_KEPT * n_topics / corpus.n_units)
    at_first = _topics_drawn_at_random(units, first_in_use)
    in_use = min(n_topics, _IN_USE)
    settled = np.minimum(units, min(in_use, _OWN))
    seconds = _BEFORE * _seconds_a_sweep(sizes, n_topics, first_in_use, at_first)
    seconds += _AFTER * _seconds_a_sweep(sizes, n_topics, in_use, settled)
    initial = _topics_drawn_at_random(units, n_topics)
    table = _active_topics(n_topics, n_topics, initial) * _cuts_with_boundaries(sizes, initial) ** 2
    memory = (
        _BASE_BYTES
        + _BYTES_A_TOKEN * corpus.n_tokens
        + _BYTES_A_WORD_AND_TOPIC * corpus.n_words * n_topics
        + _BYTES_A_SPAN * float(table.max())
    )
    return Cost(sweeps * seconds, int(memory))


def _topics_drawn_at_random(units: NDArray[np.float64], in_use: float) -> NDArray[np.float64]:
    """Estimate how many topics a document has if each unit draws one of so many."""
    return in_use * (1 - np.exp(-units / in_use))


def _cuts_with_boundaries(sizes: _Sizes, own: NDArray[np.float64]) -> NDArray[np.float64]:
    """Estimate the cuts of each document, of which boundaries are some."""
    return sizes.cuts + 1 + own * (1 - sizes.cuts / sizes.units)


def _active_topics(n_topics: int, in_use: float, own: NDArray[np.float64]) -> NDArray[np.float64]:
    """Estimate how many topics are active in a visit to each document, see `engine.ACTIVE`."""
    others = min(1, _OTHERS / in_use) * (in_use - own)
    return np.minimum(n_topics, own + others + max(_SPARE, _FEWEST - in_use))


def _seconds_a_sweep(
    sizes: _Sizes, n_topics: int, in_use: float, own: NDArray[np.float64]
) -> float:
    """Estimate one sweep with so many topics in use, in the corpus and in each document."""
    cuts, active = _cuts_with_boundaries(sizes, own), _active_topics(n_topics, in_use, own)
    factors = float((sizes.tokens * cuts * np.ceil(active / _LANES)).sum()) * _LANES
    spans = float((active * cuts**2).sum())
    return (
        _SECONDS_A_FACTOR * factors
        + _SECONDS_A_SPAN * spans
        + _SECONDS_A_PAIR * sizes.units.size * n_topics**2
        + _SECONDS_A_COUNT * sizes.n_words * in_use
    )
