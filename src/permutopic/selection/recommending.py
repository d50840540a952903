"""Which K to take, from how well each predicts held-out words and how far its fits agree.

The rule: among the candidates, the smallest K that predicts held-out words as well as the best,
to within one standard error of the difference (or a hundredth of what topics gain: fits that are
nearly the same differ by nearly nothing, but surely). Where only the largest K is that good, the
score still rises at the end of the range. On a large corpus it may do so for ever, with finer and
finer topics that are worth less and less; then the smallest K with nine tenths of the gain over a
single topic is taken. Either way, where a larger K that is good enough has fits that agree much
better, that one is taken; and where a smaller K uses as many topics and is within twice the error,
that one, for topics without a unit predict nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from permutopic.model.mcmc.convergence import AGREEMENT_LIMIT

if TYPE_CHECKING:
    from collections.abc import Sequence

NEGLIGIBLE = 0.01
"""The share of the best K's gain over one topic that no one misses."""

ENOUGH = 0.9
"""The share of that gain to be content with where it still rises."""

WORTH_NAMING = 0.8
"""The share of it that a steadier, coarser outline keeps if it is to be named as a way out."""

MUCH_STABLER = 0.1
"""Agreement by which a larger K has to be ahead to be taken for it; fits of one K that were made
with other seeds differ by about half as much."""


@dataclass(frozen=True)
class Candidate:
    """What was found of one K.

    Attributes
    ----------
    n_topics
        K.
    held_out
        Log probability of a held-out word in nats, the mean over seeds: higher is better.
    behind, behind_error
        How far it is behind the best candidate, and the standard error of that difference, paired
        over documents and with what seeds do in it; both 0 for the best.
    agreement, order_agreement
        How far fits with different seeds agree on who shares a topic (adjusted Rand index), and
        on the order of their topics (Kendall's τ; None where they share too few).
    topics_used
        Topics that hold some unit, the mean over seeds.
    seconds
        That its fits took, and completing the held-out documents, all together.
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
    """The K to take, why, and what else there is to know."""

    n_topics: int
    reason: str
    notes: tuple[str, ...]


def recommend(
    candidates: Sequence[Candidate], gain: float, gain_error: float = 0.0
) -> Recommendation:
    """Choose among candidates.

    `gain` is what a held-out word scores with the best of them, above what it scores with a single
    topic for the whole corpus.

    >>> def tried(n_topics, behind, agreement):
    ...     return Candidate(n_topics, -6.5 - behind, behind, 0.01, agreement, 1.0, n_topics, 1.0)
    >>> table = [tried(4, 0.3, 0.9), tried(8, 0.005, 0.9), tried(12, 0.0, 0.85)]
    >>> recommend(table, gain=0.5).n_topics
    8
    """
    table = sorted(candidates, key=lambda each: each.n_topics)
    best = min(table, key=lambda each: (each.behind, each.n_topics))
    good = [each for each in table if each.behind <= max(each.behind_error, NEGLIGIBLE * gain)]
    rises = len(table) > 1 and good == table[-1:]
    if rises:
        good = [each for each in table if each.behind <= (1 - ENOUGH) * gain or each is best]
    steadiest = max(each.agreement for each in good)
    chosen = next(each for each in good if each.agreement >= steadiest - MUCH_STABLER)
    reason = _reason(chosen, best, gain, good, rises=rises)
    twin = _twin(chosen, table)
    if twin is not None:
        reason = (
            f"K = {twin.n_topics} uses as many topics as K = {chosen.n_topics} "
            f"({round(twin.topics_used)}) and is hardly behind ({twin.behind:.3f} ± "
            f"{twin.behind_error:.3f} nats a word). {reason}"
        )
        chosen = twin
    notes = [
        _on_no_gain(best, gain, gain_error),
        _on_unused(chosen),
        _on_agreement(chosen, table, gain),
        _on_range(chosen, table, rises=rises),
    ]
    return Recommendation(chosen.n_topics, reason, tuple(filter(None, notes)))


def _twin(chosen: Candidate, table: Sequence[Candidate]) -> Candidate | None:
    """Find the smallest K that does with fewer spare topics what the chosen one does."""
    for each in table:
        if (
            each.n_topics < chosen.n_topics
            and round(each.topics_used) == round(chosen.topics_used)
            and each.behind <= 2 * each.behind_error
            and each.agreement >= chosen.agreement - MUCH_STABLER
        ):
            return each
    return None


def _reason(
    chosen: Candidate, best: Candidate, gain: float, good: Sequence[Candidate], *, rises: bool
) -> str:
    score, at_best = f"{chosen.held_out:.3f} nats a word", f"K = {best.n_topics}"
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


def _on_no_gain(best: Candidate, gain: float, error: float) -> str:
    """Warn where topics are of no use; one error is passed by chance, one time in six."""
    if gain > 2 * error and round(best.topics_used) > 1:
        return ""
    if gain > 0 and round(best.topics_used) > 1:
        return (
            f"Topics gain {gain:.3f} ± {error:.3f} nats a word over one list of words for all, "
            "which may be chance: there are few documents to tell."
        )
    return (
        "No K predicts held-out words better than one list of words for the whole corpus: there "
        "are too few documents to tell, or they have no topics in common."
    )


def _on_unused(chosen: Candidate) -> str:
    used = round(chosen.topics_used)
    if used >= chosen.n_topics:
        return ""
    return (
        f"K = {chosen.n_topics} uses {used} topics: about the same outline as K = {max(used, 2)}."
    )


def _on_agreement(chosen: Candidate, table: Sequence[Candidate], gain: float) -> str:
    """Warn of fits that disagree; name a smaller K, not too bad, whose fits agree much better."""
    if chosen.agreement >= AGREEMENT_LIMIT:
        return ""
    note = (
        f"Fits with different seeds agree only to {chosen.agreement:.2f} of 1: fit several chains "
        "(n_chains=4) and take the best."
    )
    steadier = [
        each
        for each in table
        if each.n_topics < chosen.n_topics
        and each.agreement > chosen.agreement + MUCH_STABLER
        and each.behind <= (1 - WORTH_NAMING) * gain
    ]
    if not steadier:
        return note
    nearest = steadier[-1]
    return (
        f"{note} A coarser outline is steadier: {nearest.agreement:.2f} at K = {nearest.n_topics}, "
        f"which costs {nearest.behind - chosen.behind:.3f} nats a word."
    )


def _on_range(chosen: Candidate, table: Sequence[Candidate], *, rises: bool) -> str:
    if rises:
        return (
            f"The score still rises at K = {table[-1].n_topics}, the largest that was tried: more "
            "topics are finer topics. If you want those, try larger K."
        )
    if len(table) > 1 and chosen is table[0]:
        return f"K = {chosen.n_topics} is the smallest that was tried: fewer topics may do."
    return ""
