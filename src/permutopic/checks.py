"""Checks of what users give: numbers, and text that is to be shown."""

from __future__ import annotations

import numpy as np

from permutopic.errors import InputError

_MARKS = "\u200c\u200d\u200e\u200f"


def check_whole(value: object, name: str, least: int, most: int | None = None) -> int:
    """Hold a value to a whole number within bounds, and give it as a plain int.

    >>> check_whole(np.int64(4), "n_topics", 2)
    4
    """
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not whole or value < least or (most is not None and value > most):  # type: ignore[operator]
        bounds = f"of at least {least}" + ("" if most is None else f" and at most {most}")
        raise InputError(f"{name} must be a whole number {bounds}, not {value!r}")
    return int(value)  # type: ignore[call-overload, no-any-return]


def is_plain(text: str) -> bool:
    r"""Tell whether a terminal shows every character of a text, and obeys none.

    The joiners and marks that Persian, Hebrew or an emoji need are not printable to Python.

    >>> is_plain("می\u200cخواهم"), is_plain("a\x1b[2J")
    (True, False)
    """
    return all(character.isprintable() or character in _MARKS for character in text)


def check_number(value: object, name: str, least: float, most: float) -> float:
    """Hold a value to a finite number within bounds, and give it as a plain float."""
    number = isinstance(value, int | float | np.integer | np.floating)
    if isinstance(value, bool) or not number or value != value:  # noqa: PLR0124 (NaN)
        raise InputError(f"{name} must be a finite number, not {value!r}")
    if not least <= value <= most:  # type: ignore[operator]
        raise InputError(f"{name} must lie between {least:g} and {most:g}, not {value!r}")
    return float(value)  # type: ignore[arg-type]
