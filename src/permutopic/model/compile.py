"""How the kernels are compiled: one place for numba and its options."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar, cast

import numba
from numba.core import event

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Function = TypeVar("Function", bound=Callable[..., object])

# Straight-line code over neighbouring numbers becomes vector code: the span table lives on it.
numba.config.SLP_VECTORIZE = 1  # type: ignore[attr-defined]


def compiled(function: Function) -> Function:
    """Compile a function for speed, keep the machine code on disk, and keep its type.

    No fast-math: the same numbers must come out whatever the processor reorders. A division by
    zero gives infinity, as in numpy: checking for it would keep loops from being vectorised.
    """
    try:
        fast = numba.njit(nogil=True, error_model="numpy", cache=True)(function)
    except RuntimeError:  # no folder to keep it in can be written
        fast = numba.njit(nogil=True, error_model="numpy")(function)
    return cast("Function", fast)


class _Announcer(event.Listener):
    """Says once that compiling has begun."""

    def __init__(self, say: Callable[[str], object]) -> None:
        self.say, self.silent = say, False

    def on_start(self, event: object) -> None:  # noqa: ARG002
        if not self.silent:
            self.silent = True
            self.say("compiling for the first use on this machine: some 20 seconds, once")

    def on_end(self, event: object) -> None:
        """Nothing is said when it is done."""


@contextmanager
def announced(say: Callable[[str], object]) -> Iterator[None]:
    """Have a person told when something is really compiled, not merely read from the disk."""
    with event.install_listener("numba:compile", _Announcer(say)):
        yield
