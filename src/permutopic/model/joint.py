"""The log joint of words, classes, structures and dispersion: the definition of the model."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.sparse import csr_array
from scipy.special import betaln, gammaln

from permutopic import dirichlet, mallows
from permutopic.model.kernels import rising
from permutopic.model.priors import Variant

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from permutopic.corpus import Corpus
    from permutopic.model.priors import Priors, SubjectPriors
    from permutopic.model.state import State


class JointTerms(NamedTuple):
    """The terms of the log joint; θ and β are integrated out."""

    words: float
    """All topics' section words, with the word distributions integrated out (eq. 7, 8)."""
    draws: float
    """The bags of all documents as one sequence of topic draws (eq. 10)."""
    arrangements: float
    """The log number of sequences of draws with the same counts, over all documents."""
    orders: float
    """The documents' orders under the Mallows Model (eq. 1)."""
    dispersion: float
    """The prior of ρ (eq. 4), up to a constant."""
    classes: float = 0.0
    """The classes of all words; 0 in the paper's model, like the next term."""
    subjects: float = 0.0
    """All documents' tokens: each a subject word of the document, or some section word."""


def joint_terms(state: State, priors: Priors, corpus: Corpus | None = None) -> JointTerms:
    """Compute the terms of the log joint of a state; subject words need the corpus as well."""
    section_words = state.word_counts[~state.subject_words]
    words = float(dirichlet.log_marginal(section_words.T, priors.word).sum())
    structure = structure_terms(state, priors)
    if priors.subject is None:
        return JointTerms(words, *structure)
    if corpus is None:
        raise ValueError("the log joint of a model with subject words needs the corpus")
    of_documents = SubjectTerm(corpus, priors.subject)
    classes = class_term(state.subject_words)
    return JointTerms(words, *structure, classes, of_documents(state.subject_words))


def class_term(subject_words: NDArray[np.bool_]) -> float:
    """Compute the log probability of the classes.

    A share is drawn uniformly, and each word is a subject word with that probability; that there is
    a section word is given, for topics have to have one.
    """
    n_words, n_subject = subject_words.size, int(np.count_nonzero(subject_words))
    return float(betaln(1 + n_words - n_subject, 1 + n_subject) - np.log(n_words / (n_words + 1)))


