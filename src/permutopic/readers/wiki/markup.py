"""Markup of wikitext that is no prose, replaced in one pass by characters of equal number.

The blanked text has the length of the page, so offsets are the same in both.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

# XML 1.0 allows none of these, so no page contains them.
HIDDEN, BREAK, REST = "\x01", "\x02", "\x03"
HEADINGS = "\x11\x12\x13\x14\x15\x16"
# For characters that are shown as in the page and must not be parsed as markup.
_NEUTRAL = ","

_TOKEN = re.compile(
    r"<!--|<(?P<end>/?)(?P<tag>[a-zA-Z][a-zA-Z0-9]*)(?P<rest>(?:[\s/][^<>]*)?)>|<"
    # |}} ends a template, |} a table, |}}} the table in a template and the template.
    r"|\{\||\{\{+|\|\}(?!\}(?!\}))|\}\}+"
    r"|\[\[|\[(?=(?:https?:|ftps?:)?//|mailto:)|\]\]|\]|\n=|__[^\W\d_]+(?:_[^\W\d_]+)*__"
)
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f]")
_BLANK_LINE = re.compile(r"\n[ \t]*\n")
_REST_OF_LINE = re.compile(r"[ \t]*\n")
_BREAKS = re.compile(rf"{BREAK}{REST}*(?:[\s{HIDDEN}]*{BREAK}{REST}*)+")
_MARKUP = re.compile(r"(?<!&)#|[^\w\s&;#]")
_LANGUAGE = re.compile(r"[a-z]{2,3}(?:-[a-z-]+)?|simple")
_MEDIA = re.compile(
    r"\.(?:jpe?g|png|svg|gif|tiff?|webp|xcf|bmp|og[gagvx]|webm|mp[34]|mpe?g|wav|flac|opus|mid|djvu?"
    r"|pdf|stl)\s*$",
    re.IGNORECASE,
)


def _by_name(**kinds: str) -> dict[str, str]:
    return {name: kind for kind, names in kinds.items() for name in names.split()}


# Kinds of tags: left out with their content, verbatim content, ending a paragraph, or left out
# without their content (inline). Other names are text.
_TAGS = _by_name(
    left_out="ref references gallery math chem ce score timeline graph chart hiero imagemap rss "
    "inputbox section categorytree templatedata templatestyles mapframe maplink indicator "
    "syntaxhighlight source style script dynamicpagelist poll quiz languages pages pagelist",
    verbatim="nowiki pre",
    table="table",
    newline="br",
    heading="h1 h2 h3 h4 h5 h6",
    dividing="p div blockquote center hr ul ol li dl dt dd tr td th caption tbody thead tfoot poem "
    "listing see do eat drink sleep buy",
    inline="abbr b bdi bdo big cite code data del dfn em font i ins kbd langconvert link mark meta "
    "noinclude includeonly onlyinclude q rb rp rt rtc ruby s samp small span strike strong sub "
    "sup time translate tt tvar u var wbr",
)


class NamespaceNames(NamedTuple):
    """Names, case-folded, of a wiki's namespaces of categories and files; English ones included."""

    categories: frozenset[str] = frozenset({"category"})
    files: frozenset[str] = frozenset({"file", "image", "media"})

    def hides_link(self, target: str) -> bool:
        """Whether a link to `target` shows no text: a category, a file or another language.

        >>> targets = ("File:A.png", "Bild:A.png", ":File:A.png", "fr:A", "A: b")
        >>> [NamespaceNames().hides_link(target) for target in targets]
        [True, True, False, True, False]
        """
        prefix, colon, rest = target.partition("|")[0].partition(":")
        name = normalise_name(prefix)
        if not colon or not name:
            return False
        if name in self.categories or name in self.files or _MEDIA.search(rest):
            return True
        return "|" not in target and _LANGUAGE.fullmatch(prefix.strip()) is not None


def normalise_name(name: str) -> str:
    """Return the name of a namespace with blanks and case normalised."""
    return " ".join(name.replace("_", " ").split()).casefold()


