r"""Manual pages: troff source in the man and mdoc macro languages, in any natural language.

Sections are what .SH and .SS (.Sh and .Ss) begin; paragraphs what .PP, .TP, .IP, .It, .sp and
blank lines divide; a tag belongs to the paragraph that it introduces. Left out are code and other
text set line by line (.nf, .EX, .Bd -literal), tables, equations and pictures. A page that only
points to another one (.so) is an alias, and no document.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from permutopic.documents import make_document
from permutopic.readers.compression import strip_compression
from permutopic.readers.formats import guess_format
from permutopic.readers.read_log import ReadError, ReadLog
from permutopic.readers.source import decode
from permutopic.readers.troff import man, mdoc
from permutopic.readers.troff.page import ManualPage
from permutopic.readers.troff.parser import RoffParser

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permutopic.documents import Document
    from permutopic.readers.settings import ReadOptions
    from permutopic.readers.source import Source

    Language = man.Man | mdoc.Mdoc

# In the first line, as Emacs and man-db have it: '\" -*- coding: UTF-8 -*-
_CODING = re.compile(rb"""['.]\\"[^\n]{0,200}?-\*-[^\n]{0,200}?coding:[ \t]*([\w-]{1,40})""")
_ENCODINGS = re.compile(
    r"(utf-?8|(?:us-)?ascii|(?:iso|latin|koi|cp|windows|euc|gb|big|shift|sjis|tis)[\w-]*?)"
    r"(?:-unix|-dos|-mac)?",
    re.IGNORECASE,
)
_MDOC = re.compile(r"^[.'][ \t]*(?:(Dd|Dt|Os|Sh)|TH|SH)\b", re.MULTILINE)


def read(source: Source, options: ReadOptions, log: ReadLog) -> Iterator[Document]:
    """Read a manual page as one document."""
    content = source.bytes(options, log)
    text = decode(content, source.name, options, _declared(content))
    parser, page = RoffParser(text, {}), ManualPage(text)
    language = _carry_out(parser, page)
    if not language.n_macros and parser.included:
        log.skip(source.name, "alias", f"alias of {parser.included}")
        return
    if not language.n_macros:
        raise ReadError(
            source.name,
            "no manual page",
            "not a single macro of a manual page (.TH, .SH, .Dt, .Sh) stands in it: give troff "
            "source, or choose another format (--format)",
        )
    yield make_document(
        page.parts,
        title=_title(source, language),
        location=source.name,
        source=text,
        depth=options.depth,
        title_from_heading=False,
    )


def _declared(content: bytes) -> str | None:
    """Give the encoding that a page names, if pages are written in it."""
    named = _CODING.match(content)
    known = _ENCODINGS.fullmatch(named[1].decode("ascii")) if named else None
    return known[1] if known else None


def _carry_out(parser: RoffParser, page: ManualPage) -> Language:
    """Go through a page line by line."""
    text = parser.source
    first = _MDOC.search(text)
    is_mdoc = first is not None and first[1] is not None
    parser.state.strings.update(mdoc.STRINGS if is_mdoc else man.STRINGS)
    language: Language = mdoc.Mdoc(parser, page) if is_mdoc else man.Man(parser, page)
    for line in parser.lines():
        if line.name is None:
            shown = parser.pieces(line.start, line.end)
            if shown:
                page.add_line(shown, line.stop, glued=parser.joins_next(line))
            elif not text[line.at : line.stop].strip():
                page.space()
        elif line.name in {"sp", "bp"}:
            page.space()
        elif line.name in {"nf", "fi"}:
            page.hidden = line.name == "nf"
        else:
            language.call(line)
    page.divide()
    return language


def _title(source: Source, language: Language) -> str:
    """Name a page as people do, open(2)."""
    name, section = (" ".join(word.split()) for word in (language.name, language.section))
    name = _spelled(name, source, language) or name
    if not name:
        return source.title
    return f"{name}({section})" if section else name


def _spelled(name: str, source: Source, language: Language) -> str:
    """Spell the name of a page like its file, behind links if its own name is another.

    What .TH says may be in capitals, cut short, or the name of another page.
    """
    if isinstance(language, mdoc.Mdoc) and language.own_name.casefold() == name.casefold():
        name = language.own_name
    for path in (source.path, source.path and Path(os.path.realpath(source.path))):
        if path is None or guess_format(path) != "man":
            continue
        bare = strip_compression(path).stem
        if bare.casefold() == name.casefold() or path is not source.path:
            return bare
    return name
