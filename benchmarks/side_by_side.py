"""Times of this commit beside those of another, measured in turns.

    git worktree add OTHER COMMIT
    python benchmarks/side_by_side.py CORPORA OTHER [--rounds N] [--json FILE]

CORPORA is a folder with cities_paper.jsonl.gz and cities_en.jsonl.gz, OTHER a checkout of the other
commit. Each commit has a process of its own, which loads, compiles and warms up; then both do one
job after the other in turns, so that whatever else the machine does burdens both alike. The ratio
is that of the shortest times: above 1, this commit is slower.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

WORKER = r"""
import json, sys, time, warnings
from permutopic import ContentModel, read_corpus, read_documents
warnings.simplefilter("ignore")
folder = sys.argv[1]
corpora = {}
def corpus(name):
    if name not in corpora:
        corpora[name] = read_corpus(f"{folder}/{name}.jsonl.gz", "whitespace")
    return corpora[name]
models = {}
def model(name, k):
    if name not in models:
        models[name] = ContentModel(k, n_sweeps=15, random_state=0).fit(corpus(name))
    return models[name]
def fit(name, k, sweeps, **settings):
    ContentModel(k, n_sweeps=sweeps, random_state=0, early_stop=False, **settings).fit(corpus(name))
def infer(name, k, n, **settings):
    part = model(name, k)
    documents = list(read_documents(f"{folder}/{name}.jsonl.gz"))[:n]
    start = time.perf_counter()
    for found in part.infer(documents, n_jobs=1, **settings):
        pass
    return time.perf_counter() - start
JOBS = {
    "blocked fit, cities_paper K=10": lambda: fit("cities_paper", 10, 30),
    "blocked fit, two threads, cities_en K=20": lambda: fit("cities_en", 20, 6, n_jobs=2),
    "paper fit, cities_paper K=10": lambda: fit("cities_paper", 10, 8, sampler="paper"),
    "constrained, cities_paper K=20": lambda: fit("cities_paper", 20, 20, variant="constrained"),
    "infer, cities_paper K=10": lambda: infer("cities_paper", 10, 40),
    "infer fast, cities_paper K=10": lambda: infer("cities_paper", 10, 40, fast=True),
    "read_corpus, cities_paper": lambda: read_corpus(f"{folder}/cities_paper.jsonl.gz"),
}
print(json.dumps(list(JOBS)), flush=True)
for line in sys.stdin:
    job = JOBS[line.strip()]
    start = time.perf_counter()
    inner = job()
    took = inner if isinstance(inner, float) else time.perf_counter() - start
    print(took, flush=True)
"""


class Commit:
    """A process that has one commit's package."""

    def __init__(self, tree: Path, corpora: Path, cache: str) -> None:
        environment = {
            **os.environ,
            "PYTHONPATH": str(tree / "src"),
            "NUMBA_CACHE_DIR": cache,
        }
        self.process = subprocess.Popen(  # noqa: S603
            [sys.executable, "-c", WORKER, str(corpora)],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.jobs: list[str] = json.loads(self._line())

    def _line(self) -> str:
        line = self.process.stdout.readline() if self.process.stdout else ""
        if not line:
            raise RuntimeError("the process of a commit has ended")
        return line

    def run(self, job: str) -> float:
        """Run a job and return its seconds."""
        if self.process.stdin is None:
            raise RuntimeError("the process of a commit takes no input")
        self.process.stdin.write(f"{job}\n")
        self.process.stdin.flush()
        return float(self._line())


def main() -> None:
    """Measure both commits."""
    parser = argparse.ArgumentParser(description="Times of two commits, measured in turns.")
    parser.add_argument("corpora", type=Path)
    parser.add_argument("other", type=Path, help="a checkout of the other commit")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=Path, help="where to keep the figures")
    asked = parser.parse_args()
    trees = {"this": Path(__file__).resolve().parent.parent, "other": asked.other.resolve()}
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as caches:
        commits = {
            name: Commit(tree, asked.corpora.resolve(), f"{caches}/{name}")
            for name, tree in trees.items()
        }
        for job in commits["this"].jobs:
            times: dict[str, list[float]] = {name: [] for name in commits}
            for now in range(asked.rounds + 1):  # the first one compiles
                for name, commit in commits.items():
                    seconds = commit.run(job)
                    if now:
                        times[name].append(seconds)
            best = {name: min(each) for name, each in times.items()}
            ratio = best["this"] / best["other"]
            found[job] = {"ratio": round(ratio, 4), **{n: round(t, 4) for n, t in best.items()}}
            print(
                f"{job:44} {ratio:6.3f}   {best['this']:.3f} s, {best['other']:.3f} s", flush=True
            )
        for commit in commits.values():
            commit.process.kill()
    if asked.json:
        asked.json.write_text(json.dumps(found, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
