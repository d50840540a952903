"""The model folder: model.json has the description, model.safetensors the arrays.

It is written atomically. `SCHEMA` is raised whenever its meaning changes.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load_file, save

from permutopic.errors import InputError
from permutopic.files import (
    atomic_folder,
    is_empty_folder,
    os_errors_explained,
    temporary_sibling,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

SCHEMA = 6
READABLE = (5, 6)
"""Schema 6 has the classes of words, where the model has subject words; else it is schema 5."""
_JSON, _ARRAYS = "model.json", "model.safetensors"


def check_model_target(path: str | Path) -> None:
    """Refuse a path where a model cannot or should not be written, before any work."""
    if not str(path).strip():
        raise InputError("a model needs a folder, and no name was given")
    with os_errors_explained(path):
        target = Path(path).resolve()
        if target.exists() and not is_empty_folder(target):
            _check_replaceable(path, target)
        # Replacing the current folder would leave the shell in one that does not exist.
        if Path.cwd().is_relative_to(target):
            raise InputError(f"{path} is the present folder: write from outside it, or elsewhere")
        for parent in target.parents:
            if (parent / _JSON).is_file() and (parent / _ARRAYS).is_file():
                raise InputError(f"{path} lies within the model {parent}: give another path")
        folder = next(parent for parent in target.parents if parent.exists())
        trial = temporary_sibling(folder / target.name)
        trial.mkdir()
        trial.rmdir()


def save_folder(
    path: str | Path, description: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
) -> None:
    """Write a model folder, replacing an earlier model but nothing else."""
    check_model_target(path)
    with atomic_folder(path) as fresh:
        text = json.dumps({"schema": SCHEMA, **description}, indent=1)
        (fresh / _JSON).write_text(text + "\n", encoding="utf-8")
        whole = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
        (fresh / _ARRAYS).write_bytes(save(whole))


def read_description(path: str | Path) -> dict[str, Any]:
    """Read the description of the model in a folder; empty where there is none to read."""
    try:
        description = _read_json(Path(path) / _JSON)
    except (InputError, OSError):
        return {}
    return description if isinstance(description, dict) else {}


def load_folder(path: str | Path) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Read the description and the arrays of a model folder; refuse a schema that is unknown."""
    folder = Path(path)
    with os_errors_explained(path, "read"):
        if not (folder / _JSON).is_file():
            raise InputError(f"{folder} is not a model folder: it has no {_JSON}")
        description = _read_json(folder / _JSON)
        arrays = _read_arrays(folder / _ARRAYS)
    schema = description.get("schema") if isinstance(description, dict) else None
    if isinstance(schema, bool) or schema not in READABLE:
        raise InputError(
            f"{folder / _JSON}: its schema is {schema!r}, and this version of permutopic reads "
            f"schemas {READABLE[0]} to {READABLE[-1]}: fit it again"
        )
    return description, arrays


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
