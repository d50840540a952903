"""The tasks of a fitted model: alignment, segmentation, ordering, and checks for anomalies."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from permutopic.anomalies import make_checker, read_template
from permutopic.corpus import Corpus
from permutopic.estimator.new_documents import MANY_SAMPLES, OnDocuments
from permutopic.estimator.streaming import as_documents
from permutopic.model.mcmc.convergence import co_occurrence, match_topics
from permutopic.ordering import DEFAULT_METHOD, Ordering, PositionCounts, order_texts
from permutopic.results.alignment import Alignment, fitted_documents
from permutopic.results.segments import Segment, segments

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from permutopic.anomalies import Checker, CheckReport, TemplateEntry, Thresholds
    from permutopic.estimator.new_documents import Documents
    from permutopic.model.mcmc.chain import Chain
    from permutopic.results.inferred import Inferred


class Tasks(OnDocuments):
    """The part of ContentModel that does the three tasks of the paper, and `check`."""

    positions_: PositionCounts
    chains_: tuple[Chain, ...]
    titles_: tuple[str, ...]
    topics_: list[NDArray[np.int64]]
    topic_names_: tuple[str, ...]
    bags_: NDArray[np.int64]
    dispersion_: NDArray[np.float64]
    word_distributions_: NDArray[np.float64]

    def align(self, X: Documents | None = None, **settings: Any) -> Alignment:  # noqa: N803
        """Line documents up by their topics: those given, or those of the fit.

        Of documents of the fit the model keeps where their units stand, not their text: give
        them again for `nearest`. Settings are those of `infer`.

        >>> from permutopic import ContentModel
        >>> documents = [["salt sea waves", "hills snow rocks"], ["waves salt", "snow rocks"]] * 5
        >>> model = ContentModel(n_topics=2, random_state=1).fit(documents)
        >>> [row.title for row in model.align().paragraphs(1)][:3]
        ['0', '1', '2']
        """
        check_is_fitted(self)
        documents = self.fitted() if X is None else self.infer(X, **_with_many(settings))
        return Alignment(documents, self.topic_names_, split=self.tokens_.splitter())

    def segment(
        self,
        X: Documents | None = None,  # noqa: N803
        *,
        min_words: int | None = None,
        max_words: int | None = None,
        **settings: Any,
    ) -> list[tuple[Segment, ...]]:
        """Cut documents into segments: those given, or those of the fit.

        Segments follow the most probable structure; with bounds on their white-space words, the
        most probable boundaries that keep to them. Settings are those of `infer`.

        >>> from permutopic import ContentModel
        >>> documents = [["salt sea waves", "hills snow rocks"], ["waves salt", "snow rocks"]] * 5
        >>> model = ContentModel(n_topics=2, random_state=1).fit(documents)
        >>> ((first, second),) = model.segment([["sea salt", "salt", "snow"]])
        >>> first.last_unit, second.topic
        (2, 1)
        """
        check_is_fitted(self)
        sizes = {"min_words": min_words, "max_words": max_words}
        settings = _with_many(settings)
        if X is None or isinstance(X, Corpus):
            found = self.fitted() if X is None else self.infer(X, **settings)
            pairs: Iterable[tuple[Inferred, Any]] = ((inferred, None) for inferred in found)
        else:
            given = list(as_documents(X))
            units = (self.units_.cut(document).units for document in given)
            pairs = zip(self.infer(given, **settings), units, strict=True)
        return [
            segments(inferred, self.topic_names_, document=n, units=units, with_text=True, **sizes)
            for n, (inferred, units) in enumerate(pairs, 1)
        ]

    def order(
        self,
        pieces: Iterable[str | Iterable[str]],
        *,
        method: str = DEFAULT_METHOD,
        ids: Iterable[object] | None = None,
    ) -> Ordering:
        """Put loose pieces of text, or lists of paragraphs, into the order documents have.

        Parameters
        ----------
        pieces
            Texts, or lists of paragraphs, in any order: the order of the input has no influence.
        method
            "pairs", "positions", "topics", or "map", which is eq. 13 as published. The default
            did best in cross-validation (docs/ordering.md).
        ids
            Ids of the pieces, for the table. Pieces with equal scores are in the order of a digest
            of their texts and ids.

        Examples
        --------
        >>> from permutopic import ContentModel
        >>> documents = [["salt sea waves", "hills snow rocks"], ["waves salt", "snow rocks"]] * 5
        >>> model = ContentModel(n_topics=2, random_state=1).fit(documents)
        >>> found = model.order(["snow on the hills", "waves of the sea"], ids=["a", "b"])
        >>> found.order.tolist(), [row["id"] for row in found.table()]
        ([1, 0], ['b', 'a'])
        """
        check_is_fitted(self)
        found = order_texts(
            pieces,
            tokens=self.tokens_,
            vocabulary=self.vocabulary_,
            state=self.state_,
            priors=self.priors_,
            positions=self.positions_,
            method=method,
            ids=ids,
        )
        topics = self._topics.view.merge_map[found.topics]
        return replace(found, topics=topics, topic_names=self.topic_names_)

    def check(
        self,
        X: Documents | None = None,  # noqa: N803
        *,
        template: str | Path | tuple[TemplateEntry, ...] | None = None,
        thresholds: Thresholds | None = None,
        nearest: int = 3,
        **settings: Any,
    ) -> CheckReport:
        """Find anomalies in documents: missing and misplaced topics, and unusual passages.

        Parameters
        ----------
        X
            Documents; None for those of the fit, whose text is not kept, so that only their
            structure is checked.
        template
            An outline to compare with instead of the model's own: a file, or the result of
            `read_template`.
        thresholds
            Thresholds of the findings.
        nearest
            Number of fitted documents to name with the most, and with the least similar structure.
        **settings
            Those of `infer`.

        Returns
        -------
        CheckReport
            A sequence of `DocumentCheck`, with a `table` of all findings.

        Examples
        --------
        >>> from permutopic import ContentModel
        >>> documents = [["salt sea waves", "hills snow rocks"], ["waves salt", "snow rocks"]] * 5
        >>> model = ContentModel(n_topics=2, random_state=1).fit(documents)
        >>> report = model.check([["sea salt", "salt waves"]], nearest=0)
        >>> [finding.kind for finding in report[0].findings]
        ['missing']
        >>> [row["kind"] for row in report.table()]
        ['missing', 'place', 'place']
        """
        checker = self.checker(template=template, thresholds=thresholds)
        documents = None if X is None else self.infer(X, **_with_many(settings))
        return checker.report(documents, nearest=nearest)

    def checker(
        self,
        *,
        template: str | Path | tuple[TemplateEntry, ...] | None = None,
        thresholds: Thresholds | None = None,
    ) -> Checker:
        """Make the checker that `check` uses, for documents that are inferred already."""
        check_is_fitted(self)
        entries = read_template(template) if isinstance(template, str | Path) else template
        checker = make_checker(
            self._topics.outline(1),
            self.bags_,
            self.dispersion_,
            self.titles_,
            self.topics_,
            thresholds,
        )
        if entries is None:
            return checker
        totals = self.state_.word_counts.sum(axis=1)
        split = self.tokens_.splitter()
        words = self.word_distributions_, totals, self.vocabulary_, split
        return checker.with_template(entries, *words)

    def fitted(self) -> Iterator[Inferred]:
        """Describe the documents of the fit as `infer` would, as far as the model keeps them.

        Probabilities are shares of the kept chains, and unknown where one was kept. There is no
        text: `infer` the documents again for that, and for draws from the posterior.
        """
        check_is_fitted(self)
        kept = self._kept_topics()
        known: dict[str, Any] = {}
        if len(kept) > 1:
            changes = np.zeros(kept.shape[1])
            changes[1:] = np.mean(kept[:, 1:] != kept[:, :-1], axis=0)
            known = {"probabilities": self.topic_probabilities(), "boundaries": changes}
        return fitted_documents(
            self.titles_,
            self.topics_,
            len(self.topic_names_),
            spans=self.unit_spans_,
            words=self.unit_words_,
            **known,
        )

    def topic_probabilities(self) -> NDArray[np.float64]:
        """Average over the kept chains: (units, K), how many have each unit in each topic.

        The topics of the other chains are matched to those of the best one. With one kept chain
        every row is a single 1: keep="all" and several chains are what this is for.
        """
        check_is_fitted(self)
        kept = self._kept_topics()
        counts = np.zeros((kept.shape[1], len(self.topic_names_)))
        for topics in kept:
            counts[np.arange(topics.size), topics] += 1
        return counts / len(kept)

    def _kept_topics(self) -> NDArray[np.int64]:
        """Give the topics of all units in every kept chain, as the best one numbers them."""
        mine, merge_map = self.state_.all_topics(), self._topics.view.merge_map
        kept = []
        for chain in self.chains_:
            if chain.state is not None:
                topics = chain.state.all_topics()
                matched = match_topics(co_occurrence(topics, mine, self.state_.n_topics))
                kept.append(merge_map[matched[topics]])
        return np.array(kept)


def _with_many(settings: dict[str, Any]) -> dict[str, Any]:
    """Take more draws than `infer` does unless told: these tasks look at what is doubtful."""
    return {"n_samples": MANY_SAMPLES, **settings}
