"""The README's examples give what it says they give."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

from click.testing import CliRunner

from permutopic.cli import command_line

README = Path(__file__).parents[1] / "README.md"


def test_the_first_example_is_real():
    results = doctest.testfile(str(README), module_relative=False, encoding="utf-8")
    assert results.attempted >= 4
    assert results.failed == 0


def test_the_demo_shows_what_the_readme_shows():
    shown = CliRunner().invoke(command_line, ["demo"], env={"COLUMNS": "100"}).output
    block = README.read_text(encoding="utf-8").split("`make demo` ends with\n\n```\n")[1]
    expected = block.split("```")[0]
    # Rounding differs between machines; names, places and the table's shape do not.
    for line in expected.splitlines():
        frame = re.sub(r"[\d.%]+", "#", line).split()
        assert frame in [re.sub(r"[\d.%]+", "#", other).split() for other in shown.splitlines()]


def test_every_command_is_in_the_readme():
    text = README.read_text(encoding="utf-8")
    for command in command_line.list_commands(None):
        assert f"permutopic {command}" in text
