"""The canonical outline: topics in canonical order, with their shares and dispersion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from permutopic.errors import Message, Parameter
from permutopic.mallows import log_normalizer
from permutopic.model.priors import Variant
from permutopic.topics.view import dispersion_in_use

if TYPE_CHECKING:
    from collections.abc import Sequence

    from permutopic.model.priors import Priors
    from permutopic.topics.naming import TopicName
    from permutopic.topics.view import TopicView

FIRMNESS = ((9.0, "fixed"), (4.0, "firm"), (2.0, "loose"), (0.0, "wanders"))
"""Least exp(ρ), the odds of a topic's own slot to the next one, and the word for it."""
_WANDERS = FIRMNESS[-1][1]
WANDERING_SHARE, _MIN_TOPICS = 0.7, 3
"""If at least this share of the topics wander, of so many with a ρ, there is no order."""
MIN_DOCUMENTS = 10
"""With fewer documents the estimate of ρ is too uncertain for a word."""


@dataclass(frozen=True)
class OutlineEntry:
    """One topic of the outline.

    Attributes
    ----------
    topic
        The topic's number, which is its slot in the canonical order, from zero.
    name
        Its name, unique in the model.
    named_by
        "heading", "words" or "user"; "none" if no document has the topic.
    words
        Its most distinctive words, the most distinctive first.
    document_share
        Share of the documents that have the topic.
    mean_units
        Mean number of units it has in those documents.
    dispersion
        ρ: how firmly it keeps its position among the topics after it. None where the model has
        none: for the last topic in use, and in the constrained and uniform variants. Where some
        topics are in no document, the most probable ρ given the orders of the others.
    in_place
        The probability, which follows from ρ, that none of the later topics precedes this one.
    firmness
        ρ in a word. The topic is exp(ρ) times as probable in its own slot as one slot later: at
        least 9 times is "fixed", 4 "firm", 2 "loose", less "wanders". None without ρ, and with
        fewer than ten documents.
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
        n_documents = np.count_nonzero(units)
        rho = dispersion.get(topic)
        n_later = np.count_nonzero(used[topic + 1 :])
        in_place = None if rho is None else float(np.exp(-log_normalizer(rho, n_later + 1)))
        entries.append(
            OutlineEntry(
                topic=topic,
                name=name.text,
                named_by=name.source,
                words=tuple(vocabulary[word] for word in view.ranked_words[topic][:n_words]),
                document_share=n_documents / units.size,
                mean_units=float(units.sum() / n_documents) if n_documents else 0.0,
                dispersion=rho,
                in_place=in_place,
                firmness=None if rho is None or units.size < MIN_DOCUMENTS else firmness_of(rho),
            )
        )
    return tuple(entries)


def say_no_order(entries: Sequence[OutlineEntry], *, subject_words: bool) -> Message | None:
    """Say that the documents seem to share no order, if nearly all topics wander; else None.

    `subject_words` tells whether the model had them, for what to try.
    """
    words = [entry.firmness for entry in entries if entry.firmness is not None]
    n_wandering = words.count(_WANDERS)
    if len(words) < _MIN_TOPICS or n_wandering < WANDERING_SHARE * len(words):
        return None
    themes = "" if subject_words else " may be what single documents are about, and"
    advice: list[str | Parameter] = [
        f"{n_wandering} of {len(words)} topics wander: these documents seem to share no order. The "
        f"topics{themes} can be read as themes, not as an outline. Try fewer topics (",
        Parameter("n_topics"),
        "), ",
    ]
    if not subject_words:
        advice += ["words that follow the documents (", Parameter("subject_words"), "), "]
    advice.append(
        "and documents of one kind; see that headings do not end up in the text and that units are "
        "paragraphs, not lines"
    )
    return Message(*advice)


def firmness_of(dispersion: float) -> str:
    """Return the word for how firmly a topic keeps its position.

    >>> [firmness_of(rho) for rho in (2.2, 1.4, 0.7, 0.6)]
    ['fixed', 'firm', 'loose', 'wanders']
    """
    return next(word for odds, word in FIRMNESS if np.exp(dispersion) >= odds)
