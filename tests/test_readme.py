"""The README knows every command; test_docs.py runs those it shows."""

from __future__ import annotations

from pathlib import Path

from permutopic.cli import command_line

README = Path(__file__).parents[1] / "README.md"


def test_every_command_is_in_the_readme():
    text = README.read_text(encoding="utf-8")
    for command in command_line.list_commands(None):
        assert f"permutopic {command}" in text
