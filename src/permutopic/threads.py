"""The number of threads, and of processes that read."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from permutopic.checks import check_integer

_QUOTA = Path("/sys/fs/cgroup/cpu.max")


def count_threads(n_jobs: object) -> int:
    """Return the number of threads that `n_jobs` means: None is 1, −1 all cores.

    Cores are those that this process may run on, and as many as a container may use.
    """
    if n_jobs is None:
        return 1
    if n_jobs == -1:
        n_cores = (
            len(os.sched_getaffinity(0))
            if hasattr(os, "sched_getaffinity")
            else os.cpu_count() or 1
        )
        with suppress(OSError, ValueError):  # no container, or "max": no quota
            quota, period = map(int, _QUOTA.read_text(encoding="ascii").split())
            n_cores = min(n_cores, max(-(-quota // period), 1))
        return n_cores
    return check_integer(n_jobs, "n_jobs", 1, note="the threads, or -1 for all")
