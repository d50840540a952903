"""Positions of words, topics and pairs of topics in the documents of a fit.

The position of a unit is how far into its document it is, as one of twenty equal parts. A word is
counted once for each unit that has it, however often the unit repeats it. The counts use words,
units and inferred topics; headings and sections are not used.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from permutopic.corpus import Corpus

N_POSITIONS = 20
_DTYPES = {"word_positions": np.int32, "topic_positions": np.int64, "topic_pairs": np.int64}
# FILE FORMAT: names of the arrays in a model folder of schema 5, which differ from ours.
_STORED_NAMES = {
    "word_positions": "places.word_places",
    "topic_positions": "places.topic_places",
    "topic_pairs": "places.topic_pairs",
}


@dataclass(frozen=True, eq=False)
class PositionCounts:
    """Counts over the units and documents of a fit.

    Attributes
    ----------
    word_positions
        (W, 20): number of units at each position that have each word.
    topic_positions
        (K, 20): number of units at each position that have each topic.
    topic_pairs
        (K, K): number of documents in which the topic of the row precedes that of the column.
    """

    word_positions: NDArray[np.int32]
    topic_positions: NDArray[np.int64]
    topic_pairs: NDArray[np.int64]

    def __post_init__(self) -> None:
        n_words, n_topics = self.word_positions.shape[0], self.topic_positions.shape[0]
        for name, shape in (
            ("word_positions", (n_words, N_POSITIONS)),
            ("topic_positions", (n_topics, N_POSITIONS)),
            ("topic_pairs", (n_topics, n_topics)),
        ):
            table = getattr(self, name)
            if table.shape != shape or table.dtype != _DTYPES[name]:
                raise ValueError(
                    f"{name} is {table.dtype} {table.shape}, not {_DTYPES[name].__name__} {shape}"
                )
            if np.any(table < 0):
                raise ValueError(f"{name} has a count below 0")
        if not self.topic_positions.any() or not self.word_positions.any():
            raise ValueError("word_positions and topic_positions need a count above 0")

    def __add__(self, other: PositionCounts) -> PositionCounts:
        """Add the counts of other documents that have the same vocabulary and topics."""
        return PositionCounts(
            self.word_positions + other.word_positions,
            self.topic_positions + other.topic_positions,
            self.topic_pairs + other.topic_pairs,
        )

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays by the names under which a model folder stores them."""
        return {stored: getattr(self, name) for name, stored in _STORED_NAMES.items()}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], n_words: int, n_topics: int) -> Self:
        """Build from the arrays of a model folder; raise ValueError or KeyError if they are bad."""
        found = cls(**{name: arrays[stored] for name, stored in _STORED_NAMES.items()})
        if found.word_positions.shape[0] != n_words or found.topic_positions.shape[0] != n_topics:
            raise ValueError(f"positions are not those of {n_words} words and {n_topics} topics")
        return found


def count_positions(corpus: Corpus, topics: NDArray[np.int64], n_topics: int) -> PositionCounts:
    """Count the positions of words and topics, given the topic of every unit.

    >>> from permutopic.corpus import Corpus
    >>> corpus = Corpus.from_paragraphs([["sea", "sea sea hills"], ["sea", "hills"]])
    >>> counts = count_positions(corpus, np.array([0, 1, 0, 1]), 2)
    >>> counts.word_positions[:, [5, 15]].tolist()  # "hills" and "sea": units at 1/4 and at 3/4
    [[0, 2], [2, 1]]
    >>> counts.topic_pairs.tolist()
    [[0, 2], [0, 0]]
    """
    word_positions = np.zeros((corpus.n_words, N_POSITIONS), dtype=np.int32)
    topic_positions = np.zeros((n_topics, N_POSITIONS), dtype=np.int64)
    topic_pairs = np.zeros((n_topics, n_topics), dtype=np.int64)
    lengths = np.diff(corpus.unit_offsets)
    for document in range(corpus.n_documents):
        units = corpus.units_of(document)
        positions = unit_positions(units.stop - units.start)
        np.add.at(topic_positions, (topics[units], positions), 1)
        first, last = corpus.unit_offsets[units.start], corpus.unit_offsets[units.stop]
        # One document at a time: all pairs of unit and word at once would be a copy of the corpus.
        number = np.repeat(np.arange(positions.size), lengths[units])
        pairs = np.unique(number * corpus.n_words + corpus.words[first:last])
        np.add.at(word_positions, (pairs % corpus.n_words, positions[pairs // corpus.n_words]), 1)
        order = _order_of_appearance(topics[units])
        for slot, topic in enumerate(order[:-1]):
            topic_pairs[topic, order[slot + 1 :]] += 1
    return PositionCounts(word_positions, topic_positions, topic_pairs)


def unit_positions(n_units: int) -> NDArray[np.int64]:
    """Return the position of each unit of a document, that of its midpoint: (n_units,).

    >>> unit_positions(4).tolist()
    [2, 7, 12, 17]
    """
    return (2 * np.arange(n_units, dtype=np.int64) + 1) * N_POSITIONS // (2 * n_units)


def _order_of_appearance(topics: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the distinct topics of a document in the order of their first units."""
    distinct, first = np.unique(topics, return_index=True)
    return distinct[np.argsort(first)]
