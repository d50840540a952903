"""`permutopic align`, as a user runs it."""

from __future__ import annotations

import click
import pytest
from pyarrow import parquet

from permutopic import ContentModel, InputError, read_corpus
from permutopic.cli.align import align_command, show_grid
from permutopic.results.alignment import COUNTERPART_COLUMNS, PASSAGE_COLUMNS, RUN_COLUMNS

from by_hand import COAST, HILL, TOWN, Alive, call, rows_of


@pytest.fixture
def model(places_model):
    return places_model


@pytest.fixture
def places(places_folder):
    return places_folder


@pytest.fixture
def new(tmp_path):
    folder = tmp_path / "new"
    folder.mkdir()
    (folder / "a.txt").write_text(f"{COAST}\n\n{HILL}\n\n{HILL}\n\n{TOWN}")
    (folder / "b.txt").write_text(f"{TOWN}\n\n{COAST} Snow and rocks.")
    (folder / "c.md").write_text(f"# b\n\n{HILL} More snow.")
    (folder / "d.md").write_text(f"# 3\n\n{HILL}")
    return folder


def align(*arguments, **settings):
    return call(align_command, *arguments, **settings)


def test_without_paths_the_documents_of_the_fit_are_aligned(model):
    rows = rows_of(align(model, "--json"))
    assert len(rows) == 24
    assert list(rows[0]) == list(RUN_COLUMNS)
    assert [(row["title"], row["name"]) for row in rows[:3]] == [
        ("Place 0", "Coast"),
        ("Place 0", "Hills"),
        ("Place 0", "Town"),
    ]
    assert (rows[0]["words"], rows[0]["start"], rows[0]["end"]) == (4, 21, 42)
    assert rows[0]["probability"] is None  # one chain tells none
    assert rows_of(align(model, "--json", "--topic", "town"))[0]["text"] is None


def test_several_chains_tell_how_probable_a_topic_is(places, tmp_path):
    fitted = ContentModel(4, n_sweeps=20, n_chains=3, keep="all", random_state=0)
    fitted.fit(read_corpus(places)).save(tmp_path / "m")
    rows = rows_of(align(tmp_path / "m", "--json"))
    assert {round(3 * row["probability"], 9) for row in rows} <= {0, 1, 2, 3}
    shares = fitted.topic_probabilities()
    assert rows[0]["probability"] == shares[0, rows[0]["topic"]]


def test_people_see_which_units_each_topic_has(model, new):
    lines = [line.split() for line in align(model, new).splitlines() if line.strip()]
    assert lines[0] == ["document", "0", "1", "2"]
    assert lines[2:6] == [["a", "1", "2–3", "4"], ["b", "2", "1"], ["b", "1"], ["3", "1"]]
    assert lines[6] == ["0", "Coast", "1", "Hills", "2", "Town"]


