from __future__ import annotations

import json
import math
import subprocess
import sys
from itertools import combinations
from statistics import NormalDist, fmean, median, variance

import numpy as np
import pytest

from permutopic.errors import InputError
from permutopic.model.mcmc import convergence
from permutopic.model.mcmc.convergence import (
    Convergence,
    assess,
    co_occurrence,
    match_topics,
    pair_agreement,
)

N_TOPICS, N_DRAWS = 4, 40
TOPICS = np.repeat(np.arange(N_TOPICS), 10)
SHUFFLED = TOPICS.reshape(10, 4).T.ravel()


def plain_rhat(chains):
    """Split R-hat by its formula (BDA3, eq. 11.4), of chains given as lists."""
    n = len(chains[0])
    within = fmean(variance(chain) for chain in chains)
    between = n * variance([fmean(chain) for chain in chains])
    return math.sqrt(((n - 1) / n * within + between / n) / within)


def normal_scores(chains):
    """Replace values by normal quantiles of their ranks over all chains."""
    everything = [value for chain in chains for value in chain]

    def score(value):
        below, upto = (sum(map(holds, everything)) for holds in (value.__gt__, value.__ge__))
        rank = (below + 1 + upto) / 2  # folding ties the two values beside the median
        return NormalDist().inv_cdf((rank - 3 / 8) / (len(everything) + 1 / 4))

    return [[score(value) for value in chain] for chain in chains]


def split(chains):
    half = len(chains[0]) // 2
    return [part for chain in chains for part in (list(chain[:half]), list(chain[-half:]))]


def rank_rhat(chains):
    """Rank-normalised split R-hat (Vehtari et al. 2021): the worse of location and spread."""
    halves = split(chains)
    centre = median(value for half in halves for value in half)
    folded = [[abs(value - centre) for value in half] for half in halves]
    return max(plain_rhat(normal_scores(halves)), plain_rhat(normal_scores(folded)))


def make_chains(n_chains=3, n_draws=N_DRAWS, seed=0, **given):
    """Give chains that have converged, but for what is given."""
    rng = np.random.default_rng(seed)
    chains = {
        "log_joints": [rng.normal(-5000, 2, n_draws) for _ in range(n_chains)],
        "dispersions": [rng.gamma(9, 0.2, (n_draws, N_TOPICS - 1)) for _ in range(n_chains)],
        "topics": [TOPICS] * n_chains,
        "n_topics": N_TOPICS,
    }
    return chains | given


def shift(traces, *nats):
    return [trace + by for trace, by in zip(traces, nats, strict=True)]


# Matching


def test_topics_are_matched_one_to_one():
    # Row by row, the best match would take topic 1 three times.
    assert match_topics(np.array([[0, 9, 1], [8, 7, 0], [0, 6, 5]])).tolist() == [1, 0, 2]


def test_co_occurrence_counts_units_by_both_topics():
    together = co_occurrence(np.array([0, 0, 2, 1]), np.array([1, 1, 0, 0]), 3)
    assert together.tolist() == [[0, 2, 0], [1, 0, 0], [1, 0, 0]]


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ([0, 1], [0], "same units"),
        ([], [], "at least one"),
        ([0, 3], [0, 1], "between 0 and 2, not between 0 and 3"),
        ([0, 1], [-1, 1], "not between -1 and 1"),
    ],
)
def test_units_and_topics_that_cannot_be_are_refused(first, second, message):
    with pytest.raises(InputError, match=message):
        co_occurrence(np.array(first, dtype=int), np.array(second, dtype=int), 3)


def test_agreement_is_the_rand_index_beyond_chance():
    # 6 pairs; the first joins 2, the second 3, both join 1. By chance 2·3/6 = 1 is expected.
    assert pair_agreement(np.array([0, 0, 1, 1]), np.array([0, 0, 0, 1])) == pytest.approx(0)
    # 15 pairs; the first joins 6, the second 4, both 4. By chance 24/15, at most (6 + 4) / 2.
    first, second = np.array([0, 0, 0, 1, 1, 1]), np.array([2, 2, 2, 0, 0, 1])
    assert pair_agreement(first, first[::-1]) == 1
    assert pair_agreement(first, second) == pytest.approx((4 - 24 / 15) / (5 - 24 / 15))
    with pytest.raises(InputError, match="same units"):
        pair_agreement(first, second[1:])


# Numbers


