from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from permutopic import InputError
from permutopic.corpus import Corpus
from permutopic.documents import Document, Unit
from permutopic.model.priors import Priors
from permutopic.model.state import make_state
from permutopic.topics import NamedTopics, count_words_and_headings
from permutopic.topics.naming import (
    TopicName,
    _join_words,
    _same_stem,
    find_topic,
    make_unique,
    name_topics,
)

COAST, HILL, TOWN = "salt waves beach sand", "snow rocks ridge summit", "mayor council market"


def shown_for(documents, bags):
    """Documents as lists of (heading, text), in canonical order, with the bag of each."""
    corpus = Corpus.from_documents(
        Document(str(n), tuple(Unit(text, heading) for heading, text in units), str(n))
        for n, units in enumerate(documents)
    )
    bag = np.array(bags)
    orders = np.zeros((len(documents), bag.shape[1] - 1), dtype=int)
    state = make_state(corpus, bag, orders, np.ones(bag.shape[1] - 1))
    counts = count_words_and_headings(corpus, state.all_topics(), bag.shape[1])
    priors = Priors.for_documents(len(documents))
    return NamedTopics.from_state(state, counts, priors, corpus.vocabulary)


def names_of(shown):
    return [(name.text, name.source) for name in shown.names]


def test_without_headings_topics_are_called_by_their_distinctive_words():
    shown = shown_for([[(None, COAST), (None, HILL)]] * 3, [[1, 1]] * 3)
    [(first, by), (second, _)] = names_of(shown)
    assert by == "words"
    assert set(first.split(", ")) < set(COAST.split())
    assert set(second.split(", ")) < set(HILL.split())


def test_a_heading_over_most_of_a_topics_units_is_its_name():
    document = [("Sea", COAST), ("Sea", COAST), ("Land", HILL)]
    assert names_of(shown_for([document] * 2, [[2, 1]] * 2)) == [
        ("Sea", "heading"),
        ("Land", "heading"),
    ]


def test_a_heading_over_half_of_a_topics_units_is_not_enough():
    document = [("Sea", COAST), ("Coast", COAST), ("Land", HILL)]
    shown = shown_for([document] * 2, [[2, 1]] * 2)
    assert shown.names[0].source == "words"
    assert shown.names[1].text == "Land"


def test_a_heading_that_one_document_has_is_no_name():
    documents = [[("Sea", COAST), ("Land", HILL)], [("Shore", COAST), ("Land", HILL)]]
    assert [by for _, by in names_of(shown_for(documents, [[1, 1]] * 2))] == ["words", "heading"]


def test_topics_under_one_heading_are_told_apart_by_their_words():
    document = [("Nature", COAST), ("Nature", HILL), ("Town", TOWN)]
    names = names_of(shown_for([document] * 3, [[1, 1, 1]] * 3))
    assert [by for _, by in names] == ["heading"] * 3
    assert names[0][0].startswith("Nature: ")
    assert names[1][0].startswith("Nature: ")
    assert names[0] != names[1]
    assert names[2][0] == "Town"


def test_a_small_part_of_a_heading_has_words_as_well():
    documents = [[("Nature", COAST), ("Nature", HILL), ("Nature", HILL), ("Town", TOWN)]] * 3
    shown = shown_for(documents, [[1, 2, 1]] * 3)
    assert shown.names[0].text.startswith("Nature: ")
    alone = shown_for([[("Nature", COAST), ("Town", TOWN), ("Town", HILL)]] * 3, [[1, 1, 1]] * 3)
    assert alone.names[0].text == "Nature"
    mixed = [[("Nature", COAST), ("Nature", TOWN), ("Town", TOWN), ("Town", TOWN)]] * 3
    assert [n.text for n in shown_for(mixed, [[1, 3]] * 3).names][1] == "Town"
    assert shown_for(mixed, [[1, 3]] * 3).names[0].text.startswith("Nature: ")  # half of it


def test_equal_names_get_numbers_and_unused_topics_say_so():
    shown = shown_for([[(None, "a"), (None, "a")]] * 2, [[1, 1, 0, 0]] * 2)
    assert names_of(shown) == [
        ("a", "words"),
        ("a (1)", "words"),
        ("(unused)", "none"),
        ("(unused) (3)", "none"),
    ]


