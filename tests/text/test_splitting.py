from __future__ import annotations

import re
import unicodedata
from functools import cache

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from permutopic.text.splitting import (
    _NOT_EUROPEAN,
    count_source_words,
    split_ascii,
    split_whitespace,
    split_words,
)


@pytest.mark.parametrize(
    ("split", "text", "tokens"),
    [
        (split_whitespace, " The  cat,\tsat.\n", ["The", "cat,", "sat."]),
        (split_ascii, "León's 2nd CAT_2", ["le", "n", "s", "2nd", "cat", "2"]),
        (split_words, "The CAT, don't sit: 3.5 °C", ["The", "CAT", "don't", "sit", "3.5", "C"]),
        (split_words, "$1,000.50; e.g. U.S. end.Next", ["1,000.50", "e.g", "U.S", "end.Next"]),
        (split_words, "L’eau, ÉTÉ; Straße", ["L'eau", "ÉTÉ", "Straße"]),
        (split_words, "donʼt don＇t", ["don't", "don't"]),
        (split_words, "Cafe\u0301", ["Caf\u00e9"]),
        (split_words, "O_RDONLY москва 'quoted' a'", ["O_RDONLY", "москва", "quoted", "a"]),
        (split_words, "हिन्दी में लिखा", ["हिन्दी", "में", "लिखा"]),
        (split_words, "東京 カタカナ 서울의", ["東", "京", "カタカナ", "서울의"]),
        (split_words, "soft\u00adhyphen \ufeffmark\u200e", ["softhyphen", "mark"]),
        (split_words, "می\u200cخواهم house\u200d", ["می\u200cخواهم", "house"]),
        (split_words, "note:this", ["note", "this"]),
        (split_words, "– … ! 😀", []),
    ],
)
def test_tokens_by_hand(split, text, tokens):
    assert split(text) == tokens


@pytest.mark.parametrize(
    ("language", "text", "tokens"),
    [
        (
            "fr",
            "l'eau d’été aujourd'hui qu'il",
            ["l", "eau", "d", "été", "aujourd'hui", "qu", "il"],
        ),
        ("it", "dell'acqua l'ora", ["dell", "acqua", "l", "ora"]),
        ("en", "l'eau", ["l'eau"]),
        ("sv", "EU:s lag", ["EU:s", "lag"]),
        ("fi", "EU:n laki", ["EU:n", "laki"]),
        ("ca", "l'aigua", ["l", "aigua"]),
        ("en", "EU:s", ["EU", "s"]),
    ],
)
def test_languages_join_and_elide_their_own_way(language, text, tokens):
    assert split_words(text, language) == tokens


@cache
def kind_of(character):
    names = ("ALetter", "Hebrew_Letter", "Numeric", "ExtendNumLet", "Katakana", "Extend", "Format")
    for name in (*names, "ZWJ", "MidLetter", "MidNum", "MidNumLet", "Single_Quote"):
        if regex.match(rf"\p{{WB={name}}}", character):
            return name
    return "Other"


IGNORED = {"Extend", "Format", "ZWJ"}
LETTERS = {"ALetter", "Hebrew_Letter"}


def joined(before, left, right, after):
    """Whether UAX #29 (rules 5 to 13b) forbids a boundary between two characters."""
    if right in IGNORED:
        return True
    between_letters = {"MidLetter", "MidNumLet", "Single_Quote"}
    between_digits = {"MidNum", "MidNumLet", "Single_Quote"}
    return (
        (left in LETTERS and right in LETTERS)
        or (left in LETTERS and right in between_letters and after in LETTERS)
        or (before in LETTERS and left in between_letters and right in LETTERS)
        or ({left, right} <= LETTERS | {"Numeric"})
        or (left == "Numeric" and right in between_digits and after == "Numeric")
        or (before == "Numeric" and left in between_digits and right == "Numeric")
        or (left == right == "Katakana")
        or (left in {*LETTERS, "Numeric", "Katakana", "ExtendNumLet"} and right == "ExtendNumLet")
        or (left == "ExtendNumLet" and right in {*LETTERS, "Numeric", "Katakana"})
    )


def slow_words(text):
    """Split between characters by the rules, those that extend others left aside."""
    clusters = []
    for character in text:
        if clusters and kind_of(character) in IGNORED and clusters[-1] not in "\n ":
            clusters[-1] += character
        else:
            clusters.append(character)
    kinds = ["", *(kind_of(cluster[0]) for cluster in clusters), "", ""]
    words, word = [], ""
    for n, cluster in enumerate(clusters, start=1):
        if word and joined(kinds[n - 2] if n > 1 else "", kinds[n - 1], kinds[n], kinds[n + 1]):
            word += cluster
        else:
            words.append(word)
            word = cluster
    return [w for w in [*words, word] if regex.match(r"[\p{L}\p{N}\p{WB=ExtendNumLet}]", w)]


def test_every_character_of_the_easy_road_is_taken_as_unicode_has_it():
    # Colons are tailored by language; the others occur in no word.
    apart = {*":¸\u2018\u2024\u2027", "\xad", "\u2019", "\u02bc"}
    european = [
        c for c in map(chr, range(0x30, 0x2060)) if not _NOT_EUROPEAN.match(c) and c not in apart
    ]
    assert len(european) > 1000
    for character in european:
        if unicodedata.is_normalized("NFC", character):
            for text in (f"a{character}b", f"1{character}2", character * 2, f" {character}"):
                assert split_words(text) == slow_words(text), text


@given(st.text(alphabet="aZé_9'.,; -אЯकषि東ไ\u0301\u200d", max_size=30))
def test_words_lie_between_unicodes_boundaries(text):
    composed = unicodedata.normalize("NFC", text)
    slow = [word.strip("\u200c\u200d") for word in slow_words(composed)]
    assert split_words(text) == [word for word in slow if word]


@given(st.text(alphabet="aZ_9'.,;: -\né", max_size=40))
def test_the_easy_road_is_the_road_for_all(text):
    assert split_words(text) == split_words(f"{text} 東")[:-1]


@given(st.text())
def test_ascii_tokens_are_runs_of_letters_and_digits(text):
    assert all(re.fullmatch("[a-z0-9]+", token) for token in split_ascii(text))


@pytest.mark.parametrize("split", [split_whitespace, split_ascii, split_words])
@given(left=st.text(), right=st.text())
def test_a_line_break_never_joins_tokens(split, left, right):
    assert split(f"{left}\n{right}") == split(left) + split(right)


def test_a_cedilla_without_a_letter_is_no_word():
    assert split_words("a ¸ b") == ["a", "b"]
    assert split_words("a ¸ ʰ") == ["a", "ʰ"]


def test_source_words_are_white_space_words():
    assert count_source_words(" don't  stop…\nnow ") == 3


@pytest.mark.parametrize(("text", "count"), [("北京 ab", 2), ("北京 a", 2), ("北京a", 3)])
def test_characters_count_as_words_if_more_than_half_are_of_a_script_without_spaces(text, count):
    assert count_source_words(text) == count
