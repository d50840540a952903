"""Convergence of several chains: R-hat, effective sample size, agreement, and a verdict in words.

Two chains with the same topics may number them differently, so chains are compared by what does
not depend on the numbers (the log joint, which units share a topic), or after their topics were
matched (the dispersions).
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from permutopic.checks import check_integer
from permutopic.errors import InputError, Message, Parameter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

RHAT_LIMIT = 1.1
"""Above it a quantity has not settled. Vehtari et al. (2021) ask for 1.01, but with an effective
sample of hundreds of draws a chain; of the twenty or thirty draws that a chain makes by default,
even independent ones come out above 1.05 one time in ten where there are two chains."""

AGREEMENT_LIMIT = 0.8
"""Below it two outlines differ. One draw a chain is compared, so even chains that have converged
stay short of 1, by the units whose topic is uncertain."""

STABLE_AGREEMENT = 0.9
"""What outlines must reach to be called stable when the log joint does not bear them out."""

MIN_DRAWS = 4
"""Each chain is halved, and a variance within a half takes two draws."""

ADVISED_CHAINS = 4


@dataclass(frozen=True)
class Convergence:
    """The comparison of several chains; None wherever a quantity is not defined.

    Draws are sweeps at inverse temperature 1, the same number from the end of each chain. R-hat is
    the split, rank-normalised one; of a single chain, the plain one between its two halves.
    """

    n_chains: int
    n_draws: int
    """Draws of each chain that were used."""
    best_chain: int
    """The chain with the highest mean log joint; 0 where there are no draws."""
    log_joint_rhat: float | None
    log_joint_ess: float | None
    dispersion_rhat: tuple[float | None, ...]
    """One for each topic of the best chain, after matching; None for topics that share no unit
    with any left in some chain, that have no dispersion there (as the last topic), or one that
    is infinite or never changes."""
    dispersion_ess: tuple[float | None, ...]
    agreement: tuple[tuple[float, ...], ...]
    """`pair_agreement` of every chain with every other."""
    mean_agreement: float | None
    """Its mean over pairs of chains."""
    gap: float | None
    """Nats between the mean log joints of the best and the worst chain."""
    agrees: bool | None
    """Whether the chains agree both in their log joint and on the topics."""
    verdict: str
    """The above in a sentence or two."""
    class_agreement: float | None = None
    """The share of tokens whose word is of one class in two chains, its mean over pairs of chains;
    None with one chain, and in the paper's model, which has no classes."""

    def as_dict(self) -> dict[str, Any]:
        """Return plain values that can be written as JSON."""
        plain = asdict(self)
        for name in ("dispersion_rhat", "dispersion_ess"):
            plain[name] = list(plain[name])
        plain["agreement"] = [list(row) for row in self.agreement]
        return plain

    @classmethod
    def from_dict(cls, plain: dict[str, Any]) -> Convergence:
        """Make the object from what `as_dict` returned."""
        lists = {name: tuple(plain[name]) for name in ("dispersion_rhat", "dispersion_ess")}
        agreement = tuple(tuple(row) for row in plain["agreement"])
        return cls(**{**plain, **lists, "agreement": agreement})


def match_topics(together: NDArray[np.int64]) -> NDArray[np.int64]:
    """Match topics one to one so that most units agree; (found, true) counts in, true out.

    >>> match_topics(np.array([[0, 9, 1], [8, 7, 0], [0, 6, 5]])).tolist()
    [1, 0, 2]
    """
    matched: NDArray[np.int64] = linear_sum_assignment(together, maximize=True)[1]
    return matched


def co_occurrence(
    first: NDArray[np.int64], second: NDArray[np.int64], n_topics: int
) -> NDArray[np.int64]:
    """Count units by their topics in two chains: a row for each topic of the first.

    >>> co_occurrence(np.array([0, 0, 1]), np.array([1, 1, 1]), 2).tolist()
    [[0, 2], [0, 1]]
    """
    _check_same_units(first, second)
    for topics in (first, second):
        if topics.min() < 0 or topics.max() >= n_topics:
            raise InputError(
                f"topics must lie between 0 and {n_topics - 1}, "
                f"not between {topics.min()} and {topics.max()}"
            )
    together = np.zeros((n_topics, n_topics), dtype=np.int64)
    np.add.at(together, (first, second), 1)
    return together


def pair_agreement(first: NDArray[np.int64], second: NDArray[np.int64]) -> float:
    """Compute the adjusted Rand index of two chains' partitions of the units into topics.

    Over all pairs of units, it is how often both chains put the pair into one topic or both into
    two, scaled so that 1 is the same partition and 0 is what chance gives topics of these sizes.
    It may fall below 0.

    >>> pair_agreement(np.array([0, 0, 1, 1]), np.array([1, 1, 0, 0]))
    1.0
    """
    from sklearn.metrics import adjusted_rand_score  # noqa: PLC0415 (heavy)

    _check_same_units(first, second)
    return float(adjusted_rand_score(first, second))


