"""`permutopic compare`: one table for people, CSV and JSON for machines."""

from __future__ import annotations

import csv
import io
import json
import os

import numpy as np
import pytest

from permutopic.cli import comparison_table
from permutopic.errors import InputWarning
from permutopic.experiments import comparing, methods
from permutopic.extras import MissingExtraError
from permutopic.results.prediction import Prediction

PARTS = (
    ("Coast", "salt sea waves and sand"),
    ("Hills", "snow ice rocks and goats"),
    ("Town", "hall market square and mayor"),
)


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "places.jsonl"
    lines = [
        {
            "title": str(n),
            "sections": [{"heading": h, "paragraphs": [t, f"{t} {n}", t]} for h, t in PARTS],
        }
        for n in range(10)
    ]
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return path


@pytest.fixture(autouse=True)
def toys(monkeypatch):
    """A model that is right and rivals that are not, so that no test has to wait for a fit."""
    seen = []

    def right(corpus, n_topics, seed, *, n_jobs):
        seen.append(("full", seed, n_jobs, corpus.texts[:1]))
        return Prediction(
            np.array([h in {"Hills"} for h in corpus.headings]) + 0, corpus.document_offsets
        )

    def chance(corpus, n_topics, seed):
        random = np.random.default_rng(seed)
        return Prediction(random.integers(n_topics, size=corpus.n_units), corpus.document_offsets)

    def pieces(corpus, n_topics, seed, *, reference):
        return Prediction.from_ends([[1, 9]] * corpus.n_documents, corpus.document_offsets)

    def reader(corpus, n_topics, seed, *, encoder=None):
        if corpus.locations[0] != "a trial":
            seen.append(("reader", corpus.texts[0], encoder))
        return chance(corpus, n_topics, seed)

    def lacking(n_topics, seed, **settings):
        raise MissingExtraError("LDA needs the extra 'lda': pip install 'permutopic[lda]'")

    jobs = frozenset({"n_jobs"})
    made = [
        methods.Method("full", "Right.", right, jobs, group="ours"),
        methods.Method("chance", "Chance.", chance, group="floor"),
        methods.Method(
            "pieces", "Two.", pieces, frozenset({"reference"}), group="paper",
            aligns=False, stochastic=False, uses_reference_count=True,
        ),
        methods.Method(
            "embeddings", "Reads.", reader, frozenset({"encoder"}),
            needs_texts=True, stochastic=False,
        ),
        methods.Method("lda", "Lacks.", chance, verify=lacking),
    ]  # fmt: skip
    table = {method.name: method for method in made}
    monkeypatch.setattr(methods, "METHODS", table)
    monkeypatch.setattr(comparing, "METHODS", table)
    return seen


