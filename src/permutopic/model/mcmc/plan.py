"""How long a chain runs, by which moves, and which of its sweeps count as draws."""

from __future__ import annotations

from dataclasses import dataclass

from permutopic.model.mcmc.schedule import Schedule

SAMPLERS = ("blocked", "paper")
DEFAULT_SWEEPS = {"blocked": 100, "paper": 1000}
_CLIMBING = 0.7  # share of the sweeps that anneal
_PATIENCE = 10


@dataclass(frozen=True)
class Plan:
    """What a chain does.

    >>> Plan.of("blocked", 10).schedule.n_annealing
    7
    """

    sampler: str
    n_sweeps: int
    schedule: Schedule
    patience: int | None

    @classmethod
    def of(cls, sampler: str, n_sweeps: int, *, early_stop: bool = True) -> Plan:
        """Plan so many sweeps; the blocked moves anneal, the paper's do not."""
        if sampler == "paper":
            return cls(sampler, n_sweeps, Schedule(), None)
        annealing = min(round(_CLIMBING * n_sweeps), n_sweeps - 1)  # the last one never
        patience = _PATIENCE if early_stop else None
        return cls(sampler, n_sweeps, Schedule(annealing), patience)

    def counts_as_draw(self, sweep: int) -> bool:
        """Tell whether a sweep, counted from 0, draws from the posterior, as far as one can know.

        Sweeps at temperature 1 do; without annealing, the second half of them.
        """
        first = self.schedule.n_annealing or self.n_sweeps // 2
        return sweep >= first
