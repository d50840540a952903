"""Paragraph styles of a Word file: which are headings, and of what level."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from permutopic.readers.word.package import Package

TITLE = 0
OFF = {"0", "false", "off"}
_MAX_BASES = 20  # bounds cycles; Word allows about ten


@dataclass
class Style:
    """The properties of a paragraph style that decide whether it is a heading."""

    name: str = ""
    base: str = ""
    outline: int | None = None


class Styles:
    """The paragraph styles of a document."""

    def __init__(self, package: Package) -> None:
        self._styles: dict[str, Style] = {}
        self._default = ""
        self._levels: dict[str, int | None] = {}
        self._last = Style()
        part = package.related(package.main, "styles")
        if part:
            package.parse(part, self._start)

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        value = attributes.get("val", "")
        if tag == "w:style":
            self._last = Style()
            if attributes.get("type", "paragraph") == "paragraph":
                name = attributes.get("styleId", "")
                self._styles.setdefault(name, self._last)
                if attributes.get("default", "0") not in OFF:
                    self._default = name
        elif tag == "w:name":
            # Word stores the English names of built-in styles in every language.
            self._last.name = value.lower()
        elif tag == "w:basedOn":
            self._last.base = value
        elif tag == "w:outlineLvl":
            self._last.outline = outline_level(value)

    def is_contents(self, style: str) -> bool:
        """Whether a style is that of a table of contents, which repeats headings."""
        name = self._styles[style].name if style in self._styles else style.lower()
        return re.fullmatch(r"toc ?([1-9]|heading)", name) is not None

    def level(self, style: str) -> int | None:
        """Return the heading level of a style; None if it is no heading."""
        style = style or self._default
        if style not in self._levels:
            self._levels[style] = self._find_level(style)
        return self._levels[style]

    def _find_level(self, style: str) -> int | None:
        for _ in range(_MAX_BASES):
            found = self._styles.get(style) or Style(name=style.lower())
            if found.name in {"title", "subtitle"}:
                return TITLE if found.name == "title" else None
            heading = re.fullmatch(r"heading ?([1-9])(,.*)?", found.name)
            if heading:
                return int(heading[1])
            if found.outline is not None:
                return heading_level(found.outline)
            if not found.base:
                return None
            style = found.base
        return None


def outline_level(value: str) -> int | None:
    """Parse an outline level: 0 to 8 are headings, 9 is text."""
    return int(value) if re.fullmatch(r"[0-9]", value) else None


def heading_level(outline: int) -> int | None:
    """Return the heading level of an outline level; None for text."""
    return outline + 1 if outline < 9 else None
