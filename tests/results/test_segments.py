"""Segments: the runs of the model, or the best of given sizes, with offsets into the source."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from permutopic.errors import InputError
from permutopic.results.segments import SEGMENT_COLUMNS, best_ends, segments
from permutopic.text.splitting import count_source_words

from by_hand import make_inferred, read_like

NAMES = ("Sea", "Hill", "Town")


def test_without_sizes_segments_are_the_runs_of_the_topics():
    texts = ["a b", "c", "d e f", "g"]
    probabilities = [[0.9, 0.1, 0], [0.7, 0.3, 0], [0.2, 0.8, 0], [0.6, 0, 0.4]]
    inferred = make_inferred(
        texts,
        [0, 0, 1, 0],
        boundaries=[0.1, 0.75, 0.5],
        probabilities=probabilities,
        spans=[[0, 3], [5, 6], [8, 13], [15, 16]],
        title="Oslo",
    )
    first, second, third = segments(inferred, NAMES, document=7, with_text=True)
    assert first.as_row() == {
        "document": 7,
        "title": "Oslo",
        "location": "Oslo.txt",
        "segment": 1,
        "first_unit": 1,
        "last_unit": 2,
        "start": 0,
        "end": 6,
        "words": 3,
        "topic": 0,
        "name": "Sea",
        "probability": None,
        "topic_probability": pytest.approx(0.8),
        "text": "a b\n\nc",
    }
    assert list(first.as_row()) == list(SEGMENT_COLUMNS)
    assert (second.number, second.first_unit, second.last_unit) == (2, 3, 3)
    assert (second.probability, second.topic_probability) == (0.75, 0.8)
    # A merged topic may come twice.
    assert (third.topic, third.start, third.end) == (0, 15, 16)
    assert [each.text for each in segments(inferred, NAMES)] == [None] * 3


def test_where_no_draws_tell_the_probability_is_not_known():
    inferred = make_inferred(["a", "b", "c"], [0, 0, 1], boundaries=[np.nan, np.nan])
    assert [each.probability for each in segments(inferred, NAMES)] == [None, None]
    # The structure still says where to cut.
    cut = segments(inferred, NAMES, max_words=2)
    assert [(each.first_unit, each.last_unit) for each in cut] == [(1, 2), (3, 3)]


def test_where_topics_have_no_probabilities_the_structure_tells():
    unknown = np.full((3, 3), np.nan)
    inferred = make_inferred(["a", "b", "c"], [2, 2, 1], probabilities=unknown)
    for sizes in ({}, {"max_words": 2}):
        cut = segments(inferred, NAMES, **sizes)
        assert [each.name for each in cut] == ["Town", "Hill"]
        assert [each.topic_probability for each in cut] == [None, None]


def test_without_sizes_the_structure_tells_the_topic_whatever_its_units_say():
    probabilities = [[0.4, 0.6, 0.0], [0.3, 0.7, 0.0]]
    inferred = make_inferred(["a", "b"], [0, 0], probabilities=probabilities)
    [run] = segments(inferred, NAMES)
    assert (run.name, run.topic_probability) == ("Sea", pytest.approx(0.35))
    [sized] = segments(inferred, NAMES, max_words=2)
    assert (sized.name, sized.topic_probability) == ("Hill", pytest.approx(0.65))


def test_a_document_without_units_has_no_segments():
    inferred = make_inferred([], [], n_topics=3)
    assert segments(inferred, NAMES) == segments(inferred, NAMES, max_words=3) == ()


def every_segmentation(n):
    for cuts in itertools.product([False, True], repeat=max(n - 1, 0)):
        yield [*(n for n, cut in enumerate(cuts, 1) if cut), n]


def worth(ends, words, gains, least):
    """What `best_ends` promises, for a whole segmentation: smaller is better."""
    begins = [0, *ends[:-1]]
    sizes = [sum(words[a:b]) for a, b in zip(begins, ends, strict=True)]
    short = sum(size < least for size in sizes)
    gain = math.fsum(gains[end] for end in ends[:-1])
    return short, -round(gain, 6), sum(size**2 for size in sizes)


@given(
    words=st.lists(st.integers(0, 12), min_size=1, max_size=9),
    least=st.integers(0, 25),
    most=st.none() | st.integers(1, 30),
    data=st.data(),
)
def test_the_programme_finds_what_trying_all_finds(words, least, most, data):
    few = st.sampled_from([-6.9, -1.5, 0.0, 0.4, 2.0, 6.9])
    gains = data.draw(st.lists(few, min_size=len(words), max_size=len(words)))

    def allowed(ends):
        spans = zip([0, *ends[:-1]], ends, strict=True)
        return all(b - a == 1 or most is None or sum(words[a:b]) <= most for a, b in spans)

    best = min(
        worth(ends, words, gains, least) for ends in every_segmentation(len(words)) if allowed(ends)
    )
    found = best_ends(np.array(words), np.array(gains), least, most).tolist()
    assert allowed(found)
    assert worth(found, words, gains, least) == best


def test_no_parts_make_no_segments():
    assert best_ends(np.array([], dtype=np.int64), np.array([]), 5, 10).size == 0


SENTENCES = ["One two three.", "Four five!", "水 is water, and 3.5 is more?", "Six."]


@st.composite
def documents(draw):
    sentence = st.sampled_from([*SENTENCES, "a " * 30 + "end."])
    paragraph = st.lists(sentence, min_size=1, max_size=5).map(" ".join)
    texts = draw(st.lists(paragraph, min_size=1, max_size=7))
    shares = st.sampled_from([0.0, 0.2, 0.5, 0.9, 1.0])
    boundaries = draw(st.lists(shares, min_size=len(texts) - 1, max_size=len(texts) - 1))
    topics = draw(st.lists(st.integers(0, 2), min_size=len(texts), max_size=len(texts)))
    return texts, topics, boundaries


@given(made=documents(), least=st.none() | st.integers(1, 40), most=st.none() | st.integers(1, 60))
def test_segments_hold_all_text_once_in_order_and_keep_to_their_sizes(made, least, most):
    texts, topics, boundaries = made
    if least is not None and most is not None and least > most:
        least, most = most, least
    document = read_like(texts)
    inferred = make_inferred(
        texts,
        topics,
        boundaries=boundaries,
        n_topics=3,
        spans=[[unit.start, unit.end] for unit in document.units],
        units=document.units,
    )
    cut = segments(inferred, NAMES, min_words=least, max_words=most, with_text=True)
    assert " ".join(each.text for each in cut).split() == " ".join(texts).split()
    assert [each.number for each in cut] == list(range(1, len(cut) + 1))
    assert (cut[0].first_unit, cut[-1].last_unit) == (1, len(texts))
    total = sum(map(count_source_words, texts))
    assert sum(each.words for each in cut) == total
    for each in cut:
        assert each.words == len(each.text.split())
        assert most is None or each.words <= most
        assert each.name == NAMES[each.topic]
        # The source has the markup between, and nothing else besides.
        assert 0 <= each.start < each.end
        inside = document.source[each.start : each.end]
        assert inside.replace("** &amp; ", "").replace("**", "").split() == each.text.split()
        assert inside[:1] == each.text[:1]
        assert inside[-1:] == each.text[-1:]
    for before, after in itertools.pairwise(cut):
        assert before.end <= after.start
        assert before.last_unit <= after.first_unit <= before.last_unit + 1
    if least is not None and most is None:
        assert len(cut) == 1 or all(each.words >= least for each in cut)
    if least is not None and total < least:
        assert most is not None or len(cut) == 1


def test_a_segment_of_given_size_has_the_topic_with_the_highest_sum():
    probabilities = [[0.6, 0.4, 0], [0.0, 0.5, 0.5], [0.0, 0.3, 0.7]]
    inferred = make_inferred(["a b", "c d", "e f"], [0, 1, 2], probabilities=probabilities)
    [whole] = segments(inferred, NAMES, min_words=6)
    assert (whole.topic, whole.name) == (1, "Hill")
    assert whole.topic_probability == pytest.approx(0.4)


def test_a_part_of_a_unit_counts_by_its_share_of_the_words():
    texts = ["A b c. D e f.", "g h"]
    probabilities = [[1.0, 0.0], [0.4, 0.6]]
    inferred = make_inferred(texts, [0, 1], probabilities=probabilities, boundaries=[0.1])
    cut = segments(inferred, NAMES, max_words=5, with_text=True)
    assert [each.text for each in cut] == ["A b c.", "D e f.\n\ng h"]
    assert [each.probability for each in cut] == [None, 0.0]
    assert cut[1].topic == 0
    assert cut[1].topic_probability == pytest.approx((0.5 + 0.4) / 1.5)


def test_a_unit_is_cut_between_sentences_and_a_sentence_only_if_it_must_be():
    text = "One two three. Four five six seven eight nine ten. Eleven."
    inferred = make_inferred([text], [0], spans=[[100, 100 + len(text)]])
    cut = segments(inferred, NAMES, max_words=8, with_text=True)
    assert [each.text for each in cut] == [
        "One two three.",
        "Four five six seven eight nine ten. Eleven.",
    ]
    assert [(each.start, each.end) for each in cut] == [(100, 114), (115, 158)]
    cut = segments(inferred, NAMES, max_words=4, with_text=True)
    assert [each.text for each in cut] == [
        "One two three.",
        "Four five six",
        "seven eight nine ten.",
        "Eleven.",
    ]
    assert {(each.first_unit, each.last_unit) for each in cut} == {(1, 1)}


def test_no_part_ends_within_a_word():
    # The sentences end at 。, and no white space follows.
    text = "words and words。words and more。words"
    cut = segments(make_inferred([text], [0]), NAMES, max_words=2, with_text=True)
    assert " ".join(each.text for each in cut) == text


def test_in_a_script_without_spaces_characters_are_words():
    text = "今日は雨です。明日は晴れるでしょう。"
    cut = segments(
        make_inferred([text], [0], spans=[[0, len(text)]]), NAMES, max_words=12, with_text=True
    )
    assert [each.text for each in cut] == ["今日は雨です。", "明日は晴れるでしょう。"]
    assert [(each.start, each.end, each.words) for each in cut] == [(0, 7, 7), (7, 18, 11)]


def test_places_within_a_unit_are_unknown_where_its_source_is_not_known_letter_by_letter():
    text = "One two. Three four."
    inferred = make_inferred([text], [0], spans=[[10, 99]])
    cut = segments(inferred, NAMES, max_words=2)
    assert [(each.start, each.end) for each in cut] == [(10, -1), (-1, 99)]
    inferred = make_inferred([text], [0])
    assert {(each.start, each.end) for each in segments(inferred, NAMES, max_words=2)} == {(-1, -1)}


def test_without_texts_a_unit_stays_whole_however_long():
    inferred = make_inferred(["a b c d", "e"], [0, 0])
    bare = type(inferred)(**{**vars(inferred), "texts": ()})
    cut = segments(bare, NAMES, max_words=2, with_text=True)
    assert [(each.words, each.text) for each in cut] == [(4, None), (1, None)]


def test_where_both_sizes_cannot_be_had_the_maximum_holds():
    inferred = make_inferred(["a b c d e f"] * 3, [0, 0, 0])
    cut = segments(inferred, NAMES, min_words=8, max_words=10)
    assert [each.words for each in cut] == [6, 6, 6]


def test_of_segments_that_must_be_short_the_most_probable_is_taken():
    inferred = make_inferred(["a b c"] * 3, [0, 1, 1], boundaries=[0.9, 0.1])
    cut = segments(inferred, NAMES, min_words=6, max_words=6)
    assert [each.words for each in cut] == [3, 6]


def test_among_equals_sizes_are_even():
    inferred = make_inferred(["a b"] * 6, [0] * 6)
    assert [each.words for each in segments(inferred, NAMES, max_words=10)] == [6, 6]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"min_words": 0}, "min_words must be a whole number of at least 1, not 0"),
        ({"max_words": 2.5}, "max_words must be a whole number of at least 1, not 2.5"),
        ({"min_words": 9, "max_words": 8}, r"min_words \(9\) must not be more than max_words"),
    ],
)
def test_bad_settings_are_refused(settings, message):
    with pytest.raises(InputError, match=message):
        segments(make_inferred(["a", "b"], [0, 1]), NAMES, **settings)


def test_every_topic_needs_a_name():
    with pytest.raises(InputError, match="2 topics need as many names, not 1"):
        segments(make_inferred(["a", "b"], [0, 1]), ["Sea"])
