"""Forest plot: lost and gained of every cell with their intervals, side by side."""

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
    hollow,
    label,
    line,
    path,
    percent_tick,
    sign,
    stroke,
    text_width,
    ticks,
)
from forgetmap.report.figures.interactive import forest_spec
from forgetmap.report.figures.palette import LIGHT
from forgetmap.report.figures.words import (
    DIRECTIONS,
    behind,
    doubts,
    floor_of,
    largest,
    marks_said,
    of_pair,
    plural,
    reading_words,
    settled,
)
from forgetmap.report.plain import number, percent, visible
from forgetmap.report.sheet import Sheet
from forgetmap.report.shown import Shown, shown, unit_of, verdict_text
from forgetmap.report.tables import total_name

_ROW, _TOP, _PLOT, _MARGIN = 24, 92, 250, 20
_SIZE = 12


@dataclass(frozen=True)
class _Row:
    cell: Cell
    name: str
    figures: dict[str, Shown]
    floor: float | None

    @property
    def is_total(self) -> bool:
        return self.cell.level == "total"


def forest(sheet: Sheet, *, level: str = "category", reading: str = "auto", most: int = 60) -> Figure:
    """Return lost | gained of each cell of a level and of the total, with 95 % intervals.

    Cells with the largest loss or gain are drawn where there are more than `most`; the note says how many are not.
    """
    cells = sheet.rows(level)
    reading = settled(cells, reading)
    *single, total = cells
    kept = largest(single, reading, most)
    rows = [_row(sheet, cell, reading) for cell in [*kept, total]]
    canvas = Canvas("forest", f"Lost and gained by {level}: {of_pair(sheet)}", 0)
    columns = _Columns.of(rows, any(row.cell.verdict for row in rows))
    canvas.width = columns.width
    axis = _axis(rows)
    height = _TOP + _ROW * len(rows) + (8 if len(rows) > 1 else 0)
    canvas.add(
        label(
            _MARGIN, 28, fit(canvas.title, canvas.width - 2 * _MARGIN, 15, bold=True, middle=True), size=15, bold=True
        )
    )
    canvas.add(label(_MARGIN, 46, _subtitle(sheet, rows, reading), size=11.5, role="dim"))
    _draw_heads(canvas, columns, level, rows)
    for place, row in enumerate(rows):
        apart = 8 if row.is_total and len(rows) > 1 else 0
        _draw_row(canvas, columns, axis, row, _TOP + _ROW * place + apart, striped=place % 2 == 0)
    if len(rows) > 1:
        y = _TOP + _ROW * (len(rows) - 1) + 4
        canvas.add(line(_MARGIN, y, canvas.width - _MARGIN, y, "dim", 0.8))
    _draw_axes(canvas, columns, axis, rows, height)
    note = _note(sheet, rows, reading, len(single) - len(kept))
    svg = canvas.svg(height + 48, _described(rows))
    figures = {way: [row.figures[way] for row in rows] for way in DIRECTIONS}
    unclear = [row.cell.verdict == "unclear" for row in rows]
    spec = forest_spec(
        canvas.title,
        [row.name for row in rows],
        figures,
        unclear,
        [row.is_total for row in rows],
        margins=[row.cell.decision["margin"] for row in rows],
        floors=[row.floor for row in rows],
        verdicts=[verdict_text(row.cell) for row in rows],
        ends=(axis[0], axis[-1]),
        unit=unit_of(row.cell for row in rows),
    )
    return Figure("forest", canvas.title, svg, note, spec)


def _row(sheet: Sheet, cell: Cell, reading: str) -> _Row:
    name = total_name(sheet, cell) if cell.level == "total" else cell.name
    return _Row(cell, name, {way: shown(cell, reading, way) for way in DIRECTIONS}, floor_of(cell, reading))


@dataclass(frozen=True)
class _Columns:
    """Where the columns stand, from left to right."""

    name: float
    tasks: float  # right edges of numbers
    items: float
    accuracy: float
    plots: dict[str, float]
    texts: dict[str, float]
    verdict: float | None
    width: float
    longest: float

    @classmethod
    def of(cls, rows: list[_Row], verdicts: bool) -> _Columns:
        bold = {row.name: text_width(row.name, _SIZE, bold=row.is_total) for row in rows}
        longest = min(max(max(bold.values()), 90), 230)
        x = _MARGIN + longest + 12
        tasks = x + max(text_width("tasks", 11), *(text_width(f"{row.cell.tasks:,}", _SIZE, bold=True) for row in rows))
        items = (
            tasks
            + 14
            + max(text_width("items", 11), *(text_width(f"{row.cell.items:,}", _SIZE, bold=True) for row in rows))
        )
        x = accuracy = items + 18 + text_width("100.0 → 100.0 %", _SIZE)
        plots, texts = {}, {}
        for way in DIRECTIONS:
            plots[way] = x + 24
            wide = max(text_width(_figure(row.figures[way]), 11, bold=row.is_total) for row in rows)
            x = texts[way] = plots[way] + _PLOT + 14 + wide
        verdict = x + 22 if verdicts else None
        if verdict is not None:
            x = verdict + 15 + max(text_width(verdict_text(row.cell), _SIZE, bold=True) for row in rows)
        return cls(_MARGIN, tasks, items, accuracy, plots, texts, verdict, x + _MARGIN, longest)


