"""More documents for a state: they move it, and those before them stay where they are."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from permutopic.dirichlet import draw_log_shares
from permutopic.model.blocked.engine import TableEngine
from permutopic.model.blocked.moves import PLACEMENTS, ROUNDS
from permutopic.model.inference.structures import Structures, Text
from permutopic.model.kernels.log_filters import Draws
from permutopic.model.paper.moves import ResampleDispersion
from permutopic.model.priors import Variant
from permutopic.model.state import State, make_state
from permutopic.permutation import order_to_inversions

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from permutopic.corpus import Corpus
    from permutopic.model.priors import Priors
    from permutopic.streams import Streams


def extend_state(
    state: State,
    corpus: Corpus,
    priors: Priors,
    *,
    n_sweeps: int,
    streams: Streams,
    n_threads: int = 1,
) -> State:
    """Add documents, whose words are numbered as the state's, and give a new state.

    They begin where they fit best given the state. Then sweeps go over them alone, as in a fit
    at temperature 1: each structure given all others, old and new, and ρ given all orders. Topics
    are not renumbered.
    """
    n_old, n_topics = state.bag.shape
    added = _begin(state, corpus, priors)
    whole = State(
        bag=np.concatenate([state.bag, added.bag]),
        inversions=np.concatenate([state.inversions, added.inversions]),
        dispersion=state.dispersion.copy(),
        word_counts=state.word_counts + added.word_counts,
        topic_words=state.topic_words + added.topic_words,
    )
    # The engine knows the new documents alone; what it changes, it changes in the whole.
    new = State(
        whole.bag[n_old:],
        whole.inversions[n_old:],
        whole.dispersion,
        whole.word_counts,
        whole.topic_words,
    )
    others = int(state.topic_words.sum())
    engine = TableEngine(corpus, n_topics, priors, n_threads=n_threads, others=others)
    orders = priors.variant != Variant.CONSTRAINED
    for sweep in range(n_sweeps):
        used = whole.bag.sum(axis=0) + priors.topic
        log_shares = draw_log_shares(used, streams.at(sweep, 0, corpus.n_documents))
        how = Draws(log_shares, whole.dispersion, 1.0, ROUNDS, PLACEMENTS * orders, orders)
        engine.visit(new, range(corpus.n_documents), how, partial(streams.at, sweep, 0))
        if priors.variant == Variant.FULL:
            ResampleDispersion(priors)(whole, partial(streams.at, sweep, 1))
    return whole


def _begin(state: State, corpus: Corpus, priors: Priors) -> State:
    """Give each document its most probable structure under the state."""
    structures = Structures(state, priors, n_samples=1)
    bags = np.zeros((corpus.n_documents, state.n_topics), dtype=np.int64)
    inversions = np.zeros((corpus.n_documents, state.n_topics - 1), dtype=np.int64)
    for number in range(corpus.n_documents):
        units = corpus.units_of(number)
        offsets = corpus.unit_offsets[units.start : units.stop + 1]
        words = corpus.words[offsets[0] : offsets[-1]]
        topics = structures.infer(Text(words, offsets - offsets[0])).topics
        bags[number] = np.bincount(topics, minlength=state.n_topics)
        if priors.variant != Variant.CONSTRAINED:
            inversions[number] = order_to_inversions(_whole_order(topics, state.n_topics))
    return make_state(corpus, bags, inversions, state.dispersion)


def _whole_order(topics: NDArray[np.int64], n_topics: int) -> list[int]:
    """Order all topics: those of the units as they come, each other one before the next higher.

    >>> _whole_order(np.array([3, 3, 1]), 5)
    [2, 3, 0, 1, 4]
    """
    order = [int(topic) for topic in dict.fromkeys(topics.tolist())]
    for topic in sorted(set(range(n_topics)) - set(order), reverse=True):
        higher = [place for place, other in enumerate(order) if other == topic + 1]
        order.insert(higher[0] if higher else len(order), topic)
    return order
