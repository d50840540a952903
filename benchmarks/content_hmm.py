"""The HMM content model: how its smoothing was chosen, and how far true states would take it.

    python benchmarks/content_hmm.py CORPORA [--topics 10]

First, smoothing: every fifth document is held out and scored by the model fitted to the others;
printed are the log probability per token in nats, and the share of units in the largest state.
Headings are not used. Second, ordering on the split of `splits.json` with the true headings of the
training documents as states, the K − 1 most frequent and all others as the insertion state: an
upper limit for the chain, given the right topics. Tokens are words.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from permutopic import Corpus, Document, read_documents
from permutopic.baselines.content_hmm import (
    STRENGTHS,
    TRANSITION_SMOOTHING,
    ContentHmm,
    estimate_transitions,
    fit_content_hmm,
)
from permutopic.baselines.content_hmm_emissions import backoff_tables, encode_bigrams
from permutopic.corpus import Encoder
from permutopic.evaluation.ordering import order_tau, sections_of
from permutopic.ordering.pieces import encode_pieces

if TYPE_CHECKING:
    from numpy.typing import NDArray

CHOICES: dict[str, dict[str, Any]] = {
    **{
        f"additive, δ = {delta}": {"smoothing": "additive", "word_smoothing": delta}
        for delta in (0.1, 0.03, 0.01, 0.003, 0.001)
    },
    **{
        f"back-off, μ = {share}": {"strengths": (share, *STRENGTHS[1:])}
        for share in (0.001, 0.003, 0.01, 0.03)
    },
}


def held_out(documents: list[Document], n_topics: int, **settings: Any) -> tuple[float, float]:
    """Score every fifth document by the others: nats per token, and the largest state's share."""
    training = Corpus.from_documents(d for n, d in enumerate(documents) if n % 5)
    fitted = fit_content_hmm(training, n_topics, **settings)
    test = Encoder(vocabulary=training.vocabulary, skip_empty=True).encode(documents[::5])
    _, totals = fitted.model.decode(test.words, test.unit_offsets, test.document_offsets)
    largest = np.bincount(fitted.states).max() / fitted.states.size
    return float(totals.sum() / test.n_tokens), float(largest)


def true_states(corpus: Corpus, n_topics: int) -> NDArray[np.int64]:
    """Return states by heading: the most frequent ones in order, then one for all others."""
    names = np.array(corpus.reference("label"))
    found, counts = np.unique(names, return_counts=True)
    most_frequent = found[np.argsort(-counts, kind="stable")][: n_topics - 1]
    number = {name: state for state, name in enumerate(most_frequent)}
    return np.array([number.get(name, len(most_frequent)) for name in names])


def model_of(corpus: Corpus, states: NDArray[np.int64]) -> ContentHmm:
    """Estimate a model from given states."""
    encoded, insertion = encode_bigrams(corpus), int(states.max())
    strengths = np.array(STRENGTHS) * corpus.n_tokens
    tables = backoff_tables(encoded, states, insertion, strengths)
    chain = estimate_transitions(
        states, corpus.document_offsets, insertion + 1, TRANSITION_SMOOTHING
    )
    return ContentHmm(corpus.n_words, encoded.bigrams, *tables, *chain)


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("corpora", type=Path)
    parser.add_argument("--topics", type=int, default=10)
    given = parser.parse_args()
    print("| smoothing | elements_paper | cities_paper |")
    print("|---|---|---|")
    corpora = [
        list(read_documents(given.corpora / f"{name}.jsonl.gz"))
        for name in ("elements_paper", "cities_paper")
    ]
    for name, settings in CHOICES.items():
        scores = [held_out(documents, given.topics, **settings) for documents in corpora]
        print(f"| {name} |", " | ".join(f"{nats:.3f} ({share:.2f})" for nats, share in scores), "|")
    split = json.loads((given.corpora / "splits.json").read_text(encoding="utf-8"))["ordering"]
    corpus = Corpus.from_documents(read_documents(given.corpora / f"{split['train']}.jsonl.gz"))
    wanted = set(split["test_titles"])
    print("\n| τ with true headings as states | mean ± standard error over documents |")
    print("|---|---|")
    for n_topics in (10, 20):
        model = model_of(corpus, true_states(corpus, n_topics))
        random = np.random.default_rng(0)
        taus = []
        for document in read_documents(given.corpora / f"{split['test_corpus']}.jsonl.gz"):
            texts = [section.paragraphs for section in sections_of(document)]
            if document.title in wanted and len(texts) > 1:
                pieces = encode_pieces(texts, corpus.tokens, corpus.vocabulary)
                taus.append(order_tau(model.order(pieces, random).order))
        error = np.std(taus, ddof=1) / np.sqrt(len(taus))
        print(f"| K = {n_topics} | {np.mean(taus):.3f} ± {error:.3f} |")


if __name__ == "__main__":
    main()
