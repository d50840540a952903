"""From documents to a corpus: units cut, words numbered, rare and common ones left out."""

from __future__ import annotations

from array import array
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, NoReturn, TypeVar

import numpy as np

from permutopic.corpus.arrays import Corpus, offsets_from_sizes
from permutopic.errors import InputError
from permutopic.text.splitting import count_source_words
from permutopic.text.tokens import Tokens
from permutopic.text.units import ShortUnitCounts, Units

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from permutopic.documents import Document

T = TypeVar("T")
Number = TypeVar("Number", np.int32, np.int64)
_BLOCK = 1 << 20


@dataclass
class Columns:
    """A corpus while it grows: one entry for each token, unit or document."""

    words: array[int] = field(default_factory=lambda: array("i"))
    lengths: array[int] = field(default_factory=lambda: array("i"))
    source_words: array[int] = field(default_factory=lambda: array("q"))
    spans: array[int] = field(default_factory=lambda: array("q"))
    headings: list[str | None] = field(default_factory=list)
    labels: list[str | None] = field(default_factory=list)
    sizes: array[int] = field(default_factory=lambda: array("i"))
    titles: list[str] = field(default_factory=list)
    locations: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)


class EncodedDocument(NamedTuple):
    """One document in the words of a vocabulary, for who wants no corpus.

    `document` has the units that it was cut into; unit u has `offsets[u]` up to `offsets[u + 1]` of
    the words, and `unknown[u]` tokens that the vocabulary does not have.
    """

    document: Document
    words: NDArray[np.int32]
    offsets: NDArray[np.int64]
    unknown: NDArray[np.int64]


