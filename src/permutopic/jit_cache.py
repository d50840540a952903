"""numba's cache for our functions alone: its folder, and what makes its contents stale."""

from __future__ import annotations

import glob
import hashlib
import inspect
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numba
from numba.core import caching
from numba.core.registry import cpu_target
from numba.misc.appdirs import AppDirs

from permutopic.compile_cache import PACKAGE, CacheFolder, choose_folder, source_digest


@lru_cache(maxsize=1)
def cache_folder() -> CacheFolder:
    """Return the folder of this process, chosen when it is first asked for."""
    user = AppDirs("permutopic", appauthor=False).user_cache_dir  # type: ignore[no-untyped-call]
    state = f"{_stamp()}{' '.join(target())}\n"
    return choose_folder(numba.config.CACHE_DIR, user, state)  # type: ignore[attr-defined]


@lru_cache(maxsize=1)
def _stamp() -> str:
    """Return what makes all compiled code stale when it changes.

    The processor is not part of it: numba looks code up by signature and processor, so that
    machines of several kinds can share a folder.
    """
    versions = f"numba {numba.__version__}, llvmlite {version('llvmlite')}"
    python = f"Python {sys.version_info[0]}.{sys.version_info[1]}"
    return f"{source_digest()}\n{versions}, {python}\n"


def target() -> tuple[str, str, str]:
    """Return what code is compiled for: system, processor, and the processor's features."""
    system, processor, features = cpu_target.target_context.codegen().magic_tuple()
    return str(system), str(processor), str(features)


Load = Callable[[Any, tuple[Any, ...]], Any]


def enable_cache(dispatcher: Any, function: Callable[..., object], load: Load | None) -> None:
    """Keep what a dispatcher compiles, if the function is of this package and a folder is there.

    `load` makes numba's record of what a file holds; None for numba's own way, with machine code.
    """
    folder, source = cache_folder(), Path(inspect.getfile(function))
    if folder.path is not None and source.is_relative_to(PACKAGE):
        dispatcher._cache = _KernelCache(function, folder, source, load)


class _KernelLocator:
    """What numba asks for a function's file names and freshness."""

    def __init__(self, folder: CacheFolder, source: Path) -> None:
        self._py_file = str(source)
        self._path = Path(folder.path or "") / source.relative_to(PACKAGE).parent

    def get_cache_path(self) -> str:
        return str(self._path)

    def get_source_stamp(self) -> str:
        return _stamp()

    def get_disambiguator(self) -> str:
        return "0"  # not the line: a function that moves keeps its files' names, and replaces them

    def ensure_cache_path(self) -> None:
        self._path.mkdir(parents=True, exist_ok=True)


class _KernelCacheImpl(caching.CompileResultCacheImpl):
    """numba's own, without its search for a folder."""

    def __init__(
        self, function: Callable[..., object], locator: _KernelLocator, load: Load | None
    ) -> None:
        self._load = load or super().rebuild
        self._lineno = function.__code__.co_firstlineno
        self._locator = locator
        name = f"{Path(locator._py_file).stem}.{function.__qualname__}"
        self._filename_base = self.get_filename_base(name, getattr(sys, "abiflags", ""))  # type: ignore[no-untyped-call]

    def rebuild(self, target_context: Any, payload: tuple[Any, ...]) -> Any:
        return self._load(target_context, payload)


class _IndexFile(caching.IndexDataCacheFile):
    """An index of data files; one that cannot be read counts as empty.

    numba numbers data files, and writes the index first. Two processes could then give one number
    to two signatures, and one that is stopped in between would leave a fresh index with an old
    file. Here a file is named by what it holds, and written before the index.
    """

    def __init__(self, folder: CacheFolder, path: str, name: str, stamp: str) -> None:
        super().__init__(path, name, stamp)  # type: ignore[no-untyped-call]
        self._folder, self._name = folder, name

    def _load_index(self) -> dict[Any, str]:
        try:
            return super()._load_index()  # type: ignore[no-any-return, no-untyped-call]
        except Exception:  # what reading a damaged or an older file may raise
            return {}

    def save(self, key: Any, data: Any) -> None:
        overloads = self._load_index()
        digest = hashlib.sha256(f"{self._source_stamp}{key}".encode()).hexdigest()[:16]
        file = f"{self._name}.{digest}.nbc"
        if not overloads:
            self._remove_stale()
        self._save_data(file, data)  # type: ignore[no-untyped-call]
        if overloads.get(key) != file:
            self._save_index({**overloads, key: file})  # type: ignore[no-untyped-call]

    def _remove_stale(self) -> None:
        """Remove what another version of the source left."""
        for path in Path(self._cache_path).glob(f"{glob.escape(self._name)}.*.nbc"):
            self._folder.unset_done()
            with suppress(OSError):
                path.unlink()


class _KernelCache(caching.FunctionCache):
    """A cache that never fails: what cannot be read is compiled, what cannot be written is not."""

    def __init__(
        self, function: Callable[..., object], folder: CacheFolder, source: Path, load: Load | None
    ) -> None:
        locator = _KernelLocator(folder, source)
        self._name, self._py_func = repr(function), function
        self._impl = _KernelCacheImpl(function, locator, load)
        self._cache_path = locator.get_cache_path()
        self._cache_file = _IndexFile(
            folder, self._cache_path, self._impl.filename_base, locator.get_source_stamp()
        )
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
