"""One document in the numbers of a vocabulary: what goes from the readers to the kernels."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from permutopic.documents import Unit


class DocumentTokens(NamedTuple):
    """The part of a document that the model sees, in the form that compiled code takes.

    `words` has the number of every token's word; unit u has tokens `offsets[u]` up to
    `offsets[u + 1]`.
    """

    words: NDArray[np.int32]
    offsets: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class EncodedDocument:
    """A document cut into units and encoded, by an `Encoder` or taken out of a `Corpus`.

    Attributes
    ----------
    title, location
        What it is called, and where it was read.
    tokens
        Words and units as numbers.
    unknown
        (units,): tokens that are not in the vocabulary.
    source_words
        (units,): white-space words of the source.
    source_spans
        (units, 2): where each unit begins and ends in the source, in characters; −1 if unknown.
    headings, labels
        One for each unit, None where unknown. No sampler is given them.
    texts
        Each unit's text; empty if it was not kept.
    units
        The units as they were cut; empty for a document of a corpus.
    """

    title: str
    location: str
    tokens: DocumentTokens
    unknown: NDArray[np.int64]
    source_words: NDArray[np.int64]
    source_spans: NDArray[np.int64]
    headings: tuple[str | None, ...]
    labels: tuple[str | None, ...]
    texts: tuple[str, ...] = ()
    units: tuple[Unit, ...] = ()

    @property
    def n_units(self) -> int:
        """The number of units."""
        return self.tokens.offsets.size - 1

    @property
    def n_tokens(self) -> int:
        """The number of tokens that are in the vocabulary."""
        return self.tokens.words.size

    @cached_property
    def digest(self) -> int:
        """A number of 64 bits that identifies the document by its words and units."""
        return digest_tokens(self.tokens)


def digest_tokens(tokens: DocumentTokens) -> int:
    """Digest words and units to 64 bits."""
    words = np.ascontiguousarray(tokens.words, dtype="<i4")
    digest = hashlib.blake2b(words.tobytes(), digest_size=8)
    digest.update(np.asarray(tokens.offsets - tokens.offsets[0], dtype="<i8").tobytes())
    return int.from_bytes(digest.digest(), "little")
