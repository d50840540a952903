"""Paragraphs and table rows of a Word file, from its XML in one pass.

Left out are deleted and hidden text, field codes, formulas, the readings of ruby and tables of
contents; text in content controls, links, insertions and text boxes is kept.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from permutopic.readers.word.styles import OFF, TITLE, Styles, heading_level, outline_level

if TYPE_CHECKING:
    from permutopic.readers.word.package import Package

_SKIPPED = {
    *("w:del", "w:moveFrom", "w:delText", "w:instrText", "w:delInstrText", "w:rt", "w:sectPr"),
    *("w:rPrChange", "w:pPrChange", "w:tblPr", "w:trPr", "w:tcPr", "m:oMath", "m:oMathPara"),
}
_SPACES = {"w:tab": "\t", "w:ptab": "\t", "w:br": " ", "w:cr": " ", "w:noBreakHyphen": "-"}


class WordBlock(NamedTuple):
    """A paragraph or table row; `level` is that of a heading, TITLE, or None for text."""

    level: int | None
    text: str


@dataclass
class _OpenParagraph:
    """A paragraph whose element is open."""

    style: str = ""
    outline: int | None = None
    texts: list[str] = field(default_factory=list)


@dataclass
class _OpenRow:
    """A table row whose element is open: its texts, each with the number of its cell."""

    cell: int = 0
    texts: list[tuple[int, str]] = field(default_factory=list)


class WordBody:
    """The blocks of a document, collected by handlers of its XML elements."""

    def __init__(self, package: Package, styles: Styles) -> None:
        self.blocks: list[WordBlock] = []
        self._styles = styles
        self._skipping = 0
        self._paragraphs: list[_OpenParagraph] = []  # nested: text boxes
        self._rows: list[_OpenRow] = []
        self._alternatives: list[int] = []
        self._placeholders: list[bool] = []
        self._fields: list[bool] = []
        self._n_open_codes = 0
        self._in_text = self._hidden = False
        self._is_found = False
        package.parse(package.main, self._start, self._end, self._data)
        if not self._is_found:
            raise package.not_word(f"{package.main} in it has no body")

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        if self._skipping or tag in _SKIPPED or self._is_alternative(tag):
            self._skipping += 1
        elif tag == "w:p":
            self._paragraphs.append(_OpenParagraph())
        elif tag == "w:t":
            self._in_text = True
        elif tag == "w:r":
            self._hidden = False
        elif tag in {"w:tbl", "w:tr", "w:tc"}:
            self._start_table(tag)
        elif tag == "mc:AlternateContent":
            self._alternatives.append(0)
        elif tag == "w:sdt":
            self._placeholders.append(False)
        elif tag in _SPACES:
            self._add(_SPACES[tag])
        else:
            self._set_property(tag, attributes)

    def _is_alternative(self, tag: str) -> bool:
        """Whether an element is an alternative to one already read, or a placeholder text."""
        if tag in {"mc:Choice", "mc:Fallback"} and self._alternatives:
            self._alternatives[-1] += 1
            return self._alternatives[-1] > 1
        return tag == "w:sdtContent" and bool(self._placeholders) and self._placeholders[-1]

    def _set_property(self, tag: str, attributes: dict[str, str]) -> None:
        value = attributes.get("val", "")
        if tag == "w:body":
            self._is_found = True
        elif tag == "w:vanish":
            self._hidden = value not in OFF
        elif tag == "w:showingPlcHdr" and self._placeholders:
            self._placeholders[-1] = value not in OFF
        elif tag == "w:fldChar":
            self._track_field(attributes.get("fldCharType", ""))
        elif tag == "w:pStyle" and self._paragraphs:
            self._paragraphs[-1].style = value
        elif tag == "w:outlineLvl" and self._paragraphs:
            self._paragraphs[-1].outline = outline_level(value)

    def _track_field(self, kind: str) -> None:
        """Track a field: its code is from "begin" to "separate", its result from there to "end"."""
        if kind == "begin":
            self._fields.append(True)
            self._n_open_codes += 1
        elif self._fields and kind in {"separate", "end"}:
            self._n_open_codes -= self._fields.pop()
            if kind == "separate":
                self._fields.append(False)

    def _start_table(self, tag: str) -> None:
        if tag == "w:tbl":
            self._flush_row()
        elif tag == "w:tr":
            self._rows.append(_OpenRow())
        elif self._rows:
            self._rows[-1].cell += 1

    def _end(self, tag: str) -> None:
        if self._skipping:
            self._skipping -= 1
        elif tag == "w:p":
            self._end_paragraph(self._paragraphs.pop())
        elif tag == "w:t":
            self._in_text = False
        elif tag == "w:tr":
            self._flush_row()
            self._rows.pop()
        elif tag == "mc:AlternateContent":
            self._alternatives.pop()
        elif tag == "w:sdt":
            self._placeholders.pop()

    def _data(self, text: str) -> None:
        if self._in_text and not self._skipping:
            self._add(re.sub(r"[\r\n]+", " ", text))

    def _add(self, text: str) -> None:
        if self._paragraphs and not self._n_open_codes and not self._hidden:
            self._paragraphs[-1].texts.append(text)

    def _end_paragraph(self, paragraph: _OpenParagraph) -> None:
        if self._n_open_codes:  # a code must end within its paragraph: the file is faulty
            self._fields, self._n_open_codes = [], 0
        text = "".join(paragraph.texts).strip()
        if not text or self._styles.is_contents(paragraph.style):
            return
        level = self._styles.level(paragraph.style)
        if paragraph.outline is not None and level != TITLE:
            level = heading_level(paragraph.outline)
        if level is None and self._rows:
            self._rows[-1].texts.append((self._rows[-1].cell, text))
        else:
            self._flush_row()
            self.blocks.append(WordBlock(level, text))

    def _flush_row(self) -> None:
        """Add the texts of a row as one block; texts of a single cell are separate paragraphs."""
        if not self._rows or not self._rows[-1].texts:
            return
        texts, self._rows[-1].texts = self._rows[-1].texts, []
        if texts[0][0] == texts[-1][0]:
            self.blocks += [WordBlock(None, text) for _, text in texts]
            return
        cells: dict[int, list[str]] = {}
        for cell, text in texts:
            cells.setdefault(cell, []).append(text)
        self.blocks.append(WordBlock(None, "\t".join(" ".join(cell) for cell in cells.values())))
