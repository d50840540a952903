from __future__ import annotations

import fnmatch
import warnings
from glob import escape

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from permutopic.readers.globs import Glob, compile_name, matches_glob


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("*.md", "b.md", True),
        ("*.md", "a/b.md", True),
        ("a/*.md", "a/b.md", True),
        ("a/*.md", "a/b/c.md", False),
        ("./*.md", "a.md", True),
        ("./*.md", "a/b.md", False),
        ("/*.md", "a/b.md", False),
        ("**/*.md", "c.md", True),
        ("**/*.md", "a/b/c.md", True),
        ("a/**/*.md", "a/c.md", True),
        ("a/**/*.md", "a/b/b/c.md", True),
        ("a/**/*.md", "b/c.md", False),
        ("a/**", "a/b/c.md", True),
        ("a/**", "a", False),
        ("**/b/**", "a/b/c/d", True),
        ("**/b/**", "a/c/b", False),
        ("a/**/**/**/b", "a/b", True),
        ("?.txt", "é.txt", True),
        ("?.txt", ".txt", False),
        ("[ab].txt", "b.txt", True),
        ("[!ab].txt", "b.txt", False),
        ("[^ab].txt", "c.txt", True),
        ("[a-c]", "b", True),
        ("[z-a]", "b", False),
        ("[!z-a]", "b", True),
        ("[z-ab]", "b", True),
        ("[]]", "]", True),
        ("[!]]", "]", False),
        ("[]", "[]", True),
        ("[!]", "[!]", True),
        ("[", "[", True),
        ("[a", "[a", True),
        ("a]", "a]", True),
        ("[-]", "-", True),
        ("[a-]", "-", True),
        ("[--0]", ".", True),
        ("[a&&b]", "&", True),
        ("[xa-c]", "x", True),
        ("[a-cx-z]", "b", True),
        ("[!a-cx]", "d", True),
        ("[!a-cx]", "x", False),
        ("[[]", "[", True),
        ("[\\]", "\\", True),
        ("\\", "\\", True),
        ("a.c", "abc", False),
        ("a\nb", "a\nb", True),
        ("*", "a\nb", True),
        ("***", "abc", True),
        ("a**c", "abc", True),
    ],
)
def test_a_glob_matches_as_shells_have_it(pattern, path, expected):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert matches_glob(pattern, path.split("/")) is expected


@given(st.text("ab*?", max_size=12), st.text("ab", max_size=12))
def test_within_a_name_it_is_the_librarys(pattern, name):
    assert (compile_name(pattern).fullmatch(name) is not None) == fnmatch.fnmatchcase(name, pattern)


@given(st.text("ab-[]!*?.&~|\\", max_size=8), st.text("ab-[]!.&\\", max_size=3))
def test_any_pattern_is_the_librarys(pattern, name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = compile_name(pattern).fullmatch(name) is not None
    assert found is fnmatch.fnmatchcase(name, pattern)


@given(st.text(min_size=1, max_size=8), st.text(max_size=4))
def test_an_escaped_name_matches_itself_alone(name, other):
    assume("/" not in name and name != ".")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert matches_glob(escape(name), [name])
        assert matches_glob(escape(name), [other]) is (name == other)


@given(st.lists(st.sampled_from(["**", "*", "a", "b"]), max_size=6), st.text("ab", max_size=6))
def test_folders_are_passed_as_a_slow_twin_has_it(names, path):
    def slow(names, parts):
        if not names:
            return not parts
        if names[0] == "**":
            least = 1 if len(names) == 1 else 0
            return any(slow(names[1:], parts[n:]) for n in range(least, len(parts) + 1))
        return bool(parts) and names[0] in ("*", parts[0]) and slow(names[1:], parts[1:])

    def last_is_not_for_a_folder(names):
        return [*names, "*"] if names and names[-1] == "**" else names

    glob = Glob("/".join(names))
    assert glob.matches(list(path)) == slow(last_is_not_for_a_folder(names), list(path))


def test_a_folder_is_entered_only_if_something_in_it_could_match():
    glob = Glob("a/*/c.md")
    assert glob.may_match_below(["a"])
    assert glob.may_match_below(["a", "x"])
    assert not glob.may_match_below(["a", "x", "c.md"])
    assert not glob.may_match_below(["b"])
    assert Glob("**/c").may_match_below(["any", "where"])


@pytest.mark.parametrize(
    "pattern", ["*a" * 500, "**/" * 1000 + "b", "*" * 1000 + "b", "**/a/" * 300]
)
def test_many_stars_cost_nothing(pattern):
    assert not matches_glob(pattern, ["a" * 250] * 20)
