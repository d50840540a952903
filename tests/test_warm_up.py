"""The warm-up: what it runs, what it says, and that nothing is left to compile afterwards."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from click.testing import CliRunner

from permutopic import jit_cache, warm_up
from permutopic.cli import command_line
from permutopic.compile_cache import CacheFolder
from permutopic.errors import InputError

COMMAND = "import sys; sys.argv[1:] = ['warm-up']; from permutopic.cli import main; main()"
AFTERWARDS = """
import warnings
from numba.core import event
warnings.simplefilter("ignore")
compiled = []
class Listener(event.Listener):
    def on_start(self, event): compiled.append(event.data["dispatcher"].py_func.__qualname__)
    def on_end(self, event): pass
event.register("numba:compile", Listener())
from permutopic import ContentModel, Corpus
from permutopic.selection.choosing import choose_k
texts = [["salt sea waves", "hills snow rocks", "roads carts"], ["snow rocks", "salt waves"]] * 4
for variant in ("full", "constrained", "uniform"):
    for n_jobs in (1, 2):
        model = ContentModel(2, variant=variant, n_sweeps=5, n_jobs=n_jobs, random_state=0)
        model.fit(texts)
    for fast in (False, True):
        model.predict(texts[:1] + [["new snow", "sea"]], fast=fast)
model = ContentModel(2, n_sweeps=5, n_chains=2, random_state=0).fit(texts)
model.check(texts[:2])
model.segment(texts[:2])
model.align(texts[:2])
model.order(["snow rocks", "salt waves"])
model.partial_fit([["waves salt", "snow hills"]], n_sweeps=2)
ContentModel(2, sampler="paper", n_sweeps=2).fit(texts)
choose_k(Corpus.from_paragraphs(texts), (2, 3), n_seeds=2, model=ContentModel(n_sweeps=5))
print(compiled)
"""


def test_after_a_warm_up_nothing_is_compiled():
    subprocess.run([sys.executable, "-c", COMMAND], check=True)
    command = [sys.executable, "-c", AFTERWARDS]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty cache, and tasks that note that they ran."""
    found = CacheFolder(tmp_path / "cache", "it is a test", state="state")
    found.path.mkdir()
    monkeypatch.setattr(jit_cache, "cache_folder", lambda: found)
    return found


@pytest.fixture
def ran(monkeypatch):
    names = []
    tasks = {name: (f"task {name}", lambda name=name: names.append(name)) for name in "abc"}
    monkeypatch.setattr(warm_up, "_TASKS", tasks)
    monkeypatch.setattr(warm_up, "_SIDE_BY_SIDE", ("c", "a"))
    return names


def tell(number):
    """Start a process that says what a task does."""
    return lambda name: subprocess.Popen(
        [sys.executable, "-c", f"print('compiling'); print({number})"],
        stdout=subprocess.PIPE,
        text=True,
    )


def test_tasks_run_in_processes_and_once_more_here(folder, ran, monkeypatch):
    monkeypatch.setattr(warm_up, "start_task", tell(3))
    steps = []
    done = warm_up.warm_up(lambda *step: steps.append(step))
    assert ran == ["a", "b", "c"]
    assert done.n_compiled == 6
    assert [step[2] for step in steps] == ["task c", "task a", "everything once more"]
    assert {step[1] for step in steps} == {3}
    assert folder.has("everything")
    assert folder.has("b")


def test_a_process_that_fails_is_made_up_for_here(folder, ran, monkeypatch):
    monkeypatch.setattr(warm_up, "start_task", tell("[][0]"))
    assert warm_up.warm_up().n_compiled == 0
    assert ran == ["a", "b", "c"]
    assert folder.has("everything")


def test_what_is_complete_is_only_loaded(folder, ran, monkeypatch):
    folder.set_done("everything")
    monkeypatch.setattr(warm_up, "start_task", None)  # calling it would be an error
    assert warm_up.warm_up().n_compiled == 0
    assert ran == ["a", "b", "c"]


def test_without_a_folder_a_warm_up_is_refused(monkeypatch):
    nowhere = CacheFolder(None, "no folder can be written", writable=False)
    monkeypatch.setattr(jit_cache, "cache_folder", lambda: nowhere)
    with pytest.raises(InputError, match=r"cannot be kept .*set NUMBA_CACHE_DIR"):
        warm_up.warm_up()


def test_the_command_says_how_much_it_compiled_and_where_it_is(folder, ran, monkeypatch):
    monkeypatch.setattr(warm_up, "start_task", tell(3))
    first, second = (CliRunner().invoke(command_line, ["warm-up"]) for _ in range(2))
    assert first.output.startswith("6 functions compiled in 0 s: kept in ")
    assert second.output == f"everything was compiled already: {folder.path}\n"


def test_info_tells_where_the_cache_is_and_why(folder):
    (folder.path / "a.nbc").write_bytes(b"123")
    shown = CliRunner().invoke(command_line, ["info", "--cache"]).output
    assert shown.splitlines()[0].split(None, 1) == ["cache", str(folder.path)]
    assert "it is a test" in shown
    found = json.loads(CliRunner().invoke(command_line, ["info", "--json"]).output)
    assert (found["cached_functions"], found["cache_bytes"]) == (1, 3)
    assert (found["cache_writable"], found["complete"]) == (True, False)
    assert {"permutopic", "python", "numba", "processor", "threads"} <= found.keys()
    folder.set_done("everything")
    assert json.loads(CliRunner().invoke(command_line, ["info", "--json"]).output)["complete"]