@pytest.mark.parametrize("n_draws", [4, 9, 40])
@pytest.mark.parametrize("n_chains", [2, 4])
def test_rhat_is_that_of_the_book(n_chains, n_draws):
    chains = make_chains(n_chains, n_draws)
    result = assess(**chains)
    assert result.log_joint_rhat == pytest.approx(rank_rhat(chains["log_joints"]), abs=1e-9)
    for topic in range(N_TOPICS - 1):
        draws = [rho[:, topic] for rho in chains["dispersions"]]
        assert result.dispersion_rhat[topic] == pytest.approx(rank_rhat(draws), abs=1e-9)


def test_rhat_sees_chains_of_different_spread():
    chains = make_chains(2, 200)
    wide = [chains["log_joints"][0], -5000 + 5 * (chains["log_joints"][1] + 5000)]
    assert assess(**chains).log_joint_rhat < 1.02
    assert assess(**chains | {"log_joints": wide}).log_joint_rhat > 1.2


def test_effective_draws_are_few_where_draws_depend_on_each_other():
    rng = np.random.default_rng(1)
    free = rng.normal(size=(2, 2000))
    slow = np.zeros_like(free)
    for draw in range(1, 2000):
        slow[:, draw] = 0.9 * slow[:, draw - 1] + free[:, draw]
    rho = np.stack([free, slow], axis=2)  # (chains, draws, topics)
    result = assess(list(slow), list(rho), [TOPICS % 3] * 2, 3)
    # An AR(1) chain is worth (1 − 0.9) / (1 + 0.9) of its draws.
    assert result.log_joint_ess == pytest.approx(4000 / 19, rel=0.3)
    assert result.dispersion_ess[0] == pytest.approx(4000, rel=0.1)
    assert result.dispersion_ess[1:] == (result.log_joint_ess, None)


def test_dispersions_follow_their_topics_through_another_numbering():
    # Dispersions far apart, so that topics taken for one another would be seen.
    chains = make_chains(2)
    chains["log_joints"] = shift(chains["log_joints"], 1, 0)
    chains["dispersions"] = [rho + np.array([0, 100, 200]) for rho in chains["dispersions"]]
    same = assess(**chains)
    number = np.array([2, 0, 1, 3])  # what the second chain calls each topic
    chains["topics"] = [TOPICS, number[TOPICS]]
    mixed_up = assess(**chains)
    chains["dispersions"][1] = chains["dispersions"][1][:, np.argsort(number)[:3]]
    aligned = assess(**chains)
    assert aligned == same
    assert aligned.agreement == ((1, 1), (1, 1))
    assert max(same.dispersion_rhat[:3]) < 1.1
    assert min(mixed_up.dispersion_rhat[:3]) > 1.5


def test_topics_are_those_of_the_best_chain():
    chains = make_chains(2)
    chains["log_joints"] = shift(chains["log_joints"], 0, 50)
    chains["topics"] = [np.array([3, 0, 1, 2])[TOPICS], TOPICS]
    result = assess(**chains)
    assert result.best_chain == 1
    # Topic 0 of the best chain is the other's last, which has no dispersion.
    assert [rhat is None for rhat in result.dispersion_rhat] == [True, False, False, True]
    assert [ess is None for ess in result.dispersion_ess] == [True, False, False, True]


def test_a_topic_that_meets_no_other_is_not_compared():
    one_less = np.where(TOPICS == 1, 0, TOPICS)
    result = assess(**make_chains(2, topics=[one_less, TOPICS]))
    assert [rhat is None for rhat in result.dispersion_rhat] == [False, True, False, True]
    alone = assess(**make_chains(1, topics=[np.full(40, 3)]))
    assert [rhat is None for rhat in alone.dispersion_rhat] == [False, False, False, True]


def test_agreement_is_between_all_pairs_of_chains():
    topics = [TOPICS, SHUFFLED, np.array([1, 0, 2, 3])[TOPICS]]
    result = assess(**make_chains(topics=topics))
    far = pair_agreement(TOPICS, SHUFFLED)
    assert far < 0.1
    assert result.agreement == ((1, far, 1), (far, 1, far), (1, far, 1))
    assert result.mean_agreement == pytest.approx((1 + 2 * far) / 3)
    for a, b in combinations(range(3), 2):
        assert result.agreement[a][b] == pair_agreement(topics[a], topics[b])


def test_the_gap_is_between_means_of_the_best_and_the_worst():
    traces = [np.array([1.0, 3, 2, 2]), np.array([9.0, 11, 10, 10]), np.array([5.0, 5, 5, 6])]
    result = assess(**make_chains(n_draws=4, log_joints=traces))
    assert (result.best_chain, result.gap) == (1, 8)


