"""Plant bugs one at a time and see that the tests that must catch them do: `make mutants`.

`tests/mutants/*.toml` lists the bugs: a text of a source file, what stands there instead, and the
tests that must fail then. The tree is copied to build/mutants, once for each job, and a bug is
planted in the copy alone. All tests named have to pass there first: one that fails anyway catches
nothing.
"""

from __future__ import annotations

import argparse
import ast
import os
import re
import shutil
import subprocess
import sys
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from tempfile import TemporaryDirectory
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("src", "tests", "tools", "benchmarks", "docs")
FILES = ("pyproject.toml", "README.md")
FIELDS = {"bug", "file", "old", "new", "tests"}
# A test that fails, and one whose fixture does; a file that cannot be imported has no "::".
_NOTICED = re.compile(r"^(?:FAILED|ERROR) (\S+?::\w+)", re.MULTILINE)
SECONDS = 120
"""How long one test may take: a bug may have it run for ever."""


_OPTIONS = (
    *("-q", "--no-header", "--tb=no", "-rfE", "-m", "", f"--timeout={SECONDS}"),
    *("-p", "no:cacheprovider", "-p", "no:xdist"),
)


class Mutant(NamedTuple):
    """A bug: `old` stands once in a file, `new` instead of it is wrong, and `tests` say so."""

    area: str
    bug: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]

    def planted(self, source: str) -> str:
        """Return the file's text with the bug."""
        if source.count(self.old) != 1:
            raise ValueError(
                f"{self.area}: {self.bug}: {self.old!r} occurs {source.count(self.old)} times in "
                f"{self.file}, not once"
            )
        fresh = source.replace(self.old, self.new)
        if fresh == source:
            raise ValueError(f"{self.area}: {self.bug}: nothing is changed")
        ast.parse(fresh)
        return fresh


class Verdict(NamedTuple):
    """What the tests said to a bug."""

    mutant: Mutant
    missed: list[str]
    """The tests that had to notice it and did not."""
    seconds: float


def read_mutants(folder: Path) -> list[Mutant]:
    """Read all bugs, file by file."""
    mutants = []
    for path in sorted(folder.glob("*.toml")):
        for entry in tomllib.loads(path.read_text(encoding="utf-8"))["mutant"]:
            if entry.keys() != FIELDS or not entry["tests"]:
                raise ValueError(f"{path.name}: a bug has {', '.join(sorted(FIELDS))}: {entry}")
            mutants.append(Mutant(path.stem, **{**entry, "tests": tuple(entry["tests"])}))
    return mutants


