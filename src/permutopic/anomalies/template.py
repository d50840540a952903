"""A template: an outline given by the user, as an ordered list of names with seed words."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from permutopic.checks import is_plain
from permutopic.errors import InputError

_COLON, _COMMA = re.compile("[:：]"), re.compile("[,;，、؛،]")
_EXAMPLE = 'a list of {"name": "Uses", "words": ["alloy", …]}, or {"Uses": ["alloy", …], …}'


@dataclass(frozen=True)
class TemplateEntry:
    """An entry of a template: its name, and seed words that are expected under it."""

    name: str
    words: tuple[str, ...] = ()


def read_template(path: str | Path) -> tuple[TemplateEntry, ...]:
    """Read a template from a file: JSON, or text with a line an entry.

    A line is `Name: word, word, word`, or a name alone; a line that begins with # is a comment. A
    file with the extension .json, or that begins with [ or {, is JSON.
    """
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: byte {error.start} is not UTF-8: save it as UTF-8") from None
    except OSError as error:
        reason = error.strerror or error
        raise InputError(f"{path}: the template cannot be read ({reason})") from None
    return parse_template(text, str(path))


def parse_template(text: str, location: str = "template") -> tuple[TemplateEntry, ...]:
    r"""Parse the text of a template; error messages begin with `location`.

    >>> [entry.name for entry in parse_template("# mine\nHistory: founded, century\nUses")]
    ['History', 'Uses']
    """
    is_json = location.lower().endswith(".json") or text.lstrip()[:1] in {"[", "{"}
    found = _parse_json(text, location) if is_json else _parse_lines(text, location)
    if not found:
        raise InputError(
            f"{location}: the template is empty: give a line 'Name: word, word' a topic"
        )
    names: dict[str, str] = {}
    for where, entry in found:
        first = names.setdefault(entry.name.casefold(), where)
        if first is not where:
            raise InputError(
                f"{where}: {entry.name!r} is there already ({first}): names are unique"
            )
    return tuple(entry for _, entry in found)


def _parse_lines(text: str, location: str) -> list[tuple[str, TemplateEntry]]:
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and not line.lstrip().startswith("#"):
            name, *rest = _COLON.split(line, maxsplit=1)
            words = [word.strip() for word in _COMMA.split(rest[0])] if rest else []
            where = f"{location}, line {number}"
            found.append((where, _entry(where, name, [word for word in words if word])))
    return found


def _parse_json(text: str, location: str) -> list[tuple[str, TemplateEntry]]:
    try:
        given = json.loads(text, object_pairs_hook=_Pairs)
    except (ValueError, RecursionError) as error:
        where = f", line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        reason = getattr(error, "msg", "too deep")
        raise InputError(
            f"{location}{where}: not JSON ({reason}); a template is {_EXAMPLE}"
        ) from None
    items: list[Any]
    if isinstance(given, _Pairs):
        items = [_Pairs([("name", name), ("words", words)]) for name, words in given]
    elif isinstance(given, list):
        items = given
    else:
        raise InputError(f"{location}: a template is {_EXAMPLE}, not {_shortened(given)}")
    found = []
    for number, item in enumerate(items, 1):
        where = f"{location}, entry {number}"
        if isinstance(item, str):
            found.append((where, _entry(where, item, [])))
            continue
        fields = dict(item) if isinstance(item, _Pairs) else {}
        words = fields.pop("words", [])
        if set(fields) != {"name"}:
            raise InputError(f'{where}: give {{"name": …, "words": […]}}, not {_shortened(item)}')
        found.append((where, _entry(where, fields["name"], words)))
    return found


class _Pairs(list[tuple[str, Any]]):
    """The (key, value) pairs of a JSON object, with repeated keys."""


def _entry(where: str, name: object, words: object) -> TemplateEntry:
    """Check a name and its seed words."""
    tidy = " ".join(name.split()) if isinstance(name, str) else ""
    if not tidy or not is_plain(tidy):
        raise InputError(f"{where}: a name is text on one line, not {_shortened(name)}")
    if isinstance(words, _Pairs) or not isinstance(words, list):
        raise InputError(
            f"{where}: the words of {tidy!r} are a list of strings, not {_shortened(words)}"
        )
    for word in words:
        if not isinstance(word, str) or not word.strip():
            raise InputError(f"{where}: a word of {tidy!r} is text, not {_shortened(word)}")
    return TemplateEntry(tidy, tuple(" ".join(word.split()) for word in words))


def _shortened(value: object) -> str:
    shown = repr(dict(value) if isinstance(value, _Pairs) else value)
    return shown if len(shown) <= 60 else f"{shown[:59]}…"
