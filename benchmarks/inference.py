"""What inference costs: beside LDA, the paper's moves and C++; on two threads; in memory.

    python benchmarks/inference.py CORPORA [--only PART ...] [--rounds N] [--json FILE]

CORPORA is a folder with cities_paper.jsonl.gz and cities_en.jsonl.gz. Figures with a target are
ratios of times measured side by side in this run, after compiling, or peaks of memory; seconds
are printed for orientation only. A missed target is named at the end; the exit code is 0 anyway.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import shutil
import subprocess
import tempfile
import time
from contextlib import nullcontext
from functools import partial
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from permutopic import ContentModel, Priors, read_corpus
from permutopic.baselines.lda import make_model
from permutopic.jit import compiled
from permutopic.model.blocked import resampling
from permutopic.model.blocked.engine import TableEngine, aligned_empty, every_position
from permutopic.model.blocked.moves import blocked_moves
from permutopic.model.blocked.postings import make_postings
from permutopic.model.generate import generate
from permutopic.model.joint import FastLogJoint
from permutopic.model.kernels import span_table
from permutopic.model.kernels.lanes import LANES
from permutopic.model.kernels.orders import fill_order, write_topics
from permutopic.model.kernels.preparation import at_cuts
from permutopic.model.kernels.span_table import STARTS
from permutopic.model.mcmc.convergence import co_occurrence, match_topics
from permutopic.model.mcmc.plan import Plan
from permutopic.model.mcmc.sampler import sample
from permutopic.model.paper.moves import paper_moves
from permutopic.model.state import initial_state
from permutopic.streams import Streams

from measuring import (
    Report,
    busy_process,
    in_fresh_process,
    peak_gigabytes,
    seconds,
    take_turns,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from permutopic.corpus import Corpus
    from permutopic.model.mcmc.sampler import Move
    from permutopic.model.state import State

LDA_SWEEPS, PAPER_SWEEPS, PAPER_MEASURED = 500, 10_000, 50
SOURCE = Path(__file__).with_name("span_table.cpp")


def measure_fit(path: Path) -> float:
    """Fit K = 20 for a few sweeps; the peak does not grow with more."""
    corpus = read_corpus(path, "whitespace")
    ContentModel(20, n_sweeps=3, random_state=0, n_jobs=1).fit(corpus)
    return peak_gigabytes()


def memory(folder: Path, report: Report) -> None:
    """Measure a fit of the largest corpus."""
    peak = in_fresh_process(measure_fit, folder / "cities_en.jsonl.gz")
    report.judge("peak memory, cities_en K=20, GB", peak, 1.5, at_most=True)


def agreement(found: NDArray[np.int64], true: NDArray[np.int64], n_topics: int) -> int:
    """Count the units that agree when topics are matched one to one."""
    together = co_occurrence(found, true, n_topics)
    return int(together[np.arange(n_topics), match_topics(together)].sum())


def follow_long_document(n_units: int, n_topics: int, n_sweeps: int) -> dict[str, Any]:
    """Draw a long document and twenty ordinary ones from the model, and run a chain on them.

    β0 is such that words tell topics apart, but leave the places of boundaries in doubt.
    """
    priors = Priors.for_documents(21, topic=5.0, word=5.0)
    sizes: dict[str, Any] = {"units": [n_units] + [30] * 20, "unit_words": 40, "n_words": 1000}
    corpus, truth = generate(n_topics, priors, np.random.default_rng(0), n_documents=21, **sizes)
    log_joint, schedule = (
        FastLogJoint.for_corpus(corpus, priors),
        Plan.of(n_sweeps).schedule,
    )
    true_topics, true_log_joint = truth.topics(0), log_joint(truth)
    state = initial_state(corpus, n_topics, priors, np.random.default_rng(1))
    moves = blocked_moves(corpus, n_topics, priors)
    below, changed, right = [], [], []
    before, ticks = state.topics(0), [time.perf_counter()]
    for _, info in sample(state, moves, log_joint, Streams(1), n_sweeps, schedule=schedule):
        ticks.append(time.perf_counter())
        now = state.topics(0)
        below.append(round(true_log_joint - info.log_joint))
        right.append(round(agreement(now, true_topics, n_topics) / n_units, 4))
        if info.inverse_temperature == 1:
            changed.append(n_units - agreement(now, before, n_topics))
        before = now
    shown = [sweep for sweep in range(n_sweeps) if sweep == 0 or (sweep + 1) % 10 == 0]
    return {
        "peak": peak_gigabytes(),
        "right": right[-1],
        "seconds a sweep": round(float(np.median(np.diff(ticks))), 4),
        "nats below the true structure, by sweep": {s + 1: below[s] for s in shown},
        "share of units in the right topic, by sweep": {s + 1: right[s] for s in shown},
        "units that changed topic in each sweep at τ = 1": changed,
    }


def long_document(report: Report, n_units: int = 10_000, n_sweeps: int = 100) -> None:
    """Fit a corpus with one very long document, and see whether it goes on mixing."""
    found = in_fresh_process(follow_long_document, n_units, 20, n_sweeps)
    name = f"peak memory, {n_units:,} paragraphs K=20, GB"
    report.judge(name, found.pop("peak"), 3.0, at_most=True)
    report.judge("units in the right topic, the same", found.pop("right"), 0.99, at_most=False)
    for fact, value in found.items():
        report.tell(f"long document: {fact}", value)


def sweep_once(state: State, moves: Sequence[Move], streams: Streams, sweep: int) -> None:
    """Make all moves of one sweep at inverse temperature 1."""
    for number, move in enumerate(moves):
        move(state, partial(streams.at, sweep, number))


def lda_of(corpus: Corpus, n_topics: int) -> Any:
    """Give tomotopy's LDA the paragraphs as documents, ready to train."""
    lda = make_model(corpus, n_topics, seed=1)
    lda.train(0, workers=1)
    return lda


