"""Progress bars, on a terminal only."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.console import Console
    from rich.progress import Progress

    from permutopic.estimator import ContentModel
    from permutopic.model.mcmc.sampler import SweepInfo


@contextmanager
def shown_progress(model: ContentModel) -> Iterator[Callable[[SweepInfo], None] | None]:
    """Yield a callback that shows sweep, log joint, topics in use and time left on stderr."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console

    console = Console(stderr=True)
    narrow = console.width < 110  # then what tells how far it is comes first
    settings = model.checked_settings()
    n_sweeps = settings["n_sweeps"]
    done = dict.fromkeys(range(settings["n_chains"]), 0)
    with _bar("sweep", 16 if narrow else 24, console) as progress:
        task = progress.add_task("starting", total=n_sweeps * len(done))

        def show(info: SweepInfo) -> None:
            done[info.chain] = info.sweep
            text = f"{info.topics_in_use} topics in use"
            if not narrow:
                text = f"log joint {info.log_joint:,.0f}, {text}"
                text += (
                    f", annealing at {info.inverse_temperature:.2f}"
                    if info.inverse_temperature < 1
                    else ""
                )
            if len(done) > 1:
                text = f"chain {info.chain + 1}: {text}"
            progress.update(task, completed=sum(done.values()), description=text)

        yield show


@contextmanager
def shown_steps(what: str) -> Iterator[Callable[[int, int, str], None]]:
    """Yield a function that shows the current step, of how many, and its name on stderr."""
    if not sys.stderr.isatty():
        yield lambda step, n_steps, text: None  # noqa: ARG005
        return
    from rich.console import Console

    with _bar(what, 24, Console(stderr=True)) as progress:
        task = progress.add_task("starting", total=None)

        def show(step: int, n_steps: int, text: str) -> None:
            progress.update(task, total=n_steps, completed=step - 1, description=text)

        yield show


def _bar(what: str, width: int, console: Console) -> Progress:
    """Make a transient progress bar with the time left."""
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn(what),
        MofNCompleteColumn(),
        BarColumn(bar_width=width),
        TextColumn("{task.description}"),
        TimeRemainingColumn(),
        TextColumn("left"),
    )
    return Progress(*columns, console=console, transient=True)
