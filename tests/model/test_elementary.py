from __future__ import annotations

import decimal
import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numba import njit

from permutopic.model.kernels import elementary
from permutopic.model.kernels.elementary import (
    divide_by_power_of_two,
    exponent_of,
    fast_exp,
    fast_log,
)

from kernel_source import load_modules

uncompiled = load_modules(compile_it=False).elementary

LEAST, MOST = 2.0**-1022, math.nextafter(math.inf, 0)  # the positive normal floats
positive = st.floats(LEAST, MOST)
near_one = st.floats(0.5, 2.0)
# Units in the last place: four roundings, each up to one. The most that 40 million numbers showed
# was 2.93 for the logarithm and 2.58 for the exponential; those are among the examples.
BOUND = 4
exact = decimal.Context(prec=40)


@njit
def log_all(numbers, found):
    for n in range(numbers.size):
        found[n] = fast_log(numbers[n])


@njit
def exp_all(numbers, found):
    for n in range(numbers.size):
        found[n] = fast_exp(numbers[n])


def units_off(found, true):
    """How far a float is from the true value, in units in the last place."""
    return float(abs(exact.create_decimal_from_float(found) - true)) / math.ulp(float(true))


@settings(deadline=None, max_examples=400)
@given(st.one_of(positive, near_one))
@example(LEAST)
@example(MOST)
@example(math.sqrt(0.5))
@example(math.nextafter(math.sqrt(0.5), 0))
@example(math.nextafter(1.0, 0))
@example(math.nextafter(1.0, 2))
@example(1.0643478741081103)
def test_the_logarithm_is_right_to_the_last_places(x):
    true = exact.ln(exact.create_decimal_from_float(x))
    assert units_off(fast_log(x), true) <= BOUND


@settings(deadline=None, max_examples=400)
@given(st.one_of(st.floats(-700, 700), st.floats(-1, 1)))
@example(700.0)
@example(-700.0)
@example(math.log(2) / 2)
@example(5e-324)
@example(0.3470160133069694)
def test_the_exponential_is_right_to_the_last_places(x):
    true = exact.exp(exact.create_decimal_from_float(x))
    assert units_off(fast_exp(x), true) <= BOUND


def test_round_numbers_are_exact():
    assert fast_log(1.0) == 0.0
    assert fast_exp(0.0) == fast_exp(-0.0) == 1.0
    for exponent in (-1022, -1, 1, 2, 1023):
        assert fast_log(2.0**exponent) == math.log(2.0**exponent)


@pytest.mark.parametrize("x", [-700.0000001, -745.0, -1e18, -1e300, -math.inf])
def test_far_below_nothing_is_next_to_nothing(x):
    assert fast_exp(x) == fast_exp(-700.0)
    assert 0 < fast_exp(x) < 1e-303


@settings(deadline=None)
@given(positive)
@example(LEAST)
@example(MOST)
@example(1.0)
@example(math.nextafter(2.0, 0))
def test_a_number_is_what_its_exponent_leaves_times_a_power_of_two(x):
    exponent = int(exponent_of(x))
    assert exponent == math.frexp(x)[1] - 1
    assert divide_by_power_of_two(x, exponent) == math.ldexp(x, -exponent)
    assert 1 <= divide_by_power_of_two(x, exponent) < 2


@settings(deadline=None)
@given(st.floats(1, 2, exclude_max=True), st.integers(-1022, 1022))
def test_scaling_goes_both_ways(x, exponent):
    assert (
        divide_by_power_of_two(divide_by_power_of_two(x, np.int64(exponent)), np.int64(-exponent))
        == x
    )


def by_vectors(loop, numbers):
    found = np.full(numbers.size, np.nan)
    loop(numbers, found)
    [code] = loop.inspect_llvm().values()
    if "x double>" not in code:
        pytest.skip("this processor takes the numbers one by one")
    return found


@pytest.mark.parametrize("size", [1, 3, 8, 9, 31, 1000])
def test_a_vector_loop_gives_the_bits_of_single_calls(size):
    rng = np.random.default_rng(size)
    numbers = np.exp(rng.uniform(-700, 700, size))
    one_by_one = [fast_log(x) for x in numbers.tolist()]
    assert by_vectors(log_all, numbers).tolist() == one_by_one
    numbers = rng.uniform(-750, 700, size)
    one_by_one = [fast_exp(x) for x in numbers.tolist()]
    assert by_vectors(exp_all, numbers).tolist() == one_by_one


@settings(deadline=None)
@given(positive, st.floats(-800, 700))
def test_compiled_and_uncompiled_give_the_same_bits(x, y):
    assert fast_log(x) == uncompiled.fast_log(x)
    assert fast_exp(y) == uncompiled.fast_exp(y)
    assert exponent_of(x) == uncompiled.exponent_of(x)
    assert divide_by_power_of_two(x, exponent_of(x)) == uncompiled.divide_by_power_of_two(
        x, uncompiled.exponent_of(x)
    )
    assert elementary.fast_log is not uncompiled.fast_log
