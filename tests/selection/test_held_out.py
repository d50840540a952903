"""Documents held out and completed: parted rightly, and scored as a slow sum says."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from permutopic import ContentModel, Corpus, InputError
from permutopic.documents import Document, Unit
from permutopic.model.priors import SubjectPriors
from permutopic.model.subjects import DocumentWords
from permutopic.selection.held_out import (
    choose_documents,
    make_fold,
    score_hidden,
    score_one_topic,
    take_documents,
)


def rng(seed=0):
    return np.random.default_rng(seed)


def spelled(corpus):
    """A corpus as lists of words, document by document, unit by unit."""
    return [
        [
            [
                corpus.vocabulary[word]
                for word in corpus.words[corpus.unit_offsets[u] : corpus.unit_offsets[u + 1]]
            ]
            for u in range(*corpus.document_offsets[d : d + 2])
        ]
        for d in range(corpus.n_documents)
    ]


PARAGRAPHS = st.lists(
    st.lists(st.text("abcdef ", min_size=1, max_size=9), min_size=1, max_size=4).filter(
        lambda units: any(unit.strip() for unit in units)
    ),
    min_size=5,
    max_size=9,
)


@given(PARAGRAPHS, st.randoms(use_true_random=False))
def test_part_of_a_corpus_is_what_lists_of_words_give(paragraphs, random):
    texts = [[" ".join(unit) for unit in units] for units in paragraphs]
    corpus = Corpus.from_paragraphs(texts, tokens="whitespace")
    some = sorted(random.sample(range(corpus.n_documents), 3))
    whole = spelled(corpus)
    words = {word for d in some for unit in whole[d] for word in unit}
    kept = sorted(random.sample(sorted(words), random.randint(1, len(words))))
    slow = [[[w for w in unit if w in kept] for unit in whole[d]] for d in some]
    if all(any(units) for units in slow):
        numbers = np.array([corpus.vocabulary.index(word) for word in kept])
        part = take_documents(corpus, np.array(some), numbers)
        assert spelled(part) == slow
        assert part.vocabulary == tuple(kept)
        assert part.titles == tuple(str(d) for d in some)


def test_what_stands_beside_the_units_goes_along():
    documents = [
        Document(f"d{n}", (Unit(f"x y{n}" + " x" * n, f"h{n}", f"l{n}"), Unit("x")), f"file{n}")
        for n in range(4)
    ]
    corpus = Corpus.from_documents(documents)
    part = take_documents(corpus, np.array([1, 3]))
    assert part.headings == ("h1", None, "h3", None)
    assert part.labels == ("l1", None, "l3", None)
    assert part.locations == ("file1", "file3")
    assert part.source_words.tolist() == [3, 1, 5, 1]
    assert part.source_spans.shape == (4, 2)


def test_a_fold_parts_the_documents(drawn):
    corpus, _, _ = drawn
    fold = make_fold(corpus, 0.34, rng(1))
    assert (fold.train.n_documents, fold.shown.n_documents) == (4, 2)
    assert sorted(fold.train.titles + fold.shown.titles) == sorted(corpus.titles)
    assert fold.shown.vocabulary == fold.train.vocabulary
    assert {w for units in spelled(fold.train) for unit in units for w in unit} == set(
        fold.train.vocabulary
    )


def test_the_fold_depends_on_the_generator_alone(drawn):
    corpus, _, _ = drawn
    folds = [make_fold(corpus, 0.34, rng(seed)) for seed in (1, 1, *range(2, 8))]
    assert folds[0].shown.titles == folds[1].shown.titles
    assert len({fold.shown.titles for fold in folds}) > 1


def test_every_second_word_of_a_unit_is_hidden():
    texts = [["a b c d e", "f", "g h"]] * 6
    fold = make_fold(Corpus.from_paragraphs(texts), 0.34, rng())
    assert spelled(fold.shown) == [[["a", "c", "e"], ["f"], ["g"]]] * 2
    words = [fold.train.vocabulary[word] for word in fold.hidden]
    assert words == ["b", "d", "h"] * 2
    assert fold.hidden_offsets.tolist() == [0, 2, 2, 3, 5, 5, 6]
    assert fold.hidden_words.tolist() == [3, 3]


def test_words_that_no_fit_can_know_are_in_neither_half():
    texts = [[f"a own{n} b own{n} c d"] for n in range(6)]
    fold = make_fold(Corpus.from_paragraphs(texts), 0.34, rng())
    assert fold.unknown == 4
    assert spelled(fold.shown) == [[["a", "c"]]] * 2
    assert fold.hidden.size == 4


def test_a_document_in_other_words_is_left_out():
    held = choose_documents(10, 0.3, rng())
    texts = [["x y"] if n == held[0] else ["a b c"] for n in range(10)]
    fold = make_fold(Corpus.from_paragraphs(texts), 0.3, rng())
    assert fold.shown.titles == tuple(str(n) for n in held[1:])
    assert fold.unknown == 2


def slow_score(units, hidden, probabilities, words):
    """Σ over units of log Σ_k P(k) Π_w φ_kw, by products of plain numbers."""
    total = 0.0
    for unit in range(units):
        mixed = 0.0
        for topic, share in enumerate(probabilities[unit]):
            product = share
            for word in hidden[unit]:
                product *= words[topic][word]
            mixed += product
        total += math.log(mixed)
    return total


def random_case(corpus, n_topics, seed):
    generator = rng(seed)
    fold = make_fold(corpus, 0.5, generator)
    probabilities = generator.dirichlet(np.full(n_topics, 0.3), fold.shown.n_units)
    words = generator.dirichlet(np.full(fold.train.n_words, 0.5), n_topics)
    return fold, probabilities, words


@pytest.mark.parametrize("seed", range(5))
def test_scores_are_what_the_slow_sum_gives(drawn, seed):
    fold, probabilities, words = random_case(drawn[0], 4, seed)
    probabilities[0] = [0.0, 1.0, 0.0, 0.0]
    ends = fold.hidden_offsets.tolist()
    hidden = [fold.hidden[first:last] for first, last in pairwise(ends)]
    scores = score_hidden(fold, probabilities, words)
    assert scores.size == fold.shown.n_documents
    for document in range(fold.shown.n_documents):
        units = fold.shown.units_of(document)
        expected = slow_score(units.stop - units.start, hidden[units], probabilities[units], words)
        assert scores[document] == pytest.approx(expected, rel=1e-12)


def test_subject_words_are_scored_by_their_document(drawn_with_subjects):
    corpus, *_ = drawn_with_subjects
    fold = make_fold(corpus, 0.4, rng())
    n_words = fold.train.n_words
    subject_words = np.arange(n_words) % 3 == 0
    rates = rng(1).dirichlet(np.ones(n_words))
    of_document = DocumentWords(subject_words, SubjectPriors(rates, document=2.0, section=3.0))
    topics = rng(2).dirichlet(np.ones(4), fold.shown.n_units)
    words = np.zeros((4, n_words))
    words[:, ~subject_words] = rng(3).dirichlet(np.ones(n_words - subject_words.sum()), 4)
    scores = score_hidden(fold, topics, words, of_document)
    ends = fold.hidden_offsets
    for number, document in enumerate(fold.shown.documents()):
        shown, expected = document.tokens.words.tolist(), 0.0
        weights = {w: 2.0 * rates[w] for w in range(n_words) if subject_words[w]}
        total = len(shown) + 3.0 + sum(weights.values())
        n_section = sum(w not in weights for w in shown)
        for unit in range(*fold.shown.document_offsets[number : number + 2]):
            hidden = fold.hidden[ends[unit] : ends[unit + 1]].tolist()
            whole = np.ones(4)
            for word in hidden:
                if word in weights:
                    expected += math.log((shown.count(word) + weights[word]) / total)
                else:
                    expected += math.log((n_section + 3.0) / total)
                    whole *= words[:, word]
            expected += math.log(topics[unit] @ whole)
        assert scores[number] == pytest.approx(expected)


def test_dropping_words_does_not_win():
    # The same words are scored whatever their class: those of one topic and of one document alike.
    corpus = Corpus.from_paragraphs([[f"a b n{d} n{d}", f"b a n{d} n{d}"] for d in range(20)])
    fold = make_fold(corpus, 0.5, rng())
    for classes in (False, True):
        settings = {"random_state": 0, "subject_words": classes, "n_sweeps": 20}
        model = ContentModel(2, **settings).fit(fold.train)
        shares = np.concatenate([each.probabilities for each in model.infer(fold.shown)])
        scores = score_hidden(fold, shares, model.word_distributions_, model.document_words_)
        assert np.isfinite(scores).all()
        assert scores.sum() < fold.hidden.size * math.log(0.6)  # a and b are even at best


def test_a_unit_of_thousands_of_words_does_not_underflow():
    corpus = Corpus.from_paragraphs([["a b c d " * 2000]] * 6)
    fold, probabilities, words = random_case(corpus, 3, 0)
    scores = score_hidden(fold, probabilities, words)
    assert np.isfinite(scores).all()
    assert scores.max() < -1000


def test_one_topic_is_the_words_of_all_documents():
    fold = make_fold(Corpus.from_paragraphs([["a b b b"]] * 6), 0.5, rng())
    expected = 2 * math.log((9 + 0.1) / (12 + 0.2))
    assert score_one_topic(fold, 0.1).tolist() == pytest.approx([expected] * 3)


def test_one_topic_with_subject_words_is_of_section_words():
    fold = make_fold(Corpus.from_paragraphs([["a b b b c c"]] * 6), 0.5, rng())
    rates = np.array([0.2, 0.4, 0.4])
    of_document = DocumentWords(
        np.array([False, False, True]), SubjectPriors(rates, document=1.0, section=1.0)
    )
    [score, *_] = score_one_topic(fold, 0.1, of_document)
    # Shown are a, b, c; hidden b, b, c. One of three tokens is of a subject word.
    of_c, of_section = (1 + 0.4) / (3 + 1.4), (2 + 1) / (3 + 1.4)
    of_b = (9 + 0.1) / (12 + 0.2)
    assert score == pytest.approx(math.log(of_c) + 2 * math.log(of_section * of_b))


def test_what_does_not_fit_the_fold_is_refused(drawn):
    fold, probabilities, words = random_case(drawn[0], 4, 0)
    with pytest.raises(InputError, match="units need as many rows"):
        score_hidden(fold, probabilities[1:], words)


@pytest.mark.parametrize(
    ("n_documents", "share", "message"),
    [
        (4, 0.5, "choosing K takes at least 5 documents.* there are 4"),
        (6, 0.2, "of 6 documents, between 0.34 and 0.66, not 0.2"),
        (10, 0.9, "of 10 documents, between 0.2 and 0.8, not 0.9"),
        (10, float("nan"), "held_out .* must be a finite number"),
        (10, 1.5, "held_out .* must lie between 0 and 1, not 1.5"),
        (10, "half", "held_out .* must be a finite number, not 'half'"),
    ],
)
def test_a_split_that_leaves_too_little_is_refused(n_documents, share, message):
    with pytest.raises(InputError, match=message):
        choose_documents(n_documents, share, rng())


@pytest.mark.parametrize("n_documents", [5, 6, 7, 9, 14, 23, 38, 59])
def test_the_shares_named_as_right_are_right(n_documents):
    with pytest.raises(InputError) as refused:
        choose_documents(n_documents, 0.0, rng())
    words = str(refused.value).split()
    low, high = (float(words[words.index(w) + 1].rstrip(",")) for w in ("between", "and"))
    for share in (low, high):
        held = choose_documents(n_documents, share, rng())
        assert 2 <= held.size <= n_documents - 2
        assert np.array_equal(held, np.unique(held))


def test_units_of_one_word_leave_nothing_to_score():
    with pytest.raises(InputError, match="a unit with two words that the other documents know"):
        make_fold(Corpus.from_paragraphs([["a", "b"]] * 6), 0.5, rng())
    with pytest.raises(InputError, match="a unit with two words that the other documents know"):
        make_fold(Corpus.from_paragraphs([[f"own{n} words{n}"] for n in range(6)]), 0.5, rng())
