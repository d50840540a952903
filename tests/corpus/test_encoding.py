from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer

from permutopic.corpus import Corpus, Encoder
from permutopic.corpus.parts import take_documents
from permutopic.documents import Document, Piece, Unit
from permutopic.errors import InputError
from permutopic.text.tokens import Tokens
from permutopic.text.units import Units


def document(title, *units):
    """A document whose source is its units, '|' between them."""
    made, start = [], 0
    for text, heading in units:
        made.append(Unit(text, heading, None, (Piece(text, start, start + len(text)),)))
        start += len(text) + 1
    return Document(title, tuple(made), f"{title}.txt", "|".join(text for text, _ in units))


def plain(*texts):
    return [document(str(n), (text, None)) for n, text in enumerate(texts)]


def words(corpus):
    """The words of every unit, as text."""
    ends = corpus.unit_offsets
    found = [corpus.vocabulary[word] for word in corpus.words]
    return [found[begin:end] for begin, end in pairwise(ends)]


TWO = [
    document("a", ("Salt sea.", "Coast"), ("–", "Coast"), ("Snow and sea", "Hills")),
    document("b", ("Ice", "Coast")),
]


def test_documents_become_arrays_with_all_that_stands_beside_them():
    corpus = Encoder().encode(iter(TWO))
    assert corpus.vocabulary == ("and", "ice", "salt", "sea", "snow")
    assert words(corpus) == [["salt", "sea"], [], ["snow", "and", "sea"], ["ice"]]
    assert corpus.document_offsets.tolist() == [0, 3, 4]
    assert corpus.source_spans.tolist() == [[0, 9], [10, 11], [12, 24], [0, 3]]
    assert corpus.source_words.tolist() == [2, 1, 3, 1]
    assert corpus.headings == ("Coast", "Coast", "Hills", "Coast")
    assert corpus.labels == (None,) * 4
    assert (corpus.titles, corpus.locations) == (("a", "b"), ("a.txt", "b.txt"))
    assert (corpus.tokens, corpus.units) == (Tokens(), Units())


