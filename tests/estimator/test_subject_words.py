"""Subject words, as users meet them: settings, subjects, new documents, bad input."""

from __future__ import annotations

import re

import numpy as np
import pytest

from permutopic import ContentModel, Corpus, InputError, InputWarning
from permutopic.datasets import load_elements
from permutopic.evaluation.evaluate import evaluate
from permutopic.model.priors import section_word_prior

from audit import check_state

METALS = ("gold", "iron", "zinc", "lead", "silver", "cobalt", "nickel", "radium", "copper", "tin")


def reports(n_documents=30, seed=0):
    """Documents of three sections in one order, each about something of its own."""
    rng = np.random.default_rng(seed)
    sections = [
        "found year chemist named discovery history",
        "melts density hard shiny colour metal",
        "used wire coins alloys industry tools",
    ]
    documents = []
    for number in range(n_documents):
        name, other = METALS[number % len(METALS)], f"place{number}"
        documents.append(
            [
                " ".join(rng.permutation([*words.split(), name, name, other]))
                for words in sections
                for _ in range(3)
            ]
        )
    return documents


@pytest.fixture(scope="module")
def model():
    return ContentModel(3, random_state=0).fit(reports())


def test_names_of_single_documents_are_subject_words_and_those_of_sections_are_not(model):
    classes = dict(zip(model.vocabulary_, model.subject_words_.tolist(), strict=True))
    assert all(classes[name] for name in METALS)
    assert not any(classes[word] for word in ("chemist", "melts", "alloys"))
    assert [topics.tolist() for topics in model.topics_] == [[0, 0, 0, 1, 1, 1, 2, 2, 2]] * 30


def test_documents_are_about_their_subject_words(model):
    for number, words in enumerate(model.subjects_):
        assert METALS[number % len(METALS)] in words[:2]
        assert set(words) <= {
            word for word, one in zip(model.vocabulary_, model.subject_words_, strict=True) if one
        }


def test_topics_are_named_by_section_words_alone(model):
    for entry in model.outline(20):
        assert not set(entry.words) & set(METALS)


def test_subject_words_say_nothing_of_a_new_documents_structure(model):
    used, other = "used wire coins alloys", "found year chemist named"
    with_name, without = (
        next(model.infer([[f"{used} {name}", f"{other} {name}"]])) for name in ("gold", "")
    )
    assert with_name.topics.tolist() == without.topics.tolist() == [2, 0]
    assert np.array_equal(with_name.topic_scores, without.topic_scores)
    assert with_name.subjects == ("gold",)
    assert without.subjects == ()
    assert with_name.log_likelihood != without.log_likelihood


def test_a_document_of_subject_words_alone_gets_the_priors_structure(model):
    with pytest.warns(InputWarning, match="knows no word of it that tells of its structure"):
        found = next(model.infer([["gold gold", "gold"]]))
    assert np.all(found.topic_scores == 0)
    assert found.probabilities.sum(axis=1) == pytest.approx(np.ones(2))
    assert found.known_share == 1
    assert np.isfinite(found.log_likelihood)


def test_tasks_know_of_the_classes(model):
    texts = ["used coins gold", "chemist discovery gold", "density hard gold"]
    assert model.order(texts).order.tolist() == [1, 2, 0]
    (check,) = model.check([["found year gold"] * 3, ["used wire gold"] * 3][:1])
    assert check.subjects == ("gold",)
    rows = list(model.check([["found year gold"] * 3]).table())
    assert rows[0]["subjects"] == ["gold"]
    assert [each.subjects for each in model.check()] == model.subjects_
    table = model.predict_table([["used wire zinc"]], rows="documents")
    assert next(iter(table))["subjects"] == ["zinc"]


def test_a_saved_model_is_the_same(model, tmp_path):
    model.save(tmp_path / "m")
    again = ContentModel.load(tmp_path / "m")
    assert np.array_equal(again.subject_words_, model.subject_words_)
    assert again.subjects_ == model.subjects_
    assert np.array_equal(again.priors_.subject.base_rates, model.priors_.subject.base_rates)
    assert again.settings_["subject_words"] is None
    for first, second in zip(again.infer(reports(3, 1)), model.infer(reports(3, 1)), strict=True):
        assert first.log_likelihood == second.log_likelihood
        assert first.subjects == second.subjects


def test_more_documents_keep_the_classes(model, tmp_path):
    model.save(tmp_path / "m")
    more = ContentModel.load(tmp_path / "m")
    classes = more.subject_words_.copy()
    more.partial_fit(reports(4, 5))
    assert np.array_equal(more.subject_words_, classes)
    assert len(more.subjects_) == 34
    check_state(more.encode(reports() + reports(4, 5)), more.state_)
    more.save(tmp_path / "more")
    assert ContentModel.load(tmp_path / "more").subjects_ == more.subjects_


@pytest.mark.parametrize("variant", ["constrained", "uniform"])
def test_other_variants_have_classes_too(variant):
    fitted = ContentModel(3, variant=variant, random_state=0).fit(reports())
    assert 0 < np.count_nonzero(fitted.subject_words_) < len(fitted.vocabulary_)


