"""Optional dependencies: imported when they are used, named with their extra when missing."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from permutopic.errors import InputError


class MissingExtraError(InputError):
    """An optional dependency is needed and not installed."""


def needs(module: str, extra: str, purpose: str) -> Any:
    """Import a module of an extra, or raise an error that says how to install it.

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
