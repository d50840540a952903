"""Writing files and folders atomically: whole, or not at all."""

from __future__ import annotations

import os
import secrets
import shutil
import stat
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from permutopic.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def os_errors_explained(path: str | Path, action: str = "written") -> Iterator[None]:
    """Turn an OSError into an InputError of one line."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or error
        raise InputError(f"{path}: cannot be {action} ({reason})") from None


def temporary_sibling(target: Path) -> Path:
    """Return an unused hidden name in the same folder: a rename within a folder is atomic."""
    return target.with_name(f".permutopic-{secrets.token_hex(8)}")


def follow_links(path: str | Path) -> Path:
    """Resolve links, so that a link to a file stays a link when the file is replaced."""
    return Path(os.path.realpath(path))


@contextmanager
def atomic_file(path: str | Path) -> Iterator[BinaryIO]:
    """Open a temporary file that replaces `path` if the block ends without an error."""
    with os_errors_explained(path):
        target = follow_links(path)
        fresh = temporary_sibling(target)
        try:
            with fresh.open("xb") as file:
                yield file
                file.flush()
            if target.exists():
                shutil.copymode(target, fresh)
            os.replace(fresh, target)
        finally:
            fresh.unlink(missing_ok=True)


def check_file_target(path: str | Path) -> None:
    """Refuse a path where no file can be written, before any work."""
    if "\0" in str(path):
        raise InputError(f"{str(path)!r} is no name of a file: it has a NUL character")
    with os_errors_explained(path):
        target = follow_links(path)
        if target.is_dir():
            raise InputError(f"{path} is a folder: give a file")
        for folder in (Path(path).parent, target.parent):
            if not folder.is_dir():
                raise InputError(f"{path}: there is no folder {folder}: make it first")
        try:
            is_plain = stat.S_ISREG(target.stat().st_mode)
        except FileNotFoundError:
            is_plain = True
        if not is_plain:
            raise InputError(f"{path} is no plain file: give another path")
        # Trying is the one test that holds on all systems.
        trial = temporary_sibling(target)
        trial.touch()
        trial.unlink()


@contextmanager
def atomic_folder(path: str | Path) -> Iterator[Path]:
    """Make a temporary folder that replaces `path` if the block ends without an error."""
    with os_errors_explained(path):
        target = Path(path).resolve()  # a link to a folder stays a link
        target.parent.mkdir(parents=True, exist_ok=True)
        fresh = temporary_sibling(target)
        try:
            fresh.mkdir()
            yield fresh
            _replace_folder(fresh, target)
        finally:
            shutil.rmtree(fresh, ignore_errors=True)


def check_empty(path: str | Path) -> None:
    """Refuse a path that exists, unless it is an empty folder."""
    with os_errors_explained(path):
        if Path(path).exists() and not is_empty_folder(Path(path)):
            raise InputError(f"{path} exists and is not empty: give a new folder")


def is_empty_folder(path: Path) -> bool:
    """Tell whether a path is a folder without entries."""
    return path.is_dir() and not any(path.iterdir())


def _replace_folder(fresh: Path, target: Path) -> None:
    """Rename `fresh` to `target`; if that fails or is interrupted, restore `target`."""
    if not target.exists():
        fresh.rename(target)
        return
    _copy_modes(target, fresh)
    old = temporary_sibling(target)
    target.rename(old)
    try:
        fresh.rename(target)
    except BaseException:
        old.rename(target)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _copy_modes(old: Path, new: Path) -> None:
    """Copy the permissions of a folder and of the files in it."""
    for entry in new.iterdir():
        if (old / entry.name).exists():
            shutil.copymode(old / entry.name, entry)
    shutil.copymode(old, new)
