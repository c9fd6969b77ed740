"""Rows of the page's tables: every figure as text to read and as a number to sort by."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from forgetmap.cells import Cell
from forgetmap.report.figures.words import floor_of
from forgetmap.report.plain import number, percent
from forgetmap.report.sheet import Sheet
from forgetmap.report.shown import ceiling, cut, shown, verdict_text
from forgetmap.report.tables import total_name

#: An interval this wide leaves nearly everything open.
WIDE = 0.5

Place = tuple[str, bool, tuple[str, ...], str]  # of a cell


@dataclass(frozen=True)
class Figure:
    """What a table cell prints, and the number it sorts by; None is missing and sorts last."""

    text: str
    value: float | None

    @property
    def key(self) -> str:
        """The number to sort by, as short as it may be."""
        return f"{self.value:.6g}"


@dataclass(frozen=True)
class Row:
    """One cell of a map as the table shows it."""

    level: str
    name: str
    path: tuple[str, ...]
    items: int
    task_names: tuple[str, ...]
    links: dict[str, str]  # to the items of the cell: all, lost, gained; empty where the page holds none of them
    figures: dict[str, Figure]
    verdict: str  # as printed, with its marks
    verdict_word: str | None
    flags: tuple[str, ...]
    is_total: bool


@dataclass(frozen=True)
class Body:
    """The rows of one level."""

    level: str
    rows: list[Row]


def table_bodies(
    sheet: Sheet,
    reading: str,
    *,
    linked: Collection[str] = (),
    differing: Collection[Place] = (),
    after: int | None = None,
) -> list[Body]:
    """Return the rows of every level, coarse to fine, the total last.

    `linked` are the tasks of which the page shows items; `differing` the places whose task sets differ between
    the AFTERs of the page; `after` is the number of the map among them, where there are several.
    """
    bodies = []
    for level in ("group", "category", "task", "total"):
        cells = sheet.shown(level) if level != "total" else [sheet.total]
        if level == "category" and not any(cell.mapped for cell in cells):
            continue  # tasks without a place in the taxonomy: the level of tasks shows the same cells
        if cells:
            bodies.append(Body(level, [_row(sheet, cell, reading, linked, differing, after) for cell in cells]))
    return bodies


def _row(
    sheet: Sheet,
    cell: Cell,
    reading: str,
    linked: Collection[str],
    differing: Collection[Place],
    after: int | None,
) -> Row:
    is_total = cell.level == "total"
    flags = list(cell.flags)
    if cell.place in differing:
        flags.append("other tasks than the other AFTERs")
    return Row(
        cell.level,
        total_name(sheet, cell) if is_total else cell.name,
        cell.path,
        cell.items,
        cell.task_names,
        _links(cell, after) if any(task in linked for task in cell.task_names) else {},
        _figures(cell, reading),
        verdict_text(cell),
        cell.verdict,
        tuple(flags),
        is_total,
    )


def _links(cell: Cell, after: int | None) -> dict[str, str]:
    """The addresses of the items of a cell; a half of a character has no address, and is not found."""
    asked: dict[str, str] = {}
    if len(cell.task_names) == 1:
        asked["task"] = cell.task_names[0]
    elif cell.level != "total":
        asked["within"] = cell_key(cell)
    if after is not None:
        asked["after"] = str(after)

    def address(**more: str) -> str:
        said = "&".join(
            f"{name}={quote(text, safe='', errors='replace')}" for name, text in ({**more, **asked}).items()
        )
        return f"#items?{said}" if said else "#items"

    return {"all": address(), **{way: address(transition=way) for way in ("lost", "gained")}}


def cell_key(cell: Cell) -> str:
    """What the address calls a cell of several tasks.

    Groups may hold categories of one name, so that the path belongs to it.
    """
    return " / ".join([cell.level, *(cell.path or (cell.name,))])


def cell_tasks(sheets: Sequence[Sheet]) -> list[dict[str, Any]]:
    """Return the cells of several tasks, by which the items of a page can be filtered: key, label, tasks in each map."""
    found: dict[str, dict[str, Any]] = {}
    for place, sheet in enumerate(sheets):
        for level in ("group", "category"):
            for cell in sheet.shown(level):
                if len(cell.task_names) > 1:
                    one = found.setdefault(
                        cell_key(cell),
                        {"name": cell_key(cell), "label": cell.name, "tasks": [[] for _ in sheets]},
                    )
                    one["tasks"][place] = list(cell.task_names)
    return list(found.values())


def _figures(cell: Cell, reading: str) -> dict[str, Figure]:
    made = {
        name: Figure(percent(cell.observed[key]), cell.observed[key])
        for name, key in (
            ("before", "acc_before"),
            ("after", "acc_after"),
            ("flips_lost", "lost"),
            ("flips_gained", "gained"),
        )
    }
    for direction in ("lost", "gained"):
        figure = shown(cell, reading, direction)
        value = figure.value if figure.value is not None else figure.range[0] if figure.range else None
        made[direction] = Figure(figure.text(), value)
        width = None if figure.low is None or figure.high is None else figure.high - figure.low
        made[f"{direction}_interval"] = Figure(figure.interval(), width)
        most = ceiling(cell, reading, direction)
        made[f"{direction}_ceiling"] = Figure(percent(most), most)
    floor = floor_of(cell, reading)
    made["floor"] = Figure(percent(floor), floor)
    return made


def wide_sentence(rows: Sequence[Row]) -> str | None:
    """Return, where an interval holds most of what is possible, whose it is and that so few items allow nearly anything."""
    wide = {}
    for row in rows:
        widths = (row.figures[f"{way}_interval"].value for way in ("lost", "gained"))
        if any(width is not None and width >= WIDE for width in widths):
            wide[row.name] = number(row.items, "item")  # a category of one task is the same row twice
    if not wide:
        return None
    named = ", ".join(f"{cut(name, 40)} ({items})" for name, items in list(wide.items())[:4])
    more = f" and {len(wide) - 4} more" if len(wide) > 4 else ""
    return (
        f"very wide intervals ({named}{more}): so few items allow nearly anything; taking luck off may lead below 0 or "
        "beyond 100 %, and such an end only says that nothing is known"
    )


def differing_cells(sheets: Sequence[Sheet]) -> set[Place]:
    """Return the places of the shown cells that stand for different tasks in different maps (post_forget.md 8, R2)."""
    sets: dict[Place, set[frozenset[str]]] = {}
    for sheet in sheets:
        for cell in sheet.cells:
            if not sheet.hides(cell):
                sets.setdefault(cell.place, set()).add(frozenset(cell.task_names))
    return {place for place, found in sets.items() if len(found) > 1}


def quadrant_rows(sheet: Sheet, level: str) -> list[dict[str, Any]]:
    """Return kept, lost, gained and never of each cell, the change of the score, and the movement it hides."""
    rows = []
    for cell in sheet.rows(level):
        seen = cell.observed
        before, after, lost, gained = (seen[name] for name in ("acc_before", "acc_after", "lost", "gained"))
        change = None if before is None or after is None else after - before
        moved = None if lost is None or gained is None else lost + gained
        rows.append(
            {
                "name": total_name(sheet, cell) if cell.level == "total" else cell.name,
                "is_total": cell.level == "total",
                "items": cell.items,
                **{name: Figure(percent(seen[name]), seen[name]) for name in ("kept", "lost", "gained", "never")},
                "change": Figure(points(change), change),
                "moved": Figure(percent(moved), moved),
            }
        )
    return rows


def points(change: float | None) -> str:
    """Return a change in percentage points, with its sign.

    >>> points(-0.021), points(0.0001), points(None)
    ('−2.1', '0.0', '–')
    """
    if change is None:
        return "–"
    size = round(100 * change, 1) + 0.0
    return f"{size:+.1f}".replace("-", "−") if size else "0.0"
