"""The chart of a choice: what it shows, and that it is written the same each time."""

from __future__ import annotations

import os
import stat
import sys
from itertools import pairwise
from types import SimpleNamespace
from xml.etree import ElementTree as ET

import matplotlib
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from permutopic import InputError
from permutopic.selection import chart
from permutopic.selection.chart import (
    check_chart_target,
    draw_choice,
    labelled_sizes,
    write_chart,
)
from permutopic.selection.recommending import Candidate

SIZES = (4, 8, 16)


def candidate(n_topics, held_out=-6.0, error=0.01, order_agreement=0.9):
    return Candidate(n_topics, held_out, 0.0, error, 0.8, order_agreement, n_topics - 1, 1.0)


def choice_of(*candidates, chosen=None):
    return SimpleNamespace(
        candidates=candidates,
        n_topics=candidates[0].n_topics if chosen is None else chosen,
        n_documents=1200,
        n_held_out=240,
    )


CHOICE = choice_of(*map(candidate, SIZES, (-6.5, -6.25, -6.375), (0.02, 0.0, 0.01)), chosen=8)


@pytest.fixture
def panels():
    return draw_choice(CHOICE).axes


def curve(panel, name):
    [found] = [line for line in panel.lines if line.get_label() == name]
    return found


def test_the_scores_stand_at_their_k_on_a_logarithmic_axis(panels):
    score = panels[0]
    [bars] = score.containers
    assert bars.lines[0].get_xydata().tolist() == [[4, -6.5], [8, -6.25], [16, -6.375]]
    assert [panel.get_xscale() for panel in panels] == ["log"] * 3


def test_an_error_bar_reaches_as_far_as_the_error(panels):
    [bars] = panels[0].containers
    [uprights] = bars.lines[2]
    assert [np.ptp(ends[:, 1]) for ends in uprights.get_segments()] == pytest.approx(
        [0.04, 0, 0.02]
    )


def test_the_best_score_is_the_dashed_line(panels):
    [level] = [line for line in panels[0].lines if line.get_linestyle() == "--"]
    assert level.get_ydata() == pytest.approx([-6.25, -6.25])


def test_agreement_and_topics_used_have_two_named_curves_each(panels):
    _, agreement, used = panels
    assert curve(agreement, "on topics").get_ydata() == pytest.approx([0.8] * 3)
    assert curve(agreement, "on their order").get_ydata() == pytest.approx([0.9] * 3)
    assert curve(used, "used").get_ydata() == pytest.approx([3, 7, 15])
    assert curve(used, "allowed").get_ydata() == pytest.approx(SIZES)
    for panel in (agreement, used):
        first, second = panel.lines[:2]
        assert first.get_markerfacecolor() != second.get_markerfacecolor() == "white"
        shown = [text.get_text() for text in panel.get_legend().get_texts()]
        assert shown == [first.get_label(), second.get_label()]
    assert agreement.get_ylim()[0] <= 0
    assert agreement.get_ylim()[1] >= 1
    assert used.get_ylim()[0] == 0


def test_an_agreement_below_chance_is_in_the_picture():
    below = candidate(8, order_agreement=-0.5)
    agreement = draw_choice(choice_of(candidate(4), below)).axes[1]
    assert agreement.get_ylim()[0] < -0.5


def test_a_missing_value_leaves_a_gap():
    table = [candidate(4), candidate(8, order_agreement=None), candidate(16)]
    values = curve(draw_choice(choice_of(*table)).axes[1], "on their order").get_ydata()
    assert np.isnan(values).tolist() == [False, True, False]


def test_the_recommended_k_is_marked_in_every_panel(panels):
    for panel in panels:
        assert list(curve(panel, "recommended: K = 8").get_xdata()) == [8, 8]
    assert [text.get_text() for text in panels[0].get_legend().get_texts()] == [
        "recommended: K = 8"
    ]
    bold = [t.get_text() for t in panels[-1].get_xticklabels() if t.get_fontweight() == "bold"]
    assert bold == ["8"]


