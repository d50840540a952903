"""Single documents under a state with subject words."""

from __future__ import annotations

import numpy as np
import pytest

from permutopic.model.subjects import DocumentWords

import oracle


@pytest.mark.parametrize("classes", [[0, 1, 0, 1, 1, 0, 0, 0, 1], [0] * 9, [1] * 8 + [0]])
def test_documents_are_as_probable_as_token_after_token(drawn_with_subjects, classes):
    corpus, _, priors = drawn_with_subjects
    subject_words = np.array(classes, dtype=bool)
    of_document = DocumentWords(subject_words, priors.subject)
    documents = oracle.documents_of(corpus)
    for document, units in zip(corpus.documents(), documents, strict=True):
        expected = oracle.log_subjects([units], classes, priors.subject)
        assert of_document.log_probability(document.tokens.words) == pytest.approx(expected)


def test_probabilities_are_those_of_one_more_token(drawn_with_subjects):
    corpus, _, priors = drawn_with_subjects
    subject_words = np.arange(9) % 2 == 0
    of_document = DocumentWords(subject_words, priors.subject)
    words = corpus.document(0).tokens.words
    of_words, of_section = of_document.probabilities(words)
    assert of_words.sum() + of_section == pytest.approx(1)
    assert not of_words[~subject_words].any()
    before = of_document.log_probability(words)
    for word in range(9):
        more = of_document.log_probability(np.append(words, word)) - before
        expected = of_words[word] if subject_words[word] else of_section
        assert more == pytest.approx(np.log(expected))


def test_a_document_without_a_token_has_the_prior(drawn_with_subjects):
    _, _, priors = drawn_with_subjects
    of_document = DocumentWords(np.arange(9) < 4, priors.subject)
    nothing = np.empty(0, dtype=np.int32)
    assert of_document.log_probability(nothing) == 0
    of_words, of_section = of_document.probabilities(nothing)
    rates = priors.subject.base_rates
    whole = 3.0 + 5.0 * rates[:4].sum()
    assert of_section == pytest.approx(3.0 / whole)
    assert of_words[:4] == pytest.approx(5.0 * rates[:4] / whole)
