"""The number of threads."""

from __future__ import annotations

import os

from permutopic.checks import check_integer


def count_threads(n_jobs: object) -> int:
    """Return the number of threads that `n_jobs` means: None is 1, −1 all cores."""
    if n_jobs is None:
        return 1
    if n_jobs == -1:
        return (
            len(os.sched_getaffinity(0))
            if hasattr(os, "sched_getaffinity")
            else os.cpu_count() or 1
        )
    return check_integer(n_jobs, "n_jobs", 1, note="the threads, or -1 for all")
