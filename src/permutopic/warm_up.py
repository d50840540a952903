"""Compiling everything in advance, for images and for CI: each task is run on a tiny corpus.

What a task compiles is found by running it, so that no list of signatures has to be kept up.
"""

from __future__ import annotations

import logging
import time
import warnings
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from permutopic.compile_ahead import start_task
from permutopic.errors import InputError

if TYPE_CHECKING:
    import subprocess
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

    Tasks run in processes side by side, as many as there are cores. At the end all of them run
    here once more, which compiles what two processes lost by writing one index at the same time.

    `on_task` is called when a task begins, and at the end for what is run once more, with the
    number of those that ended plus one, the number of all, and what it is.
    """
    from permutopic.jit_cache import cache_folder  # noqa: PLC0415 (starts numba)
    from permutopic.threads import count_threads  # noqa: PLC0415

    started, folder = time.perf_counter(), cache_folder()
    if folder.path is None:
        raise InputError(str(folder.warning))
    n_compiled, n_steps = 0, len(_SIDE_BY_SIDE) + 1
    begin = on_task or (lambda number, n_steps, what: None)  # noqa: ARG005
    if count_threads(-1) > 1 and folder.writable and not folder.has("everything"):
        n_compiled = _compile_side_by_side(count_threads(-1), begin)
    begin(n_steps, n_steps, "everything once more")
    n_compiled += sum(map(compile_task, _TASKS))
    folder.set_done("everything")
    return WarmUp(n_compiled, time.perf_counter() - started)


def _compile_side_by_side(n_processes: int, begin: Callable[[int, int, str], object]) -> int:
    """Run independent tasks in processes, the longest first; return the functions compiled."""
    waiting, ended, n_compiled = list(_SIDE_BY_SIDE), 0, 0
    running: list[subprocess.Popen[str]] = []
    try:
        while waiting or running:
            while waiting and len(running) < n_processes:
                name = waiting.pop(0)
                begin(ended + 1, len(_SIDE_BY_SIDE) + 1, _TASKS[name][0])
                running.append(start_task(name))
            time.sleep(0.02)
            for process in [each for each in running if each.poll() is not None]:
                running.remove(process)
                said = process.communicate()[0].split()
                n_compiled += int(said[-1]) if process.returncode == 0 else 0
                ended += 1
    finally:
        for process in running:
            process.kill()
            process.communicate()
    return n_compiled


def compile_task(name: str, say: Callable[[str], object] = _log.debug) -> int:
    """Compile what one task needs, and return how many functions that were.

    `say` is called when the first of them is compiled.
    """
    from permutopic.jit import report_compilation  # noqa: PLC0415 (starts numba)
    from permutopic.jit_cache import cache_folder  # noqa: PLC0415

    with (
        report_compilation(say, _TASKS[name][0]) as counted,
        warnings.catch_warnings(),
        _quiet(),
    ):
        warnings.simplefilter("ignore")
        _TASKS[name][1]()
    cache_folder().set_done(name)
    return counted.count


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
    classes = settings.get("sampler") != "paper"
    return ContentModel(4, subject_words=classes, **settings).fit(_corpus())


def _unfitted() -> ContentModel:
    """Make a model whose state is drawn from the prior, so that no fit is compiled."""
    from permutopic.estimator import ContentModel  # noqa: PLC0415
    from permutopic.model.mcmc.chain import Chain  # noqa: PLC0415
    from permutopic.model.priors import Priors  # noqa: PLC0415
    from permutopic.model.state import initial_state  # noqa: PLC0415

    model, corpus = ContentModel(4, random_state=0), _corpus()
    priors = Priors.for_documents(corpus.n_documents)
    state = initial_state(corpus, 4, priors, np.random.default_rng(0))
    chain = Chain(0, state, np.zeros(4), np.ones(4), np.ones((2, 3)))
    model._set_fit(corpus, model.checked_settings(), priors, [chain])
    return model


def _fit() -> None:
    for variant in ("full", "constrained", "uniform"):
        _fitted(variant=variant, n_jobs=2)


def _infer() -> None:
    model = _unfitted()
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
_SIDE_BY_SIDE = ("infer", "fit", "rivals", "paper")
"""Tasks that compile most of what they need, the longest first; the others need those."""
