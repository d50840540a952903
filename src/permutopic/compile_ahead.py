"""Compiling in a process beside this one: while files are read, and while a fit runs.

A process and not a thread: a compiler holds Python's lock most of the time, and a process can be
stopped at once. What it has finished by then stays in the cache.
"""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from permutopic.compile_cache import PACKAGE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_log = logging.getLogger("permutopic")
_LARGE = 100_000_000  # bytes, which are read in some ten seconds
_NICENESS = 5  # a process that may be in vain gives way


def start_task(name: str, niceness: int = 0) -> subprocess.Popen[str]:
    """Start a process that compiles a task, says so if it does, and then the number."""
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); from permutopic.warm_up import compile_task; "
        "print(compile_task(sys.argv[2], lambda said: print(said, flush=True)))"
    )
    process = subprocess.Popen(  # noqa: S603 (our own interpreter)
        [sys.executable, "-c", code, str(PACKAGE.parent), name],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONUTF8": "1"},
    )
    if niceness and hasattr(os, "setpriority"):
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, process.pid, niceness)
    return process


@contextmanager
def compiling_meanwhile(name: str, paths: Iterable[str]) -> Iterator[None]:
    """Compile what a task needs while large files are read, and wait for it at the end.

    With small ones it would take longer: the process takes some four seconds more than compiling
    here. That it compiles is said when it really does and is waited for.
    """
    process = _start_if_needed(name) if _are_large(paths) else None
    if process is None or process.stdout is None:
        yield
        return
    try:
        yield
        if process.poll() is None and (said := process.stdout.readline()):
            _log.warning(said.strip())
    except BaseException:
        process.kill()
        raise
    finally:
        process.communicate()


@contextmanager
def compiling_ahead(name: str, n_jobs: int) -> Iterator[None]:
    """Compile what a later command needs while something else runs, and stop when that ends.

    Only where `n_jobs` allows for more than one core.
    """
    from permutopic.threads import count_threads  # noqa: PLC0415

    process = _start_if_needed(name, _NICENESS) if count_threads(n_jobs) > 1 else None
    try:
        yield
    finally:
        if process is not None:
            process.kill()
            process.communicate()


def _start_if_needed(name: str, niceness: int = 0) -> subprocess.Popen[str] | None:
    """Start a task unless all of it is there, nothing could be kept, or there is one core."""
    from permutopic.threads import count_threads  # noqa: PLC0415

    if count_threads(-1) == 1:
        return None
    from permutopic.jit_cache import cache_folder  # noqa: PLC0415 (starts numba)

    folder = cache_folder()
    if not folder.writable or folder.temporary or folder.has(name) or folder.has("everything"):
        return None
    try:
        return start_task(name, niceness)
    except OSError:
        return None  # then it is compiled when it is needed


def _are_large(paths: Iterable[str]) -> bool:
    """Tell whether files and folders take longer to read than a process to start."""
    size = 0
    for path in map(Path, paths):
        for file in path.rglob("*") if path.is_dir() else [path]:
            with suppress(OSError, ValueError):
                size += file.stat().st_size
            if size >= _LARGE:
                return True
    return False
