"""What arrays come back as."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Neighbours(NamedTuple):
    """Positions one move away from those of an array.

    Cubes have all their moves, so ``positions.reshape(n, len(puzzle.moves), width)`` has those of each position together;
    Square-1 has the twists that are possible.
    """

    positions: NDArray[np.uint8]
    """The positions, of shape (m, width): those of the first position by their moves, then those of the next."""
    origins: NDArray[np.uintp]
    """Of each, the number of the position that it is a neighbour of, of shape (m,)."""
    moves: NDArray[np.uint8]
    """Of each, the number in ``puzzle.moves`` of the move that leads there, of shape (m,)."""
