"""BayesSeg: each segment has its own word distribution (Eisenstein and Barzilay, 2008).

J. Eisenstein, R. Barzilay: Bayesian unsupervised topic segmentation, EMNLP 2008.

The words of a segment come from its own distribution, integrated out under a symmetric Dirichlet
prior p. A segment of n tokens, n_w of them the word w, has the log likelihood
    logΓ(V p) − logΓ(n + V p) + Σ_w [logΓ(n_w + p) − logΓ(p)],
with V the distinct words of the document. The number of segments is given, and the best
segmentation is found exactly. The prior is given, or estimated from all documents together.

With a duration term the length L of a segment in units has a probability too: L − 1 is negative
binomial with the document's mean μ = units / segments − 1 and dispersion r,
    logΓ(L − 1 + r) − logΓ(r) − log (L − 1)! + r log(r / (r + μ)) + (L − 1) log(μ / (r + μ)).
A large r makes lengths nearly equal; r = 1 is the geometric distribution. (The authors' program has
L in place of L − 1, which gives probability to an empty segment.)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from permutopic.baselines.bayesseg_learning import (
    INITIAL_DISPERSION,
    INITIAL_PRIOR,
    FittedBayesSeg,
    fit_bayesseg,
)
from permutopic.baselines.local_tokens import all_local_tokens
from permutopic.baselines.segment_counts import segment_counts
from permutopic.checks import check_real
from permutopic.errors import InputError, Parameter
from permutopic.results.prediction import Prediction

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from permutopic.corpus import Corpus

LEARNED = "learned"
_MINIMUM, _MAXIMUM = 1e-6, 1e6


def predict(
    corpus: Corpus,
    *,
    prior: float | None = None,
    n_segments: int | ArrayLike | None = None,
    reference: str = "heading",
    duration: float | str | None = None,
) -> Prediction:
    """Segment every document at the maximum of the likelihood of its segments.

    Parameters
    ----------
    prior
        The symmetric Dirichlet prior, or None to estimate it: segment all documents, maximise the
        likelihood of the segments over the prior, and repeat until the segmentation is stable.
    n_segments, reference
        The number of segments per document: see `segment_counts`.
    duration
        None for no duration term, its dispersion r, or "learned" to estimate r.

    Returns
    -------
    Prediction
        With `by_document["log_likelihood"]`, and in `measures` its sum, the prior, the dispersion
        if there is one, and the number of iterations.

    >>> from permutopic.corpus import Corpus
    >>> corpus = Corpus.from_paragraphs([["sea salt sea", "salt salt", "snow hill", "hill snow"]])
    >>> predict(corpus, prior=0.2, n_segments=2).ends(0).tolist()
    [2, 4]
    """
    learn_dispersion = isinstance(duration, str)
    if learn_dispersion and duration != LEARNED:
        raise InputError(
            Parameter("duration"),
            f" must be a positive number, 'learned' or None, not {duration!r}",
        )
    initial_prior = (
        INITIAL_PRIOR if prior is None else check_real(prior, "prior", _MINIMUM, _MAXIMUM)
    )
    dispersion = None
    if learn_dispersion:
        dispersion = INITIAL_DISPERSION
    elif duration is not None:
        dispersion = check_real(duration, "duration", _MINIMUM, _MAXIMUM)
    fitted = fit_bayesseg(
        all_local_tokens(corpus),
        segment_counts(corpus, n_segments, reference),
        initial_prior,
        dispersion,
        learn_prior=prior is None,
        learn_dispersion=learn_dispersion,
    )
    return Prediction.from_ends(
        fitted.ends,
        corpus.document_offsets,
        by_document={"log_likelihood": fitted.log_likelihoods},
        measures=_measures(fitted),
    )


def _measures(fitted: FittedBayesSeg) -> dict[str, float]:
    measures = {
        "prior": fitted.prior,
        "log_likelihood": float(np.sum(fitted.log_likelihoods)),
        "iterations": float(fitted.iterations),
    }
    if fitted.dispersion is not None:
        measures["dispersion"] = fitted.dispersion
    return measures
