"""Held-out score by document completion: log probability of hidden words given shown ones.

Every other token of each unit of a held-out document is shown, the model infers the topics of units
from these, and the remaining tokens are scored under these topics. No word is scored from which the
structure was inferred, so the score does not favour more topics by itself.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import logsumexp

from permutopic.checks import check_real
from permutopic.corpus import take_documents
from permutopic.corpus.parts import within
from permutopic.errors import InputError, Parameter

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from permutopic.corpus import Corpus
    from permutopic.model.subjects import DocumentWords

MIN_DOCUMENTS, MIN_HELD_OUT = 5, 2
"""Minimum numbers of documents: a standard error needs two held-out ones."""


@dataclass(frozen=True, eq=False, repr=False)
class Fold:
    """A corpus divided into training and held-out documents.

    Attributes
    ----------
    train
        The training documents; the vocabulary has the words that occur there.
    shown
        The held-out documents with every other token of each unit, from the first.
    hidden, hidden_offsets
        The other tokens, and the offsets of units in them.
    unknown
        Number of held-out tokens that do not occur in `train`. They are neither shown nor hidden.
    """

    train: Corpus
    shown: Corpus
    hidden: NDArray[np.int32]
    hidden_offsets: NDArray[np.int64]
    unknown: int

    def __repr__(self) -> str:
        return (
            f"<Fold: {self.train.n_documents} documents to learn from, {self.shown.n_documents} "
            f"held out, {self.hidden.size} hidden words>"
        )

    @property
    def hidden_words(self) -> NDArray[np.int64]:
        """Count the hidden tokens of each held-out document."""
        return np.diff(self.hidden_offsets[self.shown.document_offsets])


def make_fold(corpus: Corpus, held_out: float, rng: np.random.Generator) -> Fold:
    """Hold out a random share of the documents, and hide half of their words.

    Held-out documents that share no word with the others are dropped.

    >>> from permutopic import Corpus
    >>> corpus = Corpus.from_paragraphs([["a b c d", "b a"]] * 5)
    >>> make_fold(corpus, 0.4, np.random.default_rng(0))
    <Fold: 3 documents to learn from, 2 held out, 6 hidden words>
    """
    held = choose_documents(corpus.n_documents, held_out, rng)
    training = np.setdiff1d(np.arange(corpus.n_documents), held)
    occurring = np.unique(corpus.words[_tokens_of(corpus, training)])
    train = take_documents(corpus, training, occurring)
    known = np.isin(corpus.words, occurring)
    in_document = np.add.reduceat(known, corpus.unit_offsets[corpus.document_offsets[:-1]])
    unknown = int((~known[_tokens_of(corpus, held)]).sum())
    held = held[in_document[held] > 0]
    if held.size:
        shown, hidden, hidden_offsets = _split_tokens(take_documents(corpus, held, occurring))
        scored = np.diff(hidden_offsets[shown.document_offsets]) > 0
    if held.size < MIN_HELD_OUT or np.count_nonzero(scored) < MIN_HELD_OUT:
        raise InputError(
            f"fewer than {MIN_HELD_OUT} held-out documents have a unit with two words that the "
            "other documents know: give longer units or more documents"
        )
    return Fold(train, shown, hidden, hidden_offsets, unknown)


def choose_documents(
    n_documents: int, held_out: float, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Draw the held-out documents, in the order of the corpus.

    >>> choose_documents(10, 0.2, np.random.default_rng(0)).tolist()
    [4, 6]
    """
    share = check_real(held_out, "held_out", 0.0, 1.0, note="a share of the documents")
    if n_documents < MIN_DOCUMENTS:
        raise InputError(
            f"choosing K takes at least {MIN_DOCUMENTS} documents, some to learn from and some "
            f"to be scored by, and there are {n_documents}"
        )
    n_held = round(share * n_documents)
    minimum, maximum = MIN_HELD_OUT, n_documents - MIN_HELD_OUT
    if not minimum <= n_held <= maximum:
        # Rounded inwards, so that the bounds themselves are valid.
        low, high = (
            np.ceil(100 * minimum / n_documents) / 100,
            np.floor(100 * maximum / n_documents) / 100,
        )
        raise InputError(
            Parameter("held_out"),
            f" must leave {minimum} documents or more on either side: of {n_documents} "
            f"documents, between {low:g} and {high:g}, not {held_out!r}",
        )
    return np.sort(rng.permutation(n_documents)[:n_held])


