"""The demo: draw a corpus from the model, fit it, and hold what was found against the truth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import linear_sum_assignment

from permutopic.estimator import ContentModel
from permutopic.model.generate import generate
from permutopic.model.priors import Priors
from permutopic.permutation import kendall_distance

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from permutopic.model.sampler import SweepInfo

N_TOPICS, N_DOCUMENTS, N_CHAINS, N_SWEEPS = 6, 60, 5, 100


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


def run_demo(seed: int = 0, on_sweep: Callable[[SweepInfo], None] | None = None) -> DemoResult:
    """Fit a corpus drawn from the model by several chains, and show the most probable one."""
    rng = np.random.default_rng(seed)
    priors = Priors.for_documents(N_DOCUMENTS, topic=5.0, dispersion=2.0, strength=20.0)
    corpus, truth = generate(
        N_TOPICS, priors, rng, n_documents=N_DOCUMENTS, units=12, unit_words=30, n_words=400
    )
    chains = []
    for chain in range(N_CHAINS):
        model = ContentModel(N_TOPICS, n_sweeps=N_SWEEPS, random_state=N_CHAINS * seed + chain)

        def show(info: SweepInfo, done: int = chain * N_SWEEPS) -> None:
            if on_sweep is not None:
                on_sweep(info._replace(sweep=done + info.sweep, n_sweeps=N_CHAINS * N_SWEEPS))

        chains.append(model.fit(corpus, on_sweep=show))
    best = max(chains, key=lambda model: float(model.log_joint_trace_[-1]))
    true, found = truth.all_topics(), best.prediction().topics
    together = np.zeros((N_TOPICS, N_TOPICS), dtype=np.int64)
    np.add.at(together, (found, true), 1)
    stands_for = match_topics(together)
    places = []
    for place, entry in enumerate(best.outline(n_words=5)):
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
        distance=kendall_distance(stands_for, np.arange(N_TOPICS)),
    )


def match_topics(together: NDArray[np.int64]) -> NDArray[np.int64]:
    """Match topics one to one so that most units agree; (found, true) counts in, true out."""
    matched: NDArray[np.int64] = linear_sum_assignment(together, maximize=True)[1]
    return matched