def blank_markup(text: str, names: NamespaceNames) -> str:
    r"""Replace what is not shown by HIDDEN, and what would falsely parse as markup by a comma.

    >>> blank_markup("A {{tall}} '''tree'''<br>.", NamespaceNames())
    "A \x01\x01\x01\x01\x01\x01\x01\x01 '''tree'''\x02\x03\x03\x03."
    """
    scan = _MarkupScanner(_CONTROL.sub(_NEUTRAL, text), names)
    scan.run()
    blanked = _apply(scan.text, scan.edits)
    return _BREAKS.sub(_divide, blanked)


def _apply(text: str, edits: list[_Edit]) -> str:
    """Apply replacements; of nested ones only the outermost."""
    done = []
    at = 0
    for edit in sorted(edits, key=lambda edit: (edit.start, -edit.end)):
        if edit.start >= at:
            done += [text[at : edit.start], edit.first.ljust(edit.end - edit.start, edit.rest)]
            at = edit.end
    return "".join([*done, text[at:]])


def _divide(breaks: re.Match[str]) -> str:
    """Replace two line breaks in a row by a blank line, which separates paragraphs."""
    return "\n\n".ljust(len(breaks.group()), HIDDEN)


class _Edit(NamedTuple):
    """Replacement of `text[start:end]` by `first`, padded with `rest`."""

    start: int
    end: int
    first: str
    rest: str


@dataclass
class _OpenMarkup:
    """Markup not closed yet; `kind` is "{" (braces), "|" (a table), "[" or "h" (links)."""

    kind: str
    at: int
    size: int
    holds_link: bool = False


