"""`permutopic check`, as a user runs it."""

from __future__ import annotations

import json
from dataclasses import fields

import numpy as np
import pytest

from permutopic import ContentModel, read_documents
from permutopic.anomalies import FINDING_COLUMNS, Thresholds
from permutopic.cli.check import check_command
from permutopic.errors import InputError

from by_hand import call, rows_of

POOLS = {
    "Coast": "salt sea waves sand tide harbour boats cliffs gulls surf bay pier",
    "Hills": "snow rocks ice peak slope pines ridge valley stream goats fog scree",
    "Town": "hall market square church bakery trams school mayor clock tower inn bridge",
}
FOREIGN = "chromium oxide valence isotope neutron decay orbital lattice anode flux quark"


def paragraph(rng, pool, n_words=40):
    return " ".join(rng.choice(pool.split(), n_words)) + "."


def article(rng, sections):
    return [paragraph(rng, POOLS[name]) for name in sections for _ in range(3)]


def write(path, paragraphs):
    path.write_text("\n\n".join(paragraphs), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    rng = np.random.default_rng(0)
    orders = [["Coast", "Hills", "Town"]] * 20 + [["Town", "Coast", "Hills"], ["Coast", "Hills"]]
    fitted = ContentModel(n_topics=4, n_sweeps=40, random_state=0)
    fitted.fit([article(rng, sections) for sections in orders])
    used = np.flatnonzero(fitted.bags_.any(axis=0))
    fitted.rename_topics(dict(zip(used.tolist(), POOLS, strict=True)))
    folder = tmp_path_factory.mktemp("check") / "model"
    fitted.save(folder)
    return folder


@pytest.fixture
def anomalous(tmp_path):
    """An article that lacks the hills, begins with the town, and speaks of chemistry in between."""
    rng = np.random.default_rng(1)
    units = article(rng, ["Town", "Coast"])
    units.insert(4, paragraph(rng, FOREIGN))
    return write(tmp_path / "anomalous.txt", units)


def test_the_fitted_documents_are_checked_without_paths(model):
    shown = call(check_command, model, "--unlikely", 0.2, "--nearest", 1)
    assert "Findings in 2 of 22 documents" in shown
    assert "order      Town stands before Coast and Hills" in shown
    assert "missing    has no Town: 95% of the documents have it" in shown
    assert shown.count("unlike") == 2
    assert "Topics in the 22 documents of the fit:" in shown
    assert "order      farthest from the expected order: " in shown
    assert "missing    most topics: " in shown


def test_new_documents_are_checked_for_passages_too(model, anomalous):
    shown = call(check_command, model, anomalous, "--unlikely", 0.2)
    assert "has no Hills" in shown
    assert "order      Coast stands after Town: " in shown
    assert "unit 5: 100% of the words are unknown to the model: “" in shown
    assert "like       20 (0." in shown  # the other one that begins with the town
    assert "Findings in" not in shown  # one document is no corpus


def test_no_findings_are_one_line(model, tmp_path):
    rng = np.random.default_rng(2)
    path = write(tmp_path / "fine.txt", article(rng, ["Coast", "Hills", "Town"]))
    assert call(check_command, model, path, "--nearest", 0) == "fine: no findings\n"


def test_only_the_most_anomalous_are_shown_unless_all_are_asked_for(model):
    report = ContentModel.load(model).check(thresholds=Thresholds(unlikely=0.2), nearest=0)
    scores = {check.title: check.anomaly_score for check in report if check.findings}
    assert scores.keys() == {"20", "21"}
    most, other = sorted(scores, key=scores.get, reverse=True)
    one = call(check_command, model, "--unlikely", 0.2, "--top", 1, "--nearest", 0).splitlines()
    assert one[0] == most
    assert other not in one
    assert "Findings in 2 of 22 documents; 1 more are not shown (--top, --all)" in one
    two = call(check_command, model, "--unlikely", 0.2, "--top", 2, "--nearest", 0).splitlines()
    assert [line for line in two if line in scores] == [most, other]
    assert "Findings in 2 of 22 documents" in two
    none = call(check_command, model, "--unlikely", 0.2, "--top", 0).splitlines()
    assert "Findings in 2 of 22 documents; 2 more are not shown (--top, --all)" in none
    everything = call(check_command, model, "--unlikely", 0.2, "--all", "--nearest", 0)
    titles = [line.partition(":")[0] for line in everything.splitlines() if line[:1].isdecimal()]
    assert titles == [str(n) for n in range(22)]
    assert everything.count(": no findings") == 20
    assert "not shown" not in everything


def test_five_passages_of_a_document_are_shown_and_the_others_counted(model, tmp_path):
    rng = np.random.default_rng(4)
    units = article(rng, ["Coast", "Hills", "Town"])
    for n, place in enumerate((0, 2, 4, 6, 8, 10, 12)):
        units.insert(place, paragraph(rng, FOREIGN))
        shown = call(check_command, model, write(tmp_path / f"{n}.txt", units), "--nearest", 0)
        assert shown.count("% of the words are unknown to the model") == min(n + 1, 5)
        assert ("more (--json has them all)" in shown) == (n >= 5)
    assert "and 2 more (--json has them all)" in shown
    assert shown.index("unit 1:") < shown.index("unit 3:") < shown.index("unit 5:")


def test_machines_get_a_row_a_finding(model, anomalous):
    printed = call(check_command, model, anomalous, "--json", "--unlikely", 0.2, "--nearest", 2)
    rows = rows_of(printed)
    assert all(list(row) == list(FINDING_COLUMNS) for row in rows)
    kinds = [row["kind"] for row in rows]
    assert kinds == [
        *("missing", "misplaced", "unknown words"),
        *("nearest", "nearest", "farthest", "farthest", "place", "place", "place"),
    ]
    (passage,) = [row for row in rows if row["kind"] == "unknown words"]
    text = anomalous.read_text(encoding="utf-8")
    assert text[passage["start"] : passage["end"]] == passage["text"]
    assert (passage["first_unit"], passage["last_unit"]) == (5, 5)
    assert {row["document"] for row in rows} == {1, None}


def test_tables_go_to_csv_and_to_files(model, anomalous, tmp_path):
    lines = call(check_command, model, anomalous, "--csv").splitlines()
    assert lines[0] == ",".join(FINDING_COLUMNS)
    for name in ("found.parquet", "found.jsonl"):
        assert call(check_command, model, "-o", tmp_path / name).startswith(str(tmp_path / name))
    rows = rows_of((tmp_path / "found.jsonl").read_text(encoding="utf-8"))
    assert {row["document"] for row in rows if row["kind"] == "missing"} == {22}


@pytest.mark.parametrize("with_template", [False, True])
def test_the_table_of_the_library_has_the_rows_of_the_command(
    model, anomalous, tmp_path, with_template
):
    template = tmp_path / "outline.txt"
    template.write_text("Up: snow, goats\nThe sea: salt, waves\nAir: oxygen\n", encoding="utf-8")
    fitted = ContentModel.load(model)
    given = {"template": template} if with_template else {}
    options = ("--template", template) if with_template else ()
    for paths, documents in (((), None), ((anomalous,), list(read_documents(anomalous)))):
        table = fitted.check(documents, nearest=2, **given).table()
        assert table.columns == FINDING_COLUMNS
        printed = call(check_command, model, *paths, "--nearest", 2, "--json", *options)
        table.to_jsonl(tmp_path / "library.jsonl")
        assert (tmp_path / "library.jsonl").read_text(encoding="utf-8") == printed
        rows = rows_of(printed)
        assert table.to_csv(tmp_path / "library.csv") == len(rows)
        frame = table.to_pandas()
        assert frame["says"].tolist() == [row["says"] for row in rows]
        assert frame["document"].isna().tolist() == [row["document"] is None for row in rows]


def test_standard_input_is_read(model, anomalous):
    shown = call(check_command, model, "-", stdin=anomalous.read_bytes())
    assert "has no Hills" in shown


def test_a_template_is_held_up_to_the_documents(model, anomalous, tmp_path):
    template = tmp_path / "outline.txt"
    template.write_text("Up: snow, goats\nThe sea: salt, waves\nAir: oxygen\n", encoding="utf-8")
    shown = call(check_command, model, anomalous, "--template", template, "--nearest", 0)
    assert "entry      Up is Hills" in shown
    assert "entry      The sea is Coast" in shown
    assert "no topic of the model is for Air: its words are unknown to the model" in shown
    assert "left       Town is not in the template" in shown
    assert "missing    has no Up" in shown
    assert "extra      has Town, which has no place here" in shown
    rows = rows_of(call(check_command, model, anomalous, "--template", template, "--json"))
    assert [row["kind"] for row in rows[-2:]] == ["no topic fits", "not in template"]
    template.write_text('["Hills", "Coast", "Town"]', encoding="utf-8")
    settings = ("--template", template, "--unlikely", 1, "--nearest", 0, "--top", 1)
    assert "stands after" in call(check_command, model, *settings)


def test_what_stands_in_documents_cannot_command_a_terminal(model, tmp_path):
    rng = np.random.default_rng(3)
    units = article(rng, ["Coast", "Hills", "Town"])
    units[2] = "\x1b[2J \x1b]0;x\x07 " + paragraph(rng, FOREIGN)
    path = tmp_path / "a\x1b[2J.txt"
    shown = call(check_command, model, write(path, units))
    assert "unit 3" in shown
    assert "\x1b[2J" not in shown
    template = tmp_path / "t.json"
    template.write_text(json.dumps(["Coast", "Hi\u202ells"]), encoding="utf-8")
    with pytest.raises(InputError, match="entry 2: a name is text on one line"):
        call(check_command, model, "--template", template)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--template", "nowhere.txt"), r"nowhere\.txt: the template cannot be read"),
        (("--most", "1.5"), "most must lie between 0 and 1, not 1.5"),
        (("--words", "0"), "words must be a whole number of at least 1, not 0"),
        (("-o", "found.txt"), r"found\.txt: a table's name ends in"),
        (("nowhere.md",), r"nowhere\.md"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(model, arguments, message):
    with pytest.raises(InputError, match=message) as raised:
        call(check_command, model, *arguments)
    assert "\n" not in str(raised.value)


def test_a_model_that_is_none_is_refused():
    with pytest.raises(InputError, match="nowhere is not a model folder"):
        call(check_command, "nowhere")


def test_the_options_have_the_thresholds_of_the_library():
    defaults = {option.name: option.default for option in check_command.params}
    thresholds = Thresholds()
    for field in fields(Thresholds):
        assert defaults[field.name] == getattr(thresholds, field.name), field.name


def test_findings_are_wrapped_below_each_other(model, anomalous):
    shown = call(check_command, model, anomalous, "--unlikely", 0.2, columns=60).splitlines()
    assert max(map(len, shown)) <= 60
    front = " " * 13  # two spaces and the kind of a finding, in eleven columns
    assert any(line.startswith(front) and line[13:14] not in {"", " "} for line in shown)
    assert sum(line.startswith("  missing    has no Hills") for line in shown) == 1
