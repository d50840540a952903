"""Choice of K: fits with several K to part of the documents, scored on the rest."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import permutopic
from permutopic.checks import check_integer
from permutopic.errors import InputError, Parameter
from permutopic.estimator import ContentModel
from permutopic.model.priors import check_enough_units, check_n_topics
from permutopic.selection.held_out import Fold, make_fold, score_hidden, score_one_topic
from permutopic.selection.recommending import Candidate, recommend
from permutopic.selection.stability import mean_agreement
from permutopic.streams import seed_from

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from permutopic.corpus import Corpus

CANDIDATES = (4, 6, 8, 10, 14, 20, 28)
_SMALL_CANDIDATES = (2, 3, 4)
_UNITS_PER_TOPIC = 10

N_DRAWS = 100
PREVALENCE_WEIGHT = 1 / N_DRAWS
"""Weight of the prevalence in the topic probabilities of a unit. N_DRAWS draws cannot distinguish
probability 0 from 1 / N_DRAWS, and log 0 would dominate the score."""


class FitInfo(NamedTuple):
    """The fit that begins: its number from 1, the number of fits, K and the seed."""

    fit: int
    n_fits: int
    n_topics: int
    seed: int


@dataclass(frozen=True)
class Choice:
    """The scores of all candidates, and the recommended K.

    Attributes
    ----------
    candidates
        Scores of each K, ascending.
    n_topics
        The recommended K.
    reason
        The reason in a sentence or two; a `Message` if it names parameters.
    notes
        Further advice: unused topics, seeds that disagree, a range that is too small.
    one_topic
        Held-out score of a single topic, in nats per word.
    gain, gain_error
        Score of the best K less `one_topic`, and the standard error of the difference.
    n_documents, n_held_out
        Number of documents, and of those held out and scored.
    hidden_words, unknown_words
        Number of held-out tokens that were scored, and of those not in the training documents.
    settings
        The model's settings, seeds, corpus fingerprint, version.
    """

    candidates: tuple[Candidate, ...]
    n_topics: int
    reason: str
    notes: tuple[str, ...]
    one_topic: float
    gain: float
    gain_error: float
    n_documents: int
    n_held_out: int
    hidden_words: int
    unknown_words: int
    settings: dict[str, Any]

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return asdict(self)


class CandidateScores(NamedTuple):
    """Held-out score, difference from the best, and its standard error: (K,) each."""

    held_out: NDArray[np.float64]
    behind: NDArray[np.float64]
    behind_error: NDArray[np.float64]


def choose_k(
    corpus: Corpus,
    candidates: Sequence[int] | None = None,
    *,
    n_seeds: int = 3,
    held_out: float = 0.2,
    model: ContentModel | None = None,
    on_fit: Callable[[FitInfo], None] | None = None,
) -> Choice:
    """Compare numbers of topics by held-out score, agreement and topics used; recommend one.

    Parameters
    ----------
    candidates
        The K to try, at least two; None for 4, 6, 8, 10, 14, 20, 28, up to a tenth of the number
        of units.
    n_seeds
        Number of fits of each K, with different seeds.
    held_out
        Share of the documents to hold out. They are drawn by the first seed, and are the same for
        all fits.
    model
        The model with all other settings; its `random_state` is the first seed.
    on_fit
        Called before every fit.

    Examples
    --------
    >>> from permutopic import Corpus
    >>> documents = [["salt sea waves tide", "hills snow rocks ice"]] * 10
    >>> choice = choose_k(Corpus.from_paragraphs(documents), [2, 3])
    >>> choice.n_topics, choice.n_held_out
    (2, 2)
    """
    template = ContentModel(random_state=0) if model is None else model
    check_integer(n_seeds, "n_seeds", 2)
    tried = None if candidates is None else check_candidates(candidates)
    first = seed_from(template.random_state)
    fold = make_fold(corpus, held_out, np.random.default_rng(first))
    if tried is None:
        tried = default_candidates(fold.train.n_units)
    check_enough_units(max(tried), fold.train)
    seeds = range(first, first + n_seeds)
    found: list[dict[str, Any]] = []
    scores: list[NDArray[np.float64]] = []
    ones: list[NDArray[np.float64]] = []
    for k_number, n_topics in enumerate(tried):
        fits = []
        for s_number, seed in enumerate(seeds):
            if on_fit is not None:
                done = k_number * n_seeds + s_number
                on_fit(FitInfo(done + 1, len(tried) * n_seeds, n_topics, seed))
            fits.append(_fit(fold, template, n_topics, seed))
        found.append(_summarise_fits(n_topics, fits))
        scores.append(np.array([fit.scores for fit in fits]))
        ones.append(np.array([fit.one_topic for fit in fits]))
    compared = compare_candidates(np.array(scores), fold.hidden_words)
    table = tuple(
        Candidate(held_out=score, behind=behind, behind_error=error, **facts)
        for score, behind, error, facts in zip(*(c.tolist() for c in compared), found, strict=True)
    )
    best = max(range(len(scores)), key=lambda number: scores[number].sum())
    one_topic = ones[best].mean(axis=0)
    gain, gain_error = gain_over_one_topic(scores[best], ones[best], fold.hidden_words)
    advice = recommend(table, gain, gain_error)
    settings = template.checked_settings()
    for name in ("n_topics", "random_state"):
        settings.pop(name)
    return Choice(
        candidates=table,
        n_topics=advice.n_topics,
        reason=advice.reason,
        notes=advice.notes,
        one_topic=float(one_topic.sum() / fold.hidden.size),
        gain=gain,
        gain_error=gain_error,
        n_documents=corpus.n_documents,
        n_held_out=fold.shown.n_documents,
        hidden_words=fold.hidden.size,
        unknown_words=fold.unknown,
        settings={
            **settings,
            "tokens": corpus.tokens.as_dict(),
            "units": corpus.units.as_dict(),
            "seeds": list(seeds),
            "held_out": held_out,
            "corpus_fingerprint": corpus.fingerprint,
            "version": permutopic.__version__,
        },
    )


def default_candidates(n_units: int) -> tuple[int, ...]:
    """Return K from 4 to 28, each about 1.4 times the last, with at least ten units per topic.

    >>> default_candidates(2000), default_candidates(90), default_candidates(30)
    ((4, 6, 8, 10, 14, 20, 28), (4, 6, 8), (2, 3, 4))
    """
    fitting = tuple(k for k in CANDIDATES if k * _UNITS_PER_TOPIC <= n_units)
    if len(fitting) >= 3:
        return fitting
    # No more topics than units; of two units at least two numbers are named in what is refused.
    return tuple(k for k in _SMALL_CANDIDATES if k <= max(n_units, 3))


def check_candidates(candidates: object) -> tuple[int, ...]:
    """Return candidates sorted; refuse fewer than two different numbers of topics."""
    listed = isinstance(candidates, Sequence | np.ndarray) and not isinstance(candidates, str)
    if not listed:
        raise InputError(
            Parameter("candidates"), f" must be a list of numbers of topics, not {candidates!r}"
        )
    numbers = tuple(sorted({check_n_topics(k) for k in candidates}))  # type: ignore[attr-defined]
    if len(numbers) < 2:
        raise InputError(
            Parameter("candidates"),
            f" must be at least two different numbers of topics, not {list(numbers)}",
        )
    return numbers


class _Fit(NamedTuple):
    scores: NDArray[np.float64]
    one_topic: NDArray[np.float64]
    topics: NDArray[np.int64]
    in_use: int
    seconds: float


def _fit(fold: Fold, template: ContentModel, n_topics: int, seed: int) -> _Fit:
    """Fit one K with one seed, and score the held-out documents."""
    settings = {**template.get_params(deep=False), "n_topics": n_topics, "random_state": seed}
    model = ContentModel(**settings)
    started = time.perf_counter()
    model.fit(fold.train)
    inferred = model.infer(fold.shown, n_samples=N_DRAWS, n_jobs=template.n_jobs, random_state=seed)
    drawn = np.concatenate([each.probabilities for each in inferred])
    probabilities = (1 - PREVALENCE_WEIGHT) * drawn + PREVALENCE_WEIGHT * model.prevalence_
    seconds = time.perf_counter() - started
    of_documents = model.document_words_
    return _Fit(
        scores=score_hidden(fold, probabilities, model.word_distributions_, of_documents),
        one_topic=score_one_topic(fold, model.priors_.word, of_documents),
        topics=model.prediction().topics,
        in_use=int(np.count_nonzero(model.bags_.any(axis=0))),
        seconds=seconds,
    )


def _summarise_fits(n_topics: int, fits: Sequence[_Fit]) -> dict[str, Any]:
    """Summarise the fits of one K by agreement, topics used and seconds."""
    agreement, order_agreement = mean_agreement([fit.topics for fit in fits])
    return {
        "n_topics": n_topics,
        "agreement": agreement,
        "order_agreement": None if np.isnan(order_agreement) else order_agreement,
        "topics_used": float(np.mean([fit.in_use for fit in fits])),
        "seconds": sum(fit.seconds for fit in fits),
    }


def compare_candidates(scores: NDArray[np.float64], words: NDArray[np.int64]) -> CandidateScores:
    """Compare K by log probabilities of the same documents: (K, seeds, documents) in nats.

    `words` (documents,) is the number of scored words. The score is the ratio of sums, nats per
    word. The standard error of a difference has two parts: that of a ratio estimator, paired over
    documents, and the variance between seeds, pooled over all K because each has few seeds.
    """
    n_seeds = scores.shape[1]
    by_document = scores.mean(axis=1)
    held_out = by_document.sum(axis=1) / words.sum()
    by_seed = scores.sum(axis=2) / words.sum()
    between_seeds = float(by_seed.var(axis=1, ddof=1).mean()) / n_seeds
    best = int(held_out.argmax())
    of_documents = _ratio_standard_errors(by_document[best] - by_document, words)
    behind_error = np.sqrt(of_documents**2 + 2 * between_seeds)
    behind_error[best] = 0.0
    return CandidateScores(held_out, held_out[best] - held_out, behind_error)


def gain_over_one_topic(
    scores: NDArray[np.float64], one_topic: NDArray[np.float64], words: NDArray[np.int64]
) -> tuple[float, float]:
    """Return the mean gain of (seeds, documents) over one topic, nats per word, and its error.

    `one_topic` has the scores with one topic, of each seed and document as well: where there are
    subject words, they are those of the fit.
    """
    gains = (scores - one_topic).mean(axis=0)
    between_seeds = float(((scores - one_topic).sum(axis=1) / words.sum()).var(ddof=1))
    between_seeds /= len(scores)
    error = np.sqrt(_ratio_standard_errors(gains[np.newaxis], words)[0] ** 2 + between_seeds)
    return float(gains.sum() / words.sum()), float(error)


def _ratio_standard_errors(
    nats: NDArray[np.float64], words: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Compute the standard error of Σ nats / Σ words for every row of (K, documents)."""
    n_documents = words.size
    ratios = nats.sum(axis=1) / words.sum()
    residuals = nats - ratios[:, np.newaxis] * words
    spread = np.sqrt((residuals**2).sum(axis=1) * n_documents / (n_documents - 1))
    errors: NDArray[np.float64] = spread / words.sum()
    return errors