def test_chains_of_different_length_are_cut_at_the_front():
    chains = make_chains(2)
    cut = assess(**chains)
    early = np.linspace(-9000, -6000, 7)
    chains["log_joints"][1] = np.append(early, chains["log_joints"][1])
    chains["dispersions"][1] = np.vstack([np.full((7, 3), 99.0), chains["dispersions"][1]])
    assert assess(**chains) == cut
    assert cut.n_draws == N_DRAWS


# Where nothing can be said


@pytest.mark.parametrize("fixed", [np.inf, 0.0])
def test_variants_without_dispersions_have_no_diagnostics_of_them(fixed):
    result = assess(**make_chains(2, dispersions=[np.full((N_DRAWS, 3), fixed)] * 2))
    assert result.dispersion_rhat == result.dispersion_ess == (None,) * 4
    assert result.log_joint_rhat is not None
    assert result.agrees is True


@pytest.mark.parametrize("n_draws", [0, 1, 3])
@pytest.mark.parametrize("n_chains", [1, 2])
def test_few_draws_say_nothing(n_chains, n_draws):
    result = assess(**make_chains(n_chains, n_draws))
    assert result.log_joint_rhat is None
    assert result.log_joint_ess is None
    assert result.dispersion_rhat == result.dispersion_ess == (None,) * 4
    assert result.agrees is None
    assert (result.gap is None) == (n_draws == 0 or n_chains == 1)
    if n_chains == 2:
        assert result.verdict.startswith("Too few draws to tell whether the 2 chains")
        assert f"({n_draws} each at inverse temperature 1; " in result.verdict
        assert result.mean_agreement == 1


def test_one_chain_is_compared_with_itself_only():
    chains = make_chains(1)
    result = assess(**chains)
    assert result.log_joint_rhat == pytest.approx(plain_rhat(split(chains["log_joints"])))
    assert result.log_joint_ess > N_DRAWS / 2
    assert [rhat is None for rhat in result.dispersion_rhat] == [False, False, False, True]
    assert (result.mean_agreement, result.gap, result.agrees) == (None, None, None)
    assert result.agreement == ((1.0,),)
    assert result.verdict == (
        "One chain cannot tell whether it has converged: run several (n_chains=4) and compare."
    )
    few = assess(**make_chains(1, n_draws=7))
    assert few.log_joint_rhat is None
    assert few.log_joint_ess is not None


def test_one_chain_that_drifts_is_told_so():
    chains = make_chains(1)
    drifting = assess(**chains | {"log_joints": [np.arange(40.0)]})
    assert "This one was still moving at its end (R-hat of its halves 2." in drifting.verdict


def test_log_joints_that_stand_still_in_different_places_have_not_converged():
    result = assess(
        **make_chains(2, log_joints=[np.zeros(40), np.ones(40)], topics=[TOPICS, SHUFFLED])
    )
    assert (result.log_joint_rhat, result.gap, result.agrees) == (None, 1, False)
    same = assess(**make_chains(2, log_joints=[np.ones(40), np.ones(40)]))
    assert (same.log_joint_rhat, same.gap, same.agrees) == (None, 0, None)
    assert "their log joint never changed" in same.verdict


def test_one_topic_is_enough():
    result = assess([np.arange(9.0)] * 2, [np.empty((9, 0))] * 2, [np.zeros(3, dtype=int)] * 2, 1)
    assert (result.dispersion_rhat, result.mean_agreement) == ((None,), 1)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"topics": [TOPICS]}, "one array for each chain, at least one, not 3, 3 and 1"),
        ({"log_joints": [], "dispersions": [], "topics": []}, "at least one"),
        ({"topics": [TOPICS, TOPICS, TOPICS[1:]]}, "same units"),
        ({"log_joints": [np.full(40, np.nan)] * 3}, "log joints of chain 0 must be finite"),
        ({"dispersions": [np.ones((40, 4))] * 3}, r"of shape \(40, 3\), not \(40, 4\)"),
        ({"dispersions": [np.ones((39, 3))] * 3}, r"of shape \(40, 3\), not \(39, 3\)"),
        ({"n_topics": 0}, "n_topics must be"),
    ],
)
def test_chains_that_do_not_fit_together_are_refused(given, message):
    with pytest.raises(InputError, match=message):
        assess(**make_chains(**given))


# Verdicts


def verdict_of(nats, topics, **given):
    chains = make_chains(2, topics=topics, **given)
    chains["log_joints"] = shift(chains["log_joints"], 0, nats)
    return assess(**chains)


