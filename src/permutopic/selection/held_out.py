"""Documents held out, half of their words hidden, and how well a model predicts those.

A held-out document is *completed*: every other token of each unit is shown, the model says which
topics the units have, and the tokens between are scored under those topics. No word is scored that
the structure was inferred from, so more topics do not score better for being more.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import logsumexp

from permutopic.checks import check_real
from permutopic.corpus import take_documents
from permutopic.corpus.parts import within
from permutopic.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from permutopic.corpus import Corpus

FEWEST_DOCUMENTS, FEWEST_HELD = 5, 2
"""Of fewer documents nothing can be said: an error takes two that are held out."""


@dataclass(frozen=True, eq=False, repr=False)
class Fold:
    """A corpus parted into documents to learn from and documents to be completed.

    Attributes
    ----------
    train
        What a model is fitted to; its vocabulary has the words that occur there, and no other.
    shown
        The held-out documents with every other token of each unit, the first one included.
    hidden, hidden_offsets
        The tokens between, and where those of each unit begin and end.
    unknown
        Tokens of the held-out documents that `train` does not have. They are in neither half.
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
    """Hold a random share of the documents out, and hide half of their words.

    Held-out documents that share no word with the others are left out.

    >>> from permutopic import Corpus
    >>> corpus = Corpus.from_paragraphs([["a b c d", "b a"]] * 5)
    >>> make_fold(corpus, 0.4, np.random.default_rng(0))
    <Fold: 3 documents to learn from, 2 held out, 6 hidden words>
    """
    held = choose_documents(corpus.n_documents, held_out, rng)
    mine = np.setdiff1d(np.arange(corpus.n_documents), held)
    occurring = np.unique(corpus.words[_tokens_of(corpus, mine)])
    train = take_documents(corpus, mine, occurring)
    known = np.isin(corpus.words, occurring)
    in_document = np.add.reduceat(known, corpus.unit_offsets[corpus.document_offsets[:-1]])
    unknown = int((~known[_tokens_of(corpus, held)]).sum())
    held = held[in_document[held] > 0]
    if held.size:
        shown, hidden, hidden_offsets = _hide(take_documents(corpus, held, occurring))
        scored = np.diff(hidden_offsets[shown.document_offsets]) > 0
    if held.size < FEWEST_HELD or np.count_nonzero(scored) < FEWEST_HELD:
        raise InputError(
            f"fewer than {FEWEST_HELD} held-out documents have a unit with two words that the "
            "other documents know: give longer units or more documents"
        )
    return Fold(train, shown, hidden, hidden_offsets, unknown)


def choose_documents(
    n_documents: int, held_out: float, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Draw the documents to hold out, in the order of the corpus.

    >>> choose_documents(10, 0.2, np.random.default_rng(0)).tolist()
    [4, 6]
    """
    share = check_real(held_out, "held_out", 0.0, 1.0, note="a share of the documents")
    if n_documents < FEWEST_DOCUMENTS:
        raise InputError(
            f"choosing K takes at least {FEWEST_DOCUMENTS} documents, some to learn from and some "
            f"to be scored by, and there are {n_documents}"
        )
    n_held = round(share * n_documents)
    least, most = FEWEST_HELD, n_documents - FEWEST_HELD
    if not least <= n_held <= most:
        # Rounded away from the end that it is too near to.
        low, high = (
            np.ceil(100 * least / n_documents) / 100,
            np.floor(100 * most / n_documents) / 100,
        )
        raise InputError(
            f"held_out must leave {least} documents or more on either side: of {n_documents} "
            f"documents, between {low:g} and {high:g}, not {held_out!r}"
        )
    return np.sort(rng.permutation(n_documents)[:n_held])


def score_hidden(
    fold: Fold, probabilities: NDArray[np.float64], word_distributions: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Score the hidden words: (documents,), log probability in nats.

    Parameters
    ----------
    probabilities
        (units, topics) of all `fold.shown`: how probable each topic is given the shown words.
    word_distributions
        (topics, words): φ of the model.

    Notes
    -----
    A unit has one topic, and it is not known: log Σ_k P(k | shown) Π_w φ_kw, w over its hidden
    tokens. Documents are sums over units.
    """
    n_units, n_topics = probabilities.shape
    if n_units != fold.shown.n_units:
        raise InputError(f"{fold.shown.n_units} units need as many rows, not {n_units}")
    unit_of = np.repeat(np.arange(n_units), np.diff(fold.hidden_offsets))
    log_words = np.empty((n_units, n_topics))
    for topic in range(n_topics):
        log_words[:, topic] = np.bincount(
            unit_of, weights=np.log(word_distributions[topic])[fold.hidden], minlength=n_units
        )
    by_unit = logsumexp(log_words, axis=1, b=probabilities)
    scores: NDArray[np.float64] = np.add.reduceat(by_unit, fold.shown.document_offsets[:-1])
    return scores


def score_one_topic(fold: Fold, word_prior: float) -> NDArray[np.float64]:
    """Score the hidden words under the words of the whole training part: what K = 1 would give."""
    counts = np.bincount(fold.train.words, minlength=fold.train.n_words) + word_prior
    everything = np.ones((fold.shown.n_units, 1))
    return score_hidden(fold, everything, (counts / counts.sum())[np.newaxis])


def _hide(held: Corpus) -> tuple[Corpus, NDArray[np.int32], NDArray[np.int64]]:
    """Part the tokens of each unit by turns: those that are shown, and those that are not."""
    begins = np.repeat(held.unit_offsets[:-1], np.diff(held.unit_offsets))
    turn = (np.arange(held.n_tokens) - begins) % 2
    offsets = [
        np.concatenate([[0], np.cumsum(turn == which)])[held.unit_offsets] for which in (0, 1)
    ]
    shown = replace(held, words=held.words[turn == 0], unit_offsets=offsets[0])
    return shown, held.words[turn == 1], offsets[1]


def _tokens_of(corpus: Corpus, documents: NDArray[np.int64]) -> NDArray[np.int64]:
    return within(corpus.unit_offsets, within(corpus.document_offsets, documents))
