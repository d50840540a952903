"""Methods side by side: what is averaged, what is tested, what is left out."""

from __future__ import annotations

import warnings
from dataclasses import replace
from itertools import count
from types import SimpleNamespace

import numpy as np
import pytest

from permutopic import InputError, InputWarning
from permutopic.corpus import Corpus
from permutopic.documents import Document, Unit
from permutopic.experiments import comparing, methods
from permutopic.experiments.comparing import SCORES, compare, select_methods
from permutopic.extras import MissingExtraError
from permutopic.metrics import score_alignment, score_segmentation
from permutopic.metrics.by_document import (
    alignment_by_document,
    alignment_f,
    segmentation_by_document,
)
from permutopic.metrics.randomization import randomization_test
from permutopic.metrics.seeds import seed_test
from permutopic.results.prediction import Prediction

HEADINGS = ["Coast"] * 3 + ["Hills"] * 2 + ["Town"] * 3
CORPUS = Corpus.from_documents(
    [
        Document(f"{n}", tuple(Unit(f"word {h} w{n}", h, h[0]) for h in HEADINGS), "here")
        for n in range(12)
    ]
)


def right(corpus, n_topics, seed):
    """Give what the headings say: nothing can be better."""
    topics = np.array([["Coast", "Hills", "Town"].index(h) for h in corpus.headings])
    return Prediction(topics, corpus.document_offsets, measures={"luck": 1.0 + seed})


def noisy(corpus, n_topics, seed, *, share=0.5):
    """Give the headings with a share of topics at random."""
    random = np.random.default_rng(seed)
    truth = right(corpus, n_topics, seed).topics
    wrong = random.random(truth.size) < share
    return Prediction(
        np.where(wrong, random.integers(3, size=truth.size), truth), corpus.document_offsets
    )


def whole(corpus, n_topics, seed, *, reference):
    return Prediction.from_ends([[n] for n in corpus.document_sizes], corpus.document_offsets)


@pytest.fixture
def toys(monkeypatch):
    """Stand-ins for the methods, with "full" the best of them."""
    seen = []

    def watched(name, function):
        def run(corpus, n_topics, seed, **settings):
            seen.append((name, corpus.n_documents, n_topics, seed, settings))
            return function(corpus, n_topics, seed, **settings)

        return run

    given = {
        "full": methods.Method("full", "Right.", watched("full", right), group="ours"),
        "noisy": methods.Method(
            "noisy", "Noisy.", watched("noisy", noisy), frozenset({"share"}), group="paper"
        ),
        "whole": methods.Method(
            "whole",
            "Whole.",
            watched("whole", whole),
            frozenset({"reference"}),
            aligns=False,
            stochastic=False,
            uses_reference_count=True,
        ),
        "twin": methods.Method("twin", "Right.", watched("twin", right)),
    }
    monkeypatch.setattr(comparing, "METHODS", given)
    monkeypatch.setattr(methods, "METHODS", given)
    return seen


def by_name(comparison):
    return {each.method.name: each for each in comparison.methods}


def test_scores_are_means_over_seeds_with_their_spread(toys):
    found = by_name(compare(CORPUS, 3, ["all"], n_seeds=4))["noisy"]
    scores = [score_alignment(CORPUS.headings, noisy(CORPUS, 3, s).topics) for s in range(4)]
    for name in ("recall", "precision", "f"):
        values = [getattr(score, name) for score in scores]
        assert found.by_seed[name] == pytest.approx(values)
        assert found.mean(name) == pytest.approx(np.mean(values))
        assert found.std(name) == pytest.approx(np.std(values, ddof=1))
    ends = [[noisy(CORPUS, 3, s).ends(d) for d in range(12)] for s in range(4)]
    pk = [np.mean([score_segmentation([3, 5, 8], e, "units").pk for e in each]) for each in ends]
    in_units = compare(CORPUS, 3, ["noisy"], n_seeds=4, convention="units")
    assert by_name(in_units)["noisy"].by_seed["pk"] == pytest.approx(pk)
    assert found.by_seed["segments"] == pytest.approx([np.mean([e.size for e in s]) for s in ends])
    assert all(second > 0 for second in found.by_seed["seconds"])


