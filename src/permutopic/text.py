"""From the text of a paragraph to its tokens."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from permutopic.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

_ASCII_RUN = re.compile(r"[a-z0-9]+")
# Letters, digits and underscores; an apostrophe stays inside a word ("don't", "l’eau").
_WORD = re.compile(r"\w+(?:['’]\w+)*")


def split_whitespace(text: str) -> list[str]:
    """Split at white space and change nothing else."""
    return text.split()


def split_ascii(text: str) -> list[str]:
    """Take the maximal runs of a–z and 0–9 after lower-casing, as BayesSeg does."""
    return _ASCII_RUN.findall(text.lower())


def split_words(text: str) -> list[str]:
    """Take the lower-cased Unicode words, in composed form (NFC)."""
    return _WORD.findall(unicodedata.normalize("NFC", text).lower())


TOKENIZERS: dict[str, Callable[[str], list[str]]] = {
    "words": split_words,
    "whitespace": split_whitespace,
    "ascii": split_ascii,
}


def tokenizer(name: str) -> Callable[[str], list[str]]:
    """Look a tokeniser up by name: "words", "whitespace" or "ascii".

    >>> tokenizer("words")("Don't stop: it's 5 °C.")
    ["don't", 'stop', "it's", '5', 'c']
    >>> tokenizer("ascii")("León's 2nd")
    ['le', 'n', 's', '2nd']
    """
    if not isinstance(name, str) or name not in TOKENIZERS:
        raise InputError(f"tokens are one of {', '.join(TOKENIZERS)}, not {name!r}")
    return TOKENIZERS[name]


def count_source_words(text: str) -> int:
    """Count the white-space words that segmentation is scored over, whatever the tokens."""
    return len(text.split())
