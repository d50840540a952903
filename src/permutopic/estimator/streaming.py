"""From documents to what a model makes of each, on all threads and in their order."""

from __future__ import annotations

import warnings
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import chain, islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from permutopic.corpus import Corpus, documents_from_paragraphs
from permutopic.documents import Document
from permutopic.errors import InputError, InputWarning
from permutopic.results.inferred import Inferred
from permutopic.text.splitting import count_source_words
from permutopic.topics import count_swaps

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from permutopic.corpus import Encoder
    from permutopic.model.inference.sampling import Findings
    from permutopic.model.inference.structures import Structures

_BATCH = 1 << 15  # tokens that a thread takes at a time
FOREIGN = 0.5
"""A document with a smaller share of known words is doubtful."""
_FEWEST, _NAMED = 20, 3


class Page(NamedTuple):
    """A document on its way: what the model sees of it, and what goes along."""

    title: str
    location: str
    words: NDArray[np.int32]
    offsets: NDArray[np.int64]
    unknown: NDArray[np.int64]
    source_words: NDArray[np.int64]
    spans: NDArray[np.int64]
    texts: tuple[str, ...]


def as_pages(documents: object, encoder: Encoder, vocabulary: Sequence[str]) -> Iterator[Page]:
    """Take a corpus in the model's vocabulary, documents, or lists of paragraphs, one by one."""
    if isinstance(documents, Corpus):
        check_corpus(documents, encoder, vocabulary)
        return _pages_of_corpus(documents)
    return (_page_of(document, encoder) for document in as_documents(documents))


def as_documents(given: object) -> Iterator[Document]:
    """Give documents one after the other, whether they come as such or as lists of paragraphs."""
    if isinstance(given, Document):
        return iter([given])
    if isinstance(given, str) or not hasattr(given, "__iter__"):
        documents_from_paragraphs(given)  # type: ignore[arg-type] # says what is wrong
    items = iter(given)  # type: ignore[call-overload]
    first = list(islice(items, 1))
    everything: Iterable[object] = chain(first, items)
    if first and not isinstance(first[0], Document):
        return _from_paragraphs(everything)
    return _only_documents(everything)


def _from_paragraphs(items: Iterable[object]) -> Iterator[Document]:
    for number, item in enumerate(items):
        if isinstance(item, Document):
            raise InputError(f"document {number} is a Document among lists of paragraphs")
        (document,) = documents_from_paragraphs([item], number)  # type: ignore[list-item]
        yield document


def _only_documents(items: Iterable[object]) -> Iterator[Document]:
    for number, item in enumerate(items):
        if not isinstance(item, Document):
            raise InputError(f"document {number} is {type(item).__name__}, others are Documents")
        yield item


def check_corpus(corpus: Corpus, encoder: Encoder, vocabulary: Sequence[str]) -> None:
    """Refuse a corpus that was made with other settings than the model's."""
    for name, theirs, ours in (
        ("tokens", corpus.tokens, encoder.tokens),
        ("units", corpus.units, encoder.units),
    ):
        if theirs.as_dict() != ours.as_dict():
            raise InputError(
                f"the corpus was made with {name}={str(theirs)!r} and the model with "
                f"{str(ours)!r}: encode the documents with the model (`model.encode`)"
            )
    if corpus.vocabulary is not vocabulary and corpus.vocabulary != tuple(vocabulary):
        raise InputError(
            "the corpus has another vocabulary than the model: encode the documents with the "
            "model (`model.encode`)"
        )


def _page_of(document: Document, encoder: Encoder) -> Page:
    encoded = encoder.encode_one(document)
    units = encoded.document.units
    return Page(
        document.title,
        document.location,
        encoded.words,
        encoded.offsets,
        encoded.unknown,
        np.array([count_source_words(unit.text) for unit in units]),
        np.array([(unit.start, unit.end) for unit in units]),
        tuple(unit.text for unit in units),
    )


