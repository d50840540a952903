"""Compiling everything in advance, for images and for CI: each task is run on a tiny corpus.

What a task compiles is found by running it, so that no list of signatures has to be kept up.
"""

from __future__ import annotations

import logging
import subprocess
import sys
import time
import warnings
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from permutopic.compile_cache import PACKAGE
from permutopic.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from permutopic.corpus import Corpus
    from permutopic.estimator import ContentModel

_log = logging.getLogger("permutopic")
_NAMES = ("sea", "hills", "rivers", "roads")
_WORDS = (
    "salt waves ships harbour tide gulls anchor reef",
    "snow rocks peaks shepherd ridge pines granite eagles",
    "water bridge ford trout mills banks reeds flood",
    "carts stones travellers inns dust miles toll ditch",
)


@dataclass(frozen=True)
class WarmUp:
    """What a warm-up did.

    Attributes
    ----------
    n_compiled
        Functions that were compiled; 0 if everything was there.
    seconds
        How long it took.
    """

    n_compiled: int
    seconds: float


def warm_up(on_task: Callable[[int, int, str], object] | None = None) -> WarmUp:
    """Compile everything that is not in the cache yet.

    `on_task` is called before each task with its number from 1, their number, and what it is.
    """
    from permutopic.jit_cache import cache_folder  # noqa: PLC0415 (starts numba)

    started, n_compiled = time.perf_counter(), 0
    for number, (name, (what, _)) in enumerate(_TASKS.items(), 1):
        if on_task is not None:
            on_task(number, len(_TASKS), what)
        n_compiled += compile_task(name)
    cache_folder().set_done("everything")
    return WarmUp(n_compiled, time.perf_counter() - started)


def compile_task(name: str) -> int:
    """Compile what one task needs, and return how many functions that were."""
    from permutopic.jit import report_compilation  # noqa: PLC0415 (starts numba)
    from permutopic.jit_cache import cache_folder  # noqa: PLC0415

    with (
        report_compilation(_log.debug, name) as counted,
        warnings.catch_warnings(),
        _quiet(),
    ):
        warnings.simplefilter("ignore")
        _TASKS[name][1]()
    cache_folder().set_done(name)
    return counted.count


@contextmanager
def compiling_meanwhile(name: str) -> Iterator[None]:
    """Compile what a task needs in a process beside this one, and wait for it at the end.

    A process and not a thread: a compiler holds Python's lock most of the time, and a process can
    be stopped at once when the input turns out to be wrong. Nothing is started if everything is
    there, if nothing could be kept, or if there is one core.
    """
    from permutopic.estimator.threads import count_threads  # noqa: PLC0415
    from permutopic.jit import compile_message  # noqa: PLC0415 (starts numba)
    from permutopic.jit_cache import cache_folder  # noqa: PLC0415

    folder = cache_folder()
    if folder.has(name) or folder.has("everything") or not folder.writable:
        yield
        return
    if count_threads(-1) < 2 or folder.temporary:
        yield
        return
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); from permutopic.warm_up import compile_task; "
        "compile_task(sys.argv[2])"
    )
    command = [sys.executable, "-c", code, str(PACKAGE.parent), name]
    try:
        process = subprocess.Popen(  # noqa: S603 (our own interpreter)
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    except OSError:  # then it is compiled when it is needed
        yield
        return
    _log.warning(compile_message(_TASKS[name][0], "about half a minute"))
    try:
        yield
        process.wait()
    finally:
        process.kill()
        process.wait()


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep the library from announcing what it compiles."""
    before = _log.level
    _log.setLevel(logging.ERROR)
    try:
        yield
    finally:
        _log.setLevel(before)


def _texts(n_documents: int) -> list[list[str]]:
    """Return documents of four paragraphs each, in an order that varies."""
    texts = []
    for d in range(n_documents):
        order = (0, 1, 2, 3) if d % 3 else (0, 2, 1, 3)
        words = [_WORDS[topic].split() for topic in order]
        texts.append([" ".join(w[d % 8 :] + w[: d % 8 + 2]) for w in words])
    return texts


def _corpus() -> Corpus:
    from permutopic.corpus import Corpus  # noqa: PLC0415
    from permutopic.documents import Document, Unit  # noqa: PLC0415

    documents = [
        Document(
            f"tiny {d}",
            tuple(Unit(text, name) for text, name in zip(texts, _NAMES, strict=True)),
            f"tiny {d}",
        )
        for d, texts in enumerate(_texts(8))
    ]
    return Corpus.from_documents(documents, keep_texts=True)


def _fitted(**settings: Any) -> ContentModel:
    from permutopic.estimator import ContentModel  # noqa: PLC0415

    settings = {"n_sweeps": 10, "random_state": 0, **settings}
    return ContentModel(4, **settings).fit(_corpus())


def _fit() -> None:
    for variant in ("full", "constrained", "uniform"):
        _fitted(variant=variant, n_jobs=2)


def _infer() -> None:
    model = _fitted()
    known, new = _texts(8), [[_WORDS[1], _WORDS[0]], ["nothing known"], [" ".join(_WORDS)] * 40]
    for fast in (False, True):
        list(model.infer([*known, *new], fast=fast, n_samples=2))
    list(model.checker().report(model.infer(new, n_samples=2), nearest=1))
    list(model.checker().report(None, nearest=1))


def _paper() -> None:
    for variant in ("full", "constrained", "uniform"):
        _fitted(sampler="paper", variant=variant)


def _order() -> None:
    from permutopic.ordering import METHODS  # noqa: PLC0415

    model = _fitted()
    for method in METHODS:
        model.order([_WORDS[1], _WORDS[0], _WORDS[3]], method=method)


def _extend() -> None:
    _fitted().partial_fit([[_WORDS[1], _WORDS[0]], [_WORDS[2], _WORDS[3]]], n_sweeps=2)


def _choose() -> None:
    from permutopic.selection.choosing import choose_k  # noqa: PLC0415

    choose_k(_corpus(), (2, 3), n_seeds=2)


def _rivals() -> None:
    from permutopic.experiments.rivals import RIVALS  # noqa: PLC0415

    corpus = _corpus()
    for method in RIVALS:
        if method.name.startswith("embeddings"):
            continue  # nothing of it is compiled
        try:
            method.predict(corpus, 3, 0)
        except InputError:  # needs a library that is not installed, and no compiled code of ours
            continue


_TASKS: dict[str, tuple[str, Callable[[], object]]] = {
    "fit": ("the fit", _fit),
    "infer": ("inference of new documents", _infer),
    "order": ("the order of pieces", _order),
    "extend": ("documents added to a fit", _extend),
    "choose": ("the choice of K", _choose),
    "paper": ("the paper's sampler", _paper),
    "rivals": ("rivals", _rivals),
}
