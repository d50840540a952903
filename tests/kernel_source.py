"""The compiled modules' source, loaded anew: uncompiled, or with a bug planted in it."""

from __future__ import annotations

import ast
import builtins
import importlib
import types
from pathlib import Path

import numba

from permutopic import jit, jit_instructions, model

DECORATORS = ("compiled", "borrowing", "inlined")
FOLDER = Path(model.__file__).parent


def _dotted(path):
    return ".".join(("permutopic.model", *path.relative_to(FOLDER).with_suffix("").parts))


def _imports(path):
    """The modules that a file imports from, in either form of the statement."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _compiled_modules():
    """The modules that have anything compiled, by file name, each before those that import it."""
    paths = {_dotted(path): path for path in sorted(FOLDER.rglob("*.py"))}
    waiting = {name: set(_imports(path)) for name, path in paths.items()}
    decorators = {f"permutopic.jit.{decorator}" for decorator in DECORATORS}
    waiting = {name: used for name, used in waiting.items() if used & decorators}
    ordered = {}
    while waiting:
        ready = sorted(name for name, used in waiting.items() if not used & waiting.keys())
        assert ready, f"compiled modules import each other: {sorted(waiting)}"
        for name in ready:
            del waiting[name]
            stem = name.rpartition(".")[2]
            assert stem not in ordered, f"two compiled modules are called {stem}"
            ordered[stem] = name
    return ordered


MODULES = _compiled_modules()
USERS = [name for name in map(_dotted, FOLDER.rglob("*.py")) if name not in MODULES.values()]


def load_modules(bugs=None, *, compile_it=True):
    """Execute all compiled modules anew, each with the fresh copies of those it imports.

    `bugs` maps a module's name to pairs (old, new); every old text occurs in it exactly once.
    Compiling takes long, so with bugs only the functions they touch are compiled anew, and those
    that call them; all others are the package's own.
    """
    sources = {
        name: Path(importlib.import_module(dotted).__file__).read_text(encoding="utf-8")
        for name, dotted in MODULES.items()
    }
    planted = {name: _planted(name, source, bugs or {}) for name, source in sources.items()}
    fresh = _touched(sources, planted) if bugs else None
    loaded = {}
    for name, dotted in MODULES.items():  # in the order in which they import each other
        original = importlib.import_module(dotted)

        def compiled(function, original=original):
            if not compile_it:
                return function
            if fresh is not None and function.__name__ not in fresh:
                return getattr(original, function.__name__)
            # Not cached: a mutant must never be taken for the kernel.
            return numba.njit(nogil=True, error_model="numpy")(function)

        module = types.ModuleType(f"{name}_loaded_anew")
        vars(module)["__builtins__"] = {**vars(builtins), "__import__": _importer(loaded, compiled)}
        exec(compile(planted[name], module.__name__, "exec"), vars(module))
        if fresh is not None:  # types of their own would have the package's functions compiled anew
            vars(module).update(_classes(original))
        loaded[name] = module
    return types.SimpleNamespace(**loaded)


def load_kernels(replacements=(), *, compile_it=True):
    """Give the paper's kernels alone, after replacing text that occurs in them exactly once."""
    bugs = {"single_draws": replacements} if replacements else None
    return load_modules(bugs, compile_it=compile_it).single_draws


def put_in_place(monkeypatch, loaded):
    """Let the package use the loaded modules instead of its own, until the test is over."""
    for user in USERS:
        module = importlib.import_module(user)
        for name, dotted in MODULES.items():
            if getattr(module, name, None) is importlib.import_module(dotted):
                monkeypatch.setattr(module, name, getattr(loaded, name))


def _planted(name, source, bugs):
    for old, new in bugs.get(name, ()):
        if source.count(old) != 1:
            raise AssertionError(f"{old!r} occurs {source.count(old)} times in {name}")
        source = source.replace(old, new)
    return source


def _importer(loaded, compiled):
    """An `import` that gives the fresh modules, and this way of compiling."""
    asked = {MODULES[name]: module for name, module in loaded.items()}
    decorators = dict.fromkeys(DECORATORS, compiled)
    asked["permutopic.jit"] = types.SimpleNamespace(**{**vars(jit), **decorators})
    asked["permutopic.jit_instructions"] = jit_instructions

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
    """Names of the functions that a bug has changed, and of all that call one of them."""
    before = {ast.dump(node) for _, node in _functions(sources)}
    functions = list(_functions(planted))
    touched = {name for name, node in functions if ast.dump(node) not in before}
    if not touched:
        raise AssertionError("the bugs are in no function")
    while True:
        callers = {
            name
            for name, node in functions
            if any(isinstance(part, ast.Name) and part.id in touched for part in ast.walk(node))
        }
        if callers <= touched:
            return touched
        touched |= callers


def _functions(sources):
    for source in sources.values():
        for node in ast.parse(source).body:
            if isinstance(node, ast.FunctionDef):
                yield node.name, node
