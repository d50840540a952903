"""Names for topics: a heading where one fits, else distinctive words."""

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
"""Words in a name, and the number of distinctive words that they are chosen from."""
MAX_LENGTH = 80
"""Greatest number of characters in a name."""
MIN_SHARE = 0.5
"""A heading fits a topic if more than this share of the topic's units is under it."""
SOURCES = ("heading", "words", "user", "none")


@dataclass(frozen=True)
class TopicName:
    """A topic's name and its source: "heading", "words", "user", or "none" for an unused topic."""

    text: str
    source: str

    def __post_init__(self) -> None:
        valid = isinstance(self.text, str) and _is_line(self.text)
        if not valid or len(self.text) > 2 * MAX_LENGTH or self.source not in SOURCES:
            raise ValueError(f"{self.text!r} from {self.source!r} is no name of a topic")


def name_topics(view: TopicView, vocabulary: Sequence[str]) -> tuple[TopicName, ...]:
    """Name every topic by its counts alone, so that the names follow from the model.

    Names may coincide; `make_unique` makes them unique.
    """
    headings = [_fitting_heading(view, topic) for topic in range(view.n_topics)]
    is_unique = [
        heading is not None and headings.count(heading) == 1 and not _is_number(heading)
        for heading in headings
    ]
    names: list[TopicName] = []
    for topic, heading in enumerate(headings):
        if not view.segments[topic]:
            names.append(TopicName("(unused)", "none"))
        elif heading is not None and is_unique[topic] and _has_most_of(view, heading, topic):
            names.append(TopicName(_truncate(heading), "heading"))
        else:
            best = view.ranked_words[topic][:NAME_CANDIDATES]
            words = _join_words([vocabulary[word] for word in best])
            source, prefix = ("words", "") if heading is None else ("heading", f"{heading}: ")
            names.append(TopicName(_truncate(prefix + words), source))
    return tuple(names)


def make_unique(automatic: Sequence[TopicName], given: Mapping[int, str]) -> tuple[TopicName, ...]:
    """Replace automatic names by the user's, and make all names unique.

    Of equal names the user's is kept, else the first; the topic's number is added to the others.
    It is also added to a name that is itself a number, which could be taken for another topic's.

    >>> names = make_unique([TopicName("Uses", "heading"), TopicName("uses", "words")], {})
    >>> [name.text for name in names]
    ['Uses', 'uses (1)']
    """
    names = {**dict(enumerate(automatic)), **{n: TopicName(t, "user") for n, t in given.items()}}
    owners = {text.casefold(): topic for topic, text in reversed(list(given.items()))}
    firsts = set(owners.values())
    taken: set[str] = set()
    unique: dict[int, TopicName] = {}
    for topic in sorted(names, key=lambda topic: (topic not in firsts, topic not in given, topic)):
        name = names[topic]
        variants = (f"{name.text} ({topic}{', again' * n})" for n in count())
        text = name.text
        while text.casefold() in taken or _is_number(text):
            text = next(variants)
        taken.add(text.casefold())
        unique[topic] = TopicName(text, name.source)
    return tuple(unique[topic] for topic in range(len(automatic)))


def check_unique(names: Sequence[TopicName], changes: Mapping[int, str | None]) -> None:
    """Refuse new names that are equal to each other or to the name of another topic."""
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
    """Return a user's name with normalised white space; refuse numbers and long names."""
    if not isinstance(name, str):
        raise InputError(f"a topic's name is text, not {name!r}")
    text = " ".join(name.split())
    if not _is_line(text) or len(text) > MAX_LENGTH or _is_number(text):
        raise InputError(
            f"a topic's name has 1 to {MAX_LENGTH} characters, all of them shown, and is no "
            f"number: not {_truncate(name)!r}"
        )
    return text


def find_topic(names: Sequence[TopicName], key: object) -> int:
    """Return the number of a topic, given its number or its name, case aside."""
    if isinstance(key, str) and not _is_number(key):
        wanted = " ".join(key.split()).casefold()
        for topic, name in enumerate(names):
            if name.text.casefold() == wanted:
                return topic
        known = ", ".join(repr(name.text) for name in names if name.source != "none")
        raise InputError(f"no topic is called {key[:MAX_LENGTH]!r}: there are {known}")
    number = None
    if isinstance(key, str):
        number = int(key) if len(key.strip()) < 10 else None
    elif isinstance(key, int | np.integer) and not isinstance(key, bool):
        number = int(key)
    if number is None or not 0 <= number < len(names):
        shown = repr(key) if not isinstance(key, str) else repr(key[:MAX_LENGTH])
        raise InputError(f"a topic is a number from 0 to {len(names) - 1} or a name, not {shown}")
    return number


def _is_line(text: str) -> bool:
    """Return whether a text is one line of printable characters with normalised white space."""
    return bool(text) and text == " ".join(text.split()) and is_plain(text)


def _is_number(text: str) -> bool:
    return text.strip().removeprefix("-").isdecimal()


def _truncate(text: str) -> str:
    return text if len(text) <= MAX_LENGTH else f"{text[:MAX_LENGTH].rstrip()}…"


def _fitting_heading(view: TopicView, topic: int) -> str | None:
    """Return the heading of most of a topic's units, if there is one."""
    counts = view.heading_counts[:, topic]
    if not counts.size:
        return None
    best = int(counts.argmax())
    return view.headings[best] if counts[best] > MIN_SHARE * view.bag[:, topic].sum() else None


def _has_most_of(view: TopicView, heading: str, topic: int) -> bool:
    """Return whether a topic has most of the units under a heading."""
    counts = view.heading_counts[view.headings.index(heading)]
    return bool(counts[topic] > MIN_SHARE * counts.sum())


def name_merged(
    view: TopicView, vocabulary: Sequence[str], topic: int, parts: Sequence[TopicName]
) -> TopicName:
    """Join the names of the parts; name the topic anew if they share a heading or are too long."""
    text = " + ".join(name.text for name in parts)
    headings = {name.text.split(":")[0] if name.source == "heading" else name for name in parts}
    if len(text) > MAX_LENGTH or (len(headings) == 1 and len(parts) > 1):
        return name_topics(view, vocabulary)[topic]
    source = "user" if any(part.source == "user" for part in parts) else parts[0].source
    return TopicName(text, source)


def _join_words(words: Sequence[str]) -> str:
    """Join the first content words that are not forms of a word before.

    >>> _join_words(["isotopes", "isotope", "232", "had", "decay", "stable", "half"])
    'isotopes, decay, stable'
    """
    shown = list(filter(_is_line, words))
    chosen: list[str] = []
    for word in (*filter(_is_content, shown), *filterfalse(_is_content, shown)):
        if len(chosen) < NAME_WORDS and not any(_same_stem(word, other) for other in chosen):
            chosen.append(word)
    return ", ".join(chosen) or "(no words)"


def _is_content(word: str) -> bool:
    """Return whether a word is neither a number nor too short for a name.

    In a script with capitals, words of up to three letters are mostly function words.
    """
    letters = sum(map(str.isalpha, word))
    return letters > 3 if word.upper() != word.lower() else letters > 0


def _same_stem(first: str, second: str) -> bool:
    """Guess whether two words have one stem: a common prefix of four letters, suffixes up to three.

    >>> [_same_stem("alloy", "alloying"), _same_stem("form", "formation")]
    [True, False]
    """
    n_common = next(
        (n for n, (a, b) in enumerate(zip(first, second, strict=False)) if a != b),
        min(len(first), len(second)),
    )
    return n_common >= 4 and max(len(first), len(second)) - n_common <= 3
