"""What the benchmark of the rivals counts as the same, as a fall, or as missed."""

from __future__ import annotations

import gzip
import json

import numpy as np
import pytest
import rivals

from permutopic import Corpus
from permutopic.baselines import bayesseg, textseg
from permutopic.baselines.local_tokens import local_tokens
from permutopic.baselines.segment_kernels import best_segmentation, segment_costs_from
from permutopic.results.prediction import Prediction

PARAGRAPHS = [["sea salt sea", "salt sea", "snow hill", "hill snow hill"], ["a b", "a", "c c"]]


@pytest.fixture
def corpus():
    return Corpus.from_paragraphs(PARAGRAPHS, titles=["2", "4"], tokens="whitespace")


def cut(corpus, *ends, cost=(10.0, 20.0)):
    costs = {"cost": np.array(cost)}
    return Prediction.from_ends(ends, corpus.document_offsets, by_document=costs)


def test_documents_with_other_ends_are_not_the_same(corpus):
    stored = {"4": {"ends": [2, 3], "cost": 20.0}, "2": {"ends": [2, 4], "cost": 10.0}}
    alike = rivals.compare_with_original(corpus, cut(corpus, [2, 4], [2, 3]), stored)
    assert alike == (2, 2, 0, 0.0)
    other = rivals.compare_with_original(
        corpus, cut(corpus, [2, 4], [1, 3], cost=(10, 20.2)), stored
    )
    assert other[:3] == (2, 1, 0)
    assert other.cost == pytest.approx(0.01)


def test_documents_that_nothing_is_stored_for_do_not_count(corpus):
    stored = {"4": {"ends": [2, 3]}}
    assert rivals.compare_with_original(corpus, cut(corpus, [1, 4], [2, 3]), stored) == (
        1,
        1,
        0,
        0.0,
    )


def test_only_other_ends_that_score_the_same_are_ties(corpus):
    stored = {"2": {"ends": [2, 4]}, "4": {"ends": [2, 3]}}
    found = cut(corpus, [1, 4], [1, 3])

    def score(document, ends):
        return 1.0 if document == 0 else float(ends[0])

    assert rivals.compare_with_original(corpus, found, stored, score)[:3] == (2, 0, 1)
    assert rivals.compare_with_original(corpus, found, stored)[:3] == (2, 0, 0)


def test_segments_of_a_tie_are_scored_as_bayesseg_scores_them(corpus):
    found = bayesseg.predict(corpus, prior=rivals.PRIOR, n_segments=2)
    for document in range(2):
        score = rivals.bayesseg_score(corpus, document, found.ends(document).tolist())
        assert score == pytest.approx(found.by_document["log_likelihood"][document], rel=1e-12)


def test_errors_stand_before_those_of_the_original(corpus):
    headings = ("Sea", "Sea", "Hills", "Hills", "A", "A", "C")
    known = rivals.replace(corpus, headings=headings)
    right = rivals.error_columns(known, cut(corpus, [2, 4], [2, 3]), (0.25, 0.5, 5.5))
    assert right == ("0.0000 (0.2500)", "0.0000 (0.5000)", "2.0 (5.5)")
    wrong = rivals.error_columns(known, cut(corpus, [4], [3]), (0.25, 0.5))
    assert float(wrong[0].split()[0]) > 0
    assert wrong[2] == "1.0 (as told)"


def test_verdicts_say_by_how_much_a_target_is_missed():
    report = rivals.Report()
    judged = [
        report.judge("a", 0.25, 0.25, at_most=True),
        report.judge("b", 0.5, 0.25, at_most=True),
        report.judge("c", 0.5, 0.75, at_most=False),
        report.judge("d", float("nan"), 1, at_most=True),
    ]
    assert judged == ["ok", "MISSED by 0.25", "MISSED by 0.25", "MISSED by nan"]
    report.skip("stems", "no stemmer")
    assert report.summary().splitlines() == [
        "1 of 4 targets met",
        "MISSED: b",
        "MISSED: c",
        "MISSED: d",
        "NOT RUN: stems",
    ]


