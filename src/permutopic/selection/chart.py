"""A chart of the choice of K: held-out score, agreement and topics used, by K."""

from __future__ import annotations

import math
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from permutopic.errors import InputError
from permutopic.extras import needs
from permutopic.files import atomic_file, check_file_target

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from permutopic.selection.choosing import Choice

EXTENSIONS = (".svg", ".png", ".pdf")
# Blue, vermilion and green of Okabe and Ito (2008), which differ for any colour vision. The last
# is darker here, and vermilion too, so that a line contrasts with white by 4.5 to 1.
FIRST, SECOND, CHOSEN = "#0072b2", "#bf5300", "#007a59"
_GREY = "#767676"
_MIN_DISTANCE = 0.05  # of two labels of the K axis, as a share of its length
_STYLE = {
    "font.family": "DejaVu Sans",  # it comes with matplotlib: the same letters everywhere
    "font.size": 10,
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "axes.axisbelow": True,
    "grid.color": "#dddddd",
    "legend.frameon": False,
    "legend.fontsize": 9,
    "svg.fonttype": "none",  # text stays text, for search and for screen readers
    "svg.hashsalt": "permutopic",  # else the names of elements are random
}
# What would differ from day to day, or with the version of matplotlib.
_OMITTED: dict[str, dict[str, None]] = {
    ".svg": {"Date": None, "Creator": None},
    ".png": {"Software": None},
    ".pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}


def check_chart_target(path: str | Path) -> str:
    """Refuse a path where no chart can be written, before any work; return the extension."""
    extension = Path(path).suffix.lower()
    if extension not in EXTENSIONS:
        raise InputError(
            f"{str(path)!r}: a picture's name ends in {', '.join(EXTENSIONS[:-1])} or "
            f"{EXTENSIONS[-1]}"
        )
    _matplotlib("figure")
    check_file_target(path)
    return extension


def write_chart(choice: Choice, path: str | Path) -> None:
    """Draw a choice and write it to a file, atomically; the same choice gives the same bytes."""
    extension = check_chart_target(path)
    figure = draw_choice(choice)
    with atomic_file(path) as file, _own_style():
        figure.savefig(file, format=extension[1:], dpi=150, metadata=_OMITTED[extension])


def draw_choice(choice: Choice) -> Any:
    """Draw a choice as a matplotlib figure (needs the extra `plot`).

    Error bars are the standard errors of the difference from the best K, whose score is the dashed
    line: a K whose bar reaches it is as good to within the error.
    """
    table = choice.candidates
    sizes = [each.n_topics for each in table]
    with _own_style():
        figure = _matplotlib("figure").Figure(figsize=(7.2, 6.6), layout="constrained")
        title = f"Choosing K: {choice.n_documents:,} documents, {choice.n_held_out:,} held out"
        figure.suptitle(title, fontweight="bold")
        score, agreement, used = figure.subplots(3, sharex=True, height_ratios=(2, 1, 1))

        score.set_title("held-out words, nats per word (± error of the difference to the best)")
        score.axhline(max(each.held_out for each in table), color=_GREY, linestyle="--")
        errors = [each.behind_error for each in table]
        score.errorbar(
            sizes, [each.held_out for each in table], errors, marker="o", color=FIRST, capsize=4
        )

        agreement.set_title("agreement of fits with different seeds")
        _draw_two(
            agreement,
            sizes,
            {
                "on topics": [each.agreement for each in table],
                "on their order": [each.order_agreement for each in table],
            },
        )
        agreement.set_ylim(min(0.0, agreement.get_ylim()[0]), 1.05)

        used.set_title("topics used")
        _draw_two(used, sizes, {"used": [each.topics_used for each in table], "allowed": sizes})
        used.set_ylim(bottom=0)

        for panel in (score, agreement, used):
            panel.axvline(
                choice.n_topics,
                color=CHOSEN,
                alpha=0.6,
                zorder=1,
                label=f"recommended: K = {choice.n_topics}",
            )
        score.legend()  # where there is most room
        _label_sizes(used, sizes, choice.n_topics)
    return figure


def labelled_sizes(sizes: Sequence[int], chosen: int) -> list[int]:
    """Return the K that are labelled: the chosen one, and others as far as they keep apart.

    >>> labelled_sizes([4, 5, 6, 7, 8, 16], 8)
    [4, 5, 6, 7, 8, 16]
    >>> labelled_sizes(range(30, 61, 2), 60)
    [30, 32, 34, 36, 38, 40, 42, 44, 46, 48, 50, 52, 54, 56, 60]
    """
    length = math.log(max(sizes) / min(sizes)) or 1.0
    labelled: list[int] = []
    for size in (chosen, *sorted(sizes)):
        if all(abs(math.log(size / other)) >= _MIN_DISTANCE * length for other in labelled):
            labelled.append(size)
    return sorted(labelled)


def _draw_two(panel: Any, sizes: Sequence[int], curves: dict[str, Sequence[float | None]]) -> None:
    """Draw two named curves, the first over the second; a value that is None leaves a gap."""
    looks: tuple[dict[str, Any], ...] = (
        {"color": FIRST, "zorder": 3},
        {"color": SECOND, "markerfacecolor": "white"},
    )
    for (name, values), look in zip(curves.items(), looks, strict=True):
        defined = [math.nan if value is None else value for value in values]
        panel.plot(sizes, defined, marker="o", label=name, **look)
    panel.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=2, borderaxespad=0)


def _label_sizes(panel: Any, sizes: Sequence[int], chosen: int) -> None:
    """Label a logarithmic axis by the K that were tried."""
    labelled = labelled_sizes(sizes, chosen)
    panel.set_xscale("log")
    panel.set_xticks(labelled, labels=[str(size) for size in labelled])
    panel.minorticks_off()
    panel.set_xlabel("K, the number of topics")
    label = panel.get_xticklabels()[labelled.index(chosen)]
    label.set(color=CHOSEN, fontweight="bold")


@contextmanager
def _own_style() -> Iterator[None]:
    """Draw by matplotlib's defaults and `_STYLE`, whatever the user has set."""
    with _matplotlib("style").context(["default", _STYLE]):
        yield


def _matplotlib(part: str) -> Any:
    return needs(f"matplotlib.{part}", "plot", "charts")
