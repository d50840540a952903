"""The samplers by name, with their settings; `fitting.py` makes their moves."""

from __future__ import annotations

from typing import NamedTuple


class Sampler(NamedTuple):
    """The default number of sweeps of a sampler, and whether it anneals."""

    n_sweeps: int
    anneals: bool


SAMPLERS = {"blocked": Sampler(100, anneals=True), "paper": Sampler(1000, anneals=False)}
