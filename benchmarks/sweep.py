"""What a sweep of the paper's moves costs: beside plain Python, and as corpora grow.

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

from permutopic.model.generate import generate
from permutopic.model.moves import Move, ResampleStructures, paper_moves
from permutopic.model.priors import Priors
from permutopic.model.sampler import sample
from permutopic.model.state import State, initial_state
from permutopic.readers.sections import read_corpus
from permutopic.streams import Streams

from plain import PlainSweep

if TYPE_CHECKING:
    from collections.abc import Callable

    from permutopic.corpus import Corpus

SETTLE, REPEATS = 30, 5


def settled_state(corpus: Corpus, n_topics: int, priors: Priors, sweeps: int = SETTLE) -> State:
    """Run a chain past its wild beginning, where a sweep costs more than later."""
    streams = Streams(0)
    state = initial_state(corpus, n_topics, priors, np.random.default_rng(0))
    for _ in sample(state, paper_moves(corpus, n_topics, priors), priors, streams, sweeps):
        pass
    return state


def seconds(action: Callable[[], object], repeats: int = REPEATS) -> float:
    """Time an action: the median of a few runs."""
    found = []
    for _ in range(repeats):
        started = time.perf_counter()
        action()
        found.append(time.perf_counter() - started)
    return float(np.median(found))


def time_move(move: Move, state: State, repeats: int = REPEATS) -> float:
    """Time one sweep of a move, each time from the same state."""
    streams = Streams(1)
    states = iter([state.copy() for _ in range(repeats)])
    return seconds(lambda: move(next(states), partial(streams.at, 0, 0)), repeats)


def beside_plain_python(corpus: Corpus, name: str, n_topics: int) -> None:
    """Compare the compiled sweep with the plain one on the first ten documents, and check both."""
    priors = Priors.for_documents(corpus.n_documents)
    state = settled_state(corpus, n_topics, priors)
    lazy = ResampleStructures(corpus, n_topics, priors)
    full = ResampleStructures(corpus, n_topics, priors, fill="full")
    n_documents = 10
    few = ResampleStructures(corpus, n_topics, priors)
    few.documents = few.documents[:n_documents]
    plain = PlainSweep(corpus, priors, n_documents)
    ours, theirs = state.copy(), state.copy()
    few(ours, partial(Streams(1).at, 0, 0))
    plain(theirs, partial(Streams(1).at, 0, 0))
    if not np.array_equal(ours.bag, theirs.bag):
        sys.exit("the plain sweep and the compiled one made different draws")
    lazy_time, full_time = time_move(lazy, state), time_move(full, state)
    ratio = time_move(plain, state, 1) / time_move(few, state)
    print(
        f"  {name:16} K={n_topics:<3} {1000 * lazy_time:8.1f} ms   plain/compiled {ratio:7.0f} ×   "
        f"full table/lazy {full_time / lazy_time:5.2f} ×"
    )


def growth(title: str, key: str, values: list[int]) -> None:
    """Show how the cost of a sweep grows with one size, as ratios to the smallest."""
    sizes = {"n_documents": 50, "units": 20, "n_topics": 10}
    print(f"\n{title} (the rest: {', '.join(f'{k}={v}' for k, v in sizes.items() if k != key)})")
    first = 0.0
    for value in values:
        asked = {**sizes, key: value}
        priors = Priors.for_documents(asked["n_documents"], topic=5.0)
        corpus, _ = generate(
            asked["n_topics"],
            priors,
            np.random.default_rng(0),
            n_documents=asked["n_documents"],
            units=asked["units"],
            unit_words=60,
            n_words=5000,
        )
        state = settled_state(corpus, asked["n_topics"], priors)
        lazy, full = (
            time_move(ResampleStructures(corpus, asked["n_topics"], priors, fill=fill), state)
            for fill in ("lazy", "full")
        )
        first = first or lazy
        print(
            f"  {value:5}  {1000 * lazy:8.1f} ms  {lazy / first:6.2f} × the first   "
            f"full table/lazy {full / lazy:5.2f} ×"
        )


def main() -> None:
    """Print all tables."""
    if len(sys.argv) != 2 or not Path(sys.argv[1]).is_dir():
        sys.exit("usage: python benchmarks/sweep.py CORPORA (a folder; none was found)")
    print("One sweep of the paper's moves after 30, lazy span scores; plain: first 10 documents")
    for name in ("elements_paper", "cities_paper"):
        corpus = read_corpus(Path(sys.argv[1]) / f"{name}.jsonl.gz", "whitespace")
        for n_topics in (10, 20):
            beside_plain_python(corpus, name, n_topics)
    growth("Documents", "n_documents", [25, 50, 100, 200])
    growth("Units a document", "units", [10, 20, 40, 80, 160])
    growth("Topics", "n_topics", [5, 10, 20, 40])


if __name__ == "__main__":
    main()
