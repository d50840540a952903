"""Commands shown in Markdown, with what they print: run, and held against what is shown.

A ```console block has lines that begin with "$ ", each followed by its output. A fit is repeated to
the bit on one kind of machine. On another, the last digits of a logarithm may differ and a chain
take another turn: so a few words and figures may differ, but not many, and not by much.
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
_NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?")
_MAP = re.compile(r"\b\d{7,}\b")  # a document's topics, one digit each: no number
_CHAINS = re.compile(r"(?:The \d+ chains agree|Not converged).*?(?=\n\n|\Z)", re.DOTALL)
_SECONDS = re.compile(r"\d+\.\d s\b")
ALIKE = 0.7
"""Two lines are alike if this share of their words is the same."""
SAME = 0.75
"""This share of the lines, and of the numbers, has to be the same."""
NEAR = 0.25
"""Two numbers are the same if they differ by no more than this share."""


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
    """Say what differs by more than another machine would explain."""
    expected, output = _without_chance(expected), _without_chance(output)
    left, right = _lines(expected), _lines(output)
    if len(left) != len(right):
        return [f"{len(left)} lines are shown and {len(right)} printed:\n{output}"]
    pairs = list(zip(left, right, strict=True))
    found = [
        f"shown:   {' '.join(mine)}\nprinted: {' '.join(theirs)}"
        for mine, theirs in pairs
        if SequenceMatcher(None, mine, theirs, autojunk=False).ratio() < ALIKE
    ]
    same = sum(mine == theirs for mine, theirs in pairs)
    if same < SAME * len(pairs):
        found.append(f"only {same} of {len(pairs)} lines are the same:\n{output}")
    numbers = list(zip(_numbers(expected), _numbers(output), strict=False))
    near = sum(abs(mine - theirs) <= NEAR * abs(mine) + 1e-9 for mine, theirs in numbers)
    if near < SAME * len(numbers):
        found.append(f"only {near} of {len(numbers)} numbers are near:\n{output}")
    return found


def _without_chance(text: str) -> str:
    """Leave out how long it took, and in which words the chains' verdict is put."""
    return _CHAINS.sub("(verdict)", _SECONDS.sub("(seconds)", text))


def _lines(text: str) -> list[list[str]]:
    maps = [_MAP.sub(lambda found: " ".join(found.group()), line) for line in text.splitlines()]
    masked = [
        line if _MAP.search(given) else _NUMBER.sub("#", line)
        for line, given in zip(maps, text.splitlines(), strict=True)
    ]
    return [line.split() for line in masked if line.strip()]


def _numbers(text: str) -> list[float]:
    return [float(number.replace(",", "")) for number in _NUMBER.findall(_MAP.sub("", text))]
