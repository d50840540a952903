"""The study behind the default schedule: what each part of it is worth, on real corpora.

    python benchmarks/schedule.py CORPORA [--save FILE] [--seeds 0 1 2 3 4] [--processes 2]

CORPORA is a folder with elements_paper, cities_paper, elements_en and man2_en (.jsonl.gz). Every
variant changes one thing in the default. Runs are appended to FILE, one JSON object a line, and
those that are in it already are not repeated. The table gives the mean log joint of the last ten
sweeps, as nats above (+) or below the default's; F and Pk, against the authors' headings and
counted over words, are shown beside it and decided nothing.
"""

from __future__ import annotations

import argparse
import json
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from permutopic.evaluation.evaluate import score_corpus_segmentation
from permutopic.ingest.pipeline import read_corpus
from permutopic.metrics import score_alignment
from permutopic.model.blocked.engine import every_position
from permutopic.model.blocked.moves import blocked_moves
from permutopic.model.joint import FastLogJoint
from permutopic.model.mcmc.sampler import Move, sample
from permutopic.model.mcmc.schedule import Schedule
from permutopic.model.paper.moves import ResampleDispersion, ResampleStructures
from permutopic.model.priors import Priors
from permutopic.model.state import initial_state, make_state
from permutopic.results.prediction import Prediction
from permutopic.streams import Streams

if TYPE_CHECKING:
    from permutopic.corpus import Corpus
    from permutopic.model.state import State

NAMES = ("elements_paper", "cities_paper", "elements_en", "man2_en")
TOPICS = (10, 20)

VARIANTS: dict[str, dict[str, Any]] = {
    "default": {},
    "no annealing": {"annealing": 0.0},
    "50 sweeps": {"sweeps": 50},
    "200 sweeps": {"sweeps": 200},
    "first λ .2": {"first_inverse_temperature": 0.2},
    "θ drawn throughout": {"prevalence_from": 0.0},
    "θ drawn from λ = .1 on": {"prevalence_from": 0.1},
    "no pruning": {"prune_at": ()},
    "no placements": {"placements": 0},
    "every position a cut": {"cut_probability": every_position},
}


# What is about the number of topics is tried with too many of them as well.
WITH_TOO_MANY = ("default", "θ drawn throughout", "θ drawn from λ = .1 on", "no pruning")


@cache
def load(path: Path) -> Corpus:
    """Read a corpus once in every process."""
    return read_corpus(path, "whitespace")


def run(
    path: Path,
    n_topics: int,
    seed: int,
    *,
    sweeps: int = 100,
    annealing: float = 0.7,
    **settings: Any,
) -> dict[str, Any]:
    """Run one chain to its last sweep and score it."""
    corpus = load(path)
    priors, streams = Priors.for_documents(corpus.n_documents), Streams(seed)
    state = initial_state(corpus, n_topics, priors, streams.at(2**32, 0))
    meter = FastLogJoint.for_corpus(corpus, priors)
    of_moves = {
        k: v for k, v in settings.items() if k in ("rounds", "placements", "cut_probability")
    }
    of_schedule = {k: v for k, v in settings.items() if k not in of_moves}
    moves = blocked_moves(corpus, n_topics, priors, log_joint=meter, **of_moves)
    schedule = Schedule(round(annealing * sweeps), **of_schedule)
    started = time.perf_counter()
    trace = [
        info.log_joint
        for _, info in sample(state, moves, meter, streams, sweeps, schedule=schedule)
    ]
    return {
        "log_joint": float(np.mean(trace[-10:])),
        "seconds": time.perf_counter() - started,
        "topics_in_use": int(np.count_nonzero(state.bag.any(axis=0))),
        **scores(corpus, state),
        **({"unused": cost_of_unused(corpus, state, priors, seed)} if n_topics == 10 else {}),
    }


def scores(corpus: Corpus, state: State) -> dict[str, float]:
    """Score a state against the headings."""
    prediction = Prediction(state.all_topics(), corpus.document_offsets)
    segmentation = score_corpus_segmentation(corpus, prediction, "heading", "words")
    alignment = score_alignment(corpus.reference("heading"), prediction.topics)
    return {"f": alignment.f, "pk": segmentation.pk, "segments": segmentation.segments}


