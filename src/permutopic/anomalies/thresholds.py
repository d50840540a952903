"""Thresholds above or below which a finding is reported."""

from __future__ import annotations

from dataclasses import dataclass

from permutopic.checks import check_integer, check_real


@dataclass(frozen=True)
class Thresholds:
    """Thresholds of the findings; docs/studies/checking.md has how they were chosen.

    Attributes
    ----------
    most
        A topic is missing if at least this share of the documents, cut to the same length, has it.
    unlikely
        A topic is misplaced if the probability of such a position is at most this.
    sure
        Least posterior probability of a finding.
    misfit
        A unit fits no topic if its misfit exceeds the document's median by at least this, in nats
        per word.
    odds
        A unit belongs to another topic if that topic's log odds are at least this, in nats, and
        at least `rate` in nats per word.
    rate
        See `odds`.
    unknown
        A unit is reported if at least this share of its words is unknown to the model.
    words
        Units of fewer tokens are never reported.

    Examples
    --------
    >>> Thresholds(unlikely=0.01).unlikely
    0.01
    """

    most: float = 0.5
    unlikely: float = 0.02
    sure: float = 0.5
    misfit: float = 0.5
    odds: float = 20.0
    rate: float = 0.5
    unknown: float = 0.5
    words: int = 20

    def __post_init__(self) -> None:
        for name in ("most", "unlikely", "sure", "unknown"):
            object.__setattr__(self, name, check_real(getattr(self, name), name, 0, 1))
        for name in ("misfit", "odds", "rate"):
            object.__setattr__(self, name, check_real(getattr(self, name), name, 0, 1e6))
        object.__setattr__(self, "words", check_integer(self.words, "words", 1))
