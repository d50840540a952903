"""Compare our implementations of rivals with the original programs, and measure their times.

    python benchmarks/rivals.py DATA [--only originals htmm speed] [--seeds 0 1 2 3 4] [--json FILE]

DATA is a folder with corpora/ and reference/. `originals` and `htmm` have targets: the exit code is
1 if one is missed. `speed` prints ratios of times measured in the same run, after compilation, with
their expected values; times do not affect the exit code.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from permutopic import Priors, Tokens, read_corpus
from permutopic.baselines import bayesseg, c99, clustering, htmm, textseg, texttiling
from permutopic.baselines.bayesseg_learning import segment_statistics
from permutopic.baselines.c99_kernels import local_ranks, squared_cosines
from permutopic.baselines.local_tokens import local_tokens
from permutopic.baselines.order_search import best_order
from permutopic.baselines.segment_kernels import best_segmentation, best_segmentation_any_number
from permutopic.baselines.texttiling_kernels import gap_similarities
from permutopic.evaluation.evaluate import score_corpus_segmentation
from permutopic.metrics import score_alignment
from permutopic.model.generate import generate

from measuring import seconds

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from permutopic.corpus import Corpus
    from permutopic.results.prediction import Prediction

    Jobs = Mapping[str, Callable[[], object]]

CORPORA = ("cities_paper", "elements_paper")

# Results of the original programs (reference/README.md): Pk, WindowDiff, and segments per document
# if the program chooses their number.
ERRORS: dict[tuple[str, str], tuple[float, ...]] = {
    ("cities_paper", "textseg"): (0.3507, 0.4198),
    ("cities_paper", "textseg-auto"): (0.3630, 0.3822, 5.5),
    ("cities_paper", "bayesseg 0.2"): (0.3237, 0.3854),
    ("cities_paper", "bayesseg learned"): (0.3103, 0.3665),
    ("elements_paper", "textseg"): (0.2532, 0.2912),
    ("elements_paper", "textseg-auto"): (0.2858, 0.3037, 4.8),
    ("elements_paper", "bayesseg 0.2"): (0.2488, 0.2805),
    ("elements_paper", "bayesseg learned"): (0.2504, 0.2867),
}
# CLUTO 2.1.1, rb, one seed, by corpus, tokens and K: recall, precision, F against headings. Its
# stems are Porter's, ours Snowball's English ones, which are nearly the same.
CLUTO = {
    ("cities_paper", "raw", 10): (0.597, 0.330, 0.425),
    ("cities_paper", "raw", 20): (0.482, 0.375, 0.421),
    ("cities_paper", "stems", 10): (0.609, 0.344, 0.439),
    ("cities_paper", "stems", 20): (0.509, 0.385, 0.439),
    ("elements_paper", "raw", 10): (0.516, 0.338, 0.409),
    ("elements_paper", "raw", 20): (0.432, 0.387, 0.408),
    ("elements_paper", "stems", 10): (0.536, 0.361, 0.431),
    ("elements_paper", "stems", 20): (0.425, 0.381, 0.402),
}
CLUTO_I2 = {("cities_paper", "raw", 10): 1116.0, ("elements_paper", "raw", 10): 562.0}
# Chen et al. 2009, tables of section 6.2: F of HTMM against noisy headings.
PUBLISHED = {
    ("cities_paper", 10): 0.265,
    ("cities_paper", 20): 0.232,
    ("elements_paper", 10): 0.264,
    ("elements_paper", 20): 0.246,
}
MAX_COST_DIFFERENCE, MIN_I2_RATIO, MAX_F_DEFICIT = 1e-6, 0.99, 0.02
ROUNDING = 1e-12
"""Relative decrease of the objective, a long sum, that is within rounding error."""
TIE = 1e-9
PRIOR = 0.2


class Report:
    """Prints tables, and stores them with all figures that have a target."""

    def __init__(self) -> None:
        self.figures: list[dict[str, Any]] = []
        self.tables: list[dict[str, Any]] = []
        self.skipped: list[str] = []

    def judge(self, name: str, value: float, limit: float, *, at_most: bool) -> str:
        """Record a figure with its target; return "ok" or by how much it is missed."""
        value, limit = float(value), float(limit)  # numpy scalars are not JSON
        beyond = value - limit if at_most else limit - value
        ok = beyond <= 0  # False for nan
        self.figures.append(
            {"name": name, "value": value, "limit": limit, "at_most": at_most, "ok": ok}
        )
        return "ok" if ok else f"MISSED by {beyond:.2g}"

    def table(self, title: str, header: str, rows: Sequence[Sequence[str]]) -> None:
        """Print a Markdown table; the columns of the header are separated by semicolons."""
        columns = header.split("; ")
        self.tables.append({"title": title, "columns": columns, "rows": [list(r) for r in rows]})
        lines = [columns, ["---"] * len(columns), *rows]
        print(f"\n{title}\n")
        print("\n".join(f"| {' | '.join(line)} |" for line in lines), flush=True)

    def skip(self, part: str, why: str) -> None:
        """Record that a part was not measured."""
        self.skipped.append(part)
        print(f"\nNOT RUN: {part} ({why})", flush=True)

    def missed(self) -> list[str]:
        """Return the names of missed targets."""
        return [figure["name"] for figure in self.figures if not figure["ok"]]

    def summary(self) -> str:
        """Return the number of targets met, and the names of the others."""
        missed = self.missed()
        met = f"{len(self.figures) - len(missed)} of {len(self.figures)} targets met"
        lines = [*(f"MISSED: {name}" for name in missed), *(f"NOT RUN: {p}" for p in self.skipped)]
        return "\n".join([met, *lines])

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {"figures": self.figures, "tables": self.tables, "not_run": self.skipped}


def mean_and_std(values: Sequence[float]) -> str:
    """Format the mean, with the standard deviation of several values."""
    shown = f"{np.mean(values):.3f}"
    return f"{shown} ± {np.std(values, ddof=1):.3f}" if len(values) > 1 else shown


class Agreement(NamedTuple):
    """Documents in all, with the same ends, with tied scores; largest relative cost difference."""

    documents: int
    same: int
    ties: int
    cost: float


def compare_with_original(
    corpus: Corpus,
    found: Prediction,
    stored: Mapping[str, Mapping[str, Any]],
    score: Callable[[int, Sequence[int]], float] | None = None,
) -> Agreement:
    """Compare ends, and costs if stored, with those of the original program.

    If `score` is given, different ends with the same score count as ties.
    """
    same, ties, worst = 0, 0, 0.0
    for title, theirs in stored.items():
        document = corpus.titles.index(title)
        ours = found.ends(document).tolist()
        if ours == theirs["ends"]:
            same += 1
        elif score is not None:
            one, other = score(document, ours), score(document, theirs["ends"])
            ties += abs(one - other) <= TIE * abs(other)
        if "cost" in theirs:
            cost = found.by_document["cost"][document]
            worst = max(worst, abs(cost / theirs["cost"] - 1))
    return Agreement(len(stored), same, ties, worst)


def bayesseg_score(corpus: Corpus, document: int, ends: Sequence[int]) -> float:
    """Score given segments of one document with the fixed prior."""
    return segment_statistics(
        [local_tokens(corpus, document)], [np.array(ends)]
    ).word_log_likelihood(PRIOR)


def segmenters(folder: Path, name: str, report: Report) -> tuple[list[list[str]], list[list[str]]]:
    """Segment one corpus by all segmenters with an original; return rows of ends and of errors."""
    path = folder / f"corpora/{name}.jsonl.gz"
    stored = json.loads((folder / "reference/segmentations.json").read_text(encoding="utf-8"))[name]
    spaced, plain = read_corpus(path, "whitespace"), read_corpus(path, "ascii")
    found = {
        "textseg": (spaced, textseg.predict(spaced), "textseg_given"),
        "textseg-auto": (spaced, textseg.predict(spaced, auto=True), "textseg_auto"),
        "bayesseg 0.2": (plain, bayesseg.predict(plain, prior=PRIOR), "bayesseg_prior0.2"),
        "bayesseg learned": (plain, bayesseg.predict(plain), ""),
    }
    ends, errors = [], []
    for rival, (corpus, prediction, mode) in found.items():
        if mode:
            theirs = {title: modes[mode] for title, modes in stored.items()}
            score = None if "textseg" in rival else partial(bayesseg_score, corpus)
            beside = compare_with_original(corpus, prediction, theirs, score)
            which, enough = f"{rival}, {name}: documents cut the same", beside.documents
            alike = report.judge(which, beside.same + beside.ties, enough, at_most=False)
            shown, verdict = "–", "the original has none"
            if score is None:
                shown, which = f"{beside.cost:.1e}", f"{rival}, {name}: cost, relative difference"
                verdict = report.judge(which, beside.cost, MAX_COST_DIFFERENCE, at_most=True)
            cut = f"{beside.same} of {beside.documents}"
            ends.append([name, rival, cut, str(beside.ties), alike, shown, verdict])
        errors.append([name, rival, *error_columns(corpus, prediction, ERRORS[name, rival])])
    return ends, errors


def error_columns(
    corpus: Corpus, prediction: Prediction, theirs: tuple[float, ...]
) -> tuple[str, ...]:
    """Format Pk, WindowDiff and segments, each followed by that of the original."""
    ours = score_corpus_segmentation(corpus, prediction, "heading", "words")
    chosen = f"{theirs[2]:.1f}" if len(theirs) > 2 else "as told"
    return (
        f"{ours.pk:.4f} ({theirs[0]:.4f})",
        f"{ours.windowdiff:.4f} ({theirs[1]:.4f})",
        f"{ours.segments:.1f} ({chosen})",
    )


def clusters(
    corpus: Corpus, key: tuple[str, str, int], seeds: Sequence[int], report: Report
) -> list[list[str]]:
    """Cluster one corpus by `rb` and `rbr`, and compare the former with CLUTO's results."""
    rows = []
    name, headings = f"{key[0]}, {key[1]}, K={key[2]}", corpus.reference("heading")
    theirs, their_i2 = CLUTO[key], CLUTO_I2.get(key)
    for way, refined in (("rb", False), ("rbr", True)):
        runs = [clustering.predict(corpus, key[2], seed, refined=refined) for seed in seeds]
        scores = [score_alignment(headings, run.topics) for run in runs]
        i2 = [run.measures["i2"] for run in runs]
        ratio = "" if their_i2 is None else f"{min(i2) / their_i2:.4f}"
        ahead = float(np.mean([score.f for score in scores])) - theirs[2]
        verdict = "no figure of the original"
        if not refined:
            which = f"clustering, {name}: F less CLUTO's"
            verdict = report.judge(which, ahead, -MAX_F_DEFICIT, at_most=False)
        if not refined and their_i2 is not None:
            which = f"clustering, {name}: least I2 over CLUTO's"
            i2_verdict = report.judge(which, min(i2) / their_i2, MIN_I2_RATIO, at_most=False)
            verdict = f"F {verdict}, I2 {i2_verdict}"
        shown = [mean_and_std(values) for values in zip(*scores, strict=True)]
        cluto = " / ".join(f"{value:.3f}" for value in theirs)
        reached = f"{np.mean(i2):.1f}, {min(i2):.1f}"
        what = [key[0], key[1], str(key[2]), way]
        rows.append([*what, *shown, cluto, f"{ahead:+.3f}", reached, ratio, verdict])
    return rows


