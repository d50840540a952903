"""What is noticed while documents are read: languages, headings, duplicates; and warnings of it."""

from __future__ import annotations

import hashlib
from array import array
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from permutopic.errors import Message, Parameter
from permutopic.readers.read_log import ReadLog
from permutopic.text.languages import guess_language, language_name
from permutopic.text.segmenters import SEGMENTED

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Sequence

    from permutopic.corpus import Corpus, Encoder
    from permutopic.documents import Document

# Reasons to skip that are no fault of the file, and need no warning.
_HARMLESS = (
    "unknown extension",
    "no extension",
    "title not asked for",
    "category not asked for",
    "another name",
    "hidden",
    "alias",
    "redirect",
    "namespace",
    "other content",
)
_MIN_UNITS = 30  # fewer are a trial: no advice


@dataclass
class Diagnostics:
    """What is noticed while documents are read; a few dozen bytes for each document.

    Attributes
    ----------
    log
        What the readers read and skipped.
    languages
        Documents in each language, as guessed.
    headings
        Documents that have each heading.
    replaced
        Documents with characters that could not be decoded.
    """

    log: ReadLog = field(default_factory=ReadLog)
    languages: Counter[str | None] = field(default_factory=Counter)
    headings: Counter[str] = field(default_factory=Counter)
    replaced: int = 0
    _titles: list[str] = field(default_factory=list)
    _locations: list[str] = field(default_factory=list)
    _digests: array[int] = field(default_factory=lambda: array("Q"))

    def observe(self, documents: Iterable[Document]) -> Iterator[Document]:
        """Yield documents unchanged, recording each."""
        for document in documents:
            self._record(document)
            yield document

    def _record(self, document: Document) -> None:
        self.languages[guess_language(_beginning(document))] += 1
        found = dict.fromkeys(unit.heading for unit in document.units if unit.heading)
        self.headings.update(list(found))  # ties in the order of their first occurrence
        digest = hashlib.blake2b(digest_size=16)
        replaced = False
        for unit in document.units:
            text = unit.text
            digest.update(text.encode("utf-8", "surrogatepass") + b"\0")
            replaced = replaced or "\ufffd" in text
        self.replaced += replaced
        self._titles.append(document.title)
        self._locations.append(document.location)
        self._digests.frombytes(digest.digest())

    @property
    def n_documents(self) -> int:
        """The number of documents that were recorded."""
        return len(self._titles)

    def merge(self, later: Diagnostics) -> None:
        """Add what was noticed in documents that come after these."""
        self.log.merge(later.log)
        self.languages.update(later.languages)
        self.headings.update(later.headings)
        self.replaced += later.replaced
        self._titles += later._titles
        self._locations += later._locations
        self._digests += later._digests

    def warnings(self, corpus: Corpus, encoder: Encoder) -> list[Message]:
        """List what a user should know or could mend, one line each."""
        return [
            *self.about_skipped(),
            *_about_empty(encoder),
            *self._about_unknown_formats(),
            *self._about_decoding(),
            *self._about_duplicates(),
            *self._about_language(corpus),
            *_about_units(corpus),
        ]

    def about_skipped(self) -> Iterator[Message]:
        """Name what readers skipped for a fault of its own."""
        skipped = Counter(
            {kind: n for kind, n in self.log.skipped.items() if not kind.startswith(_HARMLESS)}
        )
        for kind, count in skipped.most_common():
            example = next(where for where, why, _ in self.log.examples if why == kind)
            yield Message(f"{count} left out ({kind}), {example} for one: `inspect` lists them")

    def _about_unknown_formats(self) -> Iterator[Message]:
        """Name files that have no reader, where they are as many as those that were read."""
        unknown = {k: n for k, n in self.log.skipped.items() if k.startswith("unknown ext")}
        n_unknown = sum(unknown.values())
        if n_unknown >= max(self.log.files, 5):
            most = max(unknown, key=lambda kind: unknown[kind])
            yield Message(
                f"{n_unknown} files left out for their extension, most of them as {most}: "
                "turn them into text, Markdown, HTML or .docx to have them read"
            )

    def _about_decoding(self) -> Iterator[Message]:
        if self.replaced:
            yield Message(
                f"{_documents(self.replaced)} with characters that could not be read (U+FFFD): "
                "is the encoding right?"
            )

    def _about_duplicates(self) -> Iterator[Message]:
        texts = np.frombuffer(self._digests, dtype=np.uint64).reshape(-1, 2)
        repeated, first = duplicates([(int(a), int(b)) for a, b in texts])
        locations = self._locations
        if repeated:
            yield Message(
                f"{_documents(len(repeated))} with exactly the text of an earlier one "
                f"({locations[repeated[0]]} is {locations[first]}): they count as often as they "
                "come"
            )
        # A document with the text of another may have its title too.
        same_text = set(repeated)
        others = [n for n in range(len(self._titles)) if n not in same_text]
        repeated, first = duplicates([self._titles[n] for n in others])
        if repeated:
            again, before = (locations[others[n]] for n in (repeated[0], first))
            title = _quoted(self._titles[others[first]])
            yield Message(
                f"{_documents(len(repeated))} with the title of an earlier one "
                f"({again} and {before}: {title})"
            )

    def _about_language(self, corpus: Corpus) -> Iterator[Message]:
        known = {code: n for code, n in self.languages.items() if code is not None}
        if not known:
            return
        total = sum(known.values())
        [(main, most), *others] = Counter(known).most_common()
        if total - most >= max(2, total // 50):
            rest = ", ".join(f"{n} {language_name(code)}" for code, n in others[:3])
            yield Message(
                f"{total - most} of {total} documents do not look {language_name(main)} ({rest}): "
                "topics would follow language, not content"
            )
        if main in SEGMENTED and corpus.tokens.language != main and corpus.tokens.split == "words":
            yield Message(
                f"the text looks {language_name(main)}, which writes no spaces: ",
                Parameter("language", main),
                " finds its words",
            )


def _about_empty(encoder: Encoder) -> Iterator[Message]:
    if encoder.too_short:
        yield Message(
            f"{_documents(len(encoder.too_short))} left out whose units are all shorter than "
            f"{encoder.units.min_words} words, {encoder.too_short[0]} for one"
        )
    if encoder.empty:
        yield Message(
            f"{_documents(len(encoder.empty))} left out without a word, {encoder.empty[0]} for one"
        )


def _about_units(corpus: Corpus) -> Iterator[Message]:
    alone = int(np.count_nonzero(corpus.document_sizes == 1))
    if corpus.n_documents > 1 and 4 * alone >= corpus.n_documents:
        yield Message(
            f"{alone} of {corpus.n_documents} documents have one {corpus.units.kind}: "
            "is the unit right?"
        )
    median = float(np.median(np.diff(corpus.unit_offsets)))
    if median < 5 and corpus.n_units >= _MIN_UNITS:
        yield Message(
            f"half of the units have at most {int(median)} words, little to tell a topic by: ",
            Parameter("min_words"),
            " merges short ones",
        )
    elif median > 1000:
        yield Message(f"half of the units have {int(median)} words or more: is the unit right?")


def duplicates(values: Sequence[Hashable]) -> tuple[list[int], int]:
    """Find values that occurred before: their indices, and the index of the first one's original.

    >>> duplicates(["a", "b", "a", "b"])
    ([2, 3], 0)
    """
    first: dict[Hashable, int] = {}
    repeated = [n for n, value in enumerate(values) if first.setdefault(value, n) != n]
    return repeated, first[values[repeated[0]]] if repeated else -1


def _beginning(document: Document) -> str:
    found: list[str] = []
    length = 0
    for unit in document.units:
        found.append(unit.text[:2000])
        length += len(found[-1])
        if length >= 2000:
            break
    return " ".join(found)


def _quoted(title: str) -> str:
    return repr(title if len(title) <= 80 else f"{title[:79]}…")


def _documents(n: int) -> str:
    return "1 document" if n == 1 else f"{n} documents"
