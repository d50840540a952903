"""The hidden topic Markov model (Gruber, Weiss & Rosen-Zvi, AISTATS 2007).

The authors assign a topic to each sentence; here each unit has one, usually a paragraph. The first
unit of a document draws its topic from the document's own distribution θ_d ~ Dirichlet(α). Each
later unit changes with probability ε and then draws again (perhaps the same topic), or else keeps
the previous topic. All words of a unit come from its topic, β_k ~ Dirichlet(η).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array

from permutopic.baselines import htmm_kernels as kernels
from permutopic.checks import check_integer, check_real
from permutopic.errors import InputError, Parameter
from permutopic.results.prediction import Prediction

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from permutopic.corpus import Corpus

# Of the start with nearly equal topics: relative noise, pseudocount of words, and ε. Chosen by the
# objective reached, over corpora and numbers of topics; never by scores against headings.
_NOISE, _PSEUDOCOUNT, _INITIAL_CHANGE = 1e-4, 1e-2, 0.9


@dataclass(frozen=True, eq=False)
class HtmmParameters:
    """Parameters of the model; all distributions are positive, so that logarithms are finite.

    Attributes
    ----------
    topic_prevalence
        (D, K): θ, topic probabilities of each document.
    word_distribution
        (W, K): β, word probabilities; one column per topic.
    change
        ε, the probability that a unit draws a topic instead of keeping the previous one.
    """

    topic_prevalence: NDArray[np.float64]
    word_distribution: NDArray[np.float64]
    change: float


@dataclass(frozen=True, eq=False)
class Htmm:
    """A fitted hidden topic Markov model.

    Attributes
    ----------
    parameters
        Those of the last iteration, which have the highest objective.
    topics
        (units,): topics of the most probable path of (topic, changed or not).
    log_likelihoods, objectives
        Log likelihood of the corpus, and the same plus the log prior up to a constant: at the
        start and after each iteration. The objective never decreases.
    """

    parameters: HtmmParameters
    topics: NDArray[np.int64]
    log_likelihoods: NDArray[np.float64]
    objectives: NDArray[np.float64]


def predict(
    corpus: Corpus,
    n_topics: int,
    seed: int = 0,
    *,
    topic_prior: float | None = None,
    word_prior: float = 1.01,
    iterations: int = 100,
    tol: float = 0.0,
    start: str = "corpus",
) -> Prediction:
    """Assign each unit its topic on the most probable path of the fitted model.

    The prediction's measures are the log likelihood, the objective (with the log prior), the
    number of iterations and the probability ε of a change. Settings are those of `fit`.

    >>> from permutopic.corpus import Corpus
    >>> paragraphs = [["sea salt sea", "salt sea", "hall town", "town hall hall"]]
    >>> found = predict(Corpus.from_paragraphs(paragraphs), 2, topic_prior=1.1)
    >>> found.ends(0).tolist(), sorted(found.measures)
    ([2, 4], ['change', 'iterations', 'log_likelihood', 'objective'])
    """
    check_integer(iterations, "iterations", 1, 10**6)
    fitted = fit(
        corpus,
        n_topics,
        seed,
        topic_prior=topic_prior,
        word_prior=word_prior,
        iterations=iterations,
        tol=tol,
        start=start,
    )
    measures = {
        "log_likelihood": float(fitted.log_likelihoods[-1]),
        "objective": float(fitted.objectives[-1]),
        "iterations": float(fitted.objectives.size - 1),
        "change": fitted.parameters.change,
    }
    return Prediction(fitted.topics, corpus.document_offsets, measures=measures)


def fit(
    corpus: Corpus,
    n_topics: int,
    seed: int = 0,
    *,
    topic_prior: float | None = None,
    word_prior: float = 1.01,
    iterations: int = 100,
    tol: float = 0.0,
    start: str | HtmmParameters = "corpus",
) -> Htmm:
    """Find a local maximum of the posterior of the parameters by EM, from a random start.

    Parameters
    ----------
    n_topics, seed
        K, and the seed of the random start.
    topic_prior, word_prior
        α and η, both above 1. The authors' α is 1 + 50/K, their η 1.01.
    iterations, tol
        Maximum number of iterations, and the relative gain of the objective at or below which EM
        stops. The first iterations from nearly equal topics gain little.
    start
        "corpus": nearly equal topics; "uniform": as in the authors' program; or parameters.
    """
    n_topics = check_integer(n_topics, "n_topics", 1)
    topic_prior = 1 + 50 / n_topics if topic_prior is None else topic_prior
    topic_prior = _check_prior(topic_prior, "topic_prior")
    word_prior = _check_prior(word_prior, "word_prior")
    iterations = check_integer(iterations, "iterations", 0)
    tol = check_real(tol, "tol", 0, 1)
    seed = check_integer(seed, "seed", 0)
    em = _ExpectationMaximisation(corpus, n_topics, topic_prior, word_prior)
    if isinstance(start, str):
        if start not in STARTS:
            raise InputError(
                Parameter("start"), f" must be one of {', '.join(STARTS)}, not {start!r}"
            )
        start = STARTS[start](corpus, n_topics, np.random.default_rng(seed))
    parameters = start
    log_likelihoods, objectives = [], []
    while True:
        log_likelihood, objective = em.e_step(parameters)
        log_likelihoods.append(log_likelihood)
        objectives.append(objective)
        if len(objectives) > iterations:
            break
        if len(objectives) > 1 and objective - objectives[-2] <= tol * abs(objective):
            break
        parameters = em.m_step(parameters)
    topics = em.best_topics(parameters)
    return Htmm(parameters, topics, np.array(log_likelihoods), np.array(objectives))


def corpus_start(corpus: Corpus, n_topics: int, random: np.random.Generator) -> HtmmParameters:
    """Start with the word frequencies of the corpus in all topics, plus a little noise.

    The posteriors of units are then nearly uniform, and EM separates them gradually. From topics
    that differ at random, the posteriors of long units are near 0 or 1 at once, and few change.
    """
    frequencies = np.bincount(corpus.words, minlength=corpus.n_words).astype(np.float64)
    noise = 1 + _NOISE * random.random((corpus.n_words, n_topics))
    words = (frequencies[:, None] + _PSEUDOCOUNT) * noise  # some words may not occur
    even = np.full((corpus.n_documents, n_topics), 1 / n_topics)
    return HtmmParameters(even, _normalised(words, 0), _INITIAL_CHANGE)


def uniform_start(corpus: Corpus, n_topics: int, random: np.random.Generator) -> HtmmParameters:
    """Start as in the authors' program: uniform random numbers, normalised."""
    change = 1 - random.random()  # above 0
    prevalence = 1 - random.random((corpus.n_documents, n_topics))
    words = 1 - random.random((corpus.n_words, n_topics))
    return HtmmParameters(_normalised(prevalence, 1), _normalised(words, 0), change)


