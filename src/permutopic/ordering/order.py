"""Order pieces by one of four methods."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from permutopic.checks import check_choice
from permutopic.errors import InputError, Parameter
from permutopic.ordering.distinct_pieces import DistinctPieces, find_distinct
from permutopic.ordering.pairs import TOLERANCE, rank_by_pairs
from permutopic.ordering.posterior import MIDPOINTS, joint_posterior, topic_posterior
from permutopic.results.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from permutopic.model.priors import Priors
    from permutopic.model.state import State
    from permutopic.ordering.positions import PositionCounts

METHODS = ("pairs", "positions", "topics", "map")
DEFAULT_METHOD = METHODS[0]
ORDER_COLUMNS: dict[str, Any] = {
    "position": int,
    "id": str,
    "topic": int,
    "name": str,
    "score": float,
    "tied": bool,
    "text": str,
}


@dataclass(frozen=True, eq=False)
class Ordering:
    """Pieces in order.

    Attributes
    ----------
    order
        (pieces,): indices of the given pieces, the first piece first.
    scores
        (pieces,): the score of each piece; the least score comes first. "map": the number of its
        topic; "topics" and "positions": its expected position in a document that goes from 0 to 1;
        "pairs": its rank, from 0.
    topics
        (pieces,): the most probable topic of each piece.
    ties
        Groups of two or more pieces with equal scores, whose order is arbitrary.
    method
        The method that made it.
    texts, ids
        Text and id of each piece, as they were given; empty where there are none.
    topic_names
        (K,): the names of the topics; empty where they are unknown.
    """

    order: NDArray[np.int64]
    scores: NDArray[np.float64]
    topics: NDArray[np.int64]
    ties: tuple[tuple[int, ...], ...]
    method: str
    texts: tuple[str, ...] = ()
    ids: tuple[object, ...] = ()
    topic_names: tuple[str, ...] = ()

    def table(self) -> Table:
        """Return one row a piece, in order; without ids, `id` is the piece's index as given."""
        return Table(ORDER_COLUMNS, self._rows)

    def _rows(self) -> Iterator[dict[str, object]]:
        tied = {number for group in self.ties for number in group}
        for position, number in enumerate(self.order.tolist(), 1):
            topic = int(self.topics[number])
            yield {
                "position": position,
                "id": self.ids[number] if self.ids else number,
                "topic": topic,
                "name": self.topic_names[topic] if self.topic_names else None,
                "score": float(self.scores[number]),
                "tied": number in tied,
                "text": self.texts[number] if self.texts else None,
            }


def order_pieces(
    pieces: Sequence[Sequence[NDArray[np.integer]]],
    state: State,
    priors: Priors,
    positions: PositionCounts,
    *,
    method: str = DEFAULT_METHOD,
    keys: Sequence[str] | None = None,
) -> Ordering:
    """Put pieces in the order in which a document would have them.

    Parameters
    ----------
    pieces
        For each piece, the word indices of its paragraphs, without words that the model does not
        know. A piece without a word is placed by the prior alone.
    state, priors, positions
        A fit, and the position counts of its documents.
    method
        "map", eq. 13: each piece's most probable topic, in canonical order. "topics": the expected
        position under the posterior over topics. "positions": the expected position under the
        joint posterior over topics and positions. "pairs": the order with the greatest expected
        number of pairs in the right order, under the joint posterior and the topics' order in the
        documents.
    keys
        A string for each piece, such as its text. Ties are broken by the digest of the key, so
        that the order of the input has no influence. None: the pieces' words.
    """
    check_choice(method, "method", METHODS)
    if keys is not None and len(keys) != len(pieces):
        raise InputError(
            f"{len(pieces)} pieces need as many ", Parameter("keys"), f", not {len(keys)}"
        )
    distinct = find_distinct(pieces, state.word_counts.shape[0])
    distinct_scores, distinct_topics = _score(distinct, state, priors, positions, method)
    scores, topics = distinct_scores[distinct.inverse], distinct_topics[distinct.inverse]
    digests = [
        _digest(_as_text(piece) if keys is None else keys[number])
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


def _score(
    pieces: DistinctPieces, state: State, priors: Priors, positions: PositionCounts, method: str
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the score of each distinct piece, and its most probable topic."""
    if method in {"map", "topics"}:
        posterior = topic_posterior(pieces, state, priors)
        topics = posterior.argmax(axis=1)
        if method == "map":
            return topics.astype(np.float64), topics
        return _rounded(posterior @ _mean_positions(positions)), topics
    joint = joint_posterior(pieces, state, priors, positions)
    topics = joint.sum(axis=2).argmax(axis=1)
    if method == "positions":
        return _rounded(joint.sum(axis=1) @ MIDPOINTS), topics
    return rank_by_pairs(joint, pieces.multiplicity, positions), topics


def _mean_positions(positions: PositionCounts) -> NDArray[np.float64]:
    """Return the mean position of each topic's units, of all units if it has none: (K,)."""
    units = positions.topic_positions.sum(axis=1)
    overall = positions.topic_positions.sum(axis=0) @ MIDPOINTS / units.sum()
    means = positions.topic_positions @ MIDPOINTS / np.maximum(units, 1)
    found: NDArray[np.float64] = np.where(units > 0, means, overall)
    return found


def _rounded(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Round to multiples of the tolerance, so that rounding errors break no ties."""
    rounded: NDArray[np.float64] = np.round(scores / TOLERANCE) * TOLERANCE
    return rounded


def _ties(scores: NDArray[np.float64], order: list[int]) -> tuple[tuple[int, ...], ...]:
    groups: dict[float, list[int]] = {}
    for number in order:
        groups.setdefault(float(scores[number]), []).append(number)
    return tuple(tuple(group) for group in groups.values() if len(group) > 1)


def _as_text(piece: Sequence[NDArray[np.integer]]) -> str:
    return str([np.asarray(part).tolist() for part in piece])


def _digest(key: str) -> bytes:
    # Not the key itself: "1. History", "2. Climate" would give away the order of the input.
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()
