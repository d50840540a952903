"""Methods compared on one corpus: scores, spread over seeds, seconds, and which differ from ours.

A star needs more than one lucky run. Two seeds of one method can differ "significantly" by a test
over documents alone, for the test knows nothing of seeds. So a document's rows are averaged over a
method's seeds first, and the averages of two methods are what approximate randomization swaps.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from permutopic.checks import check_whole
from permutopic.corpus.parts import take_documents
from permutopic.errors import InputError
from permutopic.experiments.methods import METHODS, find_method
from permutopic.extras import MissingExtraError
from permutopic.metrics.alignment import score_alignment
from permutopic.metrics.by_document import (
    alignment_by_document,
    f_of,
    pk_of,
    segmentation_by_document,
    windowdiff_of,
)
from permutopic.metrics.randomization import randomization_test
from permutopic.metrics.segmentation import check_convention
from permutopic.prediction import segment_ends

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from permutopic.corpus import Corpus
    from permutopic.experiments.method import Method
    from permutopic.prediction import Prediction

SCORES = ("recall", "precision", "f", "pk", "windowdiff", "segments", "seconds")
TESTED = {"f": f_of, "pk": pk_of, "windowdiff": windowdiff_of}
OURS = "full"
_ALIGNMENT = ("recall", "precision", "f")
_STARS = ((0.01, "**"), (0.05, "*"))


class RunInfo(NamedTuple):
    """Which run begins: the n-th of how many, of which method, with which seed."""

    run: int
    n_runs: int
    method: str
    seed: int


class Tables(NamedTuple):
    """One row a document: units and hits, None where a method aligns nothing; Pk and WindowDiff."""

    alignment: NDArray[np.float64] | None
    segmentation: NDArray[np.float64]

    def of(self, score: str) -> NDArray[np.float64] | None:
        """Give the table that a score is made of."""
        return self.alignment if score == "f" else self.segmentation


@dataclass(frozen=True, eq=False)
class Compared:
    """One method: what it scored with each seed, and how it differs from ours.

    Attributes
    ----------
    method, seeds
        The method; the seeds it was run with, one where chance has no part in it.
    by_seed
        For each of `SCORES` one number a seed; without those it has not.
    tables
        Rows of documents, averaged over seeds.
    p_values
        For each of `TESTED`, of the difference to ours; none for ours.
    measures
        What the method told of itself with each seed.
    """

    method: Method
    seeds: tuple[int, ...]
    by_seed: dict[str, tuple[float, ...]]
    tables: Tables
    p_values: dict[str, float]
    measures: tuple[dict[str, float], ...]

    def mean(self, score: str) -> float | None:
        """Give the mean over seeds."""
        values = self.by_seed.get(score)
        return None if values is None else float(np.mean(values))

    def spread(self, score: str) -> float | None:
        """Give the standard deviation over seeds, None with one seed."""
        values = self.by_seed.get(score, ())
        return float(np.std(values, ddof=1)) if len(values) > 1 else None

    def stars(self, score: str) -> str:
        """Mark a difference to ours: * for p < .05, ** for p < .01."""
        p_value = self.p_values.get(score, 1.0)
        return next((stars for limit, stars in _STARS if p_value < limit), "")


@dataclass(frozen=True, eq=False)
class Comparison:
    """Methods side by side, and what was left out for lack of a library."""

    methods: tuple[Compared, ...]
    missing: dict[str, str]
    settings: dict[str, Any]

    @property
    def columns(self) -> dict[str, Any]:
        """Name the columns of `rows`, with their kinds."""
        columns: dict[str, Any] = {"method": str, "group": str, "told": bool, "seeds": list[int]}
        for score in SCORES:
            columns |= {score: float, f"{score}_sd": float}
            columns |= {f"{score}_p": float} if score in TESTED else {}
        by_seed = {f"{score}_by_seed": list[float] for score in SCORES}
        kinds = {name: type(value) for name, value in self.settings.items()}
        return {**columns, **by_seed, **kinds}

    def rows(self) -> list[dict[str, object]]:
        """Give one row a method, for tables."""
        return [
            {
                "method": each.method.name,
                "group": each.method.group,
                "told": each.method.told,
                "seeds": list(each.seeds),
                **{score: each.mean(score) for score in SCORES},
                **{f"{score}_sd": each.spread(score) for score in SCORES},
                **{f"{score}_p": each.p_values.get(score) for score in TESTED},
                **{
                    f"{score}_by_seed": list(each.by_seed[score]) if score in each.by_seed else None
                    for score in SCORES
                },
                **self.settings,
            }
            for each in self.methods
        ]


def choose_methods(
    names: Sequence[str], n_topics: int, settings: dict[str, dict[str, Any]] | None = None
) -> tuple[list[Method], dict[str, str]]:
    """Look methods up; "all" are all whose libraries are there, and the others with the reason.

    >>> [method.name for method in choose_methods(["textseg", "full"], 10)[0]]
    ['textseg', 'full']
    """
    settings = settings or {}
    chosen: dict[str, Method] = {}
    missing: dict[str, str] = {}
    for name in names:
        for each in METHODS.values() if name == "all" else [find_method(name)]:
            try:
                each.check(n_topics, 0, **settings.get(each.name, {}))
            except MissingExtraError as error:
                if name != "all":
                    raise
                missing[each.name] = str(error)
            else:
                chosen[each.name] = each
    if not chosen:
        raise InputError("no method is named: give some, or all")
    return list(chosen.values()), missing


def compare(
    corpus: Corpus,
    n_topics: int,
    methods: Sequence[str] = ("all",),
    *,
    n_seeds: int = 5,
    reference: str = "heading",
    convention: str = "words",
    settings: dict[str, dict[str, Any]] | None = None,
    on_run: Callable[[RunInfo], None] | None = None,
) -> Comparison:
    """Run methods on a corpus with seeds 0, 1, … and score them against its headings.

    Parameters
    ----------
    methods
        Names, or "all". Ours ("full") is run whether named or not: it is what others differ from.
    reference
        "heading" or "label". Methods that are told the number of segments are told that of this
        reference.
    settings
        What a method is to be called with, by its name.
    on_run
        Called before each run.

    Notes
    -----
    Seconds are those of `predict`, on the clock. Each method is run on the first few documents
    before, so that nothing is compiled or loaded while the clock runs.
    """
    check_whole(n_seeds, "n_seeds", 1)
    check_convention(convention)
    headings = corpus.reference(reference)
    chosen, missing = choose_methods(methods, n_topics, settings)
    ours = next((each for each in chosen if each.name == OURS), None)
    ordered = [find_method(OURS), *(each for each in chosen if each is not ours)]
    n_runs = sum(n_seeds if each.by_chance else 1 for each in ordered)
    found: list[Compared] = []
    run = 0
    few = _first_documents(corpus, n_topics)
    for method in ordered:
        given = dict((settings or {}).get(method.name, {}))
        if "reference" in method.settings:
            given.setdefault("reference", reference)
        seeds = tuple(range(n_seeds)) if method.by_chance else (0,)
        timed = []
        for seed in seeds:
            run += 1
            if on_run is not None:
                on_run(RunInfo(run, n_runs, method.name, seed))
            if seed == seeds[0]:
                method.predict(few, n_topics, seed, **given)
            started = time.perf_counter()
            prediction = method.predict(corpus, n_topics, seed, **given)
            seconds = time.perf_counter() - started
            # Embeddings are made once for all seeds; each run says what that spared it.
            seconds += prediction.measures.get("recalled_seconds", 0.0)
            timed.append((seconds, prediction))
        found.append(
            _scored(method, seeds, timed, corpus, headings, reference, convention, found[:1])
        )
    facts = {
        "n_topics": n_topics,
        "reference": reference,
        "convention": convention,
        "reference_segments": _reference_segments(corpus, headings),
        "n_documents": corpus.n_documents,
        "n_units": corpus.n_units,
        "tokens": str(corpus.tokens),
        "corpus_fingerprint": corpus.fingerprint,
    }
    return Comparison(tuple(found), missing, facts)


def _reference_segments(corpus: Corpus, headings: tuple[str, ...]) -> float:
    """Count segments a document."""
    sizes = [
        segment_ends(headings[corpus.units_of(document)]).size
        for document in range(corpus.n_documents)
    ]
    return float(np.mean(sizes))


def _first_documents(corpus: Corpus, n_topics: int) -> Corpus:
    """Take enough documents for any method to have something to do."""
    units = corpus.document_offsets[1:]
    enough = int(np.searchsorted(units, 4 * n_topics)) + 1
    return take_documents(corpus, np.arange(min(enough, corpus.n_documents)))


def _scored(
    method: Method,
    seeds: tuple[int, ...],
    timed: Sequence[tuple[float, Prediction]],
    corpus: Corpus,
    headings: tuple[str, ...],
    reference: str,
    convention: str,
    ours: Sequence[Compared],
) -> Compared:
    by_seed: dict[str, list[float]] = {}
    aligned, segmented = [], []
    for seconds, prediction in timed:
        segmentation = segmentation_by_document(corpus, prediction, reference, convention)
        segmented.append(segmentation)
        sizes = [prediction.ends(d).size for d in range(corpus.n_documents)]
        scores = {
            "pk": float(pk_of(segmentation)),
            "windowdiff": float(windowdiff_of(segmentation)),
            "segments": float(np.mean(sizes)),
            "seconds": seconds,
        }
        if method.aligns:
            aligned.append(alignment_by_document(headings, prediction))
            alignment = score_alignment(headings, prediction.topics)
            scores |= {name: getattr(alignment, name) for name in _ALIGNMENT}
        for name, value in scores.items():
            by_seed.setdefault(name, []).append(value)
    tables = Tables(np.mean(aligned, axis=0) if aligned else None, np.mean(segmented, axis=0))
    return Compared(
        method,
        seeds,
        {name: tuple(values) for name, values in by_seed.items()},
        tables,
        _p_values(tables, ours[0].tables) if ours else {},
        tuple(dict(prediction.measures) for _, prediction in timed),
    )


def _p_values(theirs: Tables, ours: Tables) -> dict[str, float]:
    found = {}
    for score, statistic in TESTED.items():
        first, second = theirs.of(score), ours.of(score)
        if first is not None and second is not None:
            test = randomization_test(first, second, statistic, vectorized=True)
            found[score] = test.p_value
    return found