def originals(folder: Path, seeds: Sequence[int], report: Report) -> None:
    """Compare our implementations with the original programs."""
    ends, errors = [], []
    for name in CORPORA:
        more_ends, more_errors = segmenters(folder, name, report)
        ends += more_ends
        errors += more_errors
    header = "corpus; rival; same ends; ties; verdict; cost differs by; verdict"
    report.table("Segmenters: documents beside the original programs", header, ends)
    header = "corpus; rival; Pk (theirs); WindowDiff (theirs); segments (theirs)"
    report.table("Segmenters: whole corpora, `words` convention", header, errors)
    kinds = {"raw": Tokens("whitespace")}
    if find_spec("snowballstemmer") is None:
        report.skip("clustering of stems", "pip install 'permutopic[languages]'")
    else:
        kinds["stems"] = Tokens("whitespace", language="en", stem=True)
    rows = []
    for name in CORPORA:
        for kind, tokens in kinds.items():
            corpus = read_corpus(folder / f"corpora/{name}.jsonl.gz", tokens)
            for n_topics in (10, 20):
                rows += clusters(corpus, (name, kind, n_topics), seeds, report)
    title = f"Clustering beside CLUTO's rb, {len(seeds)} seeds"
    header = "corpus; tokens; K; way; recall; precision; F; CLUTO's; F less CLUTO's; "
    report.table(title, f"{header}I2 mean, least; least over CLUTO's; verdict", rows)


