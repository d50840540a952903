"""The model's hyperparameters and its three variants."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from permutopic.checks import check_choice, check_integer, check_real
from permutopic.errors import InputError, Message, Parameter
from permutopic.mallows import mean_inversions, n_values

if TYPE_CHECKING:
    import numpy as np

    from permutopic.corpus import Corpus

# Wider than any use, narrow enough for products of counts and differences of logΓ to be exact.
_MINIMUM, _MAXIMUM = 1e-12, 1e6


class Variant(StrEnum):
    """What is assumed of the documents' orders (section 6.1)."""

    FULL = "full"
    """Orders follow a Generalized Mallows Model whose dispersion is learned."""
    CONSTRAINED = "constrained"
    """Every document keeps the canonical order: v = 0, no ρ."""
    UNIFORM = "uniform"
    """Every order is equally likely: ρ = 0."""

    @property
    def fixed_dispersion(self) -> float | None:
        """The dispersion that this variant fixes for every topic, or None."""
        return {"constrained": math.inf, "uniform": 0.0}.get(self.value)


@dataclass(frozen=True)
class Priors:
    """The hyperparameters, validated when made.

    Attributes
    ----------
    topic
        θ0: concentration of the topics' prevalence.
    word
        β0: concentration of the topics' word distributions.
    dispersion
        ρ0: the dispersion that the prior expects.
    strength
        ν0: how many documents that expectation is worth.
    variant
        Constrained and uniform are extreme priors on the orders; ρ0 and ν0 then play no part.

    Examples
    --------
    >>> Priors.for_documents(100)
    Priors(topic=0.1, word=0.1, dispersion=1.0, strength=10.0, variant=<Variant.FULL: 'full'>)
    """

    topic: float
    word: float
    dispersion: float
    strength: float
    variant: Variant = Variant.FULL

    def __post_init__(self) -> None:
        for field, name, symbol, *bounds in (
            ("topic", "topic_prior", "θ0", _MINIMUM, _MAXIMUM),
            ("word", "word_prior", "β0", _MINIMUM, _MAXIMUM),
            ("dispersion", "dispersion_prior", "ρ0", 0.0, 500.0),
            ("strength", "dispersion_strength", "ν0", _MINIMUM, _MAXIMUM),
        ):
            number = check_real(getattr(self, str(field)), str(name), *bounds, note=str(symbol))
            object.__setattr__(self, str(field), number)
        check_choice(self.variant, "variant", Variant)
        object.__setattr__(self, "variant", Variant(self.variant))

    @classmethod
    def for_documents(
        cls,
        n_documents: int,
        *,
        topic: float = 0.1,
        word: float = 0.1,
        dispersion: float = 1.0,
        strength: float | None = None,
        variant: Variant | str = Variant.FULL,
    ) -> Priors:
        """Make priors with the paper's values by default: ν0 is a tenth of the documents."""
        nu = 0.1 * n_documents if strength is None else strength
        return cls(topic, word, dispersion, nu, variant)  # type: ignore[arg-type]

    def mean_inversions(self, n_topics: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        """v_j0 (eq. 5): the inversion counts whose most likely dispersion is ρ0."""
        return mean_inversions(self.dispersion, n_values(n_topics))


def check_n_topics(n_topics: object) -> int:
    """Return K as an int of at least 2; span scores take memory in proportion to it."""
    return check_integer(n_topics, "n_topics", 2, 10_000, note="K")


def check_enough_units(n_topics: int, corpus: Corpus) -> None:
    """Refuse more topics than the corpus has units, as clustering refuses more than points."""
    message = say_too_few_units(n_topics, corpus)
    if message is not None:
        raise InputError(message)


def say_too_few_units(n_topics: int, corpus: Corpus) -> Message | None:
    """Say that K is too large for a corpus, or return None."""
    if n_topics <= corpus.n_units:
        return None
    units = f"{corpus.n_units:,} {corpus.units.kind}{'' if corpus.n_units == 1 else 's'}"
    return Message(
        Parameter("n_topics"),
        f" (K) must be at most the number of units to fit: {units}, not {n_topics:,}",
    )