def test_the_table_has_a_line_a_method_and_says_what_it_shows(run, corpus, toys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    code, out, err = run("compare", corpus, "-k", 3, "--seeds", 2, "--jobs", 2)
    assert code == 0
    lines = [line.split() for line in out.splitlines() if line.strip()]
    heads = ["method", "recall", "precision", "F", "Pk", "WindowDiff", "segments", "seconds"]
    assert lines[0] == heads
    shown = {line[0]: line for line in lines[1:]}
    assert shown["full"][1:4] == ["1.000±.000", ".667±.000", ".800±.000"]
    assert shown["chance"][3].endswith("*")
    assert shown["pieces†"][4].endswith("**")
    assert shown["pieces†"][1:4] == ["–"] * 3
    assert (
        "10 documents, K = 3, tokens words; against headings, Pk and WindowDiff over words" in out
    )
    assert "over 2 seeds" in out
    assert "†: given the number of segments of the reference" in out
    assert err == (
        "permutopic: note: lda is left out: LDA needs the extra 'lda': "
        "pip install 'permutopic[lda]'\n"
    )
    assert ("full", 1, 2, ("salt sea waves and sand",)) in toys
    assert max(map(len, out.splitlines())) <= 100


@pytest.mark.parametrize(
    ("columns", "heads"),
    [
        (80, "method recall prec. F Pk WD segs s"),
        (50, "method F Pk WD segs s"),
        (30, "method F Pk"),
        (10, "method F Pk"),
    ],
)
def test_a_narrow_terminal_gets_less_and_no_number_is_cut(run, corpus, monkeypatch, columns, heads):
    monkeypatch.setenv("COLUMNS", str(columns))
    out = run("compare", corpus, "-k", 3, "--seeds", 2)[1]
    table = out[: out.index("10 documents")]
    assert table.split("\n")[1].split() == heads.split()
    assert "±" not in table
    assert "…" not in table
    assert max(map(len, table.splitlines())) <= max(columns, 30)


def test_settings_reach_a_method_by_name(run, corpus, toys):
    assert run("compare", corpus, "-k", 3, "--seeds", 1, "--set", "full:n_jobs=7")[0] == 0
    assert {jobs for name, _, jobs, *_ in toys if name == "full"} == {7}


def test_labels_that_are_not_there_are_said_to_be_missing(run, corpus):
    with pytest.warns(InputWarning, match="no unit has a label: headings stand in"):
        run("compare", corpus, "-k", 3, "--seeds", 1, "--reference", "label")


def test_marks_that_are_not_used_are_not_explained(run, corpus):
    out = run("compare", corpus, "-k", 3, "--seeds", 1, "--methods", "full")[1]
    assert "†" not in out
    assert "*" not in out
    assert "–:" not in out
    assert "One seed" in out


def test_csv_json_and_a_file_hold_the_same_rows(run, corpus, tmp_path):
    arguments = ("compare", corpus, "-k", 3, "--methods", "chance,pieces", "--seeds", 3)
    as_json = [json.loads(line) for line in run(*arguments, "--json")[1].splitlines()]
    as_csv = list(csv.DictReader(io.StringIO(run(*arguments, "--csv")[1])))
    path = tmp_path / "table.jsonl"
    code, out, _ = run(*arguments, "-o", path)
    assert (code, out) == (0, f"{path}: 3 rows\n")
    written = [json.loads(line) for line in path.read_text().splitlines()]
    assert [row["method"] for row in as_json] == ["full", "chance", "pieces"]
    for first, second, third in zip(as_json, as_csv, written, strict=True):
        assert list(first) == list(second) == list(third)
        assert first["pk"] == pytest.approx(float(second["pk"])) == pytest.approx(third["pk"])
    chance = as_json[1]
    assert chance["seeds"] == [0, 1, 2]
    assert np.mean(chance["f_by_seed"]) == pytest.approx(chance["f"])
    assert np.std(chance["f_by_seed"], ddof=1) == pytest.approx(chance["f_sd"])
    assert chance["f_p"] < 0.01
    assert as_json[2]["f"] is None
    assert as_csv[2]["f"] == ""
    assert as_json[2]["told"] is True


def test_an_encoder_of_ones_own_reaches_those_that_read(run, corpus, toys, tmp_path, monkeypatch):
    (tmp_path / "own_encoder.py").write_text("def encode(texts):\n    return [[1.0]]\n")
    monkeypatch.chdir(tmp_path)
    arguments = ("compare", corpus, "-k", 3, "--methods", "embeddings", "--seeds", 1)
    assert run(*arguments, "--encoder", "own_encoder:encode")[0] == 0
    name, text, encoder = toys[-1]
    assert (name, text, encoder.__name__) == ("reader", "salt sea waves and sand", "encode")


def test_texts_are_kept_for_those_that_read_and_no_others(run, corpus, toys):
    run("compare", corpus, "-k", 3, "--methods", "chance", "--seeds", 1)
    assert {texts for *_, texts in toys} == {()}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-k", 3, "--methods", "htmm2"], "the method is one of full, chance"),
        (["-k", 3, "--methods", "chance,,full"], "--methods is a list"),
        (["-k", 3, "--methods", "lda"], "LDA needs the extra 'lda'"),
        (["-k", 3, "--seeds", 0], "--seeds must be at least 1, not 0"),
        (["-k", 1], "--topics (K) must be a whole number of at least 2"),
        (["--methods", "all"], "Missing option '-k'"),
        (["-k", 3, "--encoder", "nowhere:encode"], "--encoder nowhere:encode: no such function"),
        (["-k", 3, "--methods", "chance", "--encoder", "os:sep"], "--encoder is for embeddings"),
        (["-k", 3, "--set", "chance"], "--set is METHOD:NAME=VALUE"),
        (["-k", 3, "--set", "chance:share=1"], "the method chance has no setting share"),
        (["-k", 3, "--set", "typo:share=1"], "not 'typo'"),
        (["-k", 3, "--set", "full:progress=1"], "the command line shows the progress"),
        (["-k", 3, "--methods", "chance", "--set", "pieces:a=1"], "pieces is not among the"),
        (["-k", 3, "-o", "table.txt"], "table.txt"),
        (["-k", 3, "--json", "--csv"], "do not go together"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_bad_input_is_one_line_before_any_work(run, corpus, toys, arguments, message):
    code, out, err = run("compare", corpus, *arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1
    assert toys == []


def test_a_corpus_without_headings_cannot_be_scored(run, tmp_path, toys):
    path = tmp_path / "bare.txt"
    path.write_text("salt sea waves and sand\n\nsnow ice rocks and goats")
    code, out, err = run("compare", path, "-k", 2)
    assert (code, out) == (2, "")
    assert "nothing to score by" in err
    assert toys == []


def test_stars_are_padded_so_that_numbers_stand_below_each_other():
    padded = [comparison_table._pad_stars(cell) for cell in (".123", ".123*", ".123**", "–")]
    assert padded == [".123  ", ".123* ", ".123**", "–"]


def test_cells_are_short_and_seconds_have_a_digit_that_counts():
    row = {"method": "m", "told": True, "f": 0.1234, "f_sd": 0.01, "f_p": 0.049}
    row |= {"seconds": 0.951, "seconds_sd": 0.1, "segments": 0.26, "segments_sd": None, "pk": None}
    scores = ("f", "seconds", "segments")
    assert comparison_table.format_row(row, scores, with_std=True) == [
        *("m†", ".123±.010*", "1.0", ".3"),
    ]
    quick = {**row, "told": False, "seconds": 0.949, "f_p": 0.05}
    assert comparison_table.format_row(quick, scores, with_std=False) == ["m", ".123", "0.95", ".3"]


def test_methods_with_settings_are_tried_before_anything_is_read(run, monkeypatch):
    tried = []

    def note(method, n_topics, seed, **settings):
        tried.append((method.name, n_topics, settings))

    monkeypatch.setattr(methods.Method, "check_on_sample", note)
    named = ("--methods", "chance,embeddings", "--encoder", "os:getcwd")
    code, _, err = run("compare", "nowhere.jsonl", "-k", 3, *named)
    assert code == 2
    assert "nowhere.jsonl" in err
    assert ("embeddings", 3, {"encoder": os.getcwd}) in tried
    assert "chance" not in {name for name, *_ in tried}  # it was given no setting


@pytest.mark.parametrize(
    ("seeds", "over"), [(1, "over documents."), (2, "over documents and over seeds.")]
)
def test_stars_say_which_tests_they_took(run, corpus, seeds, over):
    out = run("compare", corpus, "-k", 3, "--seeds", seeds)[1]
    assert f"*, **: differs from full with p < .05, .01, {over}\n" in out