def test_a_heading_or_word_that_is_a_number_cannot_be_taken_for_a_topic():
    shown = shown_for([[("1984", COAST), ("0", HILL), ("Town", "7")]] * 3, [[1, 1, 1]] * 3)
    assert shown.names[0].text.startswith("1984: ")
    assert shown.names[1].text.startswith("0: ")
    assert shown_for([[(None, COAST), (None, "7")]] * 3, [[1, 1]] * 3).names[1].text == "7 (1)"


def test_a_long_heading_is_cut():
    shown = shown_for([[("x" * 500, COAST), ("Town", TOWN)]] * 2, [[1, 1]] * 2)
    assert shown.names[0].text == "x" * 80 + "…"
    shown = shown_for([[("x" * 80, COAST), ("y" * 79 + " z", HILL)]] * 2, [[1, 1]] * 2)
    assert [name.text for name in shown.names] == ["x" * 80, "y" * 79 + "…"]


@given(
    st.lists(st.sampled_from(["a", "A", "a (1)", "a (2)", "(unused)", "7", "12"]), min_size=1),
    st.dictionaries(st.integers(0, 9), st.sampled_from(["a", "a (1)", "b"])),
)
def test_settled_names_are_unique_and_no_numbers(texts, given_names):
    automatic = [TopicName(text, "words") for text in texts]
    given_names = {topic: text for topic, text in given_names.items() if topic < len(texts)}
    settled = make_unique(automatic, given_names)
    assert len({name.text.casefold() for name in settled}) == len(texts)
    assert not any(name.text.isdecimal() for name in settled)
    kept = dict(reversed([(text, topic) for topic, text in given_names.items()]))
    assert all(settled[topic].text == text for text, topic in kept.items())


def test_of_equal_names_the_one_that_was_given_first_is_kept_case_aside():
    automatic = [TopicName("a", "words")] * 3
    settled = make_unique(automatic, {2: "Same", 0: "same"})
    assert [name.text for name in settled] == ["same (0)", "a", "Same"]
    assert [name.source for name in settled] == ["user", "words", "user"]


def test_a_topic_without_words_is_named_too():
    documents = [[(None, "salt"), (None, "…")]] * 2
    assert names_of(shown_for(documents, [[1, 1]] * 2))[1] == ("(no words)", "words")


def test_forms_of_a_word_numbers_and_little_words_stay_out_of_names():
    text = "isotopes isotope 1984 his decay neutrons"
    name = shown_for([[(None, text), (None, HILL)]] * 3, [[1, 1]] * 3).names[0].text
    assert sorted(name.split(", ")) == ["decay", "isotope", "neutrons"]
    text = "port portion formation former ironic iron"
    name = shown_for([[(None, text), (None, HILL)]] * 3, [[1, 1]] * 3).names[0].text
    assert len(name.split(", ")) == 3
    assert not {"iron", "ironic"} <= set(name.split(", "))


def test_scripts_without_capitals_have_short_names():
    shown = shown_for([[(None, "水 海"), (None, "山 雪")]] * 2, [[1, 1]] * 2)
    assert set(shown.names[0].text.split(", ")) == {"水", "海"}


def test_words_too_short_for_a_name_come_after_all_others():
    assert _join_words(["7", "水", "山"]) == "水, 山, 7"
    assert _join_words(["ore", "iron", "tin", "zinc"]) == "iron, zinc, ore"


@pytest.mark.parametrize(("n_short", "name"), [(14, "granite, a0, a1"), (15, "a0, a1, a2")])
def test_the_words_of_a_name_are_of_the_fifteen_most_distinctive(n_short, name):
    vocabulary = [*(f"a{n}" for n in range(n_short)), "granite"]
    view = SimpleNamespace(
        n_topics=1,
        segments=np.array([1]),
        headings=(),
        heading_counts=np.zeros((0, 1), dtype=int),
        ranked_words=[np.arange(len(vocabulary))],
    )
    assert name_topics(view, vocabulary) == (TopicName(name, "words"),)


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("iron", "irons", True),
        ("form", "forming", True),
        ("form", "formally", False),
        ("cat", "cats", False),
        ("abcdxyz", "abcduvw", True),
        ("abcdwxyz", "abcduv", False),
    ],
)
def test_words_of_one_stem_share_four_letters_and_differ_in_three_at_most(first, second, same):
    assert _same_stem(first, second) is _same_stem(second, first) is same


