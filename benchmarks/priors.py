"""Sensitivity to the priors: vary one at a time, and measure scores and outlines.

    python benchmarks/priors.py CORPORA [--save FILE] [--seeds 0 1 2 3 4] [--only NAME:K …]

CORPORA is a folder with elements_paper, man2_en and cities_paper (.jsonl.gz, split at white space);
"elements" are the bundled articles. F and Pk are against the authors' headings, Pk counted over
words. The log joint has ρ integrated out with its prior normalised, so that it can be compared
across all values of all four priors; ρ is that of the outline, the mean over its topics.
Agreement and τ compare a run with the runs at the defaults that have *other* seeds, so the row of
the default is the effect of seeds alone. Runs are appended to FILE, one JSON object per line, and
those already in it are not repeated; the defaults are always run.
"""

from __future__ import annotations

import argparse
import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import logsumexp

from permutopic import ContentModel, read_corpus
from permutopic.datasets import load_elements
from permutopic.evaluation.evaluate import evaluate
from permutopic.mallows import log_prior, n_values
from permutopic.model.joint import joint_terms
from permutopic.model.mcmc.convergence import pair_agreement
from permutopic.selection.stability import order_agreement

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from permutopic.corpus import Corpus

STUDIES = (
    ("elements_paper", 10),
    ("man2_en", 10),
    ("elements", 8),
    ("cities_paper", 10),
    ("elements_paper", 20),
)
VALUES = {
    "word_prior": (0.01, 0.03, 0.05, 0.1, 0.2, 0.3, 1.0),
    "topic_prior": (0.01, 0.1, 1.0, 10.0),
    "dispersion_prior": (0.1, 0.5, 1.0, 2.0, 4.0),
    "dispersion_strength": (0.01, 0.1, 1.0, 10.0),  # a share of the documents
}
DEFAULTS = {
    "word_prior": 0.1,
    "topic_prior": 0.1,
    "dispersion_prior": 1.0,
    "dispersion_strength": 0.1,
}
SYMBOLS = {
    "word_prior": "β0",
    "topic_prior": "θ0",
    "dispersion_prior": "ρ0",
    "dispersion_strength": "ν0 / D",
}
_GRID = np.geomspace(1e-8, 1e4, 20_001)  # of ρ: finer than the sharpest density, wider than any

Run = dict[str, Any]
Reference = dict[int, "NDArray[np.int64]"]


@cache
def load(folder: Path, name: str) -> Corpus:
    """Read a corpus, with a cache."""
    if name == "elements":
        return load_elements()
    return read_corpus(folder / f"{name}.jsonl.gz", "whitespace")


def log_integral(values: NDArray[np.int64], mean: NDArray[np.float64], strength: float) -> float:
    """Integrate the density of `mallows.log_prior` over ρ, topic by topic, on a grid of log ρ."""
    step = np.log(_GRID[1] / _GRID[0])
    total = 0.0
    for m, v in zip(values, mean, strict=True):
        total += float(logsumexp(log_prior(_GRID, m, v, strength) + np.log(_GRID)) + np.log(step))
    return total


def log_joint_without_dispersion(model: ContentModel) -> float:
    """Compute the log joint of words, bags and orders, ρ integrated out (eq. 4 normalised)."""
    state, priors = model.state_, model.priors_
    terms = joint_terms(state, priors)
    n_documents, n_topics = state.bag.shape
    values, expected = n_values(n_topics), priors.mean_inversions(n_topics)
    weight = n_documents + priors.strength
    seen = (state.inversions.sum(axis=0) + priors.strength * expected) / weight
    orders = log_integral(values, seen, weight) - log_integral(values, expected, priors.strength)
    return terms.words + terms.draws + terms.arrangements + orders


def fit(corpus: Corpus, n_topics: int, seed: int, changed: dict[str, float]) -> ContentModel:
    """Return a model with one prior changed; the strength is a share of the documents."""
    priors: dict[str, Any] = {**DEFAULTS, **changed}
    priors["dispersion_strength"] *= corpus.n_documents
    return ContentModel(n_topics, random_state=seed, subject_words=False, **priors)


def one(corpus: Corpus, n_topics: int, seed: int, changed: dict[str, float]) -> tuple[Run, Any]:
    """Fit and score once; return the scores, and the topic of every unit."""
    model = fit(corpus, n_topics, seed, changed)
    result = evaluate(corpus, model)
    dispersions = [e.dispersion for e in model.outline(1) if e.dispersion is not None]
    run = {
        "f": result.alignment.f,
        "pk": result.segmentation.pk,
        "segments": result.segmentation.segments,
        "topics_in_use": result.topics_in_use,
        "log_joint": log_joint_without_dispersion(model),
        "dispersion": float(np.mean(dispersions)) if dispersions else None,
        "sweeps": result.sweeps,
        "corpus_fingerprint": corpus.fingerprint,
        "version": result.settings["version"],
    }
    return run, model.prediction().topics


