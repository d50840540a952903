"""Progress on a terminal; nothing where there is none."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from permutopic.model.sampler import SweepInfo


@contextmanager
def shown_progress(n_sweeps: int) -> Iterator[Callable[[SweepInfo], None] | None]:
    """Give a callback that shows sweep, log joint, topics in use and time left on stderr."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("sweep"),
        MofNCompleteColumn(),
        BarColumn(bar_width=24),
        TextColumn("{task.description}"),
        TimeRemainingColumn(),
        TextColumn("left"),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("starting (compiles on first use)", total=n_sweeps)

        def show(info: SweepInfo) -> None:
            text = f"log joint {info.log_joint:,.0f}, {info.topics_in_use} topics in use"
            progress.update(task, completed=info.sweep, description=text)

        yield show
