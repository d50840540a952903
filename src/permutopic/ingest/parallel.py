"""Reading and encoding in several processes: the same corpus and diagnostics, to the last bit.

Files go to worker processes in tasks of about half a megabyte, and come back as encoded parts,
which are merged in the order of the files. A large file of many documents is read here, and its
documents go to the workers to be encoded. What a worker could not do is done here once more: so
an error is raised where, and as, it would be without workers.
"""

from __future__ import annotations

import multiprocessing
import sys
from collections import deque
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from permutopic.corpus import Encoder
from permutopic.documents import Document
from permutopic.errors import InputError
from permutopic.ingest.diagnostics import Diagnostics
from permutopic.ingest.workers import WorkerPool
from permutopic.readers import find_files, no_document, read_file
from permutopic.readers.finding import FoundFile, path_name
from permutopic.readers.read_log import ReadLog

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from permutopic.corpus import Corpus
    from permutopic.corpus.columns import EncodedPart
    from permutopic.readers import ReadOptions

# A file, or a document that was read here, after the log of what came before it.
_Item: TypeAlias = tuple[ReadLog, FoundFile | Document]
_Task: TypeAlias = list[_Item]

MIN_BYTES = 16 << 20
"""Less is read before processes have started and repaid it: one to five seconds of reading."""
_TASK_BYTES = 1 << 19
_LARGE_BYTES = 8 << 20  # a file of more is read here, as its parts would not fit in memory at once
_FILE_BYTES = 1 << 12  # what opening a file costs, in bytes read
_MAX_WORKERS = 16  # merging takes 5 % of the time of reading, and one process does it


def pays(named: list[Any], options: ReadOptions, encoder: Encoder) -> bool:
    """Whether there is so much to read that processes are worth starting, and they can be.

    Standard input, and the user's own function for tokens, stay in this process; and a worker
    of somebody else's starts none.
    """
    # A Connection takes pipes as other systems have them.
    can_start = sys.executable and not getattr(sys, "frozen", False) and sys.platform != "win32"
    if callable(encoder.tokens.split) or multiprocessing.parent_process() or not can_start:
        return False
    n_bytes = 0
    try:
        if any(path_name(path) == "-" for path in named):
            return False
        for found in find_files(named, options, ReadLog()):
            n_bytes += _weight(found)
            if n_bytes >= MIN_BYTES:
                return True
    except InputError:  # raised again when reading comes to it
        return False
    return False


def encode_in_processes(
    named: list[Any],
    options: ReadOptions,
    encoder: Encoder,
    diagnostics: Diagnostics,
    n_workers: int,
) -> Corpus:
    """Read and encode the documents of some paths in processes, few of them at a time."""
    log = ReadLog()
    tasks = _batches(_items(named, options, log))
    waiting: deque[Any] = deque()
    failure: Exception | None = None
    n_workers = min(n_workers, _MAX_WORKERS)

    def merge_next() -> None:
        task, future = waiting.popleft()
        part = future.result()
        if part is None:
            encoder.collect(diagnostics.observe(_read(task, options, diagnostics.log)))
        else:
            encoder.merge(part.encoded)
            diagnostics.merge(part.diagnostics)

    with WorkerPool(_Job(encoder.settings, options), n_workers) as pool:
        while failure is None:
            try:
                task = next(tasks, None)
            except Exception as error:  # raised after the documents before it
                task, failure = None, error
            if task is None:
                break
            waiting.append((task, pool.submit(task)))
            if len(waiting) > 2 * n_workers:
                merge_next()
        while waiting:
            merge_next()
    diagnostics.log.merge(log)
    if failure is not None:
        raise failure
    if diagnostics.n_documents == 0:
        raise no_document(named, diagnostics.log)
    return encoder.finish()


class _Answer(NamedTuple):
    """What a worker makes of a task."""

    encoded: EncodedPart
    diagnostics: Diagnostics


@dataclass
class _Job:
    """What a worker does: read and encode the documents of a task."""

    settings: dict[str, Any]
    options: ReadOptions
    encoder: Encoder | None = None

    def __call__(self, task: _Task) -> _Answer:
        if self.encoder is None:  # one for all tasks: it caches stems
            self.encoder = Encoder(**self.settings)
        diagnostics = Diagnostics()
        self.encoder.collect(diagnostics.observe(_read(task, self.options, diagnostics.log)))
        return _Answer(self.encoder.take(), diagnostics)


def _read(task: _Task, options: ReadOptions, log: ReadLog) -> Iterator[Document]:
    for before, item in task:
        log.merge(before)
        if isinstance(item, Document):
            yield item
        else:
            yield from read_file(item, options, log)


def _items(named: list[Any], options: ReadOptions, log: ReadLog) -> Iterator[_Item]:
    """Yield files for workers, and the documents of those that are read here.

    What is left in `log` at the end came after the last of them.
    """
    for found in find_files(named, options, log):
        if found.size is None or found.size > _LARGE_BYTES:
            for document in read_file(found, options, log):
                yield log.take(), replace(document, source="")  # no encoder looks at it
        else:
            yield log.take(), found


def _batches(items: Iterable[_Item]) -> Iterator[_Task]:
    """Group items into tasks; if one cannot be had, those before it are yielded first."""
    batch: _Task = []
    n_bytes = 0
    failure: Exception | None = None
    try:
        for item in items:
            batch.append(item)
            n_bytes += _weight(item[1])
            if n_bytes >= _TASK_BYTES:
                yield batch
                batch, n_bytes = [], 0
    except Exception as error:
        failure = error
    if batch:
        yield batch
    if failure is not None:
        raise failure


def _weight(item: FoundFile | Document) -> int:
    if isinstance(item, Document):
        return sum(len(unit.text) for unit in item.units)
    return _FILE_BYTES + (item.size or 0)
