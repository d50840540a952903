"""A finished chain: its last state, and what it left behind."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from permutopic.model.state import State, check_state_arrays

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

_TRACES = ("log_joints", "inverse_temperatures", "dispersions")
# Arrays of a model folder that have another name than the attribute: the folder's schema is older.
_STORED_NAMES = {"inverse_temperatures": "temperatures", "topic_tokens": "topic_words"}


@dataclass(frozen=True)
class Chain:
    """One finished chain.

    Attributes
    ----------
    number
        Its number among the chains of one seed; both together key its random streams.
    state
        The state after the last sweep; None if it was not kept.
    log_joints, inverse_temperatures
        (sweeps,): the log joint after, and λ in, every sweep.
    dispersions
        (draws, K − 1): ρ after each sweep that counts as a draw; these are the last ones.
    """

    number: int
    state: State | None
    log_joints: NDArray[np.float64]
    inverse_temperatures: NDArray[np.float64]
    dispersions: NDArray[np.float64]

    @property
    def drawn_log_joints(self) -> NDArray[np.float64]:
        """The log joints of the sweeps that count as draws."""
        return self.log_joints[self.log_joints.size - len(self.dispersions) :]

    def without_state(self) -> Chain:
        """Return the chain without its state."""
        return replace(self, state=None)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return everything as arrays, by their names in a model folder."""
        arrays = {name: getattr(self, name) for name in _TRACES}
        if self.state is not None:
            arrays |= vars(self.state)
            if not self.state.subject_words.any():
                del arrays["subject_words"]  # as in schema 5, which has none
        return {_STORED_NAMES.get(name, name): array for name, array in arrays.items()}

    @classmethod
    def from_arrays(cls, number: int, arrays: Mapping[str, NDArray[Any]]) -> Chain:
        """Make chain `number` of the arrays of a model folder."""
        attributes = {stored: name for name, stored in _STORED_NAMES.items()}
        own = {}
        for stored, array in arrays.items():
            name = stored.removeprefix(f"chain{number}.")
            if name != stored:
                own[attributes.get(name, name)] = array
        traces = {name: own.pop(name) for name in _TRACES}
        if own and "subject_words" not in own:
            own["subject_words"] = np.zeros(len(own["word_counts"]), dtype=np.bool_)
        return cls(number, State(**own) if own else None, **traces)


def check_chain(chain: Chain, n_documents: int, n_topics: int, n_words: int) -> None:
    """Raise ValueError unless the arrays can be those of a chain of this size."""
    if chain.state is not None:
        check_state_arrays(chain.state, n_documents, n_topics, n_words)
    sweeps, draws = chain.log_joints.size, len(chain.dispersions)
    for name, shape in (
        ("log_joints", (sweeps,)),
        ("inverse_temperatures", (sweeps,)),
        ("dispersions", (draws, n_topics - 1)),
    ):
        array = getattr(chain, name)
        if array.shape != shape or array.dtype != np.float64:
            raise ValueError(f"chain {chain.number}: {name} is {array.dtype} {array.shape}")
    if draws > sweeps:
        raise ValueError(f"chain {chain.number}: {draws} draws of {sweeps} sweeps")
