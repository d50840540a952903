"""Pictures that any viewer can read: whole, within their frame, texts apart."""

from __future__ import annotations

import math
import os
import re
import stat
from itertools import pairwise
from types import SimpleNamespace
from xml.etree import ElementTree as ET

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from permutopic import InputError
from permutopic.selection.chart import draw_choice
from permutopic.selection.line_chart import (
    Curve,
    Panel,
    check_svg,
    line_chart,
    nice_ticks,
    write_svg,
)
from permutopic.selection.recommending import Candidate

SVG = "{http://www.w3.org/2000/svg}"


def chart(x, panels, *, title="t", x_label="K", marked=None, annotation="taken"):
    svg = line_chart(
        x,
        panels,
        title=title,
        x_label=x_label,
        marked=x[0] if marked is None else marked,
        annotation=annotation,
    )
    return ET.fromstring(svg)


def dots(root, which="a"):
    found = [each for each in root.iter(f"{SVG}circle") if each.get("class") == f"dot {which}"]
    return [(float(each.get("cx")), float(each.get("cy"))) for each in found]


def texts(root, kind=None):
    return [t for t in root.iter(f"{SVG}text") if kind is None or t.get("class") == kind]


def test_points_stand_by_their_values():
    root = chart([4, 8, 16], [Panel("score", [Curve("s", [1.0, 3.0, 2.0])])])
    (left, low), (middle, high), (right, between) = dots(root)
    assert middle - left == pytest.approx(right - middle, abs=0.2)  # the axis is logarithmic
    assert between == pytest.approx((low + high) / 2, abs=0.2)
    assert high < low  # SVG counts downwards


def test_an_error_bar_reaches_as_far_as_the_error():
    panel = Panel("score", [Curve("s", [1.0, 2.0], [0.0, 0.5])], include=(0.0, 4.0), height=100)
    root = chart([4, 8], [panel])
    (_, _), (at, y) = dots(root)
    upright = [
        (float(each.get("y1")), float(each.get("y2")))
        for each in root.iter(f"{SVG}line")
        if each.get("x1") == each.get("x2") == f"{at:.1f}" and each.get("class") == "line a"
    ]
    assert upright == [(y + 12.5, y - 12.5)]


def test_a_missing_value_leaves_a_gap():
    root = chart([2, 4, 8, 16], [Panel("score", [Curve("s", [1.0, None, 2.0, 3.0])])])
    assert len(dots(root)) == 3
    assert len([e for e in root.iter(f"{SVG}line") if e.get("class") == "line a"]) == 1


def test_two_lines_are_told_apart_by_name():
    lines = [Curve("first one", [1.0, 2.0]), Curve("second one", [2.0, 1.0])]
    root = chart([2, 4], [Panel("both", lines)])
    assert {"first one", "second one"} <= {text.text for text in texts(root)}
    assert len(dots(root, "a")) == len(dots(root, "b")) == 3  # two points and the legend's


def test_the_marked_x_is_pointed_out():
    root = chart([4, 8, 28], [Panel("score", [Curve("s", [1.0, 2.0, 3.0])])], marked=8)
    assert [text.text for text in texts(root, "chosen")] == ["taken", "8"]
    [mark] = [e for e in root.iter(f"{SVG}line") if e.get("class") == "mark"]
    assert float(mark.get("x1")) == pytest.approx(dots(root)[1][0])


@pytest.mark.parametrize("marked", [2, 17, 60])
def test_labels_of_the_axis_keep_apart(marked):
    x = list(range(2, 61))
    root = chart(x, [Panel("score", [Curve("s", [float(v) for v in x])])], marked=marked)
    baseline = next(t.get("y") for t in texts(root, "chosen") if t.text == str(marked))
    places = sorted(float(t.get("x")) for t in texts(root) if t.get("y") == baseline)
    assert len(places) > 5
    assert all(right - left >= 26 for left, right in pairwise(places))


def test_text_is_shown_and_never_obeyed():
    title = 'a <b> & "c" \x1b[2J \ud800 </svg><script>'
    root = chart(
        [2, 4],
        [Panel(title, [Curve("s", [1.0, 2.0])])],
        title=title,
        x_label=title,
        annotation=title,
    )
    shown = 'a <b> & "c" ?[2J ? </svg><script>'
    assert [t.text for t in texts(root)].count(shown) == 4
    assert list(root.iter(f"{SVG}script")) == []


VALUES = st.floats(-1e6, 1e6, allow_nan=False).map(lambda v: round(v, 6))