def time_fits(corpus: Corpus, rounds: int) -> dict[str, float]:
    """Take turns: a fit, a slice of LDA's sweeps, a slice of the paper's; all on one thread.

    LDA and the paper's moves go on where they stopped, and speed up as they settle; so the slices
    are summed and the fits averaged, and whatever else the machine does burdens all alike.
    """
    n_topics = 10
    priors, streams = Priors.for_documents(corpus.n_documents), Streams(0)
    state = initial_state(corpus, n_topics, priors, np.random.default_rng(0))
    moves = paper_moves(corpus, n_topics, priors)
    sweep_once(state.copy(), moves, streams, 0)
    ContentModel(n_topics, random_state=0, n_sweeps=2).fit(corpus)
    fit = partial(ContentModel(n_topics, random_state=0, n_jobs=1).fit, corpus)
    lda = lda_of(corpus, n_topics) if find_spec("tomotopy") else None
    spent = {"fit": 0.0, "paper": 0.0} | ({"lda": 0.0} if lda else {})
    lda_ends = np.linspace(0, LDA_SWEEPS, rounds + 1).astype(int)
    paper_ends = np.linspace(0, PAPER_MEASURED, rounds + 1).astype(int)
    for now in range(rounds):
        spent["fit"] += seconds(fit) / rounds
        if lda is not None:
            n_sweeps = int(lda_ends[now + 1] - lda_ends[now])
            spent["lda"] += seconds(partial(lda.train, n_sweeps, workers=1))
        for sweep in range(paper_ends[now], paper_ends[now + 1]):
            spent["paper"] += seconds(partial(sweep_once, state, moves, streams, sweep))
    return {part: round(time, 4) for part, time in spent.items()}


def fits(folder: Path, report: Report, rounds: int) -> None:
    """Compare the default fit with what else one would wait for."""
    spent = time_fits(read_corpus(folder / "cities_paper.jsonl.gz", "whitespace"), rounds)
    where = "cities_paper K=10"
    if "lda" in spent:
        name = f"fit / {LDA_SWEEPS} sweeps of LDA, {where}"
        report.judge(name, spent["fit"] / spent["lda"], 1.0, at_most=True)
    else:
        report.leave_out("the fit beside LDA", "no tomotopy: pip install 'permutopic[lda]'")
    paper = spent["paper"] / PAPER_MEASURED * PAPER_SWEEPS
    name = f"fit / {PAPER_SWEEPS:,} sweeps of the paper's, {where}"
    report.judge(name, spent["fit"] / paper, 0.01, at_most=True)
    report.tell(f"{where}: seconds", {**spent, "paper": paper})


