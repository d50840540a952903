"""Drawing a corpus from the model, with the state that generated it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from permutopic.categorical import draw_categories
from permutopic.checks import check_integer
from permutopic.corpus import Corpus, offsets_from_sizes
from permutopic.errors import InputError, Parameter
from permutopic.mallows import draw_dispersion, draw_inversions, n_values
from permutopic.model.priors import check_n_topics
from permutopic.model.state import make_state
from permutopic.text.tokens import Tokens

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from permutopic.model.priors import Priors, SubjectPriors, Variant
    from permutopic.model.state import State

_SECTION = -1  # instead of a word's number: some section word


def generate(
    n_topics: int,
    priors: Priors,
    rng: np.random.Generator,
    *,
    n_documents: int = 100,
    units: ArrayLike = 20,
    unit_words: ArrayLike = 50,
    n_words: int = 1000,
    dispersion: ArrayLike | None = None,
) -> tuple[Corpus, State]:
    """Draw a corpus and its structure from the model (section 3.4 of the paper).

    With priors for subject words, the classes of words are drawn as well; they have to be priors of
    `n_words` words.

    Parameters
    ----------
    units
        Units of each document: one number, or one for each document.
    unit_words
        Tokens of each unit: one number, or one for each unit of the corpus.
    dispersion
        ρ, where it should not be drawn from its prior.

    Returns
    -------
    The corpus, each unit's true topic as its heading, and the state that it was drawn from.

    Examples
    --------
    >>> from permutopic import Priors, log_joint
    >>> priors = Priors.for_documents(5)
    >>> corpus, truth = generate(3, priors, np.random.default_rng(0), n_documents=5, units=4)
    >>> corpus.n_units, truth.all_topics().size, log_joint(truth, priors) < 0
    (20, 20, True)
    """
    check_n_topics(n_topics)
    check_integer(n_documents, "n_documents", 1)
    check_integer(n_words, "n_words", 1)
    sizes = _counts(units, "units", n_documents)
    lengths = _counts(unit_words, "unit_words", int(sizes.sum()))
    if dispersion is None:
        rho = draw_all_dispersion(n_topics, priors, rng)
    else:
        rho = _checked_dispersion(dispersion, n_topics, priors.variant)
    inversions = draw_inversions(rho, rng, n_documents)
    prevalence = rng.dirichlet(np.full(n_topics, priors.topic))
    bag = rng.multinomial(sizes, prevalence)
    width = len(str(n_words - 1))
    blank = Corpus(
        words=np.zeros(lengths.sum(), dtype=np.int32),
        unit_offsets=offsets_from_sizes(lengths),
        document_offsets=offsets_from_sizes(sizes),
        vocabulary=tuple(f"w{word:0{width}d}" for word in range(n_words)),
        titles=tuple(str(document) for document in range(n_documents)),
        source_words=lengths,
        headings=(None,) * lengths.size,
        labels=(None,) * lengths.size,
        tokens=Tokens("whitespace"),
    )
    structure = make_state(blank, bag, inversions, rho, draw_classes(n_words, priors, rng))
    return redraw_words(blank, structure, priors, rng)


def draw_classes(
    n_words: int, priors: Priors, rng: np.random.Generator
) -> NDArray[np.bool_] | None:
    """Draw which words are subject words, given that one is a section word; None in the paper's."""
    if priors.subject is None:
        return None
    if priors.subject.base_rates.size != n_words:
        raise InputError(
            f"the priors have base rates of {priors.subject.base_rates.size} words: ",
            Parameter("n_words"),
            " must be the same",
        )
    while True:
        subject_words: NDArray[np.bool_] = rng.random(n_words) < rng.random()
        if not subject_words.all():
            return subject_words


def _counts(values: ArrayLike, name: str, length: int) -> NDArray[np.int64]:
    counts = np.asarray(values)
    whole = np.issubdtype(counts.dtype, np.integer) and counts.shape in {(), (length,)}
    if not whole or counts.min() < 1:
        raise InputError(
            Parameter(name), f" must be one whole number from 1 up, or {length} of them"
        )
    return np.broadcast_to(counts, length).astype(np.int64)


def _checked_dispersion(
    dispersion: ArrayLike, n_topics: int, variant: Variant
) -> NDArray[np.float64]:
    rho = np.asarray(dispersion, dtype=np.float64)
    if rho.shape != (n_topics - 1,) or not np.all(rho >= 0):
        raise InputError(Parameter("dispersion"), f" must be {n_topics - 1} numbers from 0 up")
    if variant.fixed_dispersion is not None and np.any(rho != variant.fixed_dispersion):
        raise InputError(f"the {variant} variant has a dispersion of its own: give none")
    return rho


def draw_all_dispersion(
    n_topics: int, priors: Priors, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Draw ρ from its prior; the constrained and uniform variants have theirs fixed."""
    if priors.variant.fixed_dispersion is not None:
        return np.full(n_topics - 1, priors.variant.fixed_dispersion)
    expected = priors.mean_inversions(n_topics)
    return np.concatenate(
        [
            draw_dispersion(int(m), float(mean), priors.strength, rng)
            for m, mean in zip(n_values(n_topics), expected, strict=True)
        ]
    )


def redraw_words(
    corpus: Corpus, state: State, priors: Priors, rng: np.random.Generator
) -> tuple[Corpus, State]:
    """Draw every token of the corpus anew, given the structures and classes of a state."""
    topics = state.all_topics()
    token_topics = np.repeat(topics, np.diff(corpus.unit_offsets))
    words = np.full(token_topics.size, _SECTION, dtype=np.int32)
    if priors.subject is not None:
        words = _draw_subject_words(corpus, state.subject_words, priors.subject, rng)
    section = np.flatnonzero(~state.subject_words)
    concentrations = np.full(section.size, priors.word)
    for topic in range(state.n_topics):
        distribution = rng.dirichlet(concentrations)
        of_topic = (words == _SECTION) & (token_topics == topic)
        words[of_topic] = section[draw_categories(distribution, int(of_topic.sum()), rng)]
    headings = tuple(f"topic {topic}" for topic in topics)
    drawn = replace(corpus, words=words, headings=headings)
    of_state = state.bag, state.inversions, state.dispersion, state.subject_words
    return drawn, make_state(drawn, *of_state)


def _draw_subject_words(
    corpus: Corpus,
    subject_words: NDArray[np.bool_],
    subject: SubjectPriors,
    rng: np.random.Generator,
) -> NDArray[np.int32]:
    """Draw each token from its document's own distribution: a subject word, or `_SECTION`."""
    outcomes = np.append(np.flatnonzero(subject_words), _SECTION)
    expected = subject.document * subject.base_rates[subject_words]
    sizes = np.diff(corpus.unit_offsets[corpus.document_offsets])
    drawn = [
        outcomes[draw_categories(rng.dirichlet(np.append(expected, subject.section)), int(n), rng)]
        for n in sizes
    ]
    return np.concatenate(drawn).astype(np.int32)
