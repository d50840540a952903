"""The choice of K as a picture: score, stability and topics used, over K."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permutopic.selection.line_chart import Line, Panel, line_chart

if TYPE_CHECKING:
    from permutopic.selection.choosing import Choice


def draw_choice(choice: Choice, title: str = "Choosing K") -> str:
    """Draw a choice as SVG.

    Error bars are those of the difference to the best K, whose score is the dashed line: where a
    bar reaches it, that K is as good.
    """
    table = choice.candidates
    panels = [
        Panel(
            "held-out words, nats a word (± error of the difference to the best)",
            [Line("", [c.held_out for c in table], [c.behind_error for c in table])],
            level=max(c.held_out for c in table),
            height=220,
        ),
        Panel(
            "agreement of fits with different seeds",
            [
                Line("on topics", [c.agreement for c in table]),
                Line("on their order", [c.order_agreement for c in table]),
            ],
            reach=(0.0, 1.0),
        ),
        Panel(
            "topics used",
            [
                Line("used", [c.topics_used for c in table]),
                Line("allowed", [float(c.n_topics) for c in table]),
            ],
            reach=(0.0,),
        ),
    ]
    return line_chart(
        [c.n_topics for c in table],
        panels,
        title=title,
        x_label="K, the number of topics",
        marked=choice.n_topics,
        say=f"recommended: K = {choice.n_topics}",
    )
