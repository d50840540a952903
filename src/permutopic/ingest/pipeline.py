"""From files to a corpus, with what is doubtful about them said as warnings."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from permutopic.corpus import Encoder
from permutopic.errors import InputWarning
from permutopic.ingest.diagnostics import Watch
from permutopic.readers import ReadOptions, read_documents

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from permutopic.corpus import Corpus


def read_corpus(
    paths: str | Path | Iterable[str | Path],
    tokens: object = "words",
    *,
    units: object = "paragraph",
    options: ReadOptions | None = None,
    vocabulary: Sequence[str] | None = None,
    keep_texts: bool = False,
) -> Corpus:
    """Read files, folders, globs or "-" (standard input) into a corpus.

    Parameters
    ----------
    paths
        One or several. Formats go by extension: text, Markdown, HTML, MediaWiki dumps, Word,
        manual pages, JSON lines, CSV, Parquet; plain or packed (.gz, .bz2, .xz, .zst).
    tokens : str, function or Tokens
        How text becomes tokens.
    units : str or Units
        What gets one topic: "paragraph", "sentence", "section", "line" or "window".
    options
        How files are read: format, encoding, globs, filters, field names.
    vocabulary
        A model's words, for documents that it has not seen; others are left out.
    keep_texts
        Keep the text of each unit (`Corpus.texts`), for what goes by more than words.

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
    watch = Watch()
    encoder = Encoder(tokens, units, vocabulary=vocabulary, skip_empty=True, keep_texts=keep_texts)
    options = ReadOptions() if options is None else options
    corpus = encoder.encode(watch.over(read_documents(paths, options, watch.notes)))
    for message in watch.warnings(corpus, encoder):
        warnings.warn(message, InputWarning, stacklevel=2)
    return corpus
