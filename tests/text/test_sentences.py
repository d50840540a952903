from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from permutopic.text.sentences import sentence_spans


def sentences(text):
    return [text[begin:end] for begin, end in sentence_spans(text)]


@pytest.mark.parametrize(
    "expected",
    [
        ["One two.", "Three!", "Four?"],
        ["Dr. J. Smith paid $3.50 to Mrs. Jones.", "He left."],
        ["See Fig. 5 and No. 7.", "He said no.", "Then he left."],
        ['He said "Stop!"', '"Why?"', "She ran."],
        ["It rose to 3.5 m.s.l. and fell… slowly, e.g. in May.", "Then it stopped."],
        ["The U.S. Army came.", "They went."],
        ["It has a density of 4.7.", "Few have less."],
        ["1. Boil the water.", "2. Add salt."],
        ["¿Quién es?", "¡Nadie!", "Bien."],
        ["Das ist z.B. Wien.", "Es regnet."],
        ["यह एक वाक्य है।", "यह दूसरा है।"],
        ["هل هذا سؤال؟", "نعم."],
        ["He saw approx. Fifty men."],
        ["It is 5.", "Then 6.", "It ended."],
        ["no end"],
    ],
)
def test_sentences_by_hand(expected):
    assert sentences(" ".join(expected)) == expected


def test_sentences_without_spaces_between_them():
    assert sentences("雨です。「寒い。」帰る！") == ["雨です。", "「寒い。」", "帰る！"]


@given(st.text(alphabet="aB1.!? \n\"'。", max_size=40))
def test_sentences_are_the_text_without_the_space_between(text):
    spans = sentence_spans(text)
    assert "".join("".join(text[b:e].split()) for b, e in spans) == "".join(text.split())
    assert all(a[1] <= b[0] for a, b in pairwise(spans))


def test_a_million_full_stops_are_gone_through_once():
    assert len(sentence_spans("." * 1_000_000 + " x")) == 1