def test_chains_that_agree():
    result = verdict_of(0, [TOPICS, TOPICS], seed=2)
    rhat = f"{result.log_joint_rhat:.2f}"
    assert result.agrees is True
    assert result.verdict == (
        "The 2 chains agree: they ended in the same place "
        f"(R-hat of the log joint {rhat}, agreement on shared topics 1.00 of 1)."
    )


def test_chains_that_agree_but_for_a_dispersion():
    chains = make_chains(2, seed=2)
    chains["dispersions"][1] = chains["dispersions"][1] + np.array([0, 9, 0])
    result = assess(**chains)
    assert result.agrees is True
    assert result.verdict.endswith(
        " Only the dispersions have not settled, in 1 of 3 topics: "
        "for these run more sweeps (n_sweeps)."
    )


def test_chains_that_ended_in_different_places():
    result = verdict_of(3100, [TOPICS, SHUFFLED], seed=2)
    assert result.agrees is False
    assert result.verdict.startswith("Not converged: the 2 chains ended in different places")
    assert f"up to {result.gap:,.0f} nats apart" in result.verdict
    assert result.gap == pytest.approx(3100, abs=2)
    assert "n_sweeps" in result.verdict
    assert "n_chains" in result.verdict


def test_chains_that_move_while_their_topics_stay():
    result = verdict_of(30, [TOPICS, TOPICS], seed=2)
    assert result.agrees is False
    assert result.verdict.startswith("The 2 chains agree on the topics, although")


def test_moving_chains_need_more_agreement_than_settled_ones():
    nearly = TOPICS.copy()
    nearly[[0, 10]] = 1, 0
    settled, moving = (verdict_of(nats, [TOPICS, nearly], seed=2) for nats in (0, 30))
    assert 0.8 < settled.mean_agreement < 0.9
    assert settled.agrees is True
    assert moving.verdict.startswith("Not converged")


def test_chains_as_probable_with_different_topics():
    result = verdict_of(0, [TOPICS, SHUFFLED], seed=2)
    assert result.agrees is False
    assert result.verdict.startswith("The 2 chains are about equally probable but found")
    assert "(n_topics)" in result.verdict


# The result as data


@pytest.mark.parametrize(
    "chains",
    [
        make_chains(),
        make_chains(1),
        make_chains(2, 0),
        make_chains(2, log_joints=[np.zeros(40), np.ones(40)]),
    ],
    ids=["three", "one", "none drawn", "infinite R-hat"],
)
def test_results_are_plain_json(chains):
    result = assess(**chains)
    plain = result.as_dict()
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
    assert set(plain) == set(Convergence.__dataclass_fields__)
    assert plain["agreement"] == [list(row) for row in result.agreement]
    assert all(type(value) is not np.float64 for value in [plain["gap"], *plain["dispersion_rhat"]])


def test_importing_brings_in_nothing_that_only_the_comparison_needs():
    script = "import sys, permutopic.model.mcmc.convergence; print(*sys.modules)"
    loaded = subprocess.check_output([sys.executable, "-c", script], text=True).split()
    assert {"arviz_stats", "sklearn"}.isdisjoint(loaded)


def test_topics_that_share_a_single_unit_are_compared():
    one_shared = np.where(TOPICS == 1, 0, TOPICS)
    one_shared[10] = 1
    result = assess(**make_chains(2, topics=[one_shared, TOPICS]))
    assert [rhat is None for rhat in result.dispersion_rhat] == [False, False, False, True]


@pytest.mark.parametrize(
    ("rhat", "agreement", "agrees", "said"),
    [
        (1.1, 0.8, True, "The 2 chains agree"),
        (1.1, 0.79, False, "found different topics"),
        (1.11, 0.9, False, "agree on the topics, although they are still moving"),
        (1.11, 0.89, False, "Not converged: the 2 chains ended in different places"),
        (math.nan, 0.9, None, "Too few draws"),
    ],
)
def test_verdicts_at_their_limits(rhat, agreement, agrees, said):
    found, verdict = convergence._judge_several(2, 40, rhat, agreement, 7.0)
    assert found is agrees
    assert said in str(verdict)


def test_one_chain_moves_and_dispersions_are_loose_above_the_limit_alone():
    assert "still moving" not in str(convergence._judge_one(1.1))
    assert "still moving" in str(convergence._judge_one(1.11))
    assert str(convergence._judge_dispersions([1.1, math.nan, 1.0])) == ""
    loose = str(convergence._judge_dispersions([1.11, math.nan, 1.0, 2.0]))
    assert "have not settled, in 2 of 3 topics" in loose
