"""The canonical outline: topics in canonical order, and how each one behaves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from permutopic.mallows import log_normalizer
from permutopic.model.priors import Variant
from permutopic.topics.view import dispersion_in_use

if TYPE_CHECKING:
    from collections.abc import Sequence

    from permutopic.model.priors import Priors
    from permutopic.topics.naming import TopicName
    from permutopic.topics.view import TopicView

FIRMNESS = ((9.0, "fixed"), (4.0, "firm"), (2.0, "loose"), (0.0, "wanders"))
"""What is said of a topic that is so many times as likely to be in its place as one place late."""
FEWEST = 10
"""From fewer documents than these nothing is said of the kind: ρ may be anything."""


@dataclass(frozen=True)
class OutlineEntry:
    """One topic of the outline.

    Attributes
    ----------
    topic
        The topic's number, which is its place in the canonical order, from zero.
    name
        What it is called; no other topic of the model is called that.
    named_by
        "heading", "words" or "user"; "none" if no document has the topic.
    words
        Its most telling words, the most telling first.
    document_share
        Share of the documents that have the topic.
    mean_units
        Mean number of units it takes in those documents.
    dispersion
        ρ: how firmly it keeps its place among the topics after it. None where the model has
        none: for the last topic in use, and in the constrained and uniform variants. Where some
        topics are in no document, this is the most likely ρ among the others.
    in_place
        What ρ comes to: the probability that none of the later topics comes before this one.
    firmness
        ρ in a word. The topic is exp(ρ) times as likely to be in its place as one place late: from
        9 times on that is "fixed", from 4 "firm", from 2 "loose", below "wanders". None where
        there is no ρ, and with fewer than ten documents.
    """

    topic: int
    name: str
    named_by: str
    words: tuple[str, ...]
    document_share: float
    mean_units: float
    dispersion: float | None
    in_place: float | None
    firmness: str | None


def make_outline(
    view: TopicView,
    names: Sequence[TopicName],
    priors: Priors,
    vocabulary: Sequence[str],
    n_words: int = 10,
) -> tuple[OutlineEntry, ...]:
    """List all topics in canonical order, unused ones included (their share is 0)."""
    full = priors.variant == Variant.FULL
    dispersion = dispersion_in_use(view, priors) if full else {}
    used = view.segments > 0
    entries = []
    for topic, name in enumerate(names):
        units = view.bag[:, topic]
        holders = np.count_nonzero(units)
        rho = dispersion.get(topic)
        later = np.count_nonzero(used[topic + 1 :])
        in_place = None if rho is None else float(np.exp(-log_normalizer(rho, later + 1)))
        entries.append(
            OutlineEntry(
                topic=topic,
                name=name.text,
                named_by=name.source,
                words=tuple(vocabulary[word] for word in view.ranked_words[topic][:n_words]),
                document_share=holders / units.size,
                mean_units=float(units.sum() / holders) if holders else 0.0,
                dispersion=rho,
                in_place=in_place,
                firmness=None if rho is None or units.size < FEWEST else in_words(rho),
            )
        )
    return tuple(entries)


def in_words(dispersion: float) -> str:
    """Say in a word how firmly a topic keeps its place.

    >>> [in_words(rho) for rho in (2.2, 1.4, 0.7, 0.6)]
    ['fixed', 'firm', 'loose', 'wanders']
    """
    return next(word for odds, word in FIRMNESS if np.exp(dispersion) >= odds)
