"""Inspection: a description of the documents of some paths, and the cost of a fit."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from permutopic.corpus import Encoder
from permutopic.ingest.pipeline import Ingest
from permutopic.model.cost import expected_cost
from permutopic.model.priors import check_n_topics, say_too_few_units

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from numpy.typing import NDArray

    from permutopic.readers import ReadOptions


class Spread(NamedTuple):
    """Minimum, median and maximum."""

    least: int
    median: float
    most: int

    @classmethod
    def of(cls, values: NDArray[np.int64]) -> Spread:
        """Compute the spread of some numbers."""
        return cls(int(values.min()), float(np.median(values)), int(values.max()))


class Skipped(NamedTuple):
    """Files and documents that were skipped for one reason, with examples."""

    reason: str
    number: int
    examples: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Inspection:
    """What was read, what was skipped, and what a fit would cost.

    Attributes
    ----------
    files, bytes
        Files opened, and bytes in them, unpacked.
    formats
        Files of each format.
    documents, units, words, vocabulary
        How many there are; `words` counts tokens.
    units_per_document, words_per_unit
        Their spread.
    languages
        Documents in each language, as guessed.
    headings
        How many documents have each heading, the commonest first.
    headed_units
        Units under a heading.
    skipped
        What was left out, by reason.
    boilerplate
        Characters left out of HTML pages as menus, banners and the like.
    merged, dropped, kept_short
        How many units with fewer than `min_words` words were merged, dropped and kept.
    left_out_words
        Words left out by `min_df` and `max_df`.
    n_topics, seconds, memory
        The expected cost of one chain for this K, on one core; bytes.
    warnings
        What a user should know or could mend.
    settings
        How the text was read, cut into units and split into tokens.
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
        """Return everything as plain values."""
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
    n_jobs: int | None = -1,
) -> Inspection:
    """Read documents as `read_corpus` does, and describe them."""
    check_n_topics(n_topics)
    ingest = Ingest(paths, options, n_jobs)
    encoder = Encoder(tokens, units, skip_empty=True)
    corpus = ingest.corpus(encoder)
    cost = expected_cost(corpus, n_topics)
    diagnostics, log = ingest.diagnostics, ingest.diagnostics.log
    warnings = [*diagnostics.warnings(corpus, encoder)]
    too_few = say_too_few_units(n_topics, corpus)
    if too_few is not None:
        warnings.append(too_few)
    for location in encoder.empty:
        log.skip(location, "no word")
    for location in encoder.too_short:
        log.skip(location, "all units too short")
    return Inspection(
        files=log.files,
        bytes=log.bytes,
        formats=dict(log.formats.most_common()),
        documents=corpus.n_documents,
        units=corpus.n_units,
        words=corpus.n_tokens,
        vocabulary=corpus.n_words,
        units_per_document=Spread.of(corpus.document_sizes),
        words_per_unit=Spread.of(np.diff(corpus.unit_offsets)),
        languages={code or "unknown": n for code, n in diagnostics.languages.most_common()},
        headings=dict(diagnostics.headings.most_common()),
        headed_units=sum(heading is not None for heading in corpus.headings),
        skipped=tuple(
            Skipped(
                reason,
                count,
                tuple(
                    (location, detail) for location, why, detail in log.examples if why == reason
                ),
            )
            for reason, count in log.skipped.most_common()
        ),
        boilerplate=log.boilerplate,
        merged=encoder.short_units.merged,
        dropped=encoder.short_units.dropped,
        kept_short=encoder.short_units.kept,
        left_out_words=encoder.excluded_words,
        n_topics=n_topics,
        seconds=cost.seconds,
        memory=cost.bytes,
        warnings=tuple(warnings),
        settings={
            "reading": asdict(ingest.options),
            "units": encoder.units.as_dict(),
            "tokens": encoder.tokens.as_dict(),
        },
    )
