from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from permutopic import (
    ContentModel,
    Corpus,
    Document,
    InputError,
    InputWarning,
    Tokens,
    Units,
    log_joint,
    read_corpus,
    read_documents,
    threads,
)
from permutopic.model.priors import section_word_prior
from permutopic.threads import count_threads

from audit import check_state


@pytest.fixture(scope="module")
def fitted():
    corpus = _beach_and_hill()
    return corpus, ContentModel(3, n_sweeps=30, early_stop=False, random_state=1).fit(corpus)


def _beach_and_hill():
    beach, hill = "salt sea waves sand", "hills snow rocks ice"
    return Corpus.from_paragraphs([[beach, beach, hill], [beach, hill, hill], [hill, beach]] * 4)


def test_parameters_are_scikit_learns(fitted):
    _, model = fitted
    assert model.get_params()["n_topics"] == 3
    again = clone(model)
    assert again.get_params() == model.get_params()
    assert not hasattr(again, "topics_")
    assert again.set_params(n_topics=4).n_topics == 4


def test_fitted_attributes_fit_the_corpus_and_each_other(fitted):
    corpus, model = fitted
    check_state(corpus, model.state_)
    assert [len(topics) for topics in model.topics_] == corpus.document_sizes.tolist()
    for topics, order, bag, v in zip(
        model.topics_, model.orders_, model.bags_, model.inversions_, strict=True
    ):
        assert np.bincount(topics, minlength=3).tolist() == bag.tolist()
        assert topics.tolist() == [t for t in order for _ in range(bag[t])]
        assert sorted(order) == [0, 1, 2]
        assert v.shape == (2,)
    assert model.dispersion_.shape == (2,)
    assert (model.dispersion_ > 0).all()
    assert model.word_distributions_.shape == (3, corpus.n_words)
    assert model.word_distributions_.sum(axis=1) == pytest.approx(1)
    assert model.prevalence_.sum() == pytest.approx(1)
    assert model.log_joint_trace_.shape == model.inverse_temperature_trace_.shape == (30,)
    assert model.inverse_temperature_trace_[20] < 1
    assert (model.inverse_temperature_trace_[21:] == 1).all()
    joint = log_joint(model.state_, model.priors_, corpus)
    assert model.log_joint_trace_[-1] == pytest.approx(joint)
    assert model.subject_words_.shape == (corpus.n_words,)
    assert len(model.subjects_) == corpus.n_documents


@pytest.mark.parametrize("subject_words", [False, True])
def test_point_estimates_are_equations_14_and_15(subject_words):
    corpus = _beach_and_hill()
    model = ContentModel(3, n_sweeps=30, random_state=1, subject_words=subject_words).fit(corpus)
    topics, prior = np.concatenate(model.topics_), model.priors_.word
    expected = section_word_prior(corpus.n_tokens, corpus.n_words) if subject_words else 0.1
    assert prior == pytest.approx(expected)
    tokens = np.repeat(topics, np.diff(corpus.unit_offsets))
    of_section = ~model.subject_words_[corpus.words]
    n_section = np.count_nonzero(~model.subject_words_)
    assert subject_words or n_section == corpus.n_words
    total = np.count_nonzero((tokens == 1) & of_section) + prior * n_section
    for word in range(corpus.n_words):
        here = np.count_nonzero((tokens == 1) & (corpus.words == word))
        expected = 0 if model.subject_words_[word] else (here + prior) / total
        assert model.word_distributions_[1, word] == pytest.approx(expected)
    expected = (np.count_nonzero(topics == 1) + 0.1) / (topics.size + 0.3)
    assert model.prevalence_[1] == pytest.approx(expected)


def test_what_separates_easily_is_separated(fitted):
    corpus, model = fitted
    beach = corpus.words[corpus.unit_offsets[:-1]] == corpus.vocabulary.index("salt")
    topics = np.concatenate(model.topics_)
    assert set(topics[beach]).isdisjoint(topics[~beach])


