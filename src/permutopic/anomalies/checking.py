"""Check documents for missing and misplaced topics and for unusual passages."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from permutopic.anomalies.check_report import CheckReport, finding_table
from permutopic.anomalies.corpus_report import TopicPosition, topic_positions
from permutopic.anomalies.distance import FittedStructures
from permutopic.anomalies.document_check import DocumentCheck
from permutopic.anomalies.expected_outline import ExpectedOutline, canonical_outline
from permutopic.anomalies.misplaced import find_misplaced, order_statistics
from permutopic.anomalies.missing import find_extra, find_missing
from permutopic.anomalies.passages import find_passages, unknown_document
from permutopic.anomalies.template_matching import match_template
from permutopic.anomalies.thresholds import Thresholds
from permutopic.anomalies.usage import OutlineEntryLike, TopicUsage
from permutopic.checks import check_integer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import ArrayLike, NDArray

    from permutopic.anomalies.template import TemplateEntry
    from permutopic.anomalies.template_match import TemplateMatch
    from permutopic.results.inferred import Inferred
    from permutopic.results.table import Table


@dataclass(frozen=True, eq=False, repr=False)
class Checker:
    """Compares documents with the fitted ones, or with a template.

    `make_checker` makes one from a model, `with_template` one for a template.

    Attributes
    ----------
    outline
        The model's outline.
    usage
        Usage of topics in the fitted documents.
    titles, topics
        Titles of the fitted documents, and the topics of their units.
    expected
        The outline that documents are compared with.
    thresholds
        Thresholds of the findings.
    match
        The match of the template with the model; None without a template.
    subjects
        What each fitted document is about.
    """

    outline: tuple[OutlineEntryLike, ...]
    usage: TopicUsage
    titles: tuple[str, ...]
    topics: tuple[NDArray[np.int64], ...]
    expected: ExpectedOutline
    thresholds: Thresholds
    match: TemplateMatch | None = None
    subjects: tuple[tuple[str, ...], ...] = ()

    def with_template(
        self,
        template: Sequence[TemplateEntry],
        word_distributions: NDArray[np.float64],
        word_totals: NDArray[np.integer],
        vocabulary: Sequence[str],
        split: Callable[[str], list[str]],
    ) -> Checker:
        """Return a checker for a template; see `match_template` for the arguments."""
        words = word_distributions, word_totals, vocabulary, split
        match = match_template(template, self.usage, *words)
        return replace(self, match=match, expected=match.expected_outline(self.usage))

    def check(self, inferred: Inferred) -> DocumentCheck:
        """Check the structure and the passages of an inferred document."""
        found = check_structure(
            inferred.title,
            inferred.topics,
            self.expected,
            self.thresholds,
            samples=inferred.samples,
            location=inferred.location,
        )
        found = replace(found, subjects=inferred.subjects)
        used, names = self.usage.used, self.usage.names
        unknown = unknown_document(inferred, names, self.thresholds)
        if unknown:  # a structure inferred from few known words is not informative
            return replace(found, missing=(), misplaced=(), extra=(), passages=unknown)
        passages = find_passages(inferred, used, names, self.thresholds)
        return replace(found, passages=passages, fitted_number=inferred.number)

    def check_fitted(self) -> Iterator[DocumentCheck]:
        """Check the structures of the fitted documents, by their last sample in the fit."""
        for number, (title, topics) in enumerate(zip(self.titles, self.topics, strict=True)):
            found = check_structure(title, topics, self.expected, self.thresholds)
            about = self.subjects[number] if self.subjects else ()
            yield replace(found, fitted_number=number, subjects=about)

    def with_neighbours(self, check: DocumentCheck, n: int = 3) -> DocumentCheck:
        """Add the `n` fitted documents with the most, and with the least similar structure.

        A fitted document is not compared with itself.
        """
        own = () if check.fitted_number < 0 else (check.fitted_number,)
        nearest, farthest = self._structures.extremes(check.topics, n, own)
        return replace(check, nearest=nearest, farthest=farthest)

    def report(
        self, documents: Iterable[Inferred] | None = None, *, nearest: int = 3
    ) -> CheckReport:
        """Check inferred documents, or those of the fit, and keep all results.

        `nearest` is the number of neighbours of each document, see `with_neighbours`.
        """
        checks = self._checks(None if documents is None else lambda: documents, nearest)
        return CheckReport(checks, self)

    def table(
        self, documents: Callable[[], Iterable[Inferred]] | None = None, *, nearest: int = 3
    ) -> Table:
        """Make the table of `report` with one document in memory at a time.

        `documents` is called at every pass over the table; None for the documents of the fit.
        """
        return finding_table(lambda: self._checks(documents, nearest), self)

    def _checks(
        self, documents: Callable[[], Iterable[Inferred]] | None, nearest: int
    ) -> Iterator[DocumentCheck]:
        nearest = check_integer(nearest, "nearest", 0)
        checks = self.check_fitted() if documents is None else map(self.check, documents())
        return (self.with_neighbours(check, nearest) for check in checks)

    @cached_property
    def positions(self) -> tuple[TopicPosition, ...]:
        """Positions of each topic in the fitted documents."""
        return topic_positions(self.outline, self.usage, self.topics)

    @cached_property
    def _structures(self) -> FittedStructures:
        return FittedStructures(self.titles, self.topics, self.usage.n_topics)


def make_checker(
    outline: Sequence[OutlineEntryLike],
    bags: ArrayLike,
    dispersion: ArrayLike,
    titles: Sequence[str],
    topics: Sequence[NDArray[np.int64]],
    thresholds: Thresholds | None = None,
) -> Checker:
    """Make a checker from a model's outline, `bags_`, `dispersion_`, `titles_` and `topics_`."""
    usage = TopicUsage.from_outline(outline, bags, dispersion)
    return Checker(
        outline=tuple(outline),
        usage=usage,
        titles=tuple(titles),
        topics=tuple(topics),
        expected=canonical_outline(usage),
        thresholds=Thresholds() if thresholds is None else thresholds,
    )


def check_structure(
    title: str,
    topics: ArrayLike,
    expected: ExpectedOutline,
    thresholds: Thresholds | None = None,
    *,
    samples: NDArray[np.int64] | None = None,
    location: str = "",
) -> DocumentCheck:
    """Check which topics a document has, and in which order; its text is not checked.

    Parameters
    ----------
    title, location
        Title of the document, and where it was read.
    topics
        The topic of each unit.
    expected
        The outline to compare with: `canonical_outline(usage)`, or that of a template.
    thresholds
        Thresholds of the findings.
    samples
        (samples, units): topics in draws from the posterior, for the certainty of the findings.

    Examples
    --------
    >>> usage = TopicUsage(("a", "b", "c"), np.array([[1, 1, 1]] * 9), np.array([3.0, 3.0]))
    >>> found = check_structure("x", [2, 0], canonical_outline(usage))
    >>> [finding.kind for finding in found.findings], found.swaps
    (['missing', 'misplaced'], 1)
    """
    thresholds = Thresholds() if thresholds is None else thresholds
    sequence = np.asarray(topics, dtype=np.int64)
    drawn = samples if samples is not None and samples.shape[0] else None
    order = order_statistics(sequence, expected)
    return DocumentCheck(
        title=title,
        location=location,
        topics=tuple(sequence.tolist()),
        fitted_number=-1,
        missing=find_missing(sequence, expected, thresholds, drawn),
        misplaced=find_misplaced(sequence, expected, thresholds, drawn),
        extra=find_extra(sequence, expected, thresholds, drawn),
        passages=None,
        swaps=order.swaps,
        expected_swaps=order.expected_swaps,
    )
