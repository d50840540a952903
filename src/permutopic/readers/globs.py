"""Globs: * ? [a-z] match within one name, ** any number of folders."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

WILD = re.compile(r"[*?\[]")
_TOKEN = re.compile(r"\*+|\?|\[!?\]?[^\]]*\]|[^*?\[]+|\[")
_RANGE = re.compile(r"(.)-(.)|(.)", re.DOTALL)


class Glob:
    """A compiled glob.

    >>> glob = Glob("a/**/*.md")
    >>> glob.matches(["a", "b.md"]), glob.matches(["a", "b", "c.md"]), glob.matches(["b.md"])
    (True, True, False)
    >>> glob.may_match_below(["a", "b"]), glob.may_match_below(["b"])
    (True, False)
    """

    def __init__(self, pattern: str) -> None:
        names: list[str] = []
        for name in pattern.split("/"):
            is_repeated = name == "**" and names[-1:] == ["**"]
            if name not in {"", "."} and not is_repeated:
                names.append(name)
        if names and names[-1] == "**":
            names.append("*")  # the contents of a folder, not the folder itself
        self._names = [None if name == "**" else compile_name(name) for name in names]

    def matches(self, parts: Sequence[str]) -> bool:
        """Whether the whole glob matches a whole path."""
        return len(self._names) in self._reached(parts)

    def may_match_below(self, parts: Sequence[str]) -> bool:
        """Whether a path below a folder could match."""
        return any(index < len(self._names) for index in self._reached(parts))

    def _reached(self, parts: Sequence[str]) -> set[int]:
        """Return the states of the glob (numbers of matched names) that a path can lead to."""
        indices = self._skip_folders({0})
        for part in parts:
            following = set()
            for index in indices:
                if index == len(self._names):
                    continue
                name = self._names[index]
                if name is None:
                    following.add(index)
                elif name.fullmatch(part):
                    following.add(index + 1)
            indices = self._skip_folders(following)
        return indices

    def _skip_folders(self, indices: set[int]) -> set[int]:
        """Add the states in which a ** has matched no folder."""
        reached = set(indices)
        for start in sorted(indices):
            index = start
            while index < len(self._names) and self._names[index] is None:
                index += 1
                reached.add(index)
        return reached


@lru_cache(maxsize=256)
def make_glob(pattern: str) -> Glob:
    """Compile a glob; the last ones are cached."""
    return Glob(pattern)


def matches_glob(pattern: str, parts: Sequence[str]) -> bool:
    """Match a glob with a file of a folder; one without a slash is matched with the name alone.

    >>> matches_glob("*.md", ["a", "b.md"]), matches_glob("a/*.md", ["a", "b", "c.md"])
    (True, False)
    """
    return make_glob(pattern).matches(parts if "/" in pattern else parts[-1:])


def compile_name(name: str) -> re.Pattern[str]:
    """Compile one name of a glob to a regular expression.

    The text after a * is matched at its first occurrence only (an atomic group), since no later
    one can do better: so time is linear in the name, however many * there are.
    """
    runs = [""]
    for token in _TOKEN.findall(name):
        if token[0] == "*":
            runs.append("")
        else:
            runs[-1] += _translate(token)
    first, *middle = runs
    last = middle.pop() if middle else None
    pattern = first + "".join(f"(?>.*?{run})" for run in middle)
    return re.compile(pattern + ("" if last is None else f".*{last}"), re.DOTALL)


def _translate(part: str) -> str:
    if part == "?":
        return "."
    if len(part) < 3 or part[0] != "[" or part[-1] != "]":
        return re.escape(part)
    inner, negation = (part[2:-1], "^") if part[1] in "!^" else (part[1:-1], "")
    if not inner:
        return re.escape(part)
    members = ""
    for low, high, single in _RANGE.findall(inner):
        if single:
            members += re.escape(single)
        elif low <= high:
            members += f"{re.escape(low)}-{re.escape(high)}"
    if not members:  # only empty ranges, such as z-a
        return "." if negation else "(?!)"
    return f"[{negation}{members}]"
