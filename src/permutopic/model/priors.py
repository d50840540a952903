"""The model's hyperparameters and its three variants."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import numpy as np

from permutopic.checks import check_choice, check_integer, check_real
from permutopic.errors import InputError, Message, Parameter
from permutopic.mallows import mean_inversions, n_values

if TYPE_CHECKING:
    from numpy.typing import NDArray

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


PAPER_WORD_PRIOR = 0.1
"""β0 in the paper's model."""


def section_word_prior(n_tokens: int, n_words: int) -> float:
    """Return β0 for a model with subject words, for N tokens of W words.

    A topic of fewer tokens than Wβ0 is smoothed more than it says itself, so Wβ0 sets how large a
    topic has to be: 0.75 N^(2/3), at most N/80, and β0 at most 0.25. See docs/studies/subjects.md.

    >>> [round(section_word_prior(*size), 3) for size in ((500_000, 43_000), (2_000, 800))]
    [0.11, 0.031]
    """
    total = min(0.75 * n_tokens ** (2 / 3), n_tokens / 80)
    return float(min(total / n_words, 0.25))


@dataclass(frozen=True, eq=False)
class SubjectPriors:
    """What the model assumes of subject words, beyond the paper.

    Attributes
    ----------
    base_rates
        (W,) g: the share that each word is expected to have of all tokens.
    document
        α: concentration of a document's subject words around their base rates.
    section
        η: how many tokens of a document are expected to be section words, in the same measure.
    """

    base_rates: NDArray[np.float64]
    document: float = 100.0
    section: float = 100.0

    def __post_init__(self) -> None:
        rates = np.asarray(self.base_rates)
        if rates.ndim != 1 or rates.dtype != np.float64 or not np.all(rates > 0):
            raise ValueError("base_rates is not one positive number for each word")
        for name in ("document", "section"):
            check_real(getattr(self, name), name, _MINIMUM, _MAXIMUM)

    @classmethod
    def for_corpus(
        cls, corpus: Corpus, *, document: float = 100.0, section: float = 100.0
    ) -> SubjectPriors:
        """Take each word's share of all tokens; a word that never occurs counts as one that did."""
        seen = np.maximum(np.bincount(corpus.words, minlength=corpus.n_words), 1)
        return cls(seen / seen.sum(), document, section)


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
    subject
        What is assumed of subject words; None for the paper's model, which has none.

    Examples
    --------
    >>> Priors.for_documents(100).strength
    10.0
    """

    topic: float
    word: float
    dispersion: float
    strength: float
    variant: Variant = Variant.FULL
    subject: SubjectPriors | None = None

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
        word: float = PAPER_WORD_PRIOR,
        dispersion: float = 1.0,
        strength: float | None = None,
        variant: Variant | str = Variant.FULL,
        subject: SubjectPriors | None = None,
    ) -> Priors:
        """Make priors with the paper's values by default: ν0 is a tenth of the documents."""
        nu = 0.1 * n_documents if strength is None else strength
        return cls(topic, word, dispersion, nu, variant, subject)  # type: ignore[arg-type]

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON; the base rates are an array and left out."""
        plain = {**vars(self), "variant": str(self.variant)}
        subject = plain.pop("subject")
        if subject is not None:
            plain["subject"] = {"document": subject.document, "section": subject.section}
        return plain

    @classmethod
    def from_dict(cls, plain: dict[str, Any], base_rates: NDArray[np.float64] | None) -> Priors:
        """Make the priors from what `as_dict` returned, and the base rates."""
        subject = plain.get("subject")
        if subject is not None:
            if base_rates is None:
                raise ValueError("the base rates are missing")
            subject = SubjectPriors(base_rates, **subject)
        return cls(**{**plain, "subject": subject})

    def mean_inversions(self, n_topics: int) -> NDArray[np.float64]:
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
