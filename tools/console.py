"""Commands shown in Markdown, with what they print: run, and held against what is shown.

A ```console block has lines that begin with "$ ", each followed by its output. Numbers may differ
from one machine to the next, and with them a word or two of a table; what stands there otherwise
may not.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from difflib import SequenceMatcher
from pathlib import Path
from typing import NamedTuple

_BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_NUMBER = re.compile(r"[\d.,]*\d%?")
ALIKE = 0.7
"""Two lines are the same if this share of their words is."""


class Shown(NamedTuple):
    """A command, and what a document says it prints."""

    command: str
    output: str


def commands_in(markdown: str) -> list[Shown]:
    """List the commands of all ```console blocks, in order."""
    shown = []
    for block in _BLOCK.findall(markdown):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            shown.append(Shown(command, output))
    return shown


def run(command: str, folder: Path) -> str:
    """Run a command of ours as a reader would, in a terminal of 100 columns."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(  # noqa: S602 (our own commands)
        command,
        shell=True,
        cwd=folder,
        env={**os.environ, "PATH": path, "COLUMNS": "100"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    notes = [line for line in done.stderr.splitlines() if "compiling for the first use" not in line]
    if done.returncode != 0 or notes:
        raise RuntimeError(f"{command}: exit code {done.returncode}\n{done.stderr}")
    return done.stdout


def differences(expected: str, output: str) -> list[str]:
    """List the lines that differ in more than numbers and a few words."""
    left, right = _lines(expected), _lines(output)
    if len(left) != len(right):
        return [f"{len(left)} lines are shown and {len(right)} printed:\n{output}"]
    return [
        f"shown:   {' '.join(mine)}\nprinted: {' '.join(theirs)}"
        for mine, theirs in zip(left, right, strict=True)
        if SequenceMatcher(None, mine, theirs, autojunk=False).ratio() < ALIKE
    ]


def _lines(text: str) -> list[list[str]]:
    return [_NUMBER.sub("#", line).split() for line in text.splitlines() if line.strip()]
