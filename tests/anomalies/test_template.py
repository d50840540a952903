from __future__ import annotations

import pytest

from permutopic.anomalies import TemplateEntry, parse_template, read_template
from permutopic.errors import InputError

OUTLINE = (
    TemplateEntry("History", ("founded", "19th century")),
    TemplateEntry("Where it is"),
    TemplateEntry("Uses", ("alloy",)),
)
LINES = """# What we want
History: founded,  19th  century ,
   # not this one

Where it is
Uses: alloy
"""


@pytest.mark.parametrize(
    "text",
    [
        LINES,
        LINES.replace(":", "：").replace(",", "、").replace("\n", "\r\n"),
        """[{"name": "History", "words": ["founded", "19th century"]},
            {"name": "Where it is"}, {"words": ["alloy"], "name": "Uses"}]""",
        '{"History": ["founded", "19th century"], "Where it is": [], "Uses": ["alloy"]}',
        '[{"name": "History", "words": ["founded", "19th century"]}, "Where it is", '
        '{"name": "Uses", "words": ["alloy"]}]',
    ],
)
def test_all_forms_say_the_same(text):
    assert parse_template(text) == OUTLINE


def test_a_name_may_have_a_colon_in_json():
    assert parse_template('["Uses: industry"]') == (TemplateEntry("Uses: industry"),)


@pytest.mark.parametrize("text", ['\n  ["Uses", "History"]', ' {"Uses": [], "History": []}'])
def test_what_begins_with_a_bracket_is_json_after_any_white_space(text):
    assert parse_template(text) == (TemplateEntry("Uses"), TemplateEntry("History"))


def test_words_may_have_a_colon():
    assert parse_template("Uses: a:b, c") == (TemplateEntry("Uses", ("a:b", "c")),)


def test_a_file_is_read_whatever_its_marks(tmp_path):
    path = tmp_path / "outline.txt"
    path.write_text(LINES, encoding="utf-8-sig")
    assert read_template(path) == OUTLINE


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "x: the template is empty: give a line 'Name: word, word' a topic"),
        ("# nothing\n", "x: the template is empty"),
        ("[]", "x: the template is empty"),
        ("A: a\n: b, c", "x, line 2: a name is text on one line, not ''"),
        ("A: a\n\nB\na: d", r"x, line 4: 'a' is there already \(x, line 1\): names are unique"),
        ("A\x1b[2J: a", r"x, line 1: a name is text on one line, not 'A\\x1b\[2J'"),
        ('{"A": ["a"], "A": ["b"]}', r"x, entry 2: 'A' is there already \(x, entry 1\)"),
        ('["A",\n "B"', r"x, line 2: not JSON \(Expecting ',' delimiter\); a template is a list"),
        ("[" * 100_000, r"x: not JSON \(too deep\)"),
        ('["A", 3]', r"""x, entry 2: give {"name": …, "words": \[…\]}, not 3"""),
        ('[{"words": ["a"]}]', r"x, entry 1: give .*, not {'words': \['a'\]}"),
        ('[{"name": "A", "seed": ["a"]}]', "x, entry 1: give .*, not {'name': 'A', 'seed'"),
        ('[{"name": 3}]', "x, entry 1: a name is text on one line, not 3"),
        ('{"A": "a, b"}', "x, entry 1: the words of 'A' are a list of strings, not 'a, b'"),
        ('{"A": {"b": 1}}', "x, entry 1: the words of 'A' are a list of strings, not {'b': 1}"),
        ('{"A": ["a", 3]}', "x, entry 1: a word of 'A' is text, not 3"),
        ('{"A": [" "]}', "x, entry 1: a word of 'A' is text, not ' '"),
    ],
)
def test_errors_name_the_line_or_entry(text, message):
    with pytest.raises(InputError, match=message) as raised:
        parse_template(text, "x")
    assert "\n" not in str(raised.value)


def test_json_by_name_that_is_no_outline_is_refused():
    with pytest.raises(InputError, match=r"x\.json: a template is a list of .*, not 3"):
        parse_template("3", "x.json")


def test_files_that_cannot_be_read_are_named(tmp_path):
    with pytest.raises(InputError, match=r"none\.txt: the template cannot be read \(No such file"):
        read_template(tmp_path / "none.txt")
    (tmp_path / "latin.txt").write_bytes(b"Caf\xe9: tasse")
    with pytest.raises(InputError, match=r"latin\.txt: byte 3 is not UTF-8: save it as UTF-8"):
        read_template(tmp_path / "latin.txt")
