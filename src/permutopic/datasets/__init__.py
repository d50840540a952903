"""Corpora that come with the package."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from permutopic.files import atomic_folder, check_empty
from permutopic.ingest.pipeline import read_corpus

if TYPE_CHECKING:
    from permutopic.corpus import Corpus

__all__ = ["copy_elements", "elements_folder", "load_elements"]


def elements_folder() -> Path:
    """Return the folder of the articles on chemical elements, one Markdown file each."""
    return Path(__file__).parent / "elements"


def load_elements(tokens: object = "words", *, units: object = "paragraph") -> Corpus:
    """Load short articles on chemical elements, written for permutopic (CC0).

    Their paragraphs are under eight headings (Discovery, Properties, Isotopes, Occurrence,
    Production, Uses, Biology, Safety), whose order and presence vary from article to article.
    `tokens` and `units` are those of `read_corpus`.

    Examples
    --------
    >>> corpus = load_elements()
    >>> corpus.titles[0], corpus.headings[0]
    ('Aluminium', 'Discovery')
    """
    return read_corpus(elements_folder(), tokens, units=units)


def copy_elements(folder: str | Path) -> int:
    """Copy the articles into a new or empty folder, and return their number."""
    check_empty(folder)
    articles = sorted(elements_folder().glob("*.md"))
    with atomic_folder(folder) as fresh:
        for article in articles:
            (fresh / article.name).write_bytes(article.read_bytes())
    return len(articles)
