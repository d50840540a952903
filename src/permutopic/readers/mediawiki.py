"""MediaWiki XML dumps: one document a page, streamed, so that memory is bounded by one page."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from permutopic.documents import make_document
from permutopic.extras import needs
from permutopic.readers.wiki.dump import read_pages
from permutopic.readers.wiki.mask import normal_name
from permutopic.readers.wiki.wikitext import read_wikitext

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permutopic.documents import Document
    from permutopic.readers.notes import Notes
    from permutopic.readers.settings import ReadOptions
    from permutopic.readers.source import Source
    from permutopic.readers.wiki.mask import Names

_PREFIXED = re.compile(r"\[\[([^\[\]|:\n]+):([^\[\]|\n]+)")


def read(source: Source, options: ReadOptions, notes: Notes) -> Iterator[Document]:
    """Read the articles of a dump, each as its last revision has it."""
    needs("mwparserfromhell", "wiki", "MediaWiki dumps")
    for page in read_pages(source, options, notes):
        if page.unwanted:
            notes.skip(page.location, *page.unwanted)
        elif options.category is not None and not options.takes_categories(
            find_categories(page.text, page.names)
        ):
            notes.skip(page.location, "category not asked for")
        else:
            yield make_document(
                read_wikitext(page.text, page.names),
                title=page.title,
                location=page.location,
                source=page.text,
                depth=options.depth,
                title_from_heading=False,
            )


def find_categories(text: str, names: Names) -> list[str]:
    """List the categories that a page puts itself into, templates aside.

    >>> from permutopic.readers.wiki.mask import Names
    >>> find_categories("[[Category:Old_towns|Foo]] [[:Category:Mills]]", Names())
    ['Old towns']
    """
    return [
        " ".join(link[2].replace("_", " ").split())
        for link in _PREFIXED.finditer(text)
        if normal_name(link[1]) in names.categories
    ]
