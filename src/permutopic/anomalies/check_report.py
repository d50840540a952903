"""Checked documents, and the table of their findings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, overload

from permutopic.anomalies.corpus_report import CorpusReport, summarize_checks
from permutopic.anomalies.document_check import FINDING_COLUMNS, DocumentCheck
from permutopic.results.table import Table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from permutopic.anomalies.checking import Checker


class CheckReport(Sequence[DocumentCheck]):
    """A sequence of checked documents.

    Parameters
    ----------
    checks
        The documents, in their order.
    checker
        The checker that they were checked by.
    """

    def __init__(self, checks: Iterable[DocumentCheck], checker: Checker) -> None:
        self._checks = tuple(checks)
        self.checker = checker

    @overload
    def __getitem__(self, index: int) -> DocumentCheck: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[DocumentCheck, ...]: ...
    def __getitem__(self, index: int | slice) -> DocumentCheck | tuple[DocumentCheck, ...]:
        return self._checks[index]

    def __len__(self) -> int:
        return len(self._checks)

    def __repr__(self) -> str:
        n_anomalous = sum(bool(each.findings) for each in self)
        return f"<CheckReport: {n_anomalous} of {len(self)} documents have findings>"

    def table(self) -> Table:
        """Return one row a finding; topic positions and the template's entries come last."""
        return finding_table(lambda: self, self.checker)

    def summary(self, n_most: int = 3) -> CorpusReport:
        """Summarise the documents; `n_most` is the number of those named for deviating most."""
        return summarize_checks(self.checker.positions, self, n_most)


def finding_table(checks: Callable[[], Iterable[DocumentCheck]], checker: Checker) -> Table:
    """Make the table of the findings in documents, which are checked one by one at every pass.

    Documents are numbered from 1. One without findings has rows for its neighbours only.
    """

    def rows() -> Iterator[dict[str, object]]:
        for document, check in enumerate(checks(), 1):
            yield from check.rows(document)
        yield from (position.row() for position in checker.positions)
        if checker.match is not None:
            yield from checker.match.rows(checker.usage)

    return Table(FINDING_COLUMNS, rows)
