"""Real corpora: every variant, several seeds, beside the published figures.

    python benchmarks/variants.py CORPORA NAME K [--sampler paper --sweeps 1000] [--save FILE]

CORPORA is a folder with NAME.jsonl.gz. Tokens are white-space words, the reference is the authors'
headings, Pk and WindowDiff are in the `words` convention. `--save` keeps one JSON line a run.
"""

from __future__ import annotations

import argparse
import json
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from permutopic import ContentModel, read_corpus
from permutopic.evaluation.evaluate import evaluate

# Tables 2 and 3 of the paper, noisy headings, mean of five chains after 10,000 sweeps:
# recall, precision, F, Pk, WindowDiff, segments.
PUBLISHED = {
    ("elements_paper", 10, "full"): (0.685, 0.460, 0.551, 0.201, 0.226, 6.7),
    ("elements_paper", 10, "constrained"): (0.603, 0.408, 0.487, 0.227, 0.244, 5.4),
    ("elements_paper", 10, "uniform"): (0.591, 0.403, 0.479, 0.226, 0.250, 6.6),
    ("elements_paper", 20, "full"): (0.569, 0.498, 0.531, 0.203, 0.243, 8.6),
    ("elements_paper", 20, "constrained"): (0.510, 0.421, 0.461, 0.231, 0.257, 6.6),
    ("elements_paper", 20, "uniform"): (0.550, 0.479, 0.512, 0.209, 0.248, 8.7),
    ("cities_paper", 10, "full"): (0.705, 0.399, 0.510, 0.257, 0.286, 9.0),
    ("cities_paper", 10, "constrained"): (0.667, 0.382, 0.485, 0.267, 0.288, 7.7),
    ("cities_paper", 10, "uniform"): (0.599, 0.343, 0.436, 0.273, 0.304, 8.8),
    ("cities_paper", 20, "full"): (0.648, 0.489, 0.557, 0.222, 0.278, 14.2),
    ("cities_paper", 20, "constrained"): (0.553, 0.415, 0.474, 0.274, 0.313, 10.9),
    ("cities_paper", 20, "uniform"): (0.571, 0.423, 0.486, 0.234, 0.290, 14.0),
}


def one_run(path: Path, settings: dict[str, Any], variant: str, seed: int) -> dict[str, Any]:
    """Fit and score once."""
    corpus = read_corpus(path, "whitespace")
    model = ContentModel(**settings, variant=variant, random_state=seed, subject_words=False)
    return evaluate(corpus, model).as_dict()


def figures(run: dict[str, Any]) -> tuple[float, ...]:
    """Pick the six figures of the paper's tables, and the log joint."""
    alignment, segmentation = run["alignment"], run["segmentation"]
    return (
        *(alignment[name] for name in ("recall", "precision", "f")),
        *(segmentation[name] for name in ("pk", "windowdiff", "segments")),
        run["log_joint"],
    )


def main() -> None:
    """Run all seeds of all variants and print one table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("corpora", type=Path)
    parser.add_argument("name")
    parser.add_argument("n_topics", type=int)
    parser.add_argument("--sampler", default="blocked")
    parser.add_argument("--sweeps", type=int)
    parser.add_argument("--variants", nargs="*", default=["full", "constrained", "uniform"])
    parser.add_argument("--seeds", nargs="*", type=int, default=list(range(5)))
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--save", type=Path)
    asked = parser.parse_args()
    path = asked.corpora / f"{asked.name}.jsonl.gz"
    settings = {
        "n_topics": asked.n_topics,
        "sampler": asked.sampler,
        "n_sweeps": asked.sweeps,
    }
    jobs = [(variant, seed) for variant in asked.variants for seed in asked.seeds]
    with ProcessPoolExecutor(asked.processes) as pool:
        futures = [pool.submit(one_run, path, settings, *job) for job in jobs]
        runs = [future.result() for future in futures]
    if asked.save:
        asked.save.write_text("".join(json.dumps(run) + "\n" for run in runs), encoding="utf-8")
    sweeps = np.mean([run["sweeps"] for run in runs])
    print(
        f"{asked.name}, K = {asked.n_topics}, {asked.sampler}, {sweeps:.0f} sweeps on average, "
        f"seeds {asked.seeds}"
    )
    print("| variant | recall | precision | F | Pk | WindowDiff | segments | log joint |")
    print("|---|---|---|---|---|---|---|---|")
    for variant in asked.variants:
        mine = [figures(r) for r in runs if r["settings"]["variant"] == variant]
        means, spread = np.mean(mine, axis=0), np.std(mine, axis=0, ddof=min(1, len(mine) - 1))
        cells = [f"{m:.3f} ± {s:.3f}" for m, s in zip(means[:5], spread[:5], strict=True)]
        cells.append(f"{means[5]:.1f} ± {spread[5]:.1f}")
        cells.append(f"{means[6]:,.0f} ± {spread[6]:,.0f}")
        print(f"| {variant} | {' | '.join(cells)} |")
        known = PUBLISHED.get((asked.name, asked.n_topics, variant))
        if known:
            print(f"| – published | {' | '.join(f'{value:g}' for value in known)} | |")


if __name__ == "__main__":
    main()
