"""Adding documents to a fitted state, the earlier ones staying as they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from permutopic.model.blocked.engine import TableEngine
from permutopic.model.blocked.moves import ResampleBlocks
from permutopic.model.inference.structures import StructureInference
from permutopic.model.mcmc.sampler import sample
from permutopic.model.paper.moves import ResampleDispersion
from permutopic.model.priors import Variant
from permutopic.model.state import State, make_state
from permutopic.permutation import order_to_inversions

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from permutopic.corpus import Corpus
    from permutopic.model.mcmc.sampler import Move
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
    """Return a state with the documents of `corpus` added, whose words are numbered alike.

    The new documents start at their most probable structures given the state. The chain then runs
    at inverse temperature 1 with the moves of a fit, applied to the new documents alone: each
    structure given all others, old and new, and ρ given all orders. Topics are not relabelled, and
    words keep their classes.
    """
    n_old, n_topics = state.bag.shape
    added = _initial_structures(state, corpus, priors)
    whole = State(
        bag=np.concatenate([state.bag, added.bag]),
        inversions=np.concatenate([state.inversions, added.inversions]),
        dispersion=state.dispersion.copy(),
        word_counts=state.word_counts + added.word_counts,
        topic_tokens=state.topic_tokens + added.topic_tokens,
        subject_words=state.subject_words.copy(),
    )
    n_other_tokens = int(state.topic_tokens.sum())
    engine = TableEngine(
        corpus, n_topics, priors, n_threads=n_threads, n_other_tokens=n_other_tokens
    )
    moves: list[Move] = [ResampleBlocks(engine, priors, first_document=n_old)]
    if priors.variant == Variant.FULL:
        moves.append(ResampleDispersion(priors))
    for _ in sample(whole, moves, _no_log_joint, streams, n_sweeps):
        pass
    return whole


def _no_log_joint(state: State) -> float:  # noqa: ARG001
    """Stand in for the log joint, which is not traced here."""
    return 0.0


def _initial_structures(state: State, corpus: Corpus, priors: Priors) -> State:
    """Infer the most probable structure of each document under the state."""
    inference = StructureInference(state, priors, n_samples=1)
    bags = np.zeros((corpus.n_documents, state.n_topics), dtype=np.int64)
    inversions = np.zeros((corpus.n_documents, state.n_topics - 1), dtype=np.int64)
    for number, document in enumerate(corpus.documents()):
        topics = inference.infer(document).topics
        bags[number] = np.bincount(topics, minlength=state.n_topics)
        if priors.variant != Variant.CONSTRAINED:
            inversions[number] = order_to_inversions(_complete_order(topics, state.n_topics))
    return make_state(corpus, bags, inversions, state.dispersion, state.subject_words)


def _complete_order(topics: NDArray[np.int64], n_topics: int) -> list[int]:
    """Order all topics: those of the units as they come, each other one before the next higher.

    >>> _complete_order(np.array([3, 3, 1]), 5)
    [2, 3, 0, 1, 4]
    """
    order = [int(topic) for topic in dict.fromkeys(topics.tolist())]
    for topic in sorted(set(range(n_topics)) - set(order), reverse=True):
        higher = [slot for slot, other in enumerate(order) if other == topic + 1]
        order.insert(higher[0] if higher else len(order), topic)
    return order
