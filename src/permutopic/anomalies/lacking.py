"""Topics that a document lacks, and topics that it should not have."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from permutopic.anomalies.findings import Extra, Missing

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from permutopic.anomalies.limits import Limits
    from permutopic.anomalies.standard import Standard


def find_missing(
    topics: NDArray[np.int64],
    standard: Standard,
    limits: Limits,
    samples: NDArray[np.int64] | None = None,
) -> tuple[Missing, ...]:
    """Find slots of the standard that are empty and should not be, in the standard's order.

    Against the model's outline those are missed that most documents would have if they were no
    longer than this one; a template wants all that it has.
    """
    present = set(standard.first_topics(topics))
    shares, shares_here = standard.presence.shares, standard.presence.at(topics.size)
    found = []
    for slot in range(len(standard.names)):
        members = standard.topics(slot)
        if slot in present or not members.size:
            continue
        certainty = None if samples is None else 1 - share_with(samples, members)
        if not standard.all_wanted and shares_here[slot] < limits.most:
            continue
        if certainty is not None and certainty < limits.sure:
            continue
        found.append(
            Missing(
                topic=int(members[0]) if members.size == 1 else None,
                name=standard.names[slot],
                share=float(shares[slot]),
                expected=float(shares_here[slot]),
                certainty=certainty,
            )
        )
    return tuple(found)


def find_extra(
    topics: NDArray[np.int64],
    standard: Standard,
    limits: Limits,
    samples: NDArray[np.int64] | None = None,
) -> tuple[Extra, ...]:
    """Find topics that no slot of the standard is for, in the order of the document."""
    found = []
    for topic in dict.fromkeys(topics[standard.slots[topics] < 0].tolist()):
        units = np.flatnonzero(topics == topic)
        certainty = None if samples is None else share_with(samples, np.array([topic]))
        if certainty is not None and certainty < limits.sure:
            continue
        found.append(
            Extra(
                topic=int(topic),
                name=standard.habits.names[topic],
                first_unit=int(units[0]) + 1,
                last_unit=int(units[-1]) + 1,
                share=float(standard.habits.presence.shares[topic]),
                certainty=certainty,
            )
        )
    return tuple(found)


def share_with(samples: NDArray[np.int64], members: NDArray[np.int64]) -> float:
    """Give the share of samples that have any of some topics."""
    return float(np.isin(samples, members).any(axis=1).mean())
