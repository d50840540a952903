from __future__ import annotations

import importlib
import os
import pkgutil
import shutil
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest

import permutopic
from permutopic import jit, jit_cache
from permutopic.jit_instructions import prefetch


def double(x):
    return 2 * x


def test_code_is_compiled_even_where_it_cannot_be_kept(monkeypatch):
    nowhere = jit_cache.CacheFolder(None, "no folder can be written", writable=False)
    monkeypatch.setattr(jit_cache, "cache_folder", lambda: nowhere)
    assert jit.compiled(double)(4) == 8


def all_kernels():
    for module in pkgutil.walk_packages(permutopic.__path__, "permutopic."):
        names = vars(importlib.import_module(module.name))
        yield from (thing for thing in names.values() if isinstance(thing, jit.Kernel))


def test_kernels_that_count_no_references_call_none_that_returns_an_array():
    borrowing = {kernel for kernel in all_kernels() if kernel.options.get("_nrt") is False}
    assert len(borrowing) > 50
    for kernel in borrowing:
        assert "NDArray" not in str(kernel.py_func.__annotations__["return"])
        for name in kernel.py_func.__code__.co_names:
            called = kernel.py_func.__globals__.get(name)
            assert called in borrowing or not isinstance(called, jit.Kernel), (kernel, name)


def test_a_kernel_that_counts_no_references_can_make_no_array():
    @jit.borrowing
    def made(n):
        return np.empty(n).size

    with pytest.raises(numba.core.errors.NumbaError):
        made(3)


def test_prefetching_changes_nothing():
    @jit.compiled
    def asked(values):
        for n in range(values.size + 3):
            prefetch(values, n)
        return values.sum()

    assert asked(np.arange(5, dtype=np.int32)) == 10


def index_file(folder, stamp="stamp"):
    return jit_cache._IndexFile(jit_cache.CacheFolder(folder, ""), str(folder), "f", stamp)


def test_an_index_that_cannot_be_read_counts_as_empty(tmp_path):
    (tmp_path / "f.nbi").write_bytes(b"no index")
    assert index_file(tmp_path)._load_index() == {}


def test_two_processes_never_give_one_file_to_two_signatures(tmp_path, monkeypatch):
    one, two = index_file(tmp_path), index_file(tmp_path)
    monkeypatch.setattr(two, "_load_index", dict)  # it looked before the first one wrote
    monkeypatch.setattr(two, "_remove_stale", lambda: None)
    one.save("int64", "code for int64")
    two.save("float64", "code for float64")
    fresh = index_file(tmp_path)
    assert fresh.load("float64") == "code for float64"
    assert fresh.load("int64") is None  # lost, not mistaken
    assert len(list(tmp_path.glob("*.nbc"))) == 2


def test_a_process_that_is_stopped_leaves_no_index_with_old_code(tmp_path, monkeypatch):
    index_file(tmp_path, "old source").save("int64", "old code")

    def stopped(*arguments):
        raise KeyboardInterrupt

    new = index_file(tmp_path, "new source")
    monkeypatch.setattr(new, "_save_data", stopped)
    with pytest.raises(KeyboardInterrupt):
        new.save("int64", "new code")
    assert index_file(tmp_path, "new source").load("int64") is None


def test_code_of_another_source_is_removed_and_the_cache_no_longer_complete(tmp_path):
    folder = jit_cache.CacheFolder(tmp_path, "", state="s")
    index_file(tmp_path, "old source").save("int64", "old code")
    folder.set_done("everything")
    new = index_file(tmp_path, "new source")
    new.save("int64", "new code")
    new.save("float64", "more code")
    assert (new.load("int64"), new.load("float64")) == ("new code", "more code")
    assert len(list(tmp_path.glob("*.nbc"))) == 2
    assert not folder.has("everything")


TINY = """
import sys
from numba.core import event
class Counter(event.Listener):
    count = 0
    def on_start(self, event): self.count += 1
    def on_end(self, event): pass
counter = Counter()
event.register("numba:compile", counter)
from permutopic.model import tiny
print(*[getattr(tiny, name)(20) for name in sys.argv[1:]], counter.count)
"""


