"""The paper's moves: structures draw by draw (eq. 10, 11), ρ by slice sampling (eq. 12)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import gammaln

from permutopic.errors import InputError
from permutopic.mallows import log_prior_of_float, n_values
from permutopic.model.mcmc.schedule import POSTERIOR
from permutopic.model.paper import single_draws
from permutopic.model.priors import Variant
from permutopic.slice_sampling import slice_sample

if TYPE_CHECKING:
    from permutopic.corpus import Corpus
    from permutopic.model.mcmc.sampler import Move, RandomAt
    from permutopic.model.mcmc.schedule import Stage
    from permutopic.model.priors import Priors
    from permutopic.model.state import State


class ResampleStructures:
    """Resample the structure of every document: its bag (eq. 10), then its inversions (eq. 11).

    Parameters
    ----------
    bag, inversions
        Which parts to resample; tests turn one of them off.
    fill
        "lazy" scores a span when it is first looked up, "full" scores all spans in advance. The
        results are the same up to rounding; `benchmarks/sweep.py` has the cost.
    """

    def __init__(
        self,
        corpus: Corpus,
        n_topics: int,
        priors: Priors,
        *,
        bag: bool = True,
        inversions: bool = True,
        fill: str = "lazy",
    ) -> None:
        self.priors = priors
        self.resamples_bag = bag
        self.resamples_inversions = inversions and priors.variant != Variant.CONSTRAINED
        self.fills_first = {"lazy": False, "full": True}[fill]
        self.spans = make_span_scores(corpus, n_topics, priors)
        self.documents = [document.tokens for document in corpus.documents()]

    def __call__(self, state: State, random_at: RandomAt, stage: Stage = POSTERIOR) -> None:
        """Resample the structure of each document in turn, at inverse temperature 1 only."""
        if stage != POSTERIOR:
            raise ValueError(f"the paper's moves do not anneal: {stage}")
        counts = single_draws.TopicCounts(
            state.word_counts, state.topic_tokens, state.bag.sum(axis=0)
        )
        n_inversions = (state.n_topics - 1) * self.resamples_inversions
        for d, document in enumerate(self.documents):
            n_draws = 2 * (document.offsets.size - 1) * self.resamples_bag
            uniforms = random_at(d).random(n_draws + n_inversions)
            single_draws.resample_structure(
                document,
                state.bag[d],
                state.inversions[d],
                counts,
                self.spans,
                self.priors.topic,
                state.dispersion,
                uniforms[:n_draws],
                uniforms[n_draws:],
                self.fills_first,
            )


class ResampleDispersion:
    """Move each ρ_j by one slice-sampling step under its conditional (eq. 12)."""

    def __init__(self, priors: Priors) -> None:
        self.priors = priors

    def __call__(self, state: State, random_at: RandomAt, stage: Stage = POSTERIOR) -> None:  # noqa: ARG002
        """Resample ρ given the inversion counts of all documents."""
        rng = random_at(0)
        n_documents, n_topics = state.bag.shape
        strength = n_documents + self.priors.strength
        before = self.priors.strength * self.priors.mean_inversions(n_topics)
        means = (state.inversions.sum(axis=0) + before) / strength
        for j, values in enumerate(n_values(n_topics)):
            density = log_prior_of_float(int(values), float(means[j]), strength)
            tail = 1 / (strength * float(means[j]))
            state.dispersion[j] = slice_sample(density, state.dispersion[j], 1 + tail, rng)


def paper_moves(corpus: Corpus, n_topics: int, priors: Priors, *, fill: str = "lazy") -> list[Move]:
    """Return the paper's sweep: all structures, then ρ if the variant has one."""
    moves: list[Move] = [ResampleStructures(corpus, n_topics, priors, fill=fill)]
    if priors.variant == Variant.FULL:
        moves.append(ResampleDispersion(priors))
    return moves


def make_span_scores(corpus: Corpus, n_topics: int, priors: Priors) -> single_draws.SpanScores:
    """Allocate the span scores for the longest document, and tables that all documents share."""
    longest = int(corpus.document_sizes.max())
    shape = (longest, longest + 1, n_topics)
    try:
        scores = np.empty(shape)  # untouched pages cost nothing: lazy filling needs few of them
    except MemoryError:
        title = corpus.titles[int(corpus.document_sizes.argmax())]
        raise InputError(
            f"document {title!r} has {longest} units: their span scores take "
            f"{8 * math.prod(shape) / 2**30:.0f} GiB; use longer units or cut the document"
        ) from None
    digits = np.log10(max(corpus.n_tokens + priors.word, 1 / priors.word, 10))
    tokens = np.arange(corpus.n_tokens + 1)
    return single_draws.SpanScores(
        scores=scores,
        reach=np.zeros((longest, n_topics), dtype=np.int64),
        seen=np.zeros(corpus.n_words, dtype=np.int32),
        log_gamma=gammaln(tokens + corpus.n_words * priors.word),
        word_prior=priors.word,
        block=int(300 // digits),
    )
