"""The folder in which compiled code is kept: which one, why, and until when.

Knows nothing of numba: `jit_cache` makes numba use the folder.
"""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PACKAGE = Path(__file__).parent
_COMPILED_PARTS = ("model", "baselines")
_ADVICE = "set NUMBA_CACHE_DIR to a folder that can be written, or fill one when an image is built"


@dataclass(frozen=True)
class CacheFolder:
    """Where compiled code is kept, and why there.

    Attributes
    ----------
    path
        The folder; None if none can be written.
    reason
        Why this one was chosen, in words.
    writable
        Whether more can be kept in it. One that cannot be written is taken if everything is there.
    temporary
        Whether it may be cleared at any time.
    state
        What its contents were made from and for: sources, versions, processor.
    """

    path: Path | None
    reason: str
    writable: bool = True
    temporary: bool = False
    state: str = ""

    @property
    def until(self) -> str:
        """Say how long code that is compiled now will last."""
        if self.path is None or not self.writable:
            return "for this run only"
        if self.temporary:
            return f"kept in {self.path}, which may be cleared"
        return f"kept in {self.path} until permutopic, numba or the processor changes"

    @property
    def warning(self) -> str | None:
        """Say what is wrong with the folder and what to do, if anything is."""
        if self.path is None:
            return f"compiled code cannot be kept ({self.reason}): {_ADVICE}"
        if self.temporary:
            return f"compiled code is kept in a temporary folder, {self.path}: {_ADVICE}"
        return None

    def files(self) -> Iterator[Path]:
        """Yield the files with compiled code."""
        if self.path is not None:
            yield from sorted(self.path.rglob("*.nbc"))

    def has(self, task: str) -> bool:
        """Tell whether everything for a task was compiled from these sources for this processor."""
        return self.path is not None and _read(self._marker(self.path, task)) == self.state

    def set_done(self, task: str) -> None:
        """Note that everything for a task is compiled."""
        if self.path is not None and self.writable:
            with suppress(OSError):
                self._marker(self.path, task).write_text(self.state, encoding="utf-8")

    def unset_done(self) -> None:
        """Note that code is about to be replaced: nothing is known to be complete any more."""
        if self.path is not None and self.writable:
            for marker in self.path.glob("*.done"):
                with suppress(OSError):
                    marker.unlink()

    def _marker(self, path: Path, task: str) -> Path:
        """Return the file that says so: one a processor, as a home may be shared by several."""
        return path / f"{task}-{hashlib.sha256(self.state.encode()).hexdigest()[:12]}.done"


def choose_folder(given: str, user: str, state: str, *, package: Path = PACKAGE) -> CacheFolder:
    """Choose the folder for compiled code.

    The first that can be written, or that holds everything for this `state`: in `given` (what
    NUMBA_CACHE_DIR says), beside the source, in the user's cache folder, a temporary one.
    """
    install = hashlib.sha256(str(package).encode()).hexdigest()[:12]
    candidates = [(Path(given).absolute() / f"permutopic-{install}", "NUMBA_CACHE_DIR names it")]
    if not given:
        candidates.clear()
    candidates += [
        (package / "__pycache__" / "compiled", "it is beside the source"),
        (Path(user) / f"permutopic-{install}", "it is in the user's cache folder"),
    ]
    failed = "NUMBA_CACHE_DIR cannot be written, and " if given else ""
    for number, (path, reason) in enumerate(candidates):
        why = failed + reason if number and given else reason
        if _can_write(path):
            return CacheFolder(path, why, state=state)
        full = CacheFolder(path, f"{why} (read-only, but complete)", writable=False, state=state)
        if full.has("everything"):
            return full
    temporary = _temporary_folder()
    if temporary is None:
        why = "no folder can be written, or the temporary one belongs to someone else"
        return CacheFolder(None, why, writable=False, state=state)
    why = f"{failed}neither the folder of the source nor the user's can be written"
    return CacheFolder(temporary / f"permutopic-{install}", why, temporary=True, state=state)


def source_digest(package: Path = PACKAGE) -> str:
    """Return a digest of all source files with compiled code.

    A compiled function holds the functions that it calls, of whatever file.
    """
    paths = [path for part in _COMPILED_PARTS for path in (package / part).rglob("*.py")]
    paths += package.glob("jit*.py")
    digest = hashlib.sha256()
    for path in sorted(paths):
        source = path.read_bytes()
        if b"permutopic.jit" in source or path.parent == package:
            digest.update(path.relative_to(package).as_posix().encode() + b"\0")
            digest.update(hashlib.sha256(source).digest())
    return digest.hexdigest()


def _can_write(path: Path) -> bool:
    """Make a folder, and try to write into it."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=path).close()
    except OSError:
        return False
    return True


def _temporary_folder() -> Path | None:
    """Return a temporary folder that only this user can write: it holds code that will be run.

    None if there is a folder of that name which others can write, or a link.
    """
    user: Callable[[], object] = getattr(os, "getuid", lambda: "cache")
    try:
        path = Path(tempfile.gettempdir()) / f"permutopic-{user()}"
        with suppress(FileExistsError):
            path.mkdir(mode=0o700)
        return path if _is_mine(path) and _can_write(path) else None
    except OSError:
        return None


def _is_mine(path: Path) -> bool:
    """Tell whether a folder is no link, belongs to this user, and nobody else can write it."""
    found = path.lstat()
    if not stat.S_ISDIR(found.st_mode):
        return False
    if not hasattr(os, "getuid"):
        return True
    return found.st_uid == os.getuid() and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _read(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None
