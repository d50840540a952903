"""Compilation of kernels: numba's options, and what is said while it compiles."""

from __future__ import annotations

import gc
import warnings
from contextlib import contextmanager
from functools import update_wrapper
from types import FunctionType
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numba
from numba import types
from numba.core import compiler, event
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher

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

    Function = TypeVar("Function", bound=Callable[..., object])


@contextmanager
def _collection_paused() -> Iterator[None]:
    """Let Python search for no cyclic garbage: a tenth of the time that compiling takes."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


class _Flags(compiler.Flags):
    """Settings of one compilation, which numba compares whenever it looks an operation up.

    Its own comparison reads all settings of both: a twentieth of the time that compiling takes.
    What neither has been given is the same by default.
    """

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, compiler.Flags):
            return NotImplemented
        ours, theirs = self._values, other._values
        return ours == theirs or all(
            getattr(self, name) == getattr(other, name) for name in {*ours, *theirs}
        )

    def __hash__(self) -> int:
        return _HASH


_HASH = hash(compiler.Flags())  # type: ignore[no-untyped-call]  # for all: that of the names


class _Compiler(compiler.Compiler):
    """Makes vector code of straight-line code over neighbouring numbers: the span table needs it.

    numba has this as a setting of the process; here it holds for our functions alone. What they
    call is kept as intermediate code.
    """

    def compile_extra(self, func: Any) -> Any:
        config: Any = numba.config
        codegen = self.state.targetctx.codegen()
        with global_compiler_lock, intermediate_code(codegen), _collection_paused():
            before = config.SLP_VECTORIZE
            config.SLP_VECTORIZE = 1
            try:
                self.state.library = self.make_library(codegen, func.__qualname__)
                self.state.flags = _Flags(self.state.flags)  # type: ignore[no-untyped-call]
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

    def __init__(self, function: Any, options: dict[str, bool]) -> None:
        update_wrapper(self, function)
        self.py_func, self.options = function, options
        no_wrappers = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
        self._inner = _dispatcher(_Inner, function, options | no_wrappers)
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
            options = self.options | {"no_cfunc_wrapper": True}
            self._outer = _dispatcher(CPUDispatcher, function, options)
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
    return _kernel(function, {})


def borrowing(function: Function) -> Function:
    """Compile a function that makes and returns no arrays, and calls none that does.

    It need not count references to arrays, which numba does by an atomic instruction whenever one
    gets a name: a third of the time that a span table took.
    """
    return _kernel(function, {"_nrt": False})


def inlined(function: Function) -> Function:
    """Do the same for a function that becomes part of its callers, where a call takes too long."""
    return _kernel(function, {"_nrt": False, "forceinline": True})


def _kernel(function: Function, options: dict[str, bool]) -> Function:
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        return function
    return cast("Function", Kernel(function, options))


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
    say: Callable[[str], object], what: str, time: str = "some ten seconds"
) -> Iterator[_CompileListener]:
    """Call `say` when code for `what` is compiled and not just loaded from the cache.

    Yields an object that counts the compiled functions.
    """
    listener = _CompileListener(say, what, time)
    with event.install_listener("numba:compile", listener):
        yield listener
