"""Compilation of kernels: numba's options, and what is said while it compiles."""

from __future__ import annotations

import sys
import warnings
from contextlib import contextmanager
from functools import update_wrapper
from types import FunctionType
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numba
from llvmlite import ir
from numba import types
from numba.core import cgutils, compiler, event
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher
from numba.extending import intrinsic, overload

from permutopic.errors import InputWarning
from permutopic.jit_cache import cache_folder, enable_cache
from permutopic.jit_linking import (
    IntermediateLibrary,
    intermediate_code,
    load_intermediate,
    machine_code_library,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import numpy as np
    from numpy.typing import NDArray

    Function = TypeVar("Function", bound=Callable[..., object])


class _Compiler(compiler.Compiler):
    """Makes vector code of straight-line code over neighbouring numbers: the span table needs it.

    numba has this as a setting of the process; here it holds for our functions alone. What they
    call is kept as intermediate code.
    """

    def compile_extra(self, func: Any) -> Any:
        config: Any = numba.config
        codegen = self.state.targetctx.codegen()
        with global_compiler_lock, intermediate_code(codegen):
            before = config.SLP_VECTORIZE
            config.SLP_VECTORIZE = 1
            try:
                self.state.library = self.make_library(codegen, func.__qualname__)
                return super().compile_extra(func)  # type: ignore[no-untyped-call]
            finally:
                config.SLP_VECTORIZE = before

    make_library = staticmethod(machine_code_library)


class _InnerCompiler(_Compiler):
    """The same, up to intermediate code."""

    make_library = staticmethod(IntermediateLibrary)


_OPTIONS = {"nopython": True, "nogil": True, "error_model": "numpy", "boundscheck": None}


_unliteral: Any = types.unliteral


class _Inner(CPUDispatcher):
    """Compiles a function for calls from other compiled functions.

    A constant as an argument is an integer or bool like any other: numba would compile the function
    anew for each.
    """

    def get_call_template(self, args: Any, kws: Any) -> Any:
        values = {name: _unliteral(kind) for name, kind in kws.items()}
        return super().get_call_template(tuple(map(_unliteral, args)), values)


class Kernel:
    """A compiled function: called from Python, or from another one.

    Most are only ever called by another one, so what converts Python's arguments, a fifth of the
    time to compile, is made when Python calls.
    """

    def __init__(self, function: Any) -> None:
        update_wrapper(self, function)
        self.py_func = function
        no_wrappers = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
        self._inner = _dispatcher(_Inner, function, no_wrappers)
        self._outer: Any = None

    @property
    def _numba_type_(self) -> Any:
        return types.Dispatcher(self._inner)

    def __call__(self, *arguments: object) -> Any:
        """Call the compiled function from Python."""
        if self._outer is None:
            code, names = self.py_func.__code__, self.py_func.__globals__
            name = f"{self.py_func.__name__}_from_python"
            function = FunctionType(code, names, name, self.py_func.__defaults__)
            function.__qualname__ = name  # the cache file's name, which must be another
            function.__module__ = self.py_func.__module__
            self._outer = _dispatcher(CPUDispatcher, function, {"no_cfunc_wrapper": True})
        return self._outer(*arguments)


def _dispatcher(kind: Any, function: Any, options: dict[str, bool]) -> Any:
    inner = kind is _Inner
    pipeline = _InnerCompiler if inner else _Compiler
    made = kind(function, {}, _OPTIONS | options, pipeline_class=pipeline)
    enable_cache(made, function, load_intermediate if inner else None)
    return made


def compiled(function: Function) -> Function:
    """Compile a function and keep the machine code on disk; its type stays.

    No fast-math: the same numbers must come out whatever the processor reorders. A division by
    zero gives infinity, as in numpy: checking for it would keep loops from being vectorised.
    """
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        return function
    return cast("Function", Kernel(function))


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


_SPINS, _YIELDS = 200, 1000  # some 10 µs of looking, then about a millisecond of giving way


def rest(waits: int) -> int:
    """Pause a thread that has looked `waits` times for another one's work; return waits + 1.

    At first it just looks again, for most waits are short. Then it lets other threads have its
    core whenever they need it. At last it sleeps for 50 µs at a time: a core without work fetches
    threads that wait for another core, and the awaited one may be among them.

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
def _compiled_rest(waits: Any) -> Any:  # noqa: ARG001
    def wait(waits: Any) -> Any:
        if waits > _YIELDS:
            _sleep()
        elif waits > _SPINS:
            _give_way()
        return waits + 1

    return wait


class _CompileListener(event.Listener):
    """Reports the first compilation of a function of ours, and counts them."""

    def __init__(self, say: Callable[[str], object], what: str, time: str) -> None:
        self.say, self.what, self.time = say, what, time
        self.count = 0

    def on_start(self, event: Any) -> None:
        if not _is_ours(event):
            return
        self.count += 1
        if self.count == 1:
            self.say(compile_message(self.what, self.time))
            if warning := cache_folder().warning:
                warnings.warn(InputWarning(warning), stacklevel=2)

    def on_end(self, event: object) -> None:
        """Do nothing."""


def _is_ours(event: Any) -> bool:
    function = event.data["dispatcher"].py_func
    return str(getattr(function, "__module__", "")).startswith("permutopic.")


def compile_message(what: str, time: str) -> str:
    """Say what is compiled, how long that takes, and until when it lasts."""
    return f"compiling {what}: {time}; {cache_folder().until}"


@contextmanager
def report_compilation(
    say: Callable[[str], object], what: str, time: str = "some fifteen seconds"
) -> Iterator[_CompileListener]:
    """Call `say` when code for `what` is compiled and not just loaded from the cache.

    Yields an object that counts the compiled functions.
    """
    listener = _CompileListener(say, what, time)
    with event.install_listener("numba:compile", listener):
        yield listener
