"""A finished chain: its last state, and what it left behind."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from permutopic.model.state import State, check_loaded

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

_TRACES = ("log_joints", "temperatures", "dispersions")


@dataclass(frozen=True)
class Chain:
    """One finished chain.

    Attributes
    ----------
    number
        Its place among the chains of one seed; with the seed it says where all its random
        numbers came from.
    state
        The last sweep's; None if it was not kept.
    log_joints, temperatures
        After, and in, every sweep.
    dispersions
        ρ after each of the sweeps that count as draws, which are the last ones.
    """

    number: int
    state: State | None
    log_joints: NDArray[np.float64]
    temperatures: NDArray[np.float64]
    dispersions: NDArray[np.float64]

    @property
    def drawn_log_joints(self) -> NDArray[np.float64]:
        """The log joints of the sweeps that count as draws."""
        return self.log_joints[self.log_joints.size - len(self.dispersions) :]

    def without_state(self) -> Chain:
        """Keep the traces only."""
        return replace(self, state=None)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Give everything as arrays by name."""
        traces = {name: getattr(self, name) for name in _TRACES}
        return traces if self.state is None else {**traces, **vars(self.state)}

    @classmethod
    def from_arrays(cls, number: int, arrays: Mapping[str, NDArray[Any]]) -> Chain:
        """Take chain `number` out of the arrays of a model folder."""
        mine = {
            name.removeprefix(f"chain{number}."): array
            for name, array in arrays.items()
            if name.startswith(f"chain{number}.")
        }
        traces = {name: mine.pop(name) for name in _TRACES}
        return cls(number, State(**mine) if mine else None, **traces)


def check_loaded_chain(chain: Chain, n_documents: int, n_topics: int, n_words: int) -> None:
    """Raise ValueError unless what was read from a file could be a chain of this size."""
    if chain.state is not None:
        check_loaded(chain.state, n_documents, n_topics, n_words)
    sweeps, draws = chain.log_joints.size, len(chain.dispersions)
    for name, shape in (
        ("log_joints", (sweeps,)),
        ("temperatures", (sweeps,)),
        ("dispersions", (draws, n_topics - 1)),
    ):
        array = getattr(chain, name)
        if array.shape != shape or array.dtype != np.float64:
            raise ValueError(f"chain {chain.number}: {name} is {array.dtype} {array.shape}")
    if draws > sweeps:
        raise ValueError(f"chain {chain.number}: {draws} draws of {sweeps} sweeps")
