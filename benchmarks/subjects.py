"""Subject words: scores of the paper's model, of a static mask and of the default, and their cost.

    python benchmarks/subjects.py CORPORA [--save FILE] [--seeds 0 1 2 3 4] [--only NAME:K …]
    python benchmarks/subjects.py CORPORA --cost

CORPORA is a folder of corpora (.jsonl.gz); "bundled" are the articles. "paper" is a fit without
subject words, "mask" one without the bursty words, those in less than .8 of the documents that an
even spread of their units would give, "default" has classes drawn within the chain. One chain of
the default settings each; F and Pk against headings (labels for peps_en), Pk counted over words.
Runs are appended to FILE, one JSON object per line, and those already in it are not repeated.

With --cost: the share of a sweep at inverse temperature 1 that the class move takes.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from permutopic import ContentModel, read_corpus
from permutopic.corpus import offsets_from_sizes
from permutopic.datasets import load_elements
from permutopic.evaluation.evaluate import evaluate
from permutopic.model.blocked.moves import blocked_moves
from permutopic.model.blocked.word_classes import ResampleClasses
from permutopic.model.burstiness import find_bursty_words
from permutopic.streams import Streams

if TYPE_CHECKING:
    from permutopic.corpus import Corpus

    Run = dict[str, Any]

STUDIES = (
    ("man2_en", 10),
    ("man2_fr", 10),
    ("elements_paper", 10),
    ("elements_paper", 20),
    ("cities_paper", 10),
    ("cities_paper", 20),
    ("peps_en", 12),
    ("wikivoyage_en", 20),
    ("cities_en", 20),
    ("bundled", 8),
)
METHODS = ("paper", "mask", "default")
MASK = 0.8
COSTS = (("man2_en", 10), ("elements_paper", 10), ("cities_paper", 20), ("peps_en", 12))


@cache
def load(folder: Path, name: str) -> Corpus:
    """Read a corpus, with a cache."""
    return load_elements() if name == "bundled" else read_corpus(folder / f"{name}.jsonl.gz")


def without_bursty_words(corpus: Corpus, threshold: float = MASK) -> Corpus:
    """Return the corpus without bursty words, in its tokens and in its vocabulary."""
    bursty = find_bursty_words(corpus, threshold)
    numbers = np.cumsum(~bursty) - 1
    kept = ~bursty[corpus.words]
    return replace(
        corpus,
        words=numbers[corpus.words[kept]].astype(np.int32),
        unit_offsets=offsets_from_sizes(kept)[corpus.unit_offsets],
        vocabulary=tuple(np.array(corpus.vocabulary)[~bursty].tolist()),
    )


def one(corpus: Corpus, name: str, n_topics: int, method: str, seed: int) -> Run:
    """Fit and score once."""
    given = without_bursty_words(corpus) if method == "mask" else corpus
    model = ContentModel(n_topics, random_state=seed, subject_words=method == "default")
    result = evaluate(given, model, reference="label" if name == "peps_en" else "heading")
    return {
        "corpus": name,
        "n_topics": n_topics,
        "method": method,
        "seed": seed,
        "f": result.alignment.f,
        "pk": result.segmentation.pk,
        "segments": result.segmentation.segments,
        "topics_in_use": result.topics_in_use,
        "log_joint": result.log_joint,
        "subject_types": result.subject_words.type_share,
        "subject_tokens": result.subject_words.token_share,
        "sweeps": result.sweeps,
        "seconds": round(result.seconds, 1),
        "corpus_fingerprint": corpus.fingerprint,
        "version": result.settings["version"],
    }


def show(runs: list[Run], studies: list[tuple[str, int]], seeds: list[int]) -> None:
    """Print F / Pk of each method: the mean over these seeds ± their standard deviation."""
    runs = [run for run in runs if run["seed"] in seeds]
    print(f"| | {' | '.join(METHODS)} | segments | subject words, tokens |")
    print("|---|" + "---|" * (len(METHODS) + 2))
    means: dict[str, list[tuple[float, float]]] = {method: [] for method in METHODS}
    for name, n_topics in studies:
        cells = []
        found: list[Run] = []
        for method in METHODS:
            wanted = (name, n_topics, method)
            found = [r for r in runs if (r["corpus"], r["n_topics"], r["method"]) == wanted]
            if not found:
                cells.append("–")
                continue
            scores = np.array([(run["f"], run["pk"]) for run in found])
            f, pk = scores.mean(axis=0)
            means[method].append((f, pk))
            spread = scores.std(axis=0, ddof=1) if len(found) > 1 else np.zeros(2)
            cells.append(f"{f:.3f} ± {spread[0]:.3f} / {pk:.3f} ± {spread[1]:.3f}")
        last = f"{np.mean([run['segments'] for run in found]):.1f}" if found else "–"
        share = f"{np.mean([run['subject_tokens'] for run in found]):.0%}" if found else "–"
        print(f"| {name} K={n_topics} | {' | '.join(cells)} | {last} | {share} |")
    whole = [
        "{:.3f} / {:.3f}".format(*np.mean(means[method], axis=0)) if means[method] else "–"
        for method in METHODS
    ]
    print(f"| **mean of rows** | {' | '.join(whole)} | | |")


def time_moves(corpus: Corpus, n_topics: int, n_sweeps: int = 8) -> tuple[float, float]:
    """Return seconds a sweep, and the share of the class move in it, at inverse temperature 1."""
    model = ContentModel(n_topics, random_state=0).fit(corpus)
    moves = blocked_moves(corpus, n_topics, model.priors_)
    spent = np.zeros(len(moves))
    for sweep in range(n_sweeps + 2):
        for number, move in enumerate(moves):
            started = time.perf_counter()
            move(model.state_, partial(Streams(0).at, sweep, number))
            if sweep >= 2:  # the first ones warm up
                spent[number] += time.perf_counter() - started
    of_classes = sum(
        seconds
        for seconds, move in zip(spent, moves, strict=True)
        if isinstance(move, ResampleClasses)
    )
    return float(spent.sum() / n_sweeps), float(of_classes / spent.sum())


def main() -> None:
    """Make the missing runs, and show the table; or the cost."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("corpora", type=Path)
    parser.add_argument("--seeds", type=int, nargs="+", default=list(range(5)))
    parser.add_argument("--only", nargs="+", metavar="NAME:K")
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=METHODS)
    parser.add_argument("--save", type=Path)
    parser.add_argument("--cost", action="store_true")
    given = parser.parse_args()
    if given.cost:
        for name, n_topics in COSTS:
            seconds, share = time_moves(load(given.corpora, name), n_topics)
            print(f"{name} K={n_topics}: {seconds:.3f} s a sweep, {share:.1%} of it for classes")
        return
    runs: list[Run] = []
    if given.save is not None and given.save.exists():
        runs = [json.loads(line) for line in given.save.read_text(encoding="utf-8").splitlines()]
    known = {(r["corpus"], r["n_topics"], r["method"], r["seed"]) for r in runs}
    studies = [each for each in STUDIES if not given.only or "{}:{}".format(*each) in given.only]
    for name, n_topics in studies:
        for method in given.methods:
            for seed in given.seeds:
                if (name, n_topics, method, seed) in known:
                    continue
                runs.append(one(load(given.corpora, name), name, n_topics, method, seed))
                if given.save is not None:
                    with given.save.open("a", encoding="utf-8") as file:
                        file.write(json.dumps(runs[-1]) + "\n")
    show(runs, studies, given.seeds)


if __name__ == "__main__":
    main()
