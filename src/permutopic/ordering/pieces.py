"""Pieces as text, split into the words that a model knows."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from permutopic.errors import InputError, InputWarning
from permutopic.ordering.order import DEFAULT, Ordering, check_method, order_pieces

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from permutopic.model.priors import Priors
    from permutopic.model.state import State
    from permutopic.ordering.places import Places
    from permutopic.text.tokens import Tokens


def order_texts(
    pieces: Iterable[str | Iterable[str]],
    *,
    tokens: Tokens,
    vocabulary: Sequence[str],
    state: State,
    priors: Priors,
    places: Places,
    method: str = DEFAULT,
    ids: Sequence[str] | None = None,
) -> Ordering:
    """Put pieces of text, each a string or a list of paragraphs, in order (see `order_pieces`).

    Pieces of the same text are in the order of their `ids`; without ids they are one like the
    other.

    Pieces without a word that the model knows are placed by the prior, and warned of.
    """
    check_method(method)
    texts = _paragraphs(pieces)
    encoded = encode_pieces(texts, tokens, vocabulary)
    unknown = [n for n, piece in enumerate(encoded) if not any(part.size for part in piece)]
    if unknown:
        several = f"{len(unknown)} pieces have" if len(unknown) > 1 else "1 piece has"
        warnings.warn(
            f"{several} no word that the model knows (the first is piece {unknown[0] + 1}): "
            "the place given is that of just any text",
            InputWarning,
            stacklevel=2,
        )
    keys = ["\n\n".join(paragraphs) for paragraphs in texts]
    if ids is not None:
        keys = [f"{key}\0{name}" for key, name in zip(keys, ids, strict=True)]
    return order_pieces(encoded, state, priors, places, method=method, keys=keys)


def encode_pieces(
    pieces: Iterable[Iterable[str]], tokens: Tokens, vocabulary: Sequence[str]
) -> list[list[NDArray[np.int64]]]:
    """Turn the paragraphs of pieces into numbers of known words; others are left out.

    >>> from permutopic.text.tokens import Tokens
    >>> encoded = encode_pieces([["Salt sea.", "The sea!"]], Tokens(), ["salt", "sea"])
    >>> [paragraph.tolist() for paragraph in encoded[0]]
    [[0, 1], [1]]
    """
    split = tokens.splitter()
    numbers = {word: number for number, word in enumerate(vocabulary)}

    def encode(text: str) -> NDArray[np.int64]:
        return np.array([numbers[word] for word in split(text) if word in numbers], dtype=np.int64)

    return [[encode(text) for text in paragraphs] for paragraphs in pieces]


def _paragraphs(pieces: object) -> list[list[str]]:
    if isinstance(pieces, str) or not isinstance(pieces, Iterable):
        raise InputError(f"pieces are a list of texts, not {type(pieces).__name__}")
    found: list[list[str]] = []
    for number, piece in enumerate(pieces, 1):
        parts: list[Any] = [piece] if isinstance(piece, str) or not _is_list(piece) else list(piece)
        for part in parts:
            if not isinstance(part, str):
                raise InputError(
                    f"piece {number} is {type(part).__name__}: give a string or a list of strings"
                )
        found.append(parts)
    return found


def _is_list(piece: object) -> bool:
    return isinstance(piece, Iterable) and not isinstance(piece, bytes | dict)
