"""How long a chain runs, by which moves, and which of its sweeps count as draws."""

from __future__ import annotations

from dataclasses import dataclass

from permutopic.model.mcmc.schedule import Schedule

SAMPLERS = ("blocked", "paper")
DEFAULT_SWEEPS = {"blocked": 100, "paper": 1000}
_ANNEALING = 0.7  # share of the sweeps
_PATIENCE = 10


@dataclass(frozen=True)
class Plan:
    """The sampler, length and schedule of a chain.

    >>> Plan.of("blocked", 10).schedule.n_annealing
    7
    """

    sampler: str
    n_sweeps: int
    schedule: Schedule
    patience: int | None

    @classmethod
    def of(cls, sampler: str, n_sweeps: int, *, early_stop: bool = True) -> Plan:
        """Make the plan for so many sweeps; the blocked sampler anneals, the paper's does not."""
        if sampler == "paper":
            return cls(sampler, n_sweeps, Schedule(), None)
        annealing = min(round(_ANNEALING * n_sweeps), n_sweeps - 1)  # the last sweep is a draw
        patience = _PATIENCE if early_stop else None
        return cls(sampler, n_sweeps, Schedule(annealing), patience)

    def counts_as_draw(self, sweep: int) -> bool:
        """Tell whether a sweep, counted from 0, is taken as a draw from the posterior.

        With annealing, the sweeps at inverse temperature 1; without, the second half.
        """
        first = self.schedule.n_annealing or self.n_sweeps // 2
        return sweep >= first
