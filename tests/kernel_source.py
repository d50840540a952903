"""The compiled modules' source, loaded anew: uncompiled, or with a bug planted in it."""

from __future__ import annotations

import ast
import builtins
import importlib
import types
from pathlib import Path

import numba

from permutopic.model import block_moves, engine, moves

MODEL = "permutopic.model."
# Each may import those before it.
MODULES = ("elementary", "kernels", "span_table", "block_kernels", "label_kernels")
USERS = (moves, engine, block_moves)


def load_modules(bugs=None, *, compile_it=True):
    """Execute all compiled modules anew, each with the fresh copies of those it imports.

    `bugs` maps a module's name to pairs (old, new); every old text occurs in it exactly once.
    Compiling takes long, so with bugs only the functions they touch are compiled anew, and those
    that call them; all others are the package's own.
    """
    original = {name: importlib.import_module(MODEL + name) for name in MODULES}
    sources = {
        name: Path(module.__file__).read_text(encoding="utf-8") for name, module in original.items()
    }
    planted = {
        name: _planted(name, source, (bugs or {}).get(name, ())) for name, source in sources.items()
    }
    fresh = _touched(sources, planted) if bugs else None
    loaded = {}
    for name, source in planted.items():

        def compiled(function, name=name):
            if not compile_it:
                return function
            if fresh is not None and function.__name__ not in fresh:
                return getattr(original[name], function.__name__)
            # Not cached: a mutant must never be taken for the kernel.
            return numba.njit(nogil=True, error_model="numpy")(function)

        module = types.ModuleType(f"{name}_loaded_anew")
        vars(module)["__builtins__"] = {**vars(builtins), "__import__": _importer(loaded, compiled)}
        exec(compile(source, module.__name__, "exec"), vars(module))
        if fresh is not None:  # types of their own would have the package's functions compiled anew
            vars(module).update(_classes(original[name]))
        loaded[name] = module
    return types.SimpleNamespace(**loaded)


def load_kernels(replacements=(), *, compile_it=True):
    """Give the paper's kernels alone, after replacing text that occurs in them exactly once."""
    bugs = {"kernels": replacements} if replacements else None
    return load_modules(bugs, compile_it=compile_it).kernels


def put_in_place(monkeypatch, loaded):
    """Let the package use the loaded modules instead of its own, until the test is over."""
    for user in USERS:
        for name in MODULES:
            if hasattr(user, name):
                monkeypatch.setattr(user, name, getattr(loaded, name))


def _planted(name, source, replacements):
    for old, new in replacements:
        if source.count(old) != 1:
            raise AssertionError(f"{old!r} occurs {source.count(old)} times in {name}")
        source = source.replace(old, new)
    return source


def _importer(loaded, compiled):
    """An `import` that gives the fresh modules, and this way of compiling."""
    asked = {MODEL + "compile": types.SimpleNamespace(compiled=compiled)}
    asked |= {MODEL + name: module for name, module in loaded.items()}

    def import_fresh(name, *arguments):
        if name in asked:
            return asked[name]
        if name.startswith("permutopic"):
            raise AssertionError(f"a compiled module imports {name}, which is not loaded anew")
        return builtins.__import__(name, *arguments)

    return import_fresh


def _classes(module):
    return {
        name: thing
        for name, thing in vars(module).items()
        if isinstance(thing, type) and thing.__module__ == module.__name__
    }


def _touched(sources, planted):
    """Functions that a bug has changed, and all that call one of them."""
    before, after = _functions(sources), _functions(planted)
    texts = {name: ast.dump(node) for name, node in before.items()}
    touched = {name for name, node in after.items() if ast.dump(node) != texts.get(name)}
    if not touched:
        raise AssertionError("the bugs are in no function")
    while True:
        callers = {
            name
            for name, node in after.items()
            if any(isinstance(part, ast.Name) and part.id in touched for part in ast.walk(node))
        }
        if callers <= touched:
            return touched
        touched |= callers


def _functions(sources):
    found = [
        node
        for source in sources.values()
        for node in ast.parse(source).body
        if isinstance(node, ast.FunctionDef)
    ]
    functions = {node.name: node for node in found}
    if len(functions) < len(found):
        raise AssertionError("two compiled modules have functions of the same name")
    return functions
