"""MediaWiki XML dumps: one document per page, streamed, so memory is bounded by one page."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from permutopic.documents import make_document
from permutopic.extras import needs
from permutopic.readers.wiki.dump import read_pages
from permutopic.readers.wiki.markup import normalise_name
from permutopic.readers.wiki.wikitext import read_wikitext

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permutopic.documents import Document
    from permutopic.readers.read_log import ReadLog
    from permutopic.readers.settings import ReadOptions
    from permutopic.readers.source import Source
    from permutopic.readers.wiki.markup import NamespaceNames

_PREFIXED = re.compile(r"\[\[([^\[\]|:\n]+):([^\[\]|\n]+)")


def read(source: Source, options: ReadOptions, log: ReadLog) -> Iterator[Document]:
    """Read the last revision of each article of a dump."""
    needs("mwparserfromhell", "wiki", "MediaWiki dumps")
    for page in read_pages(source, options, log):
        if page.skip_reason:
            log.skip(page.location, *page.skip_reason)
        elif options.category is not None and not options.takes_categories(
            find_categories(page.text, page.names)
        ):
            log.skip(page.location, "category not asked for")
        else:
            yield make_document(
                read_wikitext(page.text, page.names),
                title=page.title,
                location=page.location,
                source=page.text,
                depth=options.depth,
                title_from_heading=False,
            )


def find_categories(text: str, names: NamespaceNames) -> list[str]:
    """List the categories that a page links to, without those of its templates.

    >>> from permutopic.readers.wiki.markup import NamespaceNames
    >>> find_categories("[[Category:Old_towns|Foo]] [[:Category:Mills]]", NamespaceNames())
    ['Old towns']
    """
    return [
        " ".join(link[2].replace("_", " ").split())
        for link in _PREFIXED.finditer(text)
        if normalise_name(link[1]) in names.categories
    ]
