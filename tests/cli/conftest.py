from __future__ import annotations

import io
import sys

import pytest

from permutopic import cli


@pytest.fixture
def run(monkeypatch, capsys):
    """Run the command line with arguments: exit code, standard output and error."""

    def call(*arguments, stdin=b""):
        monkeypatch.setattr(sys, "argv", ["permutopic", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        code = cli._run()
        return code, *capsys.readouterr()

    return call