def time_threads(
    corpus: Corpus, n_topics: int, repeats: int, *, disturbed: bool = False
) -> dict[str, float]:
    """Time sweeps of two equal chains in turns, one on one thread and the other on two.

    Where a third process disturbs, the mean counts: the shortest time would be that of good luck.
    """
    priors = Priors.for_documents(corpus.n_documents)
    settled = initial_state(corpus, n_topics, priors, np.random.default_rng(0))
    moves = {n: blocked_moves(corpus, n_topics, priors, n_threads=n) for n in (1, 2)}
    for sweep in range(5):
        sweep_once(settled, moves[2], Streams(0), sweep)
    chains = {n_threads: settled.copy() for n_threads in moves}
    sweeps = {n_threads: count() for n_threads in moves}

    def one_sweep(n_threads: int) -> None:
        sweep_once(chains[n_threads], moves[n_threads], Streams(1), next(sweeps[n_threads]))

    jobs: dict[str, Callable[[], object]] = {
        "one": partial(one_sweep, 1),
        "two": partial(one_sweep, 2),
    }
    with busy_process() if disturbed else nullcontext():
        best = take_turns(jobs, repeats, fmean if disturbed else min)
    for one, two in zip(*(vars(chain).values() for chain in chains.values()), strict=True):
        if not np.array_equal(one, two):
            raise AssertionError("two threads must give what one gives, to the last bit")
    return best


def threads(folder: Path, report: Report) -> None:
    """Compare two threads with one on the largest corpus."""
    corpus = read_corpus(folder / "cities_en.jsonl.gz", "whitespace")
    for name, target, repeats, disturbed in (
        ("one thread / two, cities_en K=20", 1.75, 8, False),
        ("the same beside a busy process", 1.0, 16, True),
    ):
        best = time_threads(corpus, 20, repeats, disturbed=disturbed)
        report.judge(name, best["one"] / best["two"], target, at_most=False)
        shown = {n_threads: round(time, 4) for n_threads, time in best.items()}
        report.tell("seconds a sweep", shown)


class TableWork(NamedTuple):
    """All that filling one document's span table is given."""

    scores: NDArray[np.float64]
    text: span_table.CutDocument
    rows: NDArray[np.float64]
    factors: span_table.TopicFactors
    scratch: span_table.Scratch

    def fill(self) -> None:
        """Fill the table as the engine does on one thread."""
        span_table.fill_spans(*self, 0, 1)

    def multiplications(self) -> int:
        """Count the products, those of vector lanes and starts in vain included."""
        cut_tokens = self.text.cut_tokens
        walked = int((cut_tokens[-1] - cut_tokens[: self.scores.shape[1] : STARTS]).sum())
        return walked * STARTS * LANES * int(self.rows.shape[0])


