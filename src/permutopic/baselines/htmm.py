"""A rival: the hidden topic Markov model (Gruber, Weiss & Rosen-Zvi, AISTATS 2007).

Its authors give each sentence a topic; here a unit has one, a paragraph most of the time. The first
unit of a document draws its topic from the document's own distribution θ_d ~ Dirichlet(α). Each
later one changes with probability ε and then draws anew (the same topic, perhaps), or else keeps
the topic before it. All words of a unit come from its topic, β_k ~ Dirichlet(η).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array

from permutopic.baselines import htmm_kernels as kernels
from permutopic.checks import check_integer, check_real
from permutopic.errors import InputError
from permutopic.results.prediction import Prediction

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from permutopic.corpus import Corpus

# Of a start with topics nearly alike: how unlike they are, what is added to the counts of words,
# and ε. Chosen by the objective reached, over corpora and numbers of topics; never by scores.
_NOISE, _LEAST, _FIRST_CHANGE = 1e-4, 1e-2, 0.9


@dataclass(frozen=True, eq=False)
class Parameters:
    """What the model knows: all of it positive, so that logarithms are finite.

    Attributes
    ----------
    topic_prevalence
        (D, K): θ, from which a document draws its topics.
    word_distribution
        (W, K): β, the words of each topic, one topic a column.
    change
        ε, the probability that a unit draws a topic instead of keeping the one before.
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
        The last, and the most probable of this run.
    topics
        For each unit, its topic on the document's most probable path of (topic, changed or not).
    log_likelihoods, objectives
        Log likelihood of the corpus, and the same plus the log prior up to a constant: for the
        start and after each iteration. The second never falls.
    """

    parameters: Parameters
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
    """Give each unit its topic on the most probable path of the fitted model.

    The prediction's measures are the log likelihood, the objective (with the log prior), the
    iterations made and the probability ε of a change. Settings are those of `fit`.

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
    start: str | Parameters = "corpus",
) -> Htmm:
    """Climb to the most probable parameters by EM, from a random start.

    Parameters
    ----------
    corpus, n_topics, seed
        What to model, K, and what the random start follows from.
    topic_prior, word_prior
        α and η, both above 1. The authors' α is 1 + 50/K, their η 1.01.
    iterations, tol
        It ends after so many, as the authors' program does, or when one gains nothing or less than
        `tol` times the size of the objective. Mind that the first steps from a start that is nearly
        even gain little.
    start
        "corpus": topics that are nearly alike; "uniform": as the authors' program; or parameters.
    """
    n_topics = check_integer(n_topics, "n_topics", 1)
    topic_prior = 1 + 50 / n_topics if topic_prior is None else topic_prior
    topic_prior = _check_prior(topic_prior, "topic_prior")
    word_prior = _check_prior(word_prior, "word_prior")
    iterations = check_integer(iterations, "iterations", 0)
    tol = check_real(tol, "tol", 0, 1)
    seed = check_integer(seed, "seed", 0)
    em = _Em(corpus, n_topics, topic_prior, word_prior)
    if isinstance(start, str):
        if start not in STARTS:
            raise InputError(f"start must be one of {', '.join(STARTS)}, not {start!r}")
        start = STARTS[start](corpus, n_topics, np.random.default_rng(seed))
    parameters = start
    log_likelihoods, objectives = [], []
    while True:
        log_likelihood, objective = em.expect(parameters)
        log_likelihoods.append(log_likelihood)
        objectives.append(objective)
        if len(objectives) > iterations:
            break
        if len(objectives) > 1 and objective - objectives[-2] <= tol * abs(objective):
            break
        parameters = em.maximise(parameters)
    topics = em.best_topics(parameters)
    return Htmm(parameters, topics, np.array(log_likelihoods), np.array(objectives))


