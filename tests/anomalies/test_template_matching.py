from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest

from permutopic.anomalies import TopicUsage, match_template, parse_template
from permutopic.anomalies.template_match import MatchedEntry
from permutopic.anomalies.template_matching import _add_remaining, _assign

# Words that come a thousand times in the topic they belong to, and hardly elsewhere.
VOCABULARY = ("sea", "salt", "hill", "snow", "town", "shop", "the", "rare")
COUNTS = np.array(
    [
        [1000, 1000, 10, 10, 10, 10, 900, 1],
        [10, 10, 1000, 1000, 10, 10, 900, 0],
        [10, 10, 10, 10, 1000, 10, 900, 0],
        [10, 10, 10, 10, 900, 1000, 900, 0],
    ]
)
MIN_FIT = 0.4  # as docs/guide/checking.md has it
NAMES = ("sea, salt", "Hills", "Town: hall", "Town: shop")


def match(text, names=NAMES, counts=COUNTS):
    usage = TopicUsage(names, np.ones((3, len(names)), dtype=np.int64), np.ones(len(names) - 1))
    return match_template(
        parse_template(text),
        usage,
        (counts + 0.1) / (counts + 0.1).sum(axis=1, keepdims=True),
        counts.sum(axis=0),
        VOCABULARY,
        lambda text: text.lower().split(),
    )


def topics(found):
    return [entry.topics for entry in found.entries]


def reasons(found):
    return [entry.matched_by for entry in found.entries]


def test_entries_go_by_name_by_heading_or_by_seed_words():
    found = match("hills\nCoast: Sea, SALT\nTown: nothing")
    assert topics(found) == [(1,), (0,), (2, 3)]
    assert reasons(found) == ["name", "words", "heading"]
    assert found.unmatched == ()


def test_the_fit_is_the_mean_log_ratio_over_known_words_shrunk_for_rare_ones():
    (entry,) = match("Coast: sea, rare, unseen").entries
    assert (entry.known, entry.unknown) == (("sea", "rare"), ("unseen",))
    shares = (COUNTS[0] + 0.1) / (COUNTS[0] + 0.1).sum()
    totals = COUNTS.sum(axis=0)
    gains = np.log(shares / (totals / totals.sum()))[[0, 7]]
    assert entry.fit == pytest.approx((gains * totals[[0, 7]] / (totals[[0, 7]] + 5)).mean())


def test_an_entry_without_words_goes_by_those_of_its_name():
    assert topics(match("Snow hill")) == [(1,)]


def test_an_entry_that_nothing_fits_has_no_topic():
    found = match("Weather: rain, wind\nArticles: the\nCoast: sea")
    assert topics(found) == [(), (), (0,)]
    assert reasons(found)[:2] == ["nothing", "nothing"]
    says = [entry.describe(NAMES) for entry in found.entries]
    assert says[0] == "no topic of the model is for Weather: its words are unknown to the model"
    assert says[1].startswith("no topic of the model is for Articles: the closest is ")
    assert says[2] == "Coast is “sea, salt”"
    assert np.isnan(found.entries[0].fit)
    assert found.unmatched == (1, 2, 3)


def test_one_topic_does_not_go_with_two_entries():
    found = match("Sea: sea\nSalt: salt")
    assert sorted(topics(found)) == [(), (0,)]
    empty = found.entries[topics(found).index(())]
    assert (empty.closest, empty.closest_entry) == (0, {"Sea": "Salt", "Salt": "Sea"}[empty.name])
    says = f"is for {empty.name} alone: “sea, salt” fits, and goes with {empty.closest_entry}"
    assert empty.describe(NAMES).endswith(says)


def test_an_entry_without_a_topic_is_described_by_the_closest():
    entry = MatchedEntry("Air", (), "nothing", 0.5, 1, None, ("wind",), ())
    none = "no topic of the model is for Air"
    assert entry.describe(NAMES) == f"{none}: the closest is Hills, with +0.5 nats per word"
    goes_with = replace(entry, closest_entry="Land")
    assert goes_with.describe(NAMES) == f"{none} alone: Hills fits, and goes with Land"
    exactly = replace(goes_with, fit=MIN_FIT)
    assert exactly.describe(NAMES) == goes_with.describe(NAMES)
    hardly = replace(goes_with, fit=0.3)
    assert hardly.describe(NAMES) == f"{none}: the closest is Hills, with +0.3 nats per word"


def test_a_second_topic_joins_where_it_fits_well():
    names = ("coast", "hills", "shops one", "shops two")
    counts = COUNTS.copy()
    counts[2, 5] = 600
    found = match("Shops: shop\nCoast\nHills", names, counts)
    assert topics(found) == [(3, 2), (0,), (1,)]


