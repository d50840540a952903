"""How long a chain runs, and which of its sweeps count as draws."""

from __future__ import annotations

from dataclasses import dataclass

from permutopic.model.mcmc.schedule import Schedule

_ANNEALING = 0.7  # share of the sweeps
_PATIENCE = 10


@dataclass(frozen=True)
class Plan:
    """The length and the schedule of a chain.

    >>> Plan.of(10).schedule.n_annealing
    7
    """

    n_sweeps: int
    schedule: Schedule
    patience: int | None

    @classmethod
    def of(cls, n_sweeps: int, *, anneals: bool = True, early_stop: bool = True) -> Plan:
        """Make the plan for so many sweeps; without annealing, all of them are made."""
        if not anneals:
            return cls(n_sweeps, Schedule(), None)
        annealing = min(round(_ANNEALING * n_sweeps), n_sweeps - 1)  # the last sweep is a draw
        return cls(n_sweeps, Schedule(annealing), _PATIENCE if early_stop else None)

    def counts_as_draw(self, sweep: int) -> bool:
        """Tell whether a sweep, counted from 0, is taken as a draw from the posterior.

        With annealing, the sweeps at inverse temperature 1; without, the second half.
        """
        first = self.schedule.n_annealing or self.n_sweeps // 2
        return sweep >= first
