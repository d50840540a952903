"""Word documents (.docx): a paragraph or a table row is a unit, heading styles are headings.

The source that offsets count in is the text of the body, one line for each paragraph or row.
Headers, footers, notes and comments are left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permutopic.documents import Document, Heading, Paragraph, Piece, make_document
from permutopic.readers.read_log import ReadError
from permutopic.readers.word.body import WordBlock, WordBody
from permutopic.readers.word.package import Package
from permutopic.readers.word.styles import TITLE, Styles

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permutopic.readers.read_log import ReadLog
    from permutopic.readers.settings import ReadOptions
    from permutopic.readers.source import Source


def read(source: Source, options: ReadOptions, log: ReadLog) -> Iterator[Document]:
    """Read a Word file as one document."""
    content = source.bytes(options, log)
    try:
        package = Package(content, source.name, options)
        blocks = WordBody(package, Styles(package)).blocks
        title = _core_title(package)
    except ReadError:
        raise
    except Exception as error:  # a broken archive may raise any type
        reason = " ".join(str(error).split())[:80] or type(error).__name__
        raise ReadError(
            source.name, "damaged", f"not a whole Word document ({reason}): is the file cut?"
        ) from error
    lines = _title_lines(blocks)
    titled = " ".join(" ".join(blocks[n].text for n in lines).split())
    yield make_document(
        _parts(blocks, lines),
        title=titled or title or source.title,
        location=source.name,
        source="\n".join(block.text for block in blocks),
        depth=options.depth,
        title_from_heading=not titled,
    )


def _title_lines(blocks: list[WordBlock]) -> range:
    """Return the first consecutive blocks with the style of a title."""
    first = next((n for n, block in enumerate(blocks) if block.level == TITLE), 0)
    last = first
    while last < len(blocks) and blocks[last].level == TITLE:
        last += 1
    return range(first, last)


def _parts(blocks: list[WordBlock], title: range) -> Iterator[Heading | Paragraph]:
    begin = 0
    for number, block in enumerate(blocks):
        end = begin + len(block.text)
        if block.level is None:
            yield Paragraph((Piece(block.text, begin, end),))
        elif number not in title:
            # Later blocks with that style are headings of parts.
            yield Heading(max(block.level, 1), " ".join(block.text.split()))
        begin = end + 1


def _core_title(package: Package) -> str:
    """Return the title in the file's core properties."""
    part = package.related("", "core-properties")
    texts: list[str] = []
    is_title = False

    def start(tag: str, _: dict[str, str]) -> None:
        nonlocal is_title
        is_title = tag == "dc:title"

    def data(text: str) -> None:
        if is_title:
            texts.append(text)

    if part:
        package.parse(part, start, None, data)
    return " ".join("".join(texts).split())