def table_work(corpus: Corpus, n_topics: int, document: int) -> TableWork:
    """Give what the table of a document is made of, every place a cut, its words taken out."""
    priors = Priors.for_documents(corpus.n_documents)
    engine = TableEngine(corpus, n_topics, priors, cut_probability=every_position)
    state = initial_state(corpus, n_topics, priors, np.random.default_rng(0))
    local = engine.documents[document]
    postings, offsets = make_postings(local), local.offsets
    counts = resampling.TokenCounts(state.word_counts, state.topic_tokens)
    topics, n_words = np.empty(offsets.size - 1, dtype=np.int64), postings.words.size
    bag, order = state.bag[document], np.empty(n_topics, dtype=np.int64)
    fill_order(order, state.inversions[document])
    write_topics(topics, order, bag)
    resampling.add_topic_tokens(counts.topics, offsets, order, bag, -1)
    resampling.update_word_counts(postings, topics, counts.words, -1, 0, n_words)
    rows = aligned_empty(-(-n_topics // LANES) * n_words * LANES).reshape((-1, n_words, LANES))
    span_table.gather_rows(rows, postings.words, counts.words, np.arange(n_topics), priors.word)
    width = -(-offsets.size // LANES) * LANES
    return TableWork(
        np.empty((n_topics, offsets.size - 1, width)),
        at_cuts(local, np.arange(offsets.size)),
        rows,
        span_table.TopicFactors(counts.topics, engine.log_gamma, engine.block),
        span_table.make_scratch(n_words, offsets.size),
    )


def compile_yardstick(folder: Path) -> ctypes.CDLL | None:
    """Compile the same loops in C++; None where there is no compiler."""
    compiler = shutil.which("g++")
    if compiler is None:
        return None
    library = folder / "span_table.so"
    options = ["-O3", "-march=native", "-shared", "-fPIC"]
    subprocess.run([compiler, *options, "-o", library, SOURCE], check=True)  # noqa: S603
    return ctypes.CDLL(str(library))


def yardstick(library: ctypes.CDLL, name: str, work: TableWork) -> Callable[[], object]:
    """Bind a function of the yardstick to the arrays that the compiled Python works on."""
    scores, text, rows, factors, scratch = work
    arguments = (
        *(scores, *scores.shape),
        *(text.tokens, text.cut_tokens, text.reach, text.cut_tokens.size),
        *(rows, rows.shape[1], factors.topic_tokens, factors.log_gamma, factors.block),
        *scratch[:5],
    )
    function = library[name]
    function.restype = None
    return partial(function, *(_as_c(argument) for argument in arguments))


def _as_c(argument: NDArray[Any] | int) -> ctypes.c_void_p | ctypes.c_int64:
    if isinstance(argument, int):
        return ctypes.c_int64(argument)
    if not argument.flags.c_contiguous:
        raise AssertionError("the yardstick takes whole arrays")
    return argument.ctypes.data_as(ctypes.c_void_p)


def check_same_table(work: TableWork, other: Callable[[], object]) -> None:
    """Hold the yardstick to the table of the compiled Python."""
    work.scores[:] = 0
    work.fill()
    ours = work.scores.copy()
    work.scores[:] = 0
    other()
    if not ours.any() or not np.allclose(ours, work.scores, rtol=0, atol=1e-9):
        raise AssertionError("the span table in C++ is another one")


def beside_cpp(work: TableWork, library: ctypes.CDLL, repeats: int) -> dict[str, float]:
    """Time both shapes of the yardstick and the compiled Python in turns."""
    jobs: dict[str, Callable[[], object]] = {"ours": work.fill}
    for shape in ("plain", "vectors"):
        jobs[shape] = yardstick(library, f"fill_spans_{shape}", work)
        check_same_table(work, jobs[shape])
    return take_turns(jobs, repeats)


def _walk_partly(
    work: TableWork, tokens: NDArray[np.int32], with_exponents: bool, with_logs: bool
) -> None:
    """Go through the document as `fill_spans` does, leaving parts of the work out.

    Without shedding exponents, products go back to one instead: out of range they would be slow.
    """
    scores, text, all_rows, factors, scratch = work
    cut_tokens, products, exponents = text.cut_tokens, scratch.products, scratch.exponents
    for number in range(span_table.count_blocks(cut_tokens.size, scores.shape[0])):
        topic, first = span_table.corner_of(number, cut_tokens.size, LANES)
        rows, width = all_rows[topic // LANES].ravel(), min(LANES, scores.shape[0] - topic)
        n_stored = cut_tokens.size - first - 1
        scratch.seen[: text.reach[first] * STARTS] = 0.0
        products[:] = 1.0
        exponents[:] = 0.0
        for cut in range(first + 1, cut_tokens.size):
            here, end = cut_tokens[cut - 1], cut_tokens[cut]
            while here < end:
                stop = min(end, here + factors.block)
                span_table.multiply_tokens(tokens, here, stop, rows, scratch.seen, products)
                if with_exponents:
                    span_table.extract_exponents(products, exponents)
                else:
                    products[:] = 1.0
                here = stop
            if with_logs:
                span_table.store_at_cut(scratch, cut - first - 1, n_stored, width)
        if with_logs:
            n_logs = width * STARTS * n_stored
            span_table.take_logs(scratch.logs[:n_logs], scratch.log2_scales[:n_logs])


# With the package's options. Not kept on disk, as only the package's own functions are.
walk_partly = compiled(_walk_partly)


def what_bounds(work: TableWork, report: Report, name: str, repeats: int) -> None:
    """Report the rate of multiplications, and where the rest of the time goes, part by part.

    A text of 64 words in turns stays in the nearest cache: waiting for memory, it would be faster.
    """
    tokens = work.text.tokens
    few = (np.arange(tokens.size) % min(64, work.text.words.size)).astype(np.int32)
    jobs: dict[str, Callable[[], object]] = {
        "multiplying": partial(walk_partly, work, tokens, False, False),
        "exponents": partial(walk_partly, work, tokens, True, False),
        "logarithms": partial(walk_partly, work, tokens, True, True),
        "finishing and the rest": work.fill,
        "64 words": partial(walk_partly, work, few, False, False),
    }
    take_turns(jobs, 1)  # compiles
    best = take_turns(jobs, repeats)
    shown = {"table": "finishing and the rest", "inner loop": "multiplying", "64 words": "64 words"}
    billions = work.multiplications() / 1e9
    rates = {what: round(billions / best[part], 2) for what, part in shown.items()}
    report.tell(f"{name}: multiplications a nanosecond", rates)
    del best["64 words"]
    steps = np.diff([0.0, *best.values()]) / best["finishing and the rest"]
    shares = {part: round(float(step), 3) for part, step in zip(best, steps, strict=True)}
    report.tell(f"{name}: shares of the time", shares)


def table(folder: Path, report: Report, repeats: int = 300) -> None:
    """Compare the span table with C++ on the document of median length."""
    corpus = read_corpus(folder / "cities_paper.jsonl.gz", "whitespace")
    document = int(np.argsort(corpus.document_sizes, kind="stable")[corpus.n_documents // 2])
    with tempfile.TemporaryDirectory() as room:
        library = compile_yardstick(Path(room))
        if library is None:
            report.leave_out("the span table beside C++", "no g++")
        for n_topics in (10, 20):
            name = f"table K={n_topics}"
            work = table_work(corpus, n_topics, document)
            if library is not None:
                best = beside_cpp(work, library, repeats)
                ratio = min(best["plain"], best["vectors"]) / best["ours"]
                report.judge(f"C++ / ours, {name}, cities_paper", ratio, 0.9, at_most=False)
                shown = {shape: round(1000 * time, 4) for shape, time in best.items()}
                report.tell(f"{name}: milliseconds", shown)
            what_bounds(work, report, name, repeats)


PARTS = ("memory", "long", "fits", "threads", "table")


def main() -> None:
    """Measure what was asked for."""
    parser = argparse.ArgumentParser(description="What inference costs.")
    parser.add_argument("corpora", type=Path, nargs="?")
    parser.add_argument("--only", nargs="*", choices=PARTS, default=PARTS)
    parser.add_argument("--rounds", type=int, default=5, help="fits, in turns with LDA")
    parser.add_argument("--json", type=Path, help="where to keep the figures")
    asked = parser.parse_args()
    report, folder = Report(), asked.corpora
    parts: dict[str, Callable[[], None]] = {"long": partial(long_document, report)}
    if folder is not None and folder.is_dir():
        parts |= {
            "memory": partial(memory, folder, report),
            "fits": partial(fits, folder, report, asked.rounds),
            "threads": partial(threads, folder, report),
            "table": partial(table, folder, report),
        }
    for part in PARTS:  # memory first: see peak_gigabytes
        if part in asked.only:
            measure = parts.get(part, partial(report.leave_out, part, "no folder with corpora"))
            measure()
    print(f"\n{report.summary()}")
    if asked.json:
        asked.json.write_text(json.dumps(report.as_dict(), indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
