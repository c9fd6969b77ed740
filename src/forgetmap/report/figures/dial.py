"""The dial of a radar: where an axis points, outlines with gaps, labels that keep apart."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from forgetmap.report.figures.canvas import element, path

RADIUS = 150.0


@dataclass(frozen=True)
class Dial:
    """One of the two panels."""

    x: float
    y: float
    axes: int
    low: float
    high: float

    def at(self, axis: int, value: float) -> tuple[float, float]:
        """Return the point of a value."""
        return self.out(axis, (value - self.low) / (self.high - self.low) * RADIUS)

    def out(self, axis: int, radius: float) -> tuple[float, float]:
        """Return the point so far out on an axis."""
        turn = self.turn(axis)
        return self.x + radius * math.sin(turn), self.y - radius * math.cos(turn)

    def turn(self, axis: int) -> float:
        """Return where an axis points, clockwise from the top."""
        return 2 * math.pi * axis / self.axes

    def outline(self, values: Sequence[float | None]) -> list[str]:
        """Return path data of an outline that stops where a value is missing."""
        made = []
        for run in runs_of([value is not None for value in values]):
            points = [self.at(axis, value) for axis in run if (value := values[axis]) is not None]
            if len(points) > 1:
                made.append(path(points, close=len(run) == self.axes))
        return made


def runs_of(present: Sequence[bool]) -> list[list[int]]:
    """Return stretches of neighbours around a circle that are there; a whole circle is one.

    >>> runs_of([True, True, False, True])
    [[3, 0, 1]]
    """
    count = len(present)
    if all(present):
        return [list(range(count))]
    runs: list[list[int]] = []
    first_gap = list(present).index(False)
    for step in range(1, count):
        at = (first_gap + step) % count
        if not present[at]:
            continue
        if runs and runs[-1][-1] == (at - 1) % count:
            runs[-1].append(at)
        else:
            runs.append([at])
    return runs


def spread(places: Sequence[float], gap: float) -> list[float]:
    """Return the sorted places moved apart to a gap, as little as possible and keeping their middle.

    >>> spread([0.0, 1.0, 30.0], 10)
    [-4.5, 5.5, 30.0]
    """
    blocks: list[tuple[float, int]] = []  # middle, members
    for place in places:
        middle, count = place, 1
        while blocks and middle - gap * (count - 1) / 2 < blocks[-1][0] + gap * (blocks[-1][1] - 1) / 2 + gap:
            other, members = blocks.pop()
            middle = (other * members + middle * count) / (members + count)
            count += members
        blocks.append((middle, count))
    return [middle + gap * (at - (count - 1) / 2) for middle, count in blocks for at in range(count)]


def marker(x: float, y: float, place: int, look: dict[str, Any], size: float = 4.5) -> str:
    """Return a point of a series; each has its own shape, so that colour is not all that tells them apart."""
    s = size
    shapes = (
        None,
        [(x - s, y - s), (x + s, y - s), (x + s, y + s), (x - s, y + s)],
        [(x, y - s * 1.2), (x + s * 1.1, y + s * 0.8), (x - s * 1.1, y + s * 0.8)],
        [(x, y - s * 1.3), (x + s * 1.3, y), (x, y + s * 1.3), (x - s * 1.3, y)],
    )
    corners = shapes[place % len(shapes)]
    if corners is None:
        return element("circle", cx=x, cy=y, r=s, **look)
    return element("path", d=path(corners, close=True), **look)