def test_ours_comes_first_whether_named_or_not_and_the_others_as_they_stand(toys, monkeypatch):
    for names in (["noisy", "twin"], ["twin", "noisy", "full", "noisy"]):
        comparison = compare(CORPUS, 3, names, n_seeds=1)
        assert [each.method.name for each in comparison.methods] == ["full", "noisy", "twin"]
    monkeypatch.setattr(comparing, "METHODS", dict(reversed(comparing.METHODS.items())))
    comparison = compare(CORPUS, 3, ["noisy", "twin"], n_seeds=1)
    assert [each.method.name for each in comparison.methods] == ["full", "twin", "noisy"]
    assert comparison.methods[0].p_values == {}
    assert comparison.methods[0].measures == ({"luck": 1.0},)


def test_stars_come_from_rows_averaged_over_seeds(toys):
    found = by_name(compare(CORPUS, 3, ["all"], n_seeds=3))
    rows = [alignment_by_document(CORPUS.headings, noisy(CORPUS, 3, s)) for s in range(3)]
    ours = alignment_by_document(CORPUS.headings, right(CORPUS, 3, 0))
    expected = randomization_test(np.mean(rows, axis=0), ours, alignment_f)
    by_seed = found["noisy"].by_seed["f"]
    assert found["noisy"].p_values["f"] == (expected.p_value, seed_test(by_seed, [1.0] * 3))
    assert found["noisy"].p_value("f") == max(found["noisy"].p_values["f"])
    assert found["noisy"].stars("f") == "**"
    assert found["noisy"].stars("pk") == "**"
    assert found["twin"].p_values == {"f": (1.0, 1.0), "pk": (1.0, 1.0), "windowdiff": (1.0, 1.0)}
    assert found["twin"].stars("f") == ""
    assert found["full"].stars("f") == ""


@pytest.mark.parametrize(
    ("p_values", "stars"),
    [
        ((0.05, 0.0), ""),
        ((0.049, 0.0), "*"),
        ((0.01, 0.0), "*"),
        ((0.009, 0.0), "**"),
        ((0.0, 0.3), ""),
        ((0.0, 0.02), "*"),
        ((0.0, None), "**"),
    ],
)
def test_one_star_or_two_by_the_larger_of_two_p_values(toys, p_values, stars):
    twin = by_name(compare(CORPUS, 3, ["twin"], n_seeds=1))["twin"]
    twin.p_values["f"] = p_values
    assert twin.stars("f") == stars


def moody(corpus, n_topics, seed, *, first=0):
    """Be good or bad with the seed, in all documents alike."""
    return noisy(corpus, n_topics, seed, share=[0.1, 0.6, 0.1, 0.6][(seed + first) % 4])


def test_the_luck_of_seeds_earns_no_star(toys, monkeypatch):
    monkeypatch.setitem(comparing.METHODS, "full", methods.Method("full", "Moody.", moody))
    noise = methods.Method("noisy", "Noise.", lambda c, k, s: noisy(c, k, s, share=0.5))
    monkeypatch.setitem(comparing.METHODS, "noisy", noise)
    found = by_name(compare(CORPUS, 3, ["noisy"], n_seeds=4))["noisy"]
    over_documents, over_seeds = found.p_values["f"]
    assert over_documents < 0.05 < over_seeds
    assert found.stars("f") == ""


def test_segmenters_have_no_alignment_and_one_run_if_chance_has_no_part(toys):
    comparison = compare(CORPUS, 3, ["whole"], n_seeds=3)
    found = by_name(comparison)["whole"]
    assert found.seeds == (0,)
    assert set(found.by_seed) == {"pk", "windowdiff", "segments", "seconds"}
    assert found.mean("f") is None
    assert found.std("pk") is None
    assert set(found.p_values) == {"pk", "windowdiff"}
    row = comparison.rows()[1]
    assert row["f"] is row["f_sd"] is row["f_p"] is row["f_by_seed"] is None
    assert row["segments"] == 1.0


