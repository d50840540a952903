"""Logarithm and exponential written out in plain arithmetic.

A call to the C library's `log` keeps a loop from being vectorised, and these two are called for
every entry of the span table. Both are within two units in the last place (ulp) of the true value,
and give the same bits whether a loop is vectorised or not.
"""

from __future__ import annotations

import numpy as np

from permutopic.jit import borrowing

LN2 = 0.6931471805599453
# ln 2 in two parts: multiples of the first are exact for every exponent a float can have.
_LN2_HIGH, _LN2_LOW = 0.693147180369123816490, 1.90821492927058770002e-10
_HALF_LOG_2PI = 0.9189385332046727
_SQRT_HALF_BITS = 0x3FE6A09E667F3BCD
_ONE_BITS = 0x3FF0000000000000
# Adding and taking away 1.5 · 2⁵² rounds to the nearest whole number.
_ROUNDER = 6755399441055744.0


@borrowing
def exponent_of(x: float) -> np.int64:
    """Return e such that 1 ≤ x / 2^e < 2, for a positive normal float."""
    return (np.float64(x).view(np.int64) - _ONE_BITS) >> 52


@borrowing
def divide_by_power_of_two(x: float, exponent: np.int64) -> float:
    """Compute x / 2^exponent for a result that is a normal float."""
    return np.int64(np.float64(x).view(np.int64) - (exponent << 52)).view(np.float64)


@borrowing
def fast_log(x: float) -> float:
    """Compute ln x of a positive normal float.

    x = 2^e m with m between √½ and √2; ln m = 2 artanh f with f = (m − 1)/(m + 1). Behind 2 f the
    series in f² is replaced by its best polynomial of degree 6 there: off by less than 10⁻¹⁷.
    """
    bits = np.float64(x).view(np.int64)
    exponent = (bits - _SQRT_HALF_BITS) >> 52
    m = np.int64(bits - (exponent << 52)).view(np.float64)
    f = (m - 1.0) / (m + 1.0)
    s = f * f
    series = 0.1461644968504340586
    series = series * s + 0.1533172160055604127
    series = series * s + 0.1818288912526172208
    series = series * s + 0.2222221113479507986
    series = series * s + 0.2857142862597548492
    series = series * s + 0.3999999999989950449
    series = series * s + 0.6666666666666669686
    return exponent * _LN2_HIGH + (f * (2.0 + s * series) + exponent * _LN2_LOW)


@borrowing
def fast_exp(x: float) -> float:
    """Compute e^x for x ≤ 700, and e^−700 for anything below −700.

    x = n ln 2 + r with |r| ≤ ln 2 / 2; e^r by its series, 2^n by writing the exponent.
    """
    x = max(x, -700.0)
    n = (x * (1 / LN2) + _ROUNDER) - _ROUNDER
    r = (x - n * _LN2_HIGH) - n * _LN2_LOW
    series = 1.0 / 479001600
    series = series * r + 1.0 / 39916800
    series = series * r + 1.0 / 3628800
    series = series * r + 1.0 / 362880
    series = series * r + 1.0 / 40320
    series = series * r + 1.0 / 5040
    series = series * r + 1.0 / 720
    series = series * r + 1.0 / 120
    series = series * r + 1.0 / 24
    series = series * r + 1.0 / 6
    series = series * r + 0.5
    series = series * r + 1.0
    series = series * r + 1.0
    return series * np.int64((np.int64(n) + 1023) << 52).view(np.float64)


@borrowing
def log_gamma(x: float) -> float:
    """Compute logΓ(x) for a positive float, to about 10⁻¹² of its value.

    Stirling's series from 8 on; below, Γ(x) = Γ(x + n) / (x (x + 1) … (x + n − 1)).
    """
    if x >= 8.0:
        return stirling(x)
    product = 1.0
    while x < 8.0:
        product *= x
        x += 1.0
    return stirling(x) - fast_log(product)


@borrowing
def stirling(x: float) -> float:
    """Compute logΓ(x) for x ≥ 8: Stirling's series, off by less than 10⁻¹¹."""
    inverse = 1.0 / x
    s = inverse * inverse
    series = -1.0 / 1680
    series = series * s + 1.0 / 1260
    series = series * s - 1.0 / 360
    series = series * s + 1.0 / 12
    return (x - 0.5) * fast_log(x) - x + _HALF_LOG_2PI + series * inverse
