"""Compilation of kernels: the one module that imports numba, and its options."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numba
from numba import types
from numba.core import cgutils, event
from numba.extending import intrinsic, overload

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import numpy as np
    from numpy.typing import NDArray

    Function = TypeVar("Function", bound=Callable[..., object])

# Straight-line code over neighbouring numbers becomes vector code: the span table lives on it.
numba.config.SLP_VECTORIZE = 1  # type: ignore[attr-defined]


def compiled(function: Function) -> Function:
    """Compile a function and cache the machine code on disk; its type stays.

    No fast-math: the same numbers must come out whatever the processor reorders. A division by
    zero gives infinity, as in numpy: checking for it would keep loops from being vectorised.
    """
    try:
        fast = numba.njit(nogil=True, error_model="numpy", cache=True)(function)
    except RuntimeError:  # no folder to keep it in can be written
        fast = numba.njit(nogil=True, error_model="numpy")(function)
    return cast("Function", fast)


def atomic_add(counters: NDArray[np.int64], index: int, amount: int) -> int:
    """Add to a counter that several threads share, and return its value before.

    In compiled code this is one atomic instruction, sequentially consistent. This is what it
    computes on one thread.
    """
    before = int(counters[index])
    counters[index] = before + amount
    return before


@intrinsic  # type: ignore[untyped-decorator, unused-ignore]
def _atomic_add(_typing: Any, counters: Any, index: Any, amount: Any) -> Any:  # noqa: ARG001
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = signature.args[0]
        array = context.make_array(kind)(context, builder, args[0])
        indices = [args[1]]
        pointer = cgutils.get_item_pointer(  # type: ignore[no-untyped-call]
            context, builder, kind, array, indices, wraparound=False
        )
        return builder.atomic_rmw("add", pointer, args[2], "seq_cst")

    return types.int64(counters, types.intp, types.int64), generate


@overload(atomic_add)  # type: ignore[untyped-decorator, unused-ignore]
def _compiled_atomic_add(counters: Any, index: Any, amount: Any) -> Any:  # noqa: ARG001
    def add(counters: Any, index: Any, amount: Any) -> Any:
        return _atomic_add(counters, index, amount)  # type: ignore[call-arg]

    return add


class _CompileListener(event.Listener):
    """Reports once that compilation has begun."""

    def __init__(self, say: Callable[[str], object]) -> None:
        self.say, self.reported = say, False

    def on_start(self, event: object) -> None:  # noqa: ARG002
        if not self.reported:
            self.reported = True
            self.say("compiling for the first use on this machine: about half a minute, once")

    def on_end(self, event: object) -> None:
        """Do nothing."""


@contextmanager
def report_compilation(say: Callable[[str], object]) -> Iterator[None]:
    """Call `say` when something is compiled and not just loaded from the cache."""
    with event.install_listener("numba:compile", _CompileListener(say)):
        yield
