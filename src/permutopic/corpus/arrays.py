"""A corpus as flat, read-only arrays: tokens, offsets of units, offsets of documents.

A *unit* is what gets one topic: a paragraph, most of the time. Headings and labels of units are
kept for evaluation; no sampler is given them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from permutopic.checks import check_choice
from permutopic.corpus.encoded import DocumentTokens, EncodedDocument
from permutopic.corpus.word_index import WordIndex, index_words
from permutopic.documents import Document, Unit
from permutopic.errors import InputError, Parameter
from permutopic.text.tokens import Tokens
from permutopic.text.units import Units

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import ArrayLike, NDArray


LEAD = "(lead)"
_BLOCK = 1 << 20


@dataclass(frozen=True, eq=False, repr=False)
class Corpus:
    """Documents as read-only arrays, validated when made.

    Attributes
    ----------
    words
        Index into `vocabulary` of every token, all documents one after the other.
    unit_offsets
        Unit u holds tokens `unit_offsets[u]` up to `unit_offsets[u + 1]`. A unit may be empty.
    document_offsets
        Document d holds units `document_offsets[d]` up to `document_offsets[d + 1]`.
    source_words
        White-space words of each unit's source text: what segmentation is scored over.
    headings, labels
        One for each unit, None where unknown.
    tokens, units
        How documents were cut into units and text was split into tokens.
    source_spans
        (units, 2): where each unit begins and ends in its document's source, in characters; −1
        where it has no source.
    locations
        Where each document was read; empty if unknown.
    texts
        Each unit's text, if `keep_texts` was asked for; empty otherwise.

    Examples
    --------
    >>> corpus = Corpus.from_paragraphs([["One two.", "Two three."], ["Three!"]])
    >>> corpus.n_documents, corpus.n_units, corpus.vocabulary
    (2, 3, ('one', 'three', 'two'))
    """

    words: NDArray[np.int32]
    unit_offsets: NDArray[np.int64]
    document_offsets: NDArray[np.int64]
    vocabulary: tuple[str, ...]
    titles: tuple[str, ...]
    source_words: NDArray[np.int64]
    headings: tuple[str | None, ...]
    labels: tuple[str | None, ...]
    tokens: Tokens = field(default_factory=Tokens)
    units: Units = field(default_factory=Units)
    source_spans: NDArray[np.int64] = field(
        default_factory=lambda: np.empty((0, 2), dtype=np.int64)
    )
    locations: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("words", "unit_offsets", "document_offsets", "source_words", "source_spans"):
            kind = np.int32 if name == "words" else np.int64
            frozen = np.asarray(getattr(self, name), dtype=kind)
            if frozen.flags.writeable:
                frozen = frozen.copy()
                frozen.flags.writeable = False
            object.__setattr__(self, name, frozen)
        object.__setattr__(self, "tokens", Tokens.of(self.tokens))
        object.__setattr__(self, "units", Units.of(self.units))
        _check(self)

    def __repr__(self) -> str:
        return (
            f"<Corpus: {self.n_documents} documents, {self.n_units} units, "
            f"{self.n_tokens} tokens, {self.n_words} words>"
        )

    @property
    def n_documents(self) -> int:
        """D: the number of documents."""
        return self.document_offsets.size - 1

    @property
    def n_units(self) -> int:
        """The number of units of all documents."""
        return self.unit_offsets.size - 1

    @property
    def n_words(self) -> int:
        """W: the size of the vocabulary."""
        return len(self.vocabulary)

    @property
    def n_tokens(self) -> int:
        """The number of tokens of all documents."""
        return self.words.size

    @cached_property
    def document_sizes(self) -> NDArray[np.int64]:
        """N_d: the number of units of each document."""
        sizes = np.diff(self.document_offsets)
        sizes.flags.writeable = False
        return sizes

    def units_of(self, document: int) -> slice:
        """Return the units of one document as a slice of any array over units."""
        return slice(int(self.document_offsets[document]), int(self.document_offsets[document + 1]))

    def document(self, number: int) -> EncodedDocument:
        """Return one document, its arrays being views of the corpus's."""
        units = self.units_of(number)
        offsets = self.unit_offsets[units.start : units.stop + 1]
        n_units = units.stop - units.start
        return EncodedDocument(
            title=self.titles[number],
            location=self.locations[number] if self.locations else f"document {number}",
            tokens=DocumentTokens(self.words[offsets[0] : offsets[-1]], offsets - offsets[0]),
            unknown=np.zeros(n_units, dtype=np.int64),
            source_words=self.source_words[units],
            source_spans=self.source_spans[units]
            if len(self.source_spans)
            else np.full((n_units, 2), -1),
            headings=self.headings[units],
            labels=self.labels[units],
            texts=self.texts[units],
        )

    def documents(self) -> Iterator[EncodedDocument]:
        """Yield the documents one by one."""
        return map(self.document, range(self.n_documents))

    def reference(self, kind: str) -> tuple[str, ...]:
        """Return each unit's "heading", or its "label", with the heading where it has none.

        Units before a document's first heading form a section of their own, its lead.
        """
        check_choice(kind, "reference", ("heading", "label"))
        found = [
            label if kind == "label" and label is not None else heading
            for label, heading in zip(self.labels, self.headings, strict=True)
        ]
        for document in range(self.n_documents):
            first, last = self.document_offsets[document : document + 2]
            found[first:last] = with_lead(found[first:last])
        known = tuple(name for name in found if name is not None)
        if not known:
            raise InputError("none of these documents has headings: there is nothing to score by")
        if len(known) < len(found):
            unit = found.index(None)
            document = int(np.searchsorted(self.document_offsets, unit, side="right")) - 1
            location = f"{self.locations[document]}: " if self.locations else ""
            raise InputError(
                f"{location}document {self.titles[document]!r} has a unit without a heading: "
                "scoring needs one for every unit; leave it out (",
                Parameter("exclude"),
                ") or give it headings",
            )
        return known

    @cached_property
    def digests(self) -> NDArray[np.uint64]:
        """(D,): numbers of 64 bits that identify the documents by their words and units."""
        return np.array([document.digest for document in self.documents()], dtype=np.uint64)

    @cached_property
    def word_index(self) -> WordIndex:
        """The units and the documents of every word."""
        return index_words(self.words, self.n_words, self.unit_offsets, self.document_offsets)

    @cached_property
    def fingerprint(self) -> str:
        """A digest of what a model sees: tokens, vocabulary, offsets of units and documents."""
        digest = hashlib.sha256()
        for part in (self.words, self.unit_offsets, self.document_offsets):
            digest.update(str(part.size).encode() + b":")
            for begin in range(0, part.size, _BLOCK):  # the copy is eight bytes a token
                digest.update(part[begin : begin + _BLOCK].astype("<i8").tobytes())
        digest.update("\n".join(self.vocabulary).encode("utf-8", "surrogatepass"))
        return digest.hexdigest()

    @classmethod
    def from_documents(
        cls,
        documents: Iterable[Document],
        tokens: object = "words",
        *,
        units: object = "paragraph",
        keep_texts: bool = False,
    ) -> Corpus:
        """Cut documents into units and split these into tokens; refuse one without a word."""
        from permutopic.corpus.encoding import Encoder  # noqa: PLC0415 (it makes corpora)

        return Encoder(tokens, units, keep_texts=keep_texts).encode(documents)

    @classmethod
    def from_paragraphs(
        cls,
        documents: Iterable[Iterable[str]],
        *,
        titles: Sequence[str] | None = None,
        tokens: object = "words",
        keep_texts: bool = False,
    ) -> Corpus:
        """Make a corpus of documents that are lists of paragraphs."""
        read = documents_from_paragraphs(documents)
        if titles is not None:
            if len(titles) != len(read):
                raise InputError(f"{len(read)} documents need as many titles, not {len(titles)}")
            read = [
                replace(document, title=title) for title, document in zip(titles, read, strict=True)
            ]
        return cls.from_documents(read, tokens, keep_texts=keep_texts)