def corpus_start(corpus: Corpus, n_topics: int, random: np.random.Generator) -> Parameters:
    """Start with topics that all have the words of the corpus, but for a little noise.

    Units are then shared out nearly evenly, and EM finds by itself what divides them best. From
    topics that differ at random, long units are settled by chance at once, and few ever move again.
    """
    frequencies = np.bincount(corpus.words, minlength=corpus.n_words).astype(np.float64)
    noise = 1 + _NOISE * random.random((corpus.n_words, n_topics))
    words = (frequencies[:, None] + _LEAST) * noise  # a vocabulary may hold words that do not occur
    even = np.full((corpus.n_documents, n_topics), 1 / n_topics)
    return Parameters(even, _normalised(words, 0), _FIRST_CHANGE)


def uniform_start(corpus: Corpus, n_topics: int, random: np.random.Generator) -> Parameters:
    """Start as the authors' program does: uniform random numbers, normalised."""
    change = 1 - random.random()  # above 0
    prevalence = 1 - random.random((corpus.n_documents, n_topics))
    words = 1 - random.random((corpus.n_words, n_topics))
    return Parameters(_normalised(prevalence, 1), _normalised(words, 0), change)


STARTS = {"corpus": corpus_start, "uniform": uniform_start}


class _Em:
    """One corpus, the two priors, and room for what is expected."""

    def __init__(
        self, corpus: Corpus, n_topics: int, topic_prior: float, word_prior: float
    ) -> None:
        self.document_offsets = corpus.document_offsets
        self.topic_prior, self.word_prior = topic_prior, word_prior
        self.units = unit_words(corpus)
        self.scores = np.empty((corpus.n_units, n_topics))
        self.shares = np.empty((corpus.n_units, n_topics))
        self.draws = np.empty((corpus.n_documents, n_topics))
        self.word_counts = np.empty((corpus.n_words, n_topics))
        self.changes = 0.0

    def expect(self, parameters: Parameters) -> tuple[float, float]:
        """Fill in what the parameters let expect; give the log likelihood and the objective."""
        likelihoods = np.empty(self.document_offsets.size - 1)
        chains, log_words = self._weigh(parameters)
        kernels.score_units(self.units, log_words, self.scores)
        self.changes = kernels.expect_states(
            chains, self.scores, self.shares, self.draws, likelihoods
        )
        kernels.expect_words(self.units, self.shares, self.word_counts)
        log_likelihood = float(likelihoods.sum())
        prior = (self.topic_prior - 1) * chains.draw.sum() + (self.word_prior - 1) * log_words.sum()
        return log_likelihood, log_likelihood + float(prior)

    def maximise(self, old: Parameters) -> Parameters:
        """Make the parameters most probable, given what was expected with the old ones."""
        may_change = self.scores.shape[0] - self.draws.shape[0]
        return Parameters(
            _normalised(self.draws + (self.topic_prior - 1), 1),
            _normalised(self.word_counts + (self.word_prior - 1), 0),
            # Without second units ε has no say; a sum of probabilities may round to above 1.
            min(self.changes / may_change, 1.0) if may_change else old.change,
        )

    def best_topics(self, parameters: Parameters) -> NDArray[np.int64]:
        chains, log_words = self._weigh(parameters)
        kernels.score_units(self.units, log_words, self.scores)
        topics = np.empty(self.scores.shape[0], dtype=np.int64)
        kernels.best_topics(chains, self.scores, topics)
        return topics

    def _weigh(self, parameters: Parameters) -> tuple[kernels.Chains, NDArray[np.float64]]:
        with np.errstate(divide="ignore"):  # ε may reach 0 or 1
            change, keep = np.log(parameters.change), np.log1p(-parameters.change)
        draw = np.log(parameters.topic_prevalence)
        chains = kernels.Chains(self.document_offsets, draw, float(change), float(keep))
        return chains, np.log(parameters.word_distribution)


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
    found: NDArray[np.float64] = weights / weights.sum(axis=axis, keepdims=True)
    return found


def _check_prior(value: object, name: str) -> float:
    number = check_real(value, name, 1, 1e9)
    if number == 1:
        raise InputError(f"{name} must be above 1, not 1: the most probable share would be 0")
    return number