def test_merged_topics_of_one_heading_are_named_by_the_heading_again():
    document = [("Nature", COAST), ("Nature", HILL), ("Town", TOWN)]
    shown = shown_for([document] * 3, [[1, 1, 1]] * 3)
    assert names_of(shown.merged([0, 1])) == [("Nature", "heading"), ("Town", "heading")]
    assert names_of(shown.merged([1, 2]))[1][0].startswith("Nature: ")
    assert names_of(shown.merged([1, 2]))[1][0].endswith(" + Town")


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("", "words"),
        ("a  b", "words"),
        (" a", "user"),
        ("x" * 161, "user"),
        ("a", "guess"),
        (3, "user"),
    ],
)
def test_what_is_no_name_of_a_topic_cannot_be_one(text, source):
    with pytest.raises(ValueError, match="is no name of a topic"):
        TopicName(text, source)
    assert TopicName("x" * 160, "user").text == "x" * 160


NAMES = (TopicName("Uses", "heading"), TopicName("dust, lungs", "words"), TopicName("Z", "user"))


@pytest.mark.parametrize(
    ("key", "topic"),
    [(0, 0), (np.int64(2), 2), ("1", 1), ("uses", 0), (" Dust,  lungs", 1), (" 1" + " " * 9, 1)],
)
def test_a_topic_is_found_by_number_and_by_name(key, topic):
    assert find_topic(NAMES, key) == topic


@pytest.mark.parametrize("key", [3, -1, "7", "-1", True, 1.0, None, [0]])
def test_what_is_no_topic_is_refused(key):
    with pytest.raises(InputError, match="a topic is a number from 0 to 2 or a name, not"):
        find_topic(NAMES, key)


def test_an_unknown_name_is_refused_with_those_there_are():
    with pytest.raises(InputError, match=r"no topic is called 'Use': there are 'Uses', 'dust"):
        find_topic(NAMES, "Use")


@pytest.fixture
def places():
    document = [("Sea", COAST), ("Hill", HILL), ("Town", TOWN)]
    return shown_for([document] * 3, [[1, 1, 1]] * 3)


def test_renaming_changes_what_is_named_and_nothing_else(places):
    renamed = places.renamed({0: "  By the   sea ", "town": "City"})
    assert names_of(renamed) == [("By the sea", "user"), ("Hill", "heading"), ("City", "user")]
    assert names_of(renamed.renamed({"city": None}))[2] == ("Town", "heading")
    assert names_of(places)[0] == ("Sea", "heading")


def test_two_topics_can_swap_names(places):
    assert [n.text for n in places.renamed({0: "Town", 2: "Sea"}).names] == ["Town", "Hill", "Sea"]


def test_an_automatic_name_that_is_taken_yields(places):
    taken = places.renamed({1: "Sea", 0: "x"}).renamed({0: None})
    assert [name.text for name in taken.names] == ["Sea (0)", "Sea", "Town"]
    assert [name.text for name in taken.renamed({1: None}).names] == ["Sea", "Hill", "Town"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({0: "town"}, "topics 0 and 2 would both be called 'town'"),
        ({0: "A", 1: "a"}, "topics 0 and 1 would both be called 'a'"),
        ({0: "A", "sea": "B"}, "topic 0 is given two names"),
        ({0: ""}, "a topic's name has 1 to 80 characters"),
        ({0: "12"}, "is no number: not '12'"),
        ({0: "a\x1b[2J"}, "all of them shown"),
        ({0: "x" * 81}, "has 1 to 80 characters"),
        ({0: "-12"}, "is no number: not '-12'"),
        ({0: 5}, "a topic's name is text, not 5"),
        (["A"], "names are given as"),
        ({"nobody": "A"}, "no topic is called 'nobody'"),
        ({"9" * 5000: "A"}, "a topic is a number from 0 to 2"),
    ],
)
def test_names_that_cannot_be_are_refused(places, changes, message):
    with pytest.raises(InputError, match=message) as caught:
        places.renamed(changes)
    assert len(str(caught.value)) < 400


def test_a_name_may_have_eighty_characters(places):
    assert places.renamed({0: "x" * 80}).names[0].text == "x" * 80


@pytest.mark.parametrize("name", ["کتاب\u200cها", "👩\u200d🔬 lab", "Übrige Stoffe", "海と山"])
def test_names_in_any_script_are_taken(places, name):
    assert places.renamed({0: name}).names[0].text == name
