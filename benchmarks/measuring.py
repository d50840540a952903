"""What benchmarks have in common: figures with targets, times in turns, peaks of memory."""

from __future__ import annotations

import multiprocessing
import resource
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class Figure(NamedTuple):
    """One figure and what it should come to."""

    name: str
    value: float
    target: float
    at_most: bool

    @property
    def ok(self) -> bool:
        """Tell whether the target is met."""
        return self.value <= self.target if self.at_most else self.value >= self.target

    def line(self) -> str:
        """Say it in one line."""
        sign = "≤" if self.at_most else "≥"
        verdict = "ok" if self.ok else "MISSED"
        return f"{self.name:54} {self.value:8.4g}   {sign} {self.target:<6g} {verdict}"


class Report:
    """Prints figures and facts as they come, and keeps them."""

    def __init__(self) -> None:
        self.figures: list[Figure] = []
        self.facts: dict[str, Any] = {}
        self.left_out: list[str] = []

    def judge(self, name: str, value: float, target: float, *, at_most: bool) -> None:
        """Take a figure that should be so much at most, or at least."""
        self.figures.append(Figure(name, value, target, at_most))
        print(self.figures[-1].line(), flush=True)

    def tell(self, name: str, value: Any) -> None:
        """Take something that is said for orientation."""
        self.facts[name] = value
        print(f"  {name}: {value}", flush=True)

    def leave_out(self, part: str, why: str) -> None:
        """Say that something was not measured."""
        self.left_out.append(part)
        print(f"NOT RUN: {part} ({why})", flush=True)

    def summary(self) -> str:
        """Name what was missed."""
        missed = [figure.name for figure in self.figures if not figure.ok]
        met = f"{len(self.figures) - len(missed)} of {len(self.figures)} targets met"
        left_out = [f"NOT RUN: {part}" for part in self.left_out]
        return "\n".join([met, *(f"MISSED: {name}" for name in missed), *left_out])

    def as_dict(self) -> dict[str, Any]:
        """Give plain values that can be written as JSON."""
        figures = [{**figure._asdict(), "ok": figure.ok} for figure in self.figures]
        return {"figures": figures, "facts": self.facts, "not_run": self.left_out}


def seconds(job: Callable[[], object]) -> float:
    """Time one call."""
    started = time.perf_counter()
    job()
    return time.perf_counter() - started


def take_turns(
    jobs: dict[str, Callable[[], object]],
    repeats: int,
    summary: Callable[[list[float]], float] = min,
) -> dict[str, float]:
    """Time jobs in turns; the shortest time of each counts, for it has least of other work."""
    times: dict[str, list[float]] = {name: [] for name in jobs}
    for _ in range(repeats):
        for name, job in jobs.items():
            times[name].append(seconds(job))
    return {name: summary(each) for name, each in times.items()}


@contextmanager
def busy_process() -> Iterator[None]:
    """Keep one core busy with a process that does nothing of use."""
    process = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        yield
    finally:
        process.kill()
        process.wait()


def in_fresh_process(function: Callable[..., Any], *arguments: object) -> Any:
    """Run a function where nothing else has yet taken memory."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return pool.submit(function, *arguments).result()


def peak_gigabytes() -> float:
    """Give the most memory this process has held so far, interpreter and all, in 10⁹ bytes.

    A process begins with the peak of the one that started it, which therefore has to be small.
    """
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9
