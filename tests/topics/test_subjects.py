from __future__ import annotations

import math

import numpy as np

from permutopic.corpus import Corpus
from permutopic.topics.subjects import N_SUBJECTS, RankedSubjects


def test_words_rank_by_how_much_more_frequent_they_are_than_elsewhere():
    rates = np.array([0.5, 0.1, 0.01, 0.01, 0.1])
    subject_words = np.array([True, True, True, False, True])
    words = np.array([0] * 5 + [1] * 4 + [2] * 2 + [3] * 8 + [4])
    ranked = RankedSubjects(subject_words, rates, np.ones(5))
    scores = {w: n * math.log(n / 20 / rates[w]) for w, n in ((0, 5), (1, 4), (2, 2), (4, 1))}
    expected = [w for w in sorted(scores, key=lambda w: -scores[w]) if scores[w] > 0]
    found = ranked.of_tokens(words)
    assert found[found >= 0].tolist() == expected == [2, 1]
    assert found.size == N_SUBJECTS


def test_words_without_weight_are_left_out_and_ties_keep_the_vocabulary():
    rates, weights = np.full(20, 0.01), np.ones(20)
    weights[3] = 0.0
    ranked = RankedSubjects(np.ones(20, dtype=bool), rates, weights)
    found = ranked.of_tokens(np.arange(20))
    assert found.tolist() == [0, 1, 2, 4, 5, 6, 7, 8, 9, 10]


def test_a_model_without_subject_words_says_nothing():
    corpus = Corpus.from_paragraphs([["a b"], ["c"]])
    ranked = RankedSubjects(np.zeros(3, dtype=bool), None, np.ones(3))
    assert np.all(ranked.of_corpus(corpus) == -1)


def test_a_document_without_a_known_word_has_no_subject():
    ranked = RankedSubjects(np.ones(3, dtype=bool), np.full(3, 0.3), np.ones(3))
    assert np.all(ranked.of_tokens(np.empty(0, dtype=np.int32)) == -1)