class SubjectTerm:
    """Computes the log probability of all documents' tokens, as far as documents explain them.

    Each token is drawn from a distribution of its document's own over the subject words and one
    more outcome: a section word, of which the topic tells which one.

    Attributes
    ----------
    of_words
        (W,): what each word adds as a subject word, its own tokens alone.
    sizes
        (D,): tokens of each document.
    """

    def __init__(self, corpus: Corpus, subject: SubjectPriors) -> None:
        index, self.subject = corpus.word_index, subject
        words, counts = index.words_of_documents(), index.document_counts
        self.expected = subject.document * subject.base_rates
        expected = self.expected[words]
        held = gammaln(expected + counts) - gammaln(expected)
        self.of_words = np.bincount(words, held, minlength=self.expected.size)
        shape = corpus.n_words, corpus.n_documents
        of_words = csr_array((counts, index.documents, index.document_starts), shape=shape)
        self.counts = of_words.T.tocsr()
        self.sizes = np.diff(corpus.unit_offsets[corpus.document_offsets])

    def section_tokens(self, subject_words: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return how many tokens of each document are section words."""
        found: NDArray[np.int64] = self.counts @ (~subject_words).astype(np.int64)
        return found

    def __call__(self, subject_words: NDArray[np.bool_]) -> float:
        """Compute the term for the classes of all words."""
        section = self.subject.section
        total = section + self.expected[subject_words].sum()
        terms = gammaln(total) - gammaln(total + self.sizes)
        terms += gammaln(section + self.section_tokens(subject_words)) - gammaln(section)
        return float(terms.sum() + self.of_words[subject_words].sum())


def structure_terms(state: State, priors: Priors) -> tuple[float, float, float, float]:
    """Compute the terms that know neither words nor classes."""
    n_documents, n_topics = state.bag.shape
    values = mallows.n_values(n_topics)
    orders = dispersion = 0.0
    if priors.variant == Variant.UNIFORM:
        orders = -n_documents * float(gammaln(n_topics + 1))
    elif priors.variant == Variant.FULL:
        orders = float(mallows.log_pmf(state.inversions, state.dispersion).sum())
        expected = priors.mean_inversions(n_topics)
        dispersion = float(
            mallows.log_prior(state.dispersion, values, expected, priors.strength).sum()
        )
    draws = float(dirichlet.log_marginal(state.bag.sum(axis=0), priors.topic))
    arrangements = float(dirichlet.log_multinomial_coefficient(state.bag).sum())
    return draws, arrangements, orders, dispersion


class FastLogJoint:
    """Computes the log joint of many states, with logΓ in a table.

    Counts are whole numbers, so a table as long as the most frequent word is all it takes.

    Parameters
    ----------
    priors
        The hyperparameters.
    max_count
        The highest count of a word in any state.
    of_documents
        The term of subject words, where the model has them.

    Examples
    --------
    >>> from permutopic import ContentModel, Corpus
    >>> corpus = Corpus.from_paragraphs([["a b", "c"], ["a", "c c"]])
    >>> model = ContentModel(2, random_state=0).fit(corpus)
    >>> fast = FastLogJoint.for_corpus(corpus, model.priors_)
    >>> slow = log_joint(model.state_, model.priors_, corpus)
    >>> bool(abs(fast(model.state_) - slow) < 1e-9)
    True
    """

    def __init__(
        self, priors: Priors, max_count: int, of_documents: SubjectTerm | None = None
    ) -> None:
        self.priors, self.of_documents = priors, of_documents
        self.log_rising = dirichlet.log_rising(max_count, priors.word)
        self._of_classes: tuple[NDArray[np.bool_], float] | None = None

    @classmethod
    def for_corpus(cls, corpus: Corpus, priors: Priors) -> FastLogJoint:
        """Make the function for all states of one corpus."""
        of_documents = None if priors.subject is None else SubjectTerm(corpus, priors.subject)
        return cls(priors, int(np.bincount(corpus.words).max()), of_documents)

    def __call__(self, state: State) -> float:
        """Compute the log joint of a state."""
        concentration = self.priors.word * np.count_nonzero(~state.subject_words)
        words = rising.sum_over_counts(self.log_rising, state.word_counts)
        totals = state.topic_tokens
        words += float((gammaln(concentration) - gammaln(totals + concentration)).sum())
        structure = sum(structure_terms(state, self.priors))
        return words + structure + self._terms_of_classes(state.subject_words)

    def _terms_of_classes(self, subject_words: NDArray[np.bool_]) -> float:
        """Return the terms that classes alone determine: they change less often than structures."""
        if self.of_documents is None:
            return 0.0
        known = self._of_classes
        if known is None or not np.array_equal(known[0], subject_words):
            terms = class_term(subject_words) + self.of_documents(subject_words)
            known = self._of_classes = subject_words.copy(), terms
        return known[1]


def log_joint(state: State, priors: Priors, corpus: Corpus | None = None) -> float:
    """Compute the log joint of words, classes, counts, inversions and ρ: the sum of its terms.

    The corpus is needed where the model has subject words, for each document has its own.

    >>> from permutopic import ContentModel, Corpus
    >>> corpus = Corpus.from_paragraphs([["a b", "c"], ["a", "c c"]])
    >>> model = ContentModel(2, n_sweeps=3, random_state=0).fit(corpus)
    >>> joint = log_joint(model.state_, model.priors_, corpus)
    >>> bool(abs(joint - model.log_joint_trace_[-1]) < 1e-9)
    True
    """
    return sum(joint_terms(state, priors, corpus))
