"""The kernels' source, loaded anew: uncompiled, or with a bug planted in it."""

from __future__ import annotations

import types
from pathlib import Path

from permutopic.model import kernels

_COMPILED = "from permutopic.model.compile import compiled"


def load_kernels(replacements=(), *, compile_it=True):
    """Execute the source of the kernels after replacing text that occurs in it exactly once."""
    source = Path(kernels.__file__).read_text(encoding="utf-8")
    for old, new in replacements:
        if source.count(old) != 1:
            raise AssertionError(f"{old!r} occurs {source.count(old)} times in the kernels")
        source = source.replace(old, new)
    # Not cached: a mutant must never be taken for the kernel.
    decorator = "from numba import njit as compiled" if compile_it else "compiled = lambda f: f"
    if source.count(_COMPILED) != 1:
        raise AssertionError("the kernels no longer say how they are compiled")
    module = types.ModuleType("kernels_loaded_anew")
    exec(compile(source.replace(_COMPILED, decorator), module.__name__, "exec"), vars(module))
    return module
