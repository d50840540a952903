"""What is learned of places when a fit is over: where words, topics and pairs of topics stand.

A unit's place is how far into its document it stands, as one of twenty equal parts. Words are
counted by the units that hold them, so that a unit which repeats a word counts once. Nothing but
words, units and inferred topics goes in: no heading, no section.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from permutopic.corpus import Corpus

N_PLACES = 20
_NAMES = {"word_places": np.int32, "topic_places": np.int64, "topic_pairs": np.int64}


@dataclass(frozen=True, eq=False)
class Places:
    """Counts over the units and documents of a fit.

    Attributes
    ----------
    word_places
        (W, 20): how many units at each place hold each word.
    topic_places
        (K, 20): how many units at each place have each topic.
    topic_pairs
        (K, K): in how many documents the topic of the row stands before that of the column.
    """

    word_places: NDArray[np.int32]
    topic_places: NDArray[np.int64]
    topic_pairs: NDArray[np.int64]

    def __post_init__(self) -> None:
        n_words, n_topics = self.word_places.shape[0], self.topic_places.shape[0]
        for name, shape in (
            ("word_places", (n_words, N_PLACES)),
            ("topic_places", (n_topics, N_PLACES)),
            ("topic_pairs", (n_topics, n_topics)),
        ):
            table = getattr(self, name)
            if table.shape != shape or table.dtype != _NAMES[name]:
                raise ValueError(
                    f"{name} is {table.dtype} {table.shape}, not {_NAMES[name].__name__} {shape}"
                )
            if np.any(table < 0):
                raise ValueError(f"{name} has a count below 0")
        if not self.topic_places.any() or not self.word_places.any():
            raise ValueError("word_places and topic_places need a count above 0")

    def joined(self, other: Places) -> Places:
        """Add what was counted in other documents, whose words and topics are numbered alike."""
        return Places(
            self.word_places + other.word_places,
            self.topic_places + other.topic_places,
            self.topic_pairs + other.topic_pairs,
        )

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Give the tables by the names that they are saved under."""
        return {f"places.{name}": getattr(self, name) for name in _NAMES}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], n_words: int, n_topics: int) -> Self:
        """Take the tables from arrays of a file; ValueError or KeyError unless they fit."""
        found = cls(**{name: arrays[f"places.{name}"] for name in _NAMES})
        if found.word_places.shape[0] != n_words or found.topic_places.shape[0] != n_topics:
            raise ValueError(f"places are not those of {n_words} words and {n_topics} topics")
        return found


def learn_places(corpus: Corpus, topics: NDArray[np.int64], n_topics: int) -> Places:
    """Count where words and topics stand, given the topic of every unit.

    >>> from permutopic.corpus import Corpus
    >>> corpus = Corpus.from_paragraphs([["sea", "sea sea hills"], ["sea", "hills"]])
    >>> places = learn_places(corpus, np.array([0, 1, 0, 1]), 2)
    >>> places.word_places[:, [5, 15]].tolist()  # "hills" and "sea": units at 1/4 and at 3/4
    [[0, 2], [2, 1]]
    >>> places.topic_pairs.tolist()
    [[0, 2], [0, 0]]
    """
    word_places = np.zeros((corpus.n_words, N_PLACES), dtype=np.int32)
    topic_places = np.zeros((n_topics, N_PLACES), dtype=np.int64)
    topic_pairs = np.zeros((n_topics, n_topics), dtype=np.int64)
    lengths = np.diff(corpus.unit_offsets)
    for document in range(corpus.n_documents):
        units = corpus.units_of(document)
        places = place_of_units(units.stop - units.start)
        np.add.at(topic_places, (topics[units], places), 1)
        first, last = corpus.unit_offsets[units.start], corpus.unit_offsets[units.stop]
        # One document at a time: all pairs of unit and word at once would be a copy of the corpus.
        number = np.repeat(np.arange(places.size), lengths[units])
        held = np.unique(number * corpus.n_words + corpus.words[first:last])
        np.add.at(word_places, (held % corpus.n_words, places[held // corpus.n_words]), 1)
        order = _first_uses(topics[units])
        for slot, topic in enumerate(order[:-1]):
            topic_pairs[topic, order[slot + 1 :]] += 1
    return Places(word_places, topic_places, topic_pairs)


def place_of_units(n_units: int) -> NDArray[np.int64]:
    """Say at which place each unit of a document stands, by its middle.

    >>> place_of_units(4).tolist()
    [2, 7, 12, 17]
    """
    return (2 * np.arange(n_units, dtype=np.int64) + 1) * N_PLACES // (2 * n_units)


def _first_uses(topics: NDArray[np.int64]) -> NDArray[np.int64]:
    """List the topics of a document in the order in which they first occur."""
    distinct, first = np.unique(topics, return_index=True)
    return distinct[np.argsort(first)]
