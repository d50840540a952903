"""Log joint against time of the paper's sampler and the default, on one machine.

    python benchmarks/curves.py CORPORA [--topics 10] [--save FILE] [--picture FILE]

For each of four corpora and five seeds the default runs to its end, then the paper's moves run
for `--times` as long. The table gives the mean log joint of both at the moment the default ends,
and what the paper's moves have reached when they stop. The picture shows all runs.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from permutopic.ingest.pipeline import read_corpus
from permutopic.model.fitting import MOVES
from permutopic.model.joint import FastLogJoint
from permutopic.model.mcmc.chains import run_chain
from permutopic.model.mcmc.plan import Plan
from permutopic.model.mcmc.sampler import SweepInfo, sample
from permutopic.model.paper.moves import paper_moves
from permutopic.model.priors import Priors
from permutopic.model.samplers import SAMPLERS
from permutopic.model.state import initial_state
from permutopic.streams import Streams

if TYPE_CHECKING:
    from permutopic.corpus import Corpus

NAMES = ("elements_paper", "cities_paper", "elements_en", "man2_en")
COLOURS = {"default": "#0b6e4f", "paper's moves": "#c1440e"}


class SweepRecord:
    """Records the time, the log joint and the inverse temperature after every sweep."""

    def __init__(self) -> None:
        self.started = time.perf_counter()
        self.seconds: list[float] = []
        self.log_joints: list[float] = []
        self.inverse_temperatures: list[float] = []

    def __call__(self, info: SweepInfo) -> None:
        """Record one sweep."""
        self.seconds.append(time.perf_counter() - self.started)
        self.log_joints.append(info.log_joint)
        self.inverse_temperatures.append(info.inverse_temperature)

    def run(self, corpus: str, sampler: str, n_topics: int, seed: int) -> dict[str, Any]:
        """Return the record as plain values."""
        made = {"corpus": corpus, "sampler": sampler, "n_topics": n_topics, "seed": seed}
        return {**made, **{name: value for name, value in vars(self).items() if name != "started"}}


def default_run(corpus: Corpus, n_topics: int, priors: Priors, seed: int) -> SweepRecord:
    """Run the default sampler to its end."""
    record = SweepRecord()
    plan = Plan.of(SAMPLERS["blocked"].n_sweeps)
    run_chain(corpus, n_topics, priors, plan, MOVES["blocked"], seed, 0, on_sweep=record)
    return record


def paper_run(
    corpus: Corpus, n_topics: int, priors: Priors, seed: int, seconds: float
) -> SweepRecord:
    """Run the paper's moves for `seconds`."""
    record, streams = SweepRecord(), Streams(seed)
    state = initial_state(corpus, n_topics, priors, streams.at(2**32, 0))
    moves, meter = paper_moves(corpus, n_topics, priors), FastLogJoint.for_corpus(corpus, priors)
    for _, info in sample(state, moves, meter, streams, 10**6):
        record(info)
        if record.seconds[-1] > seconds:
            break
    return record


def at(run: dict[str, Any], seconds: float) -> float:
    """Return the log joint of a run after `seconds`."""
    done = int(np.searchsorted(run["seconds"], seconds, side="right"))
    return float(run["log_joints"][max(done, 1) - 1])


def measure(folder: Path, n_topics: int, seeds: list[int], times: float) -> list[dict[str, Any]]:
    """Run everything, one run after the other."""
    runs = []
    for name in NAMES:
        corpus = read_corpus(folder / f"{name}.jsonl.gz", "whitespace")
        priors = Priors.for_documents(corpus.n_documents)
        for seed in seeds:
            record = default_run(corpus, n_topics, priors, seed)
            runs.append(record.run(name, "default", n_topics, seed))
            theirs = paper_run(corpus, n_topics, priors, seed, times * record.seconds[-1])
            runs.append(theirs.run(name, "paper's moves", n_topics, seed))
    return runs


