"""Compare ordering methods, on the split of `splits.json` or by cross-validation.

    python benchmarks/ordering.py CORPORA [--variants full constrained] [--seeds 0 1 2 3 4]
    python benchmarks/ordering.py CORPORA --folds 5 --names elements_paper man2_en bundled

CORPORA is a folder with splits.json and NAME.jsonl.gz; "bundled" are the articles that come with
permutopic. Tokens are words, K is 10, τ is in expectation over ties. Printed are the mean over
documents and its standard deviation over seeds, each with its own fit; and the difference from
ridge regression, with its standard error over documents.
"""

from __future__ import annotations

import argparse
import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from permutopic import ContentModel, Corpus, Document, read_documents
from permutopic.datasets import elements_folder
from permutopic.evaluation.ordering import (
    cross_validated,
    hmm_orders,
    label_taus,
    order_tau,
    ordering_taus,
    ridge_taus,
)
from permutopic.ordering import METHODS

if TYPE_CHECKING:
    from collections.abc import Sequence

CROSS_VALIDATED = (
    "cities_paper",
    "elements_paper",
    "elements_en",
    "man2_en",
    "wikivoyage_en",
    "bundled",
)
RIDGE = "ridge on true training sections"
MAX_DOCUMENTS = 160
"""Maximum number of documents of a corpus that are cross-validated, to save time."""


def documents_of(folder: Path, name: str) -> list[Document]:
    """Read a corpus as documents with headings."""
    if name == "bundled":
        return list(read_documents(elements_folder()))
    return list(read_documents(folder / f"{name}.jsonl.gz"))


def show(rows: dict[str, Sequence[Sequence[float]]]) -> None:
    """Print the mean τ of each method, its standard deviation over seeds, and its gain over ridge.

    The gain is the mean difference over documents, with its standard error over documents.
    """
    rival = np.mean(rows[RIDGE], axis=0)
    print("| | τ | by seed | over ridge |")
    print("|---|---|---|---|")
    for name, runs in rows.items():
        means = [float(np.mean(taus)) for taus in runs]
        several = len(means) > 1
        spread = f" ± {np.std(means, ddof=1):.3f}" if several else ""
        by_seed = " ".join(f"{mean:.3f}" for mean in means) if several else ""
        ahead = np.mean(runs, axis=0) - rival
        error = np.std(ahead, ddof=1) / np.sqrt(ahead.size)
        over = "" if name == RIDGE else f"{ahead.mean():+.3f} ± {error:.3f}"
        print(f"| {name} | {np.mean(means):.3f}{spread} | {by_seed} | {over} |")


def run_split(folder: Path, variants: list[str], seeds: list[int], n_topics: int) -> None:
    """Fit to the training corpus of the split, and order the sections of its test documents."""
    split = json.loads((folder / "splits.json").read_text(encoding="utf-8"))["ordering"]
    training = documents_of(folder, split["train"])
    titles = set(split["test_titles"])
    test = [d for d in documents_of(folder, split["test_corpus"]) if d.title in titles]
    print(f"trained on {len(training)} documents, {len(test)} to order\n")
    corpus = Corpus.from_documents(training)
    rows: dict[str, Sequence[Sequence[float]]] = {
        "true labels, mean training position": [label_taus(training, test)],
        RIDGE: [ridge_taus(corpus, test)],
    }
    searches = [hmm_orders(corpus, test, n_topics, seed) for seed in seeds]
    rows["HMM content model"] = [[order_tau(one.order) for one in orders] for orders in searches]
    for variant in variants:
        runs = []
        for seed in seeds:
            model = ContentModel(n_topics, variant=variant, random_state=seed).fit(corpus)
            runs.append(ordering_taus(corpus, model, test))
        rows |= {f"{variant}, {method}": [run[method] for run in runs] for method in METHODS}
    show(rows)
    exact = [sum(one.exact for one in orders) for orders in searches]
    print(f"\nHMM content model: the order is optimal for {exact} of {len(test)}, seed by seed")


def fit(
    documents: list[Document], n_topics: int, variant: str, seed: int
) -> tuple[Corpus, ContentModel]:
    """Fit one fold."""
    corpus = Corpus.from_documents(documents)
    model = ContentModel(n_topics, variant=variant, random_state=seed)
    return corpus, model.fit(corpus)


def run_cross_validation(
    folder: Path,
    names: list[str],
    variants: list[str],
    seeds: list[int],
    n_topics: int,
    n_folds: int,
) -> None:
    """Cross-validate on one corpus after the other."""
    for name in names:
        everything = documents_of(folder, name)
        chosen = np.random.default_rng(1).permutation(len(everything))[:MAX_DOCUMENTS]
        documents = [everything[n] for n in np.sort(chosen)]
        for variant in variants:
            print(f"\n{name}, {variant}: {len(documents)} documents, {n_folds} folds\n")
            runs = [
                cross_validated(
                    documents, partial(fit, n_topics=n_topics, variant=variant, seed=seed), n_folds
                )
                for seed in seeds
            ]
            rows = {method: [run[method] for run in runs] for method in METHODS}
            show({**rows, RIDGE: [runs[0]["ridge"]]})


def main() -> None:
    """Run the split, or cross-validation."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("corpora", type=Path)
    parser.add_argument("--variants", nargs="*", default=["full"])
    parser.add_argument("--seeds", type=int, nargs="+", default=list(range(5)))
    parser.add_argument("--topics", type=int, default=10)
    parser.add_argument("--folds", type=int, help="cross-validate instead")
    parser.add_argument(
        "--names", nargs="+", default=list(CROSS_VALIDATED), help="corpora to cross-validate"
    )
    options = parser.parse_args()
    if options.folds is None:
        run_split(options.corpora, options.variants, options.seeds, options.topics)
    else:
        run_cross_validation(
            options.corpora,
            options.names,
            options.variants,
            options.seeds,
            options.topics,
            options.folds,
        )


if __name__ == "__main__":
    main()
