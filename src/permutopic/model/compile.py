"""How the kernels are compiled: one place for numba and its options."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar, cast

from numba import njit

if TYPE_CHECKING:
    from collections.abc import Callable

    Function = TypeVar("Function", bound=Callable[..., object])


def compiled(function: Function) -> Function:
    """Compile a function for speed, keep the machine code on disk, and keep its type.

    No fast-math: the same numbers must come out whatever the processor reorders.
    """
    try:
        fast = njit(cache=True, nogil=True)(function)
    except RuntimeError:  # no folder to keep it in can be written
        fast = njit(nogil=True)(function)
    return cast("Function", fast)