@pytest.mark.parametrize("chosen", [2, 17, 60])
def test_labels_of_the_axis_keep_apart(chosen):
    figure = draw_choice(choice_of(*map(candidate, range(2, 61)), chosen=chosen))
    renderer = FigureCanvasAgg(figure).get_renderer()
    figure.draw(renderer)
    boxes = [t.get_window_extent(renderer) for t in figure.axes[-1].get_xticklabels()]
    assert len(boxes) > 10
    assert all(left.x1 < right.x0 for left, right in pairwise(boxes))
    assert str(chosen) in [t.get_text() for t in figure.axes[-1].get_xticklabels()]


def test_two_k_far_apart_and_two_equal_ones_are_labelled():
    assert labelled_sizes([2, 1000], 1000) == [2, 1000]
    assert labelled_sizes([5, 5], 5) == [5]


def luminance(colour):
    channels = [int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("colour", [chart.FIRST, chart.SECOND, chart.CHOSEN])
def test_every_colour_can_be_seen_on_white(colour):
    assert 1.05 / (luminance(colour) + 0.05) > 4.5


def test_text_stays_text(tmp_path):
    write_chart(CHOICE, tmp_path / "k.svg")
    root = ET.parse(tmp_path / "k.svg").getroot()
    shown = {text.text for text in root.iter("{http://www.w3.org/2000/svg}text")}
    assert "Choosing K: 1,200 documents, 240 held out" in shown
    assert {"recommended: K = 8", "topics used", "used", "allowed", "on topics"} <= shown
    assert any("held-out words, nats per word" in text for text in shown)


@pytest.mark.parametrize("name", ["k.svg", "k.png", "K.PDF"])
def test_the_same_choice_gives_the_same_bytes_whatever_the_users_style(tmp_path, name):
    write_chart(CHOICE, tmp_path / name)
    first = (tmp_path / name).read_bytes()
    assert first.startswith((b"<?xml", b"\x89PNG", b"%PDF"))
    style = {"font.size": 30, "axes.facecolor": "black", "savefig.dpi": 20, "svg.hashsalt": "x"}
    with matplotlib.rc_context(style):
        write_chart(CHOICE, tmp_path / name)
        assert matplotlib.rcParams["font.size"] == 30
    assert (tmp_path / name).read_bytes() == first
    assert b"date" not in first.lower()


def test_a_picture_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "a.svg"
    path.write_text("mine")

    def broken(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", broken)
    with pytest.raises(InputError, match=r"a\.svg: cannot be written \(No space left"):
        write_chart(CHOICE, path)
    assert path.read_text() == "mine"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("a.jpg", r"a\.jpg': a picture's name ends in \.svg, \.png or \.pdf$"),
        ("", "a picture's name ends in .svg"),
        ("no/a.svg", "there is no folder .*no: make it first"),
        ("folder.svg", "is a folder: give a file"),
        ("a\0.svg", "is no name of a file: it has a NUL character"),
        ("x" * 300 + ".svg", "cannot be written"),
    ],
)
def test_a_place_where_no_picture_can_go_is_refused(tmp_path, name, message):
    (tmp_path / "folder.svg").mkdir()
    with pytest.raises(InputError, match=message):
        check_chart_target(f"{tmp_path}/{name}" if name else "")
    assert [path.name for path in tmp_path.iterdir()] == ["folder.svg"]


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write anywhere")
def test_a_folder_that_may_not_be_written_to_is_refused(tmp_path):
    tmp_path.chmod(stat.S_IRUSR | stat.S_IXUSR)
    with pytest.raises(InputError, match="cannot be written"):
        check_chart_target(tmp_path / "a.svg")


def test_the_extra_that_is_missing_is_named_before_any_work(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(
        InputError, match=r"^charts need the extra 'plot': pip install 'permutopic\["
    ):
        check_chart_target(tmp_path / "a.svg")
