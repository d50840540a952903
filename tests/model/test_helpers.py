"""Helpers that lose their processor are let go, and asked again after a while."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
import types
from collections import Counter
from itertools import pairwise

import pytest

from permutopic.model.blocked import helpers
from permutopic.model.blocked.helpers import Helpers


class Machine:
    """Time that goes by as told, and threads that are interrupted while they work."""

    def __init__(self, n_threads):
        self.now, self.interruptions, self.busy = 0.0, Counter(), set()
        self.helpers = Helpers(n_threads, clock=lambda: self.now, interruptions=self.count)

    def count(self):
        return self.interruptions[threading.get_ident()]

    def batch(self, seconds):
        """Work for a while; return the numbers of the helpers."""
        begun, gate = [], threading.Barrier(self.expected() + 1)

        def work(number):
            begun.append(number)
            if number in self.busy:
                self.interruptions[threading.get_ident()] += int(250 * seconds)
            gate.wait()

        self.helpers.on_trial()
        started = self.helpers.start(work)
        gate.wait()  # else a helper that has not begun would be cancelled
        self.now += seconds
        self.helpers.finish(started)
        return sorted(begun)

    def expected(self):
        asked = self.now >= self.helpers._ask_again
        return self.helpers.n_all if asked else self.helpers.n_now


def test_helpers_that_are_not_interrupted_stay():
    machine = Machine(4)
    assert [machine.batch(0.1) for _ in range(5)] == [[1, 2, 3]] * 5


def test_one_that_is_interrupted_is_let_go_and_asked_again():
    machine = Machine(4)
    machine.busy = {2}
    assert machine.batch(0.1) == [1, 2, 3]
    machine.busy = set()
    assert machine.batch(0.1) == [1, 2]  # one fewer, on whatever processors the system gives them
    machine.now += 1.0
    assert machine.batch(0.1) == [1, 2, 3]
    assert machine.batch(0.1) == [1, 2, 3]


def test_pauses_grow_while_the_machine_is_busy_and_begin_anew():
    machine = Machine(2)
    machine.busy = {1}
    asked = []
    while machine.now < 40:
        if machine.batch(0.1):
            asked.append(round(machine.now - 0.1, 1))
    pauses = [round(after - before) for before, after in pairwise(asked)]
    assert pauses == [1, 2, 4, 8, 8, 8]
    machine.busy = set()
    machine.now += 8
    assert machine.batch(0.1) == [1]
    assert machine.batch(0.1) == [1]
    machine.busy = {1}
    assert machine.batch(0.1) == [1]
    assert machine.batch(0.1) == []
    machine.now += 0.9
    assert machine.batch(0.1) == [1]


def test_short_batches_are_judged_together():
    machine = Machine(2)
    machine.busy = {1}
    trials = [machine.helpers.on_trial()]
    found = []
    for _ in range(4):
        found.append(machine.batch(0.008))
        trials.append(machine.helpers.on_trial())
    assert found == [[1], [1], [1], []]
    assert trials == [True, True, True, False, False]
    machine.now += 1.0
    assert machine.helpers.on_trial()


def test_without_other_threads_nothing_is_started():
    machine = Machine(1)
    assert machine.batch(1.0) == []
    assert machine.batch(1.0) == []


def test_a_helper_that_never_began_is_not_waited_for():
    machine, release = Machine(2), threading.Event()
    machine.helpers._pool.submit(release.wait)
    started = machine.helpers.start(lambda _: pytest.fail("nobody is there to do it"))
    machine.helpers.finish(started)
    release.set()
    assert started[0].cancelled()


@pytest.mark.skipif(sys.platform != "linux", reason="no other system tells them for a thread")
def test_interruptions_are_those_of_the_thread_that_asks():
    core, found = min(os.sched_getaffinity(0)), []

    def work():
        os.sched_setaffinity(0, {core})  # of this thread alone
        before, ends = helpers.count_interruptions(), time.monotonic() + 0.5
        while time.monotonic() < ends:
            pass
        found.append(helpers.count_interruptions() - before)

    code = f"import os; os.sched_setaffinity(0, {{{core}}}); print(flush=True)\nwhile True: pass"
    rival = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    try:
        rival.stdout.readline()
        before, thread = helpers.count_interruptions(), threading.Thread(target=work)
        thread.start()
        thread.join()
        of_this_thread = helpers.count_interruptions() - before
    finally:
        rival.kill()
        rival.communicate()
    assert found[0] > 10
    assert of_this_thread < found[0] / 2


def test_where_nobody_tells_there_are_none(monkeypatch):
    monkeypatch.setitem(sys.modules, "resource", None)  # as on Windows
    assert helpers.count_interruptions() == 0
    monkeypatch.setitem(sys.modules, "resource", types.SimpleNamespace(getrusage=None))  # macOS
    assert helpers.count_interruptions() == 0
