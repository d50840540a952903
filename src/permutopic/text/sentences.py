"""Sentence boundaries, by rules that hold in most languages."""

from __future__ import annotations

import re

# A full stop, question or exclamation mark with closing quotes and brackets, before white space;
# in scripts without spaces, or with unambiguous marks, the mark alone.
_END = re.compile(
    r"(?<![.!?…])[.!?…]++[\"'”’»›)\]]*+(?=\s)"
    r"|[。！？｡]+[」』”’）)]*"
    r"|[।॥؟۔։።။]+[\"'”’»)]*"
)
_OPENING = re.compile(r"\s*[\"'“‘«‹(\[¿¡„]*")
_LAST_WORD = re.compile(r"(?<!\S)[\"'“‘«(\[]*(\S+)\Z")
_MAX_WORD_LENGTH = 40
# Abbreviations that end no sentence, even before a capital.
_ABBREVIATIONS = frozenset(
    """
    mr mrs ms dr prof sr jr st vs cf ca approx dept est gen col lt sgt capt rev hon gov sen rep
    mme mlle mm bzw evtl ggf vgl usw inkl sra srta ud uds dott sig dra ing hr fr hl geb gest bd
    e.g i.e z.b d.h u.a p.ex viz ibid al dhr mevr
    jan feb mar apr jun jul aug sep sept oct nov dec
    """.split()  # noqa: SIM905 (shorter than a list)
)
# Abbreviations only before a number: "No. 5", but "He said no. Then".
_NUMBER_ABBREVIATIONS = frozenset(
    """
    no nos nr vol p pp fig figs eq eqs ch sec art abs abb s núm pág n° cap kap
    """.split()  # noqa: SIM905
)


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Return begin and end of each sentence of a text, without white space between them.

    >>> text = "Dr. J. Smith paid $3.50. He left! 雨です。寒い。"
    >>> [text[begin:end] for begin, end in sentence_spans(text)]
    ['Dr. J. Smith paid $3.50.', 'He left!', '雨です。', '寒い。']
    """
    spans = []
    begin = 0
    for found in _END.finditer(text):
        if _ends_sentence(text, begin, found):
            spans.append((begin, found.end()))
            begin = found.end()
    spans.append((begin, len(text)))
    trimmed = [_trim(text, begin, end) for begin, end in spans]
    return [(begin, end) for begin, end in trimmed if begin < end]


def _ends_sentence(text: str, begin: int, found: re.Match[str]) -> bool:
    if found.group()[0] not in ".!?…":
        return True
    opening = _OPENING.match(text, found.end())
    following = text[opening.end() : opening.end() + 1] if opening else ""
    if following.islower():
        return False
    if found.group() != ".":
        return True
    before = text[max(begin, found.start() - _MAX_WORD_LENGTH) : found.start()]
    last = _LAST_WORD.search(before)
    word = last.group(1).lower() if last else ""
    if len(word) == 1 and word.isalpha():  # an initial
        return False
    if word in _ABBREVIATIONS or (word in _NUMBER_ABBREVIATIONS and following.isdigit()):
        return False
    # "U.S." Army, but "a density of 4.7." ends a sentence
    dotted = "." in word and all(len(p) == 1 and p.isalpha() for p in word.split("."))
    # "1." at the beginning numbers an item of a list.
    return not dotted and not (word.isdigit() and text[begin : found.start()].strip() == word)


def _trim(text: str, begin: int, end: int) -> tuple[int, int]:
    part = text[begin:end]
    return begin + len(part) - len(part.lstrip()), begin + len(part.rstrip())
