"""Annealing: the likelihood is raised to a power λ, the inverse temperature, that rises to 1.

Only the sweeps at λ = 1 are draws from the posterior; those before them search for its mass.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Stage(NamedTuple):
    """The settings of one sweep in the schedule."""

    inverse_temperature: float = 1.0
    """λ: the power to which the likelihood of the words is raised."""
    uniform_prevalence: bool = False
    """Whether θ is held uniform instead of drawn."""
    prune: bool = False
    """Whether superfluous topics are emptied at the end of the sweep."""
    classes: bool = True
    """Whether the classes of words are drawn."""


POSTERIOR = Stage()


@dataclass(frozen=True)
class Schedule:
    """λ rises geometrically from `first_inverse_temperature` to 1, over `n_annealing` sweeps.

    θ is uniform until λ reaches `prevalence_from`. Drawn while the likelihood is nearly flat, the
    sparse prior of the bags would concentrate on few topics, and the others would stay empty. But
    with θ uniform a corpus with fewer topics than K is cut up into K; so topics without which the
    log joint is higher are pruned, three times, the last one when λ reaches 1: before, emptied
    topics may fill up again. See docs/studies/schedule.md for the study behind these choices.

    >>> schedule = Schedule(n_annealing=4, first_inverse_temperature=0.0625)
    >>> [schedule.stage(sweep).inverse_temperature for sweep in range(6)]
    [0.0625, 0.125, 0.25, 0.5, 1.0, 1.0]
    """

    n_annealing: int = 0
    first_inverse_temperature: float = 0.05
    prevalence_from: float = 1.0
    prune_at: tuple[float, ...] = (0.6, 0.8, 1.0)
    """The shares of the annealing after which superfluous topics are pruned."""
    classes_from: float = 0.3
    """λ from which on the classes of words are drawn: over random topics every bursty word looks
    like a subject word."""

    def stage(self, sweep: int) -> Stage:
        """Return the stage of a sweep, counted from 0."""
        if sweep >= self.n_annealing:
            return POSTERIOR
        inverse_temperature = self.first_inverse_temperature ** (1 - sweep / self.n_annealing)
        ends = {round(share * self.n_annealing) - 1 for share in self.prune_at}
        uniform = inverse_temperature < self.prevalence_from
        classes = inverse_temperature >= self.classes_from
        return Stage(inverse_temperature, uniform, sweep in ends, classes)
