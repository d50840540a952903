"""Languages: codes, names, and detection by script and function words."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING

from permutopic.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

# Frequent function words of each language, chosen to differ from those of similar languages.
_FUNCTION_WORDS = {
    "en": "the of and to in is that was for with as are by from which this were has be not a i it "
    "on you my have but they at an or very its do so if we he she can will would there their all",
    "fr": "le la les des et est dans une du pour que qui sur par avec au sont ce pas cette ou",
    "de": "der die und das ist von den mit dem ein eine zu im auf für sich nicht auch wird als",
    "es": "el la los las de y en que una por con para del es se su como más fue al no son",
    "it": "il di che la è per un una della del con sono dei nel alla da gli si le anche non più",
    "pt": "o os as de e do da em um uma que para com não no na por dos das ao foi é são mais",
    "nl": "de het een van en is dat op te met voor zijn niet aan door ook wordt bij werd naar",
    "sv": "och att det som en är av för på med den till inte ett har var från eller om",
    "da": "og at det er en af til på som med den for ikke et har blev fra eller der også",
    "no": "og at det er en av til på som med den for ikke et har ble fra eller også etter",
    "fi": "ja on ei se että oli hän mutta ovat myös joka kun tai vuonna sen mukaan kanssa",
    "pl": "i w na z się nie do jest że jak to był przez od po oraz jego są dla która",
    "cs": "a v na je se že s z do i byl jako pro ve k jeho od po také který které",
    "sk": "a v na je sa že s z do aj bol ako pre vo k jeho od po tiež ktorý ktoré",
    "hu": "a az és hogy nem egy is volt meg de csak mint ezt már vagy el még után között",
    "ro": "și de la în cu pe o un care din este nu mai sau al pentru fost sunt ale să",
    "tr": "ve bir bu için ile olarak da de en olan daha çok sonra gibi kadar ise her olduğu",
    "id": "yang dan di dari untuk dengan pada ini adalah dalam ke tidak itu oleh sebagai",
    "vi": "của và là các có được trong cho không một những với người này đã từ khi ở",
    "ca": "el la els les de i en que una per amb del és va al són més aquest com també",
    "hr": "i u je na se da su za od s kao koji što iz bio ili ne o po nije",
    "sl": "in je v na se da za so ki z s kot pa iz bil tudi od ali po ni",
    "et": "ja on ei see et oli ka kui või mis ning tema aga aastal oma seda kes selle",
    "lv": "un ir no ar uz par kas arī tika bet vai kā pēc gada pie tas līdz bija",
    "lt": "ir yra į iš su kad buvo kaip bet ar tai metais jo už po nuo taip iki",
    "eu": "eta da ez bat du dira izan zen ere baina bere hau edo zuen dute horren",
    "ga": "an na agus ar is i le do go bhí sé nó ag mar atá raibh sna leis ó",
    "ru": "и в на не что с по он как это к из его для от был был но или а при",
    "uk": "і в на не що з до та як це у від його для за був але або й при",
    "bg": "и на в за от се да е са с по че като не при до това през или",
    "sr": "и у је на се да су за од с као који што из био или не о по није",
    "mk": "и на во за од се да е со по како не при до тоа кој или беше што",
    "ar": "في من على إلى أن التي هذا عن مع كان ما هذه الذي كانت بعد أو لا بين",
    "fa": "و در به از که این را با است برای آن یک تا بر شد خود های می",
    "ur": "کے کی میں اور سے کا کو ہے نے اس پر یہ کہ ہیں تھا ایک بھی جو",
    "hi": "के में की है और से का को पर यह ने एक हैं कि भी इस था नहीं",
    "mr": "आहे आणि या च्या मध्ये ते हे होते आहेत एक त्या व केले पण तर",
    "ne": "को छ र मा हो यो पनि छन् गर्न भएको तथा लागि एक थियो",
}
# More function words, shared with other languages or less frequent: not used for detection.
_MORE_FUNCTION_WORDS = {
    "en": "his her him hers had been who whom when then than into may might must some such many "
    "more most only other others where what how also because while through over under between "
    "after before about both each two one no nor any out up down off them those these our your us "
    "me could should did does being until though although whether since once per ones itself",
}
# Scripts in which one language is by far the commonest.
_SCRIPTS = {
    "Hiragana": "ja", "Katakana": "ja", "Hangul": "ko", "Thai": "th", "Greek": "el",
    "Hebrew": "he", "Armenian": "hy", "Georgian": "ka", "Tamil": "ta", "Telugu": "te",
    "Kannada": "kn", "Malayalam": "ml", "Bengali": "bn", "Gujarati": "gu", "Gurmukhi": "pa",
    "Ethiopic": "am", "Khmer": "km", "Lao": "lo", "Myanmar": "my", "Sinhala": "si",
}  # fmt: skip
_SHARED = ("Latin", "Cyrillic", "Arabic", "Devanagari", "Han")
_NAMES = {
    "en": "English", "fr": "French", "de": "German", "es": "Spanish", "it": "Italian",
    "pt": "Portuguese", "nl": "Dutch", "sv": "Swedish", "da": "Danish", "no": "Norwegian",
    "fi": "Finnish", "pl": "Polish", "cs": "Czech", "sk": "Slovak", "hu": "Hungarian",
    "ro": "Romanian", "tr": "Turkish", "id": "Indonesian", "vi": "Vietnamese", "ca": "Catalan",
    "hr": "Croatian", "sl": "Slovenian", "et": "Estonian", "lv": "Latvian", "lt": "Lithuanian",
    "eu": "Basque", "ga": "Irish", "ru": "Russian", "uk": "Ukrainian", "bg": "Bulgarian",
    "sr": "Serbian", "mk": "Macedonian", "ar": "Arabic", "fa": "Persian", "ur": "Urdu",
    "hi": "Hindi", "mr": "Marathi", "ne": "Nepali", "zh": "Chinese", "ja": "Japanese",
    "ko": "Korean", "th": "Thai", "el": "Greek", "he": "Hebrew", "hy": "Armenian",
    "ka": "Georgian", "ta": "Tamil", "te": "Telugu", "kn": "Kannada", "ml": "Malayalam",
    "bn": "Bengali", "gu": "Gujarati", "pa": "Punjabi", "am": "Amharic", "km": "Khmer",
    "lo": "Lao", "my": "Burmese", "si": "Sinhala", "az": "Azerbaijani",
}  # fmt: skip
_MIN_SHARE = 0.08  # of function words among the words of a text; a third is usual
_MIN_DISTINCT = 3  # distinct function words: a single "a" or "is" is no evidence
_MIN_RATIO = 1.2  # of occurrences to those of the second language
_SAMPLE = 2000  # characters


def language_code(language: str) -> str:
    """Return the code of a language tag or of a language's English name.

    >>> language_code("pt-BR"), language_code("French")
    ('pt', 'fr')
    """
    code = re.split(r"[-_]", language.strip().lower())[0] if isinstance(language, str) else ""
    named = {name.lower(): code for code, name in _NAMES.items()}
    code = named.get(code, code)
    if not re.fullmatch(r"[a-z]{2,3}", code):
        raise InputError(f"a language is a code such as en, fr or zh, not {language!r}")
    return {"nb": "no", "nn": "no"}.get(code, code)


def language_name(code: str | None) -> str:
    """Return the English name of a language."""
    return "unknown" if code is None else _NAMES.get(code, code)


def guess_language(text: str) -> str | None:
    """Guess the language of a text by its first 2,000 characters; None if it is unclear.

    >>> guess_language("The history of the city is that of its river and its trade.")
    'en'
    >>> guess_language("42 °C") is None
    True
    """
    sample = text[:_SAMPLE]
    letters, script = _main_script(sample)
    if letters < 8:
        return None
    if script in _SCRIPTS:
        return _SCRIPTS[script]
    if script == "Han":
        return "zh"
    words = re.findall(r"[^\W\d_][\w\u0900-\u097f]*", sample.lower())
    counts = Counter(code for word in words for code in _languages_of(word))
    if not counts:
        return None
    [(best, n_best), *rest] = counts.most_common(2)
    is_clear = not rest or n_best >= _MIN_RATIO * rest[0][1]
    n_distinct = len({word for word in words if best in _languages_of(word)})
    is_frequent = n_distinct >= _MIN_DISTINCT and n_best >= _MIN_SHARE * len(words)
    return best if is_clear and is_frequent else None


def function_words(counts: Mapping[str, int]) -> frozenset[str]:
    """Return the function words of the language that words with these counts seem to be in.

    >>> "his" in function_words({"the": 50, "of": 20, "and": 9, "his": 3, "crust": 4})
    True
    >>> function_words({"salt": 5, "sea": 2})
    frozenset()
    """
    n_occurrences: Counter[str] = Counter()
    n_distinct: Counter[str] = Counter()
    for code, words in _FUNCTION_WORDS.items():
        for word in set(words.split()) & counts.keys():
            n_occurrences[code] += counts[word]
            n_distinct[code] += 1
    if not n_occurrences:
        return frozenset()
    [(best, n_best)] = n_occurrences.most_common(1)
    if n_distinct[best] < _MIN_DISTINCT or n_best < _MIN_SHARE * sum(counts.values()):
        return frozenset()
    return frozenset(f"{_FUNCTION_WORDS[best]} {_MORE_FUNCTION_WORDS.get(best, '')}".split())


def _main_script(text: str) -> tuple[int, str]:
    """Return the number of letters and the main script; Han with a fifth of kana is Japanese."""
    if text.isascii():
        return sum(map(str.isalpha, text)), "Latin"
    counts = {name: len(found(text)) for name, found in _script_finders().items()}
    kana = counts["Hiragana"] + counts["Katakana"]
    if kana and 4 * kana >= counts["Han"]:
        counts["Hiragana"] = kana + counts["Han"]
    return sum(counts.values()), max(counts, key=lambda name: counts[name])


@lru_cache(maxsize=1)
def _script_finders() -> dict[str, Callable[[str], list[str]]]:
    import regex  # noqa: PLC0415

    names = (*_SHARED, *_SCRIPTS)
    return {name: regex.compile(rf"\p{{{name}}}").findall for name in names}


@lru_cache(maxsize=1 << 14)
def _languages_of(word: str) -> tuple[str, ...]:
    return _index().get(word, ())


@lru_cache(maxsize=1)
def _index() -> dict[str, tuple[str, ...]]:
    index: dict[str, tuple[str, ...]] = {}
    for code, words in _FUNCTION_WORDS.items():
        for word in set(words.split()):
            index[word] = (*index.get(word, ()), code)
    return index