def _figure(found: Shown) -> str:
    """The figure with its interval, as the tables print it."""
    return found.text() if found.low is None or found.high is None else f"{found.text()} [{found.interval()}]"


def _axis(rows: list[_Row]) -> list[float]:
    """Ticks that hold every point, interval, range, margin and floor; 0 is always among them."""
    values = [0.0]
    for row in rows:
        for found in row.figures.values():
            values += [v for v in (found.value, found.low, found.high, *(found.range or ())) if v is not None]
        values += [v for v in (row.floor, row.cell.decision["margin"]) if v is not None]
    if max(values) <= 0:
        values.append(0.01)
    return ticks(min(values), max(values), 6)


def _draw_heads(canvas: Canvas, columns: _Columns, level: str, rows: list[_Row]) -> None:
    y = _TOP - 12
    canvas.add(label(columns.name, y, level, size=11, role="dim"))
    for x, word in ((columns.tasks, "tasks"), (columns.items, "items"), (columns.accuracy, "score before → after")):
        canvas.add(label(x, y, word, size=11, role="dim", anchor="end"))
    for way in DIRECTIONS:
        canvas.add(sign(way, columns.plots[way], y, way))
        canvas.add(label(columns.plots[way] + 15, y, way, size=13, role=way, bold=True))
        with_ends = any(row.figures[way].low is not None for row in rows)
        canvas.add(
            label(columns.texts[way], y, "% [95 % interval]" if with_ends else "%", size=11, role="dim", anchor="end")
        )
    if columns.verdict is not None:
        canvas.add(label(columns.verdict, y, "verdict", size=11, role="dim"))


def _draw_row(canvas: Canvas, columns: _Columns, axis: list[float], row: _Row, y: float, *, striped: bool) -> None:
    cell, bold, base = row.cell, row.is_total, y + _ROW / 2 + 4
    if striped and not bold:
        canvas.add(box(_MARGIN - 6, y, columns.width - 2 * _MARGIN + 12, _ROW, **fill("shade")))
    tasks = ", ".join(cell.task_names[:12]) + (" …" if len(cell.task_names) > 12 else "")
    tip = f"{row.name}: {number(cell.items, 'item')} in {number(cell.tasks, 'task')} ({tasks})"
    canvas.add(label(columns.name, base, fit(row.name, columns.longest, _SIZE, bold=bold), bold=bold, tip=tip))
    before, after = (percent(cell.observed[side]).removesuffix(" %") for side in ("acc_before", "acc_after"))
    for x, text in ((columns.tasks, f"{cell.tasks:,}"), (columns.items, f"{cell.items:,}")):
        canvas.add(label(x, base, text, bold=bold, anchor="end"))
    canvas.add(label(columns.accuracy, base, f"{before} → {after}", bold=bold, anchor="end"))
    for way in DIRECTIONS:
        scale = Scale(axis[0], axis[-1], columns.plots[way], columns.plots[way] + _PLOT)
        _draw_figure(canvas, scale, row, way, y + _ROW / 2)
        canvas.add(
            label(columns.texts[way], base, _figure(row.figures[way]), size=11, role=way, anchor="end", bold=bold)
        )
    if columns.verdict is not None:
        role = cell.verdict if cell.verdict in DIRECTIONS else "ink" if cell.verdict == "both" else "dim"
        canvas.add(sign(cell.verdict or "", columns.verdict, base, role))
        canvas.add(label(columns.verdict + 15, base, verdict_text(cell), role=role, bold=bold or role != "dim"))


