"""What a progress bar is told, on a terminal and elsewhere."""

from __future__ import annotations

import io
import sys
from contextlib import contextmanager

import pytest

from permutopic import ContentModel
from permutopic.cli import progress
from permutopic.cli.options import current_names, names_in
from permutopic.model.mcmc.sampler import SweepInfo


class Terminal(io.StringIO):
    def isatty(self):
        return True


class Bar:
    """Notes what it is to show."""

    def __init__(self):
        self.total, self.updates = None, []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None

    def add_task(self, description, *, total):
        self.total = total
        return "task"

    def update(self, task, **shown):
        assert task == "task"
        self.updates.append(shown)


@pytest.fixture
def bars(monkeypatch):
    made = []

    def make(what, width, console):
        made.append((what, width, Bar()))
        return made[-1][-1]

    monkeypatch.setattr(progress, "_bar", make)
    return made


def shown(model, *sweeps):
    with progress.shown_progress(model) as show:
        for sweep in sweeps:
            show(sweep)


def test_a_wide_terminal_is_told_everything(bars, monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setenv("COLUMNS", "110")
    model = ContentModel(3, n_sweeps=10, n_chains=2)
    shown(model, SweepInfo(3, 10, -12345.6, 2, 0.25, 1), SweepInfo(4, 10, -1.0, 3, 1.0, 0))
    ((what, width, bar),) = bars
    assert (what, width, bar.total) == ("sweep", 24, 20)
    first = "chain 2: log joint -12,346, 2 topics in use, annealing at 0.25"
    assert bar.updates == [
        {"completed": 3, "description": first},
        {"completed": 7, "description": "chain 1: log joint -1, 3 topics in use"},
    ]


def test_a_narrow_terminal_is_told_how_far_it_is(bars, monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setenv("COLUMNS", "109")
    shown(ContentModel(3, n_sweeps=10), SweepInfo(3, 10, -12345.6, 2, 0.25))
    ((_, width, bar),) = bars
    assert (width, bar.total) == (16, 10)
    assert bar.updates == [{"completed": 3, "description": "2 topics in use"}]


def test_a_step_that_has_begun_is_not_done(bars, monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    with progress.shown_steps("fits") as show:
        show(1, 4, "K = 3")
        show(4, 4, "K = 5")
    ((what, _, bar),) = bars
    assert what == "fits"
    assert bar.updates == [
        {"total": 4, "completed": 0, "description": "K = 3"},
        {"total": 4, "completed": 3, "description": "K = 5"},
    ]


def test_a_file_is_told_nothing(bars, monkeypatch):
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with progress.shown_progress(ContentModel(3)) as show:
        assert show is None
    with progress.shown_steps("fits") as show:
        show(1, 4, "K = 3")
    assert bars == []


@pytest.mark.parametrize("command", ["fit", "evaluate", "run"])
def test_commands_that_fit_show_every_sweep(run, places_folder, tmp_path, monkeypatch, command):
    seen = []

    @contextmanager
    def noting(model):
        yield seen.append

    monkeypatch.setattr(progress, "shown_progress", noting)
    method, output = ["full"] * (command == "run"), ["-o", tmp_path / "m"] * (command == "fit")
    code, _, err = run(command, *method, places_folder, "-k", 2, "--sweeps", 3, *output)
    assert (code, err) == (0, "")
    assert [info.sweep for info in seen] == [1, 2, 3]


def test_outside_a_command_parameters_go_by_the_options_of_a_fit():
    assert names_in(None)["n_chains"] == "--chains"
    assert names_in(None)["seed"] == "--seed"
    assert current_names() == names_in(None)