class Copy:
    """A copy of the tree in which a bug can be planted."""

    def __init__(self, tree: Path, folder: Path) -> None:
        self.folder = folder
        for name in FOLDERS:
            if (tree / name).is_dir():
                _mirror(tree / name, folder / name)
        for name in FILES:
            if (tree / name).is_file():
                shutil.copy2(tree / name, folder / name)

    def failing(self, tests: list[str]) -> set[str]:
        """Run tests; return the names of those that fail."""
        with TemporaryDirectory() as examples:
            done = subprocess.run(
                [sys.executable, "-m", "pytest", *_OPTIONS, *tests],
                cwd=self.folder,
                env={
                    **os.environ,
                    "PYTHONPATH": str(self.folder / "src"),
                    "HYPOTHESIS_STORAGE_DIRECTORY": examples,  # nothing is remembered
                },
                capture_output=True,
                text=True,
            )
        failed = set(_NOTICED.findall(done.stdout))
        if done.returncode not in {0, 1} or (done.returncode == 1) != bool(failed):
            raise RuntimeError(f"{' '.join(tests)}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
        return failed

    def judge(self, mutant: Mutant) -> Verdict:
        """Plant a bug, run its tests, and put the file back as it was, with its time."""
        began, path = time.perf_counter(), self.folder / mutant.file
        source, status = path.read_text(encoding="utf-8"), path.stat()
        path.write_text(mutant.planted(source), encoding="utf-8")
        try:
            failed = self.failing(list(mutant.tests))
        finally:
            path.write_text(source, encoding="utf-8")
            os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
        missed = [test for test in mutant.tests if test not in failed]
        return Verdict(mutant, missed, time.perf_counter() - began)


def _mirror(source: Path, target: Path) -> None:
    """Make `target` hold what `source` does; compiled code is kept where sources are the same."""
    ours = {path.relative_to(source) for path in source.rglob("*") if path.is_file()}
    ours = {path for path in ours if "__pycache__" not in path.parts}
    for path in list(target.rglob("*")):
        if path.is_file() and path.relative_to(target) not in ours:
            path.unlink()
    for path in ours:
        (target / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source / path, target / path)


def judge_all(tree: Path, mutants: list[Mutant], work: Path, jobs: int) -> list[Verdict]:
    """Try all bugs, several at a time, and tell of each as it is done."""
    copies: SimpleQueue[Copy] = SimpleQueue()
    named = sorted({test for mutant in mutants for test in mutant.tests})
    first = Copy(tree, work / "0")
    if failed := first.failing(named):
        raise RuntimeError(f"these fail without any bug: {', '.join(sorted(failed))}")
    print(f"{len(named)} tests pass without a bug", flush=True)
    copies.put(first)
    for number in range(1, jobs):
        copies.put(Copy(tree, work / str(number)))

    def judge(mutant: Mutant) -> Verdict:
        copy = copies.get()
        try:
            verdict = copy.judge(mutant)
        finally:
            copies.put(copy)
        word = "MISSED" if verdict.missed else "caught"
        print(f"{word}  {verdict.seconds:5.1f} s  {mutant.area}: {mutant.bug}", flush=True)
        return verdict

    with ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(judge, mutants))


_PAGE = """# Planted bugs, and what catches them

`make mutants` plants these bugs one at a time in a copy of the tree and runs the tests named beside
each, which have to fail; without a bug they have to pass. The bugs are in `tests/mutants/`, and
`python tools/mutants.py --save docs/mutants.md` writes this page: {caught} of {n_bugs} are caught.
The sampler's own are planted by `tests/statistical/test_planted_bugs.py` ([proof.md](proof.md)).

| part | bug | file | caught by |
|---|---|---|---|
"""


def as_markdown(verdicts: list[Verdict]) -> str:
    """Make a page with a table of all bugs and of the tests that caught them."""
    caught = sum(not verdict.missed for verdict in verdicts)
    lines = [_PAGE.format(caught=caught, n_bugs=len(verdicts)).rstrip("\n")]
    for mutant, missed, _ in verdicts:
        tests = [f"`{test.removeprefix('tests/')}`" for test in mutant.tests if test not in missed]
        file = mutant.file.removeprefix("src/permutopic/")
        cells = (mutant.area, mutant.bug, f"`{file}`", ", ".join(tests) or "**nothing**")
        lines.append(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Try the bugs, and fail if one of the tests that must catch them does not."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="bugs of which area or text contains this")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="bugs at a time")
    parser.add_argument("--save", type=Path, help="write a page about all bugs to this file")
    given = parser.parse_args()
    mutants = [
        mutant
        for mutant in read_mutants(ROOT / "tests" / "mutants")
        if given.only in f"{mutant.area}: {mutant.bug}"
    ]
    verdicts = judge_all(ROOT, mutants, ROOT / "build" / "mutants", given.jobs)
    if given.save:
        given.save.write_text(as_markdown(verdicts), encoding="utf-8")
    missed = [verdict for verdict in verdicts if verdict.missed]
    print(f"{len(verdicts) - len(missed)} of {len(verdicts)} planted bugs caught")
    for verdict in missed:
        print(f"MISSED: {verdict.mutant.bug}: {', '.join(verdict.missed)}")
    # The closing line of a test run, as others have it.
    print(f"{len(verdicts) - len(missed)} passed, {len(missed)} failed")
    sys.exit(1 if missed or not verdicts else 0)


if __name__ == "__main__":
    main()
