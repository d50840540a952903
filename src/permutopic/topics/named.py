"""Topics with their names: what renaming and merging change, and what is saved of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from permutopic.errors import InputError
from permutopic.topics.distinctive import weigh_words
from permutopic.topics.evidence import Evidence
from permutopic.topics.naming import (
    TopicName,
    check_free,
    check_name,
    find_topic,
    name_merged,
    name_topics,
    settle,
)
from permutopic.topics.outline import OutlineEntry, make_outline
from permutopic.topics.view import TopicView, check_merge_map, merge_topics_of, view_topics

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from permutopic.model.priors import Priors
    from permutopic.model.state import State

    Members = tuple[int, ...]


@dataclass(frozen=True, eq=False, repr=False)
class NamedTopics:
    """The topics of a state as they are shown. Changing them makes new ones.

    Names go by the sampled topics that a shown one is made of. So a topic keeps its name whatever
    is merged beside it, and parts have theirs again when they part.

    Attributes
    ----------
    automatic
        The automatic name of every sampled topic, and of those that were merged.
    given
        The user's names.
    """

    state: State
    evidence: Evidence
    priors: Priors
    vocabulary: Sequence[str]
    view: TopicView
    automatic: Mapping[Members, TopicName]
    given: Mapping[Members, str]

    def __repr__(self) -> str:
        return f"<NamedTopics: {'; '.join(name.text for name in self.names)}>"

    @classmethod
    def of(
        cls, state: State, evidence: Evidence, priors: Priors, vocabulary: Sequence[str]
    ) -> Self:
        """Show topics as they were sampled, with automatic names."""
        weights = weigh_words(vocabulary, state.word_counts.sum(axis=1))
        view = view_topics(state, evidence, priors, np.arange(state.n_topics), weights)
        names = name_topics(view, vocabulary)
        automatic: dict[Members, TopicName] = {(n,): name for n, name in enumerate(names)}
        return cls(state, evidence, priors, vocabulary, view, automatic, {})

    @cached_property
    def members(self) -> tuple[Members, ...]:
        """The sampled topics that each shown topic is made of."""
        merge_map = self.view.merge_map
        return tuple(
            tuple(np.flatnonzero(merge_map == topic).tolist())
            for topic in range(self.view.n_topics)
        )

    @cached_property
    def names(self) -> tuple[TopicName, ...]:
        """The name of every shown topic; no two are the same."""
        automatic = [self.automatic[members] for members in self.members]
        named = [(n, members) for n, members in enumerate(self.members) if members in self.given]
        return settle(automatic, {n: self.given[members] for n, members in named})

    def renamed(self, changes: Mapping[Any, str | None]) -> Self:
        """Give topics the user's names; None gives the automatic one back."""
        if not hasattr(changes, "items"):
            raise InputError(f"names are given as {{topic: name}}, not {changes!r}")
        given, new = dict(self.given), dict[int, str | None]()
        for key, name in changes.items():
            topic = find_topic(self.names, key)
            if topic in new:
                raise InputError(f"topic {topic} is given two names")
            new[topic] = None if name is None else check_name(name)
        check_free(self.names, new)
        for topic, text in new.items():
            given.pop(self.members[topic], None)
            if text is not None:
                given[self.members[topic]] = text
        return replace(self, given=given)

    def merged(self, topics: Iterable[int | str], name: str | None = None) -> Self:
        """Make topics one; without a name of its own it is called after its parts."""
        if isinstance(topics, str) or not isinstance(topics, Iterable):
            raise InputError(f"topics to merge are a list of numbers or names, not {topics!r}")
        together = sorted({find_topic(self.names, topic) for topic in topics})
        if len(together) < 2:
            raise InputError("merging takes two different topics or more")
        merge_map = merge_topics_of(self.view.merge_map, together, self.state.bag.sum(axis=0))
        merged = self._with_merge_map(merge_map)
        whole = tuple(sorted(part for topic in together for part in self.members[topic]))
        place = merged.members.index(whole)
        used = [topic for topic in together if self.view.segments[topic]] or together[:1]
        parts = [self.names[topic] for topic in used]
        called = name_merged(merged.view, self.vocabulary, place, parts)
        given = {key: text for key, text in self.given.items() if key != whole}
        merged = replace(merged, automatic={**self.automatic, whole: called}, given=given)
        return merged if name is None else merged.renamed({place: name})

    def unmerged(self) -> Self:
        """Take all merging back: every topic has the name that it had, or was given since."""
        return self._with_merge_map(np.arange(self.state.n_topics))

    def _with_merge_map(self, merge_map: NDArray[np.int64]) -> Self:
        weights = self.view.weights
        view = view_topics(self.state, self.evidence, self.priors, merge_map, weights)
        return replace(self, view=view)

    def extended(self, state: State, evidence: Evidence) -> Self:
        """Show the same topics in a state with more documents, `evidence` being of those."""
        whole = self.evidence.joined(evidence)
        view = view_topics(state, whole, self.priors, self.view.merge_map, self.view.weights)
        return replace(self, state=state, evidence=whole, view=view)

    def outline(self, n_words: int) -> tuple[OutlineEntry, ...]:
        """List the topics in canonical order."""
        return make_outline(self.view, self.names, self.priors, self.vocabulary, n_words)

    def topics(self, document: int) -> NDArray[np.int64]:
        """Give the shown topic of every unit of a document."""
        return self.view.merge_map[self.state.topics(document)]

    def as_dict(self) -> dict[str, Any]:
        """Say what a model folder keeps in words; `arrays` is the rest."""
        return {
            "homes": self.view.merge_map.tolist(),
            "automatic": [
                {"of": list(members), **vars(name)} for members, name in self.automatic.items()
            ],
            "given": [{"of": list(members), "text": text} for members, text in self.given.items()],
            "headings": list(self.evidence.headings),
        }

    @staticmethod
    def is_by_hand(saved: object) -> bool:
        """Tell whether what `as_dict` gave has names or merging of the user's."""
        if not isinstance(saved, dict):
            return False
        merge_map = saved.get("homes")
        merged = isinstance(merge_map, list) and merge_map != list(range(len(merge_map)))
        return bool(saved.get("given")) or merged

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
        merge_map = check_merge_map(saved["homes"], state.n_topics)
        weights = weigh_words(vocabulary, state.word_counts.sum(axis=1))
        view = view_topics(state, evidence, priors, merge_map, weights)
        automatic = {
            tuple(item["of"]): TopicName(item["text"], item["source"])
            for item in saved["automatic"]
        }
        given = {tuple(item["of"]): check_name(item["text"]) for item in saved["given"]}
        shown = cls(state, evidence, priors, vocabulary, view, automatic, given)
        if not {*shown.members, *((topic,) for topic in range(state.n_topics))} <= set(automatic):
            raise ValueError("a topic has no name")
        return shown
