"""Globs: * ? [a-z] within one name, ** for any folders."""

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
    """A glob, ready to be held against paths.

    >>> glob = Glob("a/**/*.md")
    >>> glob.matches(["a", "b.md"]), glob.matches(["a", "b", "c.md"]), glob.matches(["b.md"])
    (True, True, False)
    >>> glob.leads_on(["a", "b"]), glob.leads_on(["b"])
    (True, False)
    """

    def __init__(self, pattern: str) -> None:
        names: list[str] = []
        for name in pattern.split("/"):
            is_again = name == "**" and names[-1:] == ["**"]
            if name not in {"", "."} and not is_again:
                names.append(name)
        if names and names[-1] == "**":
            names.append("*")  # what is in a folder, not the folder
        self._names = [None if name == "**" else name_pattern(name) for name in names]

    def matches(self, parts: Sequence[str]) -> bool:
        """Tell whether the whole glob fits a whole path."""
        return len(self._names) in self._reached(parts)

    def leads_on(self, parts: Sequence[str]) -> bool:
        """Tell whether something in a folder could match."""
        return any(place < len(self._names) for place in self._reached(parts))

    def _reached(self, parts: Sequence[str]) -> set[int]:
        """Find how much of the glob a path can have used up."""
        places = self._past_folders({0})
        for part in parts:
            further = set()
            for place in places:
                if place == len(self._names):
                    continue
                name = self._names[place]
                if name is None:
                    further.add(place)
                elif name.fullmatch(part):
                    further.add(place + 1)
            places = self._past_folders(further)
        return places

    def _past_folders(self, places: set[int]) -> set[int]:
        """Let ** stand for no folder."""
        further = set(places)
        for place in sorted(places):
            here = place
            while here < len(self._names) and self._names[here] is None:
                here += 1
                further.add(here)
        return further


@lru_cache(maxsize=256)
def make_glob(pattern: str) -> Glob:
    """Make a glob, or give the one that was made before."""
    return Glob(pattern)


def fits(pattern: str, parts: Sequence[str]) -> bool:
    """Match a glob with a file of a folder; one without a slash looks at the name alone.

    >>> fits("*.md", ["a", "b.md"]), fits("a/*.md", ["a", "b", "c.md"])
    (True, False)
    """
    return make_glob(pattern).matches(parts if "/" in pattern else parts[-1:])


def name_pattern(name: str) -> re.Pattern[str]:
    """Make a pattern of one name of a glob.

    What stands after a * is looked for once, at its first place, as no later one can be better:
    however many there are, a name is gone through in no time.
    """
    runs = [""]
    for token in _TOKEN.findall(name):
        if token[0] == "*":
            runs.append("")
        else:
            runs[-1] += _one(token)
    first, *middle = runs
    last = middle.pop() if middle else None
    pattern = first + "".join(f"(?>.*?{run})" for run in middle)
    return re.compile(pattern + ("" if last is None else f".*{last}"), re.DOTALL)


def _one(part: str) -> str:
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
    if not members:  # only ranges that hold nothing
        return "." if negation else "(?!)"
    return f"[{negation}{members}]"
