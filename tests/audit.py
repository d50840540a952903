"""Checks of invariants that the package relies on, and enumerations, for tests alone."""

from __future__ import annotations

import numpy as np

from permutopic.model.state import make_state


def check_state(corpus, state):
    """Raise AssertionError unless the state fits the corpus and its counts are up to date."""
    assert np.array_equal(state.bag.sum(axis=1), corpus.document_sizes), "bags hold other units"
    assert state.bag.min() >= 0, "a bag has a negative count"
    fresh = make_state(corpus, state.bag, state.inversions, state.dispersion, state.subject_words)
    if not np.array_equal(fresh.word_counts, state.word_counts):
        raise AssertionError("the running word counts differ from a recount")
    if not np.array_equal(fresh.topic_tokens, state.topic_tokens):
        raise AssertionError("the running topic totals differ from a recount")


def all_inversions(n_items):
    """Yield the inversion counts of all n_items! orders, the canonical one first."""
    yield from np.ndindex(*range(n_items, 1, -1))
