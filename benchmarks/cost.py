"""What `inspect` expects a fit to take, beside what it takes: seconds and peak memory.

    python benchmarks/cost.py CORPORA [--corpora NAME ...] [--topics K ...] [--save FILE]

CORPORA is a folder with the corpora (.jsonl.gz); the bundled articles are measured as well. Every
fit is one chain of default length on one thread, in a process of its own; its seconds are those of
the processor, with the compiled code at hand. Runs are appended to FILE, one JSON object a line,
and those that are in it already are not repeated; what is expected is computed anew.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from permutopic import ContentModel, read_corpus
from permutopic.datasets import elements_folder
from permutopic.model.cost import expected_cost

from measuring import in_fresh_process, peak_gigabytes

if TYPE_CHECKING:
    from collections.abc import Iterable

CORPORA = ("bundled", "elements_paper", "elements_en", "cities_paper", "man2_en", "peps_en")
TOPICS = (10, 20, 50, 100, 200)


def measure(path: Path, n_topics: int, n_sweeps: int | None) -> dict[str, float]:
    """Fit a corpus once; call it in a process of its own, for the peak's sake."""
    tiny = [["salt sea", "hills snow"], ["salt", "snow"]]
    ContentModel(2, n_sweeps=4, random_state=0).fit(tiny)  # loads the compiled code
    corpus = read_corpus(path)
    started = time.process_time()
    ContentModel(n_topics, n_sweeps=n_sweeps, random_state=0, n_jobs=1).fit(corpus)
    return {"seconds": time.process_time() - started, "bytes": peak_gigabytes() * 1e9}


def with_expected(run: dict[str, Any], path: Path, n_sweeps: int | None) -> dict[str, Any]:
    """Put beside a run what is expected of it, and by what factor each figure is off."""
    cost = expected_cost(read_corpus(path), run["n_topics"], n_sweeps)
    off = {
        f"{name} off": max(expected / run[name], run[name] / expected)
        for name, expected in cost._asdict().items()
    }
    return {**run, **{f"expected {name}": each for name, each in cost._asdict().items()}, **off}


def line(run: dict[str, Any]) -> str:
    """Write one run as a line of a table."""
    seconds = f"{run['expected seconds']:.1f} | {run['seconds']:.1f} | {run['seconds off']:.2f}"
    megabytes = f"{run['expected bytes'] / 1e6:,.0f} | {run['bytes'] / 1e6:,.0f}"
    name = f"{run['corpus']} | {run['n_topics']}"
    return f"| {name} | {seconds} | {megabytes} | {run['bytes off']:.2f} |"


def show(runs: Iterable[dict[str, Any]]) -> None:
    """Print all runs as a table, and the worst factors."""
    kept = list(runs)
    print("| corpus | K | seconds expected | taken | factor | MB expected | taken | factor |")
    print("|---|---|---|---|---|---|---|---|")
    for run in kept:
        print(line(run))
    for name in ("seconds", "bytes"):
        worst = max(kept, key=lambda run: float(run[f"{name} off"]))
        where = f"{worst['corpus']}, K = {worst['n_topics']}"
        print(f"worst factor, {name}: {worst[f'{name} off']:.2f} ({where})")


def main() -> None:
    """Measure what is missing, then print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folder", type=Path, metavar="CORPORA")
    parser.add_argument("--corpora", nargs="+", default=CORPORA)
    parser.add_argument("--topics", type=int, nargs="+", default=TOPICS)
    parser.add_argument("--sweeps", type=int, help="of a shorter fit")
    parser.add_argument("--save", type=Path)
    asked = parser.parse_args()
    runs: list[dict[str, Any]] = []
    if asked.save and asked.save.exists():
        runs = [json.loads(each) for each in asked.save.read_text(encoding="utf-8").splitlines()]
    known = {(run["corpus"], run["n_topics"]) for run in runs}
    paths = {name: asked.folder / f"{name}.jsonl.gz" for name in asked.corpora}
    paths |= {"bundled": elements_folder()} if "bundled" in paths else {}
    for name, path in paths.items():
        for n_topics in asked.topics:
            if (name, n_topics) not in known:
                found = in_fresh_process(measure, path, n_topics, asked.sweeps)
                runs.append({"corpus": name, "n_topics": n_topics, **found})
                if asked.save:
                    with asked.save.open("a", encoding="utf-8") as file:
                        file.write(json.dumps(runs[-1]) + "\n")
    asked_for = [r for r in runs if r["corpus"] in paths and r["n_topics"] in asked.topics]
    show(with_expected(run, paths[run["corpus"]], asked.sweeps) for run in asked_for)


if __name__ == "__main__":
    main()
