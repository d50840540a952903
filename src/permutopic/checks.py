"""Checks of what users give: numbers, choices, and text that is to be shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from permutopic.errors import InputError, Message, Parameter

if TYPE_CHECKING:
    from collections.abc import Iterable

# Joiners and direction marks of Persian, Hebrew or an emoji, which Python calls not printable.
_MARKS = "\u200c\u200d\u200e\u200f"


def check_integer(
    value: object, name: str, minimum: int, maximum: int | None = None, *, note: str = ""
) -> int:
    """Return a whole number within bounds as a plain int; `note` explains the parameter.

    >>> check_integer(np.int64(4), "n_topics", 2)
    4
    """
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not whole or value < minimum or (maximum is not None and value > maximum):  # type: ignore[operator]
        bounds = f"of at least {minimum}" + ("" if maximum is None else f" and at most {maximum}")
        raise InputError(_named(name, note), f" must be a whole number {bounds}, not {value!r}")
    return int(value)  # type: ignore[call-overload, no-any-return]


def check_real(
    value: object, name: str, minimum: float, maximum: float, *, note: str = ""
) -> float:
    """Return a finite number within bounds as a plain float; `note` explains the parameter."""
    number = isinstance(value, int | float | np.integer | np.floating)
    if isinstance(value, bool) or not number or value != value:  # noqa: PLR0124 (NaN)
        raise InputError(_named(name, note), f" must be a finite number, not {value!r}")
    if not minimum <= value <= maximum:  # type: ignore[operator]
        bounds = f"must lie between {minimum:g} and {maximum:g}"
        raise InputError(_named(name, note), f" {bounds}, not {value!r}")
    return float(value)  # type: ignore[arg-type]


def check_choice(value: object, name: str, choices: Iterable[str]) -> None:
    """Refuse a value that is not one of a few."""
    known = list(choices)
    if value not in known:
        raise InputError(Parameter(name), f" is one of {', '.join(known)}, not {value!r}")


def is_plain(text: str) -> bool:
    r"""Tell whether a terminal shows every character of a text, and obeys none.

    >>> is_plain("می\u200cخواهم"), is_plain("a\x1b[2J")
    (True, False)
    """
    return all(character.isprintable() or character in _MARKS for character in text)


def _named(name: str, note: str) -> Message:
    return Message(Parameter(name), f" ({note})" if note else "")
