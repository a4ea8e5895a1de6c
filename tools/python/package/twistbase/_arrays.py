"""Results that consist of arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Neighbours(NamedTuple):
    """All positions one move away from those of an array.

    A cube has all its moves, so ``positions.reshape(n, len(puzzle.moves), width)`` groups them by origin. Square-1 has the
    possible twists only.
    """

    positions: NDArray[np.uint8]
    """The neighbours, of shape (m, width): first those of the first position, in the order of moves."""
    origins: NDArray[np.uintp]
    """For each neighbour the number of its origin in the input, of shape (m,)."""
    moves: NDArray[np.uint8]
    """For each neighbour the number of its move in ``puzzle.moves``, of shape (m,)."""