def assess(
    log_joints: Sequence[NDArray[np.float64]],
    dispersions: Sequence[NDArray[np.float64]],
    topics: Sequence[NDArray[np.int64]],
    n_topics: int,
    classes: Sequence[NDArray[np.bool_]] = (),
) -> Convergence:
    """Compare chains fitted to one corpus.

    Parameters
    ----------
    log_joints : one array (draws,) for each chain
        Of the sweeps at inverse temperature 1. Where chains differ in length, the last draws of
        each are used, as many as the shortest has.
    dispersions : one array (draws, n_topics - 1) for each chain
        ρ after the same sweeps.
    topics : one array (units,) for each chain
        The final topic of every unit of the corpus.
    n_topics : int
        Number of topics K.
    classes : one array (tokens,) for each chain
        Whether the word of each token is a subject word; none in the paper's model.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> found = assess(
    ...     log_joints=[rng.normal(size=50), rng.normal(size=50)],
    ...     dispersions=[rng.gamma(9, size=(50, 1)), rng.gamma(9, size=(50, 1))],
    ...     topics=[np.array([0, 0, 1, 1]), np.array([0, 0, 1, 1])],
    ...     n_topics=2,
    ... )
    >>> found.agrees, found.mean_agreement, round(found.log_joint_rhat, 1)
    (True, 1.0, 1.0)
    """
    n_chains = _check_chains(log_joints, dispersions, topics, n_topics)
    n_draws = min(len(trace) for trace in log_joints)
    joints = np.stack([trace[len(trace) - n_draws :] for trace in log_joints])
    means = joints.mean(axis=1) if n_draws else np.zeros(n_chains)
    best = int(means.argmax())
    rhos = _align(dispersions, topics, best, n_draws, n_topics)
    agreement = np.eye(n_chains)
    for a, b in combinations(range(n_chains), 2):
        agreement[a, b] = agreement[b, a] = pair_agreement(topics[a], topics[b])
    between = agreement[np.triu_indices(n_chains, 1)]
    mean_agreement = float(between.mean()) if n_chains > 1 else None
    gap = float(np.ptp(means)) if n_chains > 1 and n_draws else None
    rhat, rho_rhats = _rhat(joints), [_rhat(draws) for draws in rhos]
    agrees, verdict = (
        (None, _judge_one(rhat))
        if mean_agreement is None
        else _judge_several(n_chains, n_draws, rhat, mean_agreement, gap)
    )
    return Convergence(
        n_chains=n_chains,
        n_draws=n_draws,
        best_chain=best,
        log_joint_rhat=_known(rhat),
        log_joint_ess=_known(_ess(joints)),
        dispersion_rhat=tuple(_known(value) for value in rho_rhats),
        dispersion_ess=tuple(_known(_ess(draws)) for draws in rhos),
        agreement=tuple(tuple(row) for row in agreement.tolist()),
        mean_agreement=mean_agreement,
        gap=gap,
        agrees=agrees,
        verdict=Message(verdict, _judge_dispersions(rho_rhats)) if agrees else verdict,
        class_agreement=_class_agreement(classes),
    )


def _class_agreement(classes: Sequence[NDArray[np.bool_]]) -> float | None:
    pairs = [float(np.mean(first == second)) for first, second in combinations(classes, 2)]
    return float(np.mean(pairs)) if pairs else None


def _check_same_units(first: NDArray[np.int64], second: NDArray[np.int64]) -> None:
    if first.shape != second.shape or first.ndim != 1 or first.size == 0:
        raise InputError(
            f"two chains need one topic each for the same units, at least one, "
            f"not {first.shape} and {second.shape}"
        )


def _check_chains(
    log_joints: Sequence[NDArray[np.float64]],
    dispersions: Sequence[NDArray[np.float64]],
    topics: Sequence[NDArray[np.int64]],
    n_topics: int,
) -> int:
    """Check the shapes of the chains' arrays, and return the number of chains."""
    check_integer(n_topics, "n_topics", 1)
    n_chains = len(log_joints)
    if not n_chains == len(dispersions) == len(topics) or n_chains == 0:
        raise InputError(
            "log_joints, dispersions and topics need one array for each chain, at least one, "
            f"not {n_chains}, {len(dispersions)} and {len(topics)}"
        )
    for chain, (trace, rho) in enumerate(zip(log_joints, dispersions, strict=True)):
        if trace.ndim != 1 or not np.isfinite(trace).all():
            raise InputError(f"the log joints of chain {chain} must be finite, one for each draw")
        if rho.shape != (trace.size, n_topics - 1):
            raise InputError(
                f"the dispersions of chain {chain} must be of shape "
                f"{(trace.size, n_topics - 1)}, not {rho.shape}"
            )
    return n_chains


