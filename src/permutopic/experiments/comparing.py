"""Methods compared on one corpus: scores, spread over seeds, seconds, and which differ from ours.

A star asks for two things: that the difference would hold for other documents (approximate
randomization, with each document's rows averaged over a method's seeds) and for other seeds
(Welch's t on the scores by seed). Documents alone would not do: a seed's luck is shared by all
documents, and a test over them takes it for merit, averaged or not.
"""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from permutopic.checks import check_integer
from permutopic.corpus import Corpus
from permutopic.corpus.parts import take_documents
from permutopic.errors import InputError, InputWarning
from permutopic.experiments.methods import METHODS, find_method
from permutopic.extras import MissingExtraError
from permutopic.metrics.alignment import score_alignment
from permutopic.metrics.by_document import (
    alignment_by_document,
    alignment_f,
    mean_pk,
    mean_windowdiff,
    segmentation_by_document,
)
from permutopic.metrics.randomization import randomization_test
from permutopic.metrics.seeds import seed_test
from permutopic.metrics.segmentation import check_convention
from permutopic.results.prediction import segment_ends

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from permutopic.experiments.method import Method
    from permutopic.results.prediction import Prediction

SCORES = ("recall", "precision", "f", "pk", "windowdiff", "segments", "seconds")
TESTED = {"f": alignment_f, "pk": mean_pk, "windowdiff": mean_windowdiff}
OURS = "full"
_ALIGNMENT = ("recall", "precision", "f")
_P_VALUES = ("p", "p_documents", "p_seeds")
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
    told
        Whether it was told how many segments the reference has.
    by_seed
        For each of `SCORES` one number a seed; without those it has not.
    tables
        Rows of documents, averaged over seeds.
    p_values
        For each of `TESTED`, of the difference to ours, over documents and over seeds; none for
        ours. The second is None where neither side has more than one run.
    measures
        What the method told of itself with each seed.
    """

    method: Method
    seeds: tuple[int, ...]
    told: bool
    by_seed: dict[str, tuple[float, ...]]
    tables: Tables
    p_values: dict[str, tuple[float, float | None]]
    measures: tuple[dict[str, float], ...]

    def mean(self, score: str) -> float | None:
        """Give the mean over seeds."""
        values = self.by_seed.get(score)
        return None if values is None else float(np.mean(values))

    def spread(self, score: str) -> float | None:
        """Give the standard deviation over seeds, None with one seed."""
        values = self.by_seed.get(score, ())
        return float(np.std(values, ddof=1)) if len(values) > 1 else None

    def p_value(self, score: str) -> float | None:
        """Give the larger of the two p-values of a difference to ours, None for ours."""
        if score not in self.p_values:
            return None
        return max(p for p in self.p_values[score] if p is not None)

    def stars(self, score: str) -> str:
        """Mark a difference to ours: * if both p-values are below .05, ** if below .01."""
        return stars_of(self.p_value(score))


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
            if score in TESTED:
                columns |= {f"{score}_{name}": float for name in _P_VALUES}
        by_seed = {f"{score}_by_seed": list[float] for score in SCORES}
        kinds = {name: type(value) for name, value in self.settings.items()}
        return {**columns, **by_seed, **kinds}

    def rows(self) -> list[dict[str, object]]:
        """Give one row a method, for tables."""
        return [
            {
                "method": each.method.name,
                "group": each.method.group,
                "told": each.told,
                "seeds": list(each.seeds),
                **{score: each.mean(score) for score in SCORES},
                **{f"{score}_sd": each.spread(score) for score in SCORES},
                **_p_cells(each),
                **{
                    f"{score}_by_seed": list(each.by_seed[score]) if score in each.by_seed else None
                    for score in SCORES
                },
                **self.settings,
            }
            for each in self.methods
        ]


def stars_of(p_value: float | None) -> str:
    """Mark what is below .05 by *, below .01 by **.

    >>> stars_of(0.03), stars_of(0.009), stars_of(None)
    ('*', '**', '')
    """
    if p_value is None:
        return ""
    return next((stars for limit, stars in _STARS if p_value < limit), "")


def _p_cells(each: Compared) -> dict[str, object]:
    cells: dict[str, object] = {}
    for score in TESTED:
        values = (each.p_value(score), *each.p_values.get(score, (None, None)))
        cells |= {f"{score}_{name}": p for name, p in zip(_P_VALUES, values, strict=True)}
    return cells


def choose_methods(
    names: str | Sequence[str], n_topics: int, settings: dict[str, dict[str, Any]] | None = None
) -> tuple[list[Method], dict[str, str]]:
    """Look methods up; "all" are all whose libraries are there, and the others with the reason.

    >>> [method.name for method in choose_methods(["textseg", "full"], 10)[0]]
    ['textseg', 'full']
    """
    settings = settings or {}
    names = [names] if isinstance(names, str) else names
    for name in settings:
        find_method(name)
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
    methods: str | Sequence[str] = "all",
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
        Names, or "all". Ours ("full") is run whether named or not: it is what others differ from,
        and comes first; the others come as they stand in `METHODS`.
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
    check_integer(n_seeds, "n_seeds", 1)
    check_convention(convention)
    if not isinstance(corpus, Corpus):
        raise InputError(f"a Corpus is compared on, not {type(corpus).__name__}")
    headings = corpus.reference(reference)
    chosen, missing = choose_methods(methods, n_topics, settings)
    named = {each.name for each in chosen} | {OURS}
    ordered = [each for each in METHODS.values() if each.name in named]
    ordered.sort(key=lambda each: each.name != OURS)
    n_runs = sum(n_seeds if each.by_chance else 1 for each in ordered)
    found: list[Compared] = []
    run = 0
    few = _first_documents(corpus, n_topics)
    for method in ordered:
        given = dict((settings or {}).get(method.name, {}))
        told = _is_told(method, given)
        if told:
            given.setdefault("reference", reference)
        seeds = tuple(range(n_seeds)) if method.by_chance else (0,)
        timed = []
        for seed in seeds:
            run += 1
            if on_run is not None:
                on_run(RunInfo(run, n_runs, method.name, seed))
            if seed == seeds[0]:
                with warnings.catch_warnings():  # about documents that are not the user's corpus
                    warnings.simplefilter("ignore", InputWarning)
                    method.predict(few, n_topics, seed, **given)
            started = time.perf_counter()
            prediction = method.predict(corpus, n_topics, seed, **given)
            seconds = time.perf_counter() - started
            # Embeddings are made once for all seeds; each run says what that spared it.
            seconds += prediction.measures.get("recalled_seconds", 0.0)
            timed.append((seconds, prediction))
        found.append(
            _scored(method, seeds, told, timed, corpus, headings, reference, convention, found[:1])
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


def _is_told(method: Method, given: dict[str, Any]) -> bool:
    """Tell whether a method takes the number of segments from the reference."""
    wanted = given.get("n_segments")
    return method.told if wanted is None else isinstance(wanted, str) and wanted == "reference"


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
    enough = max(int(np.searchsorted(units, 4 * n_topics)) + 1, 2)
    return take_documents(corpus, np.arange(min(enough, corpus.n_documents)))


def _scored(
    method: Method,
    seeds: tuple[int, ...],
    told: bool,
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
            "pk": float(mean_pk(segmentation)),
            "windowdiff": float(mean_windowdiff(segmentation)),
            "segments": float(np.mean(sizes)),
            "seconds": seconds,
        }
        if method.aligns:
            aligned.append(alignment_by_document(headings, prediction))
            alignment = score_alignment(headings, prediction.topics)
            scores |= {name: getattr(alignment, name) for name in _ALIGNMENT}
        for name, value in scores.items():
            by_seed.setdefault(name, []).append(value)
    found = Compared(
        method,
        seeds,
        told,
        {name: tuple(values) for name, values in by_seed.items()},
        Tables(np.mean(aligned, axis=0) if aligned else None, np.mean(segmented, axis=0)),
        {},
        tuple(dict(prediction.measures) for _, prediction in timed),
    )
    return replace(found, p_values=_p_values(found, ours[0])) if ours else found


def _p_values(theirs: Compared, ours: Compared) -> dict[str, tuple[float, float | None]]:
    found = {}
    for score, statistic in TESTED.items():
        first, second = theirs.tables.of(score), ours.tables.of(score)
        if first is not None and second is not None:
            over_documents = randomization_test(first, second, statistic, vectorized=True).p_value
            over_seeds = seed_test(theirs.by_seed[score], ours.by_seed[score])
            found[score] = (over_documents, over_seeds)
    return found