def test_figures_of_numpy_are_kept_as_plain_ones():
    report = rivals.Report()
    report.judge("a", np.float64(0.5), np.int64(1), at_most=True)
    assert json.loads(json.dumps(report.as_dict()))["figures"] == [
        {"name": "a", "value": 0.5, "limit": 1.0, "at_most": True, "ok": True}
    ]


def test_tables_are_markdown_and_are_kept(capsys):
    report = rivals.Report()
    report.table("Both", "one; two", [["1", "2"]])
    assert capsys.readouterr().out == "\nBoth\n\n| one | two |\n| --- | --- |\n| 1 | 2 |\n"
    kept = json.loads(json.dumps(report.as_dict()))["tables"]
    assert kept == [{"title": "Both", "columns": ["one", "two"], "rows": [["1", "2"]]}]


@pytest.mark.parametrize(
    ("trace", "fall"), [([-4, -2, -2.5, -1], 0.25), ([-3, -2, -2, -1], 0), ([2, 1, 4], 0.5)]
)
def test_an_objective_that_falls_anywhere_is_noticed(trace, fall):
    assert rivals.largest_decrease(trace) == fall


def test_a_spread_needs_several_values():
    assert rivals.mean_and_std([0.1, 0.3]) == "0.200 ± 0.141"
    assert rivals.mean_and_std([0.1]) == "0.100"


def test_the_first_half_is_the_beginning_of_the_whole():
    whole = rivals.generated_corpus(6, 5, 50)
    half = rivals.first_half(whole)
    assert (half.n_documents, half.n_units, half.n_tokens) == (3, 15, 15 * 80)
    assert np.array_equal(half.words, whole.words[: half.n_tokens])
    assert half.headings == whole.headings[:15]


def test_the_median_counts_and_the_first_turn_does_not(monkeypatch):
    times = iter([90.0, 1.0, 3.0, 5.0, 4.0, 1.0, 8.0, 9.0])
    monkeypatch.setattr(rivals, "seconds", lambda job: next(times))
    assert rivals.medians({"a": int, "b": int}, 3) == {"a": 4.0, "b": 5.0}


def test_what_is_uncompiled_is_so_to_the_bottom(corpus):
    plain = rivals.uncompiled(best_segmentation)
    assert not hasattr(plain.__globals__["segment_costs_from"], "py_func")
    assert hasattr(segment_costs_from, "py_func")  # the package keeps its own
    tokens = local_tokens(corpus, 0)
    ends, cost = plain(tokens, textseg.segment_costs(tokens), 2)
    assert ends.tolist() == [2, 4]
    assert cost == pytest.approx(textseg.predict(corpus, n_segments=2).by_document["cost"][0])


def test_another_result_of_the_source_is_noticed(monkeypatch):
    monkeypatch.setattr(rivals, "uncompiled", lambda function: lambda *work: ([9], 1.0))
    with pytest.raises(AssertionError, match="compiled and source differ"):
        rivals.compilation_speedups(4, 1)


def test_all_tables_of_speed_have_a_row_for_each_thing():
    grown = rivals.growth(4, 2, 1)
    assert len(grown) == 8
    assert all(float(row[2]) > 0 for row in grown)
    assert len(rivals.compilation_speedups(4, 1)) == 4
    rows = rivals.search_costs((2, 3), 2, 4, 1, clear=True)
    assert [(row[1], row[4], row[7]) for row in rows] == [
        ("2", "8", "4 of 4"),
        ("3", "16", "4 of 4"),
    ]


