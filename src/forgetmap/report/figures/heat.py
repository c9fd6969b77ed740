"""Heat map: cells × sheets, the number in every field where it fits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from forgetmap.errors import UsageError
from forgetmap.report.figures.canvas import (
    Canvas,
    Figure,
    box,
    digits,
    element,
    fill,
    fit,
    label,
    percent_tick,
    sign,
    stroke,
    text_width,
    ticks,
    wrap,
)
from forgetmap.report.figures.grid import MARGIN, SLANTED, Field, Grid, Size, grid_of
from forgetmap.report.figures.interactive import heat_spec
from forgetmap.report.figures.palette import LIGHT
from forgetmap.report.figures.words import DIRECTIONS, behind, listed, marks_said, reading_words, settled
from forgetmap.report.plain import number
from forgetmap.report.sheet import Sheet
from forgetmap.report.shown import unit_of

#: Beyond this many fields, those of one colour are one shape without tooltips: a page must stay light.
_SINGLE = 2500
#: Beyond this many there is no interactive figure either.
_INTERACTIVE = 20_000


def heat(sheets: Sequence[Sheet], *, level: str = "category", reading: str = "auto", direction: str = "lost") -> Figure:
    """Return lost (gained) of every cell in every sheet; the longer side goes down the page."""
    if direction not in DIRECTIONS:
        raise UsageError(f"direction is '{direction}'; it must be lost or gained")
    if not sheets:
        raise UsageError("there is no map to draw; give one or more")
    cells = [cell for sheet in sheets for cell in sheet.rows(level)]
    reading = settled(cells, reading)
    grid = grid_of(sheets, level, reading, direction)
    across = len(sheets) > max(12, len(grid.rows))
    if across:
        grid = grid.turned()
    what = f"{level} × pair" if len({sheet.before_name for sheet in sheets}) > 1 else f"{level} × model after"
    canvas = Canvas(f"heat-{direction}", f"{direction.capitalize()} by {what}", 0)
    bounds = _bounds(grid)
    size = Size.of(grid)
    canvas.width = max(size.width, 640.0)
    _draw_head(canvas, reading_words(cells, reading), direction, unit_of(cells))
    bottom = _draw_fields(canvas, grid, size, bounds, direction)
    _draw_names(canvas, grid, size)
    bottom = _draw_legend(canvas, grid, bounds, direction, bottom + 30, "?" if size.letters else "●")
    note = _note(sheets, grid, reading, direction, across)
    spec = _spec(grid, canvas.title, direction) if len(grid.rows) * len(grid.columns) <= _INTERACTIVE else None
    return Figure(canvas.name, canvas.title, canvas.svg(bottom + 16, _described(grid, direction)), note, spec)


def _bounds(grid: Grid) -> list[float]:
    """Ends of the colours, from 0 up; values below 0 have none."""
    values = [f.found.value for f in grid.every if f.found.value is not None]
    return ticks(0.0, max([0.01, *values]), 6)


def _draw_head(canvas: Canvas, words: str, direction: str, unit: str) -> None:
    title = fit(canvas.title, canvas.width - 2 * MARGIN - 18, 15, bold=True)
    canvas.add(sign(direction, MARGIN, 28, direction, 11), label(MARGIN + 18, 28, title, size=15, bold=True))
    under = fit(f"{unit}: {words}", canvas.width - 2 * MARGIN, 11.5)
    canvas.add(label(MARGIN, 46, under, size=11.5, role="dim"))


def opacity(value: float, bounds: Sequence[float]) -> float | None:
    """How strong the colour of a value is; None below 0. Weak enough for text on it to be read."""
    if value < 0:
        return None
    steps = len(bounds) - 1
    place = min(next((at for at in range(steps) if value < bounds[at + 1]), steps - 1), steps - 1)
    return round(0.05 + 0.47 * place / max(steps - 1, 1), 3)


def _draw_fields(canvas: Canvas, grid: Grid, size: Size, bounds: list[float], direction: str) -> float:
    single = len(grid.rows) * len(grid.columns) <= _SINGLE
    merged: dict[str, list[str]] = {}
    looks: dict[str, dict[str, Any]] = {}
    marks = _Marks(size)
    y = size.top
    for place, (name, row) in enumerate(zip(grid.rows, grid.fields, strict=True)):
        y += _apart(grid.last_row_total, place, len(grid.rows))
        x = size.left
        for at, one in enumerate(row):
            x += _apart(grid.last_column_total, at, len(row))
            kind, looks[kind] = _look(canvas, one, bounds, direction)
            if single:
                tip = _tip(name, grid.columns[at], one, direction)
                shape = box(x + 0.5, y + 0.5, size.field - 1, size.row - 1, tip=tip, data_role=kind, **looks[kind])
                canvas.add(shape)
            else:
                sides = f"h{digits(size.field - 1)}v{digits(size.row - 1)}h{digits(1 - size.field)}z"
                merged.setdefault(kind, []).append(f"M{digits(x + 0.5)},{digits(y + 0.5)}{sides}")
            marks.add(one, x, y)
            x += size.field
        y += size.row
    for kind, shapes in merged.items():
        canvas.add(element("path", d="".join(shapes), data_role=kind, **looks[kind]))
    canvas.add(*marks.drawn())
    return y


def _apart(total: bool, place: int, count: int) -> float:
    """The total stands apart from what it is the total of."""
    return 6.0 if total and place == count - 1 and count > 1 else 0.0


def _look(canvas: Canvas, field: Field, bounds: list[float], direction: str) -> tuple[str, dict[str, Any]]:
    value = field.found.value
    if field.missing:
        return "missing", canvas.hatch("missing")
    strength = opacity(value, bounds) if value is not None else None
    if strength is None:  # a range, or below 0: no colour, but a frame
        kind = "range" if value is None else "below"
        return kind, {"class_": "fm-paper fm-grid-line", "fill": LIGHT["paper"], "stroke": LIGHT["grid"]}
    return f"field-{strength:g}", fill(direction, strength)


@dataclass
class _Marks:
    """What stands on the fields: each kind is one element, since there may be many."""

    size: Size
    numbers: list[str] = field(default_factory=list)
    dots: list[str] = field(default_factory=list)
    corners: list[str] = field(default_factory=list)

    def add(self, one: Field, x: float, y: float) -> None:
        size, letters = self.size, self.size.letters
        middle, text = x + size.field / 2, "" if letters is None else one.text
        if text and letters is not None and text_width(text, letters) <= size.field - 2:
            self.numbers.append(element("text", text=text, x=middle, y=y + size.row / 2 + letters * 0.36))
        elif one.unclear:  # no room for the number: a dot stands for its question mark
            self.dots.append(f"M{digits(middle)},{digits(y + size.row / 2)}h0")
        if one.other:
            self.corners.append(f"M{digits(x + 0.5)},{digits(y + 0.5)}h6l-6,6z")

    def drawn(self) -> list[str]:
        made = []
        if self.numbers:
            made.append(element("g", *self.numbers, font_size=self.size.letters, text_anchor="middle", **fill("ink")))
        if self.dots:
            shape = "".join(self.dots)
            made.append(element("path", d=shape, data_role="unclear", stroke_linecap="round", **stroke("ink", 4)))
        if self.corners:
            made.append(element("path", d="".join(self.corners), data_role="other-tasks", **fill("ink")))
        return made


def _tip(row: str, column: str, field: Field, direction: str) -> str:
    if field.cell is None:
        return f"{row[:120]}, {column[:120]}: not in this map"
    cell = field.cell
    said = f"{row[:120]}, {column[:120]}: {direction} {field.found.text()} [{field.found.interval()}], "
    said += f"{number(cell.items, 'item')} in {number(cell.tasks, 'task')}, {cell.verdict or 'no verdict'}"
    return f"{said}; another task set than most" if field.other else said


def _draw_names(canvas: Canvas, grid: Grid, size: Size) -> None:
    y = size.top
    for place, (name, mark) in enumerate(zip(grid.rows, grid.row_marks, strict=True)):
        y += _apart(grid.last_row_total, place, len(grid.rows))
        bold = grid.last_row_total and place == len(grid.rows) - 1
        letters = 12 if size.row >= 20 else 10.5
        text = _marked(name, mark, size.left - 10 - MARGIN, letters, bold)
        canvas.add(label(size.left - 8, y + size.row / 2 + 4, text, size=letters, anchor="end", bold=bold, tip=name))
        y += size.row
    x = size.left
    for place, (name, mark) in enumerate(zip(grid.columns, grid.column_marks, strict=True)):
        x += _apart(grid.last_column_total, place, len(grid.columns))
        bold = grid.last_column_total and place == len(grid.columns) - 1
        letters = 11.5 if size.field >= 20 else 10
        middle = x + size.field / 2
        if size.slanted:
            text = _marked(name, mark, SLANTED, letters, bold)
            canvas.add(label(middle + 3, size.top - 6, text, size=letters, bold=bold, tip=name, turn=-45))
        else:
            lines = wrap(f"{name} ≠" if mark else name, size.field - 8, letters, bold=bold)
            parts = [
                label(middle, size.top - 7 - 14 * up, text, size=letters, anchor="middle", bold=bold)
                for up, text in enumerate(reversed(lines))
            ]
            canvas.add(element("g", *parts, tip=name))
        x += size.field


def _marked(name: str, mark: bool, width: float, size: float, bold: bool) -> str:
    """A name that fits, with the sign that its task sets differ."""
    cut = fit(name, width - (18 if mark else 0), size, bold=bold, middle=True)
    return f"{cut} ≠" if mark else cut


def _draw_legend(canvas: Canvas, grid: Grid, bounds: list[float], direction: str, y: float, sign: str) -> float:
    every = grid.every
    step = bounds[1] - bounds[0]
    entries: list[tuple[dict[str, Any], str, str]] = []
    for low, high in pairwise(bounds):
        text = f"{percent_tick(low, step)}–{percent_tick(high, step)} %"
        entries.append((fill(direction, opacity(low, bounds)), text, ""))
    plain = {"class_": "fm-paper fm-grid-line", "fill": LIGHT["paper"], "stroke": LIGHT["grid"]}
    if any(f.found.value is not None and f.found.value < 0 for f in every):
        entries.append((plain, "below 0: nothing found", ""))
    if any(f.found.value is None and f.found.range is not None for f in every):
        entries.append((plain, "a range", "…"))
    if any(f.missing for f in every):
        entries.append((canvas.hatch("missing"), "missing", ""))
    if any(f.unclear for f in every):
        entries.append((plain, "unclear", sign))
    if any(f.other for f in every):
        entries.append((plain, "≠ another task set", "◤"))
    x = float(MARGIN)
    for look, text, mark in entries:
        wide = 28 + text_width(text, 11) + 18
        if x > MARGIN and x + wide > canvas.width - MARGIN:
            x, y = float(MARGIN), y + 20
        canvas.add(box(x, y - 11, 22, 14, **look))
        if mark:
            canvas.add(label(x + 11, y, mark, size=10, anchor="middle"))
        canvas.add(label(x + 28, y, text, size=11))
        x += wide
    return y


def _note(sheets: Sequence[Sheet], grid: Grid, reading: str, direction: str, across: bool) -> str:
    every = grid.every
    cells = [field.cell for field in every if field.cell is not None]
    sizes = sorted(sheet.total.items for sheet in sheets)
    if len(set(sizes)) == 1:
        said = [
            f"{direction.capitalize()} per field, {unit_of(cells)}, over {behind(sheets[0])}: {reading_words(cells, reading)}."
        ]
    else:
        said = [
            f"{direction.capitalize()} per field, {unit_of(cells)}: {reading_words(cells, reading)}. "
            f"The {len(sheets)} maps hold {sizes[0]:,} to {sizes[-1]:,} paired items."
        ]
    names, marks = (grid.rows, grid.row_marks) if across else (grid.columns, grid.column_marks)
    differing = [name for name, mark in zip(names, marks, strict=True) if mark]
    if differing:
        said.append(f"≠ and a corner: another task set than most ({listed(differing)}); such fields do not compare.")
    unclear = sum(field.unclear for field in every)
    missing = sum(field.missing for field in every)
    said += [f"{unclear:,} of {len(every):,} fields are unclear."] if unclear else []
    said += marks_said(field.found for field in every)
    said += [f"Hatched: {number(missing, 'field')} missing."] if missing else []
    return " ".join(said)


def _described(grid: Grid, direction: str) -> str:
    """The largest fields in words: all of them would be no description."""
    found = [
        (field.found.value, name, grid.columns[at])
        for name, row in zip(grid.rows, grid.fields, strict=True)
        for at, field in enumerate(row)
        if field.found.value is not None
    ]
    most = sorted(found, key=lambda one: -one[0])[:5]
    named = "; ".join(f"{name[:80]}, {column[:80]}: {100 * value:.1f} %" for value, name, column in most)
    return f"{direction} in {len(grid.rows)} rows and {len(grid.columns)} columns. Largest: {named or 'nothing'}."


def _spec(grid: Grid, title: str, direction: str) -> dict[str, Any]:
    values = [[field.found.value for field in row] for row in grid.fields]
    tips = [
        [_tip(name, grid.columns[at], field, direction) for at, field in enumerate(row)]
        for name, row in zip(grid.rows, grid.fields, strict=True)
    ]
    return heat_spec(title, grid.rows, grid.columns, values, tips, direction)
