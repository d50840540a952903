"""The match between the entries of a template and the topics of a model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from permutopic.anomalies.expected_outline import ExpectedOutline
from permutopic.anomalies.formatting import quote_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from permutopic.anomalies.usage import TopicUsage

MIN_FIT = 0.4
"""Least fit of a topic, in nats per word: seed words are 1.5 times as frequent as in the corpus."""


@dataclass(frozen=True)
class MatchedEntry:
    """An entry of a template with its topics.

    Attributes
    ----------
    name
        Name of the entry.
    topics
        Its topics, the best first; empty if none fits.
    matched_by
        "name", "heading", "words", or "nothing".
    fit
        Fit of the first topic, or of the closest one if there is none, in nats a seed word; nan if
        no seed word is known.
    closest
        The topic with the best fit, whether or not it belongs to this entry; None if no seed word
        is known.
    closest_entry
        Name of the entry that the closest topic belongs to, if any.
    known, unknown
        Seed words as tokens of the model, by whether it knows them.
    """

    name: str
    topics: tuple[int, ...]
    matched_by: str
    fit: float
    closest: int | None
    closest_entry: str | None
    known: tuple[str, ...]
    unknown: tuple[str, ...]

    def describe(self, names: Sequence[str]) -> str:
        """Describe the match in a sentence, given the names of the topics."""
        if self.topics:
            return f"{self.name} is {' + '.join(quote_name(names[topic]) for topic in self.topics)}"
        none = f"no topic of the model is for {quote_name(self.name)}"
        if self.closest is None:
            return f"{none}: its words are unknown to the model"
        closest = quote_name(names[self.closest])
        if self.closest_entry is not None and self.fit >= MIN_FIT:
            return f"{none} alone: {closest} fits, and goes with {quote_name(self.closest_entry)}"
        return f"{none}: the closest is {closest}, with {self.fit:+.1f} nats per word"


@dataclass(frozen=True)
class TemplateMatch:
    """The entries of a template with their topics.

    Attributes
    ----------
    entries
        The entries, in the order of the template.
    unmatched
        Topics in use that belong to no entry.
    """

    entries: tuple[MatchedEntry, ...]
    unmatched: tuple[int, ...]

    def expected_outline(self, usage: TopicUsage) -> ExpectedOutline:
        """Return the template as the outline to compare documents with."""
        entry_of = np.full(usage.n_topics, -1)
        for number, entry in enumerate(self.entries):
            entry_of[list(entry.topics)] = number
        names = tuple(entry.name for entry in self.entries)
        return ExpectedOutline(names, entry_of, usage, all_required=True)

    def rows(self, usage: TopicUsage) -> list[dict[str, Any]]:
        """Return one row for each entry without a topic, and for each topic without an entry."""
        found: list[dict[str, Any]] = [
            {"kind": "no topic fits", "name": entry.name, "score": entry.fit,
             "says": entry.describe(usage.names)}
            for entry in self.entries
            if not entry.topics
        ]  # fmt: skip
        for topic in self.unmatched:
            name = usage.names[topic]
            says = f"{quote_name(name)} is not in the template"
            found.append({"kind": "not in template", "topic": topic, "name": name, "says": says})
        return found
