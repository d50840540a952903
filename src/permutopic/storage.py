"""A fitted model as a folder: model.json for what a person may read, model.safetensors for arrays.

The folder appears whole or not at all. `SCHEMA` is raised whenever its meaning changes.
"""

from __future__ import annotations

import json
import secrets
import shutil
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load_file, save

from permutopic.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

SCHEMA = 5
_JSON, _ARRAYS = "model.json", "model.safetensors"


def check_empty(path: str | Path) -> None:
    """Refuse a place where something is already."""
    with _explained(path, "written"):
        if Path(path).exists() and not _is_empty_folder(Path(path)):
            raise InputError(f"{path} exists and is not empty: give a new folder")


def check_target(path: str | Path) -> None:
    """Refuse a place where a model cannot or should not go, before work goes into it."""
    if not str(path).strip():
        raise InputError("a model needs a folder, and no name was given")
    with _explained(path, "written"):
        target = Path(path).resolve()
        if target.exists() and not _is_empty_folder(target):
            _check_replaceable(path, target)
        # Replacing the present folder would pull the ground from under the shell.
        if Path.cwd().is_relative_to(target):
            raise InputError(f"{path} is the present folder: write from outside it, or elsewhere")
        for parent in target.parents:
            if (parent / _JSON).is_file() and (parent / _ARRAYS).is_file():
                raise InputError(f"{path} lies within the model {parent}: give another path")
        folder = next(parent for parent in target.parents if parent.exists())
        trial = _unused_name(folder / target.name)
        trial.mkdir()
        trial.rmdir()


def save_folder(
    path: str | Path, description: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
) -> None:
    """Write a model folder, replacing an earlier model but nothing else."""
    check_target(path)
    with whole_folder(path) as fresh:
        text = json.dumps({"schema": SCHEMA, **description}, indent=1)
        (fresh / _JSON).write_text(text + "\n", encoding="utf-8")
        whole = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
        (fresh / _ARRAYS).write_bytes(save(whole))


@contextmanager
def whole_folder(path: str | Path) -> Iterator[Path]:
    """Give an empty folder to write into, which takes the place of `path` when all went well."""
    with _explained(path, "written"):
        target = Path(path).resolve()  # a link to a folder stays a link
        target.parent.mkdir(parents=True, exist_ok=True)
        fresh = _unused_name(target)
        try:
            fresh.mkdir()
            yield fresh
            _replace(fresh, target)
        finally:
            shutil.rmtree(fresh, ignore_errors=True)


def peek(path: str | Path) -> dict[str, Any]:
    """Give the description of the model in a folder, or nothing where there is none to read."""
    try:
        description = _read_json(Path(path) / _JSON)
    except (InputError, OSError):
        return {}
    return description if isinstance(description, dict) else {}


def load_folder(path: str | Path) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Read a model folder back, refusing what this version cannot understand."""
    folder = Path(path)
    with _explained(path, "read"):
        if not (folder / _JSON).is_file():
            raise InputError(f"{folder} is not a model folder: it has no {_JSON}")
        description = _read_json(folder / _JSON)
        arrays = _read_arrays(folder / _ARRAYS)
    schema = description.get("schema") if isinstance(description, dict) else None
    if isinstance(schema, bool) or schema != SCHEMA:
        raise InputError(
            f"{folder / _JSON}: its schema is {schema!r}, and this version of permutopic reads "
            f"schema {SCHEMA}: fit it again"
        )
    return description, arrays


@contextmanager
def _explained(path: str | Path, what: str) -> Iterator[None]:
    """Turn what the system says into one line."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or error
        raise InputError(f"{path}: cannot be {what} ({reason})") from None


def _read_json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: not readable as JSON ({error})") from None


def _read_arrays(path: Path) -> dict[str, NDArray[Any]]:
    try:
        return dict(load_file(path))
    except SafetensorError as error:
        raise InputError(f"{path}: not readable as safetensors ({error})") from None


def _check_replaceable(path: str | Path, target: Path) -> None:
    """Refuse to replace anything but a folder that holds a model and nothing else."""
    if not target.is_dir() or not (target / _JSON).is_file() or not (target / _ARRAYS).is_file():
        raise InputError(f"{path} exists and is not a model: give another path")
    others = sorted({entry.name for entry in target.iterdir()} - {_JSON, _ARRAYS})
    if others:
        raise InputError(
            f"{path} holds {others[0]!r} beside the model, which would be lost: move it away, or "
            "give another path"
        )
    try:
        description = _read_json(target / _JSON)
    except InputError:
        description = None
    if not isinstance(description, dict) or not {"schema", "permutopic"} <= set(description):
        raise InputError(f"{path} exists and is not a model: give another path")


def _unused_name(target: Path) -> Path:
    """Name a hidden neighbour of `target`: a rename within one folder is one step."""
    return target.with_name(f".permutopic-{secrets.token_hex(8)}")


def _is_empty_folder(path: Path) -> bool:
    return path.is_dir() and not any(path.iterdir())


def _copy_modes(old: Path, new: Path) -> None:
    """Let in only those who were let in before."""
    for entry in new.iterdir():
        if (old / entry.name).exists():
            shutil.copymode(old / entry.name, entry)
    shutil.copymode(old, new)


def _replace(fresh: Path, target: Path) -> None:
    """Put `fresh` where `target` is; if that fails or is interrupted, `target` comes back."""
    if not target.exists():
        fresh.rename(target)
        return
    _copy_modes(target, fresh)
    old = _unused_name(target)
    target.rename(old)
    try:
        fresh.rename(target)
    except BaseException:
        old.rename(target)
        raise
    shutil.rmtree(old, ignore_errors=True)
