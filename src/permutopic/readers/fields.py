"""The fields of a record, taken out with an eye on what they hold."""

from __future__ import annotations

import math
from itertools import islice
from typing import TYPE_CHECKING, Any

from permutopic.readers.read_log import ReadError
from permutopic.readers.settings import Fields

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_NAMES = {str: "a string", list: "a list", dict: "an object", type(None): "null"}


def take(record: dict[str, Any], name: str, owner: str, location: str, fields: Fields) -> Any:
    """Take a field that a record must have."""
    if name not in record:
        raise no_field(location, owner, name, record, fields)
    return record[name]


def take_name(
    record: dict[str, Any], field: str, location: str, what: str | None = None
) -> str | None:
    """Take a title, a heading or the like: a string or a number; None where there is none.

    `what` is what messages call it, if not by the field's name.

    >>> take_name({"id": 7}, "id", "a.jsonl:1"), take_name({"id": " "}, "id", "a.jsonl:1")
    ('7', None)
    """
    value = record.get(field)
    if value is None:
        return None
    if isinstance(value, str):
        return value.strip() or None
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        # Data frames write what is missing as NaN.
        return str(value) if isinstance(value, int) or not math.isnan(value) else None
    raise wrong_type(value, "a string", what or repr(field), location)


def typed(value: Any, kind: type, what: str, location: str) -> Any:
    """Hand a value on if it is of a kind that JSON has; `what` names it in the message if not."""
    if not isinstance(value, kind):
        raise wrong_type(value, _NAMES[kind], what, location)
    return value


def wrong_type(value: Any, right: str, what: str, location: str) -> ReadError:
    """Say what a value is, and what it must be."""
    found = _NAMES.get(type(value), type(value).__name__)
    return ReadError(location, "wrong type", f"{what} is {found}: it must be {right}")


def choose_columns(names: Sequence[str], fields: Fields, location: str) -> list[str]:
    """Choose the columns of a flat table that make up its records.

    >>> choose_columns(["id", "text", "title"], Fields(), "a.csv:1")
    ['title', 'text']
    """
    needed = {fields.text, fields.document} | named_by_user(fields)
    wanted = [fields.document, fields.title, fields.heading, fields.label, fields.text]
    chosen = []
    for name in dict.fromkeys(filter(None, wanted)):
        if name in names:
            chosen.append(name)
        elif name in needed:
            raise no_field(location, "the table", name, names, fields)
    return check_single(names, chosen, location)


def check_single(names: Sequence[str], chosen: list[str], location: str) -> list[str]:
    """Refuse columns that share their name with another."""
    for name in chosen:
        if names.count(name) > 1:
            raise ReadError(
                location, "columns", f"{names.count(name)} columns are called {name!r}: rename them"
            )
    return chosen


def named_by_user(fields: Fields) -> set[str]:
    """Find the optional fields that have not their usual name: they are missed if not there."""
    usual = Fields()
    names = ("title", "heading", "label")
    return {getattr(fields, n) for n in names if getattr(fields, n) != getattr(usual, n)}


def no_field(
    location: str, owner: str, name: str, found: Iterable[str], fields: Fields
) -> ReadError:
    """Say that a field is missing, which there are, and which option names another.

    >>> str(no_field("a.jsonl:1", "section 2", "heading", ["head"], Fields()))
    "a.jsonl:1: section 2 has no 'heading' (its keys: 'head'): name the right one (--heading-field)"
    """
    option = next(each for each in vars(fields) if getattr(fields, each) == name)
    keys = "columns" if owner == "the table" else "keys"
    return ReadError(
        location,
        f"no {name!r}",
        f"{owner} has no {name!r} (its {keys}: {listed(found)}): "
        f"name the right one (--{option}-field)",
    )


def listed(names: Iterable[str]) -> str:
    """List names, as many and as much of each as fits into a message.

    >>> listed(["id", "body"]), listed([])
    ("'id', 'body'", 'none')
    """
    shown = [repr(name if len(name) <= 40 else f"{name[:40]}…") for name in islice(names, 21)]
    return ", ".join([*shown[:20], *(["…"] if len(shown) > 20 else [])]) or "none"
