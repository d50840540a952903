from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from permutopic.anomalies import Thresholds
from permutopic.anomalies.passages import (
    find_passages,
    median_misfit,
    misfits,
)

from by_hand import make_inferred

NAMES = ("sea", "hill", "town")
MAX_MEDIAN, UNKNOWN_WORD_COST = 0.5, 3.0  # as docs/guide/checking.md has them
USED = np.array([0, 1])


def inferred(topics, *, gains, known, unknown, spans=None):
    """Make a document whose units the topics explain better than the background by `gains`."""
    texts = [f"text {n}" for n in range(len(topics))]
    document = make_inferred(texts, topics, n_topics=3, spans=spans)
    background = -7.0 * np.array(known)
    return replace(
        document,
        known_words=np.array(known),
        unknown_words=np.array(unknown),
        background_scores=background,
        topic_scores=background[:, None] + np.array(gains, dtype=float),
    )


def six_units(**changes):
    """Make six units of 30 words, each well explained by its topic, but for changes of unit 3."""
    gains = [[12.0, -9.0, 0.0]] * 6
    known, unknown = [28] * 6, [2] * 6
    gains[2] = changes.get("gains", gains[2])
    known[2], unknown[2] = changes.get("known", 28), changes.get("unknown", 2)
    return inferred([0] * 6, gains=gains, known=known, unknown=unknown)


def kinds(document, **thresholds):
    found = find_passages(document, USED, NAMES, Thresholds(**thresholds))
    return [(each.kind, each.first_unit, each.last_unit) for each in found]


def test_ordinary_units_are_left_alone():
    assert kinds(six_units()) == []


def test_misfit_is_what_the_background_gains_and_a_cost_for_unknown_words():
    document = six_units(gains=[-3.0, -6.0, 100.0], known=20, unknown=10)
    misfit = misfits(document, USED)
    assert misfit[0] == pytest.approx((-12 + 2 * UNKNOWN_WORD_COST) / 30)
    assert misfit[2] == pytest.approx(
        (3 + 10 * UNKNOWN_WORD_COST) / 30
    )  # topic 2 is in no document


def test_a_unit_of_one_word_has_a_misfit_and_one_of_none_has_not():
    document = inferred([0, 0], gains=[[-3.0, -6, 0], [0.0, 0, 0]], known=[1, 0], unknown=[0, 0])
    assert misfits(document, USED).tolist() == [3.0, -np.inf]
    assert document.known_share == 1.0
    assert replace(document, known_words=np.array([0, 0])).known_share == 0.0


def test_a_unit_that_fits_worse_than_its_document_fits_no_topic():
    unusual = six_units(gains=[-3.0, -3.0, 0.0], known=24, unknown=6)
    excess = (3 + 6 * UNKNOWN_WORD_COST - (-12 + 2 * UNKNOWN_WORD_COST)) / 30
    (found,) = find_passages(unusual, USED, NAMES, Thresholds())
    assert (found.kind, found.first_unit, found.score) == ("no topic", 3, pytest.approx(excess))
    assert (found.unknown, found.words, found.text) == (pytest.approx(0.2), 30, "text 2")
    assert kinds(unusual, misfit=excess + 0.01) == []


def test_a_unit_that_a_topic_still_explains_best_is_left_alone():
    """However well the other units are explained."""
    document = inferred(
        [0] * 6,
        gains=[[60.0, 0, 0]] * 5 + [[9.0, 0, 0]],
        known=[30] * 6,
        unknown=[0] * 6,
    )
    assert kinds(document) == []


def test_where_all_units_are_unusual_they_are_all_found():
    whole = inferred([0] * 6, gains=[[-5.0, -5, 0]] * 6, known=[20] * 6, unknown=[10] * 6)
    assert kinds(whole) == [("no topic", 1, 6)]


def test_a_document_of_few_units_is_no_measure_of_its_own():
    assert median_misfit(np.array([0.1] * 4), np.array([True] * 4)) == MAX_MEDIAN
    assert median_misfit(np.array([0.1] * 5), np.array([True] * 5)) == pytest.approx(0.1)
    assert median_misfit(np.array([0.1] * 5), np.array([True] * 4 + [False])) == MAX_MEDIAN
    assert median_misfit(np.array([9.0] * 5), np.array([True] * 5)) == MAX_MEDIAN


