"""A rival for alignment: repeated bisection of the units, as the program CLUTO does it.

Units are vectors of tf·idf. All of them are one cluster at first; the cluster that gains most by it
is split in two until there are K. What is gained is the criterion I2 = Σ_c ‖Σ_{x∈c} x‖ of Zhao and
Karypis, the sum of the similarities of all units to the centroid of their cluster. The order of
units plays no part.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from permutopic.baselines.bisection_kernels import (
    Clusters,
    Vectors,
    find_other,
    join_nearer,
    recount,
    refine_once,
)
from permutopic.baselines.wordless import NO_TOPIC, fill_wordless
from permutopic.checks import check_integer
from permutopic.corpus.arrays import offsets_from_sizes
from permutopic.results.prediction import Prediction

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from permutopic.corpus import Corpus

LEAST_GAIN = 1e-8


class Bisection(NamedTuple):
    """A cluster, the best way found to split it, and what I2 gains by that (0: it cannot be)."""

    members: NDArray[np.int64]
    sides: NDArray[np.int64]
    gain: float


def predict(
    corpus: Corpus, n_topics: int, seed: int = 0, *, trials: int = 10, refined: bool = False
) -> Prediction:
    """Cluster the units of a corpus by repeated bisection.

    Parameters
    ----------
    n_topics
        K. There are fewer clusters where fewer units differ.
    trials
        How often each bisection is tried, from other units; the one with the best I2 is taken.
    refined
        Let single units move between all K clusters in the end, as long as I2 gains ("rbr").

    Returns
    -------
    Prediction
        `measures["i2"]` is the I2 reached. Units without a word that two units share have no
        vector: `fill_wordless` says which topic they get.

    Examples
    --------
    >>> from permutopic.corpus import Corpus
    >>> corpus = Corpus.from_paragraphs([["sea salt", "iron ore"], ["salt sea", "ore", "!", "x"]])
    >>> found = predict(corpus, 2)
    >>> found.topics.tolist(), round(found.measures["i2"], 2)
    ([1, 0, 1, 0, 0, 0], 4.0)
    """
    n_topics = check_integer(n_topics, "n_topics", 1)
    trials = check_integer(trials, "trials", 1, 10**6)
    random = np.random.default_rng(check_integer(seed, "seed", 0))
    vectors, units = unit_vectors(corpus)
    labels = bisect_repeatedly(vectors, n_topics, random, trials)
    n_clusters = int(labels.max(initial=-1)) + 1
    clusters = _room(vectors, n_clusters)
    if refined and n_clusters > 1:
        _refine(vectors, labels, clusters, random)
    topics = np.full(corpus.n_units, NO_TOPIC, dtype=np.int64)
    topics[units] = labels
    return Prediction(
        fill_wordless(topics, corpus.document_offsets),
        corpus.document_offsets,
        measures={"i2": recount(vectors, labels, clusters)},
    )


def unit_vectors(corpus: Corpus) -> tuple[Vectors, NDArray[np.int64]]:
    """Weigh words by tf · log(units / units that hold it), to length 1, and name the units.

    Words found in one unit only are dropped first. Units left with nothing have no vector.
    """
    unit_of = np.repeat(np.arange(corpus.n_units), np.diff(corpus.unit_offsets))
    cells, counts = np.unique(unit_of * corpus.n_words + corpus.words, return_counts=True)
    rows, columns = np.divmod(cells, corpus.n_words)
    holding = np.bincount(columns, minlength=corpus.n_words)
    values = counts * np.log(corpus.n_units / np.maximum(holding, 1))[columns]
    kept = (holding[columns] > 1) & (values > 0)
    rows, columns, values = rows[kept], columns[kept], values[kept]
    values /= np.sqrt(np.bincount(rows, values**2, minlength=corpus.n_units))[rows]
    sizes = np.bincount(rows, minlength=corpus.n_units)
    units = np.flatnonzero(sizes)
    return Vectors(offsets_from_sizes(sizes[units]), columns, values), units


def bisect_repeatedly(
    vectors: Vectors, n_clusters: int, random: np.random.Generator, trials: int = 10
) -> NDArray[np.int64]:
    """Split the cluster that gains most I2 by it, until there are enough or none gains."""
    n_vectors = vectors.starts.size - 1
    labels = np.zeros(n_vectors, dtype=np.int64)
    waiting: list[Bisection] = []
    fresh = [np.arange(n_vectors)]
    for new in range(1, min(n_clusters, n_vectors)):
        waiting += [bisect(vectors, members, random, trials) for members in fresh]
        best = max(range(len(waiting)), key=lambda n: waiting[n].gain)
        split = waiting.pop(best)
        if split.gain <= LEAST_GAIN:
            break
        fresh = [split.members[split.sides == side] for side in (0, 1)]
        labels[fresh[1]] = new
    return labels


def bisect(
    vectors: Vectors, members: NDArray[np.int64], random: np.random.Generator, trials: int
) -> Bisection:
    """Split some of the vectors in two: the best of several trials by I2.

    Each trial begins with two random vectors that differ; the others join the nearer of the two,
    and then they are moved one by one as long as I2 gains. Such a split always gains something:
    both composites cannot point the same way when each leans to its own side.
    """
    part = _part(vectors, members)
    clusters = _room(part, 2)
    n_columns = clusters.composites.shape[0]
    sides = np.zeros(members.size, dtype=np.int64)
    whole = recount(part, sides, clusters)
    found = Bisection(members, sides, 0.0)
    for _ in range(trials):
        first, begin = random.integers(members.size, size=2)
        second = find_other(part, first, begin, n_columns)
        if second < 0:
            break
        sides = np.empty(members.size, dtype=np.int64)
        join_nearer(part, first, second, sides, clusters)
        gain = _refine(part, sides, clusters, random) - whole
        if gain > found.gain:
            found = Bisection(members, sides, gain)
    return found


def _refine(
    vectors: Vectors,
    labels: NDArray[np.int64],
    clusters: Clusters,
    random: np.random.Generator,
) -> float:
    """Move vectors one by one, in a new random order each pass, until none gains; give the I2."""
    total = recount(vectors, labels, clusters)
    while refine_once(vectors, random.permutation(labels.size), labels, clusters, LEAST_GAIN):
        total = recount(vectors, labels, clusters)
    return total


def _room(vectors: Vectors, n_clusters: int) -> Clusters:
    n_columns = int(vectors.columns.max(initial=-1)) + 1
    return Clusters(
        np.zeros((n_columns, n_clusters)),
        np.zeros(n_clusters),
        np.zeros(n_clusters, dtype=np.int64),
    )


def _part(vectors: Vectors, members: NDArray[np.int64]) -> Vectors:
    """Take some vectors, with only the columns they use: small clusters need little room."""
    sizes = np.diff(vectors.starts)[members]
    starts = offsets_from_sizes(sizes)
    places = np.repeat(vectors.starts[members] - starts[:-1], sizes) + np.arange(starts[-1])
    _, columns = np.unique(vectors.columns[places], return_inverse=True)
    return Vectors(starts, columns, vectors.values[places])
