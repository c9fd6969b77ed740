"""Slices as a figure: lost and gained of each with its interval, one above the other."""

from __future__ import annotations

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
    percent_tick,
    stroke,
    text_width,
    ticks,
)
from forgetmap.report.plain import number
from forgetmap.report.shown import Shown, shown
from forgetmap.slices import Sliced

_ROW, _TOP, _PLOT, _MARGIN, _SIZE = 24, 64, 300, 16, 12
_WAYS = ("lost", "gained")


def slice_figure(found: Sliced, reading: str) -> Figure | None:
    """Return the slices in their order, the one that lost most marked; None where there is nothing to draw."""
    figures = [{way: shown(cell, reading, way) for way in _WAYS} for cell in found.cells]
    values = [end for row in figures for one in row.values() for end in _ends(one)]
    if not values:
        return None
    names = [f"{cell.name} ◂ most" if cell.name == found.worst else cell.name for cell in found.cells]
    wide = min(max(text_width(name, _SIZE, bold=True) for name in names), 260)
    counts = [f"{cell.items:,}" for cell in found.cells]
    items = _MARGIN + wide + 20 + max(text_width(text, _SIZE) for text in (*counts, "items"))
    plots = {"lost": items + 28, "gained": items + 28 + _PLOT + 40}
    canvas = Canvas("slices", f"Lost and gained by {found.label}", plots["gained"] + _PLOT + _MARGIN + 8)
    height = _TOP + _ROW * len(names)
    axis = ticks(min(0.0, *values), max(0.001, *values), 5)
    canvas.add(label(_MARGIN, 24, fit(canvas.title, canvas.width - 2 * _MARGIN, 14, bold=True), size=14, bold=True))
    canvas.add(label(items, _TOP - 10, "items", size=11, role="dim", anchor="end"))
    for place in range(0, len(names), 2):
        canvas.add(box(_MARGIN - 6, _TOP + _ROW * place, canvas.width - 2 * _MARGIN + 12, _ROW, **fill("shade")))
    for way in _WAYS:
        sign = "▼" if way == "lost" else "▲"
        canvas.add(label(plots[way], _TOP - 10, f"{sign} {way}", size=13, role=way, bold=True))
        scale = Scale(axis[0], axis[-1], plots[way], plots[way] + _PLOT)
        for at in axis:
            canvas.add(line(scale(at), _TOP - 4, scale(at), height + 4, "dim" if at == 0 else "grid", 0.8))
            tick = percent_tick(at, axis[1] - axis[0])
            canvas.add(label(scale(at), height + 18, tick, size=10.5, role="dim", anchor="middle"))
        for place, row in enumerate(figures):
            unclear = found.cells[place].verdict == "unclear"
            _draw(canvas, scale, row[way], way, _TOP + _ROW * (place + 0.5), unclear)
    for place, (name, count) in enumerate(zip(names, counts, strict=True)):
        base = _TOP + _ROW * (place + 0.5) + 4
        bold = found.cells[place].name == found.worst
        canvas.add(label(_MARGIN, base, fit(name, wide, _SIZE, bold=bold), bold=bold, tip=name))
        canvas.add(label(items, base, count, anchor="end"))
    said = "; ".join(
        f"{cell.name}: lost {row['lost'].text()}, gained {row['gained'].text()}"
        for cell, row in zip(found.cells, figures, strict=True)
    )
    whole = number(sum(cell.items for cell in found.cells), "item")
    note = (
        f"Points with 95 % intervals, over {whole}; every item weighs alike. Hollow points are unclear, – is missing."
    )
    return Figure("slices", canvas.title, canvas.svg(height + 30, said), note)


def _ends(one: Shown) -> list[float]:
    return [end for end in (one.value, one.low, one.high, *(one.range or ())) if end is not None]


def _draw(canvas: Canvas, scale: Scale, one: Shown, way: str, y: float, unclear: bool) -> None:
    if one.value is None and one.range is None:
        canvas.add(label(scale(0) + 6, y + 4, "– missing", size=11, role="missing"))
        return
    if one.low is not None and one.high is not None:
        left, right = scale(one.low), scale(one.high)
        shape = f"M{digits(left)},{digits(y)}H{digits(right)}M{digits(left)},{digits(y - 4)}v8M{digits(right)},{digits(y - 4)}v8"
        canvas.add(element("path", d=shape, **stroke(way, 1.6)))
    if one.value is None and one.range is not None:
        left, right = (scale(end) for end in one.range)
        canvas.add(box(left, y - 4, max(right - left, 1), 8, **canvas.hatch(way)))
    elif one.value is not None:
        size = 4.5
        tall = size if way == "lost" else -size
        at = f"M{digits(scale(one.value) - size)},{digits(y - tall * 0.8)}h{digits(2 * size)}"
        look = hollow(way, 1.8) if unclear else fill(way)
        canvas.add(element("path", d=f"{at}l{digits(-size)},{digits(tall * 1.7)}Z", tip=one.text(), **look))
