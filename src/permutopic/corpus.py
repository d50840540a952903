"""A corpus as flat, frozen arrays: tokens, where units end, where documents end.

A *unit* is what gets one topic: a paragraph, most of the time. Headings and labels stand beside
the units for evaluation; no sampler is given them.
"""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from permutopic.errors import InputError
from permutopic.text import count_source_words, tokenizer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True)
class Unit:
    """One paragraph of a document as it was read."""

    text: str
    heading: str | None = None
    label: str | None = None


@dataclass(frozen=True)
class Document:
    """One document as it was read; `place` says where, for messages about it."""

    title: str
    units: tuple[Unit, ...]
    place: str


@dataclass(frozen=True, eq=False, repr=False)
class Corpus:
    """Documents as arrays, validated when made and never changed afterwards.

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
    tokens
        How text became tokens, so that new text can be treated alike.
    places
        Where each document was read, for messages about it; empty where nobody knows.

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
    tokens: str = "words"
    places: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("words", "unit_offsets", "document_offsets", "source_words"):
            kind = np.int32 if name == "words" else np.int64
            frozen = np.array(getattr(self, name), dtype=kind)
            frozen.flags.writeable = False
            object.__setattr__(self, name, frozen)
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
        """Count the units of all documents."""
        return self.unit_offsets.size - 1

    @property
    def n_words(self) -> int:
        """W: the size of the vocabulary."""
        return len(self.vocabulary)

    @property
    def n_tokens(self) -> int:
        """Count the tokens of all documents."""
        return self.words.size

    @cached_property
    def document_sizes(self) -> NDArray[np.int64]:
        """N_d: the number of units of each document."""
        sizes = np.diff(self.document_offsets)
        sizes.flags.writeable = False
        return sizes

    def units_of(self, document: int) -> slice:
        """Give the units of one document as a slice of any array over units."""
        return slice(int(self.document_offsets[document]), int(self.document_offsets[document + 1]))

    def reference(self, kind: str) -> tuple[str, ...]:
        """Give each unit's "heading", or its "label" with the heading standing in for none."""
        if kind not in {"heading", "label"}:
            raise InputError(f"a reference is 'heading' or 'label', not {kind!r}")
        found = [
            label if kind == "label" and label is not None else heading
            for label, heading in zip(self.labels, self.headings, strict=True)
        ]
        known = tuple(name for name in found if name is not None)
        if len(known) < len(found):
            unit = found.index(None)
            document = int(np.searchsorted(self.document_offsets, unit, side="right")) - 1
            place = f"{self.places[document]}: " if self.places else ""
            raise InputError(
                f"{place}document {self.titles[document]!r} has a unit without a heading: "
                "scoring needs one for every unit"
            )
        return known

    @cached_property
    def fingerprint(self) -> str:
        """Digest what a model sees: tokens, vocabulary and where units and documents end."""
        digest = hashlib.sha256()
        for part in (self.words, self.unit_offsets, self.document_offsets):
            digest.update(str(part.size).encode() + b":")
            digest.update(part.astype("<i8").tobytes())
        digest.update("\n".join(self.vocabulary).encode("utf-8", "surrogatepass"))
        return digest.hexdigest()

    @classmethod
    def from_documents(cls, documents: Iterable[Document], tokens: str = "words") -> Corpus:
        """Tokenise documents that a reader gives; `tokens` names a tokeniser of `text`."""
        split = tokenizer(tokens)
        numbers: dict[str, int] = {}
        flat = array("i")
        lengths: list[int] = []
        source_words: list[int] = []
        headings: list[str | None] = []
        labels: list[str | None] = []
        sizes: list[int] = []
        titles: list[str] = []
        places: list[str] = []
        for document in documents:
            before = len(flat)
            for unit in document.units:
                found = split(unit.text)
                flat.extend(numbers.setdefault(token, len(numbers)) for token in found)
                lengths.append(len(found))
                source_words.append(count_source_words(unit.text))
                headings.append(unit.heading)
                labels.append(unit.label)
            sizes.append(len(document.units))
            titles.append(document.title)
            places.append(document.place)
            _check_document(document, len(flat) - before, tokens)
        if not sizes:
            raise InputError("the corpus has no document: at least one is needed")
        vocabulary = sorted(numbers)
        place = np.empty(len(vocabulary), dtype=np.int32)
        place[[numbers[token] for token in vocabulary]] = np.arange(len(vocabulary))
        return cls(
            words=place[np.frombuffer(flat, dtype=np.int32)],
            unit_offsets=offsets_from_sizes(lengths),
            document_offsets=offsets_from_sizes(sizes),
            vocabulary=tuple(vocabulary),
            titles=tuple(titles),
            source_words=np.array(source_words),
            headings=tuple(headings),
            labels=tuple(labels),
            tokens=tokens,
            places=tuple(places),
        )

    @classmethod
    def from_paragraphs(
        cls,
        documents: Iterable[Iterable[str]],
        *,
        titles: Sequence[str] | None = None,
        tokens: str = "words",
    ) -> Corpus:
        """Make a corpus of documents that are lists of paragraphs."""
        if isinstance(documents, str) or not isinstance(documents, Iterable):
            raise InputError(
                f"documents are {type(documents).__name__}: give a list of lists of paragraphs"
            )
        read = [_document_from_strings(d, paragraphs) for d, paragraphs in enumerate(documents)]
        if titles is not None:
            if len(titles) != len(read):
                raise InputError(f"{len(read)} documents need as many titles, not {len(titles)}")
            read = [
                Document(title, document.units, document.place)
                for title, document in zip(titles, read, strict=True)
            ]
        return cls.from_documents(read, tokens)


def offsets_from_sizes(sizes: ArrayLike) -> NDArray[np.int64]:
    """Turn sizes into offsets: 0, then the running total."""
    return np.concatenate([[0], np.cumsum(np.asarray(sizes, dtype=np.int64))])


def _document_from_strings(number: int, paragraphs: Iterable[str]) -> Document:
    place = f"document {number}"
    if isinstance(paragraphs, str) or not isinstance(paragraphs, Iterable):
        raise InputError(f"{place} is {type(paragraphs).__name__}: give a list of paragraphs")
    paragraphs = list(paragraphs)
    for position, paragraph in enumerate(paragraphs):
        if not isinstance(paragraph, str):
            raise InputError(
                f"{place}, paragraph {position} is {type(paragraph).__name__}: give a string"
            )
    return Document(str(number), tuple(Unit(paragraph) for paragraph in paragraphs), place)


def _check_document(document: Document, n_tokens: int, tokens: str) -> None:
    if not document.units:
        raise InputError(
            f"{document.place}: {document.title!r} has no paragraph: give it one or leave it out"
        )
    if n_tokens == 0:
        raise InputError(
            f"{document.place}: {document.title!r} has no word with tokens={tokens!r}: "
            "give it text or leave it out"
        )


def _check(corpus: Corpus) -> None:
    """Hold the arrays to what the sampler relies on."""
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
            raise InputError(f"{name} must climb from 0 to {end}")
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
        *([("places", corpus.n_documents)] if corpus.places else []),
    ):
        if len(getattr(corpus, name)) != length:
            raise InputError(f"{name} needs {length} entries, not {len(getattr(corpus, name))}")