def test_a_wide_grid_is_broken_between_topics(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    rows = [
        {"document": 1, "title": "wide\x1b", "topic": t, "first_unit": 100 * t, "last_unit": u}
        for t in range(12)
        for u in (100 * t, 100 * t + 99)
    ]
    show_grid(rows, [f"the name of topic {t}" for t in range(12)])
    shown = capsys.readouterr().out
    heads = [line.split()[1:] for line in shown.splitlines() if line.startswith(" document")]
    assert len(heads) > 2
    assert [mark for head in heads for mark in head] == [*"0123456789ab"]
    assert r"wide\x1b" in shown
    assert "1100, 1100–1199" in shown
    assert max(map(len, shown.splitlines())) <= 60
    # No name is broken.
    assert shown.count("the name of topic") == 12


def test_all_units_of_one_topic_are_given(model, new):
    rows = rows_of(align(model, new, "--topic", "HILLS", "--json"))
    assert [list(row) for row in rows] == [list(PASSAGE_COLUMNS)] * 4
    assert [(row["document"], row["unit"], row["text"]) for row in rows] == [
        (1, 2, HILL),
        (1, 3, HILL),
        (3, 1, f"{HILL} More snow."),
        (4, 1, HILL),
    ]
    shown = align(model, new, "--topic", 1)
    assert HILL in shown
    assert "Hills: 4 units in 3 of the documents" in shown
    assert "21–42" in align(model, "--topic", "Coast")


@pytest.mark.parametrize("like", ["a:2", "1:2", "2"])
def test_counterparts_of_a_unit_are_given_one_a_document(model, new, like):
    rows = rows_of(align(model, new, "--like", like, "--json"))
    assert [list(row) for row in rows] == [list(COUNTERPART_COLUMNS)] * len(rows)
    assert [(row["document"], row["unit"]) for row in rows[:2]] == [(4, 1), (3, 1)]
    assert rows[0]["similarity"] == 1
    scores = [row["score"] for row in rows]
    assert scores == sorted(scores, reverse=True)
    assert len(rows_of(align(model, new, "--like", like, "--nearest", 1, "--json"))) == 1


@pytest.mark.parametrize(("number", "unit"), [(5, "2:1"), (6, "2:2"), (8, "4:1")])
def test_a_number_alone_counts_the_units_of_all_documents(model, new, number, unit):
    assert align(model, new, "--like", number) == align(model, new, "--like", unit)
    assert align(model, new, "--like", number) != align(model, new, "--like", "1:1")


def test_a_title_goes_before_a_number(model, new):
    # A document is called "3", and it is the fourth.
    assert rows_of(align(model, new, "--like", "3:1", "--json"))[0]["document"] == 1


def test_people_see_what_was_asked_and_what_was_found(model, new):
    shown = align(model, new, "--like", "a:4")
    assert "a, unit 4 (Town): Town hall, market." in shown
    assert shown.count(TOWN) == 2
    (new / "e.txt").write_text("Unheard.")
    with pytest.warns(Warning, match="knows none"):
        assert "no other document has anything like it" in align(model, new, "--like", "e:1")


def test_tables_go_to_files(model, new, tmp_path):
    output = tmp_path / "t.parquet"
    assert align(model, new, "-o", output).endswith("t.parquet: 7 rows\n")
    assert parquet.read_table(output).to_pylist() == rows_of(align(model, new, "--json"))
    assert align(model, new, "--csv").splitlines()[0] == ",".join(RUN_COLUMNS)


def test_documents_come_from_standard_input_too(model):
    rows = rows_of(align(model, "-", "--format", "text", "--json", stdin=f"{TOWN}\n\n{TOWN}"))
    assert [(row["name"], row["last_unit"]) for row in rows] == [("Town", 2)]


@pytest.mark.parametrize("more", [[], ["--topic", "0"]])
def test_a_million_documents_are_not_held_at_a_time(model, new, monkeypatch, more):
    alive = Alive(500)
    monkeypatch.setattr(ContentModel, "infer", lambda _, *a, **k: alive.infer([0], **k))
    align(model, new, "--json", *more)
    assert 1 <= alive.most <= 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--topic", "River"), "no topic is called 'River': there are 'Coast', 'Hills', 'Town'"),
        (("--topic", "7"), "a topic is a number from 0 to 3 or a name, not '7'"),
        (("--topic", "0", "--like", "1"), "--topic and --like do not go together"),
        (("--like", "a"), "--like is TITLE:UNIT, such as 'Iron:3', or the number of a unit"),
        (("--like", ":2"), "--like is TITLE:UNIT"),
        (("--like", "a:x"), "--like is TITLE:UNIT"),
        (("--like", "a:" + "9" * 50), "--like is TITLE:UNIT"),
        (("--like", "a:5"), "--like a:5: 'a' has units 1 to 4"),
        (("--like", "a:0"), "--like a:0: 'a' has units 1 to 4"),
        (("--like", "9"), "--like 9: there are units 1 to 8"),
        (("--like", "0"), "--like 0: there are units 1 to 8"),
        (("--like", "b:1"), r"2 documents are called 'b': give the number of one \(2, 3\)"),
        (("--like", "z:1"), "no document is called 'z'"),
        (("--like", "5:1"), "no document is called '5'"),
        (("--like", "9" * 5000 + ":1"), "no document is called '9"),
    ],
)
def test_what_is_not_there_is_said_in_one_line(model, new, arguments, message):
    with pytest.raises(InputError, match=message):
        align(model, new, *arguments)


def test_a_model_alone_has_no_texts_to_compare(model):
    with pytest.raises(InputError, match="--like compares texts, and a model keeps none"):
        align(model, "--like", "1")
    with pytest.raises(click.UsageError):
        align(model, "--nearest", 0)


def test_where_offsets_are_not_known_none_are_shown(tmp_path):
    fitted = ContentModel(2, n_sweeps=5, random_state=0).fit([[COAST, HILL]] * 3)
    fitted.save(tmp_path / "m")
    shown = align(tmp_path / "m", "--topic", 0)
    assert "–" in shown
    assert "-1" not in shown
