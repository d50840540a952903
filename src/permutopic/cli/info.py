"""`permutopic info`: versions, processor, and where compiled code is kept."""

from __future__ import annotations

import json
from typing import Any

import click


@click.command("info")
@click.option("--cache", "only_cache", is_flag=True, help="Show only where compiled code is kept.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def info_command(only_cache: bool, as_json: bool) -> None:
    """Show versions, the processor, and where compiled code is kept and why there."""
    found = _cache() if only_cache else {**_system(), **_cache()}
    if as_json:
        click.echo(json.dumps(found))
        return
    for name, value in found.items():
        shown = ("yes" if value else "no") if isinstance(value, bool) else value
        click.echo(f"{name.replace('_', ' '):<16} {'none' if shown is None else shown}")


def _system() -> dict[str, Any]:
    import platform
    from importlib.metadata import version

    import permutopic
    from permutopic.jit_cache import target
    from permutopic.threads import count_threads

    return {
        "permutopic": permutopic.__version__,
        "python": platform.python_version(),
        **{name: version(name) for name in ("numpy", "numba", "llvmlite")},
        "processor": target()[1],
        "threads": count_threads(-1),
    }


def _cache() -> dict[str, Any]:
    from permutopic.jit_cache import cache_folder

    folder = cache_folder()
    sizes = [path.stat().st_size for path in folder.files()]
    return {
        "cache": None if folder.path is None else str(folder.path),
        "cache_reason": folder.reason,
        "cache_writable": folder.writable,
        "cached_functions": len(sizes),
        "cache_bytes": sum(sizes),
        "complete": folder.has("everything"),
    }
