"""Errors and warnings about input, and messages that name parameters.

A message names a parameter by a `Parameter`, not in its text: it reads `n_chains=4`, and whoever
shows it elsewhere can write it with other names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Self

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class Parameter(NamedTuple):
    """A parameter that a message names, with the value that it advises, if any."""

    name: str
    value: object = None

    def render(self, names: Mapping[str, str]) -> str:
        """Write the parameter by its name in `names`, if it has one there, or as in Python."""
        other = names.get(self.name)
        if other is None:
            return self.name if self.value is None else f"{self.name}={self.value!r}"
        return other if self.value is None else f"{other} {self.value}"


class Message(str):
    """Text that knows which parameters it names.

    >>> message = Message("run several (", Parameter("n_chains", 4), ")")
    >>> message, message.render({"n_chains": "chains:"})
    ('run several (n_chains=4)', 'run several (chains: 4)')
    """

    __slots__ = ("parts",)
    parts: tuple[str | Parameter, ...]

    def __new__(cls, *parts: str | Parameter) -> Self:
        """Join parts; those that are messages keep their own."""
        flat = tuple(each for part in parts for each in _parts_of(part))
        self = super().__new__(cls, _joined(flat, {}))
        self.parts = flat
        return self

    def __getnewargs__(self) -> tuple[str | Parameter, ...]:  # type: ignore[override]
        """Copy with the same parts."""
        return self.parts

    def render(self, names: Mapping[str, str]) -> str:
        """Write the text with these names for the parameters."""
        return _joined(self.parts, names)


def render(text: str, names: Mapping[str, str]) -> str:
    """Write a message with these names for its parameters; plain text stays as it is."""
    return text.render(names) if isinstance(text, Message) else text


def _parts_of(part: str | Parameter) -> tuple[str | Parameter, ...]:
    return part.parts if isinstance(part, Message) else (part,)


def _joined(parts: Iterable[str | Parameter], names: Mapping[str, str]) -> str:
    return "".join(part.render(names) if isinstance(part, Parameter) else part for part in parts)


class InputError(ValueError):
    """An input to permutopic is wrong, and the message says what would be right.

    It is a `ValueError`, raised where the input comes in.
    """

    def __init__(self, *parts: str | Parameter) -> None:
        self.message = Message(*parts)
        super().__init__(self.message)


class InputWarning(UserWarning):
    """An input to permutopic is usable, but doubtful for its purpose."""

    def __init__(self, *parts: str | Parameter) -> None:
        self.message = Message(*parts)
        super().__init__(self.message)
