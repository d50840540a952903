"""Inferring a stream of documents on several threads, in their order."""

from __future__ import annotations

import warnings
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from permutopic.errors import InputWarning
from permutopic.permutation import count_swaps
from permutopic.results.inferred import Inferred

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from numpy.typing import NDArray

    from permutopic.corpus import EncodedDocument
    from permutopic.model.inference.preparing import PosteriorSummary
    from permutopic.model.inference.structures import StructureInference

_BATCH = 1 << 15  # tokens that a thread takes at a time
MIN_KNOWN = 0.5
"""A document with a smaller share of known words is doubtful."""
_MIN_TOKENS, _MAX_NAMED = 20, 3


def infer_documents(
    documents: Iterable[EncodedDocument],
    inference: StructureInference,
    merge_map: NDArray[np.int64],
    numbers: Mapping[int, int],
    subjects_of: Callable[[EncodedDocument], tuple[str, ...]],
    n_threads: int,
) -> Iterator[Inferred]:
    """Infer documents on several threads and yield them in their order, holding few at a time.

    `numbers` has the number in the fit for the digest of every document that was in it,
    `subjects_of` tells what a document is about.
    """

    def infer(document: EncodedDocument) -> Inferred:
        return _infer(document, inference, merge_map, numbers, subjects_of(document))

    def infer_batch(batch: list[EncodedDocument]) -> list[Inferred]:
        return [infer(document) for document in batch]

    doubtful = _DoubtfulDocuments(inference.state.subject_words)
    if n_threads == 1:
        for document in doubtful.observe(documents):
            yield infer(document)
        doubtful.warn_of_rest()
        return
    waiting: deque[Future[list[Inferred]]] = deque()
    failure: Exception | None = None
    batches = _batches(doubtful.observe(documents))
    with ThreadPoolExecutor(n_threads) as pool:
        try:
            while failure is None:
                try:
                    batch = next(batches, None)
                except Exception as error:  # yield the documents before it first
                    batch, failure = None, error
                if batch is None:
                    break
                waiting.append(pool.submit(infer_batch, batch))
                if len(waiting) > 2 * n_threads:
                    yield from waiting.popleft().result()
            while waiting:
                yield from waiting.popleft().result()
        finally:  # the consumer may have stopped early
            for job in waiting:
                job.cancel()
    if failure is not None:
        raise failure
    doubtful.warn_of_rest()


def _batches(documents: Iterable[EncodedDocument]) -> Iterator[list[EncodedDocument]]:
    """Group documents into batches of growing size: first one document, later `_BATCH` tokens.

    If a document cannot be read, the batch before it is yielded before the error is raised.
    """
    batch: list[EncodedDocument] = []
    n_tokens, wanted = 0, 1
    failure: Exception | None = None
    try:
        for document in documents:
            batch.append(document)
            n_tokens += document.n_tokens + document.n_units + 1
            if n_tokens >= wanted:
                yield batch
                batch, n_tokens, wanted = [], 0, min(wanted + n_tokens, _BATCH)
    except Exception as error:
        failure = error
    if batch:
        yield batch
    if failure is not None:
        raise failure


def _infer(
    document: EncodedDocument,
    inference: StructureInference,
    merge_map: NDArray[np.int64],
    numbers: Mapping[int, int],
    subjects: tuple[str, ...],
) -> Inferred:
    """Infer one document, its topics numbered as they are shown."""
    number = numbers.get(document.digest, -1)
    summary = inference.infer(document, number)
    topics = merge_map[summary.topics]
    n_known = np.diff(document.tokens.offsets)
    scores = WordScores(n_known, document.unknown, summary.scores, summary.background)
    if number >= 0:
        scores = without_own_words(document, number, inference, scores)
    log_likelihood = float(summary.log_likelihood[0])
    return Inferred(
        title=document.title,
        location=document.location,
        seen=number >= 0,
        number=number,
        subjects=subjects,
        topics=topics,
        probabilities=np.clip(_merged_sums(summary.probabilities, merge_map), 0.0, 1.0),
        boundaries=_boundaries(summary, merge_map),
        samples=merge_map[summary.samples],
        log_likelihood=log_likelihood / document.n_tokens if document.n_tokens else float("nan"),
        swaps=count_swaps(dict.fromkeys(topics.tolist())),
        known_words=scores.known,
        unknown_words=scores.unknown,
        topic_scores=_merged_mixture(scores.topics, merge_map, inference.fitted.prevalence),
        background_scores=scores.background,
        source_words=document.source_words,
        source_spans=document.source_spans,
        texts=document.texts,
        units=document.units,
    )


