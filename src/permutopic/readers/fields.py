"""Access to the fields of a record, with checks of their types."""

from __future__ import annotations

import math
from itertools import islice
from typing import TYPE_CHECKING, Any

from permutopic.errors import Message, Parameter
from permutopic.readers.read_log import ReadError
from permutopic.readers.settings import Fields

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_NAMES = {str: "a string", list: "a list", dict: "an object", type(None): "null"}


def take(record: dict[str, Any], name: str, owner: str, location: str, fields: Fields) -> Any:
    """Return the value of a required field."""
    if name not in record:
        raise no_field(location, owner, name, record, fields)
    return record[name]


def take_name(
    record: dict[str, Any], field: str, location: str, what: str | None = None
) -> str | None:
    """Return a title, heading or label (a string or a number) as a string; None if it is missing.

    `what` describes the field in messages; the default is its name.

    >>> take_name({"id": 7}, "id", "a.jsonl:1"), take_name({"id": " "}, "id", "a.jsonl:1")
    ('7', None)
    """
    value = record.get(field)
    if value is None:
        return None
    if isinstance(value, str):
        return value.strip() or None
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        # Data frames write missing values as NaN.
        return str(value) if isinstance(value, int) or not math.isnan(value) else None
    raise wrong_type(value, "a string", what or repr(field), location)


def check_type(value: Any, kind: type, what: str, location: str) -> Any:
    """Return a value if it is of a JSON type; `what` describes it in the message if not."""
    if not isinstance(value, kind):
        raise wrong_type(value, _NAMES[kind], what, location)
    return value


def wrong_type(value: Any, right: str, what: str, location: str) -> ReadError:
    """Make the error for a value of a wrong type; `right` describes the right one."""
    found = _NAMES.get(type(value), type(value).__name__)
    return ReadError(location, "wrong type", f"{what} is {found}: it must be {right}")


def choose_columns(names: Sequence[str], fields: Fields, location: str) -> list[str]:
    """Return the columns of a flat table that its records need.

    >>> choose_columns(["id", "text", "title"], Fields(), "a.csv:1")
    ['title', 'text']
    """
    required = {fields.text, fields.document} | renamed_fields(fields)
    wanted = [fields.document, fields.title, fields.heading, fields.label, fields.text]
    chosen = []
    for name in dict.fromkeys(filter(None, wanted)):
        if name in names:
            chosen.append(name)
        elif name in required:
            raise no_field(location, "the table", name, names, fields)
    return check_unique(names, chosen, location)


def check_unique(names: Sequence[str], chosen: list[str], location: str) -> list[str]:
    """Return the chosen columns; one whose name is not unique is an error."""
    for name in chosen:
        if names.count(name) > 1:
            raise ReadError(
                location, "columns", f"{names.count(name)} columns are called {name!r}: rename them"
            )
    return chosen


def renamed_fields(fields: Fields) -> set[str]:
    """Return the optional fields with another name than the default: these must exist."""
    default = Fields()
    names = ("title", "heading", "label")
    return {getattr(fields, n) for n in names if getattr(fields, n) != getattr(default, n)}


def no_field(
    location: str, owner: str, name: str, found: Iterable[str], fields: Fields
) -> ReadError:
    """Make the error for a missing field: which fields there are, and which parameter renames it.

    >>> str(no_field("a.jsonl:1", "section 2", "heading", ["head"], Fields()))
    "a.jsonl:1: section 2 has no 'heading' (its keys: 'head'): name the right one (fields.heading)"
    """
    field = next(each for each in vars(fields) if getattr(fields, each) == name)
    keys = "columns" if owner == "the table" else "keys"
    detail = Message(
        f"{owner} has no {name!r} (its {keys}: {listed(found)}): name the right one (",
        Parameter(f"fields.{field}"),
        ")",
    )
    return ReadError(location, f"no {name!r}", detail)


def listed(names: Iterable[str]) -> str:
    """Join names for a message: at most 20, and 40 characters of each.

    >>> listed(["id", "body"]), listed([])
    ("'id', 'body'", 'none')
    """
    shown = [repr(name if len(name) <= 40 else f"{name[:40]}…") for name in islice(names, 21)]
    return ", ".join([*shown[:20], *(["…"] if len(shown) > 20 else [])]) or "none"
