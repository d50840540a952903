"""What commands compile, beside what they compile in another commit.

    git worktree add OTHER COMMIT
    python benchmarks/compiling.py [OTHER] [--only COMMAND …] [--json FILE]

Each command is run on a few bundled articles, so that compiling is most of its time:

alone           with an empty cache; its model was fitted with another one
after a fit     with the cache of a fit that has just ended
again           with the cache that it left: what is not compiling

The last row runs all other commands after a fit, one after another in one cache. The number is
that of the files of machine code in the cache, one for each function and signature: whatever
process compiled it, and in any commit. The commits take turns.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
CODE = "from permutopic.cli import main; main()"
N_ARTICLES = 8
FIT = "fit articles -k 4 --sweeps 8 --force -o made"
COMMANDS = {
    "fit": FIT,
    "predict": "predict model articles --samples 2",
    "check": "check model articles --samples 2",
    "segment": "segment model articles --samples 2",
    "order": "order model pieces.jsonl",
    "choose-k": "choose-k articles -k 2,3 --seeds 2 --sweeps 8",
    "fit --sampler paper": f"{FIT} --sampler paper",
}
TOGETHER = "everything after a fit"


class Cost(NamedTuple):
    """Seconds of a command, and functions that it compiled."""

    seconds: float
    compiled: int

    def __str__(self) -> str:
        return f"{self.seconds:6.1f} s {self.compiled:4}"


class Commit:
    """A checkout, with a folder in which its commands run."""

    def __init__(self, tree: Path, folder: Path) -> None:
        self.tree, self.folder = tree, folder
        folder.mkdir()
        articles = sorted((ROOT / "src/permutopic/datasets/elements").glob("*.md"))
        (folder / "articles").mkdir()
        for article in articles[:N_ARTICLES]:
            shutil.copy(article, folder / "articles")
        pieces = articles[0].read_text(encoding="utf-8").split("\n\n")
        lines = [json.dumps({"id": n, "text": piece}) for n, piece in enumerate(pieces)]
        (folder / "pieces.jsonl").write_text("\n".join(lines), encoding="utf-8")

    def fit(self) -> None:
        """Fit the model that other commands use, and keep the cache of this fit."""
        self.run(FIT.replace("made", "model"), "fitted")

    def run(self, command: str, cache: str) -> Cost:
        """Run a command with a cache, which is made if there is none."""
        kept = self.folder / cache
        before = len(list(kept.rglob("*.nbc")))
        environment = {
            **os.environ,
            "PYTHONPATH": str(self.tree / "src"),
            "NUMBA_CACHE_DIR": str(kept),
        }
        started = time.perf_counter()
        done = subprocess.run(  # noqa: S603
            [sys.executable, "-c", CODE, *command.split()],
            env=environment,
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
        )
        seconds = time.perf_counter() - started
        if done.returncode:
            raise RuntimeError(f"{self.tree}: permutopic {command}: {done.stderr.strip()}")
        return Cost(seconds, len(list(kept.rglob("*.nbc"))) - before)

    def fitted_cache(self) -> str:
        """Return a copy of the cache of a fit."""
        fresh = tempfile.mkdtemp(dir=self.folder)
        shutil.copytree(self.folder / "fitted", fresh, dirs_exist_ok=True)
        return fresh

    def measure(self, name: str) -> dict[str, Cost]:
        """Measure a command alone, after a fit, and again."""
        command, alone = COMMANDS[name], tempfile.mkdtemp(dir=self.folder)
        return {
            "alone": self.run(command, alone),
            "after a fit": self.run(command, self.fitted_cache()),
            "again": self.run(command, alone),
        }

    def together(self) -> Cost:
        """Measure all other commands after a fit, in one cache."""
        cache = self.fitted_cache()
        costs = [self.run(command, cache) for name, command in COMMANDS.items() if name != "fit"]
        return Cost(sum(cost.seconds for cost in costs), sum(cost.compiled for cost in costs))


def compare(commits: dict[str, Commit], names: list[str]) -> dict[str, dict[str, dict[str, Cost]]]:
    """Measure commands in all commits, in turns, and print a row for each."""
    for commit in commits.values():
        commit.fit()
    found: dict[str, dict[str, dict[str, Cost]]] = {}
    for name in names:
        found[name] = {}
        for which, commit in commits.items():
            costs = {"after a fit": commit.together()} if name == TOGETHER else commit.measure(name)
            found[name][which] = costs
            shown = "   ".join(f"{when} {cost}" for when, cost in costs.items())
            print(f"{name:24} {which:6} {shown}", flush=True)
    return found


def main() -> None:
    """Measure this commit, and the other if one is given."""
    parser = argparse.ArgumentParser(description="What commands compile, in one or two commits.")
    parser.add_argument("other", type=Path, nargs="?", help="a checkout of another commit")
    names = [*COMMANDS, TOGETHER]
    parser.add_argument("--only", nargs="+", default=names, choices=names, metavar="COMMAND")
    parser.add_argument("--json", type=Path, help="where to keep the figures")
    asked = parser.parse_args()
    trees = {"this": ROOT}
    if asked.other is not None:
        trees["other"] = asked.other.resolve()
    with tempfile.TemporaryDirectory() as folder:
        commits = {name: Commit(tree, Path(folder) / name) for name, tree in trees.items()}
        found = compare(commits, asked.only)
    if asked.json:
        as_dicts = {
            name: {
                which: {when: cost._asdict() for when, cost in costs.items()}
                for which, costs in commits.items()
            }
            for name, commits in found.items()
        }
        asked.json.write_text(json.dumps(as_dicts, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