def cost_of_unused(corpus: Corpus, state: State, priors: Priors, seed: int) -> float:
    """Say what ten more topics cost a state that does not use them, in nats.

    They are put behind the others, without a unit; then all orders and ρ are drawn for a while
    given the bags. What is lost is mostly that every document has to say where they stand.
    """
    n_documents, n_topics = state.bag.shape
    more = 10
    bag = np.hstack([state.bag, np.zeros((n_documents, more), dtype=np.int64)])
    inversions = np.hstack([state.inversions, np.zeros((n_documents, more), dtype=np.int64)])
    dispersion = np.append(state.dispersion, np.ones(more))
    larger, meter = (
        make_state(corpus, bag, inversions, dispersion),
        FastLogJoint.for_corpus(corpus, priors),
    )
    before = meter(state)
    moves: list[Move] = [
        ResampleStructures(corpus, n_topics + more, priors, bag=False),
        ResampleDispersion(priors),
    ]
    trace = [info.log_joint for _, info in sample(larger, moves, meter, Streams(seed, 1), 60)]
    return before - float(np.mean(trace[30:]))


def missing_runs(done: list[dict[str, Any]], seeds: list[int]) -> list[dict[str, Any]]:
    """List the runs that are not in the file yet."""
    known = {(r["variant"], r["corpus"], r["n_topics"], r["seed"]) for r in done}
    return [
        {"variant": variant, "corpus": corpus, "n_topics": n_topics, "seed": seed}
        for variant in VARIANTS
        for n_topics in TOPICS
        for corpus in NAMES
        for seed in seeds
        if (variant, corpus, n_topics, seed) not in known
        and (n_topics == TOPICS[0] or variant in WITH_TOO_MANY)
    ]


def one(folder: Path, job: dict[str, Any]) -> dict[str, Any]:
    """Do one run of the study."""
    path = folder / f"{job['corpus']}.jsonl.gz"
    return {**job, **run(path, job["n_topics"], job["seed"], **VARIANTS[job["variant"]])}


def show(runs: list[dict[str, Any]]) -> None:
    """Print one table for each K, and how K = 20 compares with K = 10."""
    for n_topics in TOPICS:
        print(f"\nK = {n_topics}: nats above the default ± spread over seeds; F / Pk")
        print(f"| | {' | '.join(NAMES)} |\n|---|{'---|' * len(NAMES)}")
        for variant in VARIANTS if n_topics == TOPICS[0] else WITH_TOO_MANY:
            print(f"| {variant} | {' | '.join(cell(runs, variant, n, n_topics) for n in NAMES)} |")
    print("\n| | K = 10 | unused topics cost | so K = 20 should reach | K = 20 reaches |")
    print("|---|---|---|---|---|")
    for name in NAMES:
        ten, twenty = (pick(runs, "default", name, k) for k in TOPICS)
        if ten and twenty:
            low, cost = mean(ten, "log_joint"), mean(ten, "unused")
            reached = mean(twenty, "log_joint")
            print(f"| {name} | {low:,.0f} | {cost:,.0f} | {low - cost:,.0f} | {reached:,.0f} |")


def pick(
    runs: list[dict[str, Any]], variant: str, name: str, n_topics: int
) -> list[dict[str, Any]]:
    """Take the runs of one cell of the table."""
    wanted = (variant, name, n_topics)
    return [r for r in runs if (r["variant"], r["corpus"], r["n_topics"]) == wanted]


def mean(runs: list[dict[str, Any]], key: str) -> float:
    """Average one figure."""
    return float(np.mean([r[key] for r in runs]))


def cell(runs: list[dict[str, Any]], variant: str, name: str, n_topics: int) -> str:
    """Give the log joint beside the default's, and F and Pk."""
    mine, base = pick(runs, variant, name, n_topics), pick(runs, "default", name, n_topics)
    if not mine or not base:
        return ""
    level = mean(mine, "log_joint") - (variant != "default") * mean(base, "log_joint")
    spread = np.std([r["log_joint"] for r in mine], ddof=min(1, len(mine) - 1))
    sign = "" if variant == "default" else "+"
    return f"{level:{sign},.0f} ± {spread:,.0f}; {mean(mine, 'f'):.3f} / {mean(mine, 'pk'):.3f}"


def main() -> None:
    """Do what is missing, then print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("corpora", type=Path)
    parser.add_argument("--save", type=Path)
    parser.add_argument("--seeds", type=int, nargs="+", default=list(range(5)))
    parser.add_argument("--processes", type=int, default=2)
    asked = parser.parse_args()
    runs: list[dict[str, Any]] = []
    if asked.save and asked.save.exists():
        runs = [json.loads(line) for line in asked.save.read_text(encoding="utf-8").splitlines()]
    with ProcessPoolExecutor(asked.processes) as pool:
        jobs = [pool.submit(one, asked.corpora, job) for job in missing_runs(runs, asked.seeds)]
        for job in as_completed(jobs):
            runs.append(job.result())
            if asked.save:
                with asked.save.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(runs[-1]) + "\n")
    show(runs)


if __name__ == "__main__":
    main()
