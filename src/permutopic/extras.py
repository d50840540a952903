"""What only some need: imported when it is used, named with its extra when it is missing."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from permutopic.errors import InputError


class MissingExtraError(InputError):
    """Something is asked for that only an extra brings, and it is not installed."""


def needs(module: str, extra: str, purpose: str) -> Any:
    """Import a module that an extra brings, or say how to get it.

    >>> needs("no_such_module", "docx", "Word documents")
    Traceback (most recent call last):
    permutopic.extras.MissingExtraError: Word documents need the extra 'docx': \
pip install 'permutopic[docx]'
    """
    try:
        return import_module(module)
    except ImportError:
        raise MissingExtraError(
            f"{purpose} need the extra {extra!r}: pip install 'permutopic[{extra}]'"
        ) from None
