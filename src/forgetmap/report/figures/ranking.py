"""Ranking: the totals of many pairs with their intervals, the largest loss first."""

from __future__ import annotations

from collections.abc import Sequence

from forgetmap.report.figures.canvas import (
    Canvas,
    Figure,
    Scale,
    box,
    element,
    fill,
    fit,
    hollow,
    label,
    line,
    percent_tick,
    sign,
    text_width,
    ticks,
)
from forgetmap.report.figures.dial import marker
from forgetmap.report.figures.movement import Moved
from forgetmap.report.figures.words import DIRECTIONS
from forgetmap.report.plain import number

_MARGIN, _PANEL, _GAP, _ROW = 20, 300, 46, 18
MOST = 60  # more rows than this nobody reads in a figure; the table holds all


def ranking(pairs: Sequence[Moved], *, words: str, unclear: Sequence[str] = (), unit: str = "% of items") -> Figure:
    """Return lost (left) and gained (right) of pairs in the order given; `unclear` names pairs without a sure verdict,
    `unit` says what the percentages are of.

    Of more than 60 pairs the first 40 and the last 20 are drawn.
    """
    title = "Pairs, the largest loss first"
    drawn: list[Moved | None] = list(pairs)
    if len(pairs) > MOST:
        drawn = [*pairs[:40], None, *pairs[-20:]]
    names = min(max([text_width(pair.name, 12) for pair in drawn if pair] + [60.0]) + 26, 260.0)
    canvas = Canvas("ranking", title, 2 * _MARGIN + names + 2 * _PANEL + _GAP)
    canvas.add(label(_MARGIN, 28, title, size=15, bold=True))
    canvas.add(label(_MARGIN, 46, fit(words, canvas.width - 2 * _MARGIN, 11.5), size=11.5, role="dim"))
    ends = [
        end
        for pair in drawn
        if pair
        for figure in (pair.lost, pair.gained)
        for end in (figure.value, figure.low, figure.high, *(figure.range or ()))
        if end is not None
    ]
    grid = ticks(min([0.0, *ends]), max([0.01, *ends]), 5)
    top = 92.0
    height = _ROW * len(drawn)
    for place, way in enumerate(DIRECTIONS):
        left = _MARGIN + names + place * (_PANEL + _GAP)
        x = Scale(grid[0], grid[-1], left, left + _PANEL)
        canvas.add(sign(way, left, 72, way, 10), label(left + 16, 72, f"{way}, {unit}", size=13, role=way, bold=True))
        for value in grid:
            canvas.add(line(x(value), top, x(value), top + height, "dim" if value == 0 else "grid", 0.8))
            text = percent_tick(value, grid[1] - grid[0])
            canvas.add(label(x(value), top + height + 16, text, size=11, role="dim", anchor="middle"))
        for row, pair in enumerate(drawn):
            if pair is not None:
                _draw(canvas, x, top + _ROW * (row + 0.5), pair, way, pair.name in unclear)
    for row, pair in enumerate(drawn):
        y = top + _ROW * (row + 0.5) + 4
        if pair is None:
            canvas.add(
                label(_MARGIN + names - 10, y, f"… {len(pairs) - MOST} more …", size=11, role="dim", anchor="end")
            )
        else:
            text = fit(pair.name, names - 12, 12, middle=True)
            canvas.add(label(_MARGIN + names - 10, y, text, size=12, anchor="end", tip=pair.name))
    return Figure("ranking", title, canvas.svg(top + height + 34, _described(pairs)), _note(pairs, words))


def _draw(canvas: Canvas, x: Scale, y: float, pair: Moved, way: str, doubt: bool) -> None:
    figure = pair.lost if way == "lost" else pair.gained
    parts = []
    if figure.low is not None and figure.high is not None:
        parts.append(line(x(figure.low), y, x(figure.high), y, way, 1.3))
    if figure.value is not None:
        parts.append(marker(x(figure.value), y, 0, hollow(way, 1.6) if doubt else fill(way), 3.8))
    elif figure.range is not None:
        start, end = (x(one) for one in figure.range)
        parts.append(line(start, y, end, y, way, 4, "3 4"))
    if parts:
        tip = f"{pair.name[:120]}: {way} {figure.text()} [{figure.interval()}]"
        canvas.add(element("g", *parts, tip=tip, data_role="pair", data_way=way))
    else:
        canvas.add(box(x.start, y - 5, x.end - x.start, 10, data_role="missing", **canvas.hatch("missing")))


def _note(pairs: Sequence[Moved], words: str) -> str:
    said = [f"Totals of {number(len(pairs), 'pair')} with their 95 % intervals; {words}. Hollow points are unclear."]
    if len(pairs) > MOST:
        said.append(f"The 40 largest and the 20 smallest losses are drawn; the table holds all {len(pairs)} pairs.")
    gaps = [pair.name for pair in pairs if pair.lost.value is None and pair.lost.range is None]
    if gaps:
        said.append(f"Hatched: {number(len(gaps), 'pair')} without a figure.")
    return " ".join(said)


def _described(pairs: Sequence[Moved]) -> str:
    named = "; ".join(f"{pair.name[:80]}: lost {pair.lost.text()}, gained {pair.gained.text()}" for pair in pairs[:10])
    return f"The largest losses: {named}."