def show(runs: list[dict[str, Any]], times: float) -> None:
    """Print the log joints at the same wall-clock."""
    print(f"| K = {runs[0]['n_topics']} | seconds | default | paper's, same time | {times:g} × |")
    print("|---|---|---|---|---|")
    for name in NAMES:
        ours = {r["seed"]: r for r in runs if (r["corpus"], r["sampler"]) == (name, "default")}
        paper = {
            r["seed"]: r for r in runs if (r["corpus"], r["sampler"]) == (name, "paper's moves")
        }
        ends = {seed: run["seconds"][-1] for seed, run in ours.items()}
        columns = [
            np.array([run["log_joints"][-1] for run in ours.values()]),
            np.array([at(paper[seed], end) for seed, end in ends.items()]),
            np.array([run["log_joints"][-1] for run in paper.values()]),
        ]
        cells = [f"{c.mean():,.0f} ± {c.std(ddof=min(1, c.size - 1)):,.0f}" for c in columns]
        print(f"| {name} | {np.mean(list(ends.values())):.1f} | {' | '.join(cells)} |")


def draw(runs: list[dict[str, Any]], path: Path) -> None:
    """Draw all runs, one panel per corpus, in thousands of nats below the best."""
    from matplotlib.figure import Figure  # noqa: PLC0415  (an extra)

    figure = Figure(figsize=(10, 7), layout="constrained")
    for axes, name in zip(figure.subplots(2, 2).flat, NAMES, strict=True):
        mine = [r for r in runs if r["corpus"] == name]
        top = max(max(r["log_joints"]) for r in mine)
        floor = min(r["log_joints"][-1] for r in mine) - top
        for run in mine:
            first = run["seed"] == min(r["seed"] for r in mine)
            axes.plot(
                run["seconds"],
                (np.array(run["log_joints"]) - top) / 1000,
                color=COLOURS[run["sampler"]],
                linewidth=1,
                alpha=0.75,
                label=run["sampler"] if first else None,
            )
        axes.set(title=name, xscale="log", ylim=(2.2 * floor / 1000, -0.05 * floor / 1000))
        axes.set_xlabel("seconds, one thread")
        axes.set_ylabel("log joint, thousand nats below the best")
        axes.grid(alpha=0.25)
    figure.axes[0].legend(loc="lower right", frameon=False)
    figure.suptitle(f"Log joint against time, K = {runs[0]['n_topics']}, seeds 0 to 4")
    figure.savefig(path, dpi=110)


def main() -> None:
    """Run or read the measurements, then print and draw."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("corpora", type=Path)
    parser.add_argument("--topics", type=int, default=10)
    parser.add_argument("--seeds", type=int, nargs="+", default=list(range(5)))
    parser.add_argument("--times", type=float, default=5.0)
    parser.add_argument("--save", type=Path, help="one run per line; read if it exists")
    parser.add_argument("--picture", type=Path)
    options = parser.parse_args()
    if options.save and options.save.exists():
        runs = [json.loads(line) for line in options.save.read_text(encoding="utf-8").splitlines()]
    else:
        small = read_corpus(options.corpora / "elements_en.jsonl.gz", "whitespace")
        default_run(small, 2, Priors.for_documents(small.n_documents), 0)  # compiles
        paper_run(small, 2, Priors.for_documents(small.n_documents), 0, 0.0)
        runs = measure(options.corpora, options.topics, options.seeds, options.times)
        if options.save:
            lines = (json.dumps(rounded(run)) + "\n" for run in runs)
            options.save.write_text("".join(lines), encoding="utf-8")
    show(runs, options.times)
    if options.picture:
        draw(runs, options.picture)


def rounded(run: dict[str, Any]) -> dict[str, Any]:
    """Round a run to the resolution of the picture."""
    digits = {"seconds": 3, "log_joints": 1, "inverse_temperatures": 4}
    return {k: np.round(v, digits[k]).tolist() if k in digits else v for k, v in run.items()}


if __name__ == "__main__":
    main()
