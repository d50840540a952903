"""A rough estimate of the time and memory of a fit."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from permutopic.model.samplers import SAMPLERS

if TYPE_CHECKING:
    from permutopic.corpus import Corpus

# Fitted to ten fits of seven corpora (K from 8 to 30) on one core of a server of the 2020s; all
# ten are within a factor of two. Other machines differ by about as much.
_SECONDS_A_FACTOR = 2.0e-10
_SECONDS_A_SPAN = 2.4e-8
_LANES = 8  # topics are multiplied up eight at a time
_BASE_BYTES = 230 << 20  # Python with its numerical libraries and the compiled code
_BYTES_A_TOKEN = 40
_BYTES_A_WORD_AND_TOPIC = 24


class Cost(NamedTuple):
    """Expected seconds on one core (of one chain of default length) and bytes of memory."""

    seconds: float
    bytes: int


def expected_cost(corpus: Corpus, n_topics: int, n_sweeps: int | None = None) -> Cost:
    """Estimate what a fit takes, to a factor of two."""
    sweeps = SAMPLERS["blocked"].n_sweeps if n_sweeps is None else n_sweeps
    sizes = corpus.document_sizes.astype(np.float64)
    tokens = np.diff(corpus.unit_offsets[corpus.document_offsets]).astype(np.float64)
    # The number of cuts, as in engine.default_cut_probability.
    cuts = np.minimum(sizes, np.maximum(20, 2 * np.sqrt(sizes))) + 1
    factors = float((tokens * cuts).sum()) * -(-n_topics // _LANES) * _LANES
    spans = float((cuts**2).sum()) * n_topics
    seconds = sweeps * (_SECONDS_A_FACTOR * factors + _SECONDS_A_SPAN * spans)
    table = 3 * 8 * n_topics * float(cuts.max() + n_topics) ** 2
    memory = (
        _BASE_BYTES
        + _BYTES_A_TOKEN * corpus.n_tokens
        + _BYTES_A_WORD_AND_TOPIC * corpus.n_words * n_topics
        + table
    )
    return Cost(seconds, int(memory))