def test_a_second_topic_joins_from_half_the_fit_of_the_first_on_and_from_the_least_fit():
    for first, second, joined in (
        (2.0, 1.0, [0, 1]), (2.0, 0.99, [0]), (0.5, 0.4, [0, 1]), (0.5, 0.39, [0])
    ):  # fmt: skip
        assert _add_remaining({0: 0}, {}, np.array([[first, second]])) == [joined]
    assert _add_remaining({0: 0}, {1: 0}, np.array([[2.0, -1.0]])) == [[0, 1]]  # by its heading
    # Topic 2 is too poor for the first entry, and good enough for the second.
    fits = np.array([[4.0, 0.0, 1.0], [0.0, 1.0, 0.8]])
    assert _add_remaining({0: 0, 1: 1}, {}, fits) == [[0], [1, 2]]


def test_a_heading_is_worth_half_a_nat_to_its_entry_and_costs_others_as_much():
    # Topic 0 has the heading of entry 0 and does not fit it; it fits entry 1 by so much.
    for other, taken in ((0.99, {0: 0}), (1.01, {1: 0})):
        assert _assign(np.array([[0.0], [other]]), {}, {0: 0}) == taken


def test_a_heading_yields_to_words_that_fit_far_better():
    found = match("Town: hall\nShops: shop\nCoast\nHills")
    assert topics(found)[:2] == [(2,), (3,)]
    assert topics(match("Town: hall\nStreets: town")) == [(3,), (2,)]
    counts = COUNTS.copy()
    counts[2, 5] = 600  # now the first topic fits "Town: shop" nearly as well as "Streets: town"
    assert topics(match("Town: shop\nStreets: town", counts=counts)) == [(3, 2), ()]


def test_how_well_a_topic_fits_its_own_heading_counts_as_well():
    claimed = {0: 0, 1: 0}
    for better, taken in ((1.6, {0: 1}), (2.6, {0: 1, 1: 0})):
        assert _assign(np.array([[1.0, 1.2], [better, -1.0]]), {}, claimed) == taken


def test_a_topic_belongs_to_its_heading_even_if_it_fits_no_better_than_any():
    assert _assign(np.array([[0.0, -1.0]]), {}, {0: 0}) == {0: 0}
    assert _assign(np.array([[-2.0, -1.0]]), {}, {0: 0}) == {0: 0}
    assert _assign(np.array([[MIN_FIT, -1.0]]), {}, {}) == {}


def test_topics_in_no_document_are_not_matched():
    usage = TopicUsage(NAMES, np.array([[1, 0, 1, 1]]), np.ones(2))
    shares = (COUNTS + 0.1) / (COUNTS + 0.1).sum(axis=1, keepdims=True)
    totals, split = COUNTS.sum(axis=0), str.split
    entries = parse_template("Hills: hill, snow")
    found = match_template(entries, usage, shares, totals, VOCABULARY, split)
    assert topics(found) == [()]
    assert found.unmatched == (0, 2, 3)


def test_where_no_topic_is_in_use_none_is_closest():
    usage = TopicUsage(NAMES, np.zeros((1, 4), dtype=np.int64), np.zeros(0))
    shares = (COUNTS + 0.1) / (COUNTS + 0.1).sum(axis=1, keepdims=True)
    entries = parse_template("Hills: hill, snow")
    [entry] = match_template(
        entries, usage, shares, COUNTS.sum(axis=0), VOCABULARY, str.split
    ).entries
    assert (entry.topics, entry.closest, entry.known) == ((), None, ("hill", "snow"))
    assert np.isnan(entry.fit)


def test_the_sum_of_fits_is_the_largest_there_is():
    rng = np.random.default_rng(3)
    for _ in range(30):
        fits = rng.normal(size=(3, 4))
        chosen = _assign(fits, {}, {})
        total = sum(fits[row, topic] - MIN_FIT for row, topic in chosen.items())
        best = max(
            sum(max(fits[row, topic] - MIN_FIT, 0) for row, topic in enumerate(some))
            for some in permutations(range(4), 3)
        )
        assert total == pytest.approx(best)


def test_documents_are_held_to_the_templates_order():
    found = match("Town\nCoast: sea, salt")
    usage = TopicUsage(NAMES, np.ones((3, 4), dtype=np.int64), np.ones(3))
    outline = found.expected_outline(usage)
    assert outline.entry_of.tolist() == [1, -1, 0, 0]
    assert outline.all_required
    assert outline.first_topics(np.array([3, 2, 1, 0])) == {0: 3, 1: 0}
    assert [row["says"] for row in found.rows(usage)] == ["Hills is not in the template"]
    assert found.unmatched == (1,)
