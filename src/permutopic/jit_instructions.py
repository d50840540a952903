"""Instructions that numba has no name for: atomic ones, pauses of a thread, prefetching.

Each is a function of Python, which says what it computes on one thread, with its compiled twin.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


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


def atomic_load(counters: NDArray[np.int64], index: int) -> int:
    """Return a counter that other threads may change; what they wrote before it can be read then.

    Looking leaves the cache of another processor as it is; adding zero would take the line away.
    """
    return int(counters[index])


@intrinsic  # type: ignore[untyped-decorator, unused-ignore]
def _atomic_load(_typing: Any, counters: Any, index: Any) -> Any:  # noqa: ARG001
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = signature.args[0]
        array = context.make_array(kind)(context, builder, args[0])
        pointer = cgutils.get_item_pointer(  # type: ignore[no-untyped-call]
            context, builder, kind, array, [args[1]], wraparound=False
        )
        return builder.load_atomic(pointer, "acquire", 8)

    return types.int64(counters, types.intp), generate


@overload(atomic_load)  # type: ignore[untyped-decorator, unused-ignore]
def _compiled_atomic_load(counters: Any, index: Any) -> Any:  # noqa: ARG001
    def load(counters: Any, index: Any) -> Any:
        return _atomic_load(counters, index)  # type: ignore[call-arg]

    return load


_SPINS = 16_000  # some 10 µs of looking


def rest(waits: int, yields: int) -> int:  # noqa: ARG001
    """Pause a thread that has looked `waits` times for another one's work; return waits + 1.

    At first it just looks again, for most waits are short. Then it lets other threads have its
    core whenever they need it, `yields` times of up to a microsecond. At last it sleeps for 50 µs
    at a time: a core without work fetches threads that wait for another core, and the awaited one
    may be among them.

    Uncompiled code runs on one thread, which never waits for another.
    """
    return waits + 1


def _system_call(name: str, *arguments: int) -> Any:
    """Make a function for compiled code that calls a C function with fixed integers."""

    @intrinsic  # type: ignore[untyped-decorator, unused-ignore]
    def call(_typing: Any) -> Any:
        def generate(context: Any, builder: Any, _signature: Any, _args: Any) -> Any:
            kind = ir.FunctionType(ir.IntType(32), [ir.IntType(32)] * len(arguments))
            function = cgutils.get_or_insert_function(  # type: ignore[no-untyped-call]
                builder.module, kind, name
            )
            builder.call(function, [ir.IntType(32)(value) for value in arguments])
            return context.get_constant(types.int64, 0)

        return types.int64(), generate

    return call


_ON_WINDOWS = sys.platform == "win32"
_give_way = _system_call("SwitchToThread" if _ON_WINDOWS else "sched_yield")
_sleep = _system_call("Sleep", 1) if _ON_WINDOWS else _system_call("usleep", 50)


@overload(rest)  # type: ignore[untyped-decorator, unused-ignore]
def _compiled_rest(waits: Any, yields: Any) -> Any:  # noqa: ARG001
    def wait(waits: Any, yields: Any) -> Any:
        if waits > _SPINS + yields:
            _sleep()
        elif waits > _SPINS:
            _give_way()
        return waits + 1

    return wait


def prefetch(values: NDArray[np.int32], index: int) -> None:
    """Ask for the line of the cache that holds a value, which will soon be changed.

    Other processors give the line up. Changes no value; nothing happens if the index is outside.
    """


@intrinsic  # type: ignore[untyped-decorator, unused-ignore]
def _prefetch(_typing: Any, values: Any, index: Any) -> Any:  # noqa: ARG001
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, args[0])
        pointer = builder.gep(array.data, [args[1]])
        address, flag = ir.PointerType(ir.IntType(8)), ir.IntType(32)
        function = cgutils.get_or_insert_function(  # type: ignore[no-untyped-call]
            builder.module,
            ir.FunctionType(ir.VoidType(), [address, *[flag] * 3]),
            "llvm.prefetch.p0",
        )
        to_write, nearest, data = flag(1), flag(3), flag(1)
        builder.call(function, [builder.bitcast(pointer, address), to_write, nearest, data])
        return context.get_dummy_value()

    return types.none(values, types.intp), generate


@overload(prefetch)  # type: ignore[untyped-decorator, unused-ignore]
def _compiled_prefetch(values: Any, index: Any) -> Any:  # noqa: ARG001
    def fetch(values: Any, index: Any) -> Any:
        _prefetch(values, index)  # type: ignore[call-arg]

    return fetch
