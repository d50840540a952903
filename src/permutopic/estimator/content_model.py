"""ContentModel: the estimator, with the interface of scikit-learn."""

from __future__ import annotations

import logging
import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from permutopic.checks import check_choice, check_integer
from permutopic.corpus import Corpus, offsets_from_sizes
from permutopic.errors import InputError, InputWarning, Parameter
from permutopic.estimator.documents import as_documents
from permutopic.estimator.partial_fit import extend_model
from permutopic.estimator.persistence import load_model, save_model
from permutopic.estimator.tasks import Tasks
from permutopic.model import posterior
from permutopic.model.mcmc.convergence import assess
from permutopic.model.priors import (
    PAPER_WORD_PRIOR,
    Priors,
    SubjectPriors,
    check_enough_units,
    check_n_topics,
    section_word_prior,
)
from permutopic.model.samplers import SAMPLERS
from permutopic.ordering import count_positions
from permutopic.results.prediction import Prediction
from permutopic.streams import seed_from
from permutopic.text.tokens import Tokens
from permutopic.threads import count_threads
from permutopic.topics import NamedTopics, OutlineEntry, count_words_and_headings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from permutopic.documents import Document
    from permutopic.model.mcmc.chain import Chain
    from permutopic.model.mcmc.sampler import SweepInfo

KEEP = ("best", "all")
MIN_DOCUMENTS = 10
"""With fewer, no word is taken for a subject word unless that is asked for: few documents do not
tell whether a word follows them."""
_log = logging.getLogger("permutopic")


