"""Markdown split into block and inline tokens with their offsets in the text.

markdown-it keeps the lines of blocks, but not the offsets of what is inside them. Additional rules,
run before its own, record these.
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

# Deeper markers of quotes and lists are text; every level costs a pass and stack frames.
_MAX_BLOCKS = 100
_MAX_BRACKETS = 20
_NEWLINE = re.compile(r"\r\n?|\n")


class TracedText(NamedTuple):
    """Text joined from stretches of the source.

    Stretch k begins at `starts[k]` in the text and at `offsets[k]` in the source.
    """

    text: str
    starts: Sequence[int]
    offsets: Sequence[int]

    def offset(self, position: int) -> int:
        """Return the offset in the source of a position in the text."""
        stretch = bisect_right(self.starts, position) - 1
        return self.offsets[stretch] + position - self.starts[stretch]

    def spans(self, begin: int, end: int) -> Iterator[tuple[int, int]]:
        """Split a range of the text at the boundaries of stretches."""
        stretch = bisect_right(self.starts, begin)
        while stretch < len(self.starts) and self.starts[stretch] < end:
            yield begin, self.starts[stretch]
            begin = self.starts[stretch]
            stretch += 1
        if begin < end:
            yield begin, end


class MarkdownLines:
    r"""The lines of a text, with a map from the parser's offsets to those of the text.

    The parser gets "\n" for every end of line; the text may have "\r\n" and "\r" as well.
    """

    def __init__(self, text: str, begin: int) -> None:
        body = text[begin:]
        lines = _NEWLINE.split(body)
        real = [0, *(newline.end() for newline in _NEWLINE.finditer(body))]
        self.text = "\n".join(lines)
        self._starts = [0, *accumulate(len(line) + 1 for line in lines)]
        self._shifts = [begin + at - self._starts[number] for number, at in enumerate(real)]

    def trace(self, first: int, begins: list[int]) -> TracedText:
        """Join lines from line `first` on, each from its offset in `begins` on."""
        stretches = [
            self.text[begin : self._starts[number + 1]]
            for number, begin in enumerate(begins, first)
        ]
        offsets = [begin + self._shifts[number] for number, begin in enumerate(begins, first)]
        starts = [0, *accumulate(len(stretch) for stretch in stretches)][:-1]
        return TracedText("".join(stretches).rstrip(), starts, offsets)


class _Parser(MarkdownIt):
    """CommonMark with tables and strikethrough; link targets are neither changed nor checked."""

    def normalizeLink(self, url: str) -> str:  # noqa: N802 (the library's name)
        return url

    def normalizeLinkText(self, link: str) -> str:  # noqa: N802
        return link

    def validateLink(self, url: str) -> bool:  # noqa: ARG002, N802
        return True


def split_blocks(text: str, env: dict[str, Any]) -> list[Token]:
    """Split text into block tokens; meta["begins"] of inline ones has offsets of their lines."""
    tokens: list[Token] = []
    parser = _parser(_MAX_BLOCKS + 4)  # a level for each part of a table
    parser.block.parse(text, parser, env, tokens)
    return tokens


def split_inline(text: str, env: dict[str, Any]) -> list[Token]:
    """Split the text of a block into tokens; meta["start"] of each is its offset in the text."""
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
    # Names of the blocks that the rules may interrupt.
    ends = ["paragraph", "reference", "blockquote", "list"]
    at = parser.block.ruler.at
    at("paragraph", _recording_lines(paragraph))
    at("table", _recording_lines(table), {"alt": ends[:2]})
    at("list", _limiting_depth(list_block), {"alt": ends[:3]})
    at("blockquote", _limiting_depth(blockquote), {"alt": ends})
    parser.inline.ruler.before("text", "record_start", _record_start)
    parser.inline.ruler.at("image", _image)
    parser.inline.ruler.before("html_inline", "comment", _comment)
    parser.inline.ruler2.before("balance_pairs", "set_starts", _set_starts)
    parser.inline.ruler2.disable("fragments_join")
    return parser


def _recording_lines(rule: BlockRule) -> BlockRule:
    """Wrap a block rule to record the offsets of lines, after markers of quotes and lists."""

    def recording(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        n_tokens = len(state.tokens)
        found = rule(state, start, end, silent)
        if found and not silent:
            for token in state.tokens[n_tokens:]:
                if token.type == "inline" and token.map:
                    token.meta["begins"] = [
                        state.bMarks[line] + state.tShift[line] for line in range(*token.map)
                    ]
        return found

    return recording


def _limiting_depth(rule: BlockRule) -> BlockRule:
    """Wrap a rule of quotes or lists to fail if too deep: the parser would drop what follows."""

    def limiting(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        return state.level < _MAX_BLOCKS and rule(state, start, end, silent)

    return limiting


def _record_start(state: StateInline, silent: bool) -> bool:
    """Record the offset of the next token; pending text becomes a token before it."""
    if not silent:
        state.env["starts"][len(state.tokens) + bool(state.pending)] = state.pos
    return False


def _set_starts(state: StateInline) -> None:
    """Set the start of each token, before delimiters are paired."""
    starts = state.env["starts"]
    at = 0
    for index, token in enumerate(state.tokens):
        # Tokens made in one step, such as the stars of **, are adjacent.
        at = starts.get(index, at)
        token.meta = {"start": at}
        at += len(token.content) + (token.type == "link_open" and token.markup == "autolink")


def _image(state: StateInline, silent: bool) -> bool:
    """Parse an image without its alternative text, which is left out."""
    start = state.pos
    found = image(state, True)
    if found and not silent:
        state.pos, end = start, state.pos
        state.push("image", "img", 0)
        state.pos = end
    return found


def _comment(state: StateInline, silent: bool) -> bool:
    """Parse a comment in linear time; markdown-it's pattern may scan all text for each."""
    begin = state.pos
    if not state.src.startswith("<!--", begin) or state.env["last_comment"] < begin + 2:
        return False
    end = state.src.index("-->", begin + 2) + 3  # two of its dashes may be those of the <!--
    if not silent:
        state.push("html_inline", "", 0).content = state.src[begin:end]
    state.pos = end
    return True
