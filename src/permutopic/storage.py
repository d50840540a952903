"""A fitted model as a folder: model.json for what a person may read, model.safetensors for arrays.

The folder appears whole or not at all. `SCHEMA` is raised whenever its meaning changes.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load_file, save

from permutopic.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

SCHEMA = 1
_JSON, _ARRAYS = "model.json", "model.safetensors"


def check_target(path: str | Path) -> None:
    """Refuse a place where a model cannot or should not go, before work goes into it."""
    target = Path(path).resolve()
    if target.exists() and not (target / _JSON).is_file() and not _is_empty_folder(target):
        raise InputError(f"{path} exists and is not a model: give another path")
    if Path.cwd().is_relative_to(target):  # replacing it would pull the ground from under a shell
        raise InputError(f"{path} is the present folder: give the model a folder of its own")
    folder = next(parent for parent in target.parents if parent.exists())
    if not folder.is_dir() or not os.access(folder, os.W_OK):
        raise InputError(f"{path}: cannot be written ({folder} takes no new folder)")


def save_folder(
    path: str | Path, description: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
) -> None:
    """Write a model folder, replacing an earlier model but nothing else."""
    check_target(path)
    target = Path(path).resolve()  # a link to a model stays a link
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        fresh = _unused_name(target)
        try:
            fresh.mkdir()
            text = json.dumps({"schema": SCHEMA, **description}, ensure_ascii=True, indent=1)
            (fresh / _JSON).write_text(text + "\n", encoding="utf-8")
            whole = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
            (fresh / _ARRAYS).write_bytes(save(whole))
            _replace(fresh, target)
        finally:
            shutil.rmtree(fresh, ignore_errors=True)
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror or error})") from None


def load_folder(path: str | Path) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Read a model folder back, refusing what this version cannot understand."""
    folder = Path(path)
    if not (folder / _JSON).is_file():
        raise InputError(f"{folder} is not a model folder: it has no {_JSON}")
    try:
        description = json.loads((folder / _JSON).read_text(encoding="utf-8"))
        arrays = load_file(folder / _ARRAYS)
    except OSError as error:
        raise InputError(f"{folder}: cannot be read ({error.strerror or error})") from None
    except ValueError as error:
        raise InputError(f"{folder / _JSON}: not readable as JSON ({error})") from None
    except SafetensorError as error:
        raise InputError(f"{folder / _ARRAYS}: not readable as safetensors ({error})") from None
    schema = description.get("schema") if isinstance(description, dict) else None
    if schema != SCHEMA:
        raise InputError(
            f"{folder / _JSON}: its schema is {schema!r}, and this version of permutopic reads "
            f"schema {SCHEMA}"
        )
    return description, arrays


def _unused_name(target: Path) -> Path:
    """Name a hidden neighbour of `target`: a rename within one folder is one step."""
    return target.with_name(f".{target.name}-{secrets.token_hex(8)}")


def _is_empty_folder(path: Path) -> bool:
    return path.is_dir() and not any(path.iterdir())


def _replace(fresh: Path, target: Path) -> None:
    """Put `fresh` where `target` is, so that one of the two stands there whatever happens."""
    if not target.exists():
        fresh.rename(target)
        return
    old = _unused_name(target)
    target.rename(old)
    try:
        fresh.rename(target)
    except OSError:
        old.rename(target)
        raise
    shutil.rmtree(old, ignore_errors=True)