def _draw_figure(canvas: Canvas, scale: Scale, row: _Row, way: str, y: float) -> None:
    found = row.figures[way]
    zero = scale(0)
    if row.floor is not None and row.floor > 0:
        wide, said = scale(row.floor) - zero, f"noise floor {percent(row.floor)}"
        canvas.add(box(zero, y - 8, wide, 16, tip=said, data_role="floor", **fill("floor", 0.35)))
    margin = row.cell.decision["margin"]
    if margin is not None:
        x, up, down = scale(margin), y - _ROW / 2, y + _ROW / 2
        canvas.add(element("line", x1=x, x2=x, y1=up, y2=down, data_role="margin", **stroke("margin", 1, "2 2")))
    tip = f"{row.name}, {way}: {_figure(found)}"
    parts = []
    if found.low is not None and found.high is not None:
        ends = (scale(found.low), scale(found.high))
        caps = "".join(f"M{digits(x)},{digits(y - 4)}V{digits(y + 4)}" for x in ends)
        shape = f"M{digits(ends[0])},{digits(y)}H{digits(ends[1])}{caps}"
        parts.append(element("path", d=shape, data_role="interval", **stroke(way, 2.2 if row.is_total else 1.6)))
    if found.range is not None and found.value is None:
        left, right = (scale(end) for end in found.range)
        look = {**canvas.hatch(way), "stroke": LIGHT[way], "class_": f"fm-{way}-line"}
        # A hair of width where both ends meet.
        parts.append(box(left, y - 4, max(right - left, 1), 8, data_role="range", **look))
    if found.value is not None:
        size = 5.5 if row.is_total else 4.5
        mark = hollow(way, 1.8) if row.cell.verdict == "unclear" else fill(way)
        parts.append(_point(scale(found.value), y, size, way, row.is_total, mark))
    if not parts:
        parts.append(label(zero + 6, y + 4, "– missing", size=11, role="missing"))
    canvas.add(element("g", *parts, tip=tip, data_cell=visible(row.name)[:120], data_way=way))


def _point(x: float, y: float, size: float, way: str, total: bool, look: dict[str, Any]) -> str:
    """Lost points down, gained points up, the total is a diamond: told apart without colour."""
    if total:
        corners = [(x, y - size), (x + size, y), (x, y + size), (x - size, y)]
    else:
        tall = size if way == "lost" else -size
        corners = [(x - size, y - tall * 0.8), (x + size, y - tall * 0.8), (x, y + tall * 0.9)]
    shape = path(corners, close=True)
    return element("path", d=shape, data_role="point", data_x=x, **look)


def _draw_axes(canvas: Canvas, columns: _Columns, axis: list[float], rows: list[_Row], bottom: float) -> None:
    step = axis[1] - axis[0]
    unit = unit_of(row.cell for row in rows)
    under = []
    for way in DIRECTIONS:
        scale = Scale(axis[0], axis[-1], columns.plots[way], columns.plots[way] + _PLOT)
        for at in axis:
            strong = at == 0
            under.append(
                line(scale(at), _TOP - 4, scale(at), bottom + 4, "dim" if strong else "grid", 1.2 if strong else 0.8)
            )
            canvas.add(label(scale(at), bottom + 18, percent_tick(at, step), size=10.5, role="dim", anchor="middle"))
        canvas.add(
            label(
                columns.plots[way] + _PLOT / 2,
                bottom + 36,
                f"{way}, {unit}",
                size=10.5,
                role="dim",
                anchor="middle",
            )
        )
    # The grid lies above the stripes and below everything else.
    stripes = [n for n, part in enumerate(canvas.parts) if 'class="fm-shade"' in part]
    rest = [part for n, part in enumerate(canvas.parts) if n not in set(stripes)]
    canvas.parts[:] = [*(canvas.parts[n] for n in stripes), *under, *rest]


def _subtitle(sheet: Sheet, rows: list[_Row], reading: str) -> str:
    return f"{behind(sheet)} · {reading_words((row.cell for row in rows), reading)}"


def _note(sheet: Sheet, rows: list[_Row], reading: str, left_out: int) -> str:
    cells = [row.cell for row in rows]
    told = any(f.low is not None for row in rows for f in row.figures.values())
    said = [f"Points{' with 95 % intervals' if told else ''}, over {behind(sheet)}: {reading_words(cells, reading)}."]
    if any(f.range is not None and f.value is None for row in rows for f in row.figures.values()):
        said.append("A hatched bar is a range: too little tells guessing from knowing.")
    margins = sorted({cell.decision["margin"] for cell in cells if cell.decision["margin"] is not None})
    if margins:
        shown_as = " or ".join(f"{100 * margin:g}" for margin in margins)
        said.append(
            f"Dashed: the margin of {shown_as} {'point' if margins == [0.01] else 'points'}; hollow points are unclear."
        )
    if any(row.floor for row in rows):
        said.append("Grey band: the noise floor, what two runs of one model show.")
    said += marks_said(f for row in rows for f in row.figures.values())
    if left_out:
        said.append(f"{left_out:,} {plural(cells[0].level)} that moved less are not drawn.")
    return " ".join([*said, *doubts([cell for cell in cells if cell.level != "total"] or cells, reading)])


def _described(rows: list[_Row]) -> str:
    said = []
    for row in reversed(rows):
        figures = ", ".join(f"{way} {_figure(row.figures[way])}" for way in DIRECTIONS)
        said.append(f"{row.name[:80]}: {figures}, {row.cell.verdict or 'no verdict'}")
    return "; ".join(said) + "."
