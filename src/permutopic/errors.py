"""What a user is meant to read when an input is wrong, or merely doubtful."""

from __future__ import annotations


class InputError(ValueError):
    """Something given to permutopic is wrong, and the message says what would be right.

    The command line prints it as one line and exits with code 2; in Python it is a
    `ValueError`, raised where the input comes in.
    """


class InputWarning(UserWarning):
    """Something given to permutopic can be used, but hardly for what it is meant for."""