@pytest.mark.parametrize("seed", range(5))
def test_topics_do_not_die_while_the_words_of_short_paragraphs_hardly_speak(seed):
    # Four words a paragraph: with θ drawn from τ = .1 on, everything ended in one topic.
    corpus = _beach_and_hill()
    model = ContentModel(3, n_sweeps=30, random_state=seed).fit(corpus)
    test_what_separates_easily_is_separated((corpus, model))


def test_the_same_seed_gives_the_same_result_with_and_without_progress(fitted):
    corpus, model = fitted
    seen = []
    again = clone(model).fit(corpus, on_sweep=seen.append)
    assert np.array_equal(again.log_joint_trace_, model.log_joint_trace_)
    assert np.array_equal(again.bags_, model.bags_)
    assert [info.sweep for info in seen] == list(range(1, 31))
    assert seen[-1].n_sweeps == 30
    assert seen[-1].topics_in_use == np.count_nonzero(again.bags_.any(axis=0))
    other = clone(model).set_params(random_state=2).fit(corpus)
    assert not np.array_equal(other.log_joint_trace_, model.log_joint_trace_)


def test_two_runs_without_a_seed_differ_and_tell_theirs():
    corpus = _beach_and_hill()
    first, second = (ContentModel(2, n_sweeps=2).fit(corpus) for _ in range(2))
    assert first.seed_ != second.seed_
    again = ContentModel(2, n_sweeps=2, random_state=first.seed_).fit(corpus)
    assert np.array_equal(again.log_joint_trace_, first.log_joint_trace_)


@pytest.mark.parametrize(("variant", "dispersion"), [("constrained", np.inf), ("uniform", 0.0)])
def test_variants_keep_their_dispersion(variant, dispersion):
    model = ContentModel(3, variant=variant, n_sweeps=5, random_state=0).fit(_beach_and_hill())
    assert (model.dispersion_ == dispersion).all()
    assert model.inversions_.any() == (variant == "uniform")
    assert np.isfinite(model.log_joint_trace_).all()


def test_headings_never_reach_the_model():
    plain = _beach_and_hill()
    import dataclasses

    headed = dataclasses.replace(plain, headings=tuple("abcdefghijklmnopqrstuvwxyz123456"))
    first, second = (ContentModel(2, n_sweeps=3, random_state=0).fit(c) for c in (plain, headed))
    assert np.array_equal(first.log_joint_trace_, second.log_joint_trace_)


def test_lists_of_paragraphs_are_tokenised_as_asked():
    documents = [["A b", "C"], ["a"]]
    assert ContentModel(2, n_sweeps=1).fit(documents).vocabulary_ == ("a", "b", "c")
    model = ContentModel(2, n_sweeps=1, tokens="whitespace").fit(documents)
    assert model.vocabulary_ == ("A", "C", "a", "b")


def test_one_document_is_fitted_with_a_warning():
    with pytest.warns(InputWarning, match="one document has no order to share"):
        model = ContentModel(2, n_sweeps=5, random_state=0).fit([["a b", "a", "c d", "c"]])
    assert model.topics_[0].size == 4


