"""The demo: fit the bundled articles, and compare the outline with their headings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from permutopic.datasets import load_elements
from permutopic.estimator import ContentModel
from permutopic.evaluation.evaluate import Evaluation, evaluate
from permutopic.model.mcmc.convergence import match_topics
from permutopic.results.prediction import number_labels
from permutopic.topics import OutlineEntry, Structure, structure_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from permutopic.model.mcmc.sampler import SweepInfo

N_TOPICS, N_CHAINS, N_SWEEPS = 8, 4, 300
"""As many topics as headings; four chains, to see whether they agree."""
_SHOWN_WORDS = 5


@dataclass(frozen=True)
class DemoResult:
    """The outline, the structure of every article, and scores."""

    n_documents: int
    n_units: int
    n_words: int
    outline: tuple[OutlineEntry, ...]
    documents: tuple[Structure, ...]
    """Topics of every article, those closest to the canonical order first."""
    evaluation: Evaluation
    matched_units: int
    """Units in the topic matched with their heading, topics and headings matched one to one."""


def make_model(seed: int) -> ContentModel:
    """Return the model of the demo: default settings, except for several longer chains."""
    return ContentModel(
        N_TOPICS,
        n_sweeps=N_SWEEPS,
        early_stop=False,
        n_chains=N_CHAINS,
        n_jobs=-1,
        random_state=seed,
    )


def run_demo(
    model: ContentModel, on_sweep: Callable[[SweepInfo], None] | None = None
) -> DemoResult:
    """Fit the bundled articles and score the result."""
    corpus = load_elements()
    evaluation = evaluate(corpus, model, on_sweep=on_sweep)
    documents = [structure_of(*pair) for pair in zip(corpus.titles, model.topics_, strict=True)]
    return DemoResult(
        n_documents=corpus.n_documents,
        n_units=corpus.n_units,
        n_words=corpus.n_tokens,
        outline=model.outline(_SHOWN_WORDS),
        documents=tuple(sorted(documents, key=lambda document: (document.swaps, document.title))),
        evaluation=evaluation,
        matched_units=count_matched(corpus.reference("heading"), model.prediction().topics),
    )


def count_matched(headings: Sequence[str], topics: NDArray[np.int64]) -> int:
    """Count the units in the topic of their heading, with headings and topics matched one to one.

    >>> count_matched(["a", "a", "b", "b"], np.array([1, 1, 1, 0]))
    3
    """
    rows = number_labels(headings)
    size = max(int(rows.max()), int(topics.max())) + 1
    contingency = np.zeros((size, size), dtype=np.int64)
    np.add.at(contingency, (topics, rows), 1)
    return int(contingency[np.arange(size), match_topics(contingency)].sum())
