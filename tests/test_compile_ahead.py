"""Compiling beside other work: when a process is started, what it keeps, and that none is left."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from permutopic import compile_ahead, jit_cache, threads
from permutopic.compile_cache import CacheFolder

SLOW = "import time; print('compiling', flush=True); time.sleep(60)"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty cache, and two cores."""
    found = CacheFolder(tmp_path / "cache", "", state="state")
    found.path.mkdir()
    monkeypatch.setattr(jit_cache, "cache_folder", lambda: found)
    monkeypatch.setattr(threads, "count_threads", lambda n_jobs: 2 if n_jobs == -1 else n_jobs)
    return found


@pytest.fixture
def started(monkeypatch):
    """What was started: processes that wait for a minute instead of compiling."""
    processes = []

    def start(name, niceness=0):
        code = [sys.executable, "-c", SLOW]
        processes.append(subprocess.Popen(code, stdout=subprocess.PIPE, text=True))
        processes[-1].task, processes[-1].niceness = name, niceness
        return processes[-1]

    monkeypatch.setattr(compile_ahead, "start_task", start)
    yield processes
    for process in processes:
        process.kill()
        process.wait()


def test_inference_is_compiled_while_a_fit_runs_and_no_longer(folder, started):
    began = time.perf_counter()
    with compile_ahead.compiling_ahead("infer", -1):
        [process] = started
        assert (process.task, process.poll()) == ("infer", None)
        assert process.niceness > 0
    assert process.returncode is not None
    assert time.perf_counter() - began < 30  # it was stopped, not waited for


def test_an_error_stops_it_too(folder, started):
    with pytest.raises(KeyboardInterrupt), compile_ahead.compiling_ahead("infer", -1):
        raise KeyboardInterrupt
    assert started[0].returncode is not None


@pytest.mark.parametrize("done", ["infer", "everything"])
def test_what_is_there_is_not_compiled_again(folder, started, done):
    folder.set_done(done)
    with compile_ahead.compiling_ahead("infer", -1):
        assert started == []


def test_one_core_is_left_to_the_work_itself(folder, started, monkeypatch):
    with compile_ahead.compiling_ahead("infer", 1):
        assert started == []
    monkeypatch.setattr(threads, "count_threads", lambda _: 1)
    with compile_ahead.compiling_ahead("infer", -1):
        assert started == []


@pytest.mark.parametrize("folder_is", [{"writable": False}, {"temporary": True}])
def test_nothing_is_started_where_nothing_is_kept(folder, started, monkeypatch, folder_is):
    other = CacheFolder(folder.path, "", **folder_is)
    monkeypatch.setattr(jit_cache, "cache_folder", lambda: other)
    with compile_ahead.compiling_ahead("infer", -1):
        assert started == []


def test_a_process_that_cannot_be_started_is_not_needed(folder, monkeypatch):
    def refused(*_):
        raise OSError("too many processes")

    monkeypatch.setattr(compile_ahead, "start_task", refused)
    with compile_ahead.compiling_ahead("infer", -1):
        ran = True
    assert ran


def test_only_large_files_are_read_beside_compiling(folder, started, tmp_path, monkeypatch):
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "a.txt").write_text("a" * 600)
    (tmp_path / "texts" / "b.txt").write_text("b" * 600)
    monkeypatch.setattr(compile_ahead, "_LARGE", 1201)
    with compile_ahead.compiling_meanwhile("fit", [str(tmp_path / "texts"), "-", "no such"]):
        assert started == []
    monkeypatch.setattr(compile_ahead, "_LARGE", 1200)
    with (
        pytest.raises(ValueError, match="a bad file"),
        compile_ahead.compiling_meanwhile("fit", [str(tmp_path / "texts")]),
    ):
        raise ValueError("a bad file")
    assert [(process.task, process.poll() is None) for process in started] == [("fit", False)]


def test_that_it_compiles_is_said_when_it_is_waited_for(folder, tmp_path, monkeypatch, caplog):
    code = "print('compiling the fit', flush=True); print(3)"
    (tmp_path / "text.txt").write_text("a")
    monkeypatch.setattr(compile_ahead, "_LARGE", 1)
    for waits, expected in ((0.0, ["compiling the fit"]), (1.0, [])):
        caplog.clear()

        def start(*_, waits=waits):
            command = f"import time; {'time.sleep(.5);' if not waits else ''} {code}"
            return subprocess.Popen(
                [sys.executable, "-c", command], stdout=subprocess.PIPE, text=True
            )

        monkeypatch.setattr(compile_ahead, "start_task", start)
        with compile_ahead.compiling_meanwhile("fit", [str(tmp_path / "text.txt")]):
            time.sleep(waits)
        assert [record.message for record in caplog.records] == expected


def test_a_real_task_tells_how_many_functions_it_compiled(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    said = compile_ahead.start_task("paper", niceness=1).communicate()[0].splitlines()
    assert said[0].startswith("compiling the paper's sampler: ")
    assert str(tmp_path) in said[0]
    assert int(said[1]) == len(list(tmp_path.rglob("*.nbc"))) > 5
    assert list(tmp_path.rglob("paper-*.done"))
    assert compile_ahead.start_task("paper").communicate()[0] == "0\n"
