"""Encoding documents: cut into units, split into tokens, words numbered, rare ones left out."""

from __future__ import annotations

from array import array
from collections import defaultdict
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from permutopic.corpus.arrays import Corpus, offsets_from_sizes
from permutopic.corpus.columns import Columns, EncodedPart
from permutopic.corpus.encoded import DocumentTokens, EncodedDocument
from permutopic.corpus.parts import take_documents
from permutopic.errors import InputError, Message, Parameter
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


class Encoder:
    """Makes a corpus of documents.

    Parameters
    ----------
    tokens, units
        How text becomes tokens, and documents units.
    vocabulary
        The words of a fitted model; other tokens are left out and counted in `unknown`. None: the
        words of the documents. May be a dictionary from words to their numbers, which is not
        copied.
    skip_empty
        Leave out documents without a word and list them in `empty`, instead of raising an error.
    keep_texts
        Keep the text of each unit in the corpus, for methods that use more than words.

    Attributes
    ----------
    short_units
        How many units with fewer than `min_words` words were merged, dropped or kept.
    empty, too_short
        The locations of documents that had no word, or no unit of `min_words` words.
    unknown
        The number of tokens that are not in the vocabulary.
    excluded_words
        The number of words in too few or too many documents (`min_df`, `max_df`).
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
        self.short_units = ShortUnitCounts()
        self.empty: list[str] = []
        self.too_short: list[str] = []
        self.unknown = self.excluded_words = 0
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
        self._columns = Columns()
        self._frequency: defaultdict[int, int] = defaultdict(int)
        self._names: dict[str | None, str | None] = {}

    @property
    def settings(self) -> dict[str, Any]:
        """The arguments that make another encoder like this one."""
        return {
            "tokens": self.tokens,
            "units": self.units,
            "vocabulary": self._vocabulary,
            "skip_empty": self._skip_empty,
            "keep_texts": self._keep_texts,
        }

    def encode(self, documents: Iterable[Document]) -> Corpus:
        """Encode documents one by one into a corpus."""
        self.collect(documents)
        return self.finish()

    def collect(self, documents: Iterable[Document]) -> None:
        """Encode documents one by one, for the corpus that `finish` makes of all of them."""
        for document in documents:
            encoded = self._encode(self.units.cut(document, self.short_units))
            if encoded.n_tokens == 0:
                self._refuse(document, encoded.n_units)
                continue
            self._columns.append(encoded, keep_texts=self._keep_texts)
            if self._filters:
                for number in np.unique(encoded.tokens.words).tolist():
                    self._frequency[number] += 1

    def take(self) -> EncodedPart:
        """Return what was collected as a part, for another encoder to merge, and begin anew."""
        part = EncodedPart(
            columns=self._columns,
            vocabulary=list(self._numbers) if self._vocabulary is None else None,
            frequency=dict(self._frequency),
            short_units=self.short_units,
            empty=self.empty,
            too_short=self.too_short,
            unknown=self.unknown,
        )
        if self._vocabulary is None:
            self._numbers.clear()
        self._columns, self.short_units = Columns(), ShortUnitCounts()
        self.empty, self.too_short, self.unknown = [], [], 0
        self._frequency.clear()
        self._names.clear()
        return part

    def merge(self, part: EncodedPart) -> None:
        """Add what another encoder with the same settings made of the next documents."""
        columns = part.columns
        if part.vocabulary is not None:
            # As if their documents were encoded here: words are numbered as they first occur.
            numbers = np.array(self._number(part.vocabulary), dtype=np.int32)
            words = numbers[np.frombuffer(columns.words, dtype=np.int32)]
            columns.words = array("i", words.tobytes())
            for number, count in part.frequency.items():
                self._frequency[int(numbers[number])] += count
        names = self._names
        columns.headings = [names.setdefault(name, name) for name in columns.headings]
        columns.labels = [names.setdefault(name, name) for name in columns.labels]
        self._columns.extend(columns)
        self.short_units += part.short_units
        self.empty += part.empty
        self.too_short += part.too_short
        self.unknown += part.unknown

    def encode_one(self, document: Document) -> EncodedDocument:
        """Encode one document, which may have no known word, but must have a unit."""
        encoded = self._encode(self.units.cut(document, self.short_units))
        if encoded.n_units == 0:
            raise self._error(document, 0)
        return encoded

    def _encode(self, document: Document) -> EncodedDocument:
        words: list[int] = []
        lengths, unknown = [], []
        for unit in document.units:
            tokens = self._split(unit.text)
            found = self._number(tokens)
            words += found
            lengths.append(len(found))
            unknown.append(len(tokens) - len(found))
        units, names = document.units, self._names
        self.unknown += sum(unknown)
        numbered = np.array(words, dtype=np.int32)
        numbered.flags.writeable = False  # as in a corpus: compiled code has one type to take
        return EncodedDocument(
            title=document.title,
            location=document.location,
            tokens=DocumentTokens(numbered, offsets_from_sizes(lengths)),
            unknown=np.array(unknown, dtype=np.int64),
            source_words=np.array([count_source_words(unit.text) for unit in units], np.int64),
            source_spans=np.array([(unit.start, unit.end) for unit in units], np.int64).reshape(
                -1, 2
            ),
            # Headings recur: one string for all of the same wording.
            headings=tuple(names.setdefault(unit.heading, unit.heading) for unit in units),
            labels=tuple(names.setdefault(unit.label, unit.label) for unit in units),
            texts=tuple(unit.text for unit in units),
            units=units,
        )

    def _number(self, tokens: list[str]) -> list[int]:
        numbers = self._numbers
        if self._vocabulary is None:
            return list(map(numbers.__getitem__, tokens))
        return [numbers[token] for token in tokens if token in numbers]

    def _nothing(self) -> Message:
        """Explain why no document is left."""
        if self.too_short:
            return Message(
                f"none of the documents ({self.too_short[0]} for one) has a unit of "
                f"{self.units.min_words} words: lower ",
                Parameter("min_words"),
                ", or merge short units",
            )
        if not self.empty:
            return Message("the corpus has no document: at least one is needed")
        which = f"of {len(self.empty)} documents ({self.empty[0]} for one)"
        return Message(f"none {which} has a word ", self._sort_of_word(), ": give one that has")

    def _sort_of_word(self) -> Message:
        if self._vocabulary is None:
            return Message("with ", Parameter("tokens", str(self.tokens)))
        return Message("that the model knows")

    def _refuse(self, document: Document, n_units: int) -> None:
        """List a document without a word, or raise an error."""
        if not self._skip_empty:
            raise self._error(document, n_units)
        dropped = n_units == 0 and self.units.min_words > 1
        (self.too_short if dropped else self.empty).append(document.location)

    def _error(self, document: Document, n_units: int) -> InputError:
        """Make the error for a document without a unit, or without a word."""
        name = f"{document.location}: {document.title!r}"
        if n_units > 0:
            why = self._sort_of_word()
            return InputError(f"{name} has no word ", why, ": give it text or leave it out")
        if self.units.min_words > 1:
            minimum = Parameter("min_words")
            return InputError(f"{name} has no unit of {self.units.min_words} words (", minimum, ")")
        return InputError(f"{name} has no paragraph: give it one or leave it out")

    def finish(self) -> Corpus:
        """Make the corpus of all documents that were collected and merged."""
        columns, self._columns = self._columns, Columns()
        if not columns.sizes:
            raise InputError(*self._nothing().parts)
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
            source_spans=_frozen(
                np.frombuffer(columns.source_spans, dtype=np.int64).reshape(-1, 2)
            ),
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
        minimum = _as_count(self.tokens.min_df, n_documents)
        maximum = _as_count(self.tokens.max_df, n_documents)
        wanted = (frequency >= minimum) & (frequency <= maximum)
        self.excluded_words = int(np.count_nonzero(~wanted))
        kept_tokens = wanted[corpus.words]
        before = np.concatenate([[0], np.cumsum(kept_tokens)])
        offsets = before[corpus.unit_offsets]
        full = np.diff(offsets[corpus.document_offsets]) > 0
        for document in np.flatnonzero(~full):
            location, title = corpus.locations[document], corpus.titles[document]
            if not self._skip_empty:
                raise InputError(
                    f"{location}: {title!r} has no word that is in at least {minimum:g} and at "
                    f"most {maximum:g} documents (",
                    Parameter("min_df"),
                    ", ",
                    Parameter("max_df"),
                    "): give it text or leave it out",
                )
            self.empty.append(location)
        if not full.any():
            raise InputError(
                Parameter("min_df", self.tokens.min_df),
                " and ",
                Parameter("max_df", self.tokens.max_df),
                f" leave no word: there are {n_documents} documents",
            )
        return take_documents(corpus, np.flatnonzero(full), np.flatnonzero(wanted))


def _frozen(array: NDArray[Number]) -> NDArray[Number]:
    """Make an array that nothing else refers to read-only, so that the corpus need not copy it."""
    array.flags.writeable = False
    return array


def _moved(values: list[T]) -> tuple[T, ...]:
    """Make a tuple of a list and empty the list, to hold its items once."""
    moved = tuple(values)
    values.clear()
    return moved


def _as_count(limit: float, n_documents: int) -> float:
    # 0.07 of 100 documents are 7, and not a hair more.
    return limit if isinstance(limit, int) else round(limit * n_documents, 6)