def _pages_of_corpus(corpus: Corpus) -> Iterator[Page]:
    for number in range(corpus.n_documents):
        units = corpus.units_of(number)
        offsets = corpus.unit_offsets[units.start : units.stop + 1]
        size = offsets.size - 1
        yield Page(
            corpus.titles[number],
            corpus.locations[number] if corpus.locations else f"document {number}",
            corpus.words[offsets[0] : offsets[-1]],
            offsets - offsets[0],
            np.zeros(size, dtype=np.int64),
            corpus.source_words[units],
            corpus.spans[units] if len(corpus.spans) else np.full((size, 2), -1),
            (),
        )


def infer_pages(
    pages: Iterable[Page],
    structures: Structures,
    merge_map: NDArray[np.int64],
    numbers: Mapping[int, int],
    n_threads: int,
) -> Iterator[Inferred]:
    """Infer pages on several threads and give them back in their order, few at a time.

    `numbers` has the number in the fit for each digest of a document that was in it.
    """

    def work(batch: list[Page]) -> list[Inferred]:
        return [_infer(page, structures, merge_map, numbers) for page in batch]

    doubts = _Doubts()
    if n_threads == 1:
        for page in pages:
            doubts.look_at(page)
            yield _infer(page, structures, merge_map, numbers)
        doubts.sum_up()
        return
    waiting: deque[Future[list[Inferred]]] = deque()
    failure: Exception | None = None
    batches = _batches(doubts.over(pages))
    with ThreadPoolExecutor(n_threads) as pool:
        try:
            while failure is None:
                try:
                    batch = next(batches, None)
                except Exception as error:  # what came before it is answered first
                    batch, failure = None, error
                if batch is None:
                    break
                waiting.append(pool.submit(work, batch))
                if len(waiting) > 2 * n_threads:
                    yield from waiting.popleft().result()
            while waiting:
                yield from waiting.popleft().result()
        finally:  # whoever stops listening wants no more work done
            for job in waiting:
                job.cancel()
    if failure is not None:
        raise failure
    doubts.sum_up()


def _batches(pages: Iterable[Page]) -> Iterator[list[Page]]:
    """Put pages together until they are worth a thread's while: one at first, then more and more.

    What was taken from a document that fails in between is given before the error goes on.
    """
    batch: list[Page] = []
    n_tokens, wanted = 0, 1
    failure: Exception | None = None
    try:
        for page in pages:
            batch.append(page)
            n_tokens += page.words.size + page.offsets.size
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
    page: Page, structures: Structures, merge_map: NDArray[np.int64], numbers: Mapping[int, int]
) -> Inferred:
    from permutopic.model.inference.structures import Text, digest  # noqa: PLC0415 (starts numba)

    key = digest(page.words, page.offsets)
    number = numbers.get(key, -1)
    findings = structures.infer(Text(page.words, page.offsets, number, key))
    topics = merge_map[findings.topics]
    words = WordScores(np.diff(page.offsets), page.unknown, findings.scores, findings.background)
    n_known = int(words.known.sum())
    if number >= 0:
        words = without_own(page, number, structures, words)
    return Inferred(
        title=page.title,
        location=page.location,
        seen=number >= 0,
        number=number,
        topics=topics,
        probabilities=np.clip(_added(findings.probabilities, merge_map), 0.0, 1.0),
        boundaries=_boundaries(findings, merge_map),
        samples=merge_map[findings.samples],
        log_likelihood=float(findings.total[0]) / n_known if n_known else float("nan"),
        swaps=count_swaps(dict.fromkeys(topics.tolist())),
        known_words=words.known,
        unknown_words=words.unknown,
        topic_scores=_mixed(words.topics, merge_map, structures.known.shares),
        background_scores=words.background,
        source_words=page.source_words,
        spans=page.spans,
        texts=page.texts,
    )