class ContentModel(Tasks, BaseEstimator):  # type: ignore[misc]
    """Learns which topics recur in documents of one kind, and in which order.

    Parameters
    ----------
    n_topics : int
        K: the largest number of topics, at most the number of units of the corpus. A document may
        use fewer.
    variant : {"full", "constrained", "uniform"}
        Orders near a canonical one, all equal to it, or all orders equally likely.
    sampler : {"blocked", "paper"}
        Whole structures at a time with annealing, or the paper's moves, one draw at a time.
    n_sweeps : int or None
        Sweeps over the corpus at most; the last one's state is the result. Seven of ten blocked
        sweeps anneal. None: 85 blocked ones, 100 with `subject_words=False`, or 1,000 of the
        paper's.
    early_stop : bool
        Stop a blocked chain when its sweeps at inverse temperature 1 no longer gain.
    n_chains : int
        Chains to run from different starts. The one with the highest mean log joint is the
        result; the others tell how far to trust it.
    keep : {"best", "all"}
        Whether to keep the states of the other chains, for averages over chains.
    n_jobs : int or None
        Threads: chains run side by side, and the rest share the work of one chain. None is 1, −1
        all there are. The result does not depend on it.
    topic_prior : float
        θ0: concentration of the topics' prevalence.
    word_prior : float or None
        β0: concentration of the topics' words. None: 0.1 in the paper's model, and by the size of
        the corpus with subject words (docs/studies/subjects.md).
    dispersion_prior : float
        ρ0: the dispersion expected before any document is seen.
    dispersion_strength : float or None
        ν0: how many documents that expectation is worth; a tenth of the corpus when None.
    subject_words : bool or None
        Whether words may be subject words, which follow the documents and say nothing of their
        structure. None: with the blocked sampler, which draws them, and ten documents or more; the
        paper's model has none.
    tokens : {"words", "whitespace", "ascii"}, Tokens or function
        How `fit` splits text that is given as strings; a Corpus has its own.
    random_state : int, Generator, RandomState or None
        The same whole number gives the same result.

    Attributes
    ----------
    topics_ : list of arrays
        The topic of every unit, one array for each document. Topics are numbered from 0 in
        canonical order.
    orders_ : array (D, K)
        Each document's order of the topics, those it does not use included.
    inversions_ : array (D, K−1)
        Each order as inversion counts; their sum is its Kendall distance to the canonical one.
    bags_ : array (D, K)
        How many units of each document each topic has.
    dispersion_ : array (K−1,)
        ρ: how firmly each topic keeps its position. Infinite when constrained, 0 when uniform.
    word_distributions_ : array (K, W)
        The word probabilities of each topic (eq. 14); 0 for subject words.
    prevalence_ : array (K,)
        How likely a unit is to belong to each topic (eq. 15).
    log_joint_trace_, inverse_temperature_trace_ : arrays (sweeps,)
        The log joint after, and the inverse temperature in, every sweep of the best chain. Only
        sweeps at inverse temperature 1 draw from the posterior.
    chains_ : tuple of Chain
        Every chain's traces, and its last state if it was kept.
    convergence_ : Convergence
        A comparison of the chains, with a verdict in words.
    topic_names_ : tuple of str
        What each topic is called: a heading, where topic and heading mostly agree, or its most
        distinctive words. Headings are used after the fit only. `rename_topics` changes names.
    subject_words_ : array (W,) of bool
        Which words are subject words; the others are section words.
    subjects_ : list of tuples of str
        What each document is about: up to ten of its subject words, the weightiest first.
    vocabulary_, titles_ : tuples of str
    unit_spans_ : array (units, 2)
        Where every unit begins and ends in its document's source, in characters; −1 if unknown.
    unit_words_ : array (units,)
        White-space words of every unit.
    document_digests_ : array (D,)
        What documents of the fit are known again by.
    positions_ : PositionCounts
        Positions of words and topics in the documents, which `order` uses.
    state_ : State
        The last state of the best chain, which most of the above follows from. It has the topics
        that were sampled, whatever `merge_topics` does to those that are shown.
    priors_ : Priors
        The hyperparameters with their values for this corpus.
    settings_ : dict
        The settings of this fit as plain values, whatever `set_params` changes later.
    seed_ : int
        What `random_state` came down to.
    corpus_fingerprint_ : str
        A digest of what the model saw.
    tokens_, units_ : Tokens, Units
        How its text became tokens, and its documents units; `encode` treats new ones alike.

    Examples
    --------
    >>> documents = [["salt sea waves", "hills snow rocks"], ["waves salt", "snow rocks"]] * 5
    >>> model = ContentModel(n_topics=2, random_state=1).fit(documents)
    >>> [topics.tolist() for topics in model.topics_[:2]]
    [[0, 1], [0, 1]]
    """

    def __init__(
        self,
        n_topics: int = 10,
        *,
        variant: str = "full",
        sampler: str = "blocked",
        n_sweeps: int | None = None,
        early_stop: bool = True,
        n_chains: int = 1,
        keep: str = "best",
        n_jobs: int | None = None,
        topic_prior: float = 0.1,
        word_prior: float | None = None,
        dispersion_prior: float = 1.0,
        dispersion_strength: float | None = None,
        subject_words: bool | None = None,
        tokens: str | Tokens | Callable[[str], list[str]] = "words",
        random_state: Any = None,
    ) -> None:
        self.n_topics = n_topics
        self.variant = variant
        self.sampler = sampler
        self.n_sweeps = n_sweeps
        self.early_stop = early_stop
        self.n_chains = n_chains
        self.keep = keep
        self.n_jobs = n_jobs
        self.topic_prior = topic_prior
        self.word_prior = word_prior
        self.dispersion_prior = dispersion_prior
        self.dispersion_strength = dispersion_strength
        self.subject_words = subject_words
        self.tokens = tokens
        self.random_state = random_state

    def fit(
        self,
        X: Corpus | Iterable[Document] | Iterable[Iterable[str]],  # noqa: N803
        y: object = None,  # noqa: ARG002
        *,
        on_sweep: Callable[[SweepInfo], None] | None = None,
    ) -> Self:
        """Learn the outline of a corpus, of documents that were read, or of lists of paragraphs.

        `y` is ignored. `on_sweep` is called after every sweep, to show progress; it cannot
        change the result.
        """
        settings = self.checked_settings()
        n_topics = settings["n_topics"]
        corpus = X
        if not isinstance(corpus, Corpus):
            corpus = Corpus.from_documents(as_documents(X), tokens=self.tokens)
        check_enough_units(n_topics, corpus)
        priors = self._priors(corpus.n_documents)
        if corpus.n_documents == 1:
            warnings.warn(
                "one document has no order to share: it will be segmented, no more",
                InputWarning,
                stacklevel=2,
            )
        elif self._has_subject_words(corpus.n_documents):
            priors = replace(priors, subject=SubjectPriors.for_corpus(corpus))
            if self.word_prior is None:
                word_prior = section_word_prior(corpus.n_tokens, corpus.n_words)
                priors = replace(priors, word=word_prior)
        seed = seed_from(self.random_state)
        settings["random_state"] = seed
        # Importing the kernels starts numba: not before everything has been checked.
        from permutopic.jit import report_compilation  # noqa: PLC0415
        from permutopic.model.fitting import fit_chains  # noqa: PLC0415

        with report_compilation(_log.warning, "the fit"):
            chains = fit_chains(
                corpus,
                n_topics,
                priors,
                seed,
                **{name: settings[name] for name in ("sampler", "n_sweeps", "early_stop")},
                n_chains=settings["n_chains"],
                n_threads=count_threads(self.n_jobs),
                on_sweep=on_sweep,
            )
        self._set_fit(corpus, settings, priors, chains)
        for doubt in (self.no_order_, _say_no_section_word(corpus, self.state_.subject_words)):
            if doubt is not None:
                warnings.warn(InputWarning(doubt), stacklevel=2)
        return self

    def _set_fit(
        self, corpus: Corpus, settings: dict[str, Any], priors: Priors, chains: list[Chain]
    ) -> None:
        """Set all attributes of a fitted model."""
        n_topics = settings["n_topics"]
        self.settings_ = settings
        self.priors_ = priors
        self.seed_ = settings["random_state"]
        self.vocabulary_ = corpus.vocabulary
        self.titles_ = corpus.titles
        self.corpus_fingerprint_ = corpus.fingerprint
        self.tokens_ = corpus.tokens
        self.units_ = corpus.units
        states = [chain.state for chain in chains if chain.state is not None]
        has_classes = priors.subject is not None
        self.convergence_ = assess(
            [chain.drawn_log_joints for chain in chains],
            [chain.dispersions for chain in chains],
            [state.all_topics() for state in states],
            n_topics,
            [state.subject_words[corpus.words] for state in states] if has_classes else (),
        )
        if settings["keep"] == "best":
            chains = [
                chain if chain.number == self.convergence_.best_chain else chain.without_state()
                for chain in chains
            ]
        self._set_chains(tuple(chains))
        counts = count_words_and_headings(corpus, self.state_.all_topics(), n_topics)
        self.positions_ = count_positions(corpus, self.state_.all_topics(), n_topics)
        self._set_topics(NamedTopics.from_state(self.state_, counts, priors, self.vocabulary_))
        self._set_documents(corpus)

    def partial_fit(
        self,
        X: Corpus | Iterable[Document] | Iterable[Iterable[str]],  # noqa: N803
        y: object = None,  # noqa: ARG002
        *,
        n_sweeps: int = 10,
    ) -> Self:
        """Add documents to the fit; topics keep their numbers and names.

        The new documents start at their most probable structures and are resampled `n_sweeps`
        times; the structures of the earlier ones stay. ρ is drawn given all orders. Unknown words
        are left out, and so are documents of the fit. The states of other chains are dropped;
        traces and convergence stay those of the fit. A model that is not fitted is fitted.
        """
        if not hasattr(self, "state_"):
            return self.fit(X)
        n_sweeps = check_integer(n_sweeps, "n_sweeps", 1)
        from permutopic.jit import report_compilation  # noqa: PLC0415

        with report_compilation(_log.warning, "what adds documents to a fit"):
            extend_model(self, X, n_sweeps=n_sweeps, n_threads=count_threads(self.n_jobs))
        return self

    def _set_documents(self, corpus: Corpus, *, more: bool = False) -> None:
        """Set the attributes that identify documents and locate their units."""
        known = len(corpus.source_spans) > 0
        spans = corpus.source_spans if known else np.full((corpus.n_units, 2), -1)
        digests, words = corpus.digests, corpus.source_words
        subjects = self._ranked_subjects().of_corpus(corpus)
        if more:
            digests = np.concatenate([self.document_digests_, digests])
            spans = np.concatenate([self.unit_spans_, spans])
            words = np.concatenate([self.unit_words_, words])
            subjects = np.concatenate([self._document_subjects, subjects])
        self.document_digests_, self.unit_spans_, self.unit_words_ = digests, spans, words
        self._set_subjects(subjects)

    def _set_subjects(self, subjects: NDArray[np.int32]) -> None:
        """Set what each document is about: subject words by number, (D, 10) with −1 for none."""
        self._document_subjects = subjects
        self.subjects_ = [self._words_of(row) for row in subjects]

    def checked_settings(self) -> dict[str, Any]:
        """Check every setting and return them as plain Python values."""
        settings: dict[str, Any] = self.get_params(deep=False)
        settings["n_topics"] = check_n_topics(self.n_topics)
        check_choice(self.sampler, "sampler", SAMPLERS)
        check_choice(self.keep, "keep", KEEP)
        sampler, n_sweeps = SAMPLERS[self.sampler], self.n_sweeps
        if n_sweeps is None:
            with_classes = self.subject_words is not False
            n_sweeps = sampler.n_sweeps_with_classes if with_classes else sampler.n_sweeps
        settings["n_sweeps"] = check_integer(n_sweeps, "n_sweeps", 1)
        settings["n_chains"] = check_integer(self.n_chains, "n_chains", 1)
        settings["early_stop"] = bool(self.early_stop)
        if self.subject_words is not None:
            settings["subject_words"] = self._has_subject_words()
        threads = count_threads(self.n_jobs)
        settings["n_jobs"] = self.n_jobs if self.n_jobs in (None, -1) else threads
        settings["tokens"] = Tokens.of(self.tokens).as_dict()
        if isinstance(self.random_state, int | np.integer):
            settings["random_state"] = seed_from(self.random_state)
        priors = self._priors(1)
        settings.update(
            variant=str(priors.variant),
            topic_prior=priors.topic,
            dispersion_prior=priors.dispersion,
        )
        for name, value in (("word_prior", priors.word), ("dispersion_strength", priors.strength)):
            if settings[name] is not None:
                settings[name] = value
        return settings

    def _has_subject_words(self, n_documents: int = MIN_DOCUMENTS) -> bool:
        """Check `subject_words`, and decide it for so many documents where it is None."""
        draws_classes = SAMPLERS[self.sampler].draws_classes
        if self.subject_words is None:
            return draws_classes and n_documents >= MIN_DOCUMENTS
        if not isinstance(self.subject_words, bool | np.bool_):
            raise InputError(
                Parameter("subject_words"), f" is True, False or None, not {self.subject_words!r}"
            )
        if self.subject_words and not draws_classes:
            raise InputError(
                "the paper's sampler has no subject words: leave out ",
                Parameter("subject_words"),
                " or ",
                Parameter("sampler"),
            )
        return bool(self.subject_words)

    def _priors(self, n_documents: int) -> Priors:
        return Priors.for_documents(
            n_documents,
            topic=self.topic_prior,
            word=PAPER_WORD_PRIOR if self.word_prior is None else self.word_prior,
            dispersion=self.dispersion_prior,
            strength=self.dispersion_strength,
            variant=self.variant,
        )

    def _set_chains(self, chains: tuple[Chain, ...]) -> None:
        """Set the attributes that follow from the chains."""
        best = chains[self.convergence_.best_chain]
        if best.state is None:
            raise ValueError("the best chain has no state")
        self.chains_ = chains
        self.state_ = best.state
        self.log_joint_trace_ = best.log_joints
        self.inverse_temperature_trace_ = best.inverse_temperatures

    def _set_topics(self, shown: NamedTopics) -> None:
        """Set the attributes that describe the topics as they are shown."""
        view = shown.view
        self._topics = shown
        self.topic_names_ = tuple(name.text for name in shown.names)
        self.bags_ = view.bag
        self.inversions_ = view.inversions
        self.dispersion_ = view.dispersion
        self.orders_ = view.orders
        self.topics_ = [shown.topics(d) for d in range(view.bag.shape[0])]
        self.subject_words_ = self.state_.subject_words
        self.word_distributions_ = posterior.word_distributions(
            view.word_counts, self.subject_words_, self.priors_
        )
        sampled = posterior.prevalence(self.state_, self.priors_)
        self.prevalence_ = np.bincount(view.merge_map, weights=sampled)

    @property
    def no_order_(self) -> str | None:
        """What to say where nearly all topics wander: the documents seem to share no order."""
        check_is_fitted(self)
        return self._topics.no_order()

    def rename_topics(self, names: Mapping[int | str, str | None]) -> Self:
        """Rename topics, given by number or present name; None restores the automatic name.

        No two topics may have the same name. The model is changed, and returned.
        """
        check_is_fitted(self)
        self._set_topics(self._topics.renamed(names))
        return self

    def merge_topics(self, topics: Iterable[int | str], name: str | None = None) -> Self:
        """Merge two or more topics, by number or name, into one, and renumber all.

        The merged topic takes the position of its largest part and is called as asked, or after its
        parts ("Biology + Safety"); other topics keep their names. Nothing is sampled again:
        `state_`, `chains_` and `convergence_` stay as they were, and a document that has another
        topic between the parts keeps it there. ρ is the most likely value given the merged
        orders. The model is changed, and returned; `unmerge_topics` takes all merging back.
        """
        check_is_fitted(self)
        self._set_topics(self._topics.merged(topics, name))
        return self

    def unmerge_topics(self) -> Self:
        """Undo all merging: every topic has the name that it had, or was given since."""
        check_is_fitted(self)
        self._set_topics(self._topics.unmerged())
        return self

    def prediction(self) -> Prediction:
        """Return the topics of all units of the fit as a `Prediction`."""
        check_is_fitted(self)
        offsets = offsets_from_sizes([topics.size for topics in self.topics_])
        return Prediction(np.concatenate(self.topics_), offsets)

    def outline(self, n_words: int = 10) -> tuple[OutlineEntry, ...]:
        """List the topics in canonical order, with their most distinctive words."""
        check_is_fitted(self)
        n_words = check_integer(n_words, "n_words", 1)
        return self._topics.outline(n_words)

    def save(self, path: str | Path) -> None:
        """Write the fitted model to a folder: model.json and model.safetensors."""
        check_is_fitted(self)
        save_model(self, path)

    @classmethod
    def load(cls, path: str | Path, *, tokens: Callable[[str], list[str]] | None = None) -> Self:
        """Read a model that `save` wrote.

        `tokens` is the function that split its text, if that was one of your own: it could not
        be saved, and `encode` needs it.
        """
        return load_model(cls, path, tokens)


def _say_no_section_word(corpus: Corpus, subject_words: NDArray[np.bool_]) -> str | None:
    """Say that documents have no section word, if there are any; else None."""
    offsets = corpus.unit_offsets[corpus.document_offsets[:-1]]
    without = np.flatnonzero(~np.logical_or.reduceat(~subject_words[corpus.words], offsets))
    if not without.size:
        return None
    count = "1 document" if without.size == 1 else f"{without.size} documents"
    first = corpus.titles[without[0]]
    return (
        f"{count} ({first!r} for one) of {corpus.n_documents} have no word that tells of their "
        "structure: their topics are those that any document may have"
    )
