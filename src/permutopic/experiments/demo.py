"""The demo: draw a corpus from the model, fit it, and hold what was found against the truth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from permutopic.convergence import match_topics
from permutopic.estimator import ContentModel
from permutopic.model.generate import generate
from permutopic.model.priors import Priors
from permutopic.permutation import kendall_distance

if TYPE_CHECKING:
    from collections.abc import Callable

    from permutopic.model.sampler import SweepInfo

N_TOPICS, N_DOCUMENTS = 6, 60


@dataclass(frozen=True)
class DemoPlace:
    """One place of the recovered outline beside the same place of the true one."""

    true_topic: int
    found_topic: int
    """The true topic that the topic found at this place stands for."""
    agreement: float
    """Share of the true topic's units that the recovered topic holds."""
    true_dispersion: float | None
    found_dispersion: float | None
    words: tuple[str, ...]
    """The most telling words of the topic found at this place."""


@dataclass(frozen=True)
class DemoResult:
    """What the demo found."""

    places: tuple[DemoPlace, ...]
    n_documents: int
    n_units: int
    n_tokens: int
    agreement: float
    """Share of all units that are in the topic they were drawn from."""
    distance: int
    """Swaps of neighbours between the recovered order and the true one."""
    verdict: str
    """Whether the chains agree."""


def make_model(seed: int) -> ContentModel:
    """Make the model that the demo fits: two chains, the better of which is shown."""
    return ContentModel(N_TOPICS, n_chains=2, n_jobs=2, random_state=seed)


def run_demo(
    model: ContentModel, seed: int = 0, on_sweep: Callable[[SweepInfo], None] | None = None
) -> DemoResult:
    """Draw a corpus from the model and have `model` recover its topics and their order."""
    rng = np.random.default_rng(seed)
    priors = Priors.for_documents(N_DOCUMENTS, topic=5.0, dispersion=2.0, strength=20.0)
    corpus, truth = generate(
        N_TOPICS, priors, rng, n_documents=N_DOCUMENTS, units=12, unit_words=30, n_words=400
    )
    model.fit(corpus, on_sweep=on_sweep)
    true, found = truth.all_topics(), model.prediction().topics
    together = np.zeros((N_TOPICS, N_TOPICS), dtype=np.int64)
    np.add.at(together, (found, true), 1)
    stands_for = match_topics(together)
    places = []
    for place, entry in enumerate(model.outline(n_words=5)):
        mine = stands_for[place]
        size = max(int(together[:, mine].sum()), 1)
        last = place == N_TOPICS - 1
        places.append(
            DemoPlace(
                true_topic=place,
                found_topic=int(mine),
                agreement=float(together[place, mine] / size),
                true_dispersion=None if last else float(truth.dispersion[place]),
                found_dispersion=entry.dispersion,
                words=entry.words,
            )
        )
    return DemoResult(
        places=tuple(places),
        n_documents=corpus.n_documents,
        n_units=corpus.n_units,
        n_tokens=corpus.n_tokens,
        agreement=float(np.mean(stands_for[found] == true)),
        verdict=model.convergence_.verdict,
        distance=kendall_distance(stands_for, np.arange(N_TOPICS)),
    )
