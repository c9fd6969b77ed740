"""What a cell shows of itself under a reading: figures with their intervals, the verdict with its marks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from forgetmap.cells import Cell
from forgetmap.pairing.pair import WARN_COVERAGE
from forgetmap.report.plain import percent
from forgetmap.scorers import DEPENDS

#: What a verdict may carry, and the sign that says so.
MARKS = {"prompt changed": "‡", DEPENDS: "§"}


@dataclass(frozen=True)
class Shown:
    """One figure of a cell as the table shows it: a value, a range where no point is identified, or nothing."""

    value: float | None
    low: float | None = None  # ends of the interval
    high: float | None = None
    range: tuple[float, float] | None = None  # where only a range is identified
    fallback: bool = False  # observed flips, because the reading asked for cannot be had
    partial: bool = False  # over a part of the cell's items only
    least: bool = False  # what moved at least

    def text(self) -> str:
        """Return the figure in percent."""
        mark = "*" if self.fallback else "†" if self.partial else ""
        if self.value is not None:
            return f"{'≥ ' if self.least else ''}{percent(self.value)}{mark}"
        if self.range is not None:
            low, high = self.range
            return f"{percent(low).removesuffix(' %')} … {percent(high)}{mark}"
        return "–"

    def interval(self) -> str:
        """Return the interval in percent, without the sign."""
        if self.low is None or self.high is None:
            return "–"
        low, high = (percent(end).removesuffix(" %") for end in (self.low, self.high))
        return f"{low} – {high}"


def reading_of(cell: Cell, reading: str) -> str:
    """Return the reading that a cell shows; `auto` is the one that decides."""
    return cell.judged_by if reading == "auto" else reading


def shown(cell: Cell, reading: str, direction: str) -> Shown:
    """Return lost or gained of a cell under a reading."""
    chosen = reading_of(cell, reading)
    value, low, high = cell.figures(chosen, direction)
    if chosen == "noise" and cell.noise is not None and cell.noise[f"{direction}_at_least"] is not None:
        return Shown(value, low, high, least=True)
    if chosen == "chance" and cell.chance is not None:
        block, span = cell.chance, None
        if value is None and block[f"{direction}_from"] is not None:
            # A loss cannot be negative: where only its range is known, that is its lower end.
            first, last = sorted(max(block[f"{direction}_{end}"], 0.0) for end in ("from", "to"))
            span = (first, last)
        return Shown(value, low, high, span, partial=is_partial(cell))
    return Shown(value, low, high, fallback=reading == "auto" and chosen == "observed")


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


def unit_of(cells: Iterable[Cell]) -> str:
    """Return what the percentages are of: of items, of the scale where scores are graded, or of either in a mix."""
    graded = {cell.observed["kept"] is None for cell in cells}
    return {(True,): "% of the scale", (False, True): "% of items or scale"}.get(tuple(sorted(graded)), "% of items")


def is_partial(cell: Cell) -> bool:
    """Whether so many of a cell's items have no chance reading that the figure speaks of a part only."""
    return cell.chance is not None and cell.chance["items"] < WARN_COVERAGE * cell.items


def verdict_text(cell: Cell) -> str:
    """Return the verdict with the marks of what it carries."""
    marks = "".join(mark for flag, mark in MARKS.items() if flag in cell.flags)
    return f"{cell.verdict or '–'}{marks}"


def cut(name: str, most: int = 48) -> str:
    """A name on one line and of bearable length."""
    flat = " ".join(name.split())
    return flat if len(flat) <= most else f"{flat[: most - 1]}…"