def with_lead(headings: Sequence[str | None]) -> list[str | None]:
    """Give units before a document's first heading, if it has one, the heading "(lead)".

    >>> with_lead([None, "Uses", None]), with_lead([None, None])
    (['(lead)', 'Uses', None], [None, None])
    """
    headed = next((n for n, heading in enumerate(headings) if heading is not None), 0)
    return [*[LEAD] * headed, *headings[headed:]]


def offsets_from_sizes(sizes: ArrayLike) -> NDArray[np.int64]:
    """Compute offsets from sizes: 0, then the cumulative sum."""
    given = np.asarray(sizes)
    offsets = np.zeros(given.size + 1, dtype=np.int64)
    np.cumsum(given, dtype=np.int64, out=offsets[1:])
    return offsets


def documents_from_paragraphs(documents: Iterable[Iterable[str]], first: int = 0) -> list[Document]:
    """Make documents of lists of paragraphs, numbered from `first` on."""
    if isinstance(documents, str) or not isinstance(documents, Iterable):
        raise InputError(
            f"documents are {type(documents).__name__}: give a list of lists of paragraphs"
        )
    return [_document_from_strings(d, paragraphs) for d, paragraphs in enumerate(documents, first)]


def _document_from_strings(number: int, paragraphs: Iterable[str]) -> Document:
    location = f"document {number}"
    if isinstance(paragraphs, str) or not isinstance(paragraphs, Iterable):
        raise InputError(f"{location} is {type(paragraphs).__name__}: give a list of paragraphs")
    paragraphs = list(paragraphs)
    for position, paragraph in enumerate(paragraphs):
        if not isinstance(paragraph, str):
            raise InputError(
                f"{location}, paragraph {position} is {type(paragraph).__name__}: give a string"
            )
    return Document(str(number), tuple(Unit(paragraph) for paragraph in paragraphs), location)


