"""Documents outside the fit: how well their structure is found, and what that costs.

    python benchmarks/new_documents.py CORPORA [NAME] [-k K] [--seeds 0 1 2] [--json FILE]

CORPORA is a folder with NAME.jsonl.gz (cities_en). A fifth of the documents is held out, another
one for every seed. They are inferred by a model of the others, and are scored beside what the same
documents get when they are in the fit: their last sample, and inferred given all others. Then the
time to infer them, on one thread, is held against one sweep of a fit over the same documents, both
measured side by side in this run. Doubtful boundaries, those with a probability from .1 to .9 in
very many samples, show what fewer samples are worth.
"""

from __future__ import annotations

import argparse
import json
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from permutopic import ContentModel, Corpus, read_documents
from permutopic.evaluation.evaluate import score_corpus_segmentation
from permutopic.metrics import score_alignment
from permutopic.model.blocked.engine import TableEngine
from permutopic.model.blocked.moves import ResampleBlocks
from permutopic.model.extension import extend_state
from permutopic.model.mcmc.schedule import POSTERIOR
from permutopic.results.prediction import Prediction
from permutopic.streams import Streams

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from permutopic import Document

SHARE = 0.2
MOST_WORSE, MOST_SWEEPS = 0.02, 3.0
SAMPLES, REFERENCE = (16, 64, 256), 3200


def hold_out(
    documents: Sequence[Document], seed: int
) -> tuple[list[Document], list[Document], list[int]]:
    """Give documents to learn from, those held out, and the numbers of the latter."""
    held = np.random.default_rng(seed).permutation(len(documents))[: int(SHARE * len(documents))]
    numbers = sorted(held.tolist())
    kept = [document for n, document in enumerate(documents) if n not in set(numbers)]
    return kept, [documents[n] for n in numbers], numbers


def score(corpus: Corpus, topics: Sequence[NDArray[np.int64]]) -> tuple[float, float]:
    """Give F and Pk against the authors' headings."""
    prediction = Prediction(np.concatenate(topics), corpus.document_offsets)
    f = score_alignment(corpus.reference("heading"), prediction.topics).f
    return f, score_corpus_segmentation(corpus, prediction, "heading", "words").pk


def compare(documents: Sequence[Document], n_topics: int, seed: int, n_jobs: int) -> dict[str, Any]:
    """Score documents held out and in the fit."""
    kept, held, numbers = hold_out(documents, seed)
    model = ContentModel(n_topics, random_state=seed, n_jobs=n_jobs)
    part = model.fit(Corpus.from_documents(kept))
    corpus = part.encode(held)
    found = {"held out": score(corpus, part.predict(held))}
    found["held out, fast"] = score(corpus, part.predict(held, fast=True))
    seconds = {**time_both(part, corpus), "by samples": compare_samples(part, corpus)}
    whole = ContentModel(n_topics, random_state=seed, n_jobs=n_jobs)
    whole.fit(Corpus.from_documents(documents))
    found["in the fit"] = score(corpus, [whole.topics_[n] for n in numbers])
    found["in the fit, inferred"] = score(corpus, whole.predict(held))
    return {"seed": seed, "scores": found, **seconds}


def compare_samples(model: ContentModel, corpus: Corpus) -> dict[str, dict[str, float]]:
    """Hold few samples against very many: doubtful boundaries, and the structure itself."""
    reference = list(model.infer(corpus, n_samples=REFERENCE, random_state=1))
    true = np.concatenate([inferred.boundaries for inferred in reference])
    doubtful = (true > 0.1) & (true < 0.9)
    found = {}
    for n_samples in SAMPLES:
        inferred = list(model.infer(corpus, n_samples=n_samples))
        said = np.concatenate([each.boundaries for each in inferred])[doubtful]
        pairs = zip(inferred, reference, strict=True)
        same = np.concatenate([mine.topics == theirs.topics for mine, theirs in pairs])
        found[str(n_samples)] = {
            "doubtful": int(doubtful.sum()),
            "error": float(np.abs(said - true[doubtful]).mean()),
            "said for certain": float(np.mean((said < 0.01) | (said > 0.99))),
            "units alike": float(same.mean()),
        }
    return found