def test_the_clock_starts_after_a_run_on_few_documents(toys):
    compare(CORPUS, 3, ["noisy"], n_seeds=2)
    assert [(name, documents) for name, documents, *_ in toys] == [
        *[("full", 2), ("full", 12), ("full", 12)],
        *[("noisy", 2), ("noisy", 12), ("noisy", 12)],
    ]
    toys.clear()
    compare(CORPUS, 5, ["full"], n_seeds=1)  # twenty units are in three documents
    assert [documents for _, documents, *_ in toys] == [3, 12]
    toys.clear()
    compare(CORPUS, 300, ["full"], n_seeds=1)
    assert [documents for _, documents, *_ in toys] == [12, 12]


def test_two_documents_at_least_are_run_first_and_five_seeds_after(toys):
    comparison = compare(CORPUS, 2, ["whole"])
    assert [documents for name, documents, *_ in toys if name == "full"] == [2] + [12] * 5
    assert [each.seeds for each in comparison.methods] == [(0, 1, 2, 3, 4), (0,)]


def test_settings_and_the_reference_reach_the_methods(toys):
    labels = compare(
        CORPUS,
        3,
        ["noisy", "whole"],
        n_seeds=1,
        reference="label",
        settings={"noisy": {"share": 0}},
    )
    assert by_name(labels)["noisy"].mean("f") == 1.0
    given = {name: settings for name, *_, settings in toys}
    assert given == {"full": {}, "noisy": {"share": 0}, "whole": {"reference": "label"}}
    assert [each.method.name for each in labels.methods] == ["full", "noisy", "whole"]


@pytest.mark.parametrize(
    ("uses_reference_count", "given", "expected"),
    [
        (True, {}, True),
        (True, {"n_segments": None}, True),
        (True, {"n_segments": "reference"}, True),
        (True, {"n_segments": 3}, False),
        (True, {"n_segments": np.array([1, 2])}, False),
        (False, {}, False),
        (False, {"n_segments": "reference"}, True),
        (False, {"n_segments": 3}, False),
    ],
)
def test_who_is_told_the_number_of_segments_goes_by_the_settings(
    toys, monkeypatch, uses_reference_count, given, expected
):
    seen = []

    def run(corpus, n_topics, seed, **settings):
        seen.append(settings)
        return right(corpus, n_topics, seed)

    taken = frozenset({"n_segments", "reference"})
    monkeypatch.setitem(
        comparing.METHODS,
        "twin",
        methods.Method("twin", "", run, taken, uses_reference_count=uses_reference_count),
    )
    comparison = compare(CORPUS, 3, "twin", n_seeds=1, reference="label", settings={"twin": given})
    assert by_name(comparison)["twin"].uses_reference_count is expected
    assert comparison.rows()[1]["told"] is expected
    assert all(("reference" in settings) is expected for settings in seen)


def test_the_reference_is_given_to_a_method_unless_it_has_one_of_its_own(toys, monkeypatch):
    seen = []

    def run(corpus, n_topics, seed, **settings):
        seen.append(settings["reference"])
        return right(corpus, n_topics, seed)

    twin = methods.Method("twin", "", run, frozenset({"reference"}), uses_reference_count=True)
    monkeypatch.setitem(comparing.METHODS, "twin", twin)
    compare(CORPUS, 3, "twin", n_seeds=1, reference="label")
    assert set(seen) == {"label"}
    seen.clear()
    own = {"twin": {"reference": "heading"}}
    compare(CORPUS, 3, "twin", n_seeds=1, reference="label", settings=own)
    assert set(seen) == {"heading"}


def test_runs_are_told_of_before_they_begin(toys):
    told = []
    compare(CORPUS, 3, ["whole", "noisy"], n_seeds=2, on_run=told.append)
    assert [(info.run, info.method, info.seed) for info in told] == [
        (1, "full", 0), (2, "full", 1), (3, "noisy", 0), (4, "noisy", 1), (5, "whole", 0)
    ]  # fmt: skip
    assert {info.n_runs for info in told} == {5}


