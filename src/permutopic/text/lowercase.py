"""Lower-casing by the rules of a language."""

from __future__ import annotations

import unicodedata

_DOTLESS = {"tr", "az"}


def lower(text: str, language: str | None = None) -> str:
    """Lower-case text; in Turkish and Azeri İ becomes i, and I becomes ı.

    >>> lower("ISPARTA İZMİR", "tr"), lower("ΟΔΟΣ")
    ('ısparta izmir', 'οδος')
    """
    if language in _DOTLESS:
        composed = unicodedata.normalize("NFC", text)  # İ may be written as I and a combining dot
        return composed.replace("İ", "i").replace("I", "ı").lower()
    # Python lower-cases İ to i and a combining dot: "i̇stanbul" would be another word.
    return text.lower().replace("i\u0307", "i") if not text.isascii() else text.lower()
