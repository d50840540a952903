"""The commands that README and tutorial show print what is shown there."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

from console import commands_in, differences, run
from refresh_docs import refresh

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize(("name", "least"), [("README.md", 1), ("docs/tutorial.md", 10)])
def test_every_command_prints_what_is_shown(name, least, tmp_path, monkeypatch):
    shown = commands_in((ROOT / name).read_text(encoding="utf-8"))
    assert len(shown) >= least
    for command, output in shown:
        assert differences(output, run(command, tmp_path)) == [], command
    monkeypatch.chdir(tmp_path)  # its Python goes on with what the commands left
    results = doctest.testfile(str(ROOT / name), module_relative=False, encoding="utf-8")
    assert results.attempted >= 4
    assert results.failed == 0


EXAMPLE = """
```console
$ echo "0  Uses   12%  steel glass"
0  Uses   14%  steel glass
$ true
```
"""


def test_commands_are_found_and_numbers_may_differ(tmp_path):
    [(command, output), (other, nothing)] = commands_in(EXAMPLE)
    assert (other, nothing) == ("true", "")
    assert differences(output, run(command, tmp_path)) == []


@pytest.mark.parametrize(
    "printed", ["", "0 Uses 12% steel glass\nmore", "0 Safety 12% dust lungs", "no such thing"]
)
def test_other_output_is_noticed(printed):
    [(_, output), _] = commands_in(EXAMPLE)
    assert differences(output, printed) != []


def test_a_command_that_fails_or_complains_is_noticed(tmp_path):
    with pytest.raises(RuntimeError, match="exit code"):
        run("permutopic outline nowhere", tmp_path)
    with pytest.raises(RuntimeError, match="exit code"):
        run("echo warning >&2", tmp_path)


def test_output_is_refreshed_in_place(tmp_path, monkeypatch):
    path, folder = tmp_path / "page.md", tmp_path / "empty"
    folder.mkdir()
    path.write_text(
        "Text.\n\n```console\n$ echo new > file; cat file\nold\n$ true\nold\n```\n\n"
        "```python\n>>> import os\n>>> for x in os.listdir():\n...     print(x)\nold\n\n```\n",
        encoding="utf-8",
    )
    monkeypatch.chdir(tmp_path)
    refresh(path, folder)
    assert path.read_text(encoding="utf-8") == (
        "Text.\n\n```console\n$ echo new > file; cat file\nnew\n$ true\n```\n\n"
        "```python\n>>> import os\n>>> for x in os.listdir():\n...     print(x)\nfile\n\n```\n"
    )