def test_as_many_topics_as_paragraphs_are_fitted_and_more_are_not():
    documents = [["a"], ["b", "a"]]
    model = ContentModel(3, n_sweeps=5, random_state=0).fit(documents)
    assert model.bags_.sum() == 3
    assert len(model.outline()) == 3
    with pytest.raises(InputError, match="to fit: 3 paragraphs, not 4"):
        ContentModel(4, n_sweeps=5, random_state=0).fit(documents)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_topics": 1}, "at least 2 and at most 10000, not 1"),
        ({"variant": "loose"}, "variant is one of"),
        ({"sampler": "magic"}, "sampler is one of blocked, paper, not 'magic'"),
        ({"n_sweeps": 0}, "n_sweeps must be a whole number of at least 1, not 0"),
        ({"n_sweeps": 1.5}, "n_sweeps must be"),
        ({"n_chains": 0}, "n_chains must be a whole number of at least 1, not 0"),
        ({"n_jobs": 0}, r"n_jobs .* must be a whole number of at least 1, not 0"),
        ({"n_jobs": -2}, r"n_jobs .* must be a whole number of at least 1, not -2"),
        ({"keep": "some"}, "keep is one of best, all, not 'some'"),
        ({"word_prior": float("nan")}, r"word_prior \(β0\) must be a finite number, not nan"),
        ({"topic_prior": -1.0}, r"topic_prior \(θ0\) must lie between"),
        ({"dispersion_strength": 0.0}, r"dispersion_strength \(ν0\) must lie between"),
        ({"tokens": "letters"}, "tokens are one of"),
        ({"random_state": -4}, r"random_state \(the seed\) must be a whole number"),
        ({"n_topics": 10**9}, "at most 10000"),
        ({"n_topics": 3}, r"n_topics \(K\) must be at most .* to fit: 2 paragraphs, not 3"),
        ({"topic_prior": 10**400}, r"topic_prior \(θ0\) must lie between"),
        ({"tokens": ["words"]}, "tokens are one of"),
    ],
)
def test_bad_settings_are_refused_when_fitting(settings, message):
    model = ContentModel(**settings)
    with pytest.raises(InputError, match=message):
        model.fit([["a b"], ["c"]])


@pytest.mark.parametrize("documents", [[], [[]], [["…"]]])
def test_bad_documents_are_refused(documents):
    with pytest.raises(InputError, match=r"no document|no paragraph|no word"):
        ContentModel(2).fit(documents)


@pytest.mark.parametrize(
    "call",
    [
        *("outline", "prediction", "fitted", "topic_probabilities", "checker", "check", "align"),
        *("segment", "segment_table"),
    ],
)
def test_an_unfitted_model_says_so(call):
    with pytest.raises(NotFittedError):
        getattr(ContentModel(2), call)()


@pytest.mark.parametrize(
    "call",
    ["encode", "infer", "predict", "transform", "predict_table", "order", "align", "segment"],
)
def test_an_unfitted_model_takes_no_documents(call):
    with pytest.raises(NotFittedError):
        getattr(ContentModel(2), call)([["a b"]])


@pytest.mark.parametrize("documents", [None, 5, "text", [None], [5]])
def test_what_is_no_list_of_documents_is_refused(documents):
    with pytest.raises(InputError, match="give a list"):
        ContentModel(2).fit(documents)


def test_documents_may_be_generators():
    documents = ((text for text in document) for document in [["a b", "c"], ["a"]])
    assert [t.size for t in ContentModel(2, n_sweeps=1).fit(documents).topics_] == [2, 1]


def test_an_outline_needs_a_number_of_words(fitted):
    with pytest.raises(InputError, match="n_words must be a whole number of at least 1, not -1"):
        fitted[1].outline(-1)


def test_a_document_too_long_for_memory_is_named(monkeypatch):
    def no_memory(*_):
        raise MemoryError

    from permutopic.model.paper import moves

    corpus = _beach_and_hill()
    monkeypatch.setattr(moves.np, "empty", no_memory)
    with pytest.raises(InputError, match="document '0' has 3 units: their span scores take 0 GiB"):
        moves.make_span_scores(corpus, 2, ContentModel()._priors(12))


def test_the_papers_sampler_does_not_anneal():
    model = ContentModel(2, sampler="paper", n_sweeps=5, random_state=0).fit(_beach_and_hill())
    assert model.inverse_temperature_trace_.tolist() == [1.0] * 5
    assert len(model.chains_[0].dispersions) == 3
    assert ContentModel(2, sampler="paper").checked_settings()["n_sweeps"] == 1000
    assert ContentModel(2).checked_settings()["n_sweeps"] == 85
    assert ContentModel(2, subject_words=False).checked_settings()["n_sweeps"] == 100


