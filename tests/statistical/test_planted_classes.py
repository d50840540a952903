"""Rung 8 for the classes of words: bugs planted in them, which rungs 6 and 7 have to catch."""

from __future__ import annotations

import pytest

from permutopic.model.blocked import word_classes

from exact import p_values_after_one_sweep
from kernel_source import load_modules, put_in_place
from statistical.cases import MOVES, TWO_DOCUMENTS, posterior_of
from statistical.catching import assert_geweke_catches, assert_make_test_catches
from statistical.geweke import many_short_chains

pytestmark = [pytest.mark.statistical, pytest.mark.ladder]

CLASS_BUGS = {
    "section tokens of documents ignored": [
        ("        score -= terms.of_section[others + index.document_counts[p]]\n", "")
    ],
    "a word counted among the other section words": [
        (
            "score_as_section_word(counts, topic_tokens, n_section, in_absence, terms)",
            "score_as_section_word(counts, topic_tokens, n_section + 1, in_absence, terms)",
        )
    ],
    "own tokens left in the counts": [
        ("            add_to_section(index, word, counts, topic_tokens, section_tokens, -1)\n", "")
    ],
    "the prior of the classes upside down": [
        ("(1.0 + n_subject) / (1.0 + n_section)", "(1.0 + n_section) / (1.0 + n_subject)")
    ],
    "the section words' concentration as it was": [
        ("after = before + terms.word_prior", "after = before + 0.0 * terms.word_prior")
    ],
    "a word that comes again no sign of its topic": [
        (
            "score += terms.of_topics[counts[topic]]",
            "score += terms.of_topics[min(counts[topic], 1)]",
        )
    ],
}


@pytest.mark.parametrize("bug", CLASS_BUGS)
def test_a_bug_in_the_classes_is_caught(bug, monkeypatch):
    put_in_place(monkeypatch, load_modules({"word_classes_kernels": CLASS_BUGS[bug]}))
    assert_make_test_catches("classes", "subjects")
    assert_geweke_catches(MOVES["classes"], "subjects", draw_chain=many_short_chains)


def test_classes_drawn_without_the_auxiliary_variables_are_caught(monkeypatch):
    monkeypatch.setattr(word_classes, "draw_log_auxiliary", lambda total, sizes, rng: 0.0)
    assert_make_test_catches("classes", "subjects")
    assert_geweke_catches(MOVES["classes"], "subjects", draw_chain=many_short_chains)


@pytest.mark.parametrize(
    "bugs",
    [
        [
            (
                "        values[n] = log_gamma(n + added)\n",
                "        values[n] = log_gamma(n + 1.2)\n",
            )
        ],
        [("            kept[w] = 1 - subject_words[word]\n", "            kept[w] = 1\n")],
    ],
    ids=["logΓ of all words", "subject words in the tables"],
)
def test_tables_that_are_not_of_section_words_are_caught(bugs, monkeypatch):
    put_in_place(monkeypatch, load_modules({"section_words": bugs}))
    assert_make_test_catches("blocked, random cuts", "subjects")
    assert_geweke_catches(MOVES["blocked, random cuts"], "subjects")


def test_the_classes_loaded_anew_without_a_bug_pass(monkeypatch):
    put_in_place(monkeypatch, load_modules())
    posterior = posterior_of(TWO_DOCUMENTS, 3, "subjects")
    p_values = p_values_after_one_sweep(posterior, MOVES["classes"], n_replicates=20_000)
    assert min(p_values.values()) > 1e-4, p_values