def test_a_unit_of_unknown_words_is_found_for_that():
    assert kinds(six_units(known=12, unknown=18)) == [("unknown words", 3, 3)]
    assert kinds(six_units(known=12, unknown=18), unknown=0.7, misfit=9) == []


def test_only_a_unit_that_belongs_to_another_topic_has_a_better_one():
    for document in (six_units(known=12, unknown=18), six_units(gains=[-40.0, -40.0, 0.0])):
        (found,) = find_passages(document, USED, NAMES, Thresholds())
        assert (found.name, found.better) == ("sea", None)


def test_a_unit_that_another_topic_explains_far_better_belongs_there():
    elsewhere = six_units(gains=[-5.0, 20.0, 0.0])
    (found,) = find_passages(elsewhere, USED, NAMES, Thresholds())
    assert (found.kind, found.name, found.better) == ("other topic", "sea", "hill")
    assert found.score == pytest.approx(25)
    assert kinds(elsewhere, odds=26) == []
    assert kinds(elsewhere, rate=25 / 30 + 0.01) == []


def test_a_threshold_is_met_by_what_is_exactly_as_great():
    def last(**changes):
        """Make units of 32 known words that the topics explain as the background does."""
        gains = [[0.0, 0.0, 0.0]] * 5 + [changes.get("gains", [0.0, 0.0, 0.0])]
        known = [32] * 5 + [changes.get("known", 32)]
        unknown = [0] * 5 + [changes.get("unknown", 0)]
        return inferred([0] * 6, gains=gains, known=known, unknown=unknown)

    assert kinds(last(gains=[-16.0, -16.0, 0.0])) == [("no topic", 6, 6)]  # 0.5 nats per word
    assert kinds(last(known=10, unknown=10)) == [("unknown words", 6, 6)]  # half of twenty
    assert kinds(last(known=40, gains=[-10.0, 10.0, 0.0])) == [("other topic", 6, 6)]
    assert kinds(last(known=40, gains=[-10.0, 9.9, 0.0])) == []
    explained = inferred(
        [0] * 6, gains=[[16.0, 0, 0]] * 5 + [[0.0, 0, 0]], known=[32] * 6, unknown=[0] * 6
    )
    assert kinds(explained) == []  # as well as by the background is no misfit


def test_short_units_are_never_found():
    short = {"known": 4, "unknown": 15}
    assert kinds(six_units(**short)) == []
    assert kinds(six_units(**short), words=19) == [("unknown words", 3, 3)]
    assert kinds(six_units(gains=[-50.0, 50.0, 0], known=19, unknown=0)) == []
    assert kinds(six_units(known=0, unknown=0)) == []


def test_units_with_the_same_trouble_are_one_passage():
    document = inferred(
        [0, 0, 1, 0, 0, 0],
        gains=[[12.0, -9, 0], [-2, -2, 0], [-2, -2, 0], [12, -9, 0], [-20, 30, 0], [-20, 20, 0]],
        known=[28, 20, 20, 28, 30, 30],
        unknown=[2, 10, 10, 2, 0, 0],
        spans=[[0, 9], [10, 19], [20, 29], [30, 39], [40, 49], [50, 59]],
    )
    found = find_passages(document, USED, NAMES, Thresholds(misfit=0.1))
    assert [(each.kind, each.first_unit, each.last_unit) for each in found] == [
        ("no topic", 2, 3),
        ("other topic", 5, 6),
    ]
    assert [(each.start, each.end) for each in found] == [(10, 29), (40, 59)]
    assert found[1].score == pytest.approx(90)
    assert found[0].text == "text 1\n\ntext 2"


def test_offsets_are_unknown_where_the_text_has_no_source():
    (found,) = find_passages(six_units(known=12, unknown=18), USED, NAMES, Thresholds())
    assert (found.start, found.end) == (-1, -1)


@pytest.mark.parametrize("spans", [[[10, 19], [-1, -1]], [[-1, -1], [10, 19]]])
def test_offsets_are_unknown_where_one_unit_of_a_passage_has_none(spans):
    document = inferred(
        [0, 0], gains=[[9.0, 0, 0]] * 2, known=[12, 12], unknown=[18, 18], spans=spans
    )
    (found,) = find_passages(document, USED, NAMES, Thresholds())
    assert (found.first_unit, found.last_unit) == (1, 2)
    assert (found.start, found.end) == (-1, -1)