def test_a_chain_stops_when_it_no_longer_gains():
    corpus = _beach_and_hill()
    short = ContentModel(2, n_sweeps=300, random_state=0).fit(corpus)
    whole = ContentModel(2, n_sweeps=300, random_state=0, early_stop=False).fit(corpus)
    n = short.log_joint_trace_.size
    assert 230 <= n < 300 == whole.log_joint_trace_.size  # 210 anneal, twice 10 to compare
    assert short.log_joint_trace_.tolist() == whole.log_joint_trace_[:n].tolist()
    last, before = short.log_joint_trace_[-10:], short.log_joint_trace_[-20:-10]
    assert last.mean() <= before.mean()


def test_one_chain_cannot_know_and_several_are_compared():
    corpus = _beach_and_hill()
    one = ContentModel(2, random_state=0).fit(corpus)
    assert one.convergence_.agrees is None
    assert "cannot tell" in one.convergence_.verdict
    two = ContentModel(2, n_chains=2, random_state=0).fit(corpus)
    assert two.convergence_.n_chains == len(two.chains_) == 2
    assert two.convergence_.mean_agreement == 1.0  # two topics that nobody can confuse
    assert np.array_equal(two.chains_[0].log_joints, one.log_joint_trace_)
    best = two.chains_[two.convergence_.best_chain]
    assert best.state is two.state_
    assert [chain.state is None for chain in two.chains_].count(True) == 1


def test_all_chains_can_be_kept_and_averaged():
    corpus = _beach_and_hill()
    model = ContentModel(4, n_chains=3, keep="all", random_state=0).fit(corpus)
    for chain in model.chains_:
        check_state(corpus, chain.state)
    shares = model.topic_probabilities()
    assert shares.shape == (corpus.n_units, 4)
    assert shares.sum(axis=1) == pytest.approx(1)
    assert set(np.round(3 * shares).ravel()) <= {0, 1, 2, 3}
    mine = np.concatenate(model.topics_)
    assert (shares[np.arange(mine.size), mine] >= 0.3).all()  # the best chain's own vote


@pytest.mark.parametrize("sampler", ["blocked", "paper"])
def test_threads_and_progress_change_nothing(sampler):
    corpus, seen = _beach_and_hill(), []
    settings = {"sampler": sampler, "n_sweeps": 12, "n_chains": 2, "keep": "all"}
    plain = ContentModel(3, **settings, random_state=3).fit(corpus)
    for n_jobs in (2, 3, 5, -1):
        model = ContentModel(3, **settings, n_jobs=n_jobs, random_state=3)
        model.fit(corpus, on_sweep=seen.append)
        for mine, theirs in zip(plain.chains_, model.chains_, strict=True):
            assert mine.log_joints.tolist() == theirs.log_joints.tolist()
            assert mine.state.bag.tolist() == theirs.state.bag.tolist()
    assert {info.chain for info in seen} == {0, 1}


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_what_the_callback_raises_ends_all_chains(n_jobs):
    def enough(info):
        if info.chain == 1 and info.sweep == 2:
            raise KeyboardInterrupt

    model = ContentModel(2, n_chains=2, n_jobs=n_jobs, random_state=0)
    with pytest.raises(KeyboardInterrupt):
        model.fit(_beach_and_hill(), on_sweep=enough)
    assert not hasattr(model, "topics_")


def test_the_first_compile_is_announced(tmp_path):
    script = (
        "import permutopic\n"
        "permutopic.ContentModel(2, n_sweeps=2, random_state=0).fit([['a b', 'c'], ['c']])"
    )
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    said = [
        subprocess.run(
            [sys.executable, "-c", script],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        ).stderr
        for _ in range(2)
    ]
    assert said[0].startswith("compiling the fit: some ten seconds")
    assert said[0].count("\n") == 1
    assert said[1] == ""


