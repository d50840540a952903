"""Assign the topics of a model to the entries of a template.

The fit of a topic to an entry is the mean, over the known seed words of the entry, of
log φ_kw − log φ_w, where φ_w is the word's share in the corpus. A word that occurs c times in the
corpus has the weight c / (c + 5), as the estimate of a rare word is uncertain. Then:

1. An entry with the name of a topic gets that topic.
2. Every other entry gets at most one topic, such that the sum of the fits is greatest. A topic
   whose heading is the name of an entry ("History: army, troops") belongs to it, unless another
   entry fits far better.
3. A remaining topic joins an entry that it fits well: models often have two topics where people
   see one, and a document with only the second would otherwise have one missing and one extra.

No topic belongs to two entries, as the model cannot distinguish them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from permutopic.anomalies.template_match import MIN_FIT, MatchedEntry, TemplateMatch

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from permutopic.anomalies.template import TemplateEntry
    from permutopic.anomalies.usage import TopicUsage

MIN_FIT_RATIO = 0.5
"""A further topic joins an entry if its fit is at least this share of the first topic's fit."""
HEADING_BONUS = 0.5
"""Added to the fit of a topic to the entry with its heading, in nats per word."""
HALF_WEIGHT_COUNT = 5.0
"""Occurrences in the corpus at which a seed word has half its full weight."""


def match_template(
    template: Sequence[TemplateEntry],
    usage: TopicUsage,
    word_distributions: NDArray[np.float64],
    word_totals: NDArray[np.integer],
    vocabulary: Sequence[str],
    split: Callable[[str], list[str]],
) -> TemplateMatch:
    """Match the entries of a template to the topics in use.

    Parameters
    ----------
    template
        The entries, in order.
    usage
        Names of the topics, and which are in use.
    word_distributions
        (K, W): word probabilities of each topic.
    word_totals
        (W,): occurrences of each section word in the corpus; 0 for a subject word, which says
        nothing of a topic.
    vocabulary
        (W,): the words.
    split
        The model's tokenizer, for the seed words. Without seed words an entry has those of its
        name.
    """
    numbers = {word: number for number, word in enumerate(vocabulary)}
    seeds = [_seed_tokens(entry, split) for entry in template]
    known = [
        [token for token in tokens if token in numbers and word_totals[numbers[token]] > 0]
        for tokens in seeds
    ]
    columns = [np.array([numbers[token] for token in tokens], dtype=np.int64) for tokens in known]
    fits = _fits(columns, usage, word_distributions, word_totals)
    by_name, by_heading = _match_names(template, usage)
    topics = _add_remaining(_assign(fits, by_name, by_heading), by_heading, fits)
    groups = zip(template, topics, strict=True)
    owners: dict[int | None, str] = {topic: each.name for each, group in groups for topic in group}
    closest = [
        int(row.argmax()) if tokens and usage.used.size else None
        for row, tokens in zip(fits, known, strict=True)
    ]
    entries = [
        MatchedEntry(
            name=entry.name,
            topics=tuple(topics[row]),
            matched_by=_reason(row, topics[row], by_name, by_heading),
            fit=_reported_fit(fits[row], topics[row]),
            closest=closest[row],
            closest_entry=owners.get(closest[row]),
            known=tuple(known[row]),
            unknown=tuple(token for token in seeds[row] if token not in known[row]),
        )
        for row, entry in enumerate(template)
    ]
    unmatched = [topic for topic in usage.used.tolist() if topic not in owners]
    return TemplateMatch(tuple(entries), tuple(unmatched))


def _seed_tokens(entry: TemplateEntry, split: Callable[[str], list[str]]) -> list[str]:
    words = entry.words or (entry.name,)
    return list(dict.fromkeys(token for word in words for token in split(word)))


