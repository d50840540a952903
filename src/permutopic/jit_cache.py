"""numba's cache for our functions alone: its folder, and what makes its contents stale."""

from __future__ import annotations

import inspect
import sys
from contextlib import suppress
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import llvmlite.binding
import numba
from numba.core import caching
from numba.misc.appdirs import AppDirs

from permutopic.compile_cache import PACKAGE, CacheFolder, choose_folder, source_digest

if TYPE_CHECKING:
    from collections.abc import Callable


@lru_cache(maxsize=1)
def cache_folder() -> CacheFolder:
    """Return the folder of this process, chosen when it is first asked for."""
    user = AppDirs("permutopic", appauthor=False).user_cache_dir  # type: ignore[no-untyped-call]
    versions = f"numba {numba.__version__}, llvmlite {version('llvmlite')}"
    python = f"Python {sys.version_info[0]}.{sys.version_info[1]}"
    state = f"{source_digest()}\n{versions}, {python}\n{cpu_name()}\n"
    return choose_folder(numba.config.CACHE_DIR, user, state)  # type: ignore[attr-defined]


def cpu_name() -> str:
    """Return the processor that code is compiled for."""
    given = numba.config.CPU_NAME  # type: ignore[attr-defined]
    return str(given or llvmlite.binding.get_host_cpu_name())


def enable_cache(dispatcher: Any, function: Callable[..., object]) -> None:
    """Keep what a dispatcher compiles, if the function is of this package and a folder is there."""
    folder, source = cache_folder(), Path(inspect.getfile(function))
    if folder.path is not None and source.is_relative_to(PACKAGE):
        dispatcher._cache = _KernelCache(function, folder, source)


class _KernelLocator:
    """What numba asks for a function's file names and freshness."""

    def __init__(self, function: Callable[..., object], folder: CacheFolder, source: Path) -> None:
        self._py_file, self._line = str(source), function.__code__.co_firstlineno
        self._path = Path(folder.path or "") / source.relative_to(PACKAGE).parent
        self._stamp = folder.state

    def get_cache_path(self) -> str:
        return str(self._path)

    def get_source_stamp(self) -> str:
        return self._stamp

    def get_disambiguator(self) -> str:
        return str(self._line)

    def ensure_cache_path(self) -> None:
        self._path.mkdir(parents=True, exist_ok=True)


class _KernelCacheImpl(caching.CompileResultCacheImpl):
    """numba's own, without its search for a folder."""

    def __init__(self, function: Callable[..., object], locator: _KernelLocator) -> None:
        self._lineno = function.__code__.co_firstlineno
        self._locator = locator
        name = f"{Path(locator._py_file).stem}.{function.__qualname__}"
        self._filename_base = self.get_filename_base(name, getattr(sys, "abiflags", ""))  # type: ignore[no-untyped-call]


class _IndexFile(caching.IndexDataCacheFile):
    """An index; one that cannot be read counts as empty."""

    def _load_index(self) -> dict[Any, str]:
        try:
            return super()._load_index()  # type: ignore[no-any-return, no-untyped-call]
        except Exception:  # what reading a damaged or an older file may raise
            return {}


class _KernelCache(caching.FunctionCache):
    """A cache that never fails: what cannot be read is compiled, what cannot be written is not."""

    def __init__(self, function: Callable[..., object], folder: CacheFolder, source: Path) -> None:
        locator = _KernelLocator(function, folder, source)
        self._name, self._py_func = repr(function), function
        self._impl = _KernelCacheImpl(function, locator)
        self._cache_path = locator.get_cache_path()
        self._cache_file = _IndexFile(
            self._cache_path, self._impl.filename_base, locator.get_source_stamp()
        )  # type: ignore[no-untyped-call]
        self._writable = folder.writable
        self.enable()  # type: ignore[no-untyped-call]

    def _load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super()._load_overload(sig, target_context)  # type: ignore[no-untyped-call]
        except Exception:  # a damaged file
            return None

    def _save_overload(self, sig: Any, data: Any) -> None:
        if self._writable:
            with suppress(OSError):  # a full disk, a folder that was made read-only
                super()._save_overload(sig, data)  # type: ignore[no-untyped-call]
