"""Latent Dirichlet allocation (Blei, Ng and Jordan 2003), with units as its documents.

It ignores which document a unit is from, and the order of units. The Gibbs sampler is that of
tomotopy (extra `lda`).
"""

from __future__ import annotations

import warnings
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from permutopic.baselines.wordless import NO_TOPIC, fill_wordless
from permutopic.checks import check_integer
from permutopic.extras import needs
from permutopic.results.prediction import Prediction

if TYPE_CHECKING:
    from permutopic.corpus import Corpus

_SEED_LIMIT = 2**63  # tomotopy stores the seed in a machine word


def predict(corpus: Corpus, n_topics: int, seed: int = 0, *, iterations: int = 500) -> Prediction:
    """Assign each unit its most probable topic under LDA.

    Parameters
    ----------
    n_topics
        K. Some topics may remain without a unit.
    iterations
        Sweeps of the Gibbs sampler. All other settings are tomotopy's defaults: α = 0.1, optimised
        every ten sweeps, and η = 0.01.

    Returns
    -------
    Prediction
        `measures["log_likelihood_per_word"]` is that of the last sweep. Units without a word get
        their topic by `fill_wordless`.

    Examples
    --------
    >>> from permutopic.corpus import Corpus
    >>> texts = ["sea salt sea salt", "ore iron ore iron"]
    >>> topics = predict(Corpus.from_paragraphs([texts, texts[::-1]] * 5), 2).topics
    >>> (topics == topics[0])[:4].tolist()
    [True, False, False, True]
    """
    n_topics = check_integer(n_topics, "n_topics", 1, 32767)
    iterations = check_integer(iterations, "iterations", 1, 10**6)
    seed = check_integer(seed, "seed", 0) % _SEED_LIMIT
    model = make_model(corpus, n_topics, seed)
    model.train(iterations, workers=1)  # reproducible with one worker only
    topics = np.full(corpus.n_units, NO_TOPIC, dtype=np.int64)
    has_words = np.diff(corpus.unit_offsets) > 0
    topics[has_words] = [np.argmax(unit.get_topic_dist()) for unit in model.docs]
    return Prediction(
        fill_wordless(topics, corpus.document_offsets),
        corpus.document_offsets,
        measures={"log_likelihood_per_word": float(model.ll_per_word)},
    )


def make_model(corpus: Corpus, n_topics: int, seed: int) -> Any:
    """Return an untrained tomotopy model with the units that have a word."""
    with warnings.catch_warnings():
        # Importing tomotopy raises a warning about its own types, which no user can fix.
        warnings.simplefilter("ignore", DeprecationWarning)
        tomotopy = needs("tomotopy", "lda", "topics by LDA")
    model = tomotopy.LDAModel(k=n_topics, seed=seed)
    for first, last in pairwise(corpus.unit_offsets):
        if last > first:
            model.add_doc([corpus.vocabulary[word] for word in corpus.words[first:last]])
    return model
