"""Random numbers keyed by their use.

The numbers of one document in one move depend on (seed, chain, sweep, move, key) alone: not on
threads, not on progress being shown, not on the documents before it.
"""

from __future__ import annotations

import secrets

import numpy as np

from permutopic.checks import check_integer


class Streams:
    """A Philox generator that can be set to any (sweep, move, key) of one chain.

    >>> streams = Streams(seed=7)
    >>> first = streams.at(sweep=3, move=0, key=5).random()
    >>> _ = streams.at(sweep=0, move=1).random(100)
    >>> first == streams.at(sweep=3, move=0, key=5).random()
    True
    """

    def __init__(self, seed: int, chain: int = 0) -> None:
        self.chain = chain
        key = np.random.SeedSequence([seed, chain]).generate_state(2, np.uint64)
        self._bits = np.random.Philox(key=key)
        self._generator = np.random.Generator(self._bits)
        self._origin = self._bits.state

    def at(self, sweep: int, move: int, key: int = 0) -> np.random.Generator:
        """Set the generator to its stream; it is valid until the next call."""
        # The lowest word of the counter stays free: 2^64 blocks for every key.
        self._origin["state"]["counter"][:] = (0, key, sweep, move)
        self._bits.state = self._origin
        return self._generator


def seed_from(random_state: object) -> int:
    """Turn a random state, as scikit-learn has it, into one whole number."""
    if random_state is None:
        return secrets.randbits(63)
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**63))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31))
    return check_integer(random_state, "random_state", 0, note="the seed")
