from __future__ import annotations

import json
from dataclasses import asdict

import pytest

from permutopic import ReadOptions, Tokens, Units, inspect
from permutopic.corpus import Corpus
from permutopic.errors import InputError
from permutopic.model import cost
from permutopic.model.cost import expected_cost


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "a.md").write_text(
        "# Iron\n\nA metal of the old ages.\n\n## Uses\n\nIt is used in steel.\n\n"
    )
    (tmp_path / "b.md").write_text("# Tin\n\n## Uses\n\nFor cans.\n\n## History\n\nOld.\n\nOlder.")
    (tmp_path / "c.txt").write_text("…")
    (tmp_path / "d.txt").write_bytes(b"\0")
    (tmp_path / "e.jpg").touch()
    return tmp_path


def test_everything_there_is_is_told(folder):
    found = inspect(folder, n_topics=3)
    assert (found.files, found.documents, found.units, found.words) == (4, 2, 5, 15)
    assert found.bytes == sum(
        path.stat().st_size for path in folder.iterdir() if path.suffix != ".jpg"
    )
    assert found.vocabulary == 14
    assert found.units_per_document == (2, 2.5, 3)
    assert found.words_per_unit == (1, 2.0, 6)
    assert found.languages == {"en": 1, "unknown": 2}
    assert found.headings == {"Uses": 2, "History": 1}
    assert found.headed_units == 4
    assert (found.merged, found.dropped, found.kept_short, found.left_out_words) == (0, 0, 0, 0)
    assert found.n_topics == 3
    assert found.seconds > 0
    assert found.memory > 100 << 20
    skipped = {each.reason: each for each in found.skipped}
    assert {reason: each.number for reason, each in skipped.items()} == {
        "binary": 1,
        "unknown extension '.jpg'": 1,
        "no word": 1,
    }
    [(place, detail)] = skipped["binary"].examples
    assert place == str(folder / "d.txt")
    assert detail.startswith("character 0 is NUL")


def test_each_thing_is_warned_of_once(folder):
    found = inspect(folder)
    assert found.n_topics == 10
    assert [message.split(",")[0] for message in found.warnings] == [
        "1 left out (binary)",
        "1 document left out without a word",
        "n_topics (K) must be at most the number of units to fit: 5 paragraphs",
    ]


def test_all_of_it_is_json(folder):
    found = inspect(
        folder,
        Tokens(str.split, stop=("a",), min_df=1),
        units=Units("sentence", min_words=2),
        options=ReadOptions(include=("*.md",), title="Iron"),
    )
    plain = found.as_dict()
    assert json.loads(json.dumps(plain))["documents"] == 1
    assert plain["units_per_document"] == {"least": 2, "median": 2.0, "most": 2}
    assert plain["skipped"] == [
        {
            "reason": "title not asked for",
            "number": 1,
            "examples": ((str(folder / "b.md"), "title not asked for"),),
        }
    ]
    assert plain["settings"]["tokens"]["split"] == {"function": "builtins:str.split"}
    assert plain["settings"]["units"]["kind"] == "sentence"
    assert plain["settings"]["reading"]["include"] == ("*.md",)
    assert set(plain) == set(asdict(found))


def test_short_units_and_rare_words_are_counted(folder):
    reading = ReadOptions(include="*.md")
    found = inspect(folder, Tokens(max_df=1), units=Units(min_words=2), options=reading)
    assert (found.merged, found.dropped, found.kept_short) == (1, 0, 0)
    assert (found.left_out_words, found.vocabulary) == (1, 13)  # "old" is in both
    found = inspect(folder, units=Units(min_words=3, short="drop"), options=reading)
    assert (found.merged, found.dropped, found.documents) == (0, 3, 1)


def test_bad_input_is_refused(folder, tmp_path):
    with pytest.raises(InputError, match=r"n_topics \(K\) must be a whole number of at least 2"):
        inspect(folder, n_topics=1)
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="no file to read"):
        inspect(tmp_path / "empty")
    with pytest.raises(InputError, match=r"none of 1 documents .* has a word"):
        inspect(folder / "c.txt")


