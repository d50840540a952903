"""A rival for alignment: latent Dirichlet allocation with each unit as a document of its own.

LDA (Blei, Ng and Jordan 2003) is what most people would try. It knows nothing of which document a
unit is from, or of what stands beside it. The sampling is tomotopy's, which the extra `lda` brings.
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

_SEEDS = 2**63  # tomotopy keeps it in a machine word


def predict(corpus: Corpus, n_topics: int, seed: int = 0, *, iterations: int = 500) -> Prediction:
    """Give each unit the topic that LDA finds most of in it.

    Parameters
    ----------
    n_topics
        K. LDA may leave topics without a unit.
    iterations
        Sweeps of the Gibbs sampler. All else is as tomotopy has it: topics have a prior of 0.1,
        optimised every ten sweeps, and words one of 0.01.

    Returns
    -------
    Prediction
        `measures["log_likelihood_per_word"]` is that of the last sweep. Units without a word get
        the topic that `fill_wordless` says.

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
    seed = check_integer(seed, "seed", 0) % _SEEDS
    model = make_model(corpus, n_topics, seed)
    model.train(iterations, workers=1)  # with more workers a seed does not settle the result
    topics = np.full(corpus.n_units, NO_TOPIC, dtype=np.int64)
    worded = np.diff(corpus.unit_offsets) > 0
    topics[worded] = [np.argmax(unit.get_topic_dist()) for unit in model.docs]
    return Prediction(
        fill_wordless(topics, corpus.document_offsets),
        corpus.document_offsets,
        measures={"log_likelihood_per_word": float(model.ll_per_word)},
    )


def make_model(corpus: Corpus, n_topics: int, seed: int) -> Any:
    """Give tomotopy's model the units that have a word, ready to train."""
    with warnings.catch_warnings():
        # Its types lack an attribute, which Python minds once, on import; no user can mend it.
        warnings.simplefilter("ignore", DeprecationWarning)
        tomotopy = needs("tomotopy", "lda", "topics by LDA")
    model = tomotopy.LDAModel(k=n_topics, seed=seed)
    for first, last in pairwise(corpus.unit_offsets):
        if last > first:
            model.add_doc([corpus.vocabulary[word] for word in corpus.words[first:last]])
    return model
