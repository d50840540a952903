"""Names for topics: a heading where one fits, else telling words."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count, filterfalse
from typing import TYPE_CHECKING

import numpy as np

from permutopic.checks import is_plain
from permutopic.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from permutopic.topics.view import TopicView

NAME_WORDS, NAME_CANDIDATES = 3, 15
LONGEST = 80
"""Characters of a name."""
FITS = 0.5
"""A heading names a topic if more than this share of the topic's units stand under it."""
SOURCES = ("heading", "words", "user", "none")


@dataclass(frozen=True)
class TopicName:
    """A topic's name, and where it comes from: "heading", "words", "user", or "none" (unused)."""

    text: str
    source: str

    def __post_init__(self) -> None:
        good = isinstance(self.text, str) and _is_line(self.text) and len(self.text) <= 2 * LONGEST
        if not good or self.source not in SOURCES:
            raise ValueError(f"{self.text!r} from {self.source!r} is no name of a topic")


def name_topics(view: TopicView, vocabulary: Sequence[str]) -> tuple[TopicName, ...]:
    """Name every topic from the counts alone, so that a model keeps its names.

    Two names may still be the same: see `settle`.
    """
    headings = [_fitting_heading(view, topic) for topic in range(view.n_topics)]
    alone = [
        heading is not None and headings.count(heading) == 1 and not _is_number(heading)
        for heading in headings
    ]
    names: list[TopicName] = []
    for topic, heading in enumerate(headings):
        if not view.segments[topic]:
            names.append(TopicName("(unused)", "none"))
        elif heading is not None and alone[topic] and _is_most_of(view, heading, topic):
            names.append(TopicName(_cut(heading), "heading"))
        else:
            best = view.ranked_words[topic][:NAME_CANDIDATES]
            words = _join([vocabulary[word] for word in best])
            source, front = ("words", "") if heading is None else ("heading", f"{heading}: ")
            names.append(TopicName(_cut(front + words), source))
    return tuple(names)


def settle(automatic: Sequence[TopicName], given: Mapping[int, str]) -> tuple[TopicName, ...]:
    """Put the user's names among the automatic ones, and make all unique.

    Of equal names the user's stays as it is, then the first; the others get their topic's number.
    So does an automatic name that is itself a number: it would be taken for another topic's.

    >>> names = settle([TopicName("Uses", "heading"), TopicName("uses", "words")], {})
    >>> [name.text for name in names]
    ['Uses', 'uses (1)']
    """
    names = {**dict(enumerate(automatic)), **{n: TopicName(t, "user") for n, t in given.items()}}
    claims = {text.casefold(): topic for topic, text in reversed(list(given.items()))}
    firsts = set(claims.values())
    taken: set[str] = set()
    settled: dict[int, TopicName] = {}
    for topic in sorted(names, key=lambda topic: (topic not in firsts, topic not in given, topic)):
        name = names[topic]
        variants = (f"{name.text} ({topic}{', again' * n})" for n in count())
        text = name.text
        while text.casefold() in taken or _is_number(text):
            text = next(variants)
        taken.add(text.casefold())
        settled[topic] = TopicName(text, name.source)
    return tuple(settled[topic] for topic in range(len(automatic)))


def check_free(names: Sequence[TopicName], changes: Mapping[int, str | None]) -> None:
    """Refuse new names that are the same, or that a topic has which is not renamed."""
    owners = {name.text.casefold(): n for n, name in enumerate(names) if n not in changes}
    for topic, text in changes.items():
        if text is None:
            continue
        other = owners.setdefault(text.casefold(), topic)
        if other != topic:
            first, second = sorted((topic, other))
            raise InputError(
                f"topics {first} and {second} would both be called {text!r}: names are unique; "
                "merging makes two topics one"
            )


def check_name(name: object) -> str:
    """Hold a user's name for a topic to one line that cannot be taken for a number."""
    if not isinstance(name, str):
        raise InputError(f"a topic's name is text, not {name!r}")
    text = " ".join(name.split())
    if not _is_line(text) or len(text) > LONGEST or _is_number(text):
        raise InputError(
            f"a topic's name has 1 to {LONGEST} characters, all of them shown, and is no number: "
            f"not {_cut(name)!r}"
        )
    return text


def find_topic(names: Sequence[TopicName], key: object) -> int:
    """Find a topic by its number or by its name, in either case of letters."""
    if isinstance(key, str) and not _is_number(key):
        wanted = " ".join(key.split()).casefold()
        for topic, name in enumerate(names):
            if name.text.casefold() == wanted:
                return topic
        known = ", ".join(repr(name.text) for name in names if name.source != "none")
        raise InputError(f"no topic is called {key[:LONGEST]!r}: there are {known}")
    number = None
    if isinstance(key, str):
        number = int(key) if len(key.strip()) < 10 else None
    elif isinstance(key, int | np.integer) and not isinstance(key, bool):
        number = int(key)
    if number is None or not 0 <= number < len(names):
        shown = repr(key) if not isinstance(key, str) else repr(key[:LONGEST])
        raise InputError(f"a topic is a number from 0 to {len(names) - 1} or a name, not {shown}")
    return number


def _is_line(text: str) -> bool:
    """Tell whether a text is one line, tidy and shown as it is."""
    return bool(text) and text == " ".join(text.split()) and is_plain(text)


def _is_number(text: str) -> bool:
    return text.strip().removeprefix("-").isdecimal()


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST].rstrip()}…"


def _fitting_heading(view: TopicView, topic: int) -> str | None:
    """Give the heading that most of a topic's units stand under."""
    counts = view.heading_counts[:, topic]
    if not counts.size:
        return None
    best = int(counts.argmax())
    return view.headings[best] if counts[best] > FITS * view.bag[:, topic].sum() else None


def _is_most_of(view: TopicView, heading: str, topic: int) -> bool:
    """Tell whether a topic has most of what stands under a heading."""
    counts = view.heading_counts[view.headings.index(heading)]
    return bool(counts[topic] > FITS * counts.sum())


def name_merged(
    view: TopicView, vocabulary: Sequence[str], topic: int, parts: Sequence[TopicName]
) -> TopicName:
    """Name a topic after its parts: anew where all are called by one heading, or it is too long."""
    text = " + ".join(name.text for name in parts)
    fronts = {name.text.split(":")[0] if name.source == "heading" else name for name in parts}
    if len(text) > LONGEST or (len(fronts) == 1 and len(parts) > 1):
        return name_topics(view, vocabulary)[topic]
    source = "user" if any(part.source == "user" for part in parts) else parts[0].source
    return TopicName(text, source)


def _join(words: Sequence[str]) -> str:
    """Join the first words that are fit for a name and are not forms of one before.

    >>> _join(["isotopes", "isotope", "232", "had", "decay", "stable", "half"])
    'isotopes, decay, stable'
    """
    shown = list(filter(_is_line, words))
    chosen: list[str] = []
    for word in (*filter(_tells, shown), *filterfalse(_tells, shown)):
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
    """Guess whether two words are forms of one: four letters or more at the front, short ends.

    >>> _alike("alloy", "alloying"), _alike("iron", "irony"), _alike("form", "formation")
    (True, True, False)
    """
    front = next(
        (n for n, (a, b) in enumerate(zip(first, second, strict=False)) if a != b),
        min(len(first), len(second)),
    )
    return front >= 4 and max(len(first), len(second)) - front <= 3
