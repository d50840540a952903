"""Which topics of a model go with which entries of a template.

A topic fits an entry by its seed words: the mean, over those that the model knows, of
log φ_kw − log φ_w, where φ_w is the word's share in all topics together and a word that came c
times in the corpus counts c / (c + 5): a rare one says little. An entry that is called like a topic
gets it. Then every other entry gets at most one topic, such that the sum of the fits is largest: so
no entry takes what another needs more. A topic whose heading is called like an entry ("History:
army, troops") is that entry's, unless another fits it far better. At last a topic that is left may
join an entry that it fits well: models often have two topics where people see one, and a document
with only the second would otherwise lack the entry and have something extra. No topic goes with two
entries, since the model cannot tell them apart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from permutopic.anomalies.match import FITS, Match, MatchedEntry

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from permutopic.anomalies.habits import Habits
    from permutopic.anomalies.template import TemplateEntry

JOINS = 0.5
"""A second topic joins if it fits with at least this share of the first one's fit."""
CLAIM = 0.5
"""What the right heading is worth, in nats a word."""
RARE = 5.0
"""A word that came so often counts half."""


def match_template(
    template: Sequence[TemplateEntry],
    habits: Habits,
    word_distributions: NDArray[np.float64],
    word_totals: NDArray[np.integer],
    vocabulary: Sequence[str],
    split: Callable[[str], list[str]],
) -> Match:
    """Match the entries of a template to the topics in use.

    Parameters
    ----------
    template
        The entries, in order.
    habits
        The model's names and which topics are in use.
    word_distributions
        (K, W): the words of each topic.
    word_totals
        (W,): how often each word came in the corpus.
    vocabulary
        The model's words.
    split
        How the model splits text, for the seed words. An entry without any goes by its name.
    """
    numbers = {word: number for number, word in enumerate(vocabulary)}
    seeds = [_seeds(entry, split) for entry in template]
    known = [[token for token in tokens if token in numbers] for tokens in seeds]
    columns = [np.array([numbers[token] for token in tokens], dtype=np.int64) for tokens in known]
    fits = _fits(columns, habits, word_distributions, word_totals)
    named, claimed = _by_name(template, habits)
    topics = _join(_assign(fits, named, claimed), claimed, fits)
    groups = zip(template, topics, strict=True)
    owners: dict[int | None, str] = {topic: each.name for each, group in groups for topic in group}
    closest = [
        int(row.argmax()) if tokens and habits.used.size else None
        for row, tokens in zip(fits, known, strict=True)
    ]
    entries = [
        MatchedEntry(
            name=entry.name,
            topics=tuple(topics[row]),
            by=_reason(row, topics[row], named, claimed),
            fit=_fit(fits[row], topics[row]),
            closest=closest[row],
            owner=owners.get(closest[row]),
            known=tuple(known[row]),
            unknown=tuple(token for token in seeds[row] if token not in numbers),
        )
        for row, entry in enumerate(template)
    ]
    left = [topic for topic in habits.used.tolist() if topic not in owners]
    return Match(tuple(entries), tuple(left))


def _seeds(entry: TemplateEntry, split: Callable[[str], list[str]]) -> list[str]:
    words = entry.words or (entry.name,)
    return list(dict.fromkeys(token for word in words for token in split(word)))


def _fits(
    seeds: Sequence[NDArray[np.int64]],
    habits: Habits,
    word_distributions: NDArray[np.float64],
    word_totals: NDArray[np.integer],
) -> NDArray[np.float64]:
    """Give (entries, K): how well each topic fits each entry; −∞ where there is no saying."""
    fits = np.full((len(seeds), habits.n_topics), -np.inf)
    all_words = max(int(word_totals.sum()), 1)
    for row, words in enumerate(seeds):
        if words.size:
            totals = word_totals[words]
            background = np.maximum(totals, 0.5) / all_words
            gains = np.log(word_distributions[np.ix_(habits.used, words)]) - np.log(background)
            fits[row, habits.used] = (gains * totals / (totals + RARE)).mean(axis=1)
    return fits


def _by_name(
    template: Sequence[TemplateEntry], habits: Habits
) -> tuple[dict[int, int], dict[int, int]]:
    """Find the topic of each entry that is called like one, and the entry by each one's heading."""
    rows = {entry.name.casefold(): row for row, entry in enumerate(template)}
    named, claimed = {}, {}
    for topic in habits.used.tolist():
        name = habits.names[topic].casefold()
        # A topic called "Safety: dust, fire" has a heading, one called "Uses + Safety" two parts.
        parts = [name.partition(":")[0], *name.split(" + ")]
        if name in rows:
            named[rows[name]] = topic
        elif any(part in rows for part in parts):
            claimed[topic] = next(rows[part] for part in parts if part in rows)
    return named, claimed


def _assign(
    fits: NDArray[np.float64], named: dict[int, int], claimed: dict[int, int]
) -> dict[int, int]:
    """Give entries that have no topic by name one each, such that the fits sum highest.

    To stay without one is worth as much as the least fit: so nobody gets less.
    """
    from scipy.optimize import linear_sum_assignment  # noqa: PLC0415

    worth = fits.copy()
    for topic, row in claimed.items():
        own = max(fits[row, topic], 0.0)
        worth[:, topic] -= own + CLAIM  # others have to do better by that much
        worth[row, topic] = own + CLAIM
    rows = [row for row in range(fits.shape[0]) if row not in named]
    columns = [topic for topic in range(fits.shape[1]) if topic not in named.values()]
    gains = np.maximum(worth[np.ix_(rows, columns)] - FITS, 0.0)
    taken = zip(*linear_sum_assignment(gains, maximize=True), strict=True)
    found = {rows[row]: columns[column] for row, column in taken if gains[row, column] > 0}
    return {**named, **found}


def _join(
    first: dict[int, int], claimed: dict[int, int], fits: NDArray[np.float64]
) -> list[list[int]]:
    """Let topics that are left go by their heading, or join an entry that they fit well."""
    topics = [[first[row]] if row in first else [] for row in range(fits.shape[0])]
    least = [
        max(FITS, JOINS * float(fits[row, group[0]])) if group else np.inf
        for row, group in enumerate(topics)
    ]
    for topic in sorted(set(range(fits.shape[1])) - set(first.values())):
        row = claimed.get(topic, int(np.argmax(fits[:, topic] - least)))
        if topic in claimed or fits[row, topic] >= least[row]:
            topics[row].append(topic)
    return topics


def _reason(row: int, topics: list[int], named: dict[int, int], claimed: dict[int, int]) -> str:
    if row in named:
        return "name"
    if any(claimed.get(topic) == row for topic in topics):
        return "heading"
    return "words" if topics else "nothing"


def _fit(fits: NDArray[np.float64], topics: list[int]) -> float:
    best = float(fits[topics[0]] if topics else fits.max(initial=-np.inf))
    return best if np.isfinite(best) else float("nan")
