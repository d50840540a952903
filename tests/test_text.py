from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from permutopic.errors import InputError
from permutopic.text import TOKENIZERS, count_source_words, tokenizer


@pytest.mark.parametrize(
    ("name", "text", "tokens"),
    [
        ("whitespace", " The  cat,\tsat.\n", ["The", "cat,", "sat."]),
        ("ascii", "León's 2nd CAT_2", ["le", "n", "s", "2nd", "cat", "2"]),
        ("words", "The CAT, don't sit: 3.5 °C", ["the", "cat", "don't", "sit", "3", "5", "c"]),
        ("words", "L’eau, ÉTÉ; Straße", ["l’eau", "été", "straße"]),
        ("words", "Cafe\u0301", ["caf\u00e9"]),
        ("words", "O_RDONLY москва 東京", ["o_rdonly", "москва", "東京"]),
        ("words", "– … !", []),
    ],
)
def test_tokens_by_hand(name, text, tokens):
    assert tokenizer(name)(text) == tokens


@given(st.text())
def test_ascii_tokens_are_runs_of_letters_and_digits(text):
    assert all(re.fullmatch("[a-z0-9]+", token) for token in tokenizer("ascii")(text))


@given(st.sampled_from(sorted(TOKENIZERS)), st.text(), st.text())
def test_a_line_break_never_joins_tokens(name, left, right):
    split = tokenizer(name)
    assert split(f"{left}\n{right}") == split(left) + split(right)


def test_source_words_are_white_space_words():
    assert count_source_words(" don't  stop…\nnow ") == 3


def test_an_unknown_tokeniser_is_refused_with_the_known_ones():
    with pytest.raises(InputError, match="words, whitespace, ascii, not 'letters'"):
        tokenizer("letters")