def test_the_arrays_cannot_be_changed():
    corpus = Encoder().encode(TWO)
    for name in ("words", "unit_offsets", "document_offsets", "source_words", "source_spans"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(corpus, name)[0] = 1


def test_headings_of_one_wording_are_one_string():
    pages = [document(str(n), ("x", "".join(["Hi", "story"]))) for n in range(3)]
    headings = Encoder().encode(pages).headings
    assert headings[0] == "History"
    assert all(heading is headings[0] for heading in headings)


def test_units_and_tokens_are_as_asked():
    corpus = Encoder("whitespace", "section").encode(TWO)
    assert words(corpus) == [["Salt", "sea.", "–"], ["Snow", "and", "sea"], ["Ice"]]
    assert corpus.source_spans.tolist() == [[0, 11], [12, 24], [0, 3]]
    encoder = Encoder(Tokens(stop=("and",)), Units(min_words=2))
    corpus = encoder.encode(TWO)
    assert words(corpus) == [["salt", "sea"], ["snow", "sea"], ["ice"]]
    assert (encoder.short_units.merged, encoder.short_units.kept) == (1, 1)


def test_text_without_a_source_has_no_span():
    corpus = Encoder().encode([Document("t", (Unit("a"), Unit("b")), "here")])
    assert corpus.source_spans.tolist() == [[-1, -1], [-1, -1]]


def test_a_vocabulary_that_is_given_stays_as_it_is():
    encoder = Encoder(vocabulary=("sea", "sand", "ice"))
    corpus = encoder.encode(TWO)
    assert corpus.vocabulary == ("sea", "sand", "ice")
    assert words(corpus) == [["sea"], [], ["sea"], ["ice"]]
    assert encoder.unknown == 3


def test_frequencies_do_not_count_where_a_vocabulary_is_given():
    corpus = Encoder(Tokens(min_df=2), vocabulary=("ice", "sea")).encode(TWO)
    assert words(corpus) == [["sea"], [], ["sea"], ["ice"]]


def test_documents_without_a_word_are_refused_or_left_out():
    pages = [*TWO, document("c", ("…", None)), Document("d", (), "d.txt")]
    with pytest.raises(
        InputError, match=r"^c.txt: 'c' has no word with tokens='words': give it te"
    ):
        Encoder().encode(pages)
    with pytest.raises(InputError, match=r"^d.txt: 'd' has no paragraph: give it one or leave it"):
        Encoder().encode(pages[3:])
    with pytest.raises(InputError, match=r"^b.txt: 'b' has no word that the model knows"):
        Encoder(vocabulary=("sea",)).encode(pages)
    encoder = Encoder(skip_empty=True)
    assert encoder.encode(pages).titles == ("a", "b")
    assert encoder.empty == ["c.txt", "d.txt"]


def test_no_document_at_all_is_an_error_that_says_why():
    for skip_empty in (False, True):
        with pytest.raises(InputError, match="the corpus has no document: at least one is needed"):
            Encoder(skip_empty=skip_empty).encode([])
    message = r"^none of 2 documents \(0.txt for one\) has a word with tokens='words'"
    with pytest.raises(InputError, match=message):
        Encoder(skip_empty=True).encode(plain("…", "!"))
    with pytest.raises(InputError, match="has a word that the model knows"):
        Encoder(skip_empty=True, vocabulary=("a",)).encode(plain("b"))


def test_one_document_alone_may_have_no_known_word_but_must_have_a_unit():
    encoder = Encoder(vocabulary=("sea", "ice"))
    found = encoder.encode_one(document("a", ("Salt sea", "Coast")))
    assert (found.tokens.words.tolist(), found.unknown.tolist(), found.n_units) == ([0], [1], 1)
    assert encoder.encode_one(document("b", ("Salt", None))).n_tokens == 0
    with pytest.raises(InputError, match=r"^d.txt: 'd' has no paragraph: give it one"):
        encoder.encode_one(Document("d", (), "d.txt"))


FOUR = plain("a b c", "a b", "a c c", "a d")


@pytest.mark.parametrize(
    ("limits", "vocabulary"),
    [
        ({}, "abcd"),
        ({"min_df": 2}, "abc"),
        ({"min_df": 3}, "a"),
        ({"max_df": 2}, "bcd"),
        ({"max_df": 1}, "d"),  # in one document, not in all of them
        ({"max_df": 1.0}, "abcd"),
        ({"min_df": 1.0}, "a"),  # in all documents, not in one
        ({"min_df": 0.5}, "abc"),
        ({"max_df": 0.5}, "bcd"),
        ({"min_df": 2, "max_df": 0.75}, "bc"),
        ({"min_df": 0.0}, "abcd"),
        ({"min_df": np.int64(2), "max_df": np.float32(0.5)}, "bc"),
    ],
)
def test_words_in_too_few_or_too_many_documents_are_left_out(limits, vocabulary):
    encoder = Encoder(Tokens(**limits), skip_empty=True)
    corpus = encoder.encode(FOUR)
    assert "".join(corpus.vocabulary) == vocabulary
    assert encoder.excluded_words == 4 - len(vocabulary)
    kept = [[w for w in page.units[0].text.split() if w in vocabulary] for page in FOUR]
    assert words(corpus) == [tokens for tokens in kept if tokens]


def test_a_share_is_not_missed_by_a_hair():
    # 0.07 * 100 is 7.000000000000001.
    pages = plain(*["a b"] * 7, *["a"] * 93)
    assert Encoder(Tokens(min_df=0.07)).encode(pages).vocabulary == ("a", "b")


def test_documents_that_a_filter_empties_are_refused_or_left_out_with_all_of_theirs():
    pages = [
        document("a", ("common one", "A"), ("two", "B")),
        document("b", ("rare", "C")),
        document("c", ("common", "D"), ("three", None)),
    ]
    with pytest.raises(
        InputError, match=r"^b.txt: 'b' has no word that is in at least 2 and at mo"
    ):
        Encoder(Tokens(min_df=2)).encode(pages)
    encoder = Encoder(Tokens(min_df=2), skip_empty=True)
    corpus = encoder.encode(pages)
    assert encoder.empty == ["b.txt"]
    assert words(corpus) == [["common"], [], ["common"], []]
    assert corpus.titles == ("a", "c")
    assert corpus.locations == ("a.txt", "c.txt")
    assert corpus.headings == ("A", "B", "D", None)
    assert corpus.source_spans.tolist() == [[0, 10], [11, 14], [0, 6], [7, 12]]
    assert corpus.source_words.tolist() == [2, 1, 1, 1]
    assert corpus.document_offsets.tolist() == [0, 2, 4]


def test_filters_that_leave_no_word_are_named():
    with pytest.raises(InputError, match=r"min_df=9 and max_df=1.0 leave no word: there are 4 doc"):
        Encoder(Tokens(min_df=9), skip_empty=True).encode(FOUR)


LIMIT = st.one_of(st.integers(1, 6), st.sampled_from([0.0, 0.2, 0.25, 0.5, 0.75, 0.9, 1.0]))


@given(
    st.lists(st.lists(st.sampled_from("abcdef"), min_size=1, max_size=6), min_size=1, max_size=6),
    LIMIT,
    LIMIT,
)
def test_filters_are_those_of_scikit_learn(pages, min_df, max_df):
    texts = [" ".join(page) for page in pages]
    theirs = CountVectorizer(tokenizer=str.split, token_pattern=None, min_df=min_df, max_df=max_df)
    try:
        expected = tuple(sorted(theirs.fit(texts).vocabulary_))
    except ValueError:
        expected = ()
    encoder = Encoder(Tokens("whitespace", min_df=min_df, max_df=max_df), skip_empty=True)
    try:
        corpus = encoder.encode(plain(*texts))
    except InputError:
        assert expected == ()
        return
    assert corpus.vocabulary == expected
    kept = [[word for word in page if word in expected] for page in pages]
    assert words(corpus) == [page for page in kept if page]
    assert encoder.empty == [f"{n}.txt" for n, page in enumerate(kept) if not page]


PAGES = st.lists(
    st.lists(st.text("ab c.", min_size=1, max_size=8), min_size=1, max_size=4),
    min_size=1,
    max_size=5,
)


@given(PAGES)
def test_the_arrays_are_what_a_slow_twin_finds(pages):
    made = [document(str(n), *((text, None) for text in page)) for n, page in enumerate(pages)]
    split = [[text.replace(".", " ").split() for text in page] for page in pages]
    full = [page for page in split if any(page)]
    encoder = Encoder(lambda text: text.replace(".", " ").split(), skip_empty=True)
    if not full:
        with pytest.raises(InputError, match="has a word"):
            encoder.encode(made)
        return
    corpus = encoder.encode(made)
    assert words(corpus) == [unit for page in full for unit in page]
    assert corpus.document_sizes.tolist() == [len(page) for page in full]
    assert corpus.vocabulary == tuple(sorted({w for page in full for unit in page for w in unit}))
    again = Corpus.from_documents(
        [page for page, units in zip(made, split, strict=True) if any(units)],
        lambda text: text.replace(".", " ").split(),
    )
    assert again.fingerprint == corpus.fingerprint


def test_a_part_of_a_corpus_has_all_that_stands_beside_its_units():
    pages = [
        Document("a", (Unit("one", "H", "h"), Unit("one two", "I", "i")), "a.txt"),
        Document("b", (Unit("one two three", "J", "j"),), "b.txt"),
    ]
    part = take_documents(Encoder(keep_texts=True).encode(pages), np.array([1, 0]))
    assert (part.titles, part.locations) == (("b", "a"), ("b.txt", "a.txt"))
    assert (part.headings, part.labels) == (("J", "H", "I"), ("j", "h", "i"))
    assert part.source_words.tolist() == [3, 1, 2]
    assert part.texts == ("one two three", "one", "one two")
    assert words(part) == [["one", "two", "three"], ["one"], ["one", "two"]]


@pytest.mark.parametrize("wrong", ["abc", ["a", "a"]])
def test_a_vocabulary_is_a_list_of_different_words(wrong):
    with pytest.raises(InputError, match="a list of words, each of them once"):
        Encoder(vocabulary=wrong)


def test_texts_are_kept_only_when_asked_for_and_stay_with_their_units():
    assert Encoder().encode(TWO).texts == ()
    kept = Encoder(keep_texts=True).encode(TWO)
    assert kept.texts == ("Salt sea.", "–", "Snow and sea", "Ice")
    assert take_documents(kept, np.array([1])).texts == ("Ice",)
    rare = Encoder(Tokens(min_df=2), keep_texts=True, skip_empty=True)
    assert rare.encode([*TWO, TWO[0]]).texts == kept.texts[:3] * 2
    assert kept.fingerprint == Encoder().encode(TWO).fingerprint
    paragraphs = Corpus.from_paragraphs([["Salt sea."], ["Ice", "Sea"]], keep_texts=True)
    assert paragraphs.texts == ("Salt sea.", "Ice", "Sea")
    with pytest.raises(InputError, match="texts needs 4 entries, not 1"):
        replace(kept, texts=("Salt sea.",))
