r"""Manual pages: troff source in the man and mdoc macro languages, in any natural language.

.SH and .SS (.Sh and .Ss) begin sections; .PP, .TP, .IP, .It, .sp and blank lines separate
paragraphs; a tag is in the paragraph that it introduces. Code and other unfilled text (.nf, .EX,
.Bd -literal), tables, equations and pictures are left out. A page that only includes another one
(.so) is an alias and is skipped.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from permutopic.documents import make_document
from permutopic.errors import Message, Parameter
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
    from permutopic.readers.troff.macros import MacroLanguage

# In the first line, by the convention of Emacs and man-db: '\" -*- coding: UTF-8 -*-
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
    language = _parse(parser, page)
    if not language.n_macros and parser.included:
        log.skip(source.name, "alias", f"alias of {parser.included}")
        return
    if not language.n_macros:
        detail = Message(
            "not a single macro of a manual page (.TH, .SH, .Dt, .Sh) stands in it: give troff "
            "source, or choose another format (",
            Parameter("format"),
            ")",
        )
        raise ReadError(source.name, "no manual page", detail)
    yield make_document(
        page.parts,
        title=_title(source, language),
        location=source.name,
        source=text,
        depth=options.depth,
        title_from_heading=False,
    )


def _declared(content: bytes) -> str | None:
    """Return the encoding that a page declares, if it is one of manual pages."""
    named = _CODING.match(content)
    known = _ENCODINGS.fullmatch(named[1].decode("ascii")) if named else None
    return known[1] if known else None


def _parse(parser: RoffParser, page: ManualPage) -> MacroLanguage:
    """Parse a page line by line; return its macro language."""
    text = parser.source
    first = _MDOC.search(text)
    is_mdoc = first is not None and first[1] is not None
    parser.state.strings.update(mdoc.STRINGS if is_mdoc else man.STRINGS)
    language: MacroLanguage = mdoc.Mdoc(parser, page) if is_mdoc else man.Man(parser, page)
    for line in parser.lines():
        if line.name is None:
            shown = parser.pieces(line.start, line.end)
            if shown:
                page.add_line(shown, line.stop, joins_next=parser.joins_next(line))
            elif not text[line.begin : line.stop].strip():
                page.space()
        elif line.name in {"sp", "bp"}:
            page.space()
        elif line.name in {"nf", "fi"}:
            page.hidden = line.name == "nf"
        else:
            language.call(line)
    page.divide()
    return language


def _title(source: Source, language: MacroLanguage) -> str:
    """Return the name and section of a page: open(2)."""
    name, section = (" ".join(word.split()) for word in (language.name, language.section))
    name = _spell_like_file(name, source, language) or name
    if not name:
        return source.title
    return f"{name}({section})" if section else name


def _spell_like_file(name: str, source: Source, language: MacroLanguage) -> str:
    """Return the name of a page in the spelling of its file, or of the file that it links to.

    The name in .TH may be in capitals, truncated, or that of another page.
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
