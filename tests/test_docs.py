"""The `console` blocks and the examples of README and tutorial give what is shown there."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

from console import commands_in, differences, run
from refresh_docs import refresh

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize(
    ("name", "least"),
    [
        ("README.md", 3),
        ("docs/guide/commands.md", 1),
        ("docs/guide/tutorial.md", 10),
        ("docs/guide/tasks.md", 15),
        ("docs/studies/rivals.md", 3),
    ],
)
def test_every_command_prints_what_is_shown(name, least, tmp_path, monkeypatch):
    shown = commands_in((ROOT / name).read_text(encoding="utf-8"))
    assert len(shown) >= least
    for command, output in shown:
        assert differences(output, run(command, tmp_path)) == [], command
    monkeypatch.chdir(tmp_path)  # its Python goes on with what the commands left
    results = doctest.testfile(str(ROOT / name), module_relative=False, encoding="utf-8")
    assert results.attempted >= 4
    assert results.failed == 0


def test_without_headings_the_tutorial_shows_the_same_fit():
    text = (ROOT / "docs/guide/tutorial.md").read_text(encoding="utf-8")
    with_headings, _, without = re.findall(r"log joint +(-[\d,.]+)", text)
    assert with_headings == without


EXAMPLE = """
```console
$ printf "64 documents in 2.1 s\\nThe 4 chains agree, more or less.\\n"
64 documents in 9.9 s
The 4 chains agree, more or less.
$ true
```
"""


def test_commands_are_found_and_time_may_differ_but_no_verdict(tmp_path):
    [(command, output), (other, nothing)] = commands_in(EXAMPLE)
    assert (other, nothing) == ("true", "")
    assert differences(output, run(command, tmp_path)) == []
    assert differences(output, "64 documents in 2.1 s\nNot converged, more or less.\n") != []
    assert differences(output, "65 documents in 2.1 s\nThe 4 chains agree, more or less.\n") == []
    assert differences(output, "70 documents in 2.1 s\nThe 4 chains agree, more or less.\n") != []


TIMES = """\
    K  held-out  seconds
 ───────────────────────
    4    -6.632     53.5
 →  8    -6.599      0.9

all K 4
"""


def test_only_seconds_may_differ_in_a_timed_table():
    assert differences(TIMES, TIMES.replace("53.5", "1.2").replace("0.9", "2,001.0")) == []
    for old, new in (("-6.599", "-6.999"), (" →  8", "    8"), ("  8 ", "  6 "), ("K 4", "K 5")):
        assert differences(TIMES, TIMES.replace(old, new)) != [], old


TABLE = """\
 topic  name        in docs  place    distinctive words
     0  Discovery       98%  wanders  name he his greek new paris
     1  Properties     100%  firm     c melts cubic centimetre grams state
     2  Isotopes        91%  loose    life half natural neutrons years stable
     3  Occurrence      95%  firm     crust parts stars holds minerals beds

 document  topics, unit by unit  out of order
 Tellurium   11002334557           1 swap
 Thallium    00122455667           2 swaps
 Tin         0023116557            3 swaps
Held against the headings: F 0.920 (recall 0.920, precision 0.921).
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Discovery|Properties|Isotopes|Occurrence", "XXX"),
        ("firm|loose|wanders", ""),
        ("firm", "loose"),
        ("98%", "89%"),
        ("0.920", "0.880"),
        ("1 swap", "2 swap"),
        (r"\d", "0"),
        (r"\b\d{9,}\b", "0"),
        (r"\b\d{9,}\b", "0123456701"),
        ("swap", "step"),
        (r"\Z", "one more line"),
        ("Held.*", "Three hundred words about something else"),
        (r"(?s).*", ""),
    ],
)
def test_other_output_is_noticed(old, new):
    assert differences(TABLE, re.sub(old, new, TABLE)) != []


def test_what_another_machine_might_print_is_let_pass():
    other = TABLE.replace("98%", "97%").replace("his greek new", "new his greek")
    assert differences(TABLE, other.replace("00122455667", "00122455677")) == []


def test_a_command_that_fails_or_complains_is_noticed(tmp_path):
    with pytest.raises(RuntimeError, match="exit code"):
        run("permutopic outline nowhere", tmp_path)
    with pytest.raises(RuntimeError, match="exit code"):
        run("echo warning >&2", tmp_path)


PAGE = """
```console
$ echo new > file; cat file
{}
$ true
$ echo x >> lines; wc -l < lines
{}
$ echo x >> lines; wc -l < lines
{}
```

```python
>>> import os
>>> for name in sorted(os.listdir()):
...     print(name)
{}
>>> print("a", "", "b", sep=chr(10))
{}

```
"""


def test_output_is_refreshed_in_place(tmp_path, monkeypatch):
    path, folder = tmp_path / "page.md", tmp_path / "empty"
    folder.mkdir()
    path.write_text(PAGE.format("old", "2", "1", "old", "old"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    refresh(path, folder)
    fresh = PAGE.format("new", "1", "2", "file\nlines", "a\n<BLANKLINE>\nb")
    assert path.read_text(encoding="utf-8") == fresh
