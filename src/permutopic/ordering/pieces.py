"""Order pieces that are given as text."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from permutopic.checks import check_choice
from permutopic.errors import InputError, InputWarning, Parameter
from permutopic.ordering.order import DEFAULT_METHOD, METHODS, Ordering, order_pieces

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from permutopic.model.priors import Priors
    from permutopic.model.state import State
    from permutopic.ordering.positions import PositionCounts
    from permutopic.text.tokens import Tokens


def order_texts(
    pieces: Iterable[str | Iterable[str]],
    *,
    tokens: Tokens,
    vocabulary: Sequence[str],
    state: State,
    priors: Priors,
    positions: PositionCounts,
    method: str = DEFAULT_METHOD,
    ids: Iterable[object] | None = None,
) -> Ordering:
    """Put pieces of text, each a string or a list of paragraphs, in order (see `order_pieces`).

    Ties are broken by a digest of the text and the id. Without `ids`, pieces with the same text
    are interchangeable. Pieces without a word that the model knows are placed by the prior, with
    a warning.
    """
    check_choice(method, "method", METHODS)
    paragraphs = _paragraphs(pieces)
    names = () if ids is None else tuple(ids)
    if ids is not None and len(names) != len(paragraphs):
        raise InputError(
            Parameter("ids"), f" has {len(names)} ids for {len(paragraphs)} pieces: give one each"
        )
    encoded = encode_pieces(paragraphs, tokens, vocabulary)
    unknown = [n for n, piece in enumerate(encoded) if not any(part.size for part in piece)]
    if unknown:
        several = f"{len(unknown)} pieces have" if len(unknown) > 1 else "1 piece has"
        warnings.warn(
            f"{several} no word that the model knows (the first is piece {unknown[0] + 1}): "
            "the position given is that of just any text",
            InputWarning,
            stacklevel=2,
        )
    texts = ["\n\n".join(parts) for parts in paragraphs]
    keys = texts if ids is None else [f"{t}\0{n}" for t, n in zip(texts, names, strict=True)]
    found = order_pieces(encoded, state, priors, positions, method=method, keys=keys)
    return replace(found, texts=tuple(texts), ids=names)


def encode_pieces(
    pieces: Iterable[Iterable[str]], tokens: Tokens, vocabulary: Sequence[str]
) -> list[list[NDArray[np.int64]]]:
    """Encode the paragraphs of pieces as indices into a vocabulary; drop unknown words.

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
    """Check pieces, and return the paragraphs of each; a string is one paragraph."""
    if isinstance(pieces, str) or not isinstance(pieces, Iterable):
        raise InputError(Parameter("pieces"), f" is a list of texts, not {type(pieces).__name__}")
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
