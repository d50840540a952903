"""Tiny random corpora with a state, small enough to enumerate."""

from __future__ import annotations

import numpy as np

from permutopic.corpus import Corpus
from permutopic.model.priors import Priors, Variant
from permutopic.model.state import initial_state


def a_corpus(seed, variant=Variant.FULL, n_topics=3, most_units=5):
    """A tiny random corpus, some units without words, with a random state."""
    rng = np.random.default_rng(seed)
    priors = Priors.for_documents(3, topic=0.6, word=0.3, dispersion=0.8, variant=variant)
    documents = []
    for size in rng.integers(1, most_units + 1, 3):
        units = [rng.integers(0, 4, rng.integers(0, 4)) for _ in range(size)]
        documents.append([" ".join(f"w{word}" for word in unit) for unit in units])
        documents[-1][0] += " w0"  # a document has a word
    corpus = Corpus.from_paragraphs(documents, tokens="whitespace")
    state = initial_state(corpus, n_topics, priors, rng)
    if variant == Variant.FULL:
        state.dispersion[:] = rng.exponential(size=n_topics - 1)
    return corpus, state, priors
