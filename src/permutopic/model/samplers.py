"""The samplers by name, with their settings; `fitting.py` makes their moves."""

from __future__ import annotations

from typing import NamedTuple


class Sampler(NamedTuple):
    """The default numbers of sweeps of a sampler, whether it anneals, and draws classes of words.

    With classes of words, 85 sweeps are as good as 100; without them, 100 are better
    (docs/studies/subjects.md).
    """

    n_sweeps: int
    n_sweeps_with_classes: int
    anneals: bool
    draws_classes: bool


SAMPLERS = {
    "blocked": Sampler(100, 85, anneals=True, draws_classes=True),
    "paper": Sampler(1000, 1000, anneals=False, draws_classes=False),
}
"""The samplers by name."""
