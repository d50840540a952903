"""Comparison of methods on one corpus: scores, standard deviations over seeds, times, p-values.

A difference from our model gets a star if two tests agree: approximate randomization over documents
(with the rows of each document averaged over the seeds of a method), and Welch's t over seeds. The
test over documents alone is not enough: the effect of a seed is common to all documents, and such a
test attributes it to the method, averaged or not.
"""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from permutopic.baselines.segment_counts import reference_counts
from permutopic.checks import check_integer
from permutopic.corpus import Corpus
from permutopic.corpus.parts import take_documents
from permutopic.errors import InputError, InputWarning, Parameter
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
    """The run that begins: its number from 1, the number of runs, the method and the seed."""

    run: int
    n_runs: int
    method: str
    seed: int


class DocumentScores(NamedTuple):
    """Tables with one row per document, of `alignment_by_document` and `segmentation_by_document`.

    `alignment` is None for a method that only segments.
    """

    alignment: NDArray[np.float64] | None
    segmentation: NDArray[np.float64]

    def table_for(self, score: str) -> NDArray[np.float64] | None:
        """Return the table from which a score is computed."""
        return self.alignment if score == "f" else self.segmentation


@dataclass(frozen=True, eq=False)
class MethodScores:
    """Scores of one method by seed, and p-values of the difference from our model.

    Attributes
    ----------
    method, seeds
        The method; the seeds of its runs, a single one if it is deterministic.
    uses_reference_count
        Whether it was given the number of segments of the reference.
    by_seed
        For each of `SCORES` that the method has, one number per seed.
    tables
        Scores by document, averaged over seeds.
    p_values
        For each of `TESTED`, p-values over documents and over seeds; empty for our model. The
        second is None if both sides have a single run.
    measures
        The prediction's `measures` for each seed.
    """

    method: Method
    seeds: tuple[int, ...]
    uses_reference_count: bool
    by_seed: dict[str, tuple[float, ...]]
    tables: DocumentScores
    p_values: dict[str, tuple[float, float | None]]
    measures: tuple[dict[str, float], ...]

    def mean(self, score: str) -> float | None:
        """Return the mean over seeds, None for a score that the method lacks."""
        values = self.by_seed.get(score)
        return None if values is None else float(np.mean(values))

    def std(self, score: str) -> float | None:
        """Return the standard deviation over seeds, None with one seed."""
        values = self.by_seed.get(score, ())
        return float(np.std(values, ddof=1)) if len(values) > 1 else None

    def p_value(self, score: str) -> float | None:
        """Return the larger of the two p-values, None for our model."""
        if score not in self.p_values:
            return None
        return max(p for p in self.p_values[score] if p is not None)

    def stars(self, score: str) -> str:
        """Return * if both p-values are below .05, ** if below .01."""
        return significance_stars(self.p_value(score))


@dataclass(frozen=True, eq=False)
class Comparison:
    """Scores of all methods; `missing` maps methods to the reason why they were not run."""

    methods: tuple[MethodScores, ...]
    missing: dict[str, str]
    settings: dict[str, Any]

    @property
    def columns(self) -> dict[str, Any]:
        """Names and types of the columns of `rows`."""
        columns: dict[str, Any] = {"method": str, "group": str, "told": bool, "seeds": list[int]}
        for score in SCORES:
            columns |= {score: float, f"{score}_sd": float}
            if score in TESTED:
                columns |= {f"{score}_{name}": float for name in _P_VALUES}
        by_seed = {f"{score}_by_seed": list[float] for score in SCORES}
        kinds = {name: type(value) for name, value in self.settings.items()}
        return {**columns, **by_seed, **kinds}

    def rows(self) -> list[dict[str, object]]:
        """Return one row per method."""
        return [
            {
                "method": each.method.name,
                "group": each.method.group,
                "told": each.uses_reference_count,
                "seeds": list(each.seeds),
                **{score: each.mean(score) for score in SCORES},
                **{f"{score}_sd": each.std(score) for score in SCORES},
                **_p_cells(each),
                **{
                    f"{score}_by_seed": list(each.by_seed[score]) if score in each.by_seed else None
                    for score in SCORES
                },
                **self.settings,
            }
            for each in self.methods
        ]


def significance_stars(p_value: float | None) -> str:
    """Return * for a p-value below .05, ** below .01.

    >>> significance_stars(0.03), significance_stars(0.009), significance_stars(None)
    ('*', '**', '')
    """
    if p_value is None:
        return ""
    return next((stars for limit, stars in _STARS if p_value < limit), "")


def _p_cells(each: MethodScores) -> dict[str, object]:
    cells: dict[str, object] = {}
    for score in TESTED:
        values = (each.p_value(score), *each.p_values.get(score, (None, None)))
        cells |= {f"{score}_{name}": p for name, p in zip(_P_VALUES, values, strict=True)}
    return cells


