"""An alignment of documents, topic by topic and paragraph by paragraph."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from permutopic.checks import check_integer
from permutopic.errors import InputError
from permutopic.results.alignment.rows import (
    COUNTERPART_COLUMNS,
    PASSAGE_COLUMNS,
    RUN_COLUMNS,
    Counterpart,
    Passage,
    passage_fields,
    passages_of,
    runs_of,
)
from permutopic.results.alignment.similarity import TextSimilarity
from permutopic.results.table import Table
from permutopic.text.tokens import Tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from permutopic.results.inferred import Inferred

_SHOWN = 80
"""Characters of a wrong name that an error repeats."""


class Alignment:
    """Documents aligned by their topics.

    Documents and units are counted from 1, in the order in which they come; topics from 0, in
    canonical order.

    Parameters
    ----------
    documents
        Inferred documents; from `fitted_documents`, where only their structure is known.
    names
        The topics' names.
    split
        Splits a text into the words that `nearest` compares. None: Unicode words, lower-cased.

    Examples
    --------
    >>> from permutopic.results.alignment import fitted_documents
    >>> topics = [np.array([0, 0, 1]), np.array([1, 0])]
    >>> aligned = Alignment(fitted_documents(["Oslo", "Bern"], topics, 2), ["History", "Sights"])
    >>> [(run["title"], run["name"], run["first_unit"], run["last_unit"])
    ...  for run in aligned.table()]
    [('Oslo', 'History', 1, 2), ('Oslo', 'Sights', 3, 3), ('Bern', 'Sights', 1, 1), \
('Bern', 'History', 2, 2)]
    >>> [(passage.title, passage.unit) for passage in aligned.paragraphs("history")]
    [('Oslo', 1), ('Oslo', 2), ('Bern', 2)]
    """

    def __init__(
        self,
        documents: Iterable[Inferred],
        names: Sequence[str],
        *,
        split: Callable[[str], Sequence[str]] | None = None,
    ) -> None:
        self.documents = tuple(map(_lightened, documents))
        self.names = tuple(names)
        self._split = Tokens().splitter() if split is None else split
        most = max((each.probabilities.shape[1] for each in self.documents), default=0)
        if len(self.names) < most:
            raise InputError(f"{most} topics need as many names, not {len(self.names)}")

    def table(self) -> Table:
        """Make a table with a row for each run of units with one topic: document × topic → span.

        The columns are `RUN_COLUMNS`. A topic that was merged may have two runs in a document, and
        then it has two rows.
        """
        rows = [
            vars(run)
            for number, document in enumerate(self.documents, 1)
            for run in runs_of(document, self.names, number)
        ]
        return Table(RUN_COLUMNS, rows)

    def paragraphs(self, topic: int | str) -> tuple[Passage, ...]:
        """Return all units of one topic, by number or name, document by document."""
        number = find_topic(self.names, topic)
        return tuple(
            passage
            for n, document in enumerate(self.documents, 1)
            for passage in passages_of(document, self.names, n, number)
        )

    def passage_table(self, topic: int | str) -> Table:
        """Make a table of `paragraphs`."""
        return Table(PASSAGE_COLUMNS, [vars(passage) for passage in self.paragraphs(topic)])

    def nearest_table(self, document: int, unit: int, n: int = 5) -> Table:
        """Make a table of `nearest`."""
        rows = [vars(counterpart) for counterpart in self.nearest(document, unit, n)]
        return Table(COUNTERPART_COLUMNS, rows)

    def nearest(self, document: int, unit: int, n: int = 5) -> tuple[Counterpart, ...]:
        """Find the counterparts of one unit in the other documents, at most one in each.

        A unit's score is similarity × same_topic. The similarity is the cosine of the tf·idf
        vectors (see `TextSimilarity`), and same_topic = Σ_k P(topic k | one) · P(topic k | other).
        Of equals the first comes first. Units without a word in common are no counterparts.
        """
        document = check_integer(document, "document", 1, len(self.documents))
        unit = check_integer(unit, "unit", 1, self.documents[document - 1].n_units)
        n = check_integer(n, "n", 1)
        if not all(each.texts or each.n_units == 0 for each in self.documents):
            raise InputError(
                "counterparts are found by their text, and a model keeps none: give the documents"
            )
        asked = self._offsets[document - 1] + unit - 1
        similarity = self._similarity.cosines(asked)
        same = self._probabilities @ self._probabilities[asked]
        score = np.round(similarity * same, 12)  # what differs by rounding alone is equal
        score[self._owners == document - 1] = 0.0
        order = np.argsort(-score, kind="stable")[: np.count_nonzero(score)]
        _, firsts = np.unique(self._owners[order], return_index=True)
        return tuple(
            Counterpart(
                **self._fields(int(found)),
                score=float(score[found]),
                similarity=float(similarity[found]),
                same_topic=float(same[found]),
            )
            for found in order[np.sort(firsts)[:n]]
        )

    def _fields(self, flat: int) -> Any:
        owner = int(self._owners[flat])
        unit = flat - int(self._offsets[owner])
        return passage_fields(self.documents[owner], self.names, owner + 1, unit)

    @cached_property
    def _offsets(self) -> Any:
        return np.cumsum([0, *(each.n_units for each in self.documents)])

    @cached_property
    def _owners(self) -> Any:
        return np.repeat(np.arange(len(self.documents)), np.diff(self._offsets))

    @cached_property
    def _probabilities(self) -> Any:
        return np.concatenate([each.probabilities for each in self.documents])

    @cached_property
    def _similarity(self) -> TextSimilarity:
        texts = [text for document in self.documents for text in document.texts]
        return TextSimilarity(texts, self._split)


def find_topic(names: Sequence[str], topic: object) -> int:
    """Find a topic by its number, or by its name in either case of letters.

    >>> find_topic(["History", "Sights"], "sights"), find_topic(["History", "Sights"], "0")
    (1, 0)
    """
    if isinstance(topic, str) and not topic.strip().removeprefix("-").isdecimal():
        wanted = " ".join(topic.split()).casefold()
        for number, name in enumerate(names):
            if name.casefold() == wanted:
                return number
        known = ", ".join(map(repr, names))
        raise InputError(f"no topic is called {topic[:_SHOWN]!r}: there are {known}")
    given = topic[:_SHOWN] if isinstance(topic, str) else topic
    whole = isinstance(given, str | int | np.integer) and not isinstance(given, bool)
    if not whole or not 0 <= int(given) < len(names):  # type: ignore[call-overload]
        raise InputError(f"a topic is a number from 0 to {len(names) - 1} or a name, not {given!r}")
    return int(given)  # type: ignore[call-overload, no-any-return]


def _lightened(document: Inferred) -> Inferred:
    """Drop what an alignment does not use: draws and scores are most of the memory."""
    none = np.zeros((0, 0))
    return replace(document, samples=document.samples[:0], topic_scores=none, units=())
