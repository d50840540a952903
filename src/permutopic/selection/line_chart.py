"""Line charts as SVG: panels one below the other over a common x axis.

The chart has its own background and follows the viewer's preference for dark colours.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from permutopic.errors import InputError
from permutopic.files import atomic_file, os_errors_explained, temporary_sibling

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_WIDTH, _LEFT, _RIGHT = 720, 64, 24
_TITLE, _HEADING, _FOOT = 66, 26, 46
_GAP = 18
_LETTER = 0.55  # mean width of a letter in ems, to keep texts apart
_STYLE = """
text{font:13px system-ui,sans-serif;fill:#222}.title{font-size:16px;font-weight:600}
.tick{font-size:12px;fill:#555}.ground{fill:#fff}.grid{stroke:#ddd}.axis{stroke:#888}
.line{fill:none;stroke-width:2}.a{stroke:#0b62a4}.b{stroke:#b35900}.level{stroke-dasharray:5 4}
.dot.a{fill:#0b62a4}.dot.b{fill:#fff}.mark{stroke:#1a7f37;stroke-width:2;stroke-opacity:.55}
.chosen{fill:#1a7f37;font-weight:600}
@media (prefers-color-scheme:dark){text{fill:#eee}.tick{fill:#aaa}.ground{fill:#15191e}
.grid{stroke:#333a42}.axis{stroke:#888}.a{stroke:#6cb6ff}.b{stroke:#ffa657}.dot.a{fill:#6cb6ff}
.dot.b{fill:#15191e}.mark{stroke:#57d07a}.chosen{fill:#57d07a}}
"""


@dataclass(frozen=True)
class Curve:
    """A value for each x, None if undefined, and standard errors if known."""

    name: str
    values: Sequence[float | None]
    errors: Sequence[float] | None = None


@dataclass(frozen=True)
class Panel:
    """One or two curves over the common x axis.

    Attributes
    ----------
    heading
        The quantity and its unit.
    curves
        The second has hollow markers; two curves get a legend.
    level
        A y value to mark by a dashed line.
    include
        Values that the y axis includes in any case.
    height
        In pixels.
    """

    heading: str
    curves: Sequence[Curve]
    level: float | None = None
    include: Sequence[float] = ()
    height: int = 120


def line_chart(
    x: Sequence[float],
    panels: Sequence[Panel],
    *,
    title: str,
    x_label: str,
    marked: float,
    annotation: str,
) -> str:
    """Draw panels over a logarithmic x axis; mark one x by a line and an annotation.

    >>> svg = line_chart([4, 8], [Panel("score", [Curve("s", [1.0, 2.0])])], title="a < b",
    ...                  x_label="K", marked=8, annotation="taken")
    >>> svg.startswith("<svg"), "a &lt; b" in svg
    (True, True)
    """
    x_scale = _XScale(x)
    height = _TITLE + sum(_HEADING + panel.height + _GAP for panel in panels) + _FOOT - _GAP
    at = x_scale(marked)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" '
        f'width="{_WIDTH}" height="{height}" role="img">',
        f"<title>{_escape(title)}</title><style>{_STYLE}</style>",
        f'<rect class="ground" width="{_WIDTH}" height="{height}" fill="#fff"/>',
        _text(_LEFT, 26, title, "title"),
        _text(_clamp_label(at, annotation), 52, annotation, "chosen", "middle"),
    ]
    top = _TITLE
    for panel in panels:
        parts += _draw_panel(panel, x, x_scale, at, top)
        top += _HEADING + panel.height + _GAP
    parts += _x_labels(x, marked, x_scale, height - _FOOT + 16)
    parts += [_text((_LEFT + _WIDTH - _RIGHT) / 2, height - 8, x_label, "", "middle"), "</svg>\n"]
    return "\n".join(parts)


class _XScale:
    """The logarithmic scale from x values to pixels."""

    def __init__(self, x: Sequence[float]) -> None:
        self.low, self.high = math.log(min(x)), math.log(max(x))

    def __call__(self, value: float) -> float:
        margin = 14  # between points and axis
        width = _WIDTH - _LEFT - _RIGHT - 2 * margin
        share = (math.log(value) - self.low) / ((self.high - self.low) or 1)
        return _LEFT + margin + share * width


def _draw_panel(
    panel: Panel, x: Sequence[float], x_scale: _XScale, marked: float, top: float
) -> list[str]:
    ticks = nice_ticks(*_extent(panel))
    ceiling, floor = top + _HEADING, top + _HEADING + panel.height

    def y_of(value: float) -> float:
        return floor - (value - ticks[0]) / (ticks[-1] - ticks[0]) * panel.height

    digits = max(0, -math.floor(math.log10(ticks[1] - ticks[0]) + 1e-9))
    parts = [_text(_LEFT, top + 15, panel.heading)]
    for tick in ticks:
        parts.append(_segment(_LEFT, y_of(tick), _WIDTH - _RIGHT, y_of(tick), "grid"))
        parts.append(_text(_LEFT - 8, y_of(tick) + 4, _number(tick, digits), "tick", "end"))
    parts.append(_segment(_LEFT, floor, _WIDTH - _RIGHT, floor, "axis"))
    parts.append(_segment(marked, ceiling, marked, floor, "mark"))
    if panel.level is not None:
        level = y_of(panel.level)
        parts.append(_segment(_LEFT, level, _WIDTH - _RIGHT, level, "axis level"))
    if len(panel.curves) > 1:
        parts += _legend(panel, top + 15)
    for which, curve in reversed(list(zip("ab", panel.curves, strict=False))):  # the first on top
        parts += _draw_curve(curve, [x_scale(value) for value in x], y_of, which)
    return parts


def _extent(panel: Panel) -> tuple[float, float]:
    """Return the lowest and the highest value of a panel."""
    values = [*panel.include, *([] if panel.level is None else [panel.level])]
    for curve in panel.curves:
        errors = curve.errors or [0.0] * len(curve.values)
        for value, error in zip(curve.values, errors, strict=True):
            values += [] if value is None else [value - error, value + error]
    return (min(values), max(values)) if values else (0.0, 1.0)


def nice_ticks(low: float, high: float, about: int = 4) -> list[float]:
    """Return evenly spaced round numbers that cover `low` to `high`.

    >>> nice_ticks(0.13, 0.87)
    [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    """
    span = (high - low) or abs(high) or 1.0
    rough = span / about
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough * 0.999)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    last = max(last, first + 1)
    return [round(n * step, 12) + 0.0 for n in range(first, last + 1)]


def _draw_curve(
    curve: Curve, xs: Sequence[float], y_of: Callable[[float], float], which: str
) -> Iterator[str]:
    """Draw segments between adjacent defined values, error bars, and a marker on each."""
    errors = curve.errors or [0.0] * len(curve.values)
    points = list(zip(xs, curve.values, errors, strict=True))
    for (left, first, _), (right, second, _) in pairwise(points):
        if first is not None and second is not None:
            yield _segment(left, y_of(first), right, y_of(second), f"line {which}")
    for at, value, error in points:
        if value is None:
            continue
        if error > 0:
            bottom, top = y_of(value - error), y_of(value + error)
            yield _segment(at, bottom, at, top, f"line {which}")
            yield _segment(at - 4, bottom, at + 4, bottom, f"line {which}")
            yield _segment(at - 4, top, at + 4, top, f"line {which}")
        yield _dot(at, y_of(value), which)


def _legend(panel: Panel, baseline: float) -> Iterator[str]:
    """Draw the names of curves at the right of the heading, the last one outermost."""
    right = float(_WIDTH - _RIGHT)
    for which, curve in reversed(list(zip("ab", panel.curves, strict=False))):
        yield _text(right, baseline, curve.name, "tick", "end")
        right -= 12 * _LETTER * len(curve.name) + 12
        yield _dot(right, baseline - 4, which)
        right -= 20


def _x_labels(
    x: Sequence[float], marked: float, x_scale: _XScale, baseline: float
) -> Iterator[str]:
    """Label the marked x, and the others from left to right as far as they fit."""
    taken: list[float] = []
    for value in [marked, *(other for other in sorted(x) if other != marked)]:
        at = x_scale(value)
        if all(abs(at - other) >= 26 for other in taken):
            taken.append(at)
            kind = "chosen" if value == marked else "tick"
            yield _text(at, baseline, f"{value:g}", kind, "middle")


def _clamp_label(at: float, text: str) -> float:
    """Return the centre of a text near `at` such that the text is within the chart."""
    half = 13 * 1.15 * _LETTER * len(text) / 2  # bold letters are wider
    return min(max(at, _LEFT + half), _WIDTH - _RIGHT - half)


def _number(value: float, digits: int) -> str:
    return f"{value:.{digits}f}".replace("-", "−")


def _dot(x: float, y: float, which: str) -> str:
    return f'<circle class="dot {which}" cx="{x:.1f}" cy="{y:.1f}" r="4" stroke-width="2"/>'


def _segment(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def _text(x: float, y: float, text: str, kind: str = "", anchor: str = "start") -> str:
    chosen = f' class="{kind}"' if kind else ""
    return f'<text{chosen} x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{_escape(text)}</text>'


def _escape(text: str) -> str:
    """Escape XML markup, and replace characters that are not printable by question marks."""
    shown = (c if c.isprintable() or c == " " else "?" for c in text)
    return escape("".join(shown))


def check_svg(path: str | Path) -> None:
    """Refuse a path that cannot be written, before the work begins."""
    target = Path(path)
    if target.suffix.lower() != ".svg" or "\0" in str(path):
        raise InputError(f"{str(path)!r}: a picture's name ends in .svg")
    with os_errors_explained(path):
        if target.is_dir():
            raise InputError(f"{path} is a folder: give a file")
        if not target.parent.is_dir():
            raise InputError(f"{path}: there is no folder {target.parent}: make it first")
        target.exists()  # says so when the name is too long
        trial = temporary_sibling(target)  # the only test that works on all systems
        trial.touch()
        trial.unlink()


def write_svg(path: str | Path, svg: str) -> None:
    """Write a chart to a file, atomically."""
    check_svg(path)
    with atomic_file(path) as file:
        file.write(svg.encode())
