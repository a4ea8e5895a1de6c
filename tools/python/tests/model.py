"""Slow models of the puzzles, which know nothing of the package: stickers in space, and slots of Square-1."""

from __future__ import annotations

import re
from collections.abc import Iterator

Vector = tuple[int, int, int]

# Of each face the direction it looks in, and where its columns and rows run when the cube is unfolded as usual: x to the
# right, y up, z to the front.
FACES: dict[str, tuple[Vector, Vector, Vector]] = {
    "U": ((0, 1, 0), (1, 0, 0), (0, 0, 1)),
    "R": ((1, 0, 0), (0, 0, -1), (0, -1, 0)),
    "F": ((0, 0, 1), (1, 0, 0), (0, -1, 0)),
    "D": ((0, -1, 0), (1, 0, 0), (0, 0, -1)),
    "L": ((-1, 0, 0), (0, 0, 1), (0, -1, 0)),
    "B": ((0, 0, -1), (-1, 0, 0), (0, -1, 0)),
}

# The WCA's letters: the face that they turn like, and the layers that turn, by their distance from the centre.
LAYERS: dict[str, tuple[str, set[int]]] = {face: (face, {1}) for face in FACES}
LAYERS |= {face.lower(): (face, {0, 1}) for face in FACES}
LAYERS |= {"x": ("R", {-1, 0, 1}), "y": ("U", {-1, 0, 1}), "z": ("F", {-1, 0, 1})}
LAYERS |= {"M": ("L", {0}), "E": ("D", {0}), "S": ("F", {0})}


def dot(a: Vector, b: Vector) -> int:
    return sum(x * y for x, y in zip(a, b, strict=True))


def clockwise(v: Vector, axis: Vector) -> Vector:
    """A quarter turn, clockwise for who looks at the face that the axis points out of."""
    (x, y, z), (a, b, c), along = v, axis, dot(v, axis)
    cross = (b * z - c * y, c * x - a * z, a * y - b * x)
    return (a * along - cross[0], b * along - cross[1], c * along - cross[2])


class Cube:
    """The stickers of a cube of 2 or 3 layers, in the order of the facelets: U R F D L B, each face by rows."""

    def __init__(self, letters: str | None = None, size: int = 3) -> None:
        self.places = list(self._places(size))
        area = size * size
        self.letters = list(letters or "".join(face * area for face in FACES))
        assert len(self.letters) == len(self.places) == 6 * area

    @staticmethod
    def _places(size: int) -> Iterator[tuple[Vector, Vector]]:
        """Of each sticker its cubie, and the direction it looks in."""
        steps = (-1, 1) if size == 2 else (-1, 0, 1)
        for normal, right, down in FACES.values():
            for row in steps:
                for column in steps:
                    n, r, d = normal, right, down
                    yield (
                        n[0] + column * r[0] + row * d[0],
                        n[1] + column * r[1] + row * d[1],
                        n[2] + column * r[2] + row * d[2],
                    ), normal

    def turn(self, letter: str) -> None:
        face, layers = LAYERS[letter]
        axis = FACES[face][0]
        number = {place: i for i, place in enumerate(self.places)}
        before = self.letters[:]
        for i, (cubie, normal) in enumerate(self.places):
            if dot(cubie, axis) in layers:
                self.letters[number[clockwise(cubie, axis), clockwise(normal, axis)]] = before[i]

    def move(self, moves: str) -> Cube:
        """Makes moves such as `R U2 F' r M x'`."""
        for word in moves.split():
            for _ in range({"": 1, "2": 2, "'": 3}[word[1:]]):
                self.turn(word[0])
        return self

    def named(self) -> Cube:
        """The same cube, each colour named by the face whose centre has it (3 layers)."""
        names = dict(zip(self.letters[4::9], FACES, strict=True))
        return Cube("".join(names[letter] for letter in self.letters))

    @property
    def is_solved(self) -> bool:
        """Whether each face has one colour, however it is held."""
        area = len(self.letters) // 6
        return all(len(set(self.letters[i : i + area])) == 1 for i in range(0, 6 * area, area))

    def __str__(self) -> str:
        return "".join(self.letters)


def length(moves: str, metric: str = "htm") -> int:
    """How many moves there are: of a half turn two in quarter turns."""
    return sum(2 if metric == "qtm" and word.endswith("2") else 1 for word in moves.split())


class Square1:
    """Square-1 slot by slot: each layer has twelve of 30 degrees, anticlockwise seen from above from the front of the cut.

    Small pieces (0, 2, 4, ...) fill a slot, big ones (1, 3, 5, ...) two. Digits are those of Cube21's notation.
    """

    def __init__(self, hexadecimal: str = "01234567-89ABCDEF") -> None:
        self.is_kite = hexadecimal.endswith("/")
        slots = []
        for digit in hexadecimal.rstrip("-/").replace("-", ""):
            slots += [int(digit, 16)] * (1 + int(digit, 16) % 2)
        assert len(slots) == 24
        self.top, self.bottom = slots[:12], slots[12:]

    def turn(self, top: int, bottom: int) -> None:
        """Turns the layers by so many times 30 degrees, each clockwise seen from its own face."""
        top, bottom = top % 12, bottom % 12
        self.top = self.top[top:] + self.top[:top]
        self.bottom = self.bottom[-bottom:] + self.bottom[:-bottom]

    def twist(self) -> None:
        """Turns the right half over, slots 0 to 5 of both layers: what was at the front of the top is at the back of the bottom."""
        for layer in (self.top, self.bottom):
            assert layer[11] != layer[0] and layer[5] != layer[6], "a big piece is in the way"
        self.top[:6], self.bottom[:6] = self.bottom[5::-1], self.top[5::-1]
        self.is_kite = not self.is_kite

    def move(self, moves: str) -> Square1:
        """Makes turns and twists such as `(1, 0) / (3, 3) /`."""
        tokens = re.findall(r"/|\(\s*(-?\d+)\s*,\s*(-?\d+)\s*\)", moves)
        for token, text in zip(tokens, re.findall(r"/|\([^)]*\)", moves), strict=True):
            if text == "/":
                self.twist()
            else:
                self.turn(int(token[0]), int(token[1]))
        return self

    def seen_as(self, puzzle: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Its slots, with one digit for pieces that are alike: of Cube21 small pieces in pairs, of the corners all of them."""

        def alike(piece: int) -> int:
            if piece % 2 == 1 or puzzle == "square1":
                return piece
            return piece & ~2 if puzzle == "cube21" else 0

        return tuple(map(alike, self.top)), tuple(map(alike, self.bottom))

    def is_solved(self, puzzle: str) -> bool:
        """Whether it is the solved position, held as it is."""
        return self.seen_as(puzzle) == Square1().seen_as(puzzle)

    def hexadecimal(self) -> str:
        """It as digits, without the middle layer."""

        def digits(layer: list[int]) -> str:
            assert layer[11] != layer[0] or layer[0] % 2 == 0, "a big piece lies across the end of the layer"
            return "".join(f"{p:X}" for i, p in enumerate(layer) if p % 2 == 0 or layer[(i + 1) % 12] == p)

        return f"{digits(self.top)}-{digits(self.bottom)}"

    @staticmethod
    def twists(moves: str) -> int:
        return moves.count("/")
