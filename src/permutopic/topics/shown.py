"""Topics with their names: what renaming and merging change, and what is saved of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from permutopic.errors import InputError
from permutopic.topics.evidence import Evidence
from permutopic.topics.naming import (
    TopicName,
    check_name,
    find_topic,
    keep_names,
    name_topics,
    rename,
)
from permutopic.topics.outline import OutlineEntry, make_outline
from permutopic.topics.view import TopicView, check_homes, merge_homes, view_topics

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from permutopic.model.priors import Priors
    from permutopic.model.state import State


@dataclass(frozen=True, eq=False, repr=False)
class ShownTopics:
    """The topics of a state as they are shown. Changing them makes new ones."""

    state: State
    evidence: Evidence
    priors: Priors
    vocabulary: Sequence[str]
    view: TopicView
    automatic: tuple[TopicName, ...]
    names: tuple[TopicName, ...]

    def __repr__(self) -> str:
        return f"<ShownTopics: {'; '.join(name.text for name in self.names)}>"

    @classmethod
    def of(
        cls,
        state: State,
        evidence: Evidence,
        priors: Priors,
        vocabulary: Sequence[str],
        homes: NDArray[np.int64] | None = None,
    ) -> Self:
        """Show topics as they were sampled, or merged as `homes` says, with automatic names."""
        homes = np.arange(state.n_topics) if homes is None else homes
        view = view_topics(state, evidence, priors, homes)
        names = name_topics(view, vocabulary)
        return cls(state, evidence, priors, vocabulary, view, names, names)

    def renamed(self, changes: Mapping[Any, str | None]) -> Self:
        """Give topics the user's names; None gives the automatic one back."""
        return replace(self, names=rename(self.names, changes, self.automatic))

    def merged(self, topics: Iterable[int | str], name: str | None = None) -> Self:
        """Make topics one. A name that the user gave its largest such part stays with it."""
        if isinstance(topics, str) or not isinstance(topics, Iterable):
            raise InputError(f"topics to merge are a list of numbers or names, not {topics!r}")
        together = sorted({find_topic(self.names, topic) for topic in topics})
        if len(together) < 2:
            raise InputError("merging takes two different topics or more")
        if len(together) == len(self.names):
            raise InputError("merging all topics would leave no outline")
        mine = {} if name is None else {together[0]: check_name(name)}
        if name is None:
            given = [topic for topic in together if self.names[topic].source == "user"]
            if given:
                largest = max(given, key=lambda topic: self.view.bag[:, topic].sum())
                mine = {together[0]: self.names[largest].text}
        kept = {topic: text for topic, text in self._given().items() if topic not in together}
        homes = merge_homes(self.view.homes, together, self.state.bag.sum(axis=0))
        return self._with_homes(homes, {**kept, **mine})

    def unmerged(self) -> Self:
        """Take all merging back. Topics that were not merged keep the user's names."""
        homes = self.view.homes
        alone = np.flatnonzero(np.bincount(homes) == 1)
        kept = {topic: text for topic, text in self._given().items() if topic in alone}
        return self._with_homes(np.arange(homes.size), kept)

    def _given(self) -> dict[int, str]:
        return {topic: name.text for topic, name in enumerate(self.names) if name.source == "user"}

    def _with_homes(self, homes: NDArray[np.int64], given: Mapping[int, str]) -> Self:
        """Show the topics with other homes and the user's names for some of the present ones."""
        shown = self.of(self.state, self.evidence, self.priors, self.vocabulary, homes)
        new = {old: int(homes[self.view.homes == old][0]) for old in given}
        names = keep_names(shown.automatic, {new[old]: text for old, text in given.items()})
        return replace(shown, names=names)

    def outline(self, n_words: int) -> tuple[OutlineEntry, ...]:
        """List the topics in canonical order."""
        return make_outline(self.view, self.names, self.priors, self.vocabulary, n_words)

    def topics(self, document: int) -> NDArray[np.int64]:
        """Give the shown topic of every unit of a document."""
        return self.view.homes[self.state.topics(document)]

    def as_dict(self) -> dict[str, Any]:
        """Say what a model folder keeps in words; `arrays` is the rest."""
        return {
            "homes": self.view.homes.tolist(),
            "names": [vars(name) for name in self.names],
            "headings": self.evidence.headings,
        }

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Give the arrays that a model folder keeps."""
        return {
            "evidence.word_segments": self.evidence.word_segments,
            "evidence.heading_counts": self.evidence.heading_counts,
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
        """Read back what `as_dict` and `arrays` gave; raise ValueError if it does not fit."""
        headings = saved["headings"]
        if not isinstance(headings, list) or not all(isinstance(h, str) for h in headings):
            raise ValueError("headings is not a list of strings")
        evidence = Evidence(
            arrays["evidence.word_segments"], tuple(headings), arrays["evidence.heading_counts"]
        )
        if evidence.word_segments.shape != state.word_counts.shape:
            raise ValueError("word_segments and word_counts disagree")
        homes = check_homes(saved["homes"], state.n_topics)
        names = tuple(TopicName(item["text"], item["source"]) for item in saved["names"])
        shown = cls.of(state, evidence, priors, vocabulary, homes)
        if len(names) != len(shown.names) or len({n.text.casefold() for n in names}) < len(names):
            raise ValueError("names is not one for each topic")
        return replace(shown, names=names)
