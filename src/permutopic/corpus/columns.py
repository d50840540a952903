"""A corpus while it grows, and parts of one that grow apart and are put together."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from permutopic.corpus.encoded import EncodedDocument
    from permutopic.text.units import ShortUnitCounts


@dataclass
class Columns:
    """A corpus while it grows: one entry for each token, unit or document."""

    words: array[int] = field(default_factory=lambda: array("i"))
    lengths: array[int] = field(default_factory=lambda: array("i"))
    source_words: array[int] = field(default_factory=lambda: array("q"))
    source_spans: array[int] = field(default_factory=lambda: array("q"))
    headings: list[str | None] = field(default_factory=list)
    labels: list[str | None] = field(default_factory=list)
    sizes: array[int] = field(default_factory=lambda: array("i"))
    titles: list[str] = field(default_factory=list)
    locations: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)

    def append(self, document: EncodedDocument, *, keep_texts: bool) -> None:
        """Append one document."""
        self.words.frombytes(document.tokens.words.tobytes())
        self.lengths.frombytes(np.diff(document.tokens.offsets).astype(np.int32).tobytes())
        self.source_words.frombytes(document.source_words.tobytes())
        self.source_spans.frombytes(document.source_spans.tobytes())
        self.headings += document.headings
        self.labels += document.labels
        self.sizes.append(document.n_units)
        self.titles.append(document.title)
        self.locations.append(document.location)
        if keep_texts:
            self.texts += document.texts

    def extend(self, later: Columns) -> None:
        """Append the documents of other columns, whose words have the same numbers."""
        for name, values in vars(later).items():
            getattr(self, name).extend(values)


@dataclass
class EncodedPart:
    """What an encoder made of some documents, for the encoder of all of them.

    Attributes
    ----------
    columns
        The documents.
    vocabulary
        Their words by number, in the order of their first occurrence; None if the encoder was
        given a vocabulary, whose numbers they have.
    frequency
        The number of documents of each word; empty unless words are left out by it.
    short_units, empty, too_short, unknown
        As in `Encoder`.
    """

    columns: Columns
    vocabulary: list[str] | None
    frequency: dict[int, int]
    short_units: ShortUnitCounts
    empty: list[str]
    too_short: list[str]
    unknown: int