def test_new_documents_are_treated_as_the_fitted_ones_were(tmp_path):
    (tmp_path / "a.txt").write_text("The sea. The salt sea!\n\nHills, 12 hills and snow. Ice.")
    (tmp_path / "b.txt").write_text("Salt. And sea and salt.\n\nSnow on the 7 hills. Ice.")
    tokens = Tokens(stop=("the", "and", "on"), fold_numbers=True, min_df=2)
    corpus = read_corpus(tmp_path, tokens, units="sentence")
    model = ContentModel(2, n_sweeps=2, random_state=0).fit(corpus)
    (tmp_path / "b.txt").write_text("The gold. 99 seas and the SEA!\n\nIce.")
    new = model.encode(read_documents(tmp_path / "b.txt"))
    assert (
        new.vocabulary == model.vocabulary_ == ("<number>", "hills", "ice", "salt", "sea", "snow")
    )
    assert new.words.tolist() == [0, 4, 2]
    assert new.unit_offsets.tolist() == [0, 0, 2, 3]  # no word of the first sentence is known
    assert new.source_spans.tolist() == [[0, 9], [10, 30], [32, 36]]
    assert (new.tokens, new.units) == (tokens, Units("sentence"))
    again = model.encode(read_documents(tmp_path / "a.txt"))
    first = corpus.unit_offsets[corpus.document_offsets[1]]
    assert again.words.tolist() == corpus.words[:first].tolist()


def test_new_documents_may_be_lists_of_paragraphs(fitted):
    _, model = fitted
    new = model.encode([["Sea, SALT and gold", "–"], ["Snow"]])
    assert [model.vocabulary_[word] for word in new.words] == ["sea", "salt", "snow"]
    assert new.document_sizes.tolist() == [2, 1]
    assert new.titles == ("0", "1")


@pytest.mark.parametrize(
    ("documents", "message"),
    [
        ([["gold"]], "document 0: '0' has no word that the model knows: give it text or leave"),
        ([], "the corpus has no document: at least one is needed"),
        ("text", "documents are str: give a list of lists"),
        (
            [["sea"], Document("t", (), "p")],
            "document 1 is a Document among lists of paragraphs",
        ),
    ],
)
def test_new_documents_that_cannot_be_used_are_refused(fitted, documents, message):
    with pytest.raises(InputError, match=message):
        fitted[1].encode(documents)


@pytest.mark.parametrize(("cores", "expected"), [(6, 6), (None, 1)])
def test_all_threads_are_all_cores_where_a_system_tells_no_more(monkeypatch, cores, expected):
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: cores)
    monkeypatch.setattr(threads, "_QUOTA", Path("no container"))
    assert count_threads(-1) == expected
    assert (count_threads(None), count_threads(1), count_threads(4)) == (1, 1, 4)


@pytest.mark.parametrize(
    ("quota", "expected"),
    [("200000 100000", 2), ("150000 100000", 2), ("5000 100000", 1), ("max 100000", 6), ("", 6)],
)
def test_all_threads_are_no_more_than_a_container_may_use(monkeypatch, tmp_path, quota, expected):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(6)), raising=False)
    monkeypatch.setattr(threads, "_QUOTA", tmp_path / "cpu.max")
    assert count_threads(-1) == 6
    (tmp_path / "cpu.max").write_text(f"{quota}\n")
    assert count_threads(-1) == expected


def test_of_documents_with_the_same_words_the_first_is_recognised(fitted):
    corpus, model = fitted
    found = list(model.infer([["salt sea waves sand"] * 2 + ["hills snow rocks ice"]] * 2))
    assert [(inferred.seen, inferred.number) for inferred in found] == [(True, 0)] * 2
    assert corpus.digests[3] == corpus.digests[0]


@pytest.mark.parametrize("n_chains", [1, 2])
def test_two_kept_chains_are_enough_for_probabilities_of_the_fit(n_chains):
    model = ContentModel(4, n_chains=n_chains, keep="all", n_sweeps=1, random_state=0)
    found = list(model.fit(_beach_and_hill()).fitted())
    assert len(found) == 12
    assert [np.isnan(each.probabilities).any() for each in found] == [n_chains == 1] * 12
    assert [np.isnan(each.boundaries).any() for each in found] == [n_chains == 1] * 12
    if n_chains == 2:
        whole = np.concatenate([each.probabilities for each in found])
        assert whole.tolist() == model.topic_probabilities().tolist()
        assert set(whole.ravel()) == {0, 0.5, 1}  # after one sweep they differ
