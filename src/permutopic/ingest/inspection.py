"""What is in a pile of documents, before a model is fitted to it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from permutopic.corpus import Encoder
from permutopic.ingest.diagnostics import Watch
from permutopic.model.cost import expected_cost
from permutopic.model.priors import check_n_topics
from permutopic.readers import ReadOptions, read_documents

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from numpy.typing import NDArray


class Spread(NamedTuple):
    """The least, the middle and the greatest of some numbers."""

    least: int
    median: float
    most: int

    @classmethod
    def of(cls, values: NDArray[np.int64]) -> Spread:
        """Look at numbers."""
        return cls(int(values.min()), float(np.median(values)), int(values.max()))


class Skipped(NamedTuple):
    """Things left out for one reason, and some of them."""

    reason: str
    number: int
    examples: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Inspection:
    """What was read, what was not, and what a fit would take.

    Attributes
    ----------
    files, bytes
        Files opened, and bytes in them, unpacked.
    formats
        Files of each format.
    documents, units, words, vocabulary
        How many; words are tokens as the model would see them.
    units_per_document, words_per_unit
        Their spread.
    languages
        Documents in each language, as guessed.
    headings
        How many documents have each heading, the commonest first.
    headed_units
        Units that stand under a heading.
    skipped
        What was left out, by reason.
    boilerplate
        Characters left out of HTML pages as menus, banners and the like.
    merged, dropped, kept_short
        What became of units with fewer than `min_words` words.
    left_out_words
        Words left out by `min_df` and `max_df`.
    n_topics, seconds, memory
        The expected cost of one chain for this K, on one core; bytes.
    warnings
        What a person should know or could mend.
    settings
        How the text was read, cut and split.
    """

    files: int
    bytes: int
    formats: dict[str, int]
    documents: int
    units: int
    words: int
    vocabulary: int
    units_per_document: Spread
    words_per_unit: Spread
    languages: dict[str, int]
    headings: dict[str, int]
    headed_units: int
    skipped: tuple[Skipped, ...]
    boilerplate: int
    merged: int
    dropped: int
    kept_short: int
    left_out_words: int
    n_topics: int
    seconds: float
    memory: int
    warnings: tuple[str, ...]
    settings: dict[str, Any]

    def as_dict(self) -> dict[str, Any]:
        """Give everything as plain values."""
        found = asdict(self)
        found["skipped"] = [each._asdict() for each in self.skipped]
        for name in ("units_per_document", "words_per_unit"):
            found[name] = getattr(self, name)._asdict()
        return found


def inspect(
    paths: str | Path | Iterable[str | Path],
    tokens: object = "words",
    *,
    units: object = "paragraph",
    options: ReadOptions | None = None,
    n_topics: int = 10,
) -> Inspection:
    """Read documents as `read_corpus` would, and tell what there is."""
    check_n_topics(n_topics)
    options = ReadOptions() if options is None else options
    watch = Watch()
    encoder = Encoder(tokens, units, skip_empty=True)
    corpus = encoder.encode(watch.over(read_documents(paths, options, watch.notes)))
    cost = expected_cost(corpus, n_topics)
    warnings = tuple(watch.warnings(corpus, encoder))
    notes = watch.notes
    for location in encoder.empty:
        notes.skip(location, "no word")
    for location in encoder.too_short:
        notes.skip(location, "all units too short")
    return Inspection(
        files=notes.files,
        bytes=notes.bytes,
        formats=dict(notes.formats.most_common()),
        documents=corpus.n_documents,
        units=corpus.n_units,
        words=corpus.n_tokens,
        vocabulary=corpus.n_words,
        units_per_document=Spread.of(corpus.document_sizes),
        words_per_unit=Spread.of(np.diff(corpus.unit_offsets)),
        languages={code or "unknown": n for code, n in watch.languages.most_common()},
        headings=dict(watch.headings.most_common()),
        headed_units=sum(heading is not None for heading in corpus.headings),
        skipped=tuple(
            Skipped(
                reason,
                count,
                tuple(
                    (location, detail) for location, why, detail in notes.examples if why == reason
                ),
            )
            for reason, count in notes.skipped.most_common()
        ),
        boilerplate=notes.boilerplate,
        merged=encoder.counts.merged,
        dropped=encoder.counts.dropped,
        kept_short=encoder.counts.kept,
        left_out_words=encoder.left_out,
        n_topics=n_topics,
        seconds=cost.seconds,
        memory=cost.bytes,
        warnings=warnings,
        settings={
            "reading": asdict(options),
            "units": encoder.units.as_dict(),
            "tokens": encoder.tokens.as_dict(),
        },
    )