@given(
    st.lists(st.tuples(st.integers(2, 1000), VALUES, VALUES.map(abs)), min_size=2, max_size=12,
             unique_by=lambda row: row[0]),
    st.data(),
)  # fmt: skip
def test_all_that_is_drawn_lies_within_the_frame(rows, data):
    x, values, errors = zip(*rows, strict=True)
    marked = data.draw(st.sampled_from(x))
    root = chart(x, [Panel("score", [Curve("s", values, errors)], level=values[0])], marked=marked)
    width, height = float(root.get("width")), float(root.get("height"))
    for element in root.iter():
        for name in ("x", "x1", "x2", "cx"):
            assert 0 <= float(element.get(name, 0)) <= width
        for name in ("y", "y1", "y2", "cy"):
            assert 0 <= float(element.get(name, 0)) <= height


@given(VALUES, VALUES.map(abs))
@example(177890.0, 6.1e-05)
def test_ticks_are_even_few_and_reach_around(low, span):
    ticks = nice_ticks(low, low + span)
    steps = [right - left for left, right in pairwise(ticks)]
    assert 2 <= len(ticks) <= 7
    # A difference of two ticks is as exact as the floats that they are.
    rounding = 4 * math.ulp(max(map(abs, ticks)))
    assert max(steps) == pytest.approx(min(steps), rel=1e-6, abs=rounding)
    slack = 1e-6 * steps[0] + rounding
    assert ticks[0] <= low + slack
    assert ticks[-1] >= low + span - slack


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_can_be_read_on_the_ground_in_light_and_dark(scheme):
    svg = line_chart(
        [2, 4], [Panel("p", [Curve("s", [1, 2])])], title="", x_label="", marked=2, annotation=""
    )
    style = re.search(r"<style>(.*?)</style>", svg, re.DOTALL)[1]
    light, dark = style.split("@media (prefers-color-scheme:dark){")
    rules = light if scheme == "light" else dark

    def luminance(selector, what):
        block = re.search(re.escape(selector) + r"\{([^}]*)\}", rules)[1]
        colour = re.search(what + r":#([0-9a-f]+)", block)[1]
        digits = colour if len(colour) == 6 else "".join(2 * c for c in colour)
        channels = [int(digits[n : n + 2], 16) / 255 for n in (0, 2, 4)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    ground = luminance(".ground", "fill")
    for selector, what in (
        (".tick", "fill"),
        (".chosen", "fill"),
        (".a", "stroke"),
        (".b", "stroke"),
    ):
        ink = luminance(selector, what)
        contrast = (max(ink, ground) + 0.05) / (min(ink, ground) + 0.05)
        assert contrast > 4.5, selector


def test_a_choice_is_drawn_in_three_panels():
    table = [Candidate(k, -6 - k / 100, k / 100 - 0.04, 0.01, 0.9, None, k, 1.0) for k in (4, 6, 8)]
    svg = draw_choice(SimpleNamespace(candidates=table, n_topics=6), "Some & more")
    root = ET.fromstring(svg)
    shown = [text.text for text in texts(root)]
    assert {"Some & more", "recommended: K = 6", "topics used", "used", "on topics"} <= set(shown)
    assert any("held-out words" in text for text in shown)
    assert len(dots(root)) == 3 * 3 + 2


def test_a_picture_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "a.svg"
    write_svg(path, "<svg>old</svg>")

    def broken(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", broken)
    with pytest.raises(InputError, match=r"a\.svg: cannot be written \(No space left"):
        write_svg(path, "<svg>new</svg>")
    assert path.read_text() == "<svg>old</svg>"
    assert list(tmp_path.iterdir()) == [path]
    monkeypatch.undo()
    write_svg(path, "<svg>ρ</svg>")
    assert path.read_text(encoding="utf-8") == "<svg>ρ</svg>"


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "link.svg").symlink_to(tmp_path / "file.svg")
    write_svg(tmp_path / "link.svg", "<svg/>")
    assert (tmp_path / "link.svg").is_symlink()
    assert (tmp_path / "file.svg").read_text() == "<svg/>"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("a.png", "a picture's name ends in .svg"),
        ("", "a picture's name ends in .svg"),
        ("no/a.svg", "there is no folder .*no: make it first"),
        ("folder.svg", "is a folder: give a file"),
        ("a\0.svg", "a picture's name ends in .svg"),
        ("x" * 300 + ".svg", "cannot be written"),
    ],
)
def test_a_place_where_no_picture_can_go_is_refused(tmp_path, name, message):
    (tmp_path / "folder.svg").mkdir()
    with pytest.raises(InputError, match=message):
        check_svg(f"{tmp_path}/{name}" if name else "")
    assert [path.name for path in tmp_path.iterdir()] == ["folder.svg"]


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write anywhere")
def test_a_folder_that_may_not_be_written_to_is_refused(tmp_path):
    tmp_path.chmod(stat.S_IRUSR | stat.S_IXUSR)
    with pytest.raises(InputError, match="cannot be written"):
        check_svg(tmp_path / "a.svg")
