"""Random numbers keyed by where they are used, so that nothing else can move them.

The numbers of one visit depend on (seed, chain, sweep, move, place) and on nothing that ran
before: not on threads, not on progress being shown, not on the documents visited earlier.
"""

from __future__ import annotations

import secrets

import numpy as np

from permutopic.checks import check_integer


class Streams:
    """A Philox generator that can be put at any (sweep, move, place) of one chain.

    >>> streams = Streams(seed=7)
    >>> first = streams.at(sweep=3, move=0, place=5).random()
    >>> _ = streams.at(sweep=0, move=1).random(100)
    >>> first == streams.at(sweep=3, move=0, place=5).random()
    True
    """

    def __init__(self, seed: int, chain: int = 0) -> None:
        self.chain = chain
        key = np.random.SeedSequence([seed, chain]).generate_state(2, np.uint64)
        self._bits = np.random.Philox(key=key)
        self._generator = np.random.Generator(self._bits)
        self._origin = self._bits.state

    def at(self, sweep: int, move: int, place: int = 0) -> np.random.Generator:
        """Put the generator at its place; it is valid until the next call."""
        # The lowest word of the counter stays free: 2^64 blocks for every place.
        self._origin["state"]["counter"][:] = (0, place, sweep, move)
        self._bits.state = self._origin
        return self._generator


def seed_from(random_state: object) -> int:
    """Turn what scikit-learn calls a random state into one whole number."""
    if random_state is None:
        return secrets.randbits(63)
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**63))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31))
    return check_integer(random_state, "random_state", 0, note="the seed")
