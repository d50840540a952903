"""Settings of tokenization, saved with a model."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from functools import partial
from numbers import Integral, Real
from typing import Any

from permutopic.errors import InputError, Parameter
from permutopic.extras import needs
from permutopic.text.languages import language_code
from permutopic.text.lowercase import lower
from permutopic.text.segmenters import SEGMENTED, segmenting_splitter
from permutopic.text.splitting import SPACELESS, split_ascii, split_whitespace, split_words

Split = Callable[[str], list[str]]
SPLITS = ("words", "whitespace", "ascii")
NUMBER, URL = "<number>", "<url>"
_NUMBER = re.compile(r"\d[\d.,;'_]*")
# An address ends before a script without spaces. Quantifiers are possessive, so time is linear.
_IN_URL = rf"[^\s<>\"{SPACELESS}\u3000-\u303f\uff01-\uff65]++"
_URL = re.compile(
    rf"(?<![a-z0-9_])(?:https?|ftp)://{_IN_URL}|(?<![a-z0-9_.])www\.{_IN_URL}"
    r"|(?<![a-z0-9_.+-])[a-z0-9_.+-]++@(?:[a-z0-9-]++\.(?=[a-z0-9]))++[a-z0-9-]++",
    re.IGNORECASE | re.ASCII,
)
_SNOWBALL = {
    "ar": "arabic", "ca": "catalan", "da": "danish", "de": "german", "el": "greek",
    "en": "english", "eo": "esperanto", "es": "spanish", "et": "estonian", "eu": "basque",
    "fi": "finnish", "fr": "french", "ga": "irish", "hi": "hindi", "hu": "hungarian",
    "hy": "armenian", "id": "indonesian", "it": "italian", "lt": "lithuanian", "ne": "nepali",
    "nl": "dutch", "no": "norwegian", "pl": "polish", "pt": "portuguese", "ro": "romanian",
    "ru": "russian", "sr": "serbian", "sv": "swedish", "ta": "tamil", "tr": "turkish",
    "yi": "yiddish",
}  # fmt: skip


_MAX_CACHED_STEMS = 1 << 20


@dataclass(frozen=True)
class Tokens:
    """Settings of tokenization.

    Attributes
    ----------
    split
        "words" (Unicode's word boundaries, lower-cased), "whitespace" (split there, nothing else),
        "ascii" (lower-cased runs of a–z and 0–9), or a function from a string to a list of strings.
        A function is not saved: give it again when a model is loaded.
    language
        A code such as "en" or "tr", for lower-casing, elision, stop words and stems. With "zh",
        "ja" or "th" text is segmented by the extra `cjk`.
    fold_numbers, fold_urls
        Replace all numbers by "<number>", all web and mail addresses by "<url>".
    stop
        Words to leave out: "language" for the list of the language (extra `languages`), or words.
    stem
        Reduce words to Snowball stems of the language (extra `languages`).
    min_df, max_df
        Leave out words in fewer or in more documents: an int is a number of documents, a float a
        share of them.

    Examples
    --------
    >>> split = Tokens(fold_numbers=True, stop=("the",)).splitter()
    >>> split("The 3 rivers, the 12.5 km")
    ['<number>', 'rivers', '<number>', 'km']
    """

    split: str | Split = "words"
    language: str | None = None
    fold_numbers: bool = False
    fold_urls: bool = False
    stop: str | tuple[str, ...] | None = None
    stem: bool = False
    min_df: float = 1
    max_df: float = 1.0

    def __post_init__(self) -> None:
        if not callable(self.split) and self.split not in SPLITS:
            raise InputError(f"tokens are one of {', '.join(SPLITS)}, not {self.split!r}")
        if self.language is not None:
            object.__setattr__(self, "language", language_code(self.language))
        if self.stop is not None and self.stop != "language":
            object.__setattr__(self, "stop", _check_words(self.stop))
        for name in ("fold_numbers", "fold_urls", "stem"):
            if not isinstance(getattr(self, name), bool):
                raise InputError(Parameter(name), f" is True or False, not {getattr(self, name)!r}")
        for name in ("min_df", "max_df"):
            object.__setattr__(self, name, _check_frequency(name, getattr(self, name)))
        if (self.stop == "language" or self.stem) and self.language is None:
            raise InputError("stop words and stems by language need a language: en, fr, …")
        if self.split in {"whitespace", "ascii"} and self.language in SEGMENTED:
            raise InputError(f"the language {self.language!r} needs tokens 'words'")

    @classmethod
    def of(cls, given: object) -> Tokens:
        """Take Tokens as they are, a name or a function as `split`."""
        if isinstance(given, cls):
            return given
        if callable(given) or isinstance(given, str):
            return cls(split=given)
        raise InputError(f"tokens are one of {', '.join(SPLITS)}, a function or Tokens(…)")

    def splitter(self) -> Split:
        """Return the function from text to tokens."""
        split = self._split()
        steps = [
            step
            for step in (self._folding_step(), self._stopping_step(), self._stemming_step())
            if step
        ]
        tokenize = partial(_apply_steps, split, steps) if steps else split
        return partial(_split_around_urls, tokenize) if self.fold_urls else tokenize

    def as_dict(self) -> dict[str, Any]:
        """Return the settings as plain values; a function by its name."""
        settings = {each.name: getattr(self, each.name) for each in fields(self)}
        if callable(self.split):
            settings["split"] = {"function": _name_of(self.split)}
        if isinstance(self.stop, tuple):
            settings["stop"] = list(self.stop)
        return settings

    @classmethod
    def from_dict(cls, settings: Mapping[str, Any], function: Split | None = None) -> Tokens:
        """Make the object from `as_dict`; `function` replaces a function, which is not saved."""
        given = dict(settings)
        if isinstance(given["split"], Mapping):
            given["split"] = function or _missing_function(str(given["split"]["function"]))
        if isinstance(given["stop"], list):
            given["stop"] = tuple(given["stop"])
        return cls(**given)

    @property
    def filters(self) -> bool:
        """Whether words are left out by document frequency."""
        # repr, since the count 1 equals the share 1.0, which means something else.
        return repr((self.min_df, self.max_df)) != repr((1, 1.0))

    def shortest(self) -> str | Split | Tokens:
        """Return the name or function alone if all other settings are defaults."""
        return self.split if repr(self) == repr(Tokens(self.split)) else self

    def __str__(self) -> str:
        changed = [
            f"{each.name}={getattr(self, each.name)!r}"
            for each in fields(self)
            if each.name != "split" and repr(getattr(self, each.name)) != repr(each.default)
        ]
        split = _name_of(self.split) if callable(self.split) else str(self.split)
        return ", ".join([split, *changed])

    def _split(self) -> Split:
        if callable(self.split):
            return partial(_call_checked, self.split)
        if self.split == "whitespace":
            return split_whitespace
        if self.split == "ascii":
            return split_ascii
        language = self.language
        words = segmenting_splitter(language) if language in SEGMENTED else None
        if words is not None:
            return lambda text: words(lower(text))
        return lambda text: split_words(lower(text, language), language)

    def _folding_step(self) -> Callable[[list[str]], list[str]] | None:
        return _fold_numbers if self.fold_numbers else None

    def _stopping_step(self) -> Callable[[list[str]], list[str]] | None:
        if self.stop is None:
            return None
        words = _stop_list(self.language or "") if self.stop == "language" else self.stop
        # Stop words are split as text is, so that they have the form of tokens.
        split = self._split()
        unwanted = frozenset(token for word in words for token in split(word))
        return lambda tokens: [token for token in tokens if token not in unwanted]

    def _stemming_step(self) -> Callable[[list[str]], list[str]] | None:
        if not self.stem:
            return None
        if self.language not in _SNOWBALL:
            raise InputError(
                f"there are no Snowball stems for {self.language!r}: there are for "
                f"{', '.join(_SNOWBALL)}"
            )
        snowball = needs("snowballstemmer", "languages", "stems")
        stem = snowball.stemmer(_SNOWBALL[self.language]).stemWord
        return partial(_stem_tokens, stem, {})


def _apply_steps(
    split: Split, steps: list[Callable[[list[str]], list[str]]], text: str
) -> list[str]:
    tokens = split(text)
    for step in steps:
        tokens = step(tokens)
    return tokens


def _split_around_urls(split: Split, text: str) -> list[str]:
    first, *others = _URL.split(text)
    tokens = split(first)
    for part in others:
        tokens += [URL, *split(part)]
    return tokens


def _fold_numbers(tokens: list[str]) -> list[str]:
    return [NUMBER if _NUMBER.fullmatch(token) else token for token in tokens]


def _stem_tokens(stem: Callable[[str], str], cache: dict[str, str], tokens: list[str]) -> list[str]:
    if len(cache) > _MAX_CACHED_STEMS:
        cache.clear()  # bounds memory on a stream of documents
    for token in tokens:
        if token not in cache:
            cache[token] = token if token in {NUMBER, URL} else stem(token)
    return [cache[token] for token in tokens]


def _call_checked(split: Split, text: str) -> list[str]:
    given: Any
    try:
        given = split(text)
    except InputError:
        raise
    except Exception as error:
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        shown = repr(text if len(text) <= 40 else f"{text[:39]}…")
        raise InputError(f"{_name_of(split)} failed on {shown} ({reason})") from error
    listable = isinstance(given, Iterable) and not isinstance(given, str)
    tokens: list[Any] = list(given) if listable else [None]
    if not all(isinstance(token, str) for token in tokens):
        shown = repr(given)
        shown = shown if len(shown) <= 80 else f"{shown[:77]}…"
        raise InputError(f"{_name_of(split)} must give a list of strings, not {shown}")
    return tokens


def _name_of(function: object) -> str:
    name = getattr(function, "__qualname__", type(function).__qualname__)
    module = (
        getattr(function, "__module__", None) or getattr(function, "__objclass__", str).__module__
    )
    return f"{module}:{name}"


def _missing_function(name: str) -> Split:
    def missing(text: str) -> list[str]:  # noqa: ARG001
        raise InputError(
            f"the model's text was split by {name}: give that function again (",
            Parameter("tokens"),
            ")",
        )

    missing.__module__, _, missing.__qualname__ = name.partition(":")
    return missing


def _stop_list(language: str) -> set[str]:
    library = needs("stopwordsiso", "languages", "stop words")
    if not library.has_lang(language):
        raise InputError(f"there is no stop list for {language!r}: give the words themselves")
    words: set[str] = library.stopwords(language)
    return words


def _check_words(words: object) -> tuple[str, ...]:
    if isinstance(words, str) or not isinstance(words, Iterable):
        raise InputError(Parameter("stop"), f" is 'language' or a list of words, not {words!r}")
    listed = list(words)
    if not all(isinstance(word, str) for word in listed):
        raise InputError(Parameter("stop"), " is 'language' or a list of words")
    return tuple(sorted(set(listed)))


def _check_frequency(name: str, given: Any) -> float:
    if isinstance(given, bool) or not isinstance(given, Integral | Real):
        raise InputError(Parameter(name), f" must be a number, not {given!r}")
    value: float = int(given) if isinstance(given, Integral) else float(given)
    if isinstance(value, int) and value < 1:
        raise InputError(
            Parameter(name), f" must be a whole number of at least 1, or a share, not {value}"
        )
    if isinstance(value, float) and not 0 <= value <= 1:
        raise InputError(
            Parameter(name), f" must be a share between 0 and 1, or a whole number, not {value}"
        )
    return value
