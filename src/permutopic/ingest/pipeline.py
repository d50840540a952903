"""From paths to documents and to a corpus, with diagnostics: the one way that text comes in.

    paths -> documents -> units and tokens -> corpus

`fit`, `evaluate` and every other use of a corpus go all the way; a fitted model takes the stream
of documents and encodes them itself.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from permutopic.corpus import Encoder
from permutopic.errors import InputWarning
from permutopic.ingest.diagnostics import Diagnostics
from permutopic.readers import ReadOptions, as_list, read_documents
from permutopic.threads import count_threads

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from permutopic.corpus import Corpus
    from permutopic.documents import Document
    from permutopic.errors import Message
    from permutopic.text.units import Units

    Paths = str | Path | Iterable[str | Path]


class Ingest:
    """Reads the documents of some paths and keeps diagnostics of them.

    Parameters
    ----------
    paths
        Files, folders, globs, or "-" for standard input; one or several.
    options
        How files are read.
    n_jobs
        Processes that read a corpus, if there is so much to read that they pay; −1 for as many as
        there are cores. The corpus is the same.

    Attributes
    ----------
    diagnostics
        What was noticed so far.
    """

    def __init__(
        self, paths: Paths, options: ReadOptions | None = None, n_jobs: int | None = -1
    ) -> None:
        self.paths = as_list(paths)
        self.options = ReadOptions() if options is None else options
        self.n_processes = count_threads(n_jobs)
        self.diagnostics = Diagnostics()

    def corpus(self, encoder: Encoder) -> Corpus:
        """Read all documents into a corpus."""
        if self.n_processes > 1:
            from permutopic.ingest import parallel  # noqa: PLC0415 (rarely needed)

            if parallel.pays(self.paths, self.options, encoder):
                return parallel.encode_in_processes(
                    self.paths, self.options, encoder, self.diagnostics, self.n_processes
                )
        documents = read_documents(self.paths, self.options, self.diagnostics.log)
        return encoder.encode(self.diagnostics.observe(documents))

    def stream(self, units: Units) -> Iterator[Document]:
        """Yield documents one by one for a fitted model, and warn at the end of what was skipped.

        A document in which `units` leaves no unit is skipped.
        """
        drops = units.short == "drop" and units.min_words > 1
        without_unit: list[str] = []
        for document in read_documents(self.paths, self.options, self.diagnostics.log):
            if (units.cut(document) if drops else document).units:
                yield document
            else:
                without_unit.append(document.location)
        _warn(self.diagnostics.about_skipped())
        if without_unit:
            skipped = f"{len(without_unit)} left out without a unit to be cut"
            warnings.warn(f"{skipped}, {without_unit[0]} for one", InputWarning, stacklevel=2)


def read_corpus(
    paths: Paths,
    tokens: object = "words",
    *,
    units: object = "paragraph",
    options: ReadOptions | None = None,
    vocabulary: Sequence[str] | None = None,
    keep_texts: bool = False,
    n_jobs: int | None = -1,
) -> Corpus:
    """Read files, folders, globs or "-" (standard input) into a corpus.

    Parameters
    ----------
    paths
        One or several. Formats go by extension: text, Markdown, HTML, MediaWiki dumps, Word,
        manual pages, JSON lines, CSV, Parquet; plain or packed (.gz, .bz2, .xz, .zst).
    tokens : str, function or Tokens
        How text is split into tokens.
    units : str or Units
        What gets one topic: "paragraph", "sentence", "section", "line" or "window".
    options
        How files are read: format, encoding, globs, filters, field names.
    vocabulary
        The words of a fitted model; others are left out. None: the words of the documents.
    keep_texts
        Keep the text of each unit (`Corpus.texts`), for methods that use more than words.
    n_jobs
        Processes that read, if there is so much to read that they pay; −1 for as many as there
        are cores, 1 for none beside this one. The corpus is the same. A function of your own for
        tokens is called in this process alone.

    What is left out or doubtful is said in `InputWarning`s.

    Examples
    --------
    >>> import tempfile
    >>> line = '{"title": "Iron", "sections": [{"heading": "Uses", "paragraphs": ["In steel."]}]}'
    >>> with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
    ...     _ = file.write(line)
    ...     file.flush()
    ...     read_corpus(file.name).vocabulary
    ('in', 'steel')
    """
    ingest = Ingest(paths, options, n_jobs)
    encoder = Encoder(tokens, units, vocabulary=vocabulary, skip_empty=True, keep_texts=keep_texts)
    corpus = ingest.corpus(encoder)
    _warn(ingest.diagnostics.warnings(corpus, encoder), stacklevel=3)
    return corpus


def _warn(messages: Iterable[Message], stacklevel: int = 2) -> None:
    for message in messages:
        warnings.warn(InputWarning(message), stacklevel=stacklevel)