def time_both(model: ContentModel, corpus: Corpus, rounds: int = 7) -> dict[str, float]:
    """Time one sweep over documents that are in the counts, and inferring them as new ones."""
    whole = extend_state(model.state_, corpus, model.priors_, n_sweeps=1, streams=Streams(0))
    new = type(whole)(
        whole.bag[-corpus.n_documents :],
        whole.inversions[-corpus.n_documents :],
        whole.dispersion,
        whole.word_counts,
        whole.topic_tokens,
        whole.subject_words,
    )
    others = int(model.state_.topic_tokens.sum())
    engine = TableEngine(corpus, model.n_topics, model.priors_, n_other_tokens=others)
    sweep = ResampleBlocks(engine, model.priors_)
    streams = Streams(1)
    work: dict[str, Callable[[int], object]] = {
        "sweep": lambda n: sweep(new, partial(streams.at, n, 0), POSTERIOR),
        "infer": lambda n: list(model.infer(corpus, n_jobs=1, random_state=n)),
        "fast": lambda n: list(model.infer(corpus, n_jobs=1, random_state=n, fast=True)),
    }
    times: dict[str, list[float]] = {name: [] for name in work}
    for n in range(rounds):
        for name, run in work.items():
            started = time.perf_counter()
            run(n)
            times[name].append(time.perf_counter() - started)
    median = {name: float(np.median(taken[1:])) for name, taken in times.items()}
    return {
        "infer / sweep": median["infer"] / median["sweep"],
        "fast / sweep": median["fast"] / median["sweep"],
    }


def main() -> None:
    """Run all seeds and print means."""
    parser = argparse.ArgumentParser()
    parser.add_argument("corpora", type=Path)
    parser.add_argument("name", nargs="?", default="cities_en")
    parser.add_argument("-k", type=int, default=20)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--jobs", type=int, default=-1, help="threads of the fits")
    parser.add_argument("--json", type=Path, help="keep one JSON line a seed")
    options = parser.parse_args()
    documents = list(read_documents(options.corpora / f"{options.name}.jsonl.gz"))
    runs = []
    for seed in options.seeds:
        runs.append(compare(documents, options.k, seed, options.jobs))
        print(json.dumps(runs[-1]), flush=True)
    if options.json is not None:
        lines = [json.dumps({"corpus": options.name, "k": options.k, **run}) for run in runs]
        options.json.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{options.name}, K = {options.k}, {len(runs)} seeds: mean ± sd")
    means = {}
    for name in runs[0]["scores"]:
        table = np.array([run["scores"][name] for run in runs])
        means[name] = table.mean(axis=0)
        (f, pk), (f_sd, pk_sd) = means[name], table.std(axis=0)
        print(f"  {name:22} F {f:.3f} ± {f_sd:.3f}   Pk {pk:.3f} ± {pk_sd:.3f}")
    worse = (means["in the fit"] - means["held out"]) * (1, -1)
    for name, value in zip(("F", "Pk"), worse, strict=True):
        verdict = "ok" if value <= MOST_WORSE else "MISSED"
        print(f"  {name} is worse by {value:.3f} (at most {MOST_WORSE}) {verdict}")
    for n_samples in map(str, SAMPLES):
        worth = {
            name: np.mean([run["by samples"][n_samples][name] for run in runs])
            for name in ("error", "said for certain", "units alike")
        }
        print(f"  {n_samples:>4} samples  " + "   ".join(f"{n} {v:.3f}" for n, v in worth.items()))
    for name in ("infer / sweep", "fast / sweep"):
        ratio = float(np.median([run[name] for run in runs]))
        verdict = "ok" if ratio <= MOST_SWEEPS else "MISSED"
        print(f"  {name} {ratio:.2f} (at most {MOST_SWEEPS:g}) {verdict}")


if __name__ == "__main__":
    main()
