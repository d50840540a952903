"""The bundled articles keep to the form they were written in, and no two share their wording."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from itertools import groupby

import pytest

import permutopic
from permutopic import InputError, read_documents
from permutopic.datasets import copy_elements, elements_folder, load_elements

HEADINGS = {
    "Discovery",
    "Properties",
    "Isotopes",
    "Occurrence",
    "Production",
    "Uses",
    "Biology",
    "Safety",
}
ARTICLES = list(read_documents(elements_folder()))


def words_of(text):
    return re.findall(r"[^\W_]+(?:['’][^\W_]+)*", text.lower())


def test_there_are_enough_articles_and_each_is_about_another_element():
    titles = [article.title for article in ARTICLES]
    assert len(titles) >= 48
    assert len(set(titles)) == len(titles)
    for article in ARTICLES:
        assert article.location.endswith(f"{article.title.lower()}.md")


def test_an_article_has_seven_to_twelve_paragraphs_of_forty_to_eighty_words():
    for article in ARTICLES:
        assert 7 <= len(article.units) <= 12, article.title
        for unit in article.units:
            assert 40 <= len(unit.text.split()) <= 80, unit.text
            assert unit.heading in HEADINGS


def test_a_heading_comes_once_in_an_article():
    for article in ARTICLES:
        sections = [heading for heading, _ in groupby(unit.heading for unit in article.units)]
        assert len(set(sections)) == len(sections) >= 5, article.title


def test_order_and_presence_of_sections_vary():
    orders = Counter(tuple(dict.fromkeys(u.heading for u in a.units)) for a in ARTICLES)
    assert len(orders) >= len(ARTICLES) // 2
    presence = Counter(heading for order in orders.elements() for heading in order)
    assert min(presence.values()) >= len(ARTICLES) // 3
    assert min(presence.values()) < len(ARTICLES) == max(presence.values())


def runs_of(articles, length=8):
    """Every run of so many words, with its places."""
    places = defaultdict(set)
    for article in articles:
        for number, unit in enumerate(article.units):
            words = words_of(unit.text)
            for start in range(len(words) - length + 1):
                run = " ".join(words[start : start + length])
                places[run].add((article.title, number, start))
    return places


def test_no_run_of_eight_words_comes_twice():
    runs = runs_of(ARTICLES)
    assert len(runs) > 20_000
    assert {run: places for run, places in runs.items() if len(places) > 1} == {}


@pytest.mark.parametrize("name", ["elements_en", "elements_paper"])
def test_no_run_of_eight_words_is_an_encyclopaedias(name, data):
    theirs = runs_of(read_documents(data / "corpora" / f"{name}.jsonl.gz"))
    assert len(theirs) > 100_000
    assert sorted(theirs.keys() & runs_of(ARTICLES).keys()) == []


def test_no_sentence_comes_twice():
    sentences = Counter(
        " ".join(words_of(sentence))
        for article in ARTICLES
        for unit in article.units
        for sentence in re.split(r"(?<=[.!?])\s+", unit.text)
    )
    assert [sentence for sentence, times in sentences.items() if times > 1] == []


def test_paragraphs_do_not_open_alike():
    """Three first words, the element's name aside, open two paragraphs of a section at most."""
    openings = Counter()
    for article in ARTICLES:
        for unit in article.units:
            words = [word for word in words_of(unit.text) if word != article.title.lower()]
            openings[unit.heading, *words[:3]] += 1
    assert [opening for opening, times in openings.items() if times > 2] == []


def test_the_corpus_is_loaded_with_tokens_and_units_as_asked():
    corpus = permutopic.datasets.load_elements()
    assert corpus.n_documents == len(ARTICLES)
    assert corpus.n_units == sum(len(article.units) for article in ARTICLES)
    assert set(corpus.headings) == HEADINGS
    sentences = load_elements("whitespace", units="sentence")
    assert sentences.n_units > 2 * corpus.n_units
    assert "The" in sentences.vocabulary


def test_articles_are_copied_into_a_new_folder_and_nowhere_else(tmp_path):
    assert copy_elements(tmp_path / "a" / "b") == len(ARTICLES)
    copied = list(read_documents(tmp_path / "a" / "b"))
    assert [article.units for article in copied] == [article.units for article in ARTICLES]
    with pytest.raises(InputError, match="exists and is not empty"):
        copy_elements(tmp_path / "a")
    (tmp_path / "file").write_text("mine")
    with pytest.raises(InputError, match="exists and is not empty"):
        copy_elements(tmp_path / "file")
    with pytest.raises(InputError, match="cannot be written"):
        copy_elements(tmp_path / "file" / "below")