def largest_decrease(trace: Sequence[float]) -> float:
    """Return the largest relative decrease of an objective in one step; 0 if it never decreases.

    >>> largest_decrease([-4.0, -2.0, -2.5, -1.0])
    0.25
    """
    values = np.asarray(trace)
    falls = -np.diff(values) / np.abs(values[:-1])
    return abs(float(falls.max(initial=0.0)))  # no negative zero


def htmm_scores(folder: Path, seeds: Sequence[int], report: Report) -> None:
    """Check that the objective of HTMM never decreases, and compare its F with the published."""
    rows = []
    for name in CORPORA:
        corpus = read_corpus(folder / f"corpora/{name}.jsonl.gz", "whitespace")
        headings = corpus.reference("heading")
        for n_topics in (10, 20):
            for start in htmm.STARTS:
                runs = [htmm.fit(corpus, n_topics, seed, start=start) for seed in seeds]
                fall = max(largest_decrease(run.objectives.tolist()) for run in runs)
                which = f"htmm, {name}, K={n_topics}, start {start}: greatest fall"
                verdict = report.judge(which, fall, ROUNDING, at_most=True)
                scores = [score_alignment(headings, run.topics) for run in runs]
                shown = [mean_and_std(values) for values in zip(*scores, strict=True)]
                reached = f"{np.mean([run.objectives[-1] for run in runs]):.0f}"
                published = f"{PUBLISHED[name, n_topics]:.3f}"
                what = [name, str(n_topics), start]
                rows.append([*what, *shown, published, reached, f"{fall:.0e}", verdict])
    header = "corpus; K; start; recall; precision; F; published F; objective, mean; greatest fall; "
    title = f"HTMM, {len(seeds)} seeds: the objective must not fall"
    report.table(title, f"{header}verdict", rows)