class Encoder:
    """Makes a corpus of documents.

    Parameters
    ----------
    tokens, units
        How text becomes tokens, and documents units.
    vocabulary
        The words of a model, for documents that it has not seen: others are left out and counted
        in `unknown`. None: whatever words the documents have. A dictionary from words to their
        numbers will do, and is not copied.
    skip_empty
        Leave documents without a word out and name them in `empty`, instead of refusing them.
    keep_texts
        Let the corpus keep the text of its units, for what goes by more than words.

    Attributes
    ----------
    counts
        What became of units that were too short.
    empty, too_short
        The locations of documents that had no word, or no unit of `min_words` words.
    unknown
        Tokens that the vocabulary does not have.
    left_out
        Words left out for being in too few or too many documents.
    """

    def __init__(
        self,
        tokens: object = "words",
        units: object = "paragraph",
        *,
        vocabulary: Sequence[str] | dict[str, int] | None = None,
        skip_empty: bool = False,
        keep_texts: bool = False,
    ) -> None:
        self.tokens, self.units = Tokens.of(tokens), Units.of(units)
        self.counts = ShortUnitCounts()
        self.empty: list[str] = []
        self.too_short: list[str] = []
        self.unknown = self.left_out = 0
        self._vocabulary = vocabulary
        self._skip_empty = skip_empty
        self._keep_texts = keep_texts
        self._split = self.tokens.splitter()
        self._numbers: dict[str, int] = defaultdict()
        if vocabulary is None:
            self._numbers.default_factory = self._numbers.__len__
        elif isinstance(vocabulary, dict):
            self._numbers = vocabulary
        else:
            self._numbers = {word: number for number, word in enumerate(vocabulary)}
            if isinstance(vocabulary, str) or len(self._numbers) < len(vocabulary):
                raise InputError("a vocabulary is a list of words, each of them once")
        self._filters = vocabulary is None and self.tokens.filters
        self._frequency: defaultdict[int, int] = defaultdict(int)
        self._names: dict[str | None, str | None] = {}

    def encode(self, documents: Iterable[Document]) -> Corpus:
        """Take documents one by one and give the corpus."""
        columns = Columns()
        for document in documents:
            self._add(self.units.cut(document, self.counts), columns)
        if not columns.sizes:
            raise InputError(self._nothing())
        return self._finish(columns)

    def encode_one(self, document: Document) -> EncodedDocument:
        """Cut and number one document, which may be without a known word, but not without units."""
        cut = self.units.cut(document, self.counts)
        if not cut.units:
            self._complain(cut)
        numbered, unknown = [], []
        for unit in cut.units:
            tokens = self._split(unit.text)
            numbered.append(self._number(tokens))
            unknown.append(len(tokens) - len(numbered[-1]))
        words = np.array([word for unit in numbered for word in unit], dtype=np.int32)
        return EncodedDocument(
            cut, words, offsets_from_sizes([len(unit) for unit in numbered]), np.array(unknown)
        )

    def _add(self, document: Document, columns: Columns) -> None:
        before = len(columns.words)
        lengths, spans = [], []
        for unit in document.units:
            found = self._number(self._split(unit.text))
            columns.words.extend(found)
            lengths.append(len(found))
            spans += [unit.start, unit.end]
        if len(columns.words) == before:
            self._refuse(document)
            return
        columns.lengths.extend(lengths)
        columns.spans.extend(spans)
        columns.source_words.extend([count_source_words(unit.text) for unit in document.units])
        # Headings recur: one string for all of the same wording.
        columns.headings += [self._names.setdefault(u.heading, u.heading) for u in document.units]
        columns.labels += [self._names.setdefault(u.label, u.label) for u in document.units]
        if self._keep_texts:
            columns.texts += [unit.text for unit in document.units]
        columns.sizes.append(len(lengths))
        columns.titles.append(document.title)
        columns.locations.append(document.location)
        if self._filters:
            for number in set(columns.words[before:]):
                self._frequency[number] += 1

    def _number(self, tokens: list[str]) -> list[int]:
        numbers = self._numbers
        if self._vocabulary is None:
            return list(map(numbers.__getitem__, tokens))
        known = [numbers[token] for token in tokens if token in numbers]
        self.unknown += len(tokens) - len(known)
        return known

    def _nothing(self) -> str:
        if self.too_short:
            return (
                f"none of the documents ({self.too_short[0]} for one) has a unit of "
                f"{self.units.min_words} words: lower min_words, or merge short units"
            )
        if not self.empty:
            return "the corpus has no document: at least one is needed"
        which = f"of {len(self.empty)} documents ({self.empty[0]} for one)"
        return f"none {which} has a word {self._sort_of_word()}: give one that has"

    def _sort_of_word(self) -> str:
        if self._vocabulary is None:
            return f"with tokens={str(self.tokens)!r}"
        return "that the model knows"

    def _refuse(self, document: Document) -> None:
        if self._skip_empty:
            dropped = self._is_dropped(document)
            (self.too_short if dropped else self.empty).append(document.location)
            return
        self._complain(document)

    def _is_dropped(self, document: Document) -> bool:
        return not document.units and self.units.min_words > 1

    def _complain(self, document: Document) -> NoReturn:
        name = f"{document.location}: {document.title!r}"
        if self._is_dropped(document):
            raise InputError(f"{name} has no unit of {self.units.min_words} words (min_words)")
        if not document.units:
            raise InputError(f"{name} has no paragraph: give it one or leave it out")
        raise InputError(f"{name} has no word {self._sort_of_word()}: give it text or leave it out")

    def _finish(self, columns: Columns) -> Corpus:
        if self._vocabulary is None:
            vocabulary = sorted(self._numbers)
            order = np.empty(len(vocabulary), dtype=np.int32)
            order[[self._numbers[word] for word in vocabulary]] = np.arange(len(vocabulary))
        else:
            vocabulary = list(self._vocabulary)
            order = np.arange(len(vocabulary), dtype=np.int32)
        words = np.frombuffer(columns.words, dtype=np.int32)
        for begin in range(0, words.size, _BLOCK):  # in place: the tokens are most of the memory
            words[begin : begin + _BLOCK] = order[words[begin : begin + _BLOCK]]
        corpus = Corpus(
            words=_frozen(words),
            unit_offsets=_frozen(offsets_from_sizes(columns.lengths)),
            document_offsets=offsets_from_sizes(columns.sizes),
            vocabulary=tuple(vocabulary),
            titles=_moved(columns.titles),
            source_words=_frozen(np.frombuffer(columns.source_words, dtype=np.int64)),
            headings=_moved(columns.headings),
            labels=_moved(columns.labels),
            tokens=self.tokens,
            units=self.units,
            spans=_frozen(np.frombuffer(columns.spans, dtype=np.int64).reshape(-1, 2)),
            locations=_moved(columns.locations),
            texts=_moved(columns.texts),
        )
        if not self._filters:
            return corpus
        frequency = np.zeros(len(vocabulary), dtype=np.int64)
        for number, count in self._frequency.items():
            frequency[order[number]] = count
        return self._filtered(corpus, frequency)

    def _filtered(self, corpus: Corpus, frequency: NDArray[np.int64]) -> Corpus:
        n_documents = corpus.n_documents
        least = _as_count(self.tokens.min_df, n_documents)
        most = _as_count(self.tokens.max_df, n_documents)
        wanted = (frequency >= least) & (frequency <= most)
        self.left_out = int(np.count_nonzero(~wanted))
        kept_tokens = wanted[corpus.words]
        before = np.concatenate([[0], np.cumsum(kept_tokens)])
        offsets = before[corpus.unit_offsets]
        full = np.diff(offsets[corpus.document_offsets]) > 0
        for document in np.flatnonzero(~full):
            location, title = corpus.locations[document], corpus.titles[document]
            if not self._skip_empty:
                raise InputError(
                    f"{location}: {title!r} has no word that is in at least {least:g} and at most "
                    f"{most:g} documents (min_df, max_df): give it text or leave it out"
                )
            self.empty.append(location)
        if not full.any():
            raise InputError(
                f"min_df={self.tokens.min_df} and max_df={self.tokens.max_df} leave no word: "
                f"there are {n_documents} documents"
            )
        number = np.cumsum(wanted, dtype=np.int32) - 1
        kept_units = np.repeat(full, corpus.document_sizes)
        return Corpus(
            words=number[corpus.words[kept_tokens]],
            unit_offsets=offsets_from_sizes(np.diff(offsets)[kept_units]),
            document_offsets=offsets_from_sizes(corpus.document_sizes[full]),
            vocabulary=tuple(w for w, keep in zip(corpus.vocabulary, wanted, strict=True) if keep),
            titles=_only(corpus.titles, full),
            source_words=corpus.source_words[kept_units],
            headings=_only(corpus.headings, kept_units),
            labels=_only(corpus.labels, kept_units),
            tokens=corpus.tokens,
            units=corpus.units,
            spans=corpus.spans[kept_units],
            locations=_only(corpus.locations, full),
            texts=_only(corpus.texts, kept_units) if corpus.texts else (),
        )


def _frozen(array: NDArray[Number]) -> NDArray[Number]:
    """Mark an array that nobody else has as frozen, so that the corpus need not copy it."""
    array.flags.writeable = False
    return array


def _moved(values: list[T]) -> tuple[T, ...]:
    """Make a tuple of a list and empty the list: there may be millions."""
    moved = tuple(values)
    values.clear()
    return moved


def _as_count(limit: float, n_documents: int) -> float:
    # 0.07 of 100 documents are 7, and not a hair more.
    return limit if isinstance(limit, int) else round(limit * n_documents, 6)


def _only(values: Sequence[T], keep: NDArray[np.bool_]) -> tuple[T, ...]:
    return tuple(value for value, kept in zip(values, keep, strict=True) if kept)
