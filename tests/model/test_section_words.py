"""Tables of section words: a packed corpus without the others is that of a corpus without them."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from scipy.special import gammaln

from permutopic.corpus import offsets_from_sizes
from permutopic.model.blocked import section_words
from permutopic.model.blocked.moves import blocked_moves
from permutopic.model.blocked.packed import PackedCorpus
from permutopic.model.blocked.packing import localize_corpus, pack_documents
from permutopic.model.generate import generate
from permutopic.model.inference.structures import section_tokens
from permutopic.model.kernels.preparation import localize
from permutopic.model.priors import Priors, SubjectPriors
from permutopic.model.state import make_state
from permutopic.streams import Streams

from audit import check_state
from kernel_source import load_modules

UNCOMPILED = load_modules(compile_it=False).section_words


def corpus_without(corpus, subject_words):
    """The corpus without some words, its vocabulary as it was."""
    kept = ~subject_words[corpus.words]
    offsets = offsets_from_sizes(kept)[corpus.unit_offsets]
    return replace(corpus, words=corpus.words[kept], unit_offsets=offsets)


@pytest.mark.parametrize("module", [section_words, UNCOMPILED], ids=["compiled", "uncompiled"])
@pytest.mark.parametrize("share", [0.0, 0.3, 0.7, 0.98, 1.0])
def test_packing_section_words_is_packing_a_corpus_of_them(drawn, module, share):
    corpus, _, _ = drawn
    subject_words = np.random.default_rng(4).random(corpus.n_words) < share
    whole = pack_documents(localize_corpus(corpus))
    part = PackedCorpus(*(np.full_like(array, -1) for array in whole))
    for array in (part.token_offsets, part.word_offsets, part.posting_offsets):
        array[0] = 0
    part = part._replace(unit_offsets=whole.unit_offsets)
    module.pack_section_words(whole, subject_words, part)
    numbers = np.full(corpus.n_words, -1, dtype=np.int32)
    tokens = [section_tokens(document.tokens, subject_words) for document in corpus.documents()]
    expected = pack_documents([localize(each, numbers) for each in tokens])
    for name, array in expected._asdict().items():
        found = getattr(part, name)[: array.size]
        assert np.array_equal(found, array), name


@pytest.mark.parametrize("module", [section_words, UNCOMPILED], ids=["compiled", "uncompiled"])
@pytest.mark.parametrize("added", [1e-6, 0.4, 7.9, 8.0, 3000.5])
def test_the_table_is_of_log_gamma(module, added):
    values = np.full(500, np.nan)
    module.fill_log_gamma(values, added)
    assert values == pytest.approx(gammaln(np.arange(500) + added), rel=1e-12, abs=1e-10)
    module.fill_log_gamma(values[:3], 1.5)  # shorter than where the series begins
    assert values[:3] == pytest.approx(gammaln(np.arange(3) + 1.5), abs=1e-10)


def swept(corpus, state, priors, n_threads):
    state = state.copy()
    moves = blocked_moves(corpus, 5, priors, n_threads=n_threads)
    for sweep in range(4):
        for number, move in enumerate(moves):
            move(state, partial(Streams(5).at, sweep, number))
    check_state(corpus, state)
    return state


@pytest.fixture(scope="module")
def with_subjects():
    rng = np.random.default_rng(0)
    rates = rng.dirichlet(np.ones(200))
    priors = Priors.for_documents(8, subject=SubjectPriors(rates, document=20.0, section=20.0))
    shape = {"n_documents": 8, "units": 40, "unit_words": 15, "n_words": 200}
    return *generate(5, priors, rng, **shape), priors


def test_threads_change_nothing(with_subjects):
    alone = swept(*with_subjects, n_threads=1)
    together = swept(*with_subjects, n_threads=2)
    assert 0 < np.count_nonzero(alone.subject_words) < 200
    for name, array in vars(alone).items():
        assert np.array_equal(array, getattr(together, name)), name


def test_structures_are_resampled_by_section_words_alone(with_subjects):
    # The same draws as in a corpus without the subject words.
    corpus, state, priors = with_subjects
    paper = replace(priors, subject=None)
    classes = np.zeros(200, dtype=bool)
    classes[::3] = True
    structure = state.bag, state.inversions, state.dispersion
    first = make_state(corpus, *structure, classes)
    kept = np.flatnonzero(~classes)
    numbers = np.full(200, -1, dtype=np.int32)
    numbers[kept] = np.arange(kept.size)
    other = corpus_without(corpus, classes)
    other = replace(
        other, words=numbers[other.words], vocabulary=tuple(f"w{n:03}" for n in range(kept.size))
    )
    second = make_state(other, *structure)
    for each, whole in ((first, corpus), (second, other)):
        move = blocked_moves(whole, 5, paper)[0]
        for sweep in range(3):
            move(each, partial(Streams(1).at, sweep, 0))
    assert np.array_equal(first.bag, second.bag)
    assert np.array_equal(first.inversions, second.inversions)
    assert not np.array_equal(first.bag, state.bag)
