"""`permutopic choose-k` as a user runs it."""

from __future__ import annotations

import json
import re
import sys
from xml.etree import ElementTree as ET

import pytest

from permutopic import InputError
from permutopic.cli.choose_k import parse_candidates

from by_hand import run_on_terminal

COAST, HILLS = "salt sea waves sand tide shells", "hills snow rocks ice peaks passes"


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    folder = tmp_path_factory.mktemp("corpus")
    for n in range(12):
        (folder / f"{n}.txt").write_text(f"{COAST}{' sea' * n}\n\n{HILLS} snow\n\n{HILLS}\n")
    return folder


SMALL = ("-k", "2,3", "--seeds", "2", "--sweeps", "10")


def test_a_table_and_a_recommendation_are_printed(run, corpus):
    code, out, err = run("choose-k", corpus, *SMALL)
    assert (code, err) == (0, "")
    for heading in ("K", "held-out", "behind best", "agreement", "topics used", "seconds"):
        assert heading in out
    assert re.search(r"→ 2 +-\d\.\d{3} ", out)
    assert re.search(r"→ 2 +-\d\.\d{3} +– ", out)  # the best is not behind
    assert re.search(r"\n +3 +-\d\.\d{3} +\d\.\d{3} ± \d\.\d{3} ", out)
    assert "2 held-out documents" in out
    assert "K = 2 predicts held-out words" in out


def test_one_json_object_has_all_of_it(run, corpus):
    code, out, err = run("choose-k", corpus, *SMALL, "--json", "--seed", 5, "--word-prior", 0.3)
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert [row["n_topics"] for row in found["candidates"]] == [2, 3]
    assert found["n_topics"] == 2
    assert found["settings"]["seeds"] == [5, 6]
    assert found["settings"]["word_prior"] == 0.3
    assert found["settings"]["n_sweeps"] == 10
    assert found["corpus"] == str(corpus)


def test_the_command_line_gives_what_python_gives(run, corpus):
    from permutopic import ContentModel, read_corpus
    from permutopic.selection.choosing import choose_k

    model = ContentModel(n_sweeps=10, random_state=0)
    here = choose_k(read_corpus(corpus), [2, 3], n_seeds=2, model=model)
    there = json.loads(run("choose-k", corpus, *SMALL, "--json")[1])
    assert there["one_topic"] == here.one_topic
    assert [row["held_out"] for row in there["candidates"]] == [
        each.held_out for each in here.candidates
    ]


def test_a_picture_is_drawn(run, corpus, tmp_path):
    picture = tmp_path / "k.svg"
    code, out, err = run("choose-k", corpus, *SMALL, "-o", picture)
    assert (code, err) == (0, "")
    assert out.rstrip().endswith(f"picture: {picture}")
    shown = [text.text for text in ET.parse(picture).iter("{http://www.w3.org/2000/svg}text")]
    assert "Choosing K: 12 documents, 2 held out" in shown
    assert "recommended: K = 2" in shown


def test_without_the_extra_there_is_one_line_and_no_fit(run, corpus, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    code, out, err = run("choose-k", corpus, *SMALL, "-o", tmp_path / "k.svg")
    assert (code, out) == (2, "")
    assert (
        err == "permutopic: error: charts need the extra 'plot': pip install 'permutopic[plot]'\n"
    )


def test_options_that_make_no_sense_here_are_not_offered(run, corpus):
    code, out, _ = run("choose-k", "--help")
    assert code == 0
    assert "--seed " in out
    assert "--sweeps" in out
    assert out.count("--topics") == 1
    for option in ("--chains", "--keep"):
        assert option not in out
    code, _, err = run("choose-k", corpus, "--chains", 4)
    assert code == 2
    assert "--chains" in err


BAD = [
    (("-k", "four"), "-k is a list of whole numbers such as 5,10,15, or a range such as 5-20"),
    (("-k", "4,,6"), "-k is a list of whole numbers"),
    (("-k", "-4"), "-k is a list of whole numbers"),
    (("-k", "²,4"), "-k is a list of whole numbers"),
    (("-k", "20-5"), "a range is ascending, such as 5-20"),
    (("-k", "2-2000000"), "more than 100 numbers of topics to try"),
    (("-k", "1,4"), "--topics (K) must be a whole number of at least 2"),
    (("-k", "4"), "at least two different numbers of topics, not [4]"),
    (("--seeds", "1"), "--seeds must be a whole number of at least 2"),
    (("--held-out", "0.1"), "of 12 documents, between 0.17 and 0.83, not 0.1"),
    (("--held-out", "some"), "'some' is not a valid float"),
    (("-o", "k.jpg"), "a picture's name ends in .svg, .png or .pdf"),
    (("-o", "nowhere/k.svg"), "there is no folder nowhere: make it first"),
    (("--word-prior", "0"), "--word-prior (β0) must lie"),
]


@pytest.mark.parametrize(("arguments", "message"), BAD, ids=lambda value: str(value)[:30])
def test_bad_input_is_one_line_and_exit_code_2(
    run, corpus, arguments, message, tmp_path, monkeypatch
):
    from permutopic import ContentModel

    def no_fit(*_, **__):
        pytest.fail("there was a fit before the input was checked")

    monkeypatch.setattr(ContentModel, "fit", no_fit)
    monkeypatch.chdir(tmp_path)
    code, out, err = run("choose-k", corpus, *arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert err.startswith("permutopic: error: ")
    assert err.count("\n") == 1


def test_four_documents_are_too_few(run, tmp_path):
    for n in range(4):
        (tmp_path / f"{n}.txt").write_text(f"{COAST}{' sea' * n}\n\n{HILLS}\n")
    code, _, err = run("choose-k", tmp_path)
    assert code == 2
    assert "choosing K takes at least 5 documents" in err


@pytest.mark.parametrize(
    ("text", "numbers"),
    [("5,10,15", [5, 10, 15]), ("5-8", [5, 6, 7, 8]), (" 4 , 6 - 8 ", [4, 6, 7, 8]), ("7", [7])],
)
def test_lists_and_ranges_are_read(text, numbers):
    assert parse_candidates(text) == numbers


@pytest.mark.parametrize("text", ["", "5-", "-", "5--8", "5;8", "5 8", "1e3", "٣", "9" * 5000])
def test_what_is_no_list_is_refused(text):
    with pytest.raises(InputError, match="list of whole numbers such as"):
        parse_candidates(text)


def test_progress_is_shown_on_a_terminal_and_nowhere_else(corpus):
    command = [sys.executable, "-c", "from permutopic.cli import main; main()", "choose-k"]
    process, printed, shown = run_on_terminal([*command, corpus, *SMALL], 100)
    assert process.returncode == 0
    assert b"3/4" in shown
    assert b"K = 3, seed 1" in shown
    assert b"seed 1" not in printed


@pytest.mark.parametrize("text", ["2-101", "2,3-101", "2-50,51-101"])
def test_a_hundred_numbers_are_read_and_no_more(text):
    assert parse_candidates(text) == list(range(2, 102))
    with pytest.raises(InputError, match="more than 100 numbers"):
        parse_candidates(f"{text},102")
    assert parse_candidates("6-6") == [6]