def select_methods(
    names: str | Sequence[str], n_topics: int, settings: dict[str, dict[str, Any]] | None = None
) -> tuple[list[Method], dict[str, str]]:
    """Look up methods by name; "all" are those whose libraries are installed.

    Returns the methods, and the reason for each method that "all" leaves out.

    >>> [method.name for method in select_methods(["textseg", "full"], 10)[0]]
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
        raise InputError("no method is named in ", Parameter("methods"), ": give some, or all")
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
        Names, or "all". Our model ("full") is always run, and comes first; the others follow in
        the order of `METHODS`.
    reference
        "heading" or "label". Also gives the number of segments to methods that need it.
    settings
        Keyword arguments by method name.
    on_run
        Called before each run.

    Notes
    -----
    Seconds are the wall-clock time of `predict`. Each method is first run on a few documents, so
    that compilation and loading are not measured.
    """
    check_integer(n_seeds, "n_seeds", 1)
    check_convention(convention)
    if not isinstance(corpus, Corpus):
        raise InputError(f"a Corpus is compared on, not {type(corpus).__name__}")
    headings = corpus.reference(reference)
    chosen, missing = select_methods(methods, n_topics, settings)
    named = {each.name for each in chosen} | {OURS}
    ordered = [each for each in METHODS.values() if each.name in named]
    ordered.sort(key=lambda each: each.name != OURS)
    n_runs = sum(n_seeds if each.stochastic else 1 for each in ordered)
    scored: list[MethodScores] = []
    run = 0
    warm_up = _first_documents(corpus, n_topics)
    for method in ordered:
        given = dict((settings or {}).get(method.name, {}))
        uses_count = _uses_reference_count(method, given)
        if uses_count:
            given.setdefault("reference", reference)
        seeds = tuple(range(n_seeds)) if method.stochastic else (0,)
        timed = []
        for seed in seeds:
            run += 1
            if on_run is not None:
                on_run(RunInfo(run, n_runs, method.name, seed))
            if seed == seeds[0]:
                with warnings.catch_warnings():  # a few documents are not the user's corpus
                    warnings.simplefilter("ignore", InputWarning)
                    method.predict(warm_up, n_topics, seed, **given)
            started = time.perf_counter()
            prediction = method.predict(corpus, n_topics, seed, **given)
            seconds = time.perf_counter() - started
            # Embeddings are cached over seeds; add the time that the cache saved.
            seconds += prediction.measures.get("recalled_seconds", 0.0)
            timed.append((seconds, prediction))
        scored.append(
            _score(
                method,
                seeds,
                uses_count,
                timed,
                corpus,
                headings,
                reference,
                convention,
                scored[:1],
            )
        )
    facts = {
        "n_topics": n_topics,
        "reference": reference,
        "convention": convention,
        "reference_segments": float(np.mean(reference_counts(corpus, headings))),
        "n_documents": corpus.n_documents,
        "n_units": corpus.n_units,
        "tokens": str(corpus.tokens),
        "corpus_fingerprint": corpus.fingerprint,
    }
    return Comparison(tuple(scored), missing, facts)


def _uses_reference_count(method: Method, given: dict[str, Any]) -> bool:
    """Whether a method with these settings uses the number of segments of the reference."""
    n_segments = given.get("n_segments")
    if n_segments is None:
        return method.uses_reference_count
    return isinstance(n_segments, str) and n_segments == "reference"


def _first_documents(corpus: Corpus, n_topics: int) -> Corpus:
    """Take the first documents, with about four units per topic."""
    units = corpus.document_offsets[1:]
    enough = max(int(np.searchsorted(units, 4 * n_topics)) + 1, 2)
    return take_documents(corpus, np.arange(min(enough, corpus.n_documents)))


def _score(
    method: Method,
    seeds: tuple[int, ...],
    uses_count: bool,
    timed: Sequence[tuple[float, Prediction]],
    corpus: Corpus,
    headings: tuple[str, ...],
    reference: str,
    convention: str,
    ours: Sequence[MethodScores],
) -> MethodScores:
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
    found = MethodScores(
        method,
        seeds,
        uses_count,
        {name: tuple(values) for name, values in by_seed.items()},
        DocumentScores(np.mean(aligned, axis=0) if aligned else None, np.mean(segmented, axis=0)),
        {},
        tuple(dict(prediction.measures) for _, prediction in timed),
    )
    return replace(found, p_values=_p_values(found, ours[0])) if ours else found


def _p_values(theirs: MethodScores, ours: MethodScores) -> dict[str, tuple[float, float | None]]:
    found = {}
    for score, statistic in TESTED.items():
        first, second = theirs.tables.table_for(score), ours.tables.table_for(score)
        if first is not None and second is not None:
            over_documents = randomization_test(first, second, statistic, vectorized=True).p_value
            over_seeds = seed_test(theirs.by_seed[score], ours.by_seed[score])
            found[score] = (over_documents, over_seeds)
    return found
