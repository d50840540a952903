"""Markdown cut into blocks and inline tokens that know where in the text they stand.

The parser keeps the lines of blocks, but not the offsets of what is inside them. Two small rules
put in front of its own write these down while it works.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from markdown_it import MarkdownIt
from markdown_it.rules_block import blockquote, list_block, paragraph, table
from markdown_it.rules_inline import image

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from markdown_it.rules_block import StateBlock
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

    BlockRule = Callable[[StateBlock, int, int, bool], bool]

# Deeper markers of quotes and lists are text; every level costs a pass and a few frames.
_MAX_BLOCKS = 100
_MAX_BRACKETS = 20
_NEWLINE = re.compile(r"\r\n?|\n")


class TracedText(NamedTuple):
    """Text put together from stretches of the source.

    Stretch k begins at `starts[k]` in the text and at `offsets[k]` in the source.
    """

    text: str
    starts: Sequence[int]
    offsets: Sequence[int]

    def offset(self, at: int) -> int:
        """Tell where a character of the text stands in the source."""
        stretch = bisect_right(self.starts, at) - 1
        return self.offsets[stretch] + at - self.starts[stretch]

    def spans(self, begin: int, end: int) -> Iterator[tuple[int, int]]:
        """Cut a range of the text where one stretch ends and the next begins."""
        stretch = bisect_right(self.starts, begin)
        while stretch < len(self.starts) and self.starts[stretch] < end:
            yield begin, self.starts[stretch]
            begin = self.starts[stretch]
            stretch += 1
        if begin < end:
            yield begin, end


class MarkdownLines:
    r"""The lines of a text, and how to get from the parser's offsets back to the text's.

    The parser knows one end of line, "\n"; a text may have three.
    """

    def __init__(self, text: str, begin: int) -> None:
        body = text[begin:]
        lines = _NEWLINE.split(body)
        real = [0, *(newline.end() for newline in _NEWLINE.finditer(body))]
        self.text = "\n".join(lines)
        self._starts = [0, *accumulate(len(line) + 1 for line in lines)]
        self._shifts = [begin + at - self._starts[number] for number, at in enumerate(real)]

    def trace(self, first: int, begins: list[int]) -> TracedText:
        """Put lines together from line `first` on, each from its own beginning on."""
        stretches = [
            self.text[begin : self._starts[number + 1]]
            for number, begin in enumerate(begins, first)
        ]
        offsets = [begin + self._shifts[number] for number, begin in enumerate(begins, first)]
        starts = [0, *accumulate(len(stretch) for stretch in stretches)][:-1]
        return TracedText("".join(stretches).rstrip(), starts, offsets)


class _Parser(MarkdownIt):
    """CommonMark with tables and struck text; links are as good as any, whatever they point to."""

    def normalizeLink(self, url: str) -> str:  # noqa: N802 (the library's name)
        return url

    def normalizeLinkText(self, link: str) -> str:  # noqa: N802
        return link

    def validateLink(self, url: str) -> bool:  # noqa: ARG002, N802
        return True


def split_blocks(text: str, env: dict[str, Any]) -> list[Token]:
    """Cut text into block tokens; inline ones have in meta["begins"] where their lines begin."""
    tokens: list[Token] = []
    parser = _parser(_MAX_BLOCKS + 4)  # a level for each part of a table
    parser.block.parse(text, parser, env, tokens)
    return tokens


def split_inline(text: str, env: dict[str, Any]) -> list[Token]:
    """Cut the text of a block into tokens; each has in meta["start"] where it begins in it."""
    tokens: list[Token] = []
    parser = _parser(_MAX_BRACKETS)
    env["starts"], env["last_comment"] = {}, text.rfind("-->")
    parser.inline.parse(text, parser, env, tokens)
    return tokens


@cache
def _parser(max_nesting: int) -> _Parser:
    options = {"maxNesting": max_nesting, "tasklists": True, "alerts": True}
    parser = _Parser("commonmark", options)
    parser.enable(["table", "strikethrough"])
    # The names are those of the blocks that the rule may end.
    ends = ["paragraph", "reference", "blockquote", "list"]
    at = parser.block.ruler.at
    at("paragraph", _keeping_begins(paragraph))
    at("table", _keeping_begins(table), {"alt": ends[:2]})
    at("list", _not_deep(list_block), {"alt": ends[:3]})
    at("blockquote", _not_deep(blockquote), {"alt": ends})
    parser.inline.ruler.before("text", "note_start", _note_start)
    parser.inline.ruler.at("image", _bare_image)
    parser.inline.ruler.before("html_inline", "comment", _comment)
    parser.inline.ruler2.before("balance_pairs", "keep_starts", _keep_starts)
    parser.inline.ruler2.disable("fragments_join")
    return parser


def _keeping_begins(rule: BlockRule) -> BlockRule:
    """Let a block rule write down where the lines begin, markers of quotes and lists left out."""

    def keeping(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        n_tokens = len(state.tokens)
        found = rule(state, start, end, silent)
        if found and not silent:
            for token in state.tokens[n_tokens:]:
                if token.type == "inline" and token.map:
                    token.meta["begins"] = [
                        state.bMarks[line] + state.tShift[line] for line in range(*token.map)
                    ]
        return found

    return keeping


def _not_deep(rule: BlockRule) -> BlockRule:
    """Let a rule of quotes or lists pass when too deep: the parser would drop all that follows."""

    def passing(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        return state.level < _MAX_BLOCKS and rule(state, start, end, silent)

    return passing


def _note_start(state: StateInline, silent: bool) -> bool:
    """Write down where the next token begins; pending text becomes a token before it."""
    if not silent:
        state.env["starts"][len(state.tokens) + bool(state.pending)] = state.pos
    return False


def _keep_starts(state: StateInline) -> None:
    """Give each token its beginning, before pairs of markers are made from some."""
    starts = state.env["starts"]
    at = 0
    for index, token in enumerate(state.tokens):
        # Tokens made in one step, such as the stars of **, follow each other.
        at = starts.get(index, at)
        token.meta = {"start": at}
        at += len(token.content) + (token.type == "link_open" and token.markup == "autolink")


def _bare_image(state: StateInline, silent: bool) -> bool:
    """Take an image without parsing its other text, which is not read."""
    start = state.pos
    found = image(state, True)
    if found and not silent:
        state.pos, end = start, state.pos
        state.push("image", "img", 0)
        state.pos = end
    return found


def _comment(state: StateInline, silent: bool) -> bool:
    """Take a comment; the parser's own pattern can take a pass over all text for each."""
    begin = state.pos
    if not state.src.startswith("<!--", begin) or state.env["last_comment"] < begin + 2:
        return False
    end = state.src.index("-->", begin + 2) + 3  # two of its dashes may be those of the <!--
    if not silent:
        state.push("html_inline", "", 0).content = state.src[begin:end]
    state.pos = end
    return True