class WordScores(NamedTuple):
    """For each unit: known and unknown tokens, and log probabilities of the known ones."""

    known: NDArray[np.int64]
    unknown: NDArray[np.int64]
    topics: NDArray[np.float64]
    background: NDArray[np.float64]


def without_own(page: Page, number: int, structures: Structures, words: WordScores) -> WordScores:
    """Count words that only this document of the fit has as unknown, its own nowhere.

    That is what they are to the model without the document: a passage of foreign words would
    look as if the smallest topic explained it, or the background, which has it.
    """
    state, prior = structures.state, structures.priors.word
    n_words, n_units = structures.totals.size, words.known.size
    others = structures.totals - np.bincount(page.words, minlength=n_words)
    alone = others[page.words] == 0
    units = np.repeat(np.arange(n_units), words.known)
    strange = np.bincount(units, weights=alone, minlength=n_units).astype(np.int64)
    own = np.bincount(np.repeat(state.topics(number), words.known), minlength=state.n_topics)
    held = state.topic_words - own + n_words * prior
    logs = np.log((others[page.words] + prior) / (others.sum() + n_words * prior))
    background = np.zeros(n_units)
    np.add.at(background, units[~alone], logs[~alone])
    return WordScores(
        words.known - strange,
        words.unknown + strange,
        words.topics - strange[:, np.newaxis] * np.log(prior / held),
        background,
    )


def _added(table: NDArray[np.float64], merge_map: NDArray[np.int64]) -> NDArray[np.float64]:
    """Add up the probabilities of sampled topics that are shown as one."""
    n_topics = int(merge_map.max()) + 1
    if n_topics == merge_map.size:
        return table
    added = np.zeros((table.shape[0], n_topics))
    np.add.at(added.T, merge_map, table.T)
    return added


def _mixed(
    scores: NDArray[np.float64], merge_map: NDArray[np.int64], shares: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Give a merged topic's log probabilities: its parts by their shares."""
    n_topics = int(merge_map.max()) + 1
    if n_topics == merge_map.size:
        return scores
    mixed = np.empty((scores.shape[0], n_topics))
    for topic in range(n_topics):
        parts = np.flatnonzero(merge_map == topic)
        weights = np.log(shares[parts] / shares[parts].sum())
        mixed[:, topic] = np.logaddexp.reduce(scores[:, parts] + weights, axis=1)
    return mixed


def _boundaries(findings: Findings, merge_map: NDArray[np.int64]) -> NDArray[np.float64]:
    """Give the probability of a boundary between units, between parts of a merged topic none."""
    if int(merge_map.max()) + 1 == merge_map.size:
        return np.clip(findings.boundaries[1:], 0.0, 1.0)
    shown = merge_map[findings.samples]
    share: NDArray[np.float64] = np.mean(shown[:, 1:] != shown[:, :-1], axis=0)
    return share


class _Doubts:
    """Warns of documents that are hardly in the model's words: the first few by name."""

    def __init__(self) -> None:
        self.count = 0

    def over(self, pages: Iterable[Page]) -> Iterator[Page]:
        for page in pages:
            self.look_at(page)
            yield page

    def look_at(self, page: Page) -> None:
        known, unknown = page.words.size, int(page.unknown.sum())
        share = known / max(known + unknown, 1)
        if known > 0 and (share >= FOREIGN or known + unknown < _FEWEST):
            return
        self.count += 1
        if self.count <= _NAMED:
            what = (
                f"knows {share:.0%} of its words: another language, or another kind of document?"
                if known
                else "knows none of its words: its topics are those that any document may have"
            )
            warnings.warn(
                f"{page.location}: {page.title!r}: the model {what}", InputWarning, stacklevel=3
            )

    def sum_up(self) -> None:
        if self.count > _NAMED:
            warnings.warn(
                f"{self.count - _NAMED} more documents are hardly in the model's words",
                InputWarning,
                stacklevel=3,
            )
