"""Shown topics with their names: renaming, merging, and their form in a model folder."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from permutopic.errors import InputError, Message, Parameter
from permutopic.topics.distinctive import word_weights
from permutopic.topics.naming import (
    TopicName,
    check_name,
    check_unique,
    find_topic,
    make_unique,
    name_merged,
    name_topics,
)
from permutopic.topics.naming_counts import NamingCounts
from permutopic.topics.outline import OutlineEntry, make_outline, say_no_order
from permutopic.topics.view import TopicView, check_merge_map, merge_shown_topics, view_topics

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from permutopic.model.priors import Priors
    from permutopic.model.state import State

    Members = tuple[int, ...]

# FILE FORMAT: names in a model folder of schema 5 that differ from ours.
_MERGE_MAP = "homes"
_AUTOMATIC_NAMES, _USER_NAMES, _MEMBERS = "automatic", "given", "of"
_WORD_SEGMENTS, _HEADING_COUNTS = "evidence.word_segments", "evidence.heading_counts"


@dataclass(frozen=True, eq=False, repr=False)
class NamedTopics:
    """The shown topics of a state. Instances are immutable: changes make new ones.

    Names are keyed by the members of a shown topic, the sampled topics that it is made of. So a
    topic keeps its name when others are merged, and its parts get theirs back when it is unmerged.

    Attributes
    ----------
    state, priors, vocabulary
        The sampled topics.
    counts
        Counts that topics are named by.
    view
        Counts and orders of the shown topics.
    automatic_names
        The automatic name of every sampled topic, and of merged ones.
    user_names
        Names given by the user.
    """

    state: State
    counts: NamingCounts
    priors: Priors
    vocabulary: Sequence[str]
    view: TopicView
    automatic_names: Mapping[Members, TopicName]
    user_names: Mapping[Members, str]

    def __repr__(self) -> str:
        return f"<NamedTopics: {'; '.join(name.text for name in self.names)}>"

    @classmethod
    def from_state(
        cls, state: State, counts: NamingCounts, priors: Priors, vocabulary: Sequence[str]
    ) -> Self:
        """Show every sampled topic, with automatic names."""
        weights = word_weights(vocabulary, _word_totals(state, priors))
        view = view_topics(state, counts, priors, np.arange(state.n_topics), weights)
        names = name_topics(view, vocabulary)
        automatic: dict[Members, TopicName] = {(n,): name for n, name in enumerate(names)}
        return cls(state, counts, priors, vocabulary, view, automatic, {})

    @cached_property
    def members(self) -> tuple[Members, ...]:
        """For each shown topic, the sampled topics that it is made of."""
        merge_map = self.view.merge_map
        return tuple(
            tuple(np.flatnonzero(merge_map == topic).tolist())
            for topic in range(self.view.n_topics)
        )

    @cached_property
    def names(self) -> tuple[TopicName, ...]:
        """The unique name of every shown topic."""
        automatic = [self.automatic_names[members] for members in self.members]
        numbered = enumerate(self.members)
        given = {n: self.user_names[key] for n, key in numbered if key in self.user_names}
        return make_unique(automatic, given)

    def renamed(self, changes: Mapping[Any, str | None]) -> Self:
        """Set the user's names of topics; None restores the automatic name."""
        if not hasattr(changes, "items"):
            raise InputError(Parameter("names"), f" are given as {{topic: name}}, not {changes!r}")
        names, new = dict(self.user_names), dict[int, str | None]()
        for key, name in changes.items():
            topic = find_topic(self.names, key)
            if topic in new:
                raise InputError(f"topic {topic} is given two names")
            new[topic] = None if name is None else check_name(name)
        check_unique(self.names, new)
        for topic, text in new.items():
            names.pop(self.members[topic], None)
            if text is not None:
                names[self.members[topic]] = text
        return replace(self, user_names=names)

    def merged(self, topics: Iterable[int | str], name: str | None = None) -> Self:
        """Merge topics into one; without `name` its name is made from those of its parts."""
        if isinstance(topics, str) or not isinstance(topics, Iterable):
            what = f" to merge are a list of numbers or names, not {topics!r}"
            raise InputError(Parameter("topics"), what)
        together = sorted({find_topic(self.names, topic) for topic in topics})
        if len(together) < 2:
            raise InputError("merging takes two different topics or more")
        merge_map = merge_shown_topics(self.view.merge_map, together, self.state.bag.sum(axis=0))
        merged = self._with_merge_map(merge_map)
        whole = tuple(sorted(part for topic in together for part in self.members[topic]))
        number = merged.members.index(whole)
        used = [topic for topic in together if self.view.segments[topic]] or together[:1]
        parts = [self.names[topic] for topic in used]
        text = name_merged(merged.view, self.vocabulary, number, parts)
        automatic = {**self.automatic_names, whole: text}
        given = {key: own for key, own in self.user_names.items() if key != whole}
        merged = replace(merged, automatic_names=automatic, user_names=given)
        return merged if name is None else merged.renamed({number: name})

    def unmerged(self) -> Self:
        """Undo all merging; every topic gets back its own name."""
        return self._with_merge_map(np.arange(self.state.n_topics))

    def _with_merge_map(self, merge_map: NDArray[np.int64]) -> Self:
        weights = self.view.weights
        view = view_topics(self.state, self.counts, self.priors, merge_map, weights)
        return replace(self, view=view)

    def extended(self, state: State, counts: NamingCounts) -> Self:
        """Show the same topics in a state with more documents; `counts` are those of the new."""
        total = self.counts + counts
        view = view_topics(state, total, self.priors, self.view.merge_map, self.view.weights)
        return replace(self, state=state, counts=total, view=view)

    def outline(self, n_words: int) -> tuple[OutlineEntry, ...]:
        """List the topics in canonical order."""
        return make_outline(self.view, self.names, self.priors, self.vocabulary, n_words)

    def no_order(self) -> Message | None:
        """Say that the documents seem to share no order, if they do not."""
        return say_no_order(self.outline(1), subject_words=self.priors.subject is not None)

    def topics(self, document: int) -> NDArray[np.int64]:
        """Return the shown topic of every unit of a document."""
        return self.view.merge_map[self.state.topics(document)]

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON part of a model folder; `arrays` has the rest."""
        return {
            _MERGE_MAP: self.view.merge_map.tolist(),
            _AUTOMATIC_NAMES: [
                {_MEMBERS: list(members), **vars(name)}
                for members, name in self.automatic_names.items()
            ],
            _USER_NAMES: [
                {_MEMBERS: list(members), "text": text} for members, text in self.user_names.items()
            ],
            "headings": list(self.counts.headings),
        }

    @staticmethod
    def has_user_changes(saved: object) -> bool:
        """Return whether the result of `as_dict` has names or merged topics of the user."""
        if not isinstance(saved, dict):
            return False
        merge_map = saved.get(_MERGE_MAP)
        merged = isinstance(merge_map, list) and merge_map != list(range(len(merge_map)))
        return bool(saved.get(_USER_NAMES)) or merged

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays by the names under which a model folder stores them."""
        return {
            _WORD_SEGMENTS: self.counts.word_segments,
            _HEADING_COUNTS: self.counts.heading_counts,
        }

    @classmethod
    def from_dict(
        cls,
        saved: Mapping[str, Any],
        arrays: Mapping[str, NDArray[Any]],
        state: State,
        priors: Priors,
        vocabulary: Sequence[str],
    ) -> Self:
        """Build from the results of `as_dict` and `arrays`; raise ValueError if they are bad."""
        headings = saved["headings"]
        if not isinstance(headings, list) or not all(isinstance(h, str) for h in headings):
            raise ValueError("headings is not a list of strings")
        counts = NamingCounts(arrays[_WORD_SEGMENTS], tuple(headings), arrays[_HEADING_COUNTS])
        if counts.word_segments.shape != state.word_counts.shape:
            raise ValueError("word_segments and word_counts disagree")
        merge_map = check_merge_map(saved[_MERGE_MAP], state.n_topics)
        weights = word_weights(vocabulary, _word_totals(state, priors))
        view = view_topics(state, counts, priors, merge_map, weights)
        automatic = {
            tuple(item[_MEMBERS]): TopicName(item["text"], item["source"])
            for item in saved[_AUTOMATIC_NAMES]
        }
        given = {tuple(item[_MEMBERS]): check_name(item["text"]) for item in saved[_USER_NAMES]}
        shown = cls(state, counts, priors, vocabulary, view, automatic, given)
        if not {*shown.members, *((topic,) for topic in range(state.n_topics))} <= set(automatic):
            raise ValueError("a topic has no name")
        return shown


def _word_totals(state: State, priors: Priors) -> NDArray[np.integer]:
    """Return how often each word occurs in the fit, by which its language is guessed: (W,).

    Subject words are not in the topics' counts, but function words may be subject words; so it is
    their base rates, as multiples of the smallest.
    """
    if priors.subject is None:
        totals: NDArray[np.integer] = state.word_counts.sum(axis=1)
        return totals
    rates = priors.subject.base_rates
    multiples: NDArray[np.integer] = np.rint(rates / rates.min()).astype(np.int64)
    return multiples
