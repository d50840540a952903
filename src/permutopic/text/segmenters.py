"""Word segmentation of Chinese, Japanese and Thai, by the libraries of an extra."""

from __future__ import annotations

import os
from functools import lru_cache
from typing import TYPE_CHECKING

from permutopic.extras import needs
from permutopic.text.splitting import split_words

if TYPE_CHECKING:
    from collections.abc import Callable

    Cut = Callable[[str], list[str]]

_SCRIPTS = {
    "zh": r"\p{Han}",
    "ja": r"\p{Han}\p{Hiragana}\p{Katakana}ー々〆",
    "th": r"\p{Thai}",
}
SEGMENTED = tuple(_SCRIPTS)
_EXTRA = "cjk"
_MAX_RUN = 5000  # characters; segmenters take a run as a whole, and no real one is longer


def segmenting_splitter(language: str) -> Callable[[str], list[str]]:
    """Return a function that segments the language's script, and splits the rest at boundaries."""
    cut = {"zh": _chinese, "ja": _japanese, "th": _thai}[language]()
    run = _run_pattern(language)

    def split(text: str) -> list[str]:
        words: list[str] = []
        end = 0
        for found in run.finditer(text):
            words += split_words(text[end : found.start()])
            words += [word for word in cut(found.group()) if word[0].isalnum()]
            end = found.end()
        return words + split_words(text[end:])

    return split


@lru_cache(maxsize=4)
def _run_pattern(language: str):  # type: ignore[no-untyped-def]
    import regex  # noqa: PLC0415

    return regex.compile(rf"[{_SCRIPTS[language]}][{_SCRIPTS[language]}\p{{M}}]{{0,{_MAX_RUN}}}")


@lru_cache(maxsize=1)
def _chinese() -> Cut:
    rjieba = needs("rjieba", _EXTRA, "Chinese words")
    cut: Cut = rjieba.cut
    return cut


@lru_cache(maxsize=1)
def _japanese() -> Cut:
    tokenizer = needs("janome.tokenizer", _EXTRA, "Japanese words").Tokenizer(wakati=True)
    return lambda text: list(tokenizer.tokenize(text))


@lru_cache(maxsize=1)
def _thai() -> Cut:
    # Else importing it would create a folder for downloads in the user's home directory.
    if "PYTHAINLP_READ_MODE" not in os.environ:
        os.environ.setdefault("PYTHAINLP_READ_ONLY", "1")
    tokenize = needs("pythainlp.tokenize", _EXTRA, "Thai words").word_tokenize
    return lambda text: list(tokenize(text, engine="newmm", keep_whitespace=False))