STARTS = {"corpus": corpus_start, "uniform": uniform_start}


class _ExpectationMaximisation:
    """EM on one corpus with given priors; stores the expectations of the last E-step."""

    def __init__(
        self, corpus: Corpus, n_topics: int, topic_prior: float, word_prior: float
    ) -> None:
        self.document_offsets = corpus.document_offsets
        self.topic_prior, self.word_prior = topic_prior, word_prior
        self.units = unit_words(corpus)
        self.scores = np.empty((corpus.n_units, n_topics))
        self.posteriors = np.empty((corpus.n_units, n_topics))
        self.expected_draws = np.empty((corpus.n_documents, n_topics))
        self.word_counts = np.empty((corpus.n_words, n_topics))
        self.expected_changes = 0.0

    def e_step(self, parameters: HtmmParameters) -> tuple[float, float]:
        """Compute the expectations; return the log likelihood and the objective."""
        log_likelihoods = np.empty(self.document_offsets.size - 1)
        transitions, log_words = self._log_parameters(parameters)
        kernels.score_units(self.units, log_words, self.scores)
        self.expected_changes = kernels.forward_backward(
            transitions, self.scores, self.posteriors, self.expected_draws, log_likelihoods
        )
        kernels.expected_word_counts(self.units, self.posteriors, self.word_counts)
        log_likelihood = float(log_likelihoods.sum())
        log_prior = (self.topic_prior - 1) * transitions.draw.sum() + (
            self.word_prior - 1
        ) * log_words.sum()
        return log_likelihood, log_likelihood + float(log_prior)

    def m_step(self, old: HtmmParameters) -> HtmmParameters:
        """Return the parameters that maximise the expected objective."""
        n_transitions = self.scores.shape[0] - self.expected_draws.shape[0]
        return HtmmParameters(
            _normalised(self.expected_draws + (self.topic_prior - 1), 1),
            _normalised(self.word_counts + (self.word_prior - 1), 0),
            # Without second units ε is undetermined; a sum of probabilities may round to above 1.
            min(self.expected_changes / n_transitions, 1.0) if n_transitions else old.change,
        )

    def best_topics(self, parameters: HtmmParameters) -> NDArray[np.int64]:
        """Return the topics of the most probable path."""
        transitions, log_words = self._log_parameters(parameters)
        kernels.score_units(self.units, log_words, self.scores)
        topics = np.empty(self.scores.shape[0], dtype=np.int64)
        kernels.viterbi(transitions, self.scores, topics)
        return topics

    def _log_parameters(
        self, parameters: HtmmParameters
    ) -> tuple[kernels.LogTransitions, NDArray[np.float64]]:
        with np.errstate(divide="ignore"):  # ε may reach 0 or 1
            change, keep = np.log(parameters.change), np.log1p(-parameters.change)
        draw = np.log(parameters.topic_prevalence)
        transitions = kernels.LogTransitions(
            self.document_offsets, draw, float(change), float(keep)
        )
        return transitions, np.log(parameters.word_distribution)


def unit_words(corpus: Corpus) -> kernels.UnitWords:
    """Count the words of each unit."""
    shape = (corpus.n_units, corpus.n_words)
    tokens = (np.ones(corpus.n_tokens), corpus.words, corpus.unit_offsets)
    table = csr_array(tokens, shape=shape, copy=True)  # the corpus is frozen
    table.sum_duplicates()
    return kernels.UnitWords(
        table.indptr.astype(np.int64), table.indices.astype(np.int32), table.data
    )


def _normalised(weights: NDArray[np.float64], axis: int) -> NDArray[np.float64]:
    normalised: NDArray[np.float64] = weights / weights.sum(axis=axis, keepdims=True)
    return normalised


def _check_prior(value: object, name: str) -> float:
    number = check_real(value, name, 1, 1e9)
    if number == 1:
        raise InputError(
            Parameter(name), " must be above 1, not 1: the most probable share would be 0"
        )
    return number
