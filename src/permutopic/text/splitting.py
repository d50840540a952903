"""Word boundaries."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_ASCII_RUN = re.compile(r"[a-z0-9]+")
# Unicode's UAX #29 for European alphabets without combining marks: full stops and apostrophes
# between letters ("e.g", "don't"), points and commas between digits ("3.5", "1,000") are in words.
_LETTER, _RAISED = r"[^\W\d_²³¹¼½¾]", "²³¹¼½¾"
_EUROPEAN_WORD = re.compile(
    rf"[^\W{_RAISED}]+(?:(?:(?<={_LETTER})[.'·](?={_LETTER})|(?<=\d)[.,;'](?=\d))[^\W{_RAISED}]+)*"
    rf"|[{_RAISED}]"
)
_NOT_EUROPEAN = re.compile(
    "[^\0-\u02af\u0370-\u0482\u048a-\u052f\u1e00-\u1fff\u2010-\u2027\u2030-\u203e\u20a0-\u20cf]"
)
# Invisible characters are removed: soft hyphens, byte-order marks, direction marks. A spacing
# cedilla is no letter.
_INVISIBLE = {
    **dict.fromkeys([0xAD, 0xFEFF, 0x61C, 0x200E, 0x200F, *range(0x202A, 0x202F), 0x2060]),
    0x200B: " ",
    0xB8: " ",
}
# Han, kana, Thai, Lao, Burmese, Khmer.
SPACELESS = (
    "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
    "\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff"
)
_SPACELESS_LETTER = re.compile(f"[{SPACELESS}]")
_SPACELESS_WORD = re.compile(rf"[{SPACELESS}]|[^\s{SPACELESS}]+")
_SPACED_WORD = re.compile(r"\S+")
# A colon joins letters in these alone, as in CLDR's tailoring.
_COLON_LANGUAGES = {"sv", "fi"}
_JOINERS = "\u200c\u200d"
# Words that are elided before a vowel and written with the next word.
_ELISION = {
    "fr": "l|d|j|m|n|s|t|c|qu|jusqu|lorsqu|puisqu|quoiqu",
    "it": "l|un|d|c|dell|all|nell|sull|dall|coll|quell|quest|s|m|t|v",
    "ca": "l|d|m|n|s|t",
}


def split_whitespace(text: str) -> list[str]:
    """Split at white space; case and punctuation are kept."""
    return text.split()


def split_ascii(text: str) -> list[str]:
    """Return the maximal runs of a–z and 0–9 after lower-casing, as BayesSeg does."""
    return _ASCII_RUN.findall(text.lower())


def split_words(text: str, language: str | None = None) -> list[str]:
    """Return the words between Unicode's word boundaries (UAX #29), in composed form (NFC).

    >>> split_words("Don’t pay $1,000.50 to e.g. O_RDONLY!")
    ["Don't", 'pay', '1,000.50', 'to', 'e.g', 'O_RDONLY']
    >>> split_words("L’eau", "fr")
    ['L', 'eau']
    """
    if not text.isascii():
        text = unicodedata.normalize("NFC", text).replace("\xad", "")
        for apostrophe in "’ʼ＇":
            text = text.replace(apostrophe, "'")
    if ":" in text and language not in _COLON_LANGUAGES:
        text = text.replace(":", " ")
    if "'" in text and language in _ELISION:
        text = _elision(language).sub(r"\1 ", text)
    if (":" in text and language in _COLON_LANGUAGES) or _NOT_EUROPEAN.search(text):
        return _unicode_words(text.translate(_INVISIBLE))
    return _EUROPEAN_WORD.findall(text)


def count_source_words(text: str) -> int:
    """Count the white-space words over which segmentation is scored, whatever the tokens.

    In text that is mostly in a script without spaces, every character counts as a word.
    """
    if text.isascii() or not _is_spaceless(text):
        return len(text.split())
    return sum(1 for _ in source_words(text))


def source_words(text: str) -> Iterator[tuple[int, int]]:
    """Yield begin and end of each word that `count_source_words` counts."""
    pattern = _SPACELESS_WORD if not text.isascii() and _is_spaceless(text) else _SPACED_WORD
    return (found.span() for found in pattern.finditer(text))


def _is_spaceless(text: str) -> bool:
    return 2 * len(_SPACELESS_LETTER.findall(text)) > len(text)


def _unicode_words(text: str) -> list[str]:
    words = _unicode_word_finder()(text)
    if _JOINERS[0] in text or _JOINERS[1] in text:
        words = [bare for word in words if (bare := word.strip(_JOINERS))]
    return words


@lru_cache(maxsize=1)
def _unicode_word_finder() -> Callable[[str], list[str]]:
    """Compile all rules by the Word_Break property (`regex`'s WORD flag loses quoted words)."""
    import regex  # noqa: PLC0415 (only for text that needs it)

    letter = r"\p{WB=ALetter}\p{WB=Hebrew_Letter}"
    digit = r"\p{WB=Numeric}"
    extend = r"\p{WB=Extend}\p{WB=Format}\p{WB=ZWJ}"
    core = rf"{letter}{digit}\p{{WB=ExtendNumLet}}"
    between_letters = rf"(?<=[{letter}][{extend}]*)[.':·][{extend}]*+(?=[{letter}])"
    between_digits = rf"(?<=[{digit}][{extend}]*)[.,;'][{extend}]*+(?=[{digit}])"
    word = (
        rf"[{core}][{core}{extend}]*+(?:(?:{between_letters}|{between_digits})[{core}{extend}]++)*+"
    )
    katakana = rf"\p{{WB=Katakana}}[\p{{WB=Katakana}}{extend}]*+"
    # Other letters are of scripts without spaces: one character is one word.
    pattern = rf"{word}|{katakana}|[\p{{L}}\p{{N}}][{extend}]*+"
    findall: Callable[[str], list[str]] = regex.compile(pattern).findall
    return findall


@lru_cache(maxsize=8)
def _elision(language: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w'])({_ELISION[language]})'(?=\w)", re.IGNORECASE)