def test_more_topics_than_a_fit_takes_are_a_warning(folder):
    limit = inspect(folder, n_topics=2).units
    assert not any("n_topics" in warning for warning in inspect(folder, n_topics=limit).warnings)
    *_, warning = inspect(folder, n_topics=limit + 1).warnings
    assert f"n_topics (K) must be at most the number of units to fit: {limit} para" in warning


def corpus(n_documents, n_units, n_words):
    text = " ".join(f"w{n}" for n in range(n_words))
    return Corpus.from_paragraphs([[text] * n_units] * n_documents)


def test_the_expected_cost_grows_with_topics_text_and_sweeps():
    small = expected_cost(corpus(5, 10, 20), 10)
    for more in (
        expected_cost(corpus(5, 10, 20), 30),
        expected_cost(corpus(50, 10, 20), 10),
        expected_cost(corpus(5, 100, 20), 10),
        expected_cost(corpus(5, 10, 200), 10),
    ):
        assert more.seconds > small.seconds
        assert more.bytes > small.bytes
    assert expected_cost(corpus(5, 10, 20), 10, 170).seconds == pytest.approx(2 * small.seconds)
    ten = expected_cost(corpus(50, 10, 20), 10).seconds
    assert 5 < ten / small.seconds < 20  # not ten: more topics are in use at first


def test_what_is_left_out_of_pages_is_told(tmp_path):
    (tmp_path / "a.html").write_text("<nav><a href=x>Home is here</a></nav><p>One two three.</p>")
    assert inspect(tmp_path).boilerplate == len("Home is here")
    (tmp_path / "a.html").write_text("<p>One two three.</p>")
    assert inspect(tmp_path).boilerplate == 0


def test_the_expected_cost_is_that_of_its_formula():
    # Two documents of 400 tokens in 10 units, so 11 cuts each; 9 topics are multiplied up as 16,
    # and with one unit for each 12 topics hardly more than one of them is in use at first.
    found = expected_cost(corpus(2, 10, 40), 9, 50)
    factors, spans, pairs = 2 * 400 * 11 * 16, 2 * 11**2 * 9, 2 * 9**2
    sweep = cost._SECONDS_A_FACTOR * factors + cost._SECONDS_A_SPAN * spans
    sweep += cost._SECONDS_A_PAIR * pairs
    counts = 0.35 * 40 * 9 / (1 + 12 * 9 / 20) + 0.55 * 40 * 9
    assert found.seconds == pytest.approx(50 * (0.9 * sweep + cost._SECONDS_A_COUNT * counts))
    assert found.bytes == pytest.approx(
        cost._BASE_BYTES
        + cost._BYTES_A_TOKEN * 800
        + cost._BYTES_A_WORD_AND_TOPIC * 40 * 9
        + cost._BYTES_A_SPAN * 9 * 11**2,
        abs=1,
    )


def test_with_many_topics_the_expected_cost_is_that_of_those_in_use():
    # Of a long document, twice the square root of its positions are cuts; so is each boundary.
    few, many = (expected_cost(corpus(40, 400, 3), k, 1) for k in (20, 200))
    assert 10 < many.seconds / few.seconds < 100  # boundaries are cuts: spans grow with K³
    # 200 (1 − e⁻²) of 200 topics in a document, and 32 of 200 among the rest; four are spare.
    own = 172.93
    table = cost._BYTES_A_SPAN * (own + 0.16 * (200 - own) + 4) * (41 + 0.9 * own) ** 2
    table -= cost._BYTES_A_SPAN * 20 * (41 + 0.9 * 20) ** 2
    more_counts = cost._BYTES_A_WORD_AND_TOPIC * 3 * 180
    assert many.bytes - few.bytes == pytest.approx(table + more_counts, rel=1e-3)
