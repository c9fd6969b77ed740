"""Quadrants: kept, lost, gained and never of each cell, beside the change that averages show and what they hide."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from forgetmap.cells import Cell
from forgetmap.report.figures.canvas import (
    Canvas,
    Figure,
    Scale,
    box,
    digits,
    element,
    fill,
    fit,
    label,
    line,
    percent_tick,
    sign,
    text_width,
    ticks,
)
from forgetmap.report.figures.interactive import quadrant_spec
from forgetmap.report.figures.palette import LIGHT
from forgetmap.report.figures.words import behind, largest, listed, of_pair, plural
from forgetmap.report.plain import number, percent
from forgetmap.report.sheet import Sheet
from forgetmap.report.shown import unit_of
from forgetmap.report.tables import total_name

PARTS = ("kept", "lost", "gained", "never")
WORDS = {
    "kept": "kept (right, right)",
    "lost": "lost (right, wrong)",
    "gained": "gained (wrong, right)",
    "never": "never (wrong, wrong)",
}
_ROW, _TOP, _BAR, _MOVED, _MARGIN = 28, 118, 430, 190, 20


@dataclass(frozen=True)
class _Row:
    cell: Cell
    name: str

    def part(self, name: str) -> float | None:
        return self.cell.observed[name]

    @property
    def change(self) -> float | None:
        before, after = self.cell.observed["acc_before"], self.cell.observed["acc_after"]
        return None if before is None or after is None else after - before

    @property
    def moved(self) -> float | None:
        lost, gained = self.part("lost"), self.part("gained")
        return None if lost is None or gained is None else lost + gained


def quadrants(sheet: Sheet, *, level: str = "category", most: int = 60) -> Figure:
    """Return one bar of kept, lost, gained and never per cell: observed items, lucky guesses included."""
    *single, total = sheet.rows(level)
    kept = largest(single, "observed", most)
    rows = [_Row(cell, total_name(sheet, cell) if cell.level == "total" else cell.name) for cell in [*kept, total]]
    longest = min(max(90.0, *(text_width(row.name, 12, bold=row.cell.level == "total") for row in rows)), 230)
    items = _MARGIN + longest + 14 + max(text_width(f"{row.cell.items:,}", 12, bold=True) for row in rows)
    left = items + 20
    right = left + _BAR + 40
    width = right + _MOVED + 150 + _MARGIN
    canvas = Canvas("quadrants", f"What became of the items by {level}: {of_pair(sheet)}", width)
    title = fit(canvas.title, width - 2 * _MARGIN, 15, bold=True, middle=True)
    how = "how far scores fell and rose" if _graded(rows) else "as observed, lucky guesses included"
    canvas.add(label(_MARGIN, 28, title, size=15, bold=True))
    canvas.add(label(_MARGIN, 46, f"{behind(sheet)} · {how}", size=11.5, role="dim"))
    unit = unit_of(row.cell for row in rows)
    _draw_legend(canvas, _MARGIN, 72)
    axis = _axis(rows)
    scales = Scale(0, 1, left, left + _BAR), Scale(axis[0], axis[-1], right, right + _MOVED)
    bottom = _TOP + _ROW * len(rows) + (8 if len(rows) > 1 else 0)
    _draw_frame(canvas, scales, axis, bottom, (level, unit), items)
    for place, row in enumerate(rows):
        y = _TOP + _ROW * place + (8 if row.cell.level == "total" and len(rows) > 1 else 0)
        _draw_row(canvas, row, scales, y, longest, items)
    if len(rows) > 1:
        y = bottom - _ROW - 4
        canvas.add(line(_MARGIN, y, width - _MARGIN, y, "dim", 0.8))
    note = _note(sheet, rows, len(single) - len(kept))
    parts = {part: [row.part(part) for row in rows] for part in PARTS}
    spec = quadrant_spec(canvas.title, [row.name for row in rows], parts, unit)
    return Figure("quadrants", canvas.title, canvas.svg(bottom + 44, _described(rows)), note, spec)


def _graded(rows: list[_Row]) -> bool:
    """Whether no cell has right and wrong items to count."""
    return all(row.part("kept") is None and row.part("lost") is not None for row in rows)


def look(canvas: Canvas, part: str) -> dict[str, Any]:
    """How a part is filled: light, hatched one way, hatched the other way, dotted."""
    if part == "kept":
        return {**fill("kept", 0.35), "class_": "fm-kept fm-kept-line", "stroke": LIGHT["kept"]}
    if part == "never":
        return {**canvas.hatch("never", "dots"), "class_": "fm-never-line", "stroke": LIGHT["never"]}
    return canvas.hatch("paper", "lines" if part == "lost" else "back", part)


def _draw_legend(canvas: Canvas, x: float, y: float) -> None:
    for part in PARTS:
        canvas.add(box(x, y - 11, 22, 13, **look(canvas, part)))
        canvas.add(label(x + 29, y, WORDS[part], size=12))
        x += 29 + text_width(WORDS[part], 12) + 22


def _axis(rows: list[_Row]) -> list[float]:
    values = [value for row in rows for value in (row.change, row.moved) if value is not None]
    return ticks(min([0.0, *values]), max([0.01, *values]), 4)


def _draw_frame(
    canvas: Canvas, scales: tuple[Scale, Scale], axis: list[float], bottom: float, words: tuple[str, str], items: float
) -> None:
    bars, moves = scales
    level, unit = words
    for x, word, anchor in ((_MARGIN, level, None), (items, "items", "end"), (bars.start, unit, None)):
        canvas.add(label(x, _TOP - 12, word, size=11, role="dim", anchor=anchor))
    canvas.add(sign("both", moves.start, _TOP - 12, "ink"))
    canvas.add(label(moves.start + 14, _TOP - 12, "change of the score, and what moved", size=11, role="dim"))
    for at in (0, 0.25, 0.5, 0.75, 1):
        canvas.add(line(bars(at), _TOP - 4, bars(at), bottom + 2, "grid", 0.8))
        canvas.add(label(bars(at), bottom + 17, f"{100 * at:g}", size=10.5, role="dim", anchor="middle"))
    for at in axis:
        canvas.add(
            line(moves(at), _TOP - 4, moves(at), bottom + 2, "dim" if at == 0 else "grid", 1 if at == 0 else 0.8)
        )
        tick = percent_tick(at, axis[1] - axis[0])
        canvas.add(label(moves(at), bottom + 17, tick, size=10.5, role="dim", anchor="middle"))
    middle = (moves.start + moves.end) / 2
    canvas.add(label(middle, bottom + 34, "points", size=10.5, role="dim", anchor="middle"))


def _draw_row(canvas: Canvas, row: _Row, scales: tuple[Scale, Scale], y: float, longest: float, items: float) -> None:
    cell, bold = row.cell, row.cell.level == "total"
    base, top = y + _ROW / 2 + 4, y + 4
    tip = f"{row.name}: {number(cell.items, 'item')} in {number(cell.tasks, 'task')}"
    canvas.add(label(_MARGIN, base, fit(row.name, longest, 12, bold=bold), bold=bold, tip=tip))
    canvas.add(label(items, base, f"{cell.items:,}", bold=bold, anchor="end"))
    bars, moves = scales
    parts = {part: row.part(part) for part in PARTS}
    if any(value is None for value in parts.values()):
        graded = cell.observed["lost"] is not None
        look_missing = {**canvas.hatch("missing"), "stroke": LIGHT["missing"], "class_": "fm-missing-line"}
        canvas.add(box(bars(0), top, _BAR, _ROW - 8, data_role="missing", tip=tip, **look_missing))
        word = "graded scores: falls and rises only" if graded else "– missing"
        wide = text_width(word, 11) + 12
        canvas.add(box(bars(0.5) - wide / 2, top + 2, wide, _ROW - 12, **fill("paper")))
        canvas.add(label(bars(0.5), base, word, size=11, anchor="middle"))
    else:
        _draw_bar(canvas, row, bars, top)
    _draw_moves(canvas, row, moves, y)


def _draw_bar(canvas: Canvas, row: _Row, bars: Scale, top: float) -> None:
    at = 0.0
    for part in PARTS:
        value = row.part(part)
        if not value or value < 0:
            continue
        left, right = bars(at), bars(at + value)
        at += value
        tip = f"{row.name}: {part} {percent(value)}"
        shape = box(left, top, right - left, _ROW - 8, data_role=part, tip=tip, **look(canvas, part))
        canvas.add(shape)
        text = percent(value).removesuffix(" %")
        wide = text_width(text, 11, bold=True)
        if right - left < wide + 6:
            continue
        middle = (left + right) / 2
        if part != "kept":  # hatches must not run through the number
            ground = "paper" if part == "never" else part
            canvas.add(box(middle - wide / 2 - 2, top + 3, wide + 4, _ROW - 14, **fill(ground)))
        role = "ink" if part in ("kept", "never") else "paper"
        canvas.add(label(middle, top + _ROW / 2, text, size=11, role=role, anchor="middle", bold=role == "paper"))


def _draw_moves(canvas: Canvas, row: _Row, moves: Scale, y: float) -> None:
    base, middle = y + _ROW / 2 + 4, y + _ROW / 2
    lost, gained, change, moved = row.part("lost"), row.part("gained"), row.change, row.moved
    if lost is not None and gained is not None:
        for start, size, part in ((0.0, lost, "lost"), (lost, gained, "gained")):
            if size > 0:
                wide = moves(start + size) - moves(start)
                canvas.add(box(moves(start), middle - 4, wide, 8, data_role=f"moved-{part}", **look(canvas, part)))
    if change is not None:
        x = moves(change)
        shape = f"M{digits(x)},{digits(middle - 6)}l5,6l-5,6l-5,-6Z"
        canvas.add(element("path", d=shape, data_role="change", data_x=x, **_diamond()))
    said = "–" if change is None else points(change)
    hidden = "" if moved is None else f"of {percent(moved).removesuffix(' %')} moved"
    x = moves.end + 14
    canvas.add(label(x + 40, base, said, size=12, bold=True, anchor="end"))
    canvas.add(label(x + 48, base, hidden, size=11, role="dim"))


def _diamond() -> dict[str, Any]:
    """Dark with a light rim: seen on the bars and beside them."""
    return {"class_": "fm-ink fm-paper-line", "fill": LIGHT["ink"], "stroke": LIGHT["paper"], "stroke_width": 1.2}


def points(value: float) -> str:
    """A change in points, with its sign.

    >>> points(-0.0123), points(0.0)
    ('−1.2', '0.0')
    """
    rounded = round(100 * value, 1) + 0.0
    return f"{rounded:+.1f}".replace("-", "−") if rounded else "0.0"


def _note(sheet: Sheet, rows: list[_Row], left_out: int) -> str:
    said = [
        f"How far scores fell and rose, as a share of the scale, over {behind(sheet)}."
        if _graded(rows)
        else f"Each bar holds the paired items of a cell as observed, over {behind(sheet)}.",
        "The diamond is the change of the score that averages show; the bar behind it is what moved in either direction.",
    ]
    hiding = [row for row in rows if row.change is not None and row.moved and row.cell.level != "total"]
    if hiding:
        most = max(hiding, key=lambda row: (row.moved or 0) - abs(row.change or 0))
        assert most.change is not None
        said.append(
            f"Most is hidden in {listed([most.name])}: {points(most.change)} points, and {percent(most.moved)} moved."
        )
    missing = [row.name for row in rows if row.part("lost") is None]
    graded = [row.name for row in rows if row.part("kept") is None and row.part("lost") is not None]
    if graded:
        said.append(f"Graded scores have no quadrants: {listed(graded)}.")
    if missing:
        said.append(f"Missing: {listed(missing)}.")
    if left_out:
        said.append(f"{left_out:,} {plural(rows[0].cell.level)} that moved less are not drawn.")
    return " ".join(said)


def _described(rows: list[_Row]) -> str:
    said = []
    for row in reversed(rows):
        parts = ", ".join(f"{part} {percent(row.part(part))}" for part in PARTS)
        said.append(f"{row.name}: {parts}")
    return "; ".join(said) + "."