def _check(corpus: Corpus) -> None:
    """Check everything that the sampler relies on."""
    units, documents = corpus.unit_offsets, corpus.document_offsets
    if documents.size < 2:
        raise InputError("the corpus has no document: at least one is needed")
    for name, offsets, end in (
        ("unit_offsets", units, corpus.words.size),
        ("document_offsets", documents, units.size - 1),
    ):
        if (
            offsets.size == 0
            or offsets[0] != 0
            or offsets[-1] != end
            or np.any(np.diff(offsets) < 0)
        ):
            raise InputError(f"{name} must increase from 0 to {end}")
    if np.any(np.diff(documents) == 0):
        empty = int(np.argmin(np.diff(documents)))
        raise InputError(f"document {empty} has no unit: give it one or leave it out")
    if np.any(np.diff(units[documents]) == 0):
        empty = int(np.argmin(np.diff(units[documents])))
        raise InputError(f"document {empty} has no word: give it text or leave it out")
    if corpus.words.min() < 0 or corpus.words.max() >= corpus.n_words:
        raise InputError(f"words must index the vocabulary of {corpus.n_words}")
    for name, length in (
        ("titles", corpus.n_documents),
        ("source_words", corpus.n_units),
        ("headings", corpus.n_units),
        ("labels", corpus.n_units),
        *([("locations", corpus.n_documents)] if corpus.locations else []),
        *([("source_spans", corpus.n_units)] if len(corpus.source_spans) else []),
        *([("texts", corpus.n_units)] if corpus.texts else []),
    ):
        if len(getattr(corpus, name)) != length:
            raise InputError(f"{name} needs {length} entries, not {len(getattr(corpus, name))}")