def compare(topics: NDArray[np.int64], reference: Reference, seed: int) -> Run:
    """Compare a run with those at the defaults with other seeds."""
    others = [found for other, found in reference.items() if other != seed]
    orders = [order_agreement(topics, other) for other in others]
    known = [tau for tau in orders if not np.isnan(tau)]
    return {
        "agreement": float(np.mean([pair_agreement(topics, other) for other in others])),
        "order_agreement": float(np.mean(known)) if known else None,
    }


def run_study(
    folder: Path, name: str, n_topics: int, seeds: list[int], runs: list[Run], save: Path | None
) -> None:
    """Make the missing runs of one corpus and K; append them to `runs` and the file."""
    corpus, reference = load(folder, name), Reference()
    known = {(r["corpus"], r["n_topics"], r["prior"], r["value"], r["seed"]) for r in runs}

    def note(prior: str, value: float | None, seed: int, run: Run) -> None:
        key = {"corpus": name, "n_topics": n_topics, "prior": prior, "value": value, "seed": seed}
        if tuple(key.values()) in known:
            return
        runs.append({**key, **run, **compare(found[seed], reference, seed)})
        if save:
            with save.open("a", encoding="utf-8") as file:
                file.write(json.dumps(runs[-1]) + "\n")

    defaults = {seed: one(corpus, n_topics, seed, {}) for seed in seeds}
    reference.update({seed: topics for seed, (_, topics) in defaults.items()})
    found = dict(reference)
    for seed, (run, _) in defaults.items():
        note("default", None, seed, run)
    for prior, values in VALUES.items():
        for value in values:
            for seed in seeds:
                key = (name, n_topics, prior, value, seed)
                if value != DEFAULTS[prior] and key not in known:
                    run, found[seed] = one(corpus, n_topics, seed, {prior: value})
                    note(prior, value, seed, run)


def pick(runs: list[Run], name: str, n_topics: int, prior: str, value: float) -> list[Run]:
    """Select the runs of one row; the defaults are in every table."""
    setting = ("default", None) if value == DEFAULTS[prior] else (prior, value)
    wanted = (name, n_topics, *setting)
    return [r for r in runs if (r["corpus"], r["n_topics"], r["prior"], r["value"]) == wanted]


def figure(runs: list[Run], key: str, digits: int) -> str:
    """Format mean ± standard deviation over seeds of one score."""
    figures = [r[key] for r in runs if r[key] is not None]
    if not figures:
        return "–"
    spread = np.std(figures, ddof=min(1, len(figures) - 1))
    return f"{np.mean(figures):.{digits}f} ± {spread:.{digits}f}"


def scores(runs: list[Run], _: list[Run]) -> str:
    """Format scores against headings, and the topics used."""
    return f"{figure(runs, 'f', 3)}; {figure(runs, 'pk', 3)}; {figure(runs, 'topics_in_use', 1)}"


def outline(runs: list[Run], _: list[Run]) -> str:
    """Format the agreement with the outline at the defaults."""
    return (
        f"{figure(runs, 'agreement', 2)}; {figure(runs, 'order_agreement', 2)}; "
        f"{figure(runs, 'dispersion', 2)}"
    )


def joint(runs: list[Run], base: list[Run]) -> str:
    """Format the log joint less the mean at the defaults, or that mean, in nats."""
    mean, level = (float(np.mean([r["log_joint"] for r in rows])) for rows in (runs, base))
    spread = np.std([r["log_joint"] for r in runs], ddof=min(1, len(runs) - 1))
    shown = f"{level:,.0f}" if runs == base else f"{mean - level:+,.0f}"
    return f"{shown} ± {spread:,.0f}"


def show(runs: list[Run]) -> None:
    """Print three tables for each prior: a row for each value, a column for each study."""
    titles = " | ".join(f"{name}, K = {n_topics}" for name, n_topics in STUDIES)
    for prior, values in VALUES.items():
        for what, cell in (
            ("F; Pk; topics in use", scores),
            ("agreement with other seeds at the defaults; τ of the orders; mean ρ", outline),
            ("log joint, nats above the default's", joint),
        ):
            print(f"\n**{SYMBOLS[prior]}**: {what}\n")
            print(f"| | {titles} |\n|---|{'---|' * len(STUDIES)}")
            for value in values:
                cells = []
                for study in STUDIES:
                    mine = pick(runs, *study, prior, value)
                    base = pick(runs, *study, prior, DEFAULTS[prior])
                    cells.append(cell(mine, base) if mine and base else "")
                mark = "**" if value == DEFAULTS[prior] else ""
                print(f"| {mark}{value:g}{mark} | {' | '.join(cells)} |")


def main() -> None:
    """Make the missing runs, then print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("corpora", type=Path)
    parser.add_argument("--save", type=Path)
    parser.add_argument("--seeds", type=int, nargs="*", default=list(range(5)))
    parser.add_argument("--only", nargs="*", metavar="NAME:K", help="Studies to do; none: show.")
    options = parser.parse_args()
    runs: list[Run] = []
    if options.save and options.save.exists():
        runs = [json.loads(line) for line in options.save.read_text(encoding="utf-8").splitlines()]
    for name, n_topics in STUDIES:
        if options.only is None or f"{name}:{n_topics}" in options.only:
            run_study(options.corpora, name, n_topics, options.seeds, runs, options.save)
    show(runs)


if __name__ == "__main__":
    main()
