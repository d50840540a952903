"""The paper's sweep in plain Python and numpy: every conditional straight from eq. 7.

No span table, no prefix sums, no compiled code: for each candidate the document's words are
scored anew, topic by topic. It makes the same draws as the compiled sweep, and the tests of the
benchmark hold it to that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import gammaln

from permutopic.model.mcmc.schedule import POSTERIOR
from permutopic.permutation import inversions_to_order

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from permutopic.corpus import Corpus
    from permutopic.model.mcmc.sampler import RandomAt
    from permutopic.model.mcmc.schedule import Stage
    from permutopic.model.priors import Priors
    from permutopic.model.state import State


class PlainSweep:
    """Resamples the structures of the first `n_documents` documents, with no trick at all."""

    def __init__(self, corpus: Corpus, priors: Priors, n_documents: int | None = None) -> None:
        self.corpus, self.priors = corpus, priors
        self.n_documents = corpus.n_documents if n_documents is None else n_documents

    def __call__(self, state: State, random_at: RandomAt, stage: Stage = POSTERIOR) -> None:  # noqa: ARG002
        """Visit the documents in turn."""
        units = state.bag.sum(axis=0)
        for document in range(self.n_documents):
            n_draws = int(state.bag[document].sum())
            uniforms = random_at(document).random(2 * n_draws + state.n_topics - 1)
            self._visit(state, document, units, uniforms[: 2 * n_draws], uniforms[2 * n_draws :])

    def _visit(
        self,
        state: State,
        document: int,
        units: NDArray[np.int64],
        bag_uniforms: NDArray[np.float64],
        inversion_uniforms: NDArray[np.float64],
    ) -> None:
        bag, inversions = state.bag[document], state.inversions[document]
        n_topics, n_draws = bag.size, int(bag.sum())
        self._add(state, document, -1)
        draws = np.repeat(np.arange(n_topics), bag)
        for step in range(n_draws):
            picked = step + int(bag_uniforms[step] * (n_draws - step))
            old = draws[picked]
            draws[picked] = draws[step]
            bag[old] -= 1
            units[old] -= 1
            log_weights = np.empty(n_topics)
            for topic in range(n_topics):
                bag[topic] += 1
                prior = np.log(units[topic] + self.priors.topic)
                log_weights[topic] = prior + self._log_words(state, document)
                bag[topic] -= 1
            new = _choose(log_weights, bag_uniforms[n_draws + step])
            bag[new] += 1
            units[new] += 1
        for j, uniform in enumerate(inversion_uniforms):
            log_weights = np.empty(n_topics - j)
            for value in range(n_topics - j):
                inversions[j] = value
                cost = state.dispersion[j] * value
                log_weights[value] = self._log_words(state, document) - cost
            inversions[j] = _choose(log_weights, uniform)
        self._add(state, document, 1)

    def _spans(self, state: State, document: int) -> list[tuple[int, NDArray[np.int32]]]:
        unit = self.corpus.units_of(document).start
        spans = []
        for topic in inversions_to_order(state.inversions[document]):
            end = unit + state.bag[document, topic]
            first, last = self.corpus.unit_offsets[[unit, end]]
            spans.append((int(topic), self.corpus.words[first:last]))
            unit = end
        return spans

    def _log_words(self, state: State, document: int) -> float:
        """Score the document's words under its present structure (eq. 7)."""
        prior, total = self.priors.word, 0.0
        for topic, words in self._spans(state, document):
            if words.size:
                distinct, counts = np.unique(words, return_counts=True)
                held = state.word_counts[distinct, topic] + prior
                total += float((gammaln(held + counts) - gammaln(held)).sum())
                all_held = state.topic_tokens[topic] + self.corpus.n_words * prior
                total -= float(gammaln(all_held + words.size) - gammaln(all_held))
        return total

    def _add(self, state: State, document: int, sign: int) -> None:
        for topic, words in self._spans(state, document):
            np.add.at(state.word_counts[:, topic], words, sign)
            state.topic_tokens[topic] += sign * words.size


def _choose(log_weights: NDArray[np.float64], uniform: float) -> int:
    cumulative = np.cumsum(np.exp(log_weights - log_weights.max()))
    return int(np.searchsorted(cumulative, uniform * cumulative[-1], side="right"))
