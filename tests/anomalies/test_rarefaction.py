from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from permutopic.anomalies.rarefaction import DocumentShares

BAGS = st.lists(
    st.lists(st.integers(0, 3), min_size=3, max_size=3).filter(any), min_size=1, max_size=4
)


def share_by_cutting(bags, n_units):
    """Cut every document down in all ways there are, and count."""
    total = np.zeros(len(bags[0]))
    for bag in bags:
        units = [topic for topic, count in enumerate(bag) for _ in range(count)]
        ways = list(combinations(units, min(n_units, len(units))))
        total += np.mean([[topic in way for topic in range(len(bag))] for way in ways], axis=0)
    return total / len(bags)


@given(BAGS, st.integers(1, 10))
def test_shares_of_shorter_documents_are_those_of_all_ways_to_cut_them(bags, n_units):
    assert DocumentShares(bags).rarefied(n_units) == pytest.approx(share_by_cutting(bags, n_units))


@given(BAGS)
def test_documents_as_long_as_the_longest_have_the_plain_shares(bags):
    shares = DocumentShares(bags)
    longest = int(np.sum(bags, axis=1).max())
    assert shares.rarefied(longest) == pytest.approx(shares.observed)
    assert shares.rarefied(longest + 100) == pytest.approx(shares.observed)


@given(BAGS)
def test_longer_documents_have_more(bags):
    shares = np.array([DocumentShares(bags).rarefied(n) for n in range(1, 11)])
    assert (np.diff(shares, axis=0) >= -1e-12).all()


def test_sizes_may_count_units_of_other_topics():
    assert DocumentShares([[1]], [2]).rarefied(1).tolist() == pytest.approx([0.5])


def test_long_documents_do_not_overflow():
    shares = DocumentShares([[1, 99_999], [50_000, 50_000]]).rarefied(10)
    assert shares[0] == pytest.approx((1e-4 + 1 - 2**-10) / 2, rel=1e-3)
