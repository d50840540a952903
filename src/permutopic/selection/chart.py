"""A chart of the choice of K: held-out score, agreement and topics used, by K."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permutopic.selection.line_chart import Curve, Panel, line_chart

if TYPE_CHECKING:
    from permutopic.selection.choosing import Choice


def draw_choice(choice: Choice, title: str = "Choosing K") -> str:
    """Draw a choice as SVG.

    Error bars are the standard errors of the difference from the best K, whose score is the dashed
    line: a K whose bar reaches it is as good to within the error.
    """
    table = choice.candidates
    panels = [
        Panel(
            "held-out words, nats per word (± error of the difference to the best)",
            [Curve("", [c.held_out for c in table], [c.behind_error for c in table])],
            level=max(c.held_out for c in table),
            height=220,
        ),
        Panel(
            "agreement of fits with different seeds",
            [
                Curve("on topics", [c.agreement for c in table]),
                Curve("on their order", [c.order_agreement for c in table]),
            ],
            include=(0.0, 1.0),
        ),
        Panel(
            "topics used",
            [
                Curve("used", [c.topics_used for c in table]),
                Curve("allowed", [float(c.n_topics) for c in table]),
            ],
            include=(0.0,),
        ),
    ]
    return line_chart(
        [c.n_topics for c in table],
        panels,
        title=title,
        x_label="K, the number of topics",
        marked=choice.n_topics,
        annotation=f"recommended: K = {choice.n_topics}",
    )
