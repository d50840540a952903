"""What is seen while documents stream by: their languages, headings, doubles; and what to say."""

from __future__ import annotations

import hashlib
from array import array
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from permutopic.readers.read_log import ReadLog
from permutopic.text.languages import guess_language, language_name
from permutopic.text.segmenters import SEGMENTED

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Sequence

    from permutopic.corpus import Corpus, Encoder
    from permutopic.documents import Document

# What is no fault of a file: nobody has to be warned of it.
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
_MANY = 30  # units; fewer are somebody's trial


@dataclass
class Watch:
    """Keeps count of documents that pass, a few dozen bytes for each.

    Attributes
    ----------
    notes
        What readers left out.
    languages
        Documents in each language, as guessed.
    headings
        Documents that have each heading.
    replaced
        Documents with characters that could not be read.
    """

    notes: ReadLog = field(default_factory=ReadLog)
    languages: Counter[str | None] = field(default_factory=Counter)
    headings: Counter[str] = field(default_factory=Counter)
    replaced: int = 0
    _titles: list[str] = field(default_factory=list)
    _locations: list[str] = field(default_factory=list)
    _digests: array[int] = field(default_factory=lambda: array("Q"))

    def over(self, documents: Iterable[Document]) -> Iterator[Document]:
        """Let documents pass."""
        for document in documents:
            self._look(document)
            yield document

    def _look(self, document: Document) -> None:
        self.languages[guess_language(_beginning(document))] += 1
        met = dict.fromkeys(unit.heading for unit in document.units if unit.heading)
        self.headings.update(list(met))  # ties in the order in which they are met
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
    def bad(self) -> Counter[str]:
        """What was left out for a fault of its own."""
        return Counter({k: n for k, n in self.notes.skipped.items() if not k.startswith(_HARMLESS)})

    def warnings(self, corpus: Corpus, encoder: Encoder) -> list[str]:
        """Say what a person should know or could mend, one line each."""
        return [
            *self._about_skips(encoder),
            *self._about_doubles(),
            *self._about_language(corpus),
            *_about_units(corpus),
        ]

    def _about_skips(self, encoder: Encoder) -> Iterator[str]:
        for kind, count in self.bad.most_common():
            example = next(location for location, why, _ in self.notes.examples if why == kind)
            yield f"{count} left out ({kind}), {example} for one: permutopic inspect lists them"
        if encoder.too_short:
            yield (
                f"{_documents(len(encoder.too_short))} left out whose units are all shorter than "
                f"{encoder.units.min_words} words, {encoder.too_short[0]} for one"
            )
        yield from self._about_unknown()
        if encoder.empty:
            yield (
                f"{_documents(len(encoder.empty))} left out without a word, "
                f"{encoder.empty[0]} for one"
            )
        if self.replaced:
            yield (
                f"{_documents(self.replaced)} with characters that could not be read (U+FFFD): "
                "is the encoding right?"
            )

    def _about_unknown(self) -> Iterator[str]:
        """Speak of files that no reader is for, where they are as many as those read."""
        unknown = {k: n for k, n in self.notes.skipped.items() if k.startswith("unknown ext")}
        n_unknown = sum(unknown.values())
        if n_unknown >= max(self.notes.files, 5):
            most = max(unknown, key=lambda kind: unknown[kind])
            yield (
                f"{n_unknown} files left out for their extension, most of them as {most}: "
                "turn them into text, Markdown, HTML or .docx to have them read"
            )

    def _about_doubles(self) -> Iterator[str]:
        texts = np.frombuffer(self._digests, dtype=np.uint64).reshape(-1, 2)
        double, first = doubles([(int(a), int(b)) for a, b in texts])
        if double:
            yield (
                f"{_documents(len(double))} with exactly the text of an earlier one "
                f"({self._locations[double[0]]} is {self._locations[first]}): they count as often "
                "as they come"
            )
        # What has the text of another is no other document: it may have its title.
        told = set(double)
        others = [n for n in range(len(self._titles)) if n not in told]
        double, first = doubles([self._titles[n] for n in others])
        if double:
            again, before = (self._locations[others[n]] for n in (double[0], first))
            title = _quoted(self._titles[others[first]])
            yield (
                f"{_documents(len(double))} with the title of an earlier one "
                f"({again} and {before}: {title})"
            )

    def _about_language(self, corpus: Corpus) -> Iterator[str]:
        known = {code: n for code, n in self.languages.items() if code is not None}
        if not known:
            return
        total = sum(known.values())
        [(main, most), *others] = Counter(known).most_common()
        if total - most >= max(2, total // 50):
            rest = ", ".join(f"{n} {language_name(code)}" for code, n in others[:3])
            yield (
                f"{total - most} of {total} documents do not look {language_name(main)} ({rest}): "
                "topics would follow language, not content"
            )
        if main in SEGMENTED and corpus.tokens.language != main and corpus.tokens.split == "words":
            yield (
                f"the text looks {language_name(main)}, which writes no spaces: --language {main} "
                "finds its words"
            )


def _about_units(corpus: Corpus) -> Iterator[str]:
    alone = int(np.count_nonzero(corpus.document_sizes == 1))
    if corpus.n_documents > 1 and 4 * alone >= corpus.n_documents:
        yield (
            f"{alone} of {corpus.n_documents} documents have one {corpus.units.kind}: "
            "is the unit right?"
        )
    words = np.diff(corpus.unit_offsets)
    middle = float(np.median(words))
    if middle < 5 and corpus.n_units >= _MANY:
        yield (
            f"half of the units have at most {int(middle)} words, little to tell a topic by: "
            "--min-words merges short ones"
        )
    elif middle > 1000:
        yield f"half of the units have {int(middle)} words or more: is the unit right?"


def doubles(values: Sequence[Hashable]) -> tuple[list[int], int]:
    """Find values that came before: where they come again, and where the first of them was.

    >>> doubles(["a", "b", "a", "b"])
    ([2, 3], 0)
    """
    first: dict[Hashable, int] = {}
    again = [n for n, value in enumerate(values) if first.setdefault(value, n) != n]
    return again, first[values[again[0]]] if again else -1


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