class WordScores(NamedTuple):
    """For each unit: known and unknown tokens, and log probabilities of the known ones."""

    known: NDArray[np.int64]
    unknown: NDArray[np.int64]
    topics: NDArray[np.float64]
    background: NDArray[np.float64]


def without_own_words(
    document: EncodedDocument, number: int, inference: StructureInference, scores: WordScores
) -> WordScores:
    """Count section words that occur in this document of the fit alone as unknown.

    That is what they are to the model without the document: otherwise a passage of foreign words
    would seem to be explained by the smallest topic, or by the background, which contains it.
    """
    state, prior = inference.state, inference.priors.word
    words = document.tokens.words
    units = np.repeat(np.arange(scores.known.size), scores.known)
    of_section = ~state.subject_words[words]  # subject words have no score
    words, units = words[of_section], units[of_section]
    n_words, n_units = inference.word_totals.size, scores.known.size
    others = inference.word_totals - np.bincount(words, minlength=n_words)
    own_only = others[words] == 0
    foreign = np.bincount(units, weights=own_only, minlength=n_units).astype(np.int64)
    own = np.bincount(state.topics(number)[units], minlength=state.n_topics)
    section_prior = inference.fitted.section_prior
    totals = state.topic_tokens - own + section_prior
    logs = np.log((others[words] + prior) / (others.sum() + section_prior))
    background = np.zeros(n_units)
    np.add.at(background, units[~own_only], logs[~own_only])
    return WordScores(
        scores.known - foreign,
        scores.unknown + foreign,
        scores.topics - foreign[:, np.newaxis] * np.log(prior / totals),
        background,
    )


def _merged_sums(table: NDArray[np.float64], merge_map: NDArray[np.int64]) -> NDArray[np.float64]:
    """Add up the probabilities of sampled topics that are shown as one."""
    n_topics = int(merge_map.max()) + 1
    if n_topics == merge_map.size:
        return table
    merged = np.zeros((table.shape[0], n_topics))
    np.add.at(merged.T, merge_map, table.T)
    return merged


def _merged_mixture(
    scores: NDArray[np.float64], merge_map: NDArray[np.int64], prevalence: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Compute the log probabilities of merged topics: mixtures of their parts by prevalence."""
    n_topics = int(merge_map.max()) + 1
    if n_topics == merge_map.size:
        return scores
    mixed = np.empty((scores.shape[0], n_topics))
    for topic in range(n_topics):
        parts = np.flatnonzero(merge_map == topic)
        weights = np.log(prevalence[parts] / prevalence[parts].sum())
        mixed[:, topic] = np.logaddexp.reduce(scores[:, parts] + weights, axis=1)
    return mixed


def _boundaries(summary: PosteriorSummary, merge_map: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the probability of a boundary between units; parts of a merged topic have none."""
    if int(merge_map.max()) + 1 == merge_map.size:
        return np.clip(summary.boundaries[1:], 0.0, 1.0)
    shown = merge_map[summary.samples]
    share: NDArray[np.float64] = np.mean(shown[:, 1:] != shown[:, :-1], axis=0)
    return share


class _DoubtfulDocuments:
    """Warns of documents with few words of the vocabulary: the first few by name.

    And of those whose words are all subject words (`subject_words`, (W,)).
    """

    def __init__(self, subject_words: NDArray[np.bool_]) -> None:
        self.subject_words, self.count = subject_words, 0

    def observe(self, documents: Iterable[EncodedDocument]) -> Iterator[EncodedDocument]:
        """Yield documents unchanged, checking each."""
        for document in documents:
            self._check(document)
            yield document

    def _check(self, document: EncodedDocument) -> None:
        known, unknown = document.n_tokens, int(document.unknown.sum())
        share = known / max(known + unknown, 1)
        no_section = bool(self.subject_words[document.tokens.words].all())
        if not no_section and (share >= MIN_KNOWN or known + unknown < _MIN_TOKENS):
            return
        self.count += 1
        if self.count <= _MAX_NAMED:
            what = f"knows {share:.0%} of its words: another language, or another kind of document?"
            if no_section:
                none = "no word of it that tells of its structure" if known else "none of its words"
                what = f"knows {none}: its topics are those that any document may have"
            warnings.warn(
                f"{document.location}: {document.title!r}: the model {what}",
                InputWarning,
                stacklevel=4,
            )

    def warn_of_rest(self) -> None:
        """Warn of the documents that were not named."""
        if self.count > _MAX_NAMED:
            warnings.warn(
                f"{self.count - _MAX_NAMED} more documents are hardly in the model's words",
                InputWarning,
                stacklevel=3,
            )