def _fits(
    seeds: Sequence[NDArray[np.int64]],
    usage: TopicUsage,
    word_distributions: NDArray[np.float64],
    word_totals: NDArray[np.integer],
) -> NDArray[np.float64]:
    """Compute the fit of each topic to each entry: (entries, K); −∞ where it is undefined."""
    fits = np.full((len(seeds), usage.n_topics), -np.inf)
    n_tokens = max(int(word_totals.sum()), 1)
    for row, words in enumerate(seeds):
        if words.size:
            totals = word_totals[words]
            background = np.maximum(totals, 0.5) / n_tokens
            gains = np.log(word_distributions[np.ix_(usage.used, words)]) - np.log(background)
            weighted = gains * totals / (totals + HALF_WEIGHT_COUNT)
            fits[row, usage.used] = weighted.mean(axis=1)
    return fits


def _match_names(
    template: Sequence[TemplateEntry], usage: TopicUsage
) -> tuple[dict[int, int], dict[int, int]]:
    """Return the topic of each entry that has its name, and the entry of each topic's heading."""
    rows = {entry.name.casefold(): row for row, entry in enumerate(template)}
    by_name, by_heading = {}, {}
    for topic in usage.used.tolist():
        name = usage.names[topic].casefold()
        # A topic called "Safety: dust, fire" has a heading, one called "Uses + Safety" two parts.
        parts = [name.partition(":")[0], *name.split(" + ")]
        if name in rows:
            by_name[rows[name]] = topic
        elif any(part in rows for part in parts):
            by_heading[topic] = next(rows[part] for part in parts if part in rows)
    return by_name, by_heading


def _assign(
    fits: NDArray[np.float64], by_name: dict[int, int], by_heading: dict[int, int]
) -> dict[int, int]:
    """Assign at most one topic to each entry without one by name; maximise the sum of fits.

    An entry without a topic counts as the least fit, so that no topic with less is assigned.
    """
    from scipy.optimize import linear_sum_assignment  # noqa: PLC0415

    values = fits.copy()
    for topic, row in by_heading.items():
        own = max(fits[row, topic], 0.0)
        values[:, topic] -= own + HEADING_BONUS  # other entries have to fit better by that much
        values[row, topic] = own + HEADING_BONUS
    rows = [row for row in range(fits.shape[0]) if row not in by_name]
    columns = [topic for topic in range(fits.shape[1]) if topic not in by_name.values()]
    gains = np.maximum(values[np.ix_(rows, columns)] - MIN_FIT, 0.0)
    chosen = zip(*linear_sum_assignment(gains, maximize=True), strict=True)
    found = {rows[row]: columns[column] for row, column in chosen if gains[row, column] > 0}
    return {**by_name, **found}


def _add_remaining(
    first: dict[int, int], by_heading: dict[int, int], fits: NDArray[np.float64]
) -> list[list[int]]:
    """Add unassigned topics to the entry of their heading, or to one that they fit well."""
    topics = [[first[row]] if row in first else [] for row in range(fits.shape[0])]
    least = [
        max(MIN_FIT, MIN_FIT_RATIO * float(fits[row, group[0]])) if group else np.inf
        for row, group in enumerate(topics)
    ]
    for topic in sorted(set(range(fits.shape[1])) - set(first.values())):
        row = by_heading.get(topic, int(np.argmax(fits[:, topic] - least)))
        if topic in by_heading or fits[row, topic] >= least[row]:
            topics[row].append(topic)
    return topics


def _reason(
    row: int, topics: list[int], by_name: dict[int, int], by_heading: dict[int, int]
) -> str:
    """Return what an entry was matched by."""
    if row in by_name:
        return "name"
    if any(by_heading.get(topic) == row for topic in topics):
        return "heading"
    return "words" if topics else "nothing"


def _reported_fit(fits: NDArray[np.float64], topics: list[int]) -> float:
    """Return the fit of the first topic, or the best fit if there is none; nan if undefined."""
    best = float(fits[topics[0]] if topics else fits.max(initial=-np.inf))
    return best if np.isfinite(best) else float("nan")
