"""Helper threads of a fit: as many as have a processor to themselves.

A helper whose processor is needed by others is late with the pieces that it has taken, and keeps
the leading thread from its own: with one busy process on two processors, two threads would be
slower than one. The system tells how often it has taken a thread's processor away, so such helpers
are let go, and asked again after a while. Results do not depend on who helps.
"""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future

_WATCHED = 0.02  # seconds of work after which helpers are judged
_MOST_A_SECOND = 100  # interruptions: below 50 on a quiet machine, some 250 beside a busy process
_FIRST_PAUSE, _LONGEST_PAUSE = 1.0, 8.0


def count_interruptions() -> int:
    """Return how often this thread has lost its processor to others; 0 where nobody tells."""
    try:
        import resource  # noqa: PLC0415 (not on Windows)

        return resource.getrusage(resource.RUSAGE_THREAD).ru_nivcsw
    except (ImportError, AttributeError):  # macOS has no count for a single thread
        return 0


class Helpers:
    """A pool of threads, of which those help that are not interrupted all the time.

    Parameters
    ----------
    n_threads
        The leading thread and all helpers.
    clock, interruptions
        What tells the time in seconds, and the interruptions of the thread that asks.
    """

    def __init__(
        self,
        n_threads: int,
        *,
        clock: Callable[[], float] = time.perf_counter,
        interruptions: Callable[[], int] = count_interruptions,
    ) -> None:
        self.n_all = self.n_now = n_threads - 1
        self._clock, self._count = clock, interruptions
        self._pool = ThreadPoolExecutor(self.n_all) if self.n_all else None
        self._interrupted = np.zeros(self.n_all, dtype=np.int64)
        self._watched, self._started = 0.0, 0.0
        self._pause, self._ask_again = _FIRST_PAUSE, 0.0
        self._on_trial = self.n_all > 0

    def on_trial(self) -> bool:
        """Ask all helpers again if it is time; tell whether they have not been judged since."""
        if self.n_now < self.n_all and self._clock() >= self._ask_again:
            self.n_now, self._on_trial = self.n_all, True
        return self._on_trial

    def start(self, work: Callable[[int], object]) -> list[Future[None]]:
        """Let helpers 1, 2, … work beside the leading thread."""
        self._started = self._clock()
        if self._pool is None:
            return []
        return [self._pool.submit(self._work, work, n) for n in range(1, self.n_now + 1)]

    def finish(self, helpers: list[Future[None]]) -> None:
        """Wait for helpers that have begun, and judge them now and then."""
        for helper in helpers:
            if not helper.cancel():
                helper.result()
        if helpers:
            self._watched += self._clock() - self._started
            if self._watched >= _WATCHED:
                self._judge()

    def _work(self, work: Callable[[int], object], number: int) -> None:
        before = self._count()
        work(number)
        self._interrupted[number - 1] += self._count() - before

    def _judge(self) -> None:
        """Let helpers go that were interrupted too often."""
        late = int((self._interrupted > _MOST_A_SECOND * self._watched).sum())
        if late:
            self.n_now -= late
            self._ask_again = self._clock() + self._pause
            self._pause = min(2 * self._pause, _LONGEST_PAUSE)
        elif self.n_now == self.n_all:
            self._pause = _FIRST_PAUSE
        self._interrupted[:] = 0
        self._watched, self._on_trial = 0.0, False