def generated_corpus(n_documents: int, n_units: int, n_words: int = 2000) -> Corpus:
    """Generate a corpus from the model with a fixed seed."""
    priors = Priors.for_documents(n_documents)
    sizes: dict[str, Any] = {"units": n_units, "unit_words": 80, "n_words": n_words}
    rng = np.random.default_rng(0)
    return generate(8, priors, rng, n_documents=n_documents, **sizes)[0]


def first_half(corpus: Corpus) -> Corpus:
    """Return the first half of the documents."""
    documents = corpus.document_offsets[: corpus.n_documents // 2 + 1]
    units = corpus.unit_offsets[: documents[-1] + 1]
    last = int(documents[-1])
    return replace(
        corpus,
        words=corpus.words[: units[-1]],
        unit_offsets=units,
        document_offsets=documents,
        titles=corpus.titles[: documents.size - 1],
        source_words=corpus.source_words[:last],
        headings=corpus.headings[:last],
        labels=corpus.labels[:last],
    )


def medians(jobs: Jobs, repeats: int) -> dict[str, float]:
    """Time jobs alternately, after one round to compile; return the median of each."""
    times: dict[str, list[float]] = {name: [] for name in jobs}
    for turn in range(repeats + 1):
        for name, job in jobs.items():
            taken = seconds(job)
            if turn:
                times[name].append(taken)
    return {name: float(np.median(taken)) for name, taken in times.items()}


def growth(n_units: int, n_documents: int, repeats: int) -> list[list[str]]:
    """Measure the ratio of times when one size is doubled."""
    short, long = generated_corpus(1, n_units), generated_corpus(1, 2 * n_units)
    whole = generated_corpus(2 * n_documents, 30)
    half = first_half(whole)
    units = f"a document of {2 * n_units} units for {n_units}"
    documents = f"{2 * n_documents} documents for {n_documents}"
    linear, square = "about 2 at most", "about 4 at most"
    passes = "2 a pass; larger clusters take more passes"
    em = partial(htmm.predict, iterations=10, start="uniform")
    given = partial(textseg.predict, n_segments=10)
    fixed = partial(bayesseg.predict, prior=PRIOR, n_segments=10)
    auto, tiles = partial(textseg.predict, auto=True), texttiling.predict
    doubled: list[tuple[str, str, Callable[[], object], Callable[[], object], str]] = [
        ("textseg", units, partial(given, short), partial(given, long), square),
        ("textseg-auto", units, partial(auto, short), partial(auto, long), square),
        ("bayesseg", units, partial(fixed, short), partial(fixed, long), square),
        ("c99", units, partial(c99.predict, short), partial(c99.predict, long), square),
        ("texttiling", units, partial(tiles, short), partial(tiles, long), linear),
        ("htmm", "K = 20 for 10", partial(em, half, 10), partial(em, half, 20), linear),
        ("htmm", documents, partial(em, half, 10), partial(em, whole, 10), linear),
        ("clustering", documents, partial(cluster, half), partial(cluster, whole), passes),
    ]
    rows = []
    for name, what, small, large, expected in doubled:
        taken = medians({"small": small, "large": large}, repeats)
        rows.append([name, what, f"{taken['large'] / taken['small']:.2f}", expected])
    return rows


def cluster(corpus: Corpus) -> None:
    """Cluster with several seeds, because the number of passes is random."""
    for seed in range(3):
        clustering.predict(corpus, 10, seed, trials=3)


def uncompiled(function: Any) -> Callable[..., Any]:
    """Return the Python source of a compiled function, and of all it calls in its module."""
    source = function.py_func
    scope = dict(source.__globals__)
    for name, thing in source.__globals__.items():
        plain = getattr(thing, "py_func", None)
        if plain is not None and plain.__module__ == source.__module__:
            scope[name] = FunctionType(plain.__code__, scope, name, plain.__defaults__)
    made: Callable[..., Any] = scope[source.__name__]
    return made


def compilation_speedups(n_units: int, repeats: int) -> list[list[str]]:
    """Measure how much faster compiled functions are than their Python source."""
    tokens = local_tokens(generated_corpus(1, n_units, 300), 0)
    costs = textseg.segment_costs(tokens)
    cosines = squared_cosines(*tokens)
    work: dict[str, tuple[Any, tuple[Any, ...]]] = {
        "textseg, bayesseg: dynamic programme": (best_segmentation, (tokens, costs, 5)),
        "textseg-auto: dynamic programme": (best_segmentation_any_number, (tokens, costs)),
        "c99: ranks": (local_ranks, (cosines, 5)),
        "texttiling: blocks compared": (gap_similarities, (tokens.words, tokens.n_words, 20, 10)),
    }
    rows = []
    for name, (function, arguments) in work.items():
        plain = uncompiled(function)
        for one, other in zip(function(*arguments), plain(*arguments), strict=True):
            if not np.allclose(one, other, rtol=1e-12, atol=0):
                raise AssertionError(f"{name}: compiled and source differ")
        jobs = {"ours": partial(function, *arguments), "plain": partial(plain, *arguments)}
        taken = medians(jobs, repeats)
        rows.append([name, f"{taken['plain'] / taken['ours']:.0f}"])
    return rows


def ordering_problems(
    n_pieces: int, n_states: int, n_cases: int, *, clear: bool
) -> list[tuple[Any, Any, Any]]:
    """Draw pieces and a Markov chain; each clear piece has one state of far the best score."""
    rng = np.random.default_rng(n_pieces)
    cases = []
    for _ in range(n_cases):
        chain = np.log(rng.dirichlet(np.full(n_states, 0.5), n_states + 1) + 0.01)
        pieces = -rng.exponential(5.0, (n_pieces, n_states, n_states))
        if clear:
            away = 20.0 * (np.arange(n_states) != rng.integers(n_states, size=(n_pieces, 1)))
            pieces -= away[:, :, None] + away[:, None, :]
        cases.append((pieces, chain[0], chain[1:]))
    return cases


def search_costs(
    sizes: Sequence[int], n_states: int, n_cases: int, repeats: int, *, clear: bool
) -> list[list[str]]:
    """Count the nodes that A* expands, out of all nodes, and measure its time."""
    cases = {str(size): ordering_problems(size, n_states, n_cases, clear=clear) for size in sizes}
    taken = medians({size: partial(_solve_all, drawn) for size, drawn in cases.items()}, repeats)
    rows = []
    for size, drawn in cases.items():
        found = _solve_all(drawn)
        expanded = [each.expanded for each in found]
        nodes = 2 ** int(size) * n_states
        shown = [f"{np.mean(expanded):.0f}", str(max(expanded)), f"{nodes:,}"]
        ratio = f"{taken[size] / taken[str(sizes[0])]:.1f}"
        proved = f"{sum(each.exact for each in found)} of {n_cases}"
        share = f"{np.mean(expanded) / nodes:.3f}"
        rows.append(["clear" if clear else "vague", size, *shown, share, ratio, proved])
    return rows


def _solve_all(cases: Sequence[tuple[Any, Any, Any]]) -> list[Any]:
    return [best_order(*case) for case in cases]


def speed(report: Report) -> None:
    """Print ratios of times, speedups by compilation, and the share of nodes that A* expands."""
    header = "rival; twice as much; times as long; expected"
    report.table("Growth: medians of 5, in turns", header, growth(300, 50, 5))
    rows = compilation_speedups(20, 5)
    report.table("Compiled code and its source, 20 units of 80 words", "what; times as fast", rows)
    header = "pieces; how many; expanded, mean; maximum; subsets × states; share; times as long; "
    sizes = (8, 10, 12)
    rows = search_costs(sizes, 6, 10, 5, clear=True) + search_costs(sizes, 6, 10, 5, clear=False)
    report.table("A* over orders, 6 states, 10 cases drawn", f"{header}proved best", rows)


PARTS = ("originals", "htmm", "speed")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the selected parts; return 1 if a target was missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("data", type=Path)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--seeds", type=int, nargs="+", default=list(range(5)))
    parser.add_argument("--json", type=Path, help="where to keep figures and tables")
    options = parser.parse_args(arguments)
    report = Report()
    parts: dict[str, Callable[[], None]] = {
        "originals": partial(originals, options.data, options.seeds, report),
        "htmm": partial(htmm_scores, options.data, options.seeds, report),
        "speed": partial(speed, report),
    }
    for part in PARTS:
        if part in options.only:
            parts[part]()
    print(f"\n{report.summary()}")
    if options.json:
        options.json.write_text(json.dumps(report.as_dict(), indent=1), encoding="utf-8")
    return 1 if report.missed() else 0


if __name__ == "__main__":
    sys.exit(main())
