"""The list of planted bugs fits the sources, and the tool tells caught from missed."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import mutants

ROOT = Path(__file__).parents[1]
LISTED = mutants.read_mutants(ROOT / "tests" / "mutants")


def test_every_bug_can_be_planted_and_is_in_the_package():
    assert len(LISTED) >= 80
    for mutant in LISTED:
        assert mutant.file.startswith("src/permutopic/")
        assert mutant.planted((ROOT / mutant.file).read_text(encoding="utf-8"))


def test_every_test_that_must_catch_a_bug_is_there():
    missing = []
    for test in {test for mutant in LISTED for test in mutant.tests}:
        path, *names = test.split("::")
        body = ast.parse((ROOT / path).read_text(encoding="utf-8")).body
        for name in names:
            found = [node for node in body if getattr(node, "name", None) == name]
            if not found:
                missing.append(test)
                break
            body = getattr(found[0], "body", [])
    assert missing == []


def test_every_bug_is_on_the_page():
    page = (ROOT / "docs/mutants.md").read_text(encoding="utf-8")
    assert [m.bug for m in LISTED if f"| {m.bug.replace('|', chr(92) + '|')} |" not in page] == []
    assert "**nothing**" not in page


@pytest.fixture
def tree(tmp_path):
    """A tree of one function and two tests, of which one looks."""
    (tmp_path / "src").mkdir()
    (tmp_path / "tests").mkdir()
    (tmp_path / "src/sums.py").write_text("def add(a, b):\n    return a + b\n")
    (tmp_path / "tests/test_sums.py").write_text(
        "from sums import add\n\n"
        "def test_a_sum_is_a_sum():\n    assert add(1, 2) == 3\n\n"
        "def test_a_sum_is_a_number():\n    assert isinstance(add(1, 2), int)\n"
    )
    return tmp_path


def bug(*tests, new="a - b"):
    return mutants.Mutant("sums", "a difference", "src/sums.py", "a + b", new, tests)


SUM, NUMBER = (
    "tests/test_sums.py::test_a_sum_is_a_sum",
    "tests/test_sums.py::test_a_sum_is_a_number",
)


def test_a_bug_is_caught_by_the_test_that_looks_and_missed_by_the_other(tree, tmp_path, capsys):
    [caught, missed] = mutants.judge_all(tree, [bug(SUM), bug(SUM, NUMBER)], tmp_path / "work", 1)
    assert (caught.missed, missed.missed) == ([], [NUMBER])
    shown = capsys.readouterr().out
    assert shown.count("caught") == 1
    assert shown.count("MISSED") == 1
    page = mutants.as_markdown([caught, missed])
    assert "1 of 2 are caught" in page
    assert page.count(
        "| sums | a difference | `src/sums.py` | `test_sums.py::test_a_sum_is_a_sum` |"
    )


def test_a_test_that_fails_without_a_bug_catches_nothing(tree, tmp_path):
    (tree / "src/sums.py").write_text("def add(a, b):\n    return a + b - 1\n")
    with pytest.raises(RuntimeError, match=r"fail without any bug: .*test_a_sum_is_a_sum"):
        mutants.judge_all(tree, [bug(SUM)], tmp_path / "work", 1)


def test_a_bug_that_cannot_be_planted_is_refused():
    source = "def add(a, b):\n    return a + b\n"
    with pytest.raises(ValueError, match="occurs 2 times"):
        bug(SUM).planted(source * 2)
    with pytest.raises(ValueError, match="nothing is changed"):
        bug(SUM, new="a + b").planted(source)
    with pytest.raises(SyntaxError):
        bug(SUM, new="a +").planted(source)