def test_rows_have_the_columns_and_say_what_was_compared(toys):
    comparison = compare(CORPUS, 3, ["all"], n_seeds=2)
    for row in comparison.rows():
        assert set(row) == set(comparison.columns)
    row = comparison.rows()[1]
    assert {"method": "noisy", "n_topics": 3, "reference": "heading", "seeds": [0, 1]}.items() <= (
        row.items()
    )
    assert row["tokens"] == "words"
    assert row["reference_segments"] == 3.0
    assert [name for name in SCORES if f"{name}_p" in row] == ["f", "pk", "windowdiff"]
    assert row["f_p"] == max(row["f_p_documents"], row["f_p_seeds"])


def test_tables_by_document_are_means_over_seeds(toys):
    found = by_name(compare(CORPUS, 3, ["all"], n_seeds=3))
    rows = [segmentation_by_document(CORPUS, noisy(CORPUS, 3, s)) for s in range(3)]
    assert found["noisy"].tables.segmentation == pytest.approx(np.mean(rows, axis=0))
    hits = [alignment_by_document(CORPUS.headings, noisy(CORPUS, 3, s)) for s in range(3)]
    assert found["noisy"].tables.alignment == pytest.approx(np.mean(hits, axis=0))
    assert found["whole"].tables.alignment is None


def test_seconds_are_those_of_the_prediction_alone(toys, monkeypatch):
    clock = SimpleNamespace(perf_counter=count(step=3.0).__next__)
    monkeypatch.setattr(comparing, "time", clock)
    found = compare(CORPUS, 3, ["noisy"], n_seeds=2)
    assert {each.by_seed["seconds"] for each in found.methods} == {(3.0, 3.0)}


def test_time_that_was_spared_by_what_is_kept_is_counted(toys, monkeypatch):
    def recalled(corpus, n_topics, seed):
        return replace(right(corpus, n_topics, seed), measures={"recalled_seconds": 1000.0})

    method = methods.Method("twin", "Recalls.", recalled)
    monkeypatch.setitem(comparing.METHODS, "twin", method)
    assert by_name(compare(CORPUS, 3, ["twin"], n_seeds=1))["twin"].mean("seconds") > 1000


def warn(corpus, n_topics, seed):
    warnings.warn(f"{corpus.n_documents} documents", InputWarning, stacklevel=2)
    return right(corpus, n_topics, seed)


def test_only_the_corpus_itself_is_warned_of(toys, monkeypatch):
    monkeypatch.setitem(comparing.METHODS, "twin", methods.Method("twin", "Warns.", warn))
    with pytest.warns(InputWarning) as told:
        compare(CORPUS, 3, ["twin"], n_seeds=1)
    assert [str(each.message) for each in told] == ["12 documents"]


def refuse(n_topics, seed, **settings):
    raise MissingExtraError("LDA needs the extra 'lda'")


def test_what_lacks_a_library_is_left_out_of_all_but_not_of_a_list(toys, monkeypatch):
    lacking = methods.Method("lacking", "Lacks.", right, verify=refuse)
    monkeypatch.setitem(comparing.METHODS, "lacking", lacking)
    comparison = compare(CORPUS, 3, ["all"], n_seeds=1)
    assert comparison.missing == {"lacking": "LDA needs the extra 'lda'"}
    assert "lacking" not in by_name(comparison)
    with pytest.raises(MissingExtraError, match="needs the extra"):
        select_methods(["noisy", "lacking"], 3)


def test_bad_questions_are_refused(toys):
    with pytest.raises(InputError, match="n_seeds must be"):
        compare(CORPUS, 3, n_seeds=0)
    with pytest.raises(InputError, match="no method is named"):
        select_methods([], 3)
    with pytest.raises(InputError, match="nothing to score by"):
        compare(Corpus.from_paragraphs([["a b"]]), 3)
    with pytest.raises(InputError, match="convention"):
        compare(CORPUS, 3, ["full"], convention="letters")
    assert toys == []  # before anything has run
    with pytest.raises(InputError, match="a Corpus is compared on, not list"):
        compare([["a b"]], 3)
    with pytest.raises(InputError, match="not 'typo'"):
        compare(CORPUS, 3, "noisy", settings={"typo": {}})
