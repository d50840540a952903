"""What callers may give as documents: a corpus, documents that were read, lists of paragraphs."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice
from typing import TYPE_CHECKING, TypeVar

from permutopic.corpus import Corpus, documents_from_paragraphs
from permutopic.documents import Document
from permutopic.errors import InputError, Parameter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from permutopic.corpus import EncodedDocument, Encoder

Given = TypeVar("Given")


def encode_each(
    given: object, encoder: Encoder, vocabulary: Sequence[str]
) -> Iterator[EncodedDocument]:
    """Encode documents one by one; those of a corpus in the model's vocabulary are encoded."""
    if isinstance(given, Corpus):
        check_corpus(given, encoder, vocabulary)
        return given.documents()
    return map(encoder.encode_one, as_documents(given))


def as_documents(given: object) -> Iterator[Document]:
    """Yield documents one by one, given as such or as lists of paragraphs."""
    if isinstance(given, Document):
        return iter([given])
    if isinstance(given, str) or not hasattr(given, "__iter__"):
        documents_from_paragraphs(given)  # type: ignore[arg-type] # raises the error
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


def rereadable(given: Given) -> Callable[[], Given]:
    """Return a function that returns what is given; an iterator, which ends, only once."""
    taken = False

    def give() -> Given:
        nonlocal taken
        if taken and isinstance(given, Iterator):
            raise InputError("the documents were an iterator, which can be read once: give a list")
        taken = True
        return given

    return give


def check_corpus(corpus: Corpus, encoder: Encoder, vocabulary: Sequence[str]) -> None:
    """Refuse a corpus that was made with other settings than the model's."""
    for name, theirs, ours in (
        ("tokens", corpus.tokens, encoder.tokens),
        ("units", corpus.units, encoder.units),
    ):
        if theirs.as_dict() != ours.as_dict():
            raise InputError(
                "the corpus was made with ",
                Parameter(name, str(theirs)),
                f" and the model with {str(ours)!r}: encode the documents with the model "
                "(`model.encode`)",
            )
    if corpus.vocabulary is not vocabulary and corpus.vocabulary != tuple(vocabulary):
        raise InputError(
            "the corpus has another vocabulary than the model: encode the documents with the "
            "model (`model.encode`)"
        )
