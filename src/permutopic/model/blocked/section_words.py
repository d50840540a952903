"""Span tables of section words alone: a packed corpus without the others, and the table of logΓ."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from permutopic.jit import compiled
from permutopic.model.kernels.elementary import log_gamma, stirling

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from permutopic.model.blocked.packed import PackedCorpus


@compiled
def pack_section_words(
    whole: PackedCorpus, subject_words: NDArray[np.bool_], part: PackedCorpus
) -> None:
    """Write the section words of all documents to `part`, whose arrays are as long as `whole`'s.

    Words of a document keep their sequence, so they are still numbered by their last occurrence.
    Tokens are written before it is known whether they are kept: a branch would be guessed wrong
    for every third token.
    """
    n_documents, most = whole.token_offsets.size - 1, 0
    for d in range(n_documents):
        most = max(most, whole.word_offsets[d + 1] - whole.word_offsets[d])
    numbers = np.empty(most + 1, np.int32)  # of a word among those that are kept before it
    kept = np.empty(most, np.int64)
    n_tokens, n_words, n_postings = 0, 0, 0
    for d in range(n_documents):
        first_word, last_word = whole.word_offsets[d], whole.word_offsets[d + 1]
        first_posting, n_before = whole.posting_offsets[d], n_words
        own_postings = n_postings
        for w in range(last_word - first_word):
            word = whole.words[first_word + w]
            kept[w] = 1 - subject_words[word]
            numbers[w] = n_words - n_before
            if kept[w] > 0:
                part.words[n_words] = word
                part.posting_starts[n_words + d] = n_postings - own_postings
                start = whole.posting_starts[first_word + d + w]
                end = whole.posting_starts[first_word + d + w + 1]
                for p in range(first_posting + start, first_posting + end):
                    part.posting_units[n_postings] = whole.posting_units[p]
                    part.posting_counts[n_postings] = whole.posting_counts[p]
                    n_postings += 1
                n_words += 1
        numbers[last_word - first_word] = n_words - n_before
        part.posting_starts[n_words + d] = n_postings - own_postings
        first_unit = whole.unit_offsets[d] + d
        n_units = whole.unit_offsets[d + 1] - whole.unit_offsets[d]
        first_token, own_tokens = whole.token_offsets[d], n_tokens
        for u in range(first_unit, first_unit + n_units):
            part.unit_starts[u] = n_tokens - own_tokens
            for token in range(whole.unit_starts[u], whole.unit_starts[u + 1]):
                number = whole.tokens[first_token + token]
                part.tokens[n_tokens] = numbers[number]
                n_tokens += kept[number]
        part.unit_starts[first_unit + n_units] = n_tokens - own_tokens
        for u in range(first_unit, first_unit + n_units + 1):
            part.reach[u] = numbers[whole.reach[u]]
        part.token_offsets[d + 1] = n_tokens
        part.word_offsets[d + 1] = n_words
        part.posting_offsets[d + 1] = n_postings


@compiled
def fill_log_gamma(values: NDArray[np.float64], added: float) -> None:
    """Write logΓ(n + added) for all n from 0 on."""
    first = min(max(8 - int(added), 0), values.size)
    for n in range(first):
        values[n] = log_gamma(n + added)
    for n in range(first, values.size):
        values[n] = stirling(n + added)
