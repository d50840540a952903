"""Text of mdoc lines: macros among the arguments, punctuation, quotes and brackets."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from permutopic.documents import Piece
from permutopic.readers.troff.escapes import replacement

if TYPE_CHECKING:
    from permutopic.readers.troff.escapes import Argument
    from permutopic.readers.troff.parser import RoffParser

_CLOSING, _OPENING = frozenset(".,:;)]?!"), frozenset("([")
_ENCLOSING = {
    "Dq": "“”",
    "Sq": "‘’",
    "Ql": "‘’",
    "Qq": '""',
    "Pq": "()",
    "Bq": "[]",
    "Brq": "{}",
    "Aq": "<>",
    "Op": "[]",
}
# Pairs of macros: one that opens and one that closes.
_OPENS = {"Do": "“", "So": "‘", "Qo": '"', "Po": "(", "Bo": "[", "Bro": "{", "Ao": "<", "Oo": "["}
_CLOSES = {"Dc": "”", "Sc": "’", "Qc": '"', "Pc": ")", "Bc": "]", "Brc": "}", "Ac": ">", "Oc": "]"}
SYSTEMS = {
    "At": "AT&T UNIX",
    "Bx": "BSD",
    "Bsx": "BSD/OS",
    "Dx": "DragonFly",
    "Fx": "FreeBSD",
    "Nx": "NetBSD",
    "Ox": "OpenBSD",
    "Ux": "UNIX",
}
_OTHERS = (
    "Ad An Ar Cd Cm Db Dv Em Er Ev Fa Fl Fn Fr Ft Hf Ic Li Lk Ms Mt Nm No Ns Pa Pf Ap Sx Sy Ta Tn "
    "Va Vt Xc Xo Xr Lb In St Eo Ec Es En Cq Bt Ud %A %B %C %D %I %J %N %O %P %Q %R %T %U %V"
)
CALLED = (
    frozenset(_OTHERS.split()) | _ENCLOSING.keys() | _OPENS.keys() | _CLOSES.keys() | SYSTEMS.keys()
)


@dataclass
class MdocWords:
    """Builds the text of one line from its words.

    Attributes
    ----------
    parser, page_name
        The parser of the page; the text of .Nm without arguments.
    spaced
        Whether blanks are put between words (not after .Sm off).
    pieces
        Text of the line so far.
    joins_before, joins_after
        Whether no blank is put between it and the line before, or the one after.
    """

    parser: RoffParser
    page_name: str
    spaced: bool = True
    pieces: list[Piece] = field(default_factory=list)
    joins_before: bool = False
    joins_after: bool = False
    _is_joined: bool = True
    _end: int = 0
    _open: list[str] = field(default_factory=list)

    def take(self, words: list[Argument]) -> None:
        """Add the words of a line, including the names of macros."""
        self._end = words[0].start if words else 0
        tail = len(words)
        while tail and self._punctuation(words[tail - 1]) in _CLOSING:
            tail -= 1
        at = 0
        while at < tail:
            name = self._called(words[at])
            at = self._macro(name, words, at, tail) if name else self._word(words[at], at)
        self._close(words[tail - 1].end if tail else self._end)
        for word in words[tail:]:
            self._word(word, tail)
        self.joins_after = self._is_joined and bool(self.pieces)

    def _raw(self, word: Argument) -> str:
        return self.parser.source[word.start : min(word.end, word.start + 9)]

    def _punctuation(self, word: Argument) -> str:
        """Return a word of one unquoted character, else "none"."""
        raw = self._raw(word)
        return raw if len(raw) == 1 and not word.quoted else "none"

    def _called(self, word: Argument) -> str:
        raw = self._raw(word)
        return raw if raw in CALLED and not word.quoted else ""

    def _is_argument(self, words: list[Argument], at: int, tail: int) -> bool:
        return (
            at < tail
            and not self._called(words[at])
            and self._punctuation(words[at]) not in _CLOSING
        )

    def _append(self, pieces: list[Piece], start: int) -> None:
        """Append the pieces of a word, after a blank if needed."""
        if not self._is_joined and self.spaced:
            self.pieces.append(Piece(" ", self._end, start))
        self.pieces += pieces
        self._end = max(self.pieces[-1].end, start) if self.pieces else start
        self._is_joined = False

    def _text(self, text: str, start: int, end: int) -> None:
        self._append([replacement(text, start, end)], start)

    def _word(self, word: Argument, at: int) -> int:
        """Append a word of text, punctuation without a blank; return the index of the next word."""
        punctuation = self._punctuation(word)
        if punctuation in _CLOSING:
            self.joins_before |= not self.pieces
            self._is_joined = True
        pieces = self.parser.argument_pieces(word)
        if pieces:
            self._append(pieces, word.start)
        self._is_joined = punctuation in _OPENING
        return at + 1

    def _close(self, end: int) -> None:
        while self._open:
            self._is_joined = True
            self._text(self._open.pop(), end, end)

    def _macro(self, name: str, words: list[Argument], at: int, tail: int) -> int:
        """Execute a macro among the words; return the index of the next word."""
        word = words[at]
        given = self._is_argument(words, at + 1, tail)
        if name in _ENCLOSING:
            self._text(_ENCLOSING[name][0], word.start, word.end)
            self._open.append(_ENCLOSING[name][1])
            self._is_joined = True
        elif name in _OPENS:
            self._text(_OPENS[name], word.start, word.end)
            self._is_joined = True
        elif name in _CLOSES:
            self.joins_before |= not self.pieces
            self._is_joined = True
            self._text(_CLOSES[name], word.start, word.end)
        elif name in {"Ns", "Pf", "Ap"}:
            return self._joining(name, words, at, tail)
        elif name in {"Xr", "Fn"} and given:
            return self._brackets(name, words, at + 1, tail)
        elif name == "Fl":
            return self._flags(words, at, tail)
        elif name in SYSTEMS:
            self._text(SYSTEMS[name], word.start, word.end)
        elif name == "Nm" and not given and self.page_name:
            self._text(self.parser.state.charge(self.page_name), word.start, word.end)
        elif name == "Ar" and not given:
            self._text("file ...", word.start, word.end)
        return at + 1

    def _joining(self, name: str, words: list[Argument], at: int, tail: int) -> int:
        """Execute the macros that suppress blanks: .Ns, .Pf and an apostrophe (.Ap)."""
        if name == "Ns":
            self.joins_before |= not self.pieces
        elif name == "Ap":
            self.joins_before |= not self.pieces
            self._is_joined = True
            self._text("'", words[at].start, words[at].end)
        elif at + 1 < tail:
            at += 1
            self._append(self.parser.argument_pieces(words[at]), words[at].start)
        self._is_joined = True
        return at + 1

    def _flags(self, words: list[Argument], at: int, tail: int) -> int:
        """Append the words that follow, each with a dash (.Fl)."""
        start, end = words[at].start, words[at].end
        at += 1
        if not self._is_argument(words, at, tail):
            self._text("-", start, end)
            self._is_joined = at < tail
            return at
        while self._is_argument(words, at, tail):
            if self._punctuation(words[at]) != "|":
                self._text("-", start, min(end, words[at].start))
                self._is_joined = True
            self._append(self.parser.argument_pieces(words[at]), words[at].start)
            start = end = words[at].end
            at += 1
        return at

    def _brackets(self, name: str, words: list[Argument], at: int, tail: int) -> int:
        """Append name(section) (.Xr), or name(argument, argument) (.Fn)."""
        self._append(self.parser.argument_pieces(words[at]), words[at].start)
        at += 1
        self._is_joined = True
        first = at
        if name == "Fn" or self._is_argument(words, at, tail):
            self._text("(", self._end, self._end)
            self._is_joined = True
        while self._is_argument(words, at, tail) and (name == "Fn" or at == first):
            if at > first:
                self._is_joined = True
                self._text(",", self._end, self._end)
            self._append(self.parser.argument_pieces(words[at]), words[at].start)
            at += 1
        if name == "Fn" or at > first:
            self._is_joined = True
            self._text(")", self._end, self._end)
        return at
