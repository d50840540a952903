"""Names for topics: a heading where one fits, else telling words, else what the user says."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from permutopic.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from permutopic.topics.view import TopicView

NAME_WORDS, NAME_CANDIDATES = 3, 15
FITS = 0.5
"""A heading names a topic if more than this share of the topic's units stand under it."""


@dataclass(frozen=True)
class TopicName:
    """A topic's name, and where it comes from: "heading", "words", "user", or "none" (unused)."""

    text: str
    source: str

    def __post_init__(self) -> None:
        if not isinstance(self.text, str) or self.source not in SOURCES:
            raise ValueError(f"{self.text!r} from {self.source!r} is no name of a topic")


SOURCES = ("heading", "words", "user", "none")


def name_topics(view: TopicView, vocabulary: Sequence[str]) -> tuple[TopicName, ...]:
    """Name every topic: uniquely, and from the counts alone, so that a model keeps its names."""
    words = [[vocabulary[word] for word in ranked] for ranked in view.ranked_words]
    headings = [_fitting_heading(view, topic) for topic in range(view.n_topics)]
    shared = Counter(headings)
    names: list[TopicName] = []
    for topic, heading in enumerate(headings):
        if not view.bag[:, topic].any():
            names.append(TopicName(f"(unused {topic})", "none"))
        elif heading is not None and shared[heading] == 1:
            names.append(TopicName(heading, "heading"))
        else:
            source = "words" if heading is None else "heading"
            front = "" if heading is None else f"{heading}: "
            names.append(TopicName(front + _join(words[topic]), source))
    return _made_unique(names)


def rename(
    names: Sequence[TopicName],
    changes: Mapping[Any, str | None],
    automatic: Sequence[TopicName],
) -> tuple[TopicName, ...]:
    """Give topics the user's names; None gives the automatic one back."""
    if not hasattr(changes, "items"):
        raise InputError(f"names are given as {{topic: name}}, not {changes!r}")
    changed = list(names)
    seen: set[int] = set()
    for key, name in changes.items():
        topic = find_topic(names, key)
        if topic in seen:
            raise InputError(f"topic {topic} is given two names")
        seen.add(topic)
        changed[topic] = automatic[topic] if name is None else TopicName(check_name(name), "user")
    return _refuse_twins(changed)


def keep_names(automatic: Sequence[TopicName], given: Mapping[int, str]) -> tuple[TopicName, ...]:
    """Put the user's names among automatic ones; of two that are the same the automatic yields."""
    taken = {text.casefold() for text in given.values()}
    names = []
    for topic, name in enumerate(automatic):
        if topic in given:
            names.append(TopicName(given[topic], "user"))
        elif name.text.casefold() in taken:
            names.append(replace(name, text=f"{name.text} ({topic})"))
        else:
            names.append(name)
    return _refuse_twins(names)


def check_name(name: object) -> str:
    """Hold a user's name for a topic to one line that cannot be taken for a number."""
    text = " ".join(name.split()) if isinstance(name, str) else ""
    if not text or not text.isprintable() or _is_number(text):
        raise InputError(f"a topic's name is text, and more than a number, not {name!r}")
    return text


def find_topic(names: Sequence[TopicName], key: object) -> int:
    """Find a topic by its number or by its name, in either case of letters."""
    if isinstance(key, str) and not _is_number(key):
        wanted = " ".join(key.split()).casefold()
        for topic, name in enumerate(names):
            if name.text.casefold() == wanted:
                return topic
        known = ", ".join(repr(name.text) for name in names)
        raise InputError(f"no topic is called {key!r}: there are {known}")
    whole = isinstance(key, str | int | np.integer) and not isinstance(key, bool)
    if not whole or not 0 <= int(key) < len(names):  # type: ignore[call-overload]
        raise InputError(f"a topic is a number from 0 to {len(names) - 1} or a name, not {key!r}")
    return int(key)  # type: ignore[call-overload, no-any-return]


def _is_number(text: str) -> bool:
    return text.strip().removeprefix("-").isdecimal()


def _fitting_heading(view: TopicView, topic: int) -> str | None:
    """Give the heading that most of a topic's units stand under."""
    counts = view.heading_counts[:, topic]
    if not counts.size:
        return None
    best = int(counts.argmax())
    return view.headings[best] if counts[best] > FITS * view.bag[:, topic].sum() else None


def _join(words: Sequence[str]) -> str:
    """Join the first words that are fit for a name and are not forms of one before.

    >>> _join(["isotopes", "isotope", "232", "had", "decay", "stable", "half"])
    'isotopes, decay, stable'
    """
    best = words[:NAME_CANDIDATES]
    chosen: list[str] = []
    for word in (*filter(_tells, best), *(word for word in best if not _tells(word))):
        if len(chosen) < NAME_WORDS and not any(_alike(word, other) for other in chosen):
            chosen.append(word)
    return ", ".join(chosen) or "(no words)"


def _tells(word: str) -> bool:
    """Tell whether a word could name something: numbers do not, short words hardly ever.

    In a script with capitals, words of up to three letters are mostly pronouns and the like.
    """
    letters = sum(map(str.isalpha, word))
    return letters > 3 if word.upper() != word.lower() else letters > 0


def _alike(first: str, second: str) -> bool:
    """Guess whether two words are forms of one: four letters or more at the front, short ends."""
    front = next(
        (n for n, (a, b) in enumerate(zip(first, second, strict=False)) if a != b),
        min(len(first), len(second)),
    )
    return front >= 4 and max(len(first), len(second)) - front <= 3


def _made_unique(names: Sequence[TopicName]) -> tuple[TopicName, ...]:
    """Tell equal names apart by the topic's number."""
    times = Counter(name.text.casefold() for name in names)
    return tuple(
        name if times[name.text.casefold()] == 1 else replace(name, text=f"{name.text} ({topic})")
        for topic, name in enumerate(names)
    )


def _refuse_twins(names: Sequence[TopicName]) -> tuple[TopicName, ...]:
    first: dict[str, int] = {}
    for topic, name in enumerate(names):
        other = first.setdefault(name.text.casefold(), topic)
        if other != topic:
            raise InputError(
                f"topics {other} and {topic} would both be called {name.text!r}: names are "
                "unique; merge_topics makes two topics one"
            )
    return tuple(names)
