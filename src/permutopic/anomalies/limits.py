"""From where on something counts as odd."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from permutopic.checks import check_integer, check_real


@dataclass(frozen=True)
class Limits:
    """Thresholds of the findings; docs/checking.md says how they were chosen.

    Attributes
    ----------
    most
        A topic that this share of the documents have is missed where it is not.
    unlikely
        A topic is out of place if at most this share of documents have it that far off.
    sure
        What the posterior holds less probable than this is not reported.
    misfit
        A unit fits no topic if it fits worse than the document's median one by so many nats a word.
    odds
        A unit belongs elsewhere if another topic is better by so many nats in all, and by a
        `rate` of so many a word.
    rate
        See `odds`.
    unknown
        A unit is strange if the model knows no word in so large a share of them.
    words
        Units of fewer tokens are never found odd.

    Examples
    --------
    >>> Limits(unlikely=0.01).unlikely
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

    def as_dict(self) -> dict[str, float]:
        """Give all thresholds by name."""
        return asdict(self)
