"""Words that the figures share: names of sheets, what a figure is of, which cells are unclear or missing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from forgetmap.cells import Cell
from forgetmap.report.plain import number, visible
from forgetmap.report.sheet import Sheet
from forgetmap.report.shown import Shown, cut, reading_of, shown

DIRECTIONS = ("lost", "gained")
_WHAT = {
    "chance": "knowledge, lucky guesses removed",
    "known": "knowledge, lucky guesses and re-run noise removed",
    "noise": "what moved at least beyond re-run noise",
    "soft": "probability that left or came to the right option",
    "paper": "the estimator of arXiv 2510.17776",
    "observed": "items that flipped, lucky guesses included",
}
_NAMED = 8  # more names make no sentence


def short_name(model: str) -> str:
    """The model without its owner; only a name of the form owner/model has one.

    >>> short_name("mistralai/Mistral-7B-v0.2"), short_name("<b>tuned</b>")
    ('Mistral-7B-v0.2', '<b>tuned</b>')
    """
    owned = re.fullmatch(r"(?:[\w.~-]*/)+([\w.:@ -]+)/?", model)
    return owned[1] if owned else model


def sheet_names(sheets: Sequence[Sheet]) -> list[str]:
    """Return names that tell the sheets apart: the after-model, with its before-model where those differ."""
    one_before = len({sheet.before_name for sheet in sheets}) == 1
    names = [
        short_name(sheet.after_name)
        if one_before
        else f"{short_name(sheet.before_name)} → {short_name(sheet.after_name)}"
        for sheet in sheets
    ]
    seen: dict[str, int] = {}
    made = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        made.append(name if names.count(name) == 1 else f"{name} ({seen[name]})")
    return made


def of_pair(sheet: Sheet) -> str:
    """What is compared."""
    return f"{cut(short_name(sheet.before_name), 60)} → {cut(short_name(sheet.after_name), 60)}"


def plural(level: str) -> str:
    """The cells of a level, as a noun."""
    return {"category": "categories", "group": "groups", "task": "tasks", "total": "total"}[level]


def reading_words(cells: Iterable[Cell], reading: str) -> str:
    """What the figures mean under the reading, for all that occur among the cells."""
    cells = list(cells)
    used = {reading_of(cell, reading) for cell in cells}
    if used <= {"observed"} and cells and all(cell.observed["kept"] is None for cell in cells):
        return "how far scores fell and rose, as a share of the scale"
    return "; or ".join(words for name, words in _WHAT.items() if name in used) or _WHAT["observed"]


def settled(cells: Iterable[Cell], reading: str) -> str:
    """The reading, or `observed` where auto comes to that everywhere: a mark on every figure would mark nothing."""
    if reading == "auto" and all(reading_of(cell, reading) == "observed" for cell in cells):
        return "observed"
    return reading


def marks_said(figures: Iterable[Shown]) -> list[str]:
    """What the signs at figures mean, as far as they occur."""
    found = list(figures)
    said = []
    if any(figure.least for figure in found):
        said.append("≥: what moved at least.")
    if any(figure.fallback for figure in found):
        said.append("*: items that flipped, luck and re-run noise included.")
    if any(figure.partial for figure in found):
        said.append("†: over the items that have a chance reading, which are not all.")
    return said


def behind(sheet: Sheet) -> str:
    """The task set and its size: every figure says what is behind it."""
    how = {
        "tasks": "each task counts alike",
        "items": "each item counts alike",
        "categories": "each category counts alike",
    }
    total = sheet.total
    weighted = f", {how[sheet.weight]}" if total.tasks > 1 and sheet.weight in how else ""
    return f"{number(total.items, 'paired item')} in {number(total.tasks, 'task')}{weighted}"


def listed(names: Sequence[str]) -> str:
    """A few names, and how many more.

    >>> listed(["a", "b"])
    'a, b'
    """
    said = ", ".join(visible(cut(name, 40)) for name in names[:_NAMED])
    return said if len(names) <= _NAMED else f"{said} and {len(names) - _NAMED} more"


def is_missing(cell: Cell, reading: str, direction: str) -> bool:
    """Whether there is neither a value nor a range to draw."""
    found = shown(cell, reading, direction)
    return found.value is None and found.range is None


def doubts(cells: Sequence[Cell], reading: str) -> list[str]:
    """Sentences on which cells are unclear and which have nothing to draw."""
    unclear = [cell.name for cell in cells if cell.verdict == "unclear"]
    missing = [cell.name for cell in cells if all(is_missing(cell, reading, direction) for direction in DIRECTIONS)]
    said = []
    if unclear:
        every = f"all {len(unclear)} {plural(cells[0].level)}" if len(unclear) == len(cells) > 1 else listed(unclear)
        said.append(f"Unclear: {every}.")
    if missing:
        said.append(f"Missing: {listed(missing)}.")
    return said


def largest(cells: list[Cell], reading: str, most: int | None) -> list[Cell]:
    """Return the cells that moved most, in the order they came; with None, all of them, the largest first."""

    def size(cell: Cell) -> float:
        figures = [shown(cell, reading, direction) for direction in DIRECTIONS]
        ends = [end for f in figures for end in (f.value, f.range[1] if f.range else None) if end is not None]
        return max(ends, default=-1.0)

    if most is None:
        return sorted(cells, key=size, reverse=True)
    if len(cells) <= most:
        return cells
    chosen = {id(cell) for cell in sorted(cells, key=size, reverse=True)[:most]}
    return [cell for cell in cells if id(cell) in chosen]


def cells_of(sheets: Sequence[Sheet], level: str) -> dict[str, list[Cell | None]]:
    """Return cell name -> its cell in each sheet; None where a sheet does not have it. The total is not among them."""
    table: dict[str, list[Cell | None]] = {}
    # A task without a place may bear the name of a category: it is another row.
    taken = {cell.name for sheet in sheets for cell in sheet.at(level) if cell.mapped} if level == "category" else set()
    for place, sheet in enumerate(sheets):
        for cell in sheet.shown(level) if level != "total" else ():
            named = cell.name if cell.mapped or cell.name not in taken else f"{cell.name} (task)"
            table.setdefault(named, [None] * len(sheets))[place] = cell
    return table


def floor_of(cell: Cell, reading: str) -> float | None:
    """What two runs of one and the same model would show: the mean of both sides, as the noise reading subtracts it."""
    if reading_of(cell, reading) == "soft":
        return cell.soft["floor"] if cell.soft else None
    if cell.noise is None:
        return None
    floors = [cell.noise[name] for name in ("floor_before", "floor_after") if cell.noise[name] is not None]
    return sum(floors) / len(floors) if floors else None
