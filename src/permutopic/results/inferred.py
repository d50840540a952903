"""The result of inferring one document, new or of the fit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from permutopic.results.prediction import segment_ends

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from permutopic.documents import Unit


@dataclass(frozen=True, eq=False, repr=False)
class Inferred:
    """The structure of one document, given a model.

    Arrays over units are in the document's order, and topics are numbered as the model shows them.

    Attributes
    ----------
    title, location
        What the document is called, and where it was read.
    seen
        Whether it was in the fit. Its own words are then left out of the counts.
    topics
        (units,): the most probable structure, one topic for each unit.
    probabilities
        (units, topics): the probability of each topic for each unit.
    boundaries
        (units − 1,): the probability of a boundary between unit n and unit n + 1.
    samples
        (samples, units): topics in draws from the posterior.
    log_likelihood
        Per word of the model's vocabulary, subject words included, in nats, given the most probable
        structure; nan if the document has none.
    subjects
        What the document is about: up to ten subject words, the weightiest first.
    swaps
        Swaps of neighbouring topics between the canonical order and the order in which `topics`
        first appear: 0 if the document keeps to the outline.
    known_words, unknown_words
        (units,): tokens in and outside the model's vocabulary. Words that only this document of the
        fit has count as unknown; in a corpus that was encoded they are left out already.
    topic_scores
        (units, topics): log probability of each unit's section words under each topic (eq. 14).
    background_scores
        (units,): the same under the words of all topics together.
    source_words
        (units,): white-space words of the source.
    source_spans
        (units, 2): where each unit begins and ends in the source, in characters; −1 where it was
        not read from anywhere.
    texts
        (units,): each unit's text; empty if it is not known.
    units
        The units as they were cut, with offsets of their parts; empty if they are not known.
    number
        The document's number in the fit, from 0, if it was seen; −1 else.
    """

    title: str
    location: str
    seen: bool
    topics: NDArray[np.int64]
    probabilities: NDArray[np.float64]
    boundaries: NDArray[np.float64]
    samples: NDArray[np.int64]
    log_likelihood: float
    swaps: int
    known_words: NDArray[np.int64]
    unknown_words: NDArray[np.int64]
    topic_scores: NDArray[np.float64]
    background_scores: NDArray[np.float64]
    source_words: NDArray[np.int64]
    source_spans: NDArray[np.int64]
    texts: tuple[str, ...]
    number: int = -1
    subjects: tuple[str, ...] = ()
    units: tuple[Unit, ...] = ()

    def __repr__(self) -> str:
        return f"<Inferred: {self.title!r}, {self.n_units} units, {self.ends.size} segments>"

    @property
    def n_units(self) -> int:
        """The number of units."""
        return self.topics.size

    @property
    def ends(self) -> NDArray[np.int64]:
        """The number of the last unit of each segment, counted from 1."""
        return segment_ends(self.topics)

    @property
    def known_share(self) -> float:
        """The share of the document's tokens that the model knows."""
        known, unknown = int(self.known_words.sum()), int(self.unknown_words.sum())
        return known / max(known + unknown, 1)