@pytest.fixture
def tiny_package(tmp_path):
    """The package with two kernels alone, and a function that calls them in a new process."""
    package = tmp_path / "permutopic"
    (package / "model").mkdir(parents=True)
    for name in ("__init__.py", "model/__init__.py"):
        (package / name).touch()
    source = Path(jit.__file__).parent
    for path in [*source.glob("jit*.py"), source / "compile_cache.py", source / "errors.py"]:
        shutil.copy(path, package)
    write_kernels(package, "x + 1")

    def call(*names, **environment):
        settings = {"PYTHONPATH": str(tmp_path), "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
        done = subprocess.run(
            [sys.executable, "-c", TINY, *names],
            env={**os.environ, **settings, **environment},
            check=True,
            capture_output=True,
            text=True,
        )
        *results, count = map(int, done.stdout.split())
        return results, count

    call.package, call.cache = package, tmp_path / "cache"
    return call


def write_kernels(package, expression):
    head = "from permutopic.jit import compiled\n"
    called = f"@compiled\ndef add(x):\n    return {expression}\n"
    calling = "@compiled\ndef {}(x):\n    return {}(x)\n"
    (package / "model/deep.py").write_text(head + called)
    imported = "from permutopic.model.deep import add\n"
    kernels = calling.format("inner", "add") + calling.format("outer", "inner")
    (package / "model/tiny.py").write_text(head + imported + kernels)


def test_a_new_process_compiles_nothing_whoever_called_a_kernel_first(tiny_package):
    assert tiny_package("outer") == ([21], 3)
    assert tiny_package("outer") == ([21], 0)
    assert tiny_package("inner", "outer") == ([21, 21], 1)  # inner, for calls from Python
    assert tiny_package("outer", "inner") == ([21, 21], 0)


TWINS = """
from permutopic.jit import compiled
def adder(n):
    @compiled
    def add(x):
        return x + n
    return add
add_one, add_two = adder(1), adder(2)
@compiled
def one(x):
    return add_one(x)
@compiled
def two(x):
    return add_two(x)
@compiled
def only_one(x):
    return one(x)
@compiled
def only_two(x):
    return two(x)
@compiled
def both(x):
    return 100 * one(x) + two(x)
"""


def test_functions_of_one_name_from_two_processes_are_not_mistaken(tiny_package):
    (tiny_package.package / "model/tiny.py").write_text(TWINS)
    assert tiny_package("only_one") == ([21], 3)
    assert tiny_package("only_two") == ([22], 3)
    assert tiny_package("both") == ([2122], 1)


def test_neither_are_functions_that_others_compiled_before(tiny_package):
    foreign = TWINS.replace("    @compiled\n    def add", "    @numba.njit\n    def add")
    (tiny_package.package / "model/tiny.py").write_text("import numba\n" + foreign)
    assert tiny_package("add_one", "only_one")[0] == [21, 21]
    assert tiny_package("add_two", "only_two")[0] == [22, 22]
    assert tiny_package("both")[0] == [2122]


def test_a_change_of_a_file_that_a_kernel_calls_into_compiles_it_anew(tiny_package):
    assert tiny_package("outer") == ([21], 3)
    write_kernels(tiny_package.package, "x + 2")
    assert tiny_package("outer") == ([22], 3)
    assert tiny_package("outer") == ([22], 0)


def test_a_kernel_that_moved_replaces_its_files(tiny_package):
    tiny_package("outer")
    source = tiny_package.package / "model/tiny.py"
    source.write_text("# one line more\n" + source.read_text())
    assert tiny_package("outer") == ([21], 3)
    assert len(list(tiny_package.cache.rglob("*.nbc"))) == 3
    assert len(list(tiny_package.cache.rglob("*.nbi"))) == 3


@pytest.mark.parametrize("pattern", ["*.nbi", "*.nbc"])
def test_a_damaged_file_is_compiled_anew(tiny_package, pattern):
    tiny_package("outer")
    found = list(tiny_package.cache.rglob(pattern))
    assert len(found) == 3
    for path in found:
        path.write_bytes(path.read_bytes()[:40])
    assert tiny_package("outer") == ([21], 3)
    assert tiny_package("outer") == ([21], 0)


def test_other_processors_and_features_have_code_of_their_own(tiny_package):
    assert tiny_package("outer") == ([21], 3)
    assert tiny_package("outer", NUMBA_CPU_NAME="generic", NUMBA_CPU_FEATURES="")[1] == 3
    assert tiny_package("outer", NUMBA_CPU_FEATURES="+sse2")[1] == 3
    assert tiny_package("outer") == ([21], 0)  # the first is still there


def test_settings_compare_as_numba_compares_them():
    plain, given = numba.core.compiler.Flags, []
    for changes in ({}, {"nrt": False}, {"nrt": True}, {"nrt": True, "boundscheck": True}):
        flags = plain()
        for name, value in changes.items():
            setattr(flags, name, value)
        given.append(flags)
    for one in given:
        for other in given:
            same = one.values() == other.values()
            assert (jit._Flags(one) == jit._Flags(other)) is same
            assert (jit._Flags(one) == other) is (other == jit._Flags(one)) is same
            assert hash(jit._Flags(one)) == hash(other)
    assert given[0] == given[1] != given[2]  # a setting that is given and one that is not
    assert jit._Flags() != "flags"


SETTINGS = """
import numba
before = numba.config.SLP_VECTORIZE
from permutopic import jit
seen = []
class Foreign(numba.core.compiler.Compiler):
    def compile_extra(self, function):
        seen.append(numba.config.SLP_VECTORIZE)
        return super().compile_extra(function)
foreign = numba.njit(pipeline_class=Foreign)(lambda x: x + 2)
ours = jit.compiled(lambda x: x + 1)
assert (ours(1), foreign(1), ours(1.0), foreign(1.0)) == (2, 3, 2.0, 3.0)
assert (numba.config.SLP_VECTORIZE, seen) == (before, [before, before]), seen
"""


@pytest.mark.parametrize("setting", ["0", "1"])
def test_functions_of_others_are_compiled_with_their_own_settings(setting):
    environment = {**os.environ, "NUMBA_SLP_VECTORIZE": setting}
    done = subprocess.run([sys.executable, "-c", SETTINGS], env=environment, check=False)
    assert done.returncode == 0