def score_hidden(
    fold: Fold,
    probabilities: NDArray[np.float64],
    word_distributions: NDArray[np.float64],
    document_words: DocumentWords | None = None,
) -> NDArray[np.float64]:
    """Compute the log probability of the hidden words of each document, in nats: (documents,).

    Parameters
    ----------
    probabilities
        (units, topics): posterior of the topics of `fold.shown` given the shown words.
    word_distributions
        (topics, words): word probabilities of the topics.
    document_words
        Distributions of documents over their subject words, in a model that has them.

    Notes
    -----
    A unit scores log Σ_k P(k | shown) Π_w β_kw, with w its hidden tokens; a document the sum of its
    units. Subject words have a probability that follows from the shown words of the document, and
    all section words together what it leaves them: so all models are scored on the same words.
    """
    n_units, n_topics = probabilities.shape
    if n_units != fold.shown.n_units:
        raise InputError(f"{fold.shown.n_units} units need as many rows, not {n_units}")
    unit_of = np.repeat(np.arange(n_units), np.diff(fold.hidden_offsets))
    log_words = np.empty((n_units, n_topics))
    hidden, of_documents = fold.hidden, np.zeros(fold.shown.n_documents)
    if document_words is not None:
        of_documents = _score_subjects(fold, document_words)
        of_section = ~document_words.subject_words[hidden]
        hidden, unit_of = hidden[of_section], unit_of[of_section]
    for topic in range(n_topics):
        log_words[:, topic] = np.bincount(
            unit_of, weights=np.log(word_distributions[topic, hidden]), minlength=n_units
        )
    by_unit = logsumexp(log_words, axis=1, b=probabilities)
    scores: NDArray[np.float64] = np.add.reduceat(by_unit, fold.shown.document_offsets[:-1])
    return scores + of_documents


def _score_subjects(fold: Fold, document_words: DocumentWords) -> NDArray[np.float64]:
    """Score each document's hidden words as subject words, or as some section word."""
    offsets = fold.hidden_offsets[fold.shown.document_offsets]
    scores = np.empty(fold.shown.n_documents)
    for number, document in enumerate(fold.shown.documents()):
        of_words, of_section = document_words.probabilities(document.tokens.words)
        hidden = fold.hidden[offsets[number] : offsets[number + 1]]
        likely = np.where(document_words.subject_words[hidden], of_words[hidden], of_section)
        scores[number] = np.log(likely).sum()
    return scores


def score_one_topic(
    fold: Fold, word_prior: float, document_words: DocumentWords | None = None
) -> NDArray[np.float64]:
    """Score the hidden words under the word frequencies of all training documents, as K = 1.

    With `document_words` these are frequencies of section words, and documents have their subject
    words: what is left to gain is what topics tell.
    """
    counts = np.bincount(fold.train.words, minlength=fold.train.n_words) + word_prior
    if document_words is not None:
        counts[document_words.subject_words] = 0
    certain = np.ones((fold.shown.n_units, 1))
    return score_hidden(fold, certain, (counts / counts.sum())[np.newaxis], document_words)


def _split_tokens(held: Corpus) -> tuple[Corpus, NDArray[np.int32], NDArray[np.int64]]:
    """Divide the tokens of each unit alternately into shown and hidden ones."""
    begins = np.repeat(held.unit_offsets[:-1], np.diff(held.unit_offsets))
    parity = (np.arange(held.n_tokens) - begins) % 2
    offsets = [
        np.concatenate([[0], np.cumsum(parity == which)])[held.unit_offsets] for which in (0, 1)
    ]
    shown = replace(held, words=held.words[parity == 0], unit_offsets=offsets[0])
    return shown, held.words[parity == 1], offsets[1]


def _tokens_of(corpus: Corpus, documents: NDArray[np.int64]) -> NDArray[np.int64]:
    return within(corpus.unit_offsets, within(corpus.document_offsets, documents))
