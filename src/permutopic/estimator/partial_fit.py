"""`partial_fit`: adding documents to a fitted model."""

from __future__ import annotations

import hashlib
import warnings
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from permutopic.corpus import Corpus, Encoder, take_documents
from permutopic.errors import InputError, InputWarning
from permutopic.estimator.documents import as_documents, check_corpus
from permutopic.ordering import count_positions
from permutopic.streams import Streams
from permutopic.topics import count_words_and_headings

if TYPE_CHECKING:
    from permutopic.documents import Document
    from permutopic.estimator.content_model import ContentModel

_EXTENDING = 2**32  # chains beyond this are numbered by the documents that were there before


def extend_model(model: ContentModel, documents: object, *, n_sweeps: int, n_threads: int) -> None:
    """Add documents to a fitted model; those of the fit are left out."""
    from permutopic.model.extension import extend_state  # noqa: PLC0415 (starts numba)

    corpus = _new_documents(model, documents)
    if corpus is None:
        return
    n_old = len(model.titles_)
    priors = model.priors_
    if model.settings_["dispersion_strength"] is None:  # then it is a tenth of the documents
        share = priors.strength / n_old
        priors = replace(priors, strength=share * (n_old + corpus.n_documents))
    state = extend_state(
        model.state_,
        corpus,
        priors,
        n_sweeps=n_sweeps,
        streams=Streams(model.seed_, _EXTENDING + n_old),
        n_threads=n_threads,
    )
    topics = np.concatenate([state.topics(n_old + d) for d in range(corpus.n_documents)])
    counts = count_words_and_headings(corpus, topics, state.n_topics)
    together = hashlib.sha256(f"{model.corpus_fingerprint_}+{corpus.fingerprint}".encode())
    chains = [chain.without_state() for chain in model.chains_]
    best = model.convergence_.best_chain
    chains[best] = replace(chains[best], state=state)
    shown = replace(model._topics.extended(state, counts), priors=priors)
    positions = model.positions_ + count_positions(corpus, topics, state.n_topics)
    # From here on nothing can fail, so the model is never half changed.
    model.titles_ += corpus.titles
    model.corpus_fingerprint_ = together.hexdigest()
    model.priors_, model.positions_ = priors, positions
    model._set_documents(corpus, more=True)
    model._set_chains(tuple(chains))
    model._set_topics(shown)


def _new_documents(model: ContentModel, documents: object) -> Corpus | None:
    """Make a corpus of the documents that are not in the fit, if there are any."""
    encoder = Encoder(model.tokens_, model.units_, vocabulary=model.vocabulary_, skip_empty=True)
    if isinstance(documents, Corpus):
        check_corpus(documents, encoder, model.vocabulary_)
        corpus = documents
    else:
        given: list[Document] = list(as_documents(documents))
        if not given:
            return None
        try:
            corpus = encoder.encode(given)
        except InputError:
            if len(encoder.empty + encoder.too_short) < len(given):
                raise
            _warn(f"none of {len(given)} documents has a word that the model knows: left out")
            return None
        for location in encoder.empty + encoder.too_short:
            _warn(f"{location}: no word of it is known, or no unit is left: left out")
    digests = corpus.digests
    _, firsts = np.unique(digests, return_index=True)
    new = np.zeros(corpus.n_documents, dtype=bool)
    new[firsts] = True
    new &= ~np.isin(digests, model.document_digests_)
    if new.all():
        return corpus
    first = corpus.titles[int(new.argmin())]
    _warn(
        f"{int((~new).sum())} of {corpus.n_documents} documents ({first!r} for one) are in the "
        "model already, or come twice: left out"
    )
    return take_documents(corpus, np.flatnonzero(new)) if new.any() else None


def _warn(message: str) -> None:
    warnings.warn(message, InputWarning, stacklevel=5)
