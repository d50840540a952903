"""`permutopic segment`, as a user runs it."""

from __future__ import annotations

import pytest
from pyarrow import parquet

from permutopic import ContentModel, InputError, InputWarning, read_corpus
from permutopic.cli.segment import segment_command
from permutopic.results.segments import SEGMENT_COLUMNS

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
    # Emphasis and an entity are in the source and not in the text.
    (folder / "b.html").write_text(f"<p>{HILL} <b>More</b> snow &amp; ice. {HILL}<p>{TOWN}")
    return folder


def segment(*arguments, **settings):
    return call(segment_command, *arguments, **settings)


def test_there_is_a_row_for_every_segment(model, new):
    rows = rows_of(segment(model, new, "--json"))
    assert list(rows[0]) == [name for name in SEGMENT_COLUMNS if name != "text"]
    assert [(row["document"], row["segment"], row["name"]) for row in rows] == [
        (1, 1, "Coast"),
        (1, 2, "Hills"),
        (1, 3, "Town"),
        (2, 1, "Hills"),
        (2, 2, "Town"),
    ]
    source = (new / "a.txt").read_text()
    assert source[rows[1]["start"] : rows[1]["end"]] == f"{HILL}\n\n{HILL}"
    assert (rows[1]["first_unit"], rows[1]["last_unit"], rows[1]["words"]) == (2, 3, 10)
    assert rows[0]["probability"] is None
    assert 0.5 < rows[1]["probability"] <= 1


def test_sizes_cut_units_with_offsets_through_markup(model, new):
    rows = rows_of(segment(model, new / "b.html", "--max-words", 6, "--text", "--json"))
    assert [row["text"] for row in rows] == [HILL, "More snow & ice.", HILL, TOWN]
    source = (new / "b.html").read_text()
    places = [source[row["start"] : row["end"]] for row in rows]
    assert places == [HILL, "More</b> snow &amp; ice.", HILL, TOWN]
    assert [(row["first_unit"], row["last_unit"]) for row in rows] == [(1, 1)] * 3 + [(2, 2)]
    assert [row["probability"] for row in rows[:3]] == [None, 0.0, 0.0]


@pytest.mark.parametrize(("least", "sizes"), [(3, [4, 10, 3]), (4, [4, 13]), (5, [17]), (8, [17])])
def test_a_least_size_joins_segments_rather_than_cut_a_topic(model, new, least, sizes):
    rows = rows_of(segment(model, new / "a.txt", "--min-words", least, "--json"))
    assert [row["words"] for row in rows] == sizes


def test_people_see_a_line_for_every_segment(model, new):
    lines = [line.split() for line in segment(model, new).splitlines() if line.strip()]
    assert lines[0] == ["document", "units", "characters", "words", "boundary", "topic", "prob."]
    assert lines[2][:4] == ["a", "1", "0–21", "4"]
    assert lines[3][:3] == ["2–3", f"23–{25 + 2 * len(HILL)}", "10"]
    assert "Hills" in lines[3]
    assert lines[5][0] == "b"


def test_people_see_the_text_if_they_ask(model, new):
    shown = segment(model, new / "a.txt", "--text", columns=60)
    assert f"a 2: Hills, 10 words\n{HILL}\n\n{HILL}\n" in shown


def test_without_paths_the_documents_of_the_fit_are_segmented(model):
    rows = rows_of(segment(model, "--json"))
    assert [(row["title"], row["name"]) for row in rows[:4]] == [
        ("Place 0", "Coast"),
        ("Place 0", "Hills"),
        ("Place 0", "Town"),
        ("Place 1", "Coast"),
    ]
    # One chain tells no probability.
    assert {row["probability"] for row in rows} == {None}
    assert {row["topic_probability"] for row in rows} == {None}
    assert "–" in segment(model)


def test_several_chains_tell_how_probable_boundaries_are(places, tmp_path):
    # After one sweep chains do not agree.
    fitted = ContentModel(4, n_sweeps=1, n_chains=3, keep="all", random_state=0)
    fitted.fit(read_corpus(places)).save(tmp_path / "m")
    rows = rows_of(segment(tmp_path / "m", "--json"))
    later = [row for row in rows if row["segment"] > 1]
    chains = [chain.state.all_topics().reshape(8, 3) for chain in fitted.chains_]
    for row in later:
        document, unit = row["document"] - 1, row["first_unit"] - 1
        share = sum(t[document, unit] != t[document, unit - 1] for t in chains) / 3
        assert row["probability"] == pytest.approx(share)
    assert any(0 < row["probability"] < 1 for row in later)


def test_a_model_alone_has_no_text_to_cut(model):
    with pytest.warns(InputWarning, match="segments have more than 2 words: cutting a unit takes"):
        rows = rows_of(segment(model, "--max-words", 2, "--json"))
    assert len(rows) == 24
    with pytest.raises(InputError, match="--text needs PATHS: a model keeps no text"):
        segment(model, "--text")


def test_a_segment_of_exactly_the_most_words_is_not_too_long(model):
    sizes = [row["words"] for row in rows_of(segment(model, "--json"))]
    most = max(sizes)
    kept = rows_of(segment(model, "--max-words", most, "--json"))  # a warning would be an error
    assert max(row["words"] for row in kept) == most
    longer = f"^{sizes.count(most)} segments have more than {most - 1} words"
    with pytest.warns(InputWarning, match=longer):
        segment(model, "--max-words", most - 1, "--json")


def test_tables_go_to_files_and_come_from_standard_input(model, new, tmp_path):
    output = tmp_path / "t.parquet"
    text = f"{COAST}\n\n{TOWN}"
    assert segment(model, "-", "--format", "text", "-o", output, stdin=text).endswith(": 2 rows\n")
    rows = rows_of(segment(model, "-", "--format", "text", "--json", stdin=text))
    assert parquet.read_table(output).to_pylist() == rows


@pytest.mark.parametrize("more", [[], ["--max-words", "9"], ["--text"]])
def test_a_million_documents_are_not_held_at_a_time(model, tmp_path, monkeypatch, more):
    # Only one is read, and 500 come back: `pairs` would run dry, so as many are read there.
    (tmp_path / "t.jsonl").write_text('{"title": "t", "text": "salt sea\\n\\nsnow"}\n' * 500)
    alive = Alive(1)
    monkeypatch.setattr(ContentModel, "infer", lambda _, docs, **k: alive.infer(docs, **k))
    rows = rows_of(segment(model, tmp_path / "t.jsonl", "--json", *more))
    assert len(rows) == 1000
    assert 1 <= alive.most <= 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("--min-words", 9, "--max-words", 8),
            r"min_words \(9\) must not be more than max_words \(8\)",
        ),
        (("-o", "t.doc"), "a table's name ends in"),
    ],
)
def test_what_cannot_be_done_is_said_before_anything_is_loaded(arguments, message):
    with pytest.raises(InputError, match=message):
        segment("nowhere", "nowhere", *arguments)