@dataclass
class _MarkupScanner:
    """A single pass over the tokens of a page, with a stack of open markup."""

    text: str
    names: NamespaceNames
    edits: list[_Edit] = field(default_factory=list)
    open: list[_OpenMarkup] = field(default_factory=list)
    n_open: dict[str, int] = field(default_factory=lambda: dict.fromkeys("{|[h", 0))
    unended: set[str] = field(default_factory=set)

    def run(self) -> None:
        at = 0
        while found := _TOKEN.search(self.text, at):
            at = self._take(found)
        while self.open:
            self._drop()

    def _take(self, found: re.Match[str]) -> int:
        """Process one token; return the offset where to continue."""
        symbol, start, end = found.group(), found.start(), found.end()
        if symbol[0] == "<":
            return self._angle(found)
        if symbol[0] in "{}|":
            self._brace(symbol, start, end)
        elif symbol[0] == "[":
            self._open_link(symbol, start)
        elif symbol[0] == "]":
            return self._close_link(symbol, start)
        elif symbol == "\n=":  # a heading ends all links
            while self.open and self.open[-1].kind in "[h":
                self._drop()
        elif symbol == symbol.upper():  # __TOC__ and such, not __init__
            self._hide(start, end)
        return end

    def _angle(self, found: re.Match[str]) -> int:
        if found.group() == "<!--":
            return self._comment(found.start())
        kind = _TAGS.get((found["tag"] or "").lower())
        if kind is None:
            self._replace(found.start(), found.start() + 1, _NEUTRAL)
            return found.start() + 1
        return self._tag(kind, found)

    def _brace(self, symbol: str, start: int, end: int) -> None:
        if symbol[0] == "}":
            self._close_braces(start, end)
        elif symbol[:2] == "{{":
            self._push("{", start, end - start)
        elif not self._begins_line(start):
            pass
        elif symbol == "{|":
            self._push("|", start, end - start)
        elif self.n_open["|"]:
            self._close_table(end)

    def _hide(self, start: int, end: int) -> None:
        self._replace(start, end, HIDDEN)

    def _replace(self, start: int, end: int, first: str, rest: str = "") -> None:
        self.edits.append(_Edit(start, end, first, rest or first))

    def _push(self, kind: str, at: int, size: int) -> None:
        self.open.append(_OpenMarkup(kind, at, size))
        self.n_open[kind] += 1

    def _pop(self) -> _OpenMarkup:
        last = self.open.pop()
        self.n_open[last.kind] -= 1
        return last

    def _drop(self) -> None:
        """Neutralise an unclosed opening, for whose end the parser would search the whole page."""
        last = self._pop()
        if last.kind == "[":
            self._hide(last.at, last.at + last.size)
        elif last.kind != "|":
            self._replace(last.at, last.at + last.size, _NEUTRAL)

    def _begins_line(self, at: int) -> bool:
        before = self.text[max(at - 80, 0) : at].rpartition("\n")
        return (bool(before[1]) or at <= 80) and not before[2].strip(" \t:*#;")

    def _comment(self, start: int) -> int:
        end = self.text.find("-->", start + 4)
        end = len(self.text) if end < 0 else end + 3
        line = _REST_OF_LINE.match(self.text, end)
        if line and (start == 0 or self.text[start - 1] == "\n"):
            end = line.end()  # a line with only a comment is removed: it is no blank line
        self._hide(start, end)
        return end

    def _tag(self, kind: str, found: re.Match[str]) -> int:
        """Replace a tag according to its kind; return the offset where to continue."""
        name, start, end = found["tag"].lower(), found.start(), found.end()
        opens = not found["end"] and not found["rest"].endswith("/")
        if kind in {"left_out", "verbatim"}:
            return self._foreign(name, start, end, opens)
        if kind == "inline":
            self._hide(start, end)
        elif kind == "newline":
            self._replace(start, end, BREAK, REST)
        elif kind == "heading":
            level = HEADINGS[int(name[1]) - 1] if opens else ""
            self._replace(start, end, f"\n{level}", HIDDEN)
        else:
            self._replace(start, end, "\n\n", HIDDEN)
        if kind == "table" and opens:
            self._push("|", start, end - start)
        elif kind == "table" and self.n_open["|"]:
            self._close_table(end)
        return end

    def _foreign(self, name: str, start: int, end: int, opens: bool) -> int:
        """Skip a tag whose content is no wikitext; one without an end tag has no content."""
        last = None
        if opens and name not in self.unended:
            last = re.compile(rf"</{name}\s*>", re.IGNORECASE).search(self.text, end)
            if last is None:
                self.unended.add(name)
        if last is None:
            self._hide(start, end)
            return end
        if _TAGS[name] == "verbatim":
            around = "\n\n" if name == "pre" else HIDDEN
            self._replace(start, end, around, HIDDEN)
            inside = _MARKUP.sub(_NEUTRAL, self.text[end : last.start()])
            self._replace(end, last.start(), inside, _NEUTRAL)
            self._replace(last.start(), last.end(), around, HIDDEN)
        else:
            self._hide(start, last.end())
        return last.end()

    def _close_braces(self, start: int, end: int) -> None:
        """Match closing braces: by threes (a parameter) or twos (a template)."""
        while end - start >= 2 and self.n_open["{"]:
            while self.open[-1].kind != "{":
                self._pop()  # unclosed within the braces
            last = self.open[-1]
            size = 3 if last.size >= 3 and end - start >= 3 else 2
            last.size -= size
            start += size
            self._hide(last.at + last.size, start)
            if last.size < 2:
                self._pop()
        if end - start >= 2:
            self._replace(start, end, _NEUTRAL)

    def _close_table(self, end: int) -> None:
        while (last := self._pop()).kind != "|":
            pass
        self._replace(last.at, end, "\n\n", HIDDEN)

    def _open_link(self, symbol: str, start: int) -> None:
        if self.open and symbol == "[" and self.open[-1].kind == "h":
            self._drop()  # external links do not nest
        self._push("[" if symbol == "[[" else "h", start, len(symbol))

    def _close_link(self, symbol: str, start: int) -> int:
        """Close the innermost link; of nested links only this one, and files, are links."""
        kind = self.open[-1].kind if self.open else ""
        if kind == "h":
            last = self._pop()
            if "\n" in self.text[last.at : start]:
                self._replace(last.at, last.at + 1, _NEUTRAL)
            return start + 1
        if symbol == "]]" and kind == "[":
            self._link(self._pop(), start + 2)
        elif symbol == "]]":
            self._hide(start, start + 2)
        return start + len(symbol)

    def _link(self, link: _OpenMarkup, end: int) -> None:
        target = self.text[link.at + 2 : min(link.at + 300, end - 2)]
        if self.names.hides_link(target):
            self._hide(link.at, end)
            return
        if self.open and self.open[-1].kind == "[":
            self.open[-1].holds_link = True
        broken = "\n" in target.partition("|")[0]
        if link.holds_link or broken or _BLANK_LINE.search(self.text, link.at, end):
            self._hide(link.at, link.at + 2)
            self._hide(end - 2, end)
