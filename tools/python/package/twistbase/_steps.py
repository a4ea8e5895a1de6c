"""Solutions of the Rubik's cube in steps, and by insertions."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, repr=False)
class SolvedStep:
    """A step of a solution. ``str()`` writes it as the program does, with the moves on the inverse in brackets."""

    goal: str
    """The goal as the steps name it, with the faces that it is seen from, such as ``"eo:FB"``."""
    normal: str
    """The moves on the position."""
    inverse: str
    """The moves on its inverse. They come at the end of the solution, undone."""
    length: int
    """Number of moves of the step."""
    total: int
    """Number of moves of the steps so far."""

    @property
    def _moves(self) -> str:
        return " ".join(filter(None, (self.normal, self.inverse and f"({self.inverse})")))

    def _line(self, width: int) -> str:
        return f"{self._moves.ljust(width)}  // {self.goal} ({self.length}/{self.total})"

    def __str__(self) -> str:
        return self._line(0)

    def __repr__(self) -> str:
        return f"<step {self}>"


@dataclass(frozen=True, slots=True, repr=False)
class StepsSolution:
    """A solution of the Rubik's cube in steps. ``str()`` writes it with a line for each step, as the program does."""

    length: int
    """Number of moves. Turns of one face that meet between steps are one."""
    moves: str
    """The whole solution. If the steps end before the cube is solved, the moves on the inverse are in brackets."""
    steps: tuple[SolvedStep, ...]
    """The steps, in their order."""

    def __str__(self) -> str:
        width = max(len(step._moves) for step in self.steps)
        return "\n".join([f"{self.length}\t{self.moves}", *(f"  {step._line(width)}" for step in self.steps)])

    def __repr__(self) -> str:
        return f"<solution of cube3 in {self.length} htm, {len(self.steps)} steps: {self.moves}>"


@dataclass(frozen=True, slots=True, repr=False)
class Insertion:
    """Moves inserted into a sequence. ``str()`` writes it as the program does, with the inserted moves in brackets."""

    before: str
    """The moves before them."""
    inserted: str
    """The inserted moves."""
    after: str
    """The moves after them."""
    total: int
    """Number of moves of the result. Turns of one face that meet are one, and what cancels is gone."""

    def __str__(self) -> str:
        return f"{self.before} [{self.inserted}] {self.after}".strip()

    def __repr__(self) -> str:
        return f"<insertion {self}>"


@dataclass(frozen=True, slots=True, repr=False)
class InsertionsSolution:
    """A solution of the Rubik's cube by insertions into a skeleton."""

    length: int
    """Number of moves."""
    moves: str
    """The whole solution."""
    insertions: tuple[Insertion, ...]
    """The insertions, in the order in which they are made. None if the skeleton is the solution."""

    def __str__(self) -> str:
        return "\n".join([f"{self.length}\t{self.moves}", *(f"  {insertion}" for insertion in self.insertions)])

    def __repr__(self) -> str:
        return f"<solution of cube3 in {self.length} htm, {len(self.insertions)} insertions: {self.moves}>"