def _align(
    dispersions: Sequence[NDArray[np.float64]],
    topics: Sequence[NDArray[np.int64]],
    best: int,
    n_draws: int,
    n_topics: int,
) -> NDArray[np.float64]:
    """Order dispersions by the best chain's topics: (topics, chains, draws), NaN for none."""
    aligned = np.full((n_topics, len(topics), n_draws), np.nan)
    every = np.arange(n_topics)
    for chain, rho in enumerate(dispersions):
        together = co_occurrence(topics[best], topics[chain], n_topics)
        # Empty topics tie, so a chain matched to itself need not give each topic itself.
        matched = every if chain == best else match_topics(together)
        met = (chain == best) | (together[every, matched] > 0)
        has_one = met & (matched < n_topics - 1)
        aligned[has_one, chain] = rho[len(rho) - n_draws :, matched[has_one]].T
    return aligned


def _comparable(draws: NDArray[np.float64]) -> bool:
    enough = draws.shape[1] >= MIN_DRAWS
    return enough and bool(np.isfinite(draws).all() and np.ptp(draws) > 0)


def _rhat(draws: NDArray[np.float64]) -> float:
    """Compute R-hat of (chains, draws): NaN if unknown, ∞ if chains are constant and differ."""
    if not _comparable(draws):
        return math.nan
    stats = _array_stats()
    half = draws.shape[1] // 2
    with np.errstate(divide="ignore", invalid="ignore"):
        if len(draws) > 1:
            return float(stats.rhat(draws, method="rank"))
        # "rank" refuses a single chain; "identity" takes its halves, of four draws or more.
        return float(stats.rhat(np.stack([draws[0, :half], draws[0, -half:]]), method="identity"))


def _ess(draws: NDArray[np.float64]) -> float:
    """Compute the effective number of draws in (chains, draws): NaN if unknown."""
    if not _comparable(draws):
        return math.nan
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(_array_stats().ess(draws, method="bulk"))


def _array_stats() -> Any:
    """Return ArviZ's functions of plain arrays, which have no type annotations."""
    from arviz_stats.base.array import array_stats  # noqa: PLC0415 (heavy)

    return array_stats


def _known(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _judge_one(rhat: float) -> Message:
    several = Parameter("n_chains", ADVISED_CHAINS)
    moving = f" This one was still moving at its end (R-hat of its halves {rhat:.2f})."
    return Message(
        "One chain cannot tell whether it has converged: run several (",
        several,
        ") and compare.",
        moving if rhat > RHAT_LIMIT else "",
    )


def _judge_several(
    n_chains: int, n_draws: int, rhat: float, agreement: float, gap: float | None
) -> tuple[bool | None, Message]:
    """Decide whether the chains agree, and say why."""
    more_sweeps, chains = Parameter("n_sweeps"), f"the {n_chains} chains"
    shared = f"agreement on shared topics {agreement:.2f} of 1"
    if math.isnan(rhat):
        few = n_draws < MIN_DRAWS
        why = f"{n_draws} each at inverse temperature 1" if few else "their log joint never changed"
        return None, Message(
            f"Too few draws to tell whether {chains} have converged ({why}; {shared}): "
            "run more sweeps (",
            more_sweeps,
            ").",
        )
    numbers = f"R-hat of the log joint {rhat:.2f}, {shared}"
    settled = rhat <= RHAT_LIMIT
    if settled and agreement >= AGREEMENT_LIMIT:
        return True, Message(
            f"The {n_chains} chains agree: they ended in the same place ({numbers})."
        )
    if settled:
        return False, Message(
            f"The {n_chains} chains are about equally probable but found different topics: the "
            f"corpus allows several outlines ({numbers}). Average over the chains, or ask for "
            "fewer topics (",
            Parameter("n_topics"),
            ").",
        )
    if agreement >= STABLE_AGREEMENT:
        return False, Message(
            f"The {n_chains} chains agree on the topics, although they are still moving "
            f"({numbers}): the topics can be used; for their order and dispersions try more "
            "sweeps (",
            more_sweeps,
            ").",
        )
    return False, Message(
        f"Not converged: {chains} ended in different places (log joints up to "
        f"{gap:,.0f} nats apart, {shared}): try more sweeps (",
        more_sweeps,
        "), or take the best of more chains (",
        Parameter("n_chains"),
        ").",
    )


def _judge_dispersions(rhats: Sequence[float]) -> Message:
    """Say how many dispersions have not settled, where some have not."""
    known = [rhat for rhat in rhats if not math.isnan(rhat)]
    loose = sum(rhat > RHAT_LIMIT for rhat in known)
    if loose == 0:
        return Message()
    return Message(
        f" Only the dispersions have not settled, in {loose} of {len(known)} topics: "
        "for these run more sweeps (",
        Parameter("n_sweeps"),
        ").",
    )
