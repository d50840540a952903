"""Clustering of units by repeated bisection, as in the program CLUTO.

Units are tf·idf vectors. All units are one cluster at first; the cluster whose bisection gains most
is split, until there are K. The criterion is I2 = Σ_c ‖Σ_{x∈c} x‖ (Zhao and Karypis), the sum of
the cosine similarities of all units to the centroid of their cluster. Documents and the order of
units are ignored.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from permutopic.baselines.bisection_kernels import (
    Clusters,
    SparseVectors,
    assign_nearest,
    find_distinct,
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

MIN_GAIN = 1e-8


class Bisection(NamedTuple):
    """The members of a cluster, their best division found, and its gain of I2 (0: indivisible)."""

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
        K. There are fewer clusters if fewer units are distinct.
    trials
        Random starts of each bisection; the one with the highest I2 is used.
    refined
        Move single units between all K clusters at the end, as long as I2 grows ("rbr").

    Returns
    -------
    Prediction
        `measures["i2"]` is the final I2. Units that share no word with another unit have no vector
        and get their topic by `fill_wordless`.

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
    clusters = _empty_clusters(vectors, n_clusters)
    if refined and n_clusters > 1:
        _refine(vectors, labels, clusters, random)
    topics = np.full(corpus.n_units, NO_TOPIC, dtype=np.int64)
    topics[units] = labels
    return Prediction(
        fill_wordless(topics, corpus.document_offsets),
        corpus.document_offsets,
        measures={"i2": recount(vectors, labels, clusters)},
    )


def unit_vectors(corpus: Corpus) -> tuple[SparseVectors, NDArray[np.int64]]:
    """Compute tf · log(units / units with the word), normalised to length 1, and the units.

    Words that occur in one unit only are dropped. Units without any other word have no vector.
    """
    token_units = np.repeat(np.arange(corpus.n_units), np.diff(corpus.unit_offsets))
    cells, counts = np.unique(token_units * corpus.n_words + corpus.words, return_counts=True)
    rows, columns = np.divmod(cells, corpus.n_words)
    unit_frequency = np.bincount(columns, minlength=corpus.n_words)
    values = counts * np.log(corpus.n_units / np.maximum(unit_frequency, 1))[columns]
    kept = (unit_frequency[columns] > 1) & (values > 0)
    rows, columns, values = rows[kept], columns[kept], values[kept]
    values /= np.sqrt(np.bincount(rows, values**2, minlength=corpus.n_units))[rows]
    sizes = np.bincount(rows, minlength=corpus.n_units)
    units = np.flatnonzero(sizes)
    return SparseVectors(offsets_from_sizes(sizes[units]), columns, values), units


def bisect_repeatedly(
    vectors: SparseVectors, n_clusters: int, random: np.random.Generator, trials: int = 10
) -> NDArray[np.int64]:
    """Split the cluster of maximum gain until there are `n_clusters`, or none gains: labels."""
    n_vectors = vectors.offsets.size - 1
    labels = np.zeros(n_vectors, dtype=np.int64)
    candidates: list[Bisection] = []
    new_clusters = [np.arange(n_vectors)]
    for new in range(1, min(n_clusters, n_vectors)):
        candidates += [bisect(vectors, members, random, trials) for members in new_clusters]
        best = max(range(len(candidates)), key=lambda n: candidates[n].gain)
        split = candidates.pop(best)
        if split.gain <= MIN_GAIN:
            break
        new_clusters = [split.members[split.sides == side] for side in (0, 1)]
        labels[new_clusters[1]] = new
    return labels


def bisect(
    vectors: SparseVectors, members: NDArray[np.int64], random: np.random.Generator, trials: int
) -> Bisection:
    """Split some of the vectors in two: the best of several trials by I2.

    Each trial starts from two distinct random vectors; the others join the more similar one, and
    are then moved one by one as long as I2 grows. Such a split always gains, since the two
    composites are not parallel.
    """
    part = _take_vectors(vectors, members)
    clusters = _empty_clusters(part, 2)
    n_columns = clusters.composites.shape[0]
    sides = np.zeros(members.size, dtype=np.int64)
    undivided = recount(part, sides, clusters)
    best = Bisection(members, sides, 0.0)
    for _ in range(trials):
        first, begin = random.integers(members.size, size=2)
        second = find_distinct(part, first, begin, n_columns)
        if second < 0:
            break
        sides = np.empty(members.size, dtype=np.int64)
        assign_nearest(part, first, second, sides, clusters)
        gain = _refine(part, sides, clusters, random) - undivided
        if gain > best.gain:
            best = Bisection(members, sides, gain)
    return best


def _refine(
    vectors: SparseVectors,
    labels: NDArray[np.int64],
    clusters: Clusters,
    random: np.random.Generator,
) -> float:
    """Move vectors one by one, in a new random order each pass, until none gains; return I2."""
    total = recount(vectors, labels, clusters)
    while refine_once(vectors, random.permutation(labels.size), labels, clusters, MIN_GAIN):
        total = recount(vectors, labels, clusters)
    return total


def _empty_clusters(vectors: SparseVectors, n_clusters: int) -> Clusters:
    n_columns = int(vectors.columns.max(initial=-1)) + 1
    return Clusters(
        np.zeros((n_columns, n_clusters)),
        np.zeros(n_clusters),
        np.zeros(n_clusters, dtype=np.int64),
    )


def _take_vectors(vectors: SparseVectors, members: NDArray[np.int64]) -> SparseVectors:
    """Select vectors, with only the columns they use, so that composites stay small."""
    sizes = np.diff(vectors.offsets)[members]
    offsets = offsets_from_sizes(sizes)
    entries = np.repeat(vectors.offsets[members] - offsets[:-1], sizes) + np.arange(offsets[-1])
    _, columns = np.unique(vectors.columns[entries], return_inverse=True)
    return SparseVectors(offsets, columns, vectors.values[entries])
