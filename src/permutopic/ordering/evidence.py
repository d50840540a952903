"""How probable each topic, and each topic at each place, is for each piece.

Eq. 13 takes every word of a piece for independent evidence, so that a piece of a hundred words is
certain of its topic and often wrong. Here the evidence of words is weighed, in four steps that
were chosen by cross-validation (docs/ordering.md):

- a word that comes c times counts log(1 + c);
- times 1 − log m / log(n + 1) if m of the n pieces hold it: what they all speak of (the name of
  the city) does not tell them apart;
- half the mean over the words of all n pieces is taken off each word's log probabilities: what is
  common to them (the style of a later year) speaks for no place;
- evidence grows with the square root of a piece's words, not in proportion to them.

A piece without a known word has no evidence: what is left is the prior.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import logsumexp

from permutopic import dirichlet
from permutopic.ordering.places import N_PLACES

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from permutopic.model.priors import Priors
    from permutopic.model.state import State
    from permutopic.ordering.bags import Bags
    from permutopic.ordering.places import Places

MIDDLES = (np.arange(N_PLACES) + 0.5) / N_PLACES
"""Where the places are in a document that goes from 0 to 1."""
BLUR = 0.1
"""How far a unit's place is taken to be off, as a share of a document (standard deviation)."""
WORD_PRIOR = 0.2
"""So many units for each word of the vocabulary, shared out by frequency, are taken as seen at
every place: rare words stand anywhere."""
PAIR_PRIOR = 0.5
"""So many units of each topic are taken as seen at every place."""
COMMON_SHARE = 0.5
WORDS_IN_FULL = 100.0
"""Pieces of so many (weighed) words have their evidence as it is."""


def topic_posterior(bags: Bags, state: State, priors: Priors) -> NDArray[np.float64]:
    """Compute P(topic | words) as in eq. 13, with β̂ and θ̂ of eq. 14 and 15: (bags, K)."""
    prevalence = dirichlet.mean(state.bag.sum(axis=0), priors.topic)
    scores = bags.counts @ log_word_probabilities(bags.words, state, priors) + np.log(prevalence)
    return _normalized(scores)


def log_word_probabilities(
    words: NDArray[np.int64], state: State, priors: Priors
) -> NDArray[np.float64]:
    """Compute log β̂ (eq. 14) of some words: (words, K)."""
    totals = state.topic_tokens + state.word_counts.shape[0] * priors.word
    table: NDArray[np.float64] = np.log(state.word_counts[words] + priors.word) - np.log(totals)
    return table


def joint_posterior(
    bags: Bags, state: State, priors: Priors, places: Places
) -> NDArray[np.float64]:
    """Compute P(topic, place | words), by weighed evidence: (bags, K, places).

    The prior is how often units of each topic stand at each place; words are taken to depend on
    the topic and on the place, but not on both together.
    """
    prior = places.topic_places @ _blur() + PAIR_PRIOR
    weighed = weigh_words(bags)
    topic = _evidence(weighed, bags.sizes, log_word_probabilities(bags.words, state, priors))
    place = _evidence(weighed, bags.sizes, log_place_probabilities(bags.words, places))
    scores = topic[:, :, None] + place[:, None, :] + np.log(prior / prior.sum())
    flat = _normalized(scores.reshape(scores.shape[0], -1))
    return flat.reshape(scores.shape)


def log_place_probabilities(words: NDArray[np.int64], places: Places) -> NDArray[np.float64]:
    """Compute log P(word | place) of some words: (words, places).

    Units are counted, blurred over neighbouring places, and shrunk towards the word's frequency.
    """
    blur = _blur()
    totals = places.word_places.sum(axis=0, dtype=np.int64)
    held = places.word_places[words]
    shares = np.maximum(held.sum(axis=1, keepdims=True), 1) / totals.sum()
    prior = WORD_PRIOR * places.word_places.shape[0]
    table: NDArray[np.float64] = np.log((held @ blur + prior * shares) / (totals @ blur + prior))
    return table


def weigh_words(bags: Bags) -> csr_array:
    """Say what each word of each bag counts: log(1 + c) · (1 − log m / log(n + 1))."""
    weighed = bags.counts.astype(np.float64)
    weighed.data = np.log1p(weighed.data)
    holding = (bags.counts > 0).T @ bags.sizes
    rarity = 1 - np.log(np.maximum(holding, 1)) / np.log(bags.sizes.sum() + 1)
    weighed.data *= rarity[weighed.indices]
    return weighed


def _evidence(
    weighed: csr_array, sizes: NDArray[np.int64], table: NDArray[np.float64]
) -> NDArray[np.float64]:
    scores = np.asarray(weighed @ table)
    lengths = np.asarray(weighed.sum(axis=1)).ravel()
    total = float(sizes @ lengths)
    if total > 0:
        scores = scores - COMMON_SHARE * np.outer(lengths, (sizes @ scores) / total)
    scale = np.sqrt(WORDS_IN_FULL / np.where(lengths > 0, lengths, 1.0))
    weighty: NDArray[np.float64] = scores * scale[:, None]
    return weighty


def _blur() -> NDArray[np.float64]:
    """(places, places): how much of a unit at the place of the row counts at that of the column."""
    kernel = np.exp(-0.5 * ((MIDDLES[:, None] - MIDDLES) / BLUR) ** 2)
    spread: NDArray[np.float64] = kernel / kernel.sum(axis=1, keepdims=True)
    return spread


def _normalized(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    probabilities: NDArray[np.float64] = np.exp(scores - logsumexp(scores, axis=1, keepdims=True))
    return probabilities
