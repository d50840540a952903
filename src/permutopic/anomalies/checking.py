"""Documents checked for everything, one after another."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from permutopic.anomalies.corpus_wide import TopicPlace, topic_places
from permutopic.anomalies.distance import Structures
from permutopic.anomalies.document_check import DocumentCheck
from permutopic.anomalies.habits import Entry, Habits, habits_of
from permutopic.anomalies.lacking import find_extra, find_missing
from permutopic.anomalies.limits import Limits
from permutopic.anomalies.matching import match_template
from permutopic.anomalies.passages import find_passages, unread
from permutopic.anomalies.places import count_swaps, find_misplaced
from permutopic.anomalies.standard import Standard, canonical

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import ArrayLike, NDArray

    from permutopic.anomalies.match import Match
    from permutopic.anomalies.template import TemplateEntry
    from permutopic.results.inferred import Inferred


@dataclass(frozen=True, eq=False, repr=False)
class Checker:
    """Holds documents to what the fitted ones do, or to a template.

    `make_checker` makes one from what a model has to tell, `against` one for a template.

    Attributes
    ----------
    outline
        The model's outline.
    habits
        What the fitted documents do.
    titles, topics
        What they are called, and the topics of their units.
    standard
        What documents are held to.
    limits
        From where on something is odd.
    match
        How the template goes with the model; None without one.
    """

    outline: tuple[Entry, ...]
    habits: Habits
    titles: tuple[str, ...]
    topics: tuple[NDArray[np.int64], ...]
    standard: Standard
    limits: Limits
    match: Match | None = None

    def against(
        self,
        template: Sequence[TemplateEntry],
        word_distributions: NDArray[np.float64],
        word_totals: NDArray[np.integer],
        vocabulary: Sequence[str],
        split: Callable[[str], list[str]],
    ) -> Checker:
        """Hold documents to a template instead; see `match_template` for the arguments."""
        words = word_distributions, word_totals, vocabulary, split
        match = match_template(template, self.habits, *words)
        return replace(self, match=match, standard=match.standard(self.habits))

    def check(self, inferred: Inferred) -> DocumentCheck:
        """Check a document that the model was applied to: its structure and its passages."""
        same = [inferred.number] if inferred.number >= 0 else []
        found = check_structure(
            inferred.title,
            inferred.topics,
            self.standard,
            self.limits,
            samples=inferred.samples,
            location=inferred.location,
        )
        used, names = self.habits.used, self.habits.names
        whole = unread(inferred, names, self.limits)
        if whole:  # then its structure says nothing
            return replace(found, missing=(), misplaced=(), extra=(), passages=whole)
        passages = find_passages(inferred, used, names, self.limits)
        return replace(found, passages=passages, same=tuple(same))

    def check_fitted(self) -> Iterator[DocumentCheck]:
        """Check the structures of the fitted documents, by their last sample in the fit."""
        for number, (title, topics) in enumerate(zip(self.titles, self.topics, strict=True)):
            found = check_structure(title, topics, self.standard, self.limits)
            yield replace(found, same=(number,))

    def compared(self, check: DocumentCheck, n: int = 3) -> DocumentCheck:
        """Add the fitted documents of the most and the least similar structure.

        A document of the fit is not compared with itself.
        """
        near, far = self._structures.extremes(check.topics, n, check.same)
        return replace(check, nearest=near, farthest=far)

    @cached_property
    def places(self) -> tuple[TopicPlace, ...]:
        """Which topics keep their place, and which wander."""
        return topic_places(self.outline, self.habits, self.topics)

    @cached_property
    def _structures(self) -> Structures:
        return Structures(self.titles, self.topics, self.habits.n_topics)


def make_checker(
    outline: Sequence[Entry],
    bags: ArrayLike,
    dispersion: ArrayLike,
    titles: Sequence[str],
    topics: Sequence[NDArray[np.int64]],
    limits: Limits | None = None,
) -> Checker:
    """Take what matters from a model: its outline, `bags_`, `dispersion_`, `titles_`, `topics_`."""
    habits = habits_of(outline, bags, dispersion)
    limits = Limits() if limits is None else limits
    documents = tuple(titles), tuple(topics)
    return Checker(tuple(outline), habits, *documents, canonical(habits), limits)


def check_structure(
    title: str,
    topics: ArrayLike,
    standard: Standard,
    limits: Limits | None = None,
    *,
    samples: NDArray[np.int64] | None = None,
    location: str = "",
) -> DocumentCheck:
    """Check which topics a document has, and in which order; its text is not looked at.

    Parameters
    ----------
    title, location
        What it is called, and where it was read.
    topics
        The topic of each unit.
    standard
        What it is held to: `canonical(habits)`, or a template.
    limits
        From where on something is odd.
    samples
        (samples, units): topics in draws from the posterior, to tell how sure the findings are.

    Examples
    --------
    >>> habits = Habits(("a", "b", "c"), np.array([[1, 1, 1]] * 9), np.array([3.0, 3.0]))
    >>> found = check_structure("x", [2, 0], canonical(habits))
    >>> [finding.kind for finding in found.findings], found.swaps
    (['missing', 'misplaced'], 1)
    """
    limits = Limits() if limits is None else limits
    sequence = np.asarray(topics, dtype=np.int64)
    drawn = samples if samples is not None and samples.shape[0] else None
    swaps, expected, _ = count_swaps(sequence, standard)
    return DocumentCheck(
        title=title,
        location=location,
        topics=tuple(sequence.tolist()),
        same=(),
        missing=find_missing(sequence, standard, limits, drawn),
        misplaced=find_misplaced(sequence, standard, limits, drawn),
        extra=find_extra(sequence, standard, limits, drawn),
        passages=None,
        swaps=swaps,
        expected_swaps=expected,
    )
