"""Plain text: blank lines separate paragraphs; there are no headings."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from permutopic.documents import Document, Paragraph, Piece, make_document

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permutopic.readers.read_log import ReadLog
    from permutopic.readers.settings import ReadOptions
    from permutopic.readers.source import Source

# Two or more ends of lines, with nothing but white space between them.
# Atomic groups: \r\n is one end of a line, never two.
_BLANK = re.compile(r"(?>\r\n?|\n)(?:[^\S\r\n]*(?>\r\n?|\n))+")


def read(source: Source, options: ReadOptions, log: ReadLog) -> Iterator[Document]:
    """Read a text file as one document."""
    text = source.text(options, log)
    yield make_document(
        split_paragraphs(text), title=source.title, location=source.name, source=text
    )


def split_paragraphs(text: str, offset: int = 0) -> Iterator[Paragraph]:
    r"""Split text at blank lines; `offset` is that of the text in the source.

    >>> [paragraph.pieces for paragraph in split_paragraphs("One\ntwo.\n \n\nThree.")]
    [(Piece(text='One\ntwo.', start=0, end=8),), (Piece(text='Three.', start=12, end=18),)]
    """
    begin = 0
    for blank in _BLANK.finditer(text):
        yield _paragraph(text, begin, blank.start(), offset)
        begin = blank.end()
    yield _paragraph(text, begin, len(text), offset)


def _paragraph(text: str, begin: int, end: int, offset: int) -> Paragraph:
    return Paragraph((Piece(text[begin:end], offset + begin, offset + end),))
