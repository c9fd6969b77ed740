"""Ceilings: the most that a cell could have lost, or can have gained, under the reading it shows."""

from __future__ import annotations

from forgetmap.cells import Cell
from forgetmap.report.shown import reading_of


def ceiling(cell: Cell, reading: str, direction: str) -> float | None:
    """Return what was there to lose (what was known or right before), or the most that can be new (after).

    A share of the same items as the figure it stands beside; None where the reading has no such figure.
    """
    side = "before" if direction == "lost" else "after"
    chosen = reading_of(cell, reading)
    block, name = {
        "chance": (cell.chance, f"known_{side}"),
        "known": (cell.chance, f"known_{side}"),
        "soft": (cell.soft, f"p_{side}"),
        "paper": (cell.paper, f"{direction}_max"),
    }.get(chosen, (cell.observed, f"acc_{side}"))
    most: float | None = None if block is None else block[name]
    return most
