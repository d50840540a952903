from __future__ import annotations

import math
import re

import numpy as np
import pytest

from permutopic.errors import InputError
from permutopic.model.priors import Priors, Variant, check_n_topics


def test_the_papers_values_are_the_defaults():
    priors = Priors.for_documents(118)
    assert (priors.topic, priors.word, priors.dispersion) == (0.1, 0.1, 1.0)
    assert priors.strength == pytest.approx(11.8)
    assert priors.variant is Variant.FULL


def test_expected_inversions_are_equation_5():
    expected = [1 / (math.e - 1) - m / (math.e**m - 1) for m in (4, 3, 2)]
    assert Priors.for_documents(10).mean_inversions(4) == pytest.approx(expected)


@pytest.mark.parametrize("name", ["topic", "word", "dispersion", "strength"])
@pytest.mark.parametrize("value", [math.nan, math.inf, -0.5, "much", True, 1e300])
def test_a_prior_that_is_no_sensible_number_is_refused_by_name(name, value):
    with pytest.raises(InputError, match=rf"{name}.* must .* not {re.escape(repr(value))}"):
        Priors.for_documents(10, **{name: value})


@pytest.mark.parametrize("name", ["topic", "word", "strength"])
def test_zero_is_refused_where_the_density_needs_more(name):
    with pytest.raises(InputError, match=name):
        Priors.for_documents(10, **{name: 0.0})


def test_a_dispersion_prior_of_zero_expects_uniform_orders():
    assert Priors.for_documents(10, dispersion=0.0).mean_inversions(5).tolist() == [2, 1.5, 1, 0.5]


def test_an_unknown_variant_is_refused_with_the_known_ones():
    with pytest.raises(InputError, match="full, constrained, uniform, not 'loose'"):
        Priors.for_documents(10, variant="loose")


@pytest.mark.parametrize("value", [1, 0, -3, 2.0, "10", True, None])
def test_fewer_than_two_topics_are_refused(value):
    with pytest.raises(InputError, match="at least 2 and at most 10000, not"):
        check_n_topics(value)


def test_numpy_integers_count_as_whole_numbers():
    assert check_n_topics(np.int64(4)) == 4


def test_two_topics_and_ten_thousand_are_taken():
    assert (check_n_topics(2), check_n_topics(10_000)) == (2, 10_000)
    with pytest.raises(InputError, match="at most 10000, not 10001"):
        check_n_topics(10_001)
