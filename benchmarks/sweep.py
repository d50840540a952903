"""What a sweep of the paper's moves costs: beside plain Python, and as corpora grow.

A sweep is timed without its step of ρ, K−1 numbers that take under a millisecond.

    python benchmarks/sweep.py CORPORA

CORPORA is a folder with elements_paper.jsonl.gz and cities_paper.jsonl.gz. All figures are ratios
of times measured side by side in this run; milliseconds are printed for orientation only.
"""

from __future__ import annotations

import sys
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from permutopic.ingest.pipeline import read_corpus
from permutopic.model.generate import generate
from permutopic.model.joint import FastLogJoint
from permutopic.model.mcmc.sampler import Move, sample
from permutopic.model.paper.moves import ResampleStructures, paper_moves
from permutopic.model.priors import Priors
from permutopic.model.state import State, initial_state
from permutopic.streams import Streams

from plain import PlainSweep

if TYPE_CHECKING:
    from permutopic.corpus import Corpus

SETTLE, REPEATS, N_PLAIN = 30, 9, 10


def settled_state(corpus: Corpus, n_topics: int, priors: Priors, sweeps: int = SETTLE) -> State:
    """Run a chain past its wild beginning, where a sweep costs more than later."""
    streams = Streams(0)
    state = initial_state(corpus, n_topics, priors, np.random.default_rng(0))
    meter = FastLogJoint.for_corpus(corpus, priors)
    for _ in sample(state, paper_moves(corpus, n_topics, priors), meter, streams, sweeps):
        pass
    return state


def side_by_side(sweeps: dict[str, tuple[Move, State]], repeats: int) -> dict[str, float]:
    """Time one sweep of each move from its state, in turns; the shortest time of each counts.

    Taking turns spreads whatever else the machine does evenly; the shortest time has least of it.
    """
    best = dict.fromkeys(sweeps, np.inf)
    for _ in range(repeats):
        for name, (move, state) in sweeps.items():
            streams, copy = Streams(1), state.copy()
            started = time.perf_counter()
            move(copy, partial(streams.at, 0, 0))
            best[name] = min(best[name], time.perf_counter() - started)
    return best


def beside_plain_python(corpus: Corpus, name: str, n_topics: int) -> None:
    """Compare the compiled sweep with the plain one on the first ten documents, and check both."""
    priors = Priors.for_documents(corpus.n_documents)
    state = settled_state(corpus, n_topics, priors)
    few = ResampleStructures(corpus, n_topics, priors)
    few.documents = few.documents[:N_PLAIN]
    plain = PlainSweep(corpus, priors, N_PLAIN)
    ours, theirs = state.copy(), state.copy()
    few(ours, partial(Streams(1).at, 0, 0))
    plain(theirs, partial(Streams(1).at, 0, 0))
    same = np.array_equal(ours.bag, theirs.bag)
    if not same or not np.array_equal(ours.inversions, theirs.inversions):
        sys.exit("the plain sweep and the compiled one made different draws")
    tenth = side_by_side({"few": (few, state), "plain": (plain, state)}, 3)
    whole = side_by_side(
        {
            fill: (ResampleStructures(corpus, n_topics, priors, fill=fill), state)
            for fill in ("lazy", "full")
        },
        REPEATS,
    )
    print(
        f"  {name:16} K={n_topics:<3} {1000 * whole['lazy']:8.1f} ms   "
        f"plain/compiled {tenth['plain'] / tenth['few']:7.0f} ×   "
        f"full table/lazy {whole['full'] / whole['lazy']:5.2f} ×"
    )


def growth(title: str, key: str, values: list[int]) -> None:
    """Show how the cost of a sweep grows with one size, as ratios to the smallest."""
    sizes = {"n_documents": 50, "units": 20, "n_topics": 10}
    print(f"\n{title} (the rest: {', '.join(f'{k}={v}' for k, v in sizes.items() if k != key)})")
    sweeps: dict[str, tuple[Move, State]] = {}
    for value in values:
        asked = {**sizes, key: value}
        n_topics = asked["n_topics"]
        priors = Priors.for_documents(asked["n_documents"], topic=5.0)
        corpus, _ = generate(
            n_topics,
            priors,
            np.random.default_rng(0),
            n_documents=asked["n_documents"],
            units=asked["units"],
            unit_words=60,
            n_words=5000,
        )
        state = settled_state(corpus, n_topics, priors)
        for fill in ("lazy", "full"):
            move = ResampleStructures(corpus, n_topics, priors, fill=fill)
            sweeps[f"{fill} {value}"] = (move, state)
    best = side_by_side(sweeps, REPEATS)
    for value in values:
        lazy, full = best[f"lazy {value}"], best[f"full {value}"]
        grown = lazy / best[f"lazy {values[0]}"]
        print(
            f"  {value:5}  {1000 * lazy:8.1f} ms  {grown:6.2f} × the first   "
            f"full table/lazy {full / lazy:5.2f} ×"
        )


def main() -> None:
    """Print all tables."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    if folder is not None and folder.is_dir():
        print("All documents visited once (eq. 10 and 11) after 30 sweeps, spans scored lazily;")
        print(f"plain: the first {N_PLAIN} documents, beside the same ones compiled")
        for name in ("elements_paper", "cities_paper"):
            corpus = read_corpus(folder / f"{name}.jsonl.gz", "whitespace")
            for n_topics in (10, 20):
                beside_plain_python(corpus, name, n_topics)
    else:
        print(f"NOT RUN: the comparison with plain Python ({folder or 'no folder'}: no corpora)")
    growth("Documents", "n_documents", [25, 50, 100, 200])
    growth("Units a document", "units", [10, 20, 40, 80, 160])
    growth("Topics", "n_topics", [5, 10, 20, 40])


if __name__ == "__main__":
    main()
