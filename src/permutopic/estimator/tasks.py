"""The tasks of a fitted model: alignment, segmentation, ordering, and checks for anomalies."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from permutopic.anomalies import make_checker, read_template
from permutopic.checks import check_choice
from permutopic.estimator.documents import rereadable
from permutopic.estimator.new_documents import MANY_SAMPLES, InfersDocuments
from permutopic.model.mcmc.convergence import co_occurrence, match_topics
from permutopic.ordering import DEFAULT_METHOD, Ordering, PositionCounts, order_texts
from permutopic.results.alignment import Alignment, fitted_documents
from permutopic.results.segments import Segment, segments
from permutopic.results.tables import document_table, segment_table, unit_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from permutopic.anomalies import Checker, CheckReport, TemplateEntry, Thresholds
    from permutopic.estimator.new_documents import Documents
    from permutopic.model.mcmc.chain import Chain
    from permutopic.results.inferred import Inferred
    from permutopic.results.table import Table


class Tasks(InfersDocuments):
    """The part of ContentModel that does the three tasks of the paper, and `check`."""

    positions_: PositionCounts
    chains_: tuple[Chain, ...]
    titles_: tuple[str, ...]
    topics_: list[NDArray[np.int64]]
    topic_names_: tuple[str, ...]
    bags_: NDArray[np.int64]
    dispersion_: NDArray[np.float64]
    word_distributions_: NDArray[np.float64]
    subjects_: list[tuple[str, ...]]

    def align(self, X: Documents | None = None, **settings: Any) -> Alignment:  # noqa: N803
        """Align documents by their topics: those given, or those of the fit.

        Of the documents of the fit the model keeps where their units are, not their text: give
        them again for `nearest`. Settings are those of `infer`.

        >>> from permutopic import ContentModel
        >>> documents = [["salt sea waves", "hills snow rocks"], ["waves salt", "snow rocks"]] * 5
        >>> model = ContentModel(n_topics=2, random_state=1).fit(documents)
        >>> [row.title for row in model.align().paragraphs(1)][:3]
        ['0', '1', '2']
        """
        documents = self.infer_or_fitted(X, **settings)
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
        most probable boundaries within the bounds. Settings are those of `infer`.

        >>> from permutopic import ContentModel
        >>> documents = [["salt sea waves", "hills snow rocks"], ["waves salt", "snow rocks"]] * 5
        >>> model = ContentModel(n_topics=2, random_state=1).fit(documents)
        >>> ((first, second),) = model.segment([["sea salt", "salt", "snow"]])
        >>> first.last_unit, second.topic
        (2, 1)
        """
        return [
            segments(
                inferred,
                self.topic_names_,
                document=number,
                min_words=min_words,
                max_words=max_words,
                with_text=True,
            )
            for number, inferred in enumerate(self.infer_or_fitted(X, **settings), 1)
        ]

    def segment_table(
        self,
        X: Documents | None = None,  # noqa: N803
        *,
        min_words: int | None = None,
        max_words: int | None = None,
        with_text: bool = False,
        **settings: Any,
    ) -> Table:
        """Make a table with a row for each segment; parameters as in `segment`.

        The rows are made as they are read; an iterator of documents can be read once.
        """
        check_is_fitted(self)
        given = rereadable(X)
        return segment_table(
            lambda: self.infer_or_fitted(given(), **settings),
            self.topic_names_,
            min_words=min_words,
            max_words=max_words,
            with_text=with_text,
        )

    def predict_table(
        self,
        X: Documents,  # noqa: N803
        *,
        rows: str = "units",
        probabilities: bool = False,
        **settings: Any,
    ) -> Table:
        """Make a table of the inferred topics of documents.

        The rows are made as they are read; an iterator of documents can be read once.

        Parameters
        ----------
        rows : {"units", "documents"}
            What has a row of its own.
        probabilities
            Add a column with the probabilities of all topics of each unit.
        **settings
            Those of `infer`.

        Examples
        --------
        >>> from permutopic import ContentModel
        >>> documents = [["salt sea waves", "hills snow rocks"], ["waves salt", "snow rocks"]] * 5
        >>> model = ContentModel(n_topics=2, random_state=5).fit(documents)
        >>> table = model.predict_table([["rocks snow hills", "snow", "sea salt"]])
        >>> [(row["unit"], row["topic"]) for row in table]
        [(1, 1), (2, 1), (3, 0)]
        """
        check_is_fitted(self)
        check_choice(rows, "rows", ("units", "documents"))
        given = rereadable(X)
        if rows == "documents":
            return document_table(lambda: self.infer(given(), **settings))
        return unit_table(
            lambda: self.infer(given(), **settings), self.topic_names_, probabilities=probabilities
        )

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
            did best in cross-validation (docs/studies/ordering.md).
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
        documents = None if X is None else self.infer_or_fitted(X, **settings)
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
        checker = replace(checker, subjects=tuple(self.subjects_))
        if entries is None:
            return checker
        totals = self.state_.word_counts.sum(axis=1)
        split = self.tokens_.splitter()
        words = self.word_distributions_, totals, self.vocabulary_, split
        return checker.with_template(entries, *words)

    def infer_or_fitted(
        self,
        X: Documents | None,  # noqa: N803
        **settings: Any,
    ) -> Iterator[Inferred]:
        """Infer documents with many draws, or describe those of the fit where X is None."""
        if X is None:
            return self.fitted()
        return self.infer(X, **{"n_samples": MANY_SAMPLES, **settings})

    def fitted(self) -> Iterator[Inferred]:
        """Describe the documents of the fit as `infer` does, as far as the model keeps them.

        Probabilities are averages over the kept chains, and unknown where one was kept. There is no
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
            subjects=self.subjects_,
            spans=self.unit_spans_,
            words=self.unit_words_,
            **known,
        )

    def topic_probabilities(self) -> NDArray[np.float64]:
        """Average over the kept chains: (units, K), the share of chains with each unit's topic.

        The topics of the other chains are matched to those of the best one. With one kept chain
        every row has a single 1: this is for several chains with keep="all".
        """
        check_is_fitted(self)
        kept = self._kept_topics()
        counts = np.zeros((kept.shape[1], len(self.topic_names_)))
        for topics in kept:
            counts[np.arange(topics.size), topics] += 1
        return counts / len(kept)

    def _kept_topics(self) -> NDArray[np.int64]:
        """Return the topics of all units in every kept chain, numbered as in the best one."""
        best_topics, merge_map = self.state_.all_topics(), self._topics.view.merge_map
        kept = []
        for chain in self.chains_:
            if chain.state is not None:
                topics = chain.state.all_topics()
                matched = match_topics(co_occurrence(topics, best_topics, self.state_.n_topics))
                kept.append(merge_map[matched[topics]])
        return np.array(kept)
