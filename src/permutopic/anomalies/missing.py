"""Find topics that a document lacks, and topics that are not in the expected outline."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from permutopic.anomalies.findings import Extra, Missing

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from permutopic.anomalies.expected_outline import ExpectedOutline
    from permutopic.anomalies.thresholds import Thresholds


def find_missing(
    topics: NDArray[np.int64],
    expected: ExpectedOutline,
    thresholds: Thresholds,
    samples: NDArray[np.int64] | None = None,
) -> tuple[Missing, ...]:
    """Find entries of the expected outline that a document lacks, in the outline's order.

    Of the model's own outline, an entry is missing if most documents would have it if they were
    no longer than this one. Of a template, every entry that has a topic is required.
    """
    present = set(expected.first_topics(topics))
    shares = expected.document_shares.observed
    rarefied = expected.document_shares.rarefied(topics.size)
    found = []
    for entry in range(len(expected.names)):
        members = expected.topics(entry)
        if entry in present or not members.size:
            continue
        certainty = None if samples is None else 1 - share_with_any(samples, members)
        if not expected.all_required and rarefied[entry] < thresholds.most:
            continue
        if certainty is not None and certainty < thresholds.sure:
            continue
        found.append(
            Missing(
                topic=int(members[0]) if members.size == 1 else None,
                name=expected.names[entry],
                share=float(shares[entry]),
                rarefied_share=float(rarefied[entry]),
                certainty=certainty,
            )
        )
    return tuple(found)


def find_extra(
    topics: NDArray[np.int64],
    expected: ExpectedOutline,
    thresholds: Thresholds,
    samples: NDArray[np.int64] | None = None,
) -> tuple[Extra, ...]:
    """Find topics without an entry in the expected outline, in the order of the document."""
    usage = expected.usage
    found = []
    for topic in dict.fromkeys(topics[expected.entry_of[topics] < 0].tolist()):
        units = np.flatnonzero(topics == topic)
        certainty = None if samples is None else share_with_any(samples, np.array([topic]))
        if certainty is not None and certainty < thresholds.sure:
            continue
        found.append(
            Extra(
                topic=int(topic),
                name=usage.names[topic],
                first_unit=int(units[0]) + 1,
                last_unit=int(units[-1]) + 1,
                share=float(usage.document_shares.observed[topic]),
                certainty=certainty,
            )
        )
    return tuple(found)


def share_with_any(samples: NDArray[np.int64], topics: NDArray[np.int64]) -> float:
    """Return the share of samples, (samples, units), that have any of some topics."""
    return float(np.isin(samples, topics).any(axis=1).mean())
