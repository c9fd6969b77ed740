"""Dual radar: lost on the left, gained on the right, one axis per cell, up to four sheets."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from forgetmap.cells import Cell
from forgetmap.report.figures.canvas import (
    Canvas,
    Figure,
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
from forgetmap.report.figures.dial import RADIUS, Dial, marker
from forgetmap.report.figures.interactive import radar_spec
from forgetmap.report.figures.radar_words import axis_labels, described, note_of
from forgetmap.report.figures.words import (
    DIRECTIONS,
    behind,
    cells_of,
    largest,
    of_pair,
    plural,
    reading_words,
    settled,
    sheet_names,
    short_name,
)
from forgetmap.report.plain import percent
from forgetmap.report.sheet import Sheet
from forgetmap.report.shown import Shown, ceiling, cut, shown

MOST_SHEETS, MOST_AXES = 4, 24
_AROUND = 12  # up to here labels stand around the rim, beyond they stand in columns
_MARGIN, _LINE = 20, 14
#: The axes make room for ceilings up to this multiple of the data; higher ones are drawn on the rim.
_ROOM = 1.5


@dataclass(frozen=True)
class Series:
    """One sheet of a radar."""

    name: str
    place: int
    alone: bool
    cells: list[Cell | None]  # one per axis
    figures: dict[str, list[Shown]]
    ceilings: dict[str, list[float | None]]

    @classmethod
    def of(cls, name: str, place: int, alone: bool, cells: list[Cell | None], reading: str) -> Series:
        """Return what is drawn of a sheet."""
        figures, ceilings = {}, {}
        for way in DIRECTIONS:
            figures[way] = [Shown(None) if cell is None else shown(cell, reading, way) for cell in cells]
            ceilings[way] = [None if cell is None else ceiling(cell, reading, way) for cell in cells]
        return cls(name, place, alone, cells, figures, ceilings)

    def role(self, way: str) -> str:
        """Return the role of its colour: a sheet alone has those of lost and gained."""
        return way if self.alone else f"s{self.place}"

    @property
    def unclear(self) -> list[bool]:
        """Return which of its cells are."""
        return [cell is not None and cell.verdict == "unclear" for cell in self.cells]


def radar(sheets: Sequence[Sheet], *, level: str = "category", reading: str = "auto") -> Figure:
    """Return lost and gained of each cell as two radars with the same axes.

    Up to four sheets and 24 axes; the note says what is left out. Fewer than three cells make no radar: the figure then
    says so.
    """
    drawn = list(sheets[:MOST_SHEETS])
    title = f"Lost and gained by {level}: {_compared(drawn)}"
    table = cells_of(drawn, level)
    reading = settled([cell for row in table.values() for cell in row if cell is not None], reading)
    names = _chosen(table, reading)
    series = [
        Series.of(name, place, len(drawn) == 1, [table[axis][place] for axis in names], reading)
        for place, name in enumerate(sheet_names(drawn))
    ]
    if len(names) < 3:
        return _too_few(title, names, series, level)
    rings, tops = _rings(series)
    columns = len(names) > _AROUND
    beside = 200 if columns else 136
    canvas = Canvas("radar", title, 4 * RADIUS + 4 * beside + 2 * _MARGIN)
    heading = fit(title, canvas.width - 2 * _MARGIN, 15, bold=True, middle=True)
    canvas.add(label(_MARGIN, 28, heading, size=15, bold=True))
    cells = [cell for one in series for cell in one.cells if cell is not None]
    canvas.add(label(_MARGIN, 46, f"{behind(drawn[0])} · {reading_words(cells, reading)}", size=11.5, role="dim"))
    top = _draw_legend(canvas, series, bool(tops))
    y = top + 36 + 4 * _LINE + RADIUS
    dial = Dial(_MARGIN + beside + RADIUS, y, len(names), rings[0], rings[-1])
    for side, way in enumerate(DIRECTIONS):
        panel = replace(dial, x=dial.x + side * (2 * RADIUS + 2 * beside))
        edge = panel.x - RADIUS - beside
        canvas.add(sign(way, edge, top + 28, way, 10), label(edge + 16, top + 28, way, size=14, role=way, bold=True))
        _draw_grid(canvas, panel, rings)
        for one in series if tops else ():
            _draw_ceiling(canvas, panel, one, way)
        for one in series:
            _draw_series(canvas, panel, one, way, names)
        canvas.add(*axis_labels(panel, names, series, way, beside - 16, columns=columns))
    low = max(-math.cos(dial.turn(axis)) for axis in range(dial.axes)) * RADIUS
    missing = len(table) - len(names)
    note = note_of(
        drawn, names, series, reading, drawn_tops=bool(tops), left_out=(missing, len(sheets) - len(drawn)), level=level
    )
    svg = canvas.svg(y + low + 4 * _LINE + 20, described(names, series))
    several = [(one.name, {way: one.role(way) for way in DIRECTIONS}, one.figures, one.unclear) for one in series]
    return Figure("radar", title, svg, note, radar_spec(title, names, several, (rings[0], rings[-1])))


def _compared(sheets: Sequence[Sheet]) -> str:
    if len(sheets) == 1:
        return of_pair(sheets[0])
    befores = {sheet.before_name for sheet in sheets}
    if len(befores) > 1:
        return f"{len(sheets)} pairs"
    return f"{len(sheets)} models after {cut(short_name(befores.pop()), 60)}"


def _chosen(table: dict[str, list[Cell | None]], reading: str) -> list[str]:
    """The axes: all, or those that moved most in any sheet."""
    if len(table) <= MOST_AXES:
        return list(table)
    first = largest([cell for row in table.values() for cell in row if cell is not None], reading, None)
    kept = set(list(dict.fromkeys(cell.name for cell in first))[:MOST_AXES])
    return [name for name in table if name in kept]


def _rings(series: list[Series]) -> tuple[list[float], list[float]]:
    """The rings that fit the data of both panels, and the ceilings that lie within them."""
    found = [figure for one in series for way in DIRECTIONS for figure in one.figures[way]]
    values = [0.0, *(v for f in found for v in (f.value, *(f.range or ())) if v is not None)]
    tops = [top for one in series for way in DIRECTIONS for top in one.ceilings[way] if top is not None]
    high = max(values) if max(values) > 0 else 0.01
    if tops and max(tops) <= _ROOM * high:
        high = max(high, *tops)
    rings = ticks(min(values), high, 5)
    return rings, [top for top in tops if top <= rings[-1]]


def _draw_legend(canvas: Canvas, series: list[Series], ceilings: bool) -> float:
    x, y = float(_MARGIN), 70.0
    entries: list[tuple[str, str]] = []
    if len(series) > 1:
        for one in series:
            look = line(0, 0, 26, 0, one.role("lost"), 1.8) + marker(13, 0, one.place, fill(one.role("lost")))
            entries.append((fit(one.name, 300, 12, middle=True), look))
    if any(any(one.unclear) for one in series):
        entries.append(("unclear", marker(13, 0, 0, hollow("ink"))))
    if ceilings:
        entries.append(("ceiling: the most that could move", line(0, 0, 26, 0, "dim", 1.1, "4 3")))
    if not entries:
        return 50.0
    for text, look in entries:
        wide = 34 + text_width(text, 12) + 22
        if x > _MARGIN and x + wide > canvas.width - _MARGIN:
            x, y = float(_MARGIN), y + 20
        canvas.add(element("g", look, transform=f"translate({digits(x)} {digits(y - 4)})"), label(x + 34, y, text))
        x += wide
    return y


def _draw_grid(canvas: Canvas, dial: Dial, rings: list[float]) -> None:
    for ring in rings[1:]:
        corners = [dial.at(axis, ring) for axis in range(dial.axes)]
        strong = ring == 0  # where values below 0 occur, the centre is not 0
        look = stroke("dim" if strong else "grid", 1.1 if strong else 0.8)
        canvas.add(element("path", d=path(corners, close=True), data_role="ring", **look))
    for axis in range(dial.axes):
        canvas.add(line(dial.x, dial.y, *dial.out(axis, RADIUS), "grid", 0.8))
    step = rings[1] - rings[0]
    for ring in rings if rings[0] < 0 else rings[1:]:
        text = percent_tick(ring, step) + (" %" if ring == rings[-1] else "")
        # Beside the first axis, in the sector where no axis runs.
        x, y = dial.x + 4, dial.at(0, ring)[1] + 10
        canvas.add(box(x - 1, y - 9, text_width(text, 10) + 2, 11, **fill("paper", 0.75)))
        canvas.add(label(x, y, text, size=10, role="dim"))


def _draw_ceiling(canvas: Canvas, dial: Dial, one: Series, way: str) -> None:
    """What is higher than the axis runs along the rim: the labels and tooltips name it."""
    inside = [None if top is None else min(max(top, dial.low), dial.high) for top in one.ceilings[way]]
    for shape in dial.outline(inside):
        canvas.add(element("path", d=shape, data_role="ceiling", **stroke(one.role(way), 1.1, "4 3")))


def _draw_series(canvas: Canvas, dial: Dial, one: Series, way: str, names: list[str]) -> None:
    role = one.role(way)
    for shape in dial.outline([figure.value for figure in one.figures[way]]):
        if one.alone and shape.endswith("Z"):
            canvas.add(element("path", d=shape, **fill(role, 0.12)))
        canvas.add(element("path", d=shape, data_role="outline", **stroke(role, 1.8)))
    for axis, (cell, figure) in enumerate(zip(one.cells, one.figures[way], strict=True)):
        if cell is None:
            continue
        top = one.ceilings[way][axis]
        most = "" if top is None else f" of at most {percent(top)}"
        tip = f"{names[axis]}, {one.name}: {way} {figure.text()} [{figure.interval()}]{most}, {cell.verdict or 'no verdict'}"
        shape = ""
        if figure.value is not None:
            x, y = dial.at(axis, figure.value)
            shape = marker(x, y, one.place, hollow(role, 1.8) if cell.verdict == "unclear" else fill(role))
        elif figure.range is not None:
            ends = path(dial.at(axis, end) for end in figure.range)
            shape = element("path", d=ends, stroke_linecap="round", **stroke(role, 4, "3 5"))
        if shape:
            kind = "point" if figure.value is not None else "range"
            canvas.add(
                element("g", shape, tip=tip, data_role=kind, data_axis=axis, data_way=way, data_series=one.place)
            )


def _too_few(title: str, names: list[str], series: list[Series], level: str) -> Figure:
    canvas = Canvas("radar", title, 720)
    count = {0: "there is none", 1: "there is one", 2: "there are two"}[len(names)]
    said = f"A radar needs three {plural(level) if level != 'total' else 'cells'}; {count} here."
    canvas.add(label(_MARGIN, 28, fit(title, 680, 15, bold=True, middle=True), size=15, bold=True))
    canvas.add(label(_MARGIN, 52, said, role="dim"))
    y = 78.0
    for axis, name in enumerate(names):
        for one in series:
            figures = ", ".join(f"{way} {one.figures[way][axis].text()}" for way in DIRECTIONS)
            head = name if one.alone else f"{name}, {one.name}"
            canvas.add(label(_MARGIN, y, f"{fit(head, 400, 12, middle=True)}: {figures}", tip=head))
            y += 20
    return Figure("radar", title, canvas.svg(y + 8, said), f"{said} The forest plot shows intervals.")
