"""Pieces as text."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from permutopic.corpus import Corpus
from permutopic.errors import InputError, InputWarning
from permutopic.model.priors import Priors
from permutopic.model.state import make_state
from permutopic.ordering import count_positions, order_texts
from permutopic.ordering.files import LoosePiece, read_pieces
from permutopic.ordering.pieces import encode_pieces
from permutopic.text.tokens import Tokens

COAST, HILL, TOWN = "Salt sea waves.", "Snow on rocks.", "Town hall, market."


@pytest.fixture(scope="module")
def learned():
    corpus = Corpus.from_paragraphs([[COAST, HILL, TOWN]] * 5)
    state = make_state(
        corpus, np.ones((5, 3), dtype=np.int64), np.zeros((5, 2), dtype=np.int64), np.ones(2)
    )
    return {
        "tokens": corpus.tokens,
        "vocabulary": corpus.vocabulary,
        "state": state,
        "priors": Priors.for_documents(5),
        "positions": count_positions(corpus, state.all_topics(), 3),
    }


@pytest.mark.parametrize("method", ["pairs", "positions", "topics", "map"])
def test_texts_are_ordered_by_their_known_words(learned, method):
    found = order_texts(["A MARKET in town!", HILL, "waves; waves"], **learned, method=method)
    assert found.order.tolist() == [2, 1, 0]
    assert found.topics.tolist() == [2, 1, 0]


def test_a_piece_may_be_a_list_of_paragraphs(learned):
    found = order_texts([["Town.", "Market."], ["Sea.", "Salt."]], **learned)
    assert found.order.tolist() == [1, 0]
    one_by_one = order_texts(iter(["Town.\n\nMarket.", "Sea.\n\nSalt."]), **learned)
    assert one_by_one.order.tolist() == [1, 0]


def test_unknown_words_are_left_out():
    found = encode_pieces([["sea who sea", "?"], []], Tokens(), ("salt", "sea"))
    assert [[part.tolist() for part in piece] for piece in found] == [[[1, 1], []], []]


def test_pieces_without_a_known_word_are_warned_of_and_ordered_by_their_text(learned):
    texts = [TOWN, "qqq", "rrr", COAST]
    message = "2 pieces have no word that the model knows .the first is piece 2.: "
    with pytest.warns(InputWarning, match=message):
        first = order_texts(texts, **learned)
    with pytest.warns(InputWarning, match="2 pieces"):
        second = order_texts(texts[::-1], **learned)
    assert [texts[n] for n in first.order] == [texts[::-1][n] for n in second.order]
    with pytest.warns(InputWarning, match="1 piece has no word"):
        order_texts([TOWN, "qqq"], **learned)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        order_texts([TOWN], **learned)


@pytest.mark.parametrize(
    ("pieces", "message"),
    [
        ("one text", "pieces is a list of texts, not str"),
        (None, "pieces is a list of texts, not NoneType"),
        ([TOWN, 3], "piece 2 is int: give a string or a list of strings"),
        ([[TOWN, None]], "piece 1 is NoneType: give a string"),
        ([b"sea"], "piece 1 is bytes: give a string"),
        ([{"text": TOWN}], "piece 1 is dict: give a string"),
        ([], "no piece to order"),
    ],
)
def test_what_is_no_text_is_refused(learned, pieces, message):
    with pytest.raises(InputError, match=message):
        order_texts(pieces, **learned)


def test_the_method_is_checked_before_anything_is_read(learned):
    def texts():
        raise AssertionError("read")
        yield

    with pytest.raises(InputError, match="method is one of"):
        order_texts(texts(), **learned, method="best")


@pytest.fixture
def written(tmp_path):
    def write(text):
        path = tmp_path / "pieces.jsonl"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def test_pieces_are_read_with_their_ids(written):
    text = '{"id": "b", "text": "Sea.\\n\\nSalt.", "more": 1}\n\n{"text": "", "id": 7}\n'
    first, second = LoosePiece("b", "Sea.\n\nSalt."), LoosePiece(7, "")
    assert read_pieces(written(text)) == [first, second]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"id": "a", "text": "x"}\nsea', ":2: this line cannot be read as JSON: give one"),
        ("[" * 100_000, ":1: this line cannot be read as JSON"),
        ("[]", ":1: this line is no object"),
        ('{"text": "x"}', ':1: there is no "id"'),
        ('\n\n{"id": "a"}', ':3: there is no "text"'),
        ('{"id": "a", "text": 3}', ":1: the text is a string, not 3"),
        ('{"id": "a", "text": ["x", "yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy"]}', "not .*y…$"),
        ('{"id": " ", "text": "x"}', ':1: an id is text or a whole number, not " "'),
        ('{"id": null, "text": "x"}', ":1: an id is text or a whole number, not null"),
        ('{"id": true, "text": "x"}', ":1: an id is text or a whole number, not true"),
        ('{"id": 1.5, "text": "x"}', ":1: an id is text or a whole number, not 1.5"),
        ('{"id": "\\ud800", "text": "x"}', ":1: half a character"),
        ('{"id": "1", "text": "x"}\n{"id": 1, "text": "y"}', ":2: the id '1' is that of line 1"),
        ("", "no piece: give lines like"),
        (" \n\n", "no piece: give lines like"),
        (b'{"id": "a", "text": "\xff"}', ":1: "),
    ],
)
def test_bad_lines_are_named(written, text, message):
    path = written(text)
    with pytest.raises(InputError, match=message) as error:
        read_pieces(path)
    assert str(error.value).startswith(str(path))
    assert "\n" not in str(error.value)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(InputError, match=r"none.jsonl: cannot be read .No such file"):
        read_pieces(tmp_path / "none.jsonl")
    with pytest.raises(InputError, match="cannot be read"):
        read_pieces(tmp_path)
