"""Which bound of a cell a limit is held against: that of the reading that decides there (statistics.md 4).

A loss must be shown to be small, so every doubt goes to the side of the larger bound.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from forgetmap.cells import Cell
from forgetmap.estimate.intervals import DIFFERENCE
from forgetmap.map import ForgettingMap

#: Share of a cell's items that a reading must cover to speak for the cell.
ENOUGH = 0.95


@dataclass(frozen=True)
class Bound:
    """Estimate and bounds of one measure of a cell; without bounds `note` says why."""

    reading: str | None
    estimate: float | None
    low: float | None
    high: float | None
    note: str | None = None  # what the reader of the figure should know


def read_bound(cell: Cell, direction: str, asked: str) -> Bound:
    """Return the bounds of lost or gained of a cell under a reading; `auto` is the one that decides the verdict."""
    if cell.observed[direction] is None or cell.observed[f"{direction}_high"] is None:
        return _nothing("its scores have no place in [0, 1]: give --scale or --threshold")
    decides = cell.decision["verdict_reading"] if asked == "auto" else asked
    if decides == "noise":
        return _noise(cell, direction, asked)
    if decides == "chance":
        return _chance(cell, direction, asked)
    if decides == "observed":
        return _observed(cell, direction)
    return _observed(cell, direction, _why_net(cell))


def net_bounds(found: ForgettingMap) -> list[Bound]:
    """Return the bounds of score before − score after, one per cell of the map."""
    made = []
    for level in found.levels:
        posteriors = found.readings.observed.posterior("net", level.grouping, DIFFERENCE)
        for place in range(len(level.cells)):
            net = posteriors[place]
            if net.value is None:
                made.append(_nothing("its scores have no place in [0, 1]: give --scale or --threshold"))
            else:
                made.append(Bound("net", net.value, net.low, net.high))
    return made


def _nothing(why: str) -> Bound:
    return Bound(None, None, None, None, why)


def _observed(cell: Cell, direction: str, note: str | None = None) -> Bound:
    estimate, low, high = (cell.observed[f"{direction}{end}"] for end in ("", "_low", "_high"))
    return Bound("observed", estimate, low, high, note)


def _chance(cell: Cell, direction: str, asked: str) -> Bound:
    found = cell.chance
    if found is None or found[f"{direction}_high"] is None:
        return _nothing("it has no chance reading; reading: auto would take the items that flipped")
    if found["items"] < ENOUGH * cell.items:
        part = f"only {found['items']:,} of {cell.items:,} items have a chance reading"
        if asked == "chance":
            return _nothing(f"{part}; reading: auto would take the items that flipped too")
        whole = _observed(cell, direction)
        return Bound(
            "chance, observed",
            whole.estimate,
            _least(found[f"{direction}_low"], whole.low),
            _most(found[f"{direction}_high"], whole.high),
            f"{part}: the worse of these and of all items that flipped is taken",
        )
    note = None
    if found[direction] is None:
        note = "how guesses persist is not known: the end at which they all do is taken"
    elif cell.decision["verdict_reading"] == "net":
        note = "answers were sampled without repeats: re-run noise is in it"
    return Bound("chance", found[direction], found[f"{direction}_low"], found[f"{direction}_high"], note)


def _noise(cell: Cell, direction: str, asked: str) -> Bound:
    found: dict[str, Any] | None = cell.noise
    if found is None or cell.decision["verdict_reading"] != "noise":
        return _nothing("noise needs repeats on both sides that are more than re-runs of greedy decoding")
    most = found[f"{direction}_at_most_high"]
    if most is None:  # grades have no such bound
        if asked == "noise":
            return _nothing("what was lost at most is not known for graded scores; choose reading: observed")
        return _observed(cell, direction, "graded scores: flips count whole, re-run noise included")
    estimate, least = found[direction], found[f"{direction}_at_least_low"]
    if found["form"] == "chance":
        # Answers right by luck hide knowledge lost: the corrected excess can be above what flipped.
        estimate, least = found[f"known_{direction}"], _least(least, found[f"known_{direction}_low"])
        most = _most(most, found[f"known_{direction}_high"])
    return Bound("noise", estimate, least, most)


def _why_net(cell: Cell) -> str:
    if cell.chance is None:
        return "the number of options is not known: all items that flipped count, lucky ones too"
    return "answers were sampled without repeats: all items that flipped count, re-run noise included"


def _least(*values: float | None) -> float | None:
    known = [value for value in values if value is not None]
    return min(known) if known else None


def _most(*values: float | None) -> float | None:
    known = [value for value in values if value is not None]
    return max(known) if known else None
