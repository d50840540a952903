"""The samplers by name, with their settings; `fitting.py` makes their moves."""

from __future__ import annotations

from typing import NamedTuple


class Sampler(NamedTuple):
    """The default number of sweeps of a sampler, whether it anneals, and draws classes of words."""

    n_sweeps: int
    anneals: bool
    draws_classes: bool


SAMPLERS = {
    "blocked": Sampler(85, anneals=True, draws_classes=True),
    "paper": Sampler(1000, anneals=False, draws_classes=False),
}
"""The samplers by name."""
