"""Drawing the classes of words given the structures, compiled."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from permutopic.jit import borrowing, compiled
from permutopic.model.kernels.elementary import fast_exp, fast_log, log_gamma
from permutopic.model.kernels.orders import fill_order, write_topics

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from permutopic.corpus import WordIndex


class ClassTerms(NamedTuple):
    """What a word adds to the log joint in either class, beside terms of other words' counts.

    As a section word, of prior β0 (`word_prior`), `of_topics[n]` for n tokens in a topic. As a
    subject word, word w adds `of_words[w]` by its own tokens and the auxiliary variables.
    `of_section[n]` is the term of a document with n tokens of section words.
    """

    word_prior: float
    of_topics: NDArray[np.float64]
    of_words: NDArray[np.float64]
    of_section: NDArray[np.float64]


@compiled
def write_all_topics(
    bags: NDArray[np.int64], inversions: NDArray[np.int64], topics: NDArray[np.int64]
) -> None:
    """Write the topic of every unit of the corpus."""
    order, first = np.empty(bags.shape[1], np.int64), 0
    for document in range(bags.shape[0]):
        fill_order(order, inversions[document])
        n_units = 0
        for topic in range(order.size):
            n_units += bags[document, topic]
        write_topics(topics[first : first + n_units], order, bags[document])
        first += n_units


@borrowing
def count_in_topics(
    index: WordIndex, word: int, unit_topics: NDArray[np.int64], counts: NDArray[np.int64]
) -> None:
    """Count a word in every topic."""
    counts[:] = 0
    for p in range(index.unit_starts[word], index.unit_starts[word + 1]):
        counts[unit_topics[index.units[p]]] += index.unit_counts[p]


@borrowing
def score_in_absence(
    scores: NDArray[np.float64], topic_tokens: NDArray[np.int64], n_others: int, word_prior: float
) -> None:
    """Write what a section word adds to the log joint by each topic that has no token of it.

    `n_others` is the number of other section words. The last number is the sum of the others.
    """
    before = n_others * word_prior
    after = before + word_prior
    total, whole = log_gamma(after) - log_gamma(before), 0.0
    for topic in range(topic_tokens.size):
        score = 0.0  # an empty topic adds nothing
        if topic_tokens[topic] > 0:
            score = total + log_gamma(before + topic_tokens[topic])
            score -= log_gamma(after + topic_tokens[topic])
        scores[topic] = score
        whole += score
    scores[topic_tokens.size] = whole


@borrowing
def score_as_section_word(
    counts: NDArray[np.int64],
    others: NDArray[np.int64],
    n_others: int,
    in_absence: NDArray[np.float64],
    terms: ClassTerms,
) -> float:
    """Return what a word adds to the log joint as a section word, by the tokens of topics.

    `others[k]` are the tokens of topic k without it, `n_others` is the number of other section
    words. Most topics have no token of the word: `in_absence` has what these add, which stays as it
    is from one word to the next until a word changes its class.
    """
    before = n_others * terms.word_prior
    after = before + terms.word_prior
    total, score = log_gamma(after) - log_gamma(before), float(in_absence[counts.size])
    for topic in range(counts.size):
        if counts[topic] > 0:
            score += total + log_gamma(before + others[topic]) - in_absence[topic]
            score -= log_gamma(after + others[topic] + counts[topic])
            score += terms.of_topics[counts[topic]]
    return score


@borrowing
def score_as_subject_word(
    index: WordIndex, word: int, section_tokens: NDArray[np.int64], terms: ClassTerms
) -> float:
    """Return what a word adds to the log joint as a subject word, by the tokens of documents.

    `section_tokens` are those of each document without it. Subtracted is what it would add to them
    as a section word.
    """
    score = float(terms.of_words[word])
    for p in range(index.document_starts[word], index.document_starts[word + 1]):
        others = section_tokens[index.documents[p]]
        score += terms.of_section[others]
        score -= terms.of_section[others + index.document_counts[p]]
    return score


@borrowing
def add_to_section(
    index: WordIndex,
    word: int,
    counts: NDArray[np.int64],
    topic_tokens: NDArray[np.int64],
    section_tokens: NDArray[np.int64],
    sign: int,
) -> None:
    """Add a word's tokens to those of section words (sign 1) or subtract them (sign −1)."""
    for topic in range(counts.size):
        topic_tokens[topic] += sign * counts[topic]
    for p in range(index.document_starts[word], index.document_starts[word + 1]):
        section_tokens[index.documents[p]] += sign * index.document_counts[p]


@compiled
def resample_classes(
    words: NDArray[np.int64],
    uniforms: NDArray[np.float64],
    index: WordIndex,
    unit_topics: NDArray[np.int64],
    subject_words: NDArray[np.bool_],
    word_counts: NDArray[np.int32],
    topic_tokens: NDArray[np.int64],
    section_tokens: NDArray[np.int64],
    terms: ClassTerms,
    inverse_temperature: float,
) -> None:
    """Draw the classes of some words, one after the other, each given those of all others.

    How many tokens of each document are section words is written to `section_tokens`.
    """
    n_words, n_topics = word_counts.shape
    n_section = 0  # section words beside the present one
    section_tokens[:] = 0
    for word in range(n_words):
        if not subject_words[word]:
            n_section += 1
            for p in range(index.document_starts[word], index.document_starts[word + 1]):
                section_tokens[index.documents[p]] += index.document_counts[p]
    counts = np.empty(n_topics, np.int64)
    # For a word that is a section word now, and for one that is a subject word.
    of_section, of_subject = np.empty(n_topics + 1), np.empty(n_topics + 1)
    stale = True
    for n in range(words.size):
        word = words[n]
        if stale:
            score_in_absence(of_section, topic_tokens, max(n_section - 1, 1), terms.word_prior)
            score_in_absence(of_subject, topic_tokens, n_section, terms.word_prior)
        was_subject = subject_words[word]
        if was_subject:
            count_in_topics(index, word, unit_topics, counts)
        elif n_section == 1:
            continue  # topics keep a word to be drawn from
        else:
            for topic in range(n_topics):
                counts[topic] = word_counts[word, topic]
            add_to_section(index, word, counts, topic_tokens, section_tokens, -1)
            n_section -= 1
        log_odds = score_as_subject_word(index, word, section_tokens, terms)
        in_absence = of_subject if was_subject else of_section
        log_odds -= score_as_section_word(counts, topic_tokens, n_section, in_absence, terms)
        n_subject = n_words - 1 - n_section
        log_odds = inverse_temperature * log_odds + fast_log((1.0 + n_subject) / (1.0 + n_section))
        is_subject = uniforms[n] * (1.0 + fast_exp(min(-log_odds, 700.0))) < 1.0
        subject_words[word] = is_subject
        stale = is_subject != was_subject
        for topic in range(n_topics):
            word_counts[word, topic] = 0 if is_subject else counts[topic]
        if not is_subject:
            add_to_section(index, word, counts, topic_tokens, section_tokens, 1)
            n_section += 1
