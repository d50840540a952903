"""Worker processes: each runs one job on the tasks that are sent to it through a pipe.

They are started by hand. `multiprocessing` would import the user's script once more in each of
them, which runs twice what the script does outside `if __name__ == "__main__"`; and a fork of a
process with numba's threads may hang.
"""

from __future__ import annotations

import json
import logging
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future
    from types import TracebackType
    from typing import IO

_log = logging.getLogger("permutopic")
_CODE = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from permutopic.ingest.workers import serve; serve()"
)


class WorkerPool:
    """A few processes that run `job` on tasks, in any order; to be used in a `with` statement.

    When it is left, all of them are stopped at once, whatever they do.
    """

    def __init__(self, job: Callable[[Any], object], n_workers: int) -> None:
        self._job = job
        self._n_workers = n_workers
        self._threads = ThreadPoolExecutor(n_workers)
        self._workers: list[_Worker] = []
        self._idle: SimpleQueue[_Worker | None] = SimpleQueue()

    def __enter__(self) -> Self:
        try:
            for _ in range(self._n_workers):
                self._workers.append(_Worker(self._job))
        except OSError as error:  # no more processes: those that there are will do
            _log.info("a process to read files cannot be started (%s)", error)
        except BaseException:
            self._stop()
            raise
        ready: list[_Worker | None] = [*self._workers]
        for worker in ready or [None]:
            self._idle.put(worker)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._stop()

    def submit(self, task: object) -> Future[Any]:
        """Have a task done; its result is None if the job failed, or the process died."""
        return self._threads.submit(self._run, task)

    def _run(self, task: object) -> object:
        worker = self._idle.get()
        answer = None
        if worker is not None:
            try:
                answer = worker.ask(task)
            except Exception as error:  # it was killed, or what it was sent cannot travel
                _log.info("a process that reads files is lost (%s)", error)
                worker.process.kill()
                self._workers.remove(worker)
                worker.close()
                worker = None
                if self._workers:
                    return None
        self._idle.put(worker)  # None when all are lost: then no task waits for one
        return answer

    def _stop(self) -> None:
        for worker in list(self._workers):
            worker.process.kill()
        self._threads.shutdown(cancel_futures=True)
        for worker in self._workers:
            worker.close()


class _Worker:
    """One process, and the pipes to and from it."""

    def __init__(self, job: Callable[[Any], object]) -> None:
        self._greeting: tuple[object, ...] = (job,)
        self.process = subprocess.Popen(  # noqa: S603 (our own interpreter)
            [sys.executable, "-c", _CODE, json.dumps([*map(str, sys.path)])],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONUTF8": str(sys.flags.utf8_mode)},
        )
        self._requests = Connection(_taken(self.process.stdin), readable=False)
        self._answers = Connection(_taken(self.process.stdout), writable=False)

    def ask(self, task: object) -> object:
        """Send a task and wait for the answer."""
        for message in (*self._greeting, task):
            self._requests.send(message)
        self._greeting = ()
        return self._answers.recv()

    def close(self) -> None:
        """Wait for the end of a process that was killed, and close the pipes."""
        self.process.wait()
        self._requests.close()
        self._answers.close()


def _taken(pipe: IO[bytes] | None) -> int:
    """Return a descriptor of a pipe that belongs to the caller; the pipe itself is closed."""
    if pipe is None:
        raise OSError("a process without a pipe")
    descriptor = os.dup(pipe.fileno())
    pipe.close()
    return descriptor


def serve() -> None:
    """Run the job, which comes first, on one task after the other until there are no more.

    That is the end of the process that sends them, too, whatever ended it.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent stops its workers
    requests = Connection(os.dup(0), writable=False)
    answers = Connection(os.dup(1), readable=False)
    os.dup2(2, 1)  # what a library prints must not get among the answers
    try:
        job = requests.recv()
    except EOFError:
        return
    while True:
        try:
            task = requests.recv()
        except EOFError:
            return
        try:
            answer = job(task)
        except Exception:  # the parent runs into it too, and says what it is
            answer = None
        answers.send(answer)
