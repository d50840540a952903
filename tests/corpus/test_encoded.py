"""What documents are known again by."""

from __future__ import annotations

import numpy as np

from permutopic.corpus import Corpus, DocumentTokens
from permutopic.corpus.encoded import digest_tokens


def digest(words, offsets):
    return digest_tokens(DocumentTokens(words, offsets))


def test_a_digest_tells_documents_by_words_and_units():
    corpus = Corpus.from_paragraphs([["a b c", "b d", "a"], ["a b c", "b", "d a"], ["b"]])
    words, offsets = corpus.document(0).tokens
    own = digest(words, offsets)
    assert own == digest(words.astype(np.int64), offsets + 100)  # where it lies is no matter
    other_units, other_words = offsets.copy(), words.copy()
    other_units[1] += 1
    other_words[0] += 1
    assert len({own, digest(words, other_units), digest(other_words, offsets)}) == 3
    assert digest(words[:0], offsets[:2] * 0) != digest(words[:0], offsets[:3] * 0)
    assert np.unique(corpus.digests).size == 3
    for number, document in enumerate(corpus.documents()):
        assert int(corpus.digests[number]) == document.digest == digest(*document.tokens)


def test_digests_are_the_same_on_every_machine():
    # They key the random numbers and find seen documents again.
    found = digest(np.array([3, 1, 4, 1, 5], dtype=np.int32), np.array([0, 2, 2, 5]))
    assert found == 17456365961895004997


def test_a_document_of_a_corpus_is_the_document_as_it_was_encoded():
    corpus = Corpus.from_paragraphs([["One two.", "Two!"], ["Three, one."]], keep_texts=True)
    document = corpus.document(1)
    assert (document.title, document.location) == ("1", "document 1")
    assert [corpus.vocabulary[word] for word in document.tokens.words] == ["three", "one"]
    assert (document.n_units, document.n_tokens) == (1, 2)
    assert document.source_words.tolist() == [2]
    assert document.texts == ("Three, one.",)
    assert document.unknown.tolist() == [0]
