"""BayesSeg: each segment a bag of words of its own (Eisenstein and Barzilay, 2008).

J. Eisenstein, R. Barzilay: Bayesian unsupervised topic segmentation, EMNLP 2008.

A segment's words come from a distribution of its own with a symmetric Dirichlet prior p, summed
out. With n tokens, n_w of them the word w, it scores
    logΓ(V p) − logΓ(n + V p) + Σ_w [logΓ(n_w + p) − logΓ(p)],
V being the different words of the document. The number of segments is given, and the best
segmentation is found exactly. The prior is given or learned from all documents together.

With a duration term a segment's length L in units scores as well: L − 1 is negative binomial with
mean μ = units / segments − 1, of its document, and dispersion r,
    logΓ(L − 1 + r) − logΓ(r) − log (L − 1)! + r log(r / (r + μ)) + (L − 1) log(μ / (r + μ)).
Great r hold lengths close to the mean, r = 1 is the geometric distribution. (The program of 2008
has L for L − 1, so that it gives some weight to a segment of no unit.)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from permutopic.baselines.bayesseg_learning import FIRST_DISPERSION, FIRST_PRIOR, Learned, learn
from permutopic.baselines.segment_counts import segment_counts
from permutopic.baselines.segment_text import texts_of
from permutopic.checks import check_real
from permutopic.errors import InputError
from permutopic.results.prediction import Prediction

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from permutopic.corpus import Corpus

LEARNED = "learned"
_LEAST, _MOST = 1e-6, 1e6


def predict(
    corpus: Corpus,
    *,
    prior: float | None = None,
    n_segments: int | ArrayLike | None = None,
    reference: str = "heading",
    duration: float | str | None = None,
) -> Prediction:
    """Cut every document where the joint likelihood of its segments is greatest.

    Parameters
    ----------
    prior
        The symmetric Dirichlet prior, or None to learn it: cut all documents, find the prior
        under which all their segments are most likely, and so on until nothing changes.
    n_segments, reference
        How many segments documents get: see `segment_counts`.
    duration
        None for no duration term, its dispersion r, or "learned".

    Returns
    -------
    Prediction
        With `by_document["log_likelihood"]`, and in `measures` its sum, the prior, the dispersion
        if there is one, and how many times all documents were cut.

    >>> from permutopic.corpus import Corpus
    >>> corpus = Corpus.from_paragraphs([["sea salt sea", "salt salt", "snow hill", "hill snow"]])
    >>> predict(corpus, prior=0.2, n_segments=2).ends(0).tolist()
    [2, 4]
    """
    learn_dispersion = isinstance(duration, str)
    if learn_dispersion and duration != LEARNED:
        raise InputError(f"duration must be a positive number, 'learned' or None, not {duration!r}")
    first_prior = FIRST_PRIOR if prior is None else check_real(prior, "prior", _LEAST, _MOST)
    dispersion = None
    if learn_dispersion:
        dispersion = FIRST_DISPERSION
    elif duration is not None:
        dispersion = check_real(duration, "duration", _LEAST, _MOST)
    found = learn(
        texts_of(corpus),
        segment_counts(corpus, n_segments, reference),
        first_prior,
        dispersion,
        learn_prior=prior is None,
        learn_dispersion=learn_dispersion,
    )
    return Prediction.from_ends(
        found.ends,
        corpus.document_offsets,
        by_document={"log_likelihood": found.log_likelihoods},
        measures=_measures(found),
    )


def _measures(found: Learned) -> dict[str, float]:
    measures = {
        "prior": found.prior,
        "log_likelihood": float(np.sum(found.log_likelihoods)),
        "iterations": float(found.iterations),
    }
    if found.dispersion is not None:
        measures["dispersion"] = found.dispersion
    return measures
