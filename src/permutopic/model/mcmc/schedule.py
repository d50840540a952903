"""Annealing: the likelihood is raised to a power τ that climbs to 1, and then stays there.

Only the sweeps at τ = 1 are draws from the posterior; those before them look for its mass.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Stage(NamedTuple):
    """What a sweep has to know of the schedule."""

    temperature: float = 1.0
    """τ: the power to which the likelihood of the words is raised."""
    even_shares: bool = False
    """θ is held even instead of drawn: all topics alike before the words have spoken."""
    retire: bool = False
    """Superfluous topics are looked for and given up."""


POSTERIOR = Stage()


@dataclass(frozen=True)
class Schedule:
    """τ climbs from `first_temperature` by equal factors, over `n_annealing` sweeps.

    θ is even until τ reaches `shares_from`. Drawn while the words hardly speak, the sparse prior
    of the bags would run away, and topics would die for good. But held even all the way, a corpus
    with fewer topics than K is cut up into K; so topics that the corpus is better off without are
    given up, several times from the middle of the climb on. See docs/schedule.md for the study
    behind these choices.

    >>> schedule = Schedule(n_annealing=4, first_temperature=0.0625)
    >>> [schedule.stage(sweep).temperature for sweep in range(6)]
    [0.0625, 0.125, 0.25, 0.5, 1.0, 1.0]
    """

    n_annealing: int = 0
    first_temperature: float = 0.05
    shares_from: float = 1.0
    retire_at: tuple[float, ...] = (0.5, 0.65, 0.8, 0.9, 1.0)
    """After which shares of the annealing superfluous topics are given up."""

    def stage(self, sweep: int) -> Stage:
        """Give the stage of a sweep, counted from 0."""
        if sweep >= self.n_annealing:
            return POSTERIOR
        temperature = self.first_temperature ** (1 - sweep / self.n_annealing)
        ends = {round(share * self.n_annealing) - 1 for share in self.retire_at}
        return Stage(temperature, temperature < self.shares_from, sweep in ends)
