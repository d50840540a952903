"""Loose pieces put in order, by one of four methods."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from permutopic.errors import InputError
from permutopic.ordering.bags import Bags, gather_bags
from permutopic.ordering.evidence import MIDDLES, joint_posterior, topic_posterior
from permutopic.ordering.pairs import CLOSE, rank_by_pairs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from permutopic.model.priors import Priors
    from permutopic.model.state import State
    from permutopic.ordering.places import Places

METHODS = ("pairs", "places", "topics", "map")
DEFAULT = METHODS[0]


@dataclass(frozen=True, eq=False)
class Ordering:
    """Pieces in order.

    Attributes
    ----------
    order
        (pieces,): the pieces, by their number in what was given, the first one first.
    scores
        (pieces,): what each piece was sorted by, the least first. "map": the number of its topic;
        "topics" and "places": its expected place in a document that goes from 0 to 1; "pairs":
        its rank, from 0.
    topics
        (pieces,): each piece's most probable topic.
    ties
        Pieces with equal scores, which the method cannot tell apart, in groups of two or more.
    method
        The method that made it.
    """

    order: NDArray[np.int64]
    scores: NDArray[np.float64]
    topics: NDArray[np.int64]
    ties: tuple[tuple[int, ...], ...]
    method: str


def order_pieces(
    pieces: Sequence[Sequence[NDArray[np.integer]]],
    state: State,
    priors: Priors,
    places: Places,
    *,
    method: str = DEFAULT,
    keys: Sequence[str] | None = None,
) -> Ordering:
    """Put pieces in the order in which a document would have them.

    Parameters
    ----------
    pieces
        For each piece, the word numbers of its paragraphs, words that the model does not know left
        out. A piece without a word is placed by the prior alone.
    state, priors, places
        What a fit has learned.
    method
        "map", eq. 13: each piece's most probable topic, in canonical order. "topics": the expected
        place under the posterior over topics. "places": the expected place under the posterior
        over topics and places, words counting for both. "pairs": the order that is expected to
        get most pairs right under that posterior and the topics' order in the documents.
    keys
        The text of each piece, or whatever names it. Ties are broken by the digest of the key, so
        the order in which pieces come plays no part. None: the pieces' words.
    """
    check_method(method)
    if keys is not None and len(keys) != len(pieces):
        raise InputError(f"{len(pieces)} pieces need as many keys, not {len(keys)}")
    bags = gather_bags(pieces, state.word_counts.shape[0])
    bag_scores, bag_topics = _scored(bags, state, priors, places, method)
    scores, topics = bag_scores[bags.bag_of], bag_topics[bags.bag_of]
    digests = [
        _digest(_spelled(piece) if keys is None else keys[number])
        for number, piece in enumerate(pieces)
    ]
    order = sorted(range(len(pieces)), key=lambda number: (scores[number], digests[number]))
    return Ordering(
        order=np.array(order, dtype=np.int64),
        scores=scores,
        topics=topics,
        ties=_ties(scores, order),
        method=method,
    )


def check_method(method: object) -> None:
    """Refuse a method that is none of ours."""
    if method not in METHODS:
        raise InputError(f"the method is one of {', '.join(METHODS)}, not {method!r}")


def _scored(
    bags: Bags, state: State, priors: Priors, places: Places, method: str
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Give what each bag is sorted by, and its most probable topic."""
    if method in {"map", "topics"}:
        posterior = topic_posterior(bags, state, priors)
        topics = posterior.argmax(axis=1)
        if method == "map":
            return topics.astype(np.float64), topics
        return _rounded(posterior @ _mean_places(places)), topics
    joint = joint_posterior(bags, state, priors, places)
    topics = joint.sum(axis=2).argmax(axis=1)
    if method == "places":
        return _rounded(joint.sum(axis=1) @ MIDDLES), topics
    return rank_by_pairs(joint, bags.sizes, places), topics


def _mean_places(places: Places) -> NDArray[np.float64]:
    """Give the mean place of each topic's units; that of all units for a topic without any."""
    units = places.topic_places.sum(axis=1)
    everywhere = places.topic_places.sum(axis=0) @ MIDDLES / units.sum()
    means = places.topic_places @ MIDDLES / np.maximum(units, 1)
    found: NDArray[np.float64] = np.where(units > 0, means, everywhere)
    return found


def _rounded(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    rounded: NDArray[np.float64] = np.round(scores / CLOSE) * CLOSE
    return rounded


def _ties(scores: NDArray[np.float64], order: list[int]) -> tuple[tuple[int, ...], ...]:
    groups: dict[float, list[int]] = {}
    for number in order:
        groups.setdefault(float(scores[number]), []).append(number)
    return tuple(tuple(group) for group in groups.values() if len(group) > 1)


def _spelled(piece: Sequence[NDArray[np.integer]]) -> str:
    return str([np.asarray(part).tolist() for part in piece])


def _digest(key: str) -> bytes:
    # Not the key itself: "1. History", "2. Climate" would tell the order they came in.
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()