def test_clear_pieces_have_one_state_that_fits_them_best():
    for pieces, _, chain in rivals.ordering_problems(5, 4, 3, clear=True):
        assert np.exp(chain).sum(axis=1) == pytest.approx(1.04)
        best = pieces.reshape(5, -1).argmax(axis=1)
        assert np.array_equal(best // 4, best % 4)


COAST, HILLS = ["sea salt sea sand", "salt sea sand"], ["snow hill", "hill snow ice"]


def original_of(paragraphs):
    """What the originals would have given for a document, for all that is tested here."""
    corpus = Corpus.from_paragraphs([paragraphs], tokens="whitespace")
    given, auto = textseg.predict(corpus, n_segments=2), textseg.predict(corpus, auto=True)
    textsegs = {
        mode: {"ends": found.ends(0).tolist(), "cost": found.by_document["cost"][0]}
        for mode, found in (("textseg_given", given), ("textseg_auto", auto))
    }
    bayes = bayesseg.predict(corpus, prior=0.2, n_segments=2)
    return {**textsegs, "bayesseg_prior0.2": {"ends": bayes.ends(0).tolist()}}


@pytest.fixture
def folder(tmp_path):
    """Two corpora of three documents, and what the originals gave for one of each."""
    (tmp_path / "corpora").mkdir()
    (tmp_path / "reference").mkdir()
    stored = {}
    for name, hills in (("cities_paper", HILLS), ("elements_paper", [*HILLS, "ice hill ice"])):
        lines = []
        for title, more in (("1", " one"), ("2", ""), ("3", " two")):
            sections = [
                {"heading": heading, "paragraphs": [paragraph + more for paragraph in paragraphs]}
                for heading, paragraphs in (("Coast", COAST), ("Hills", hills))
            ]
            lines.append(json.dumps({"title": title, "sections": sections}))
        packed = gzip.compress("\n".join(lines).encode())
        (tmp_path / f"corpora/{name}.jsonl.gz").write_bytes(packed)
        stored[name] = {"2": original_of([*COAST, *hills])}
    (tmp_path / "reference/segmentations.json").write_text(json.dumps(stored), encoding="utf-8")
    return tmp_path


def test_originals_are_judged_and_a_miss_sets_the_exit_code(folder, capsys, monkeypatch):
    kept = folder / "figures.json"
    asked = [str(folder), "--only", "originals", "--seeds", "0", "1", "--json", str(kept)]
    # That corpus has twelve units: with as many clusters as differ, I2 is 12.
    key = ("cities_paper", "raw", 10)
    monkeypatch.setattr(rivals, "CLUTO", dict.fromkeys(rivals.CLUTO, (0.2, 0.2, 0.2)))
    monkeypatch.setattr(rivals, "CLUTO_I2", {key: 12.0})
    assert rivals.main(asked) == 0
    figures = json.loads(kept.read_text(encoding="utf-8"))["figures"]
    assert sum("seg" in figure["name"] for figure in figures) == 10  # ends thrice, costs twice
    assert sum("CLUTO" in figure["name"] for figure in figures) >= 5
    capsys.readouterr()
    monkeypatch.setattr(rivals, "CLUTO_I2", {key: 12.2})
    assert rivals.main(asked) == 1
    shown = capsys.readouterr().out.splitlines()
    assert [line for line in shown if line.startswith("MISSED")] == [
        "MISSED: clustering, cities_paper, raw, K=10: least I2 over CLUTO's"
    ]


@pytest.mark.parametrize(
    ("mode", "change", "missed"),
    [
        ("textseg_given", {"ends": [1, 5]}, "textseg, elements_paper: documents cut the same"),
        ("textseg_auto", {"cost": 1.0}, "textseg-auto, elements_paper: cost, relative difference"),
        ("bayesseg_prior0.2", {"ends": [3, 5]}, "bayesseg 0.2, elements_paper: documents cut"),
    ],
)
def test_one_document_cut_otherwise_is_a_miss(folder, mode, change, missed):
    path = folder / "reference/segmentations.json"
    stored = json.loads(path.read_text(encoding="utf-8"))
    stored["elements_paper"]["2"][mode] |= change
    path.write_text(json.dumps(stored), encoding="utf-8")
    report = rivals.Report()
    rivals.segmenters(folder, "elements_paper", report)
    assert len(report.missed()) == 1
    assert report.missed()[0].startswith(missed)


def test_htmm_is_held_to_never_falling(folder, capsys, monkeypatch):
    asked = [str(folder), "--only", "htmm", "--seeds", "0"]
    assert rivals.main(asked) == 0
    assert "8 of 8 targets met" in capsys.readouterr().out
    monkeypatch.setattr(rivals, "largest_decrease", lambda trace: 1e-9)
    assert rivals.main(asked) == 1
