"""Recommendation of K from held-out scores and the agreement of fits.

The rule: the smallest K whose held-out score is within one standard error of the best (or within a
hundredth of the gain over a single topic: nearly equal fits may differ by a tiny but significant
amount). If only the largest K qualifies, the score still rises at the end of the range. On a large
corpus it may rise indefinitely, with ever finer topics and smaller gains; then the smallest K with
nine tenths of the gain over a single topic is chosen. In either case a larger qualifying K is
preferred if its fits agree much better; and a smaller K that uses as many topics, and is within
twice the error, replaces the chosen one, since topics without a unit predict nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from permutopic.errors import Message, Parameter
from permutopic.model.mcmc.convergence import AGREEMENT_LIMIT

if TYPE_CHECKING:
    from collections.abc import Sequence

NEGLIGIBLE_GAIN = 0.01
"""Share of the gain over one topic that is negligible."""

SUFFICIENT_GAIN = 0.9
"""Share of the gain that suffices if the score still rises."""

ACCEPTABLE_GAIN = 0.8
"""Share of the gain that a smaller K must keep to be named as a more stable alternative."""

AGREEMENT_MARGIN = 0.1
"""Difference of agreement that counts as much better; other seeds of the same K change the
agreement by about half as much."""


@dataclass(frozen=True)
class Candidate:
    """Scores of one K.

    Attributes
    ----------
    n_topics
        K.
    held_out
        Held-out log probability in nats per word, the mean over seeds: higher is better.
    behind, behind_error
        Difference from the best candidate and its standard error, paired over documents and
        including the variance between seeds; both 0 for the best.
    agreement, order_agreement
        Agreement of fits with different seeds on the partition of units (adjusted Rand index), and
        on the order of topics (Kendall's τ; None if they share too few).
    topics_used
        Number of topics with at least one unit, the mean over seeds.
    seconds
        Total time of its fits and of inference on the held-out documents.
    """

    n_topics: int
    held_out: float
    behind: float
    behind_error: float
    agreement: float
    order_agreement: float | None
    topics_used: float
    seconds: float


@dataclass(frozen=True)
class Recommendation:
    """The recommended K, the reason, and notes."""

    n_topics: int
    reason: str
    notes: tuple[str, ...]


def recommend(
    candidates: Sequence[Candidate], gain: float, gain_error: float = 0.0
) -> Recommendation:
    """Choose among candidates.

    `gain` is the held-out score of the best less that of a single topic, in nats per word.

    >>> def tried(n_topics, behind, agreement):
    ...     return Candidate(n_topics, -6.5 - behind, behind, 0.01, agreement, 1.0, n_topics, 1.0)
    >>> table = [tried(4, 0.3, 0.9), tried(8, 0.005, 0.9), tried(12, 0.0, 0.85)]
    >>> recommend(table, gain=0.5).n_topics
    8
    """
    table = sorted(candidates, key=lambda each: each.n_topics)
    best = min(table, key=lambda each: (each.behind, each.n_topics))
    good = [each for each in table if each.behind <= max(each.behind_error, NEGLIGIBLE_GAIN * gain)]
    rises = len(table) > 1 and good == table[-1:]
    if rises:
        good = [
            each for each in table if each.behind <= (1 - SUFFICIENT_GAIN) * gain or each is best
        ]
    most_stable = max(each.agreement for each in good)
    chosen = next(each for each in good if each.agreement >= most_stable - AGREEMENT_MARGIN)
    reason = _reason(chosen, best, gain, good, rises=rises)
    smaller = _smaller_equivalent(chosen, table)
    if smaller is not None:
        reason = (
            f"K = {smaller.n_topics} uses as many topics as K = {chosen.n_topics} "
            f"({round(smaller.topics_used)}) and is hardly behind ({smaller.behind:.3f} ± "
            f"{smaller.behind_error:.3f} nats per word). {reason}"
        )
        chosen = smaller
    notes = [
        _note_no_gain(best, gain, gain_error),
        _note_unused(chosen),
        _note_agreement(chosen, table, gain),
        _note_range(chosen, table, rises=rises),
    ]
    return Recommendation(chosen.n_topics, reason, tuple(filter(None, notes)))


def _smaller_equivalent(chosen: Candidate, table: Sequence[Candidate]) -> Candidate | None:
    """Find the smallest K that uses as many topics, and is as good within twice the error."""
    for each in table:
        if (
            each.n_topics < chosen.n_topics
            and round(each.topics_used) == round(chosen.topics_used)
            and each.behind <= 2 * each.behind_error
            and each.agreement >= chosen.agreement - AGREEMENT_MARGIN
        ):
            return each
    return None


def _reason(
    chosen: Candidate, best: Candidate, gain: float, good: Sequence[Candidate], *, rises: bool
) -> str:
    score, at_best = f"{chosen.held_out:.3f} nats per word", f"K = {best.n_topics}"
    behind = f"{chosen.behind:.3f} ± {chosen.behind_error:.3f} behind {at_best}"
    if chosen is best:
        why = f"predicts held-out words best ({score})"
    elif rises:
        share = f"{1 - chosen.behind / gain:.0%} of what topics gain at {at_best}"
        why = f"has {share} ({score}, {behind})"
    else:
        why = f"predicts held-out words as well as any, within the error ({score}, {behind})"
    smaller = [each for each in good if each.n_topics < chosen.n_topics]
    if smaller:
        less = " and ".join(f"{each.n_topics} ({each.agreement:.2f})" for each in smaller)
        last = (
            f". It is taken before K = {less}, where fits with different seeds agree much less "
            f"than here ({chosen.agreement:.2f} of 1)"
        )
    elif chosen is best:
        last = ", and every smaller K is behind by more than the error"
    else:
        last = ", and no smaller K " + ("has that much" if rises else "does")
    return f"K = {chosen.n_topics} {why}{last}."


def _note_no_gain(best: Candidate, gain: float, error: float) -> str:
    """Warn if the gain is within two errors: chance exceeds one error one time in six."""
    if gain > 2 * error and round(best.topics_used) > 1:
        return ""
    if gain > 0 and round(best.topics_used) > 1:
        return (
            f"Topics gain {gain:.3f} ± {error:.3f} nats per word over one list of words for all, "
            "which may be chance: there are few documents to tell."
        )
    return (
        "No K predicts held-out words better than one list of words for the whole corpus: there "
        "are too few documents to tell, or they have no topics in common."
    )


def _note_unused(chosen: Candidate) -> str:
    used = round(chosen.topics_used)
    if used >= chosen.n_topics:
        return ""
    return (
        f"K = {chosen.n_topics} uses {used} topics: about the same outline as K = {max(used, 2)}."
    )


def _note_agreement(chosen: Candidate, table: Sequence[Candidate], gain: float) -> str:
    """Warn of fits that disagree; name a smaller K with acceptable score and better agreement."""
    if chosen.agreement >= AGREEMENT_LIMIT:
        return ""
    note = Message(
        f"Fits with different seeds agree only to {chosen.agreement:.2f} of 1: fit several ",
        "chains (",
        Parameter("n_chains", 4),
        ") and take the best.",
    )
    more_stable = [
        each
        for each in table
        if each.n_topics < chosen.n_topics
        and each.agreement > chosen.agreement + AGREEMENT_MARGIN
        and each.behind <= (1 - ACCEPTABLE_GAIN) * gain
    ]
    if not more_stable:
        return note
    nearest = more_stable[-1]
    return Message(
        note,
        f" A coarser outline is steadier: {nearest.agreement:.2f} at K = {nearest.n_topics}, "
        f"which costs {nearest.behind - chosen.behind:.3f} nats per word.",
    )


def _note_range(chosen: Candidate, table: Sequence[Candidate], *, rises: bool) -> str:
    if rises:
        return (
            f"The score still rises at K = {table[-1].n_topics}, the largest that was tried: more "
            "topics are finer topics. If you want those, try larger K."
        )
    if len(table) > 1 and chosen is table[0]:
        return f"K = {chosen.n_topics} is the smallest that was tried: fewer topics may do."
    return ""
