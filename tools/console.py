"""Commands shown in Markdown, with what they print: run, and held against what is shown.

A ```console block has lines that begin with "$ ", each followed by its output. A fit is repeated to
the bit on one kind of machine; on another, the last digits of a logarithm may differ and a chain
take another turn. So every word has to be the same (names, verdicts, titles, in their order),
a number has to be near (`is_near` has the tolerance), and three things may vary: how many seconds
something took (in a sentence, or in the last column of a table), one digit in ten of a document's
map of topics, and a quarter of the distinctive words.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

_BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_NUMBER = re.compile(r"-?(?:\d[\d,]*(?:\.\d+)?|\.\d+)")
_MAP = re.compile(r"\d{7,}")  # a document's topics, one digit each: no number
_SECONDS = re.compile(r"\d+(?:\.\d+)? s\b")
_DISTINCTIVE = "distinctive words"
_TIMED = "seconds"
_RULE = re.compile(r"[\s─━-]*")
MAP_DIGITS = 0.1
"""This share of the digits of a map of topics may differ."""
OTHER_WORDS = 0.25
"""This share of the distinctive words of a table may differ, and their order."""


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
    notes = [line for line in done.stderr.splitlines() if "note: compiling " not in line]
    if done.returncode != 0 or notes:
        raise RuntimeError(f"{command}: exit code {done.returncode}\n{done.stderr}")
    return done.stdout


def is_near(shown: float, printed: float) -> bool:
    """Tell whether two numbers are the same within 2 % or .02; within .5 % from 10,000 on.

    Large numbers are log joints, of which a small share is much, and counts.
    """
    share = 0.005 if abs(shown) >= 10_000 else 0.02
    return abs(shown - printed) <= max(0.02, share * abs(shown))


def differences(expected: str, output: str) -> list[str]:
    """Say what differs by more than another machine would explain."""
    left, right = _rows(expected), _rows(output)
    if len(left) != len(right):
        return [f"{len(left)} lines are shown and {len(right)} printed:\n{output}"]
    found = [
        f"shown:   {shown.line}\nprinted: {printed.line}"
        for shown, printed in zip(left, right, strict=True)
        if not _same_cells(shown.words, printed.words)
    ]
    mine, theirs = (
        {word for row in rows for word in row.distinctive.split()} for rows in (left, right)
    )
    if len(mine & theirs) < (1 - OTHER_WORDS) * max(len(mine), len(theirs)):
        found.append(f"other distinctive words: {sorted(mine ^ theirs)}")
    return found


class _Row(NamedTuple):
    line: str
    words: list[str]
    distinctive: str
    """The end of the line, where it stands in a table's column of distinctive words."""


def _rows(text: str) -> list[_Row]:
    """Split lines into words, and leave out empty lines, rules and seconds."""
    rows, column, timed = [], None, False
    for line in _SECONDS.sub("(seconds)", text).splitlines():
        timed = timed and not line[:1].strip()  # rows of a table are indented, parts set apart
        if _RULE.fullmatch(line):
            column = column if line.strip() else None
            continue
        if _DISTINCTIVE in line:
            column = line.index(_DISTINCTIVE)
            rows.append(_Row(line, line.split(), ""))
            continue
        words = line[:column].split()
        if timed and _NUMBER.fullmatch(words[-1]):
            words[-1] = "(seconds)"
        timed = timed or words[-1:] == [_TIMED]
        rows.append(_Row(line, words, line[column:] if column else ""))
    return rows


def _same_cells(shown: list[str], printed: list[str]) -> bool:
    return len(shown) == len(printed) and all(map(_same_word, shown, printed))


def _same_word(shown: str, printed: str) -> bool:
    """Compare two words: text exactly, numbers in it as numbers, maps digit by digit."""
    if _MAP.fullmatch(shown) and _MAP.fullmatch(printed):
        others = sum(mine != theirs for mine, theirs in zip(shown, printed, strict=False))
        return len(shown) == len(printed) and others <= MAP_DIGITS * len(shown)
    numbers = [_NUMBER.findall(word) for word in (shown, printed)]
    return (
        _NUMBER.sub("#", shown) == _NUMBER.sub("#", printed)
        and len(numbers[0]) == len(numbers[1])
        and all(
            is_near(float(mine.replace(",", "")), float(theirs.replace(",", "")))
            for mine, theirs in zip(*numbers, strict=True)
        )
    )
