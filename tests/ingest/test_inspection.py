from __future__ import annotations

import json
from dataclasses import asdict

import pytest

from permutopic import ReadOptions, Tokens, Units, inspect
from permutopic.corpus import Corpus
from permutopic.errors import InputError
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
    assert expected_cost(corpus(5, 10, 20), 10, 200).seconds == pytest.approx(2 * small.seconds)
    ten = expected_cost(corpus(50, 10, 20), 10).seconds
    assert ten == pytest.approx(10 * small.seconds)


def test_what_is_left_out_of_pages_is_told(tmp_path):
    (tmp_path / "a.html").write_text("<nav><a href=x>Home is here</a></nav><p>One two three.</p>")
    assert inspect(tmp_path).boilerplate == len("Home is here")
    (tmp_path / "a.html").write_text("<p>One two three.</p>")
    assert inspect(tmp_path).boilerplate == 0


def test_the_expected_cost_is_that_of_its_formula():
    # Two documents of 400 tokens in 10 units, so 11 cuts each; 9 topics are multiplied up as 16.
    found = expected_cost(corpus(2, 10, 40), 9, 50)
    factors, spans = 2 * 400 * 11 * 16, 2 * 11**2 * 9
    assert found.seconds == pytest.approx(50 * (2.0e-10 * factors + 2.4e-8 * spans))
    table = 3 * 8 * 9 * (11 + 9) ** 2
    assert found.bytes == (230 << 20) + 40 * 800 + 24 * 40 * 9 + table
    # Of a long document, twice the square root of its positions are cuts: 40 of 400.
    long = expected_cost(corpus(1, 400, 1), 8, 1)
    assert long.seconds == pytest.approx(2.0e-10 * 400 * 41 * 8 + 2.4e-8 * 41**2 * 8)
