"""What a model is for: alignment, segmentation, ordering, and what is odd."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from permutopic.alignment import Alignment, fitted_documents
from permutopic.convergence import co_occurrence, match_topics
from permutopic.estimator.inferring import as_documents
from permutopic.estimator.on_documents import OnDocuments
from permutopic.oddities import make_checker, read_template
from permutopic.ordering import DEFAULT, Ordering, Places, order_texts
from permutopic.segmentation import Segment, segments

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from permutopic.estimator.on_documents import Documents
    from permutopic.inferred import Inferred
    from permutopic.model.chain import Chain
    from permutopic.oddities import Checker, DocumentCheck, Limits, TemplateEntry


class Tasks(OnDocuments):
    """The part of ContentModel that does the three tasks of the paper, and `check`."""

    places_: Places
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
        documents = self.fitted() if X is None else self.infer(X, **settings)
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
        if X is None or hasattr(X, "document_offsets"):
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

    def order(self, pieces: Iterable[str | Iterable[str]], *, method: str = DEFAULT) -> Ordering:
        """Put loose pieces of text, or lists of paragraphs, into the order documents have.

        `method="map"` is eq. 13 as published; the default did best where we measured. The order
        in which the pieces come plays no part.

        >>> from permutopic import ContentModel
        >>> documents = [["salt sea waves", "hills snow rocks"], ["waves salt", "snow rocks"]] * 5
        >>> model = ContentModel(n_topics=2, random_state=1).fit(documents)
        >>> model.order(["snow on the hills", "waves of the sea"]).order.tolist()
        [1, 0]
        """
        check_is_fitted(self)
        found = order_texts(
            pieces,
            tokens=self.tokens_,
            vocabulary=self.vocabulary_,
            state=self.state_,
            priors=self.priors_,
            places=self.places_,
            method=method,
        )
        return replace(found, topics=self._shown.view.homes[found.topics])

    def check(
        self,
        X: Documents | None = None,  # noqa: N803
        *,
        template: str | Path | tuple[TemplateEntry, ...] | None = None,
        limits: Limits | None = None,
        nearest: int = 3,
        **settings: Any,
    ) -> list[DocumentCheck]:
        """Say what is odd in documents: those given, or those of the fit, whose text is not kept.

        Parameters
        ----------
        template
            An outline to hold them to instead of the model's own: a file, or what `read_template`
            makes of one.
        limits
            From when on something counts as odd.
        nearest
            How many documents of the fit to name that are most and least alike.
        **settings
            Those of `infer`.
        """
        checker = self.checker(template=template, limits=limits)
        checks = (
            checker.check_fitted() if X is None else map(checker.check, self.infer(X, **settings))
        )
        return [checker.compared(check, nearest) for check in checks]

    def checker(
        self,
        *,
        template: str | Path | tuple[TemplateEntry, ...] | None = None,
        limits: Limits | None = None,
    ) -> Checker:
        """Make what `check` checks with, for those who have inferred documents already."""
        check_is_fitted(self)
        entries = read_template(template) if isinstance(template, str | Path) else template
        checker = make_checker(
            self._shown.outline(1), self.bags_, self.dispersion_, self.titles_, self.topics_, limits
        )
        if entries is None:
            return checker
        totals = self.state_.word_counts.sum(axis=1)
        split = self.tokens_.splitter()
        return checker.against(entries, self.word_distributions_, totals, self.vocabulary_, split)

    def fitted(self) -> Iterator[Inferred]:
        """Describe the documents of the fit as `infer` would, as far as the model keeps them.

        Probabilities are shares of the kept chains, and unknown where one was kept. There is no
        text: `infer` the documents again for that, and for draws from the posterior.
        """
        check_is_fitted(self)
        states = [chain.state for chain in self.chains_ if chain.state is not None]
        known: dict[str, Any] = {}
        if len(states) > 1:
            homes, mine = self._shown.view.homes, self.state_.all_topics()
            shares = np.zeros((mine.size, len(self.topic_names_)))
            changes = np.zeros(mine.size)
            for state in states:
                topics = state.all_topics()
                shown = homes[match_topics(co_occurrence(topics, mine, state.n_topics))[topics]]
                shares[np.arange(mine.size), shown] += 1 / len(states)
                changes[1:] += shown[1:] != shown[:-1]
            known = {"probabilities": shares, "boundaries": changes / len(states)}
        return fitted_documents(
            self.titles_,
            self.topics_,
            len(self.topic_names_),
            spans=self.unit_spans_,
            words=self.unit_words_,
            **known,
        )