def test_without_subject_words_it_is_the_papers_model():
    for settings in ({"subject_words": False}, {"sampler": "paper", "n_sweeps": 5}):
        fitted = ContentModel(3, random_state=0, **settings).fit(reports())
        assert not fitted.subject_words_.any()
        assert fitted.priors_.subject is None
        assert fitted.priors_.word == 0.1
        assert fitted.subjects_ == [()] * 30
        assert fitted.document_words_ is None


def test_the_word_prior_goes_by_the_size_of_the_corpus_unless_it_is_given(model):
    tokens, words = 30 * 81, len(model.vocabulary_)
    assert model.priors_.word == pytest.approx(section_word_prior(tokens, words))
    given = ContentModel(3, word_prior=0.3, n_sweeps=3, random_state=0).fit(reports())
    assert given.priors_.word == 0.3


@pytest.mark.parametrize("value", ["yes", 1, 0.5, []])
def test_what_is_no_truth_value_is_refused(value):
    with pytest.raises(InputError, match="subject_words is True, False or None, not"):
        ContentModel(3, subject_words=value).fit(reports(3))


def test_the_papers_sampler_draws_no_classes():
    with pytest.raises(InputError, match="paper's sampler has no subject words: leave out"):
        ContentModel(3, sampler="paper", subject_words=True).fit(reports(3))


# Bad input: what is decided.


def test_few_documents_have_none_unless_asked_for():
    assert not ContentModel(3, random_state=0).fit(reports(9)).subject_words_.any()
    asked = ContentModel(3, random_state=0, subject_words=True).fit(reports(9))
    assert asked.subject_words_.any()


def test_one_document_has_none():
    for asked in (None, True):
        with pytest.warns(InputWarning, match="one document has no order to share"):
            alone = ContentModel(2, random_state=0, subject_words=asked).fit(reports(1))
        assert not alone.subject_words_.any()
        assert alone.priors_.subject is None


def test_documents_without_a_section_word_keep_a_structure():
    # The last documents have nothing but a name of their own, again and again.
    own = [[" ".join([f"only{n}"] * 8)] * 6 for n in range(3)]
    said = r"3 documents \('30' for one\) of 33 have no word that tells of their structure"
    with pytest.warns(InputWarning, match=said):
        fitted = ContentModel(3, random_state=0).fit(reports() + own)
    classes = dict(zip(fitted.vocabulary_, fitted.subject_words_.tolist(), strict=True))
    assert classes["only1"]
    assert all(topics.size == 6 for topics in fitted.topics_[-3:])
    assert fitted.subjects_[-2] == ("only1",)
    check_state(fitted.encode(reports() + own), fitted.state_)


def test_where_every_word_is_of_one_document_a_section_word_remains():
    documents = [[f"a{n} b{n}", f"b{n} c{n}", f"a{n} c{n}"] for n in range(12)]
    with pytest.warns(InputWarning, match="have no word that tells of their structure"):
        fitted = ContentModel(2, random_state=0).fit(documents)
    assert not fitted.subject_words_.all()
    assert fitted.word_distributions_.sum(axis=1) == pytest.approx(np.ones(2))
    assert [entry.name for entry in fitted.outline() if entry.document_share > 0]


def test_a_vocabulary_of_ten_words_is_enough():
    documents = [["a b c", "d e f", "g h i j"]] * 15
    fitted = ContentModel(3, random_state=0).fit(documents)
    assert np.isfinite(fitted.log_joint_trace_).all()
    check_state(Corpus.from_paragraphs(documents), fitted.state_)


def test_identical_documents_have_an_outline():
    fitted = ContentModel(3, random_state=0).fit(reports(1) * 20)
    assert [topics.tolist() for topics in fitted.topics_] == [fitted.topics_[0].tolist()] * 20
    shown = [entry for entry in fitted.outline() if entry.document_share > 0]
    assert all(entry.words for entry in shown)


# Documents that share no order.


def shuffled(n_documents=40, seed=0):
    rng = np.random.default_rng(seed)
    sections = ["salt sea waves", "hills snow rocks", "carts stones inns", "fish bread wine"]
    return [[f"{sections[s]} " * 8 for s in rng.permutation(4)] for _ in range(n_documents)]


def test_documents_without_an_order_are_said_to_have_none():
    said = r"topics wander: these documents seem to share no order.*\(n_topics\)"
    with pytest.warns(InputWarning, match=said):
        fitted = ContentModel(4, random_state=2).fit(shuffled())
    assert re.search(said, fitted.no_order_)
    assert "(subject_words)" not in fitted.no_order_
    with pytest.warns(InputWarning, match=r"\(subject_words\)"):
        ContentModel(4, random_state=2, subject_words=False).fit(shuffled())


def test_documents_with_an_order_are_not(model):
    assert model.no_order_ is None


def test_a_score_says_how_many_words_are_subject_words():
    corpus = load_elements()
    found = evaluate(corpus, ContentModel(8, n_sweeps=10, random_state=0))
    share = found.as_dict()["subject_words"]
    assert 0 < share["types"] < corpus.n_words
    assert share["token_share"] == pytest.approx(share["tokens"] / corpus.n_tokens)
    assert share["type_share"] == pytest.approx(share["types"] / corpus.n_words)
