"""Lower-casing that is right for the language."""

from __future__ import annotations

import unicodedata

_DOTLESS = {"tr", "az"}


def lower(text: str, language: str | None = None) -> str:
    """Lower-case text; in Turkish and Azeri the capital of i is İ, and I is that of ı.

    >>> lower("ISPARTA İZMİR", "tr"), lower("ΟΔΟΣ")
    ('ısparta izmir', 'οδος')
    """
    if language in _DOTLESS:
        composed = unicodedata.normalize("NFC", text)  # İ may come as I and a dot
        return composed.replace("İ", "i").replace("I", "ı").lower()
    # Elsewhere İ is a foreign guest, and the dot that Python leaves behind would make "i̇stanbul"
    # a word of its own.
    return text.lower().replace("i\u0307", "i") if not text.isascii() else text.lower()
